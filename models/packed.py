"""A model folder on its way to another process: the bytes of its files, but for those that every dxmatch of this release holds."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version

from ..errors import ModelError
from .folder import MANIFEST, ModelFolder, contents_of, of_contents
from .manifest import read
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
    shipped, kept = _shipped()
    name, release = parts.manifest.name, version("dxmatch")
    if parts.sha256 == shipped:
        return PackedModel(name, shipped, release, {})
    contents = contents_of(parts, name)
    files = {f: c for f, c in contents.items() if kept.get(f) != hashlib.sha256(c).hexdigest()}
    return PackedModel(name, hashlib.sha256(contents[MANIFEST]).hexdigest(), release, files)


def unpacked(model: PackedModel) -> ModelFolder:
    """The model, verified as one that is loaded from its folder.

    Raises
    ------
    ModelError
        For bytes that were changed, or a model that rests on what another release of dxmatch ships.
    """
    shipped, kept = _shipped()
    if model.sha256 == shipped:
        return shipped_parts()
    place = f"{model.name} (pickled)"
    if MANIFEST not in model.files:
        raise _of_another_release(model, place)
    from_here = {file: (SHIPPED_MODEL / file).read_bytes() for file in kept.keys() - model.files}
    try:
        parts = of_contents({**from_here, **model.files}, place)
    except ModelError as error:
        if model.dxmatch == version("dxmatch"):
            raise
        raise _of_another_release(model, place) from error
    if parts.sha256 != model.sha256:
        raise ModelError(f"{place}: changed since it was pickled.")
    return parts


@lru_cache
def _shipped() -> tuple[str, Mapping[str, str]]:
    """The hash of the shipped model.json, and those of the files that it lists."""
    stated = (SHIPPED_MODEL / MANIFEST).read_bytes()
    return hashlib.sha256(stated).hexdigest(), read(stated, MANIFEST).files


def _of_another_release(model: PackedModel, place: str) -> ModelError:
    return ModelError(
        f"{place}: it rests on what dxmatch {model.dxmatch} ships, which is not what ships with this one ({version('dxmatch')}). "
        "Have one release on both sides; between releases a model goes as a folder (m.save(folder), dxmatch.load(folder))."
    )
