"""The model folder: `model.json`, `model.safetensors` and `CARD.md`.

Nothing in it is executed. A file is read once, and the bytes that were hashed are the bytes that are used. No pickle is opened, and no other
format is tried when this one does not fit.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from ..errors import ModelError
from ..settings import permissions
from . import manifest as manifest_file
from .ensemble import Arrays, TreeEnsemble
from .manifest import ARRAYS, CARD, MANIFEST, Manifest
from .relation import RelationModel, relation_columns

SHIPPED_MODEL = Path(__file__).parent / "offline-en"


@dataclass(frozen=True)
class ModelFolder:
    """A model folder in memory.

    manifest : what it says of itself. trees : M's, over `manifest.feature_names` in this order.
    relation : what a match, or no match, is more exactly; or None.
    encoder, diseases : the arrays of the static encoder, and of the graph of diseases, as `terms` reads them; or None.
    card : the text of CARD.md. path : the folder that it was loaded from.
    """

    manifest: Manifest
    trees: TreeEnsemble
    relation: RelationModel | None = None
    encoder: Arrays | None = None
    diseases: Arrays | None = None
    card: str = ""
    path: Path | None = field(default=None, init=False, compare=False)

    @cached_property
    def sha256(self) -> str:
        """Of model.json, and so of the whole folder: that file holds the hash of every other."""
        return _hash(contents_of(self, self.manifest.name)[MANIFEST])


def load(path: str | os.PathLike[str], place: str | None = None) -> ModelFolder:
    """Reads and verifies a model folder. What else lies in it is left alone.

    place : what errors call it.

    Errors: `ModelError`, naming the file, for a path that is no model folder, a file that is missing or that model.json does not list, a hash that
    differs, a manifest or arrays that are not exactly in their format.
    """
    root = Path(path)
    place = place or str(root)
    _recover(root)
    stated = _read(root, MANIFEST, place)
    manifest = manifest_file.read(stated, f"{place}/{MANIFEST}")
    contents = {file: _read(root, file, place) for file in (ARRAYS, CARD)}
    stated_hashes: Mapping[str, str] = {**manifest.files}
    for file, content in contents.items():
        if (found := _hash(content)) != (digest := stated_hashes.get(file, "nothing")):
            raise ModelError(
                f"{place}/{file}: changed since it was written: SHA-256 {found[:12]}…, where {MANIFEST} says {digest[:12]}…. "
                "Take the model from where it came from."
            )
    arrays = _by_part(contents[ARRAYS], f"{place}/{ARRAYS}")

    def trees(part: str, columns: Sequence[str], **more: Any) -> TreeEnsemble:
        return TreeEnsemble.from_arrays(arrays.get(part, {}), len(columns), **more, place=f"{place}/{ARRAYS}, {part}")

    relation, names = None, manifest.feature_names
    if manifest.relation is not None:
        heads = manifest.relation.calibration
        relation = RelationModel(
            {h: trees(f"relation-{h}", relation_columns(h, names)) for h in heads}, manifest.relation
        )
    parts = ModelFolder(
        manifest, trees("trees", names, averaged=manifest.decision.averaged), relation, arrays.get("encoder"), arrays.get("diseases"),
        contents[CARD].decode("utf-8", "replace"),
    )  # fmt: skip
    parts.__dict__.update(path=root, sha256=_hash(stated))  # which `dataclasses.replace` does not take along
    return parts


@lru_cache
def shipped_parts() -> ModelFolder:
    """The model that ships with dxmatch, verified."""
    return load(SHIPPED_MODEL)


def save(path: str | os.PathLike[str], parts: ModelFolder, *, overwrite: bool = False) -> Path:
    """Writes a model folder, whole or not at all, and returns its path.

    parts : what the manifest says of files, of the relation and of how members are averaged is filled in here, whatever it holds.
    overwrite : replaces a model folder that is there.

    Errors: `ModelError` for a path that is there (an empty folder is taken; a model folder only with `overwrite`;
    anything else never), and for parts that `load` would refuse.
    """
    target = Path(path)
    contents = contents_of(parts, os.fspath(target))
    try:
        check_target(target, overwrite=overwrite)
        target.parent.mkdir(permissions(0o777), parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}.", suffix=".part", dir=target.parent) as beside:
            new, old = Path(beside) / "new", _recover(target)
            # its owner's alone, unless files are shared: warnings in the manifest quote what the model was trained with
            new.mkdir(permissions(0o777))
            for file, content in contents.items():
                (new / file).touch(permissions(0o666))
                (new / file).write_bytes(content)
            shutil.rmtree(old, ignore_errors=True)
            if target.exists():
                target.rename(old)
            try:
                new.rename(target)
            finally:  # what kills it here, between two renames, is undone by the next that looks
                _recover(target)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise ModelError(f"{target} could not be written: {error.strerror or error}.") from error
    return target


def contents_of(parts: ModelFolder, place: str) -> dict[str, bytes]:
    """The bytes of each file of a model's folder. Errors: `ModelError` as of `save`; `place` names it."""
    names, relation = parts.manifest.feature_names, parts.relation
    trees = {"trees": (parts.trees, names)}
    if relation is not None:
        trees |= {f"relation-{head}": (each, relation_columns(head, names)) for head, each in relation.trees.items()}
    for part, (each, columns) in trees.items():
        if each.n_features != len(columns):
            raise ModelError(
                f"{place}, {part}: trees of {each.n_features} columns, not of {len(columns)}: {', '.join(columns)}."
            )
    arrays: dict[str, Arrays] = {part: each.arrays() for part, (each, _) in trees.items()}
    arrays |= {"encoder": parts.encoder or {}, "diseases": parts.diseases or {}}
    tensors = {
        f"{part}.{name}": np.ascontiguousarray(array) for part, own in arrays.items() for name, array in own.items()
    }
    contents = {ARRAYS: save_tensors(tensors), CARD: parts.card.encode()}
    manifest = msgspec.structs.replace(
        parts.manifest,
        decision=msgspec.structs.replace(parts.manifest.decision, averaged=parts.trees.averaged),
        relation=None if relation is None else relation.facts,
        files={file: _hash(content) for file, content in contents.items()},
    )
    return {MANIFEST: manifest_file.write(manifest, f"{place}/{MANIFEST}"), **contents}


def check_target(path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Whether a model may be written there, asked before any long work begins; `save` asks again.

    Errors: `ModelError`. Only an empty folder or, when asked, a model folder gives way: nothing is deleted that dxmatch did not write."""
    target = Path(path)
    _recover(target)
    if not os.path.lexists(target):
        return
    entries = {entry.name for entry in target.iterdir()} if target.is_dir() and not target.is_symlink() else None
    if entries is None or not entries <= {MANIFEST, ARRAYS, CARD} or (entries and MANIFEST not in entries):
        others = ", ".join(sorted((entries or set()) - {MANIFEST, ARRAYS, CARD})[:3])
        raise ModelError(
            f"{target}: something that dxmatch did not write is there{f' ({others})' if others else ''}, and is never deleted. "
            "Allowed: a new path, or an empty folder."
        )
    if entries and not overwrite:
        raise ModelError(f"{target}: a model is there. Allowed: a new path.").with_remedy(
            "the option 'overwrite' replaces it"
        )


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _read(root: Path, file: str, place: str) -> bytes:
    try:
        return (root / file).read_bytes()
    except FileNotFoundError:
        what = f"no file {file} in it" if root.exists() else "no such folder"
        raise ModelError(f"{place}: {what}. Allowed: a model folder, as dxmatch train writes it.") from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{place}/{file}: not readable ({getattr(error, 'strerror', None) or error}).") from None


def _by_part(content: bytes, place: str) -> dict[str, dict[str, NDArray[Any]]]:
    """The tensors "part.name" by part, then name."""
    try:
        tensors = load_tensors(content)
    except (SafetensorError, KeyError, ValueError, TypeError) as error:
        raise ModelError(f"{place}: not a file of tensors ({error}).") from None
    found: dict[str, dict[str, NDArray[Any]]] = {}
    for each in sorted(tensors):
        part, _, name = each.partition(".")
        found.setdefault(part, {})[name] = tensors[each]
    return found


def _recover(target: Path) -> Path:
    """Puts a model back that a killed `save` had moved aside and not yet replaced. Returns where one is moved aside to."""
    aside = target.with_name(f".{target.name}.old")
    if not os.path.lexists(target) and aside.is_dir():
        with contextlib.suppress(OSError):
            aside.rename(target)
    return aside
