"""A model folder on its way to another process: the bytes of its files, but for those that every dxmatch of this release holds."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version

from ..errors import ModelError
from .folder import MANIFEST, ModelFolder, contents_of, of_contents
from .shipped import SHIPPED_MODEL, shipped_parts


@dataclass(frozen=True)
class PackedModel:
    """sha256 : of model.json, and so of all. files : by name; those with the hash that the shipped model's have are left out.

    dxmatch : the release that packed it. Of the shipped model itself nothing but the hash travels.
    """

    name: str
    sha256: str
    dxmatch: str
    files: Mapping[str, bytes]


def packed(parts: ModelFolder) -> PackedModel:
    """Raises `ModelError` for parts that `folder.save` would refuse."""
    shipped = shipped_parts()
    name, release = parts.manifest.name, version("dxmatch")
    if parts.sha256 is not None and parts.sha256 == shipped.sha256:
        return PackedModel(name, parts.sha256, release, {})
    contents = contents_of(parts, name)
    kept = shipped.manifest.files
    files = {f: c for f, c in contents.items() if kept.get(f) != hashlib.sha256(c).hexdigest()}
    return PackedModel(name, hashlib.sha256(contents[MANIFEST]).hexdigest(), release, files)


def unpacked(model: PackedModel) -> ModelFolder:
    """The model, verified as one that is loaded from its folder.

    Raises
    ------
    ModelError
        For bytes that were changed, or a model that rests on what another release of dxmatch ships.
    """
    shipped = shipped_parts()
    if model.sha256 == shipped.sha256:
        return shipped
    place = f"{model.name} (pickled)"
    if MANIFEST not in model.files:
        raise _of_another_release(model, place)
    from_here = {file: (SHIPPED_MODEL / file).read_bytes() for file in shipped.manifest.files.keys() - model.files}
    try:
        parts = of_contents({**from_here, **model.files}, place)
    except ModelError as error:
        if model.dxmatch == version("dxmatch"):
            raise
        raise _of_another_release(model, place) from error
    if parts.sha256 != model.sha256:
        raise ModelError(f"{place}: changed since it was pickled.")
    return parts


def _of_another_release(model: PackedModel, place: str) -> ModelError:
    return ModelError(
        f"{place}: it rests on what dxmatch {model.dxmatch} ships, which is not what ships with this one ({version('dxmatch')}). "
        "Have one release on both sides; between releases a model goes as a folder (m.save(folder), dxmatch.load(folder))."
    )
