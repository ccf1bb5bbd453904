"""The model folder: `model.json`, `trees/0.txt …`, optional `encoder/`, `diseases/`, `relation/` and `CARD.md`, and
nothing else.

Nothing in it is executed. A file is read once, and the bytes that were hashed are the bytes that are used. No pickle is
opened, and no other format is tried when this one does not fit.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from ..errors import ModelError, Remedy
from ..settings import file_mode, folder_mode
from . import manifest as manifest_file
from .manifest import CARD, DISEASES, ENCODER_FILES, RELATION_TREES, Manifest
from .relation import RelationModel, relation_columns
from .trees import text as tree_text
from .trees.checked import CheckedMembers
from .trees.refusal import refusal

MANIFEST = "model.json"
FOLDERS = ("trees", "encoder", "encoders", "diseases", "relation")
MAX_MANIFEST_BYTES = 4 * 2**20
MAX_FILE_BYTES = 256 * 2**20

# A link is not followed and a pipe does not wait for its writer; 0 where a system has no such flag.
_OPEN_FLAGS = os.O_RDONLY | sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))


@dataclass(frozen=True)
class ModelFolder:
    """A model folder in memory.

    trees : the members' LightGBM texts, over `manifest.feature_names` in this order. After `load` they are checked, and
        written anew from the checked numbers when first asked for.
    encoder : the files of `encoder/` by name, {"encoder.json": …, "encoder.safetensors": …}, or None.
    card : the text of CARD.md, or None.
    diseases : the graph of diseases, as `terms.diseases.graph` reads it, or None.
    relation : what a match, or no match, is more exactly; or None.
    encoders : the files of the other encoders that are kept in it, {"0/config.json": …}, as `kept_encoders` reads them.
    sha256 : of model.json, and so of the whole folder: that file holds the hash of every other. None for what is not saved yet.
    """

    manifest: Manifest
    trees: Sequence[str]
    encoder: Mapping[str, bytes] | None = None
    card: str | None = None
    diseases: bytes | None = None
    relation: RelationModel | None = None
    sha256: str | None = None
    encoders: Mapping[str, bytes] = field(default_factory=dict)


def load(path: str | os.PathLike[str]) -> ModelFolder:
    """Reads and verifies a model folder.

    Errors: `ModelError`, naming the file, for a path that is no folder, a link or any other thing that is not a plain
    file or folder, a file that is missing or that model.json does not list, a hash that differs, a file above its
    limit (256 MiB, model.json 4 MiB), a manifest or a tree that is not exactly in its format.
    """
    root = Path(path)
    _recover(root)
    _check_is_folder(root)
    stated = _read(root, MANIFEST, MAX_MANIFEST_BYTES)
    manifest = manifest_file.read(stated, str(root / MANIFEST))
    _check_listing(root, manifest.files)
    contents = {file: _read(root, file, MAX_FILE_BYTES) for file in manifest.files}
    return of_contents({MANIFEST: stated, **contents}, os.fspath(path))


def of_contents(contents: Mapping[str, bytes], place: str) -> ModelFolder:
    """The model in the bytes of a model folder's files, by their names in it; verified as `load` does.

    place : what errors call it.
    """
    root = Path(place)
    stated = contents.get(MANIFEST, b"")
    manifest = manifest_file.read(stated, str(root / MANIFEST))
    if missing := sorted(manifest.files.keys() - contents.keys()):
        raise refusal(place, f"no file {', '.join(missing)}", allowed="every file that model.json lists")
    for file, digest in manifest.files.items():
        _check_hash(root / file, contents[file], digest)
    contents = {file: contents[file] for file in manifest.files}
    names = manifest.feature_names
    members = [f"trees/{number}.txt" for number in range(sum(file.startswith("trees/") for file in contents))]
    trees = CheckedMembers(
        [
            tree_text.check(_decoded(contents[file], root / file), len(names), str(root / file), names)
            for file in members
        ]
    )
    encoder = {Path(file).name: contents[file] for file in ENCODER_FILES if file in contents}
    card = _decoded(contents[CARD], root / CARD) if CARD in contents else None
    return ModelFolder(
        manifest, trees, encoder or None, card, contents.get(DISEASES), _relation(manifest, contents, root),
        hashlib.sha256(stated).hexdigest(), _below(contents, "encoders"),
    )  # fmt: skip


def save(path: str | os.PathLike[str], parts: ModelFolder, *, overwrite: bool = False) -> Path:
    """Writes a model folder, whole or not at all, and returns its path.

    parts : `manifest.files` is filled in here, whatever it holds; `trees` may be what LightGBM gives, and is checked
        and written in the form of `trees.validate`.
    overwrite : replaces a model folder that is there.

    Errors: `ModelError` for a path that is there (an empty folder is taken; a model folder only with `overwrite`;
    anything else never), and for parts that `load` would refuse.
    """
    target = Path(path)
    contents = contents_of(parts, os.fspath(target))
    try:
        check_target(target, overwrite=overwrite)
        for above in reversed(target.parents):
            if not above.is_dir():
                above.mkdir(folder_mode(), exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}.", suffix=".part", dir=target.parent) as beside:
            new = Path(beside) / "new"
            # its owner's alone, unless files are shared: warnings in the manifest quote what the model was trained with
            new.mkdir(folder_mode())
            for file, content in contents.items():
                for above in reversed(PurePosixPath(file).parents):
                    (new / above).mkdir(folder_mode(), exist_ok=True)
                (new / file).touch(file_mode())
                (new / file).write_bytes(content)
            _put_in_place(new, target)
    except OSError as error:
        raise ModelError(f"{target} could not be written: {error.strerror or error}.") from error
    return target


def feature_diff(expected: Sequence[str], got: Sequence[str]) -> str:
    """What tells two lists of features apart, a line each; "" where they are equal.

    >>> print(feature_diff(["cosine", "levenshtein", "ratio_stem"], ["levenshtein", "cosine", "ratio_lemma"]))
    missing: ratio_stem
    unexpected: ratio_lemma
    other order: position 1 is levenshtein, expected cosine; position 2 is cosine, expected levenshtein
    """
    common = set(expected) & set(got)
    lines = []
    if missing := [name for name in expected if name not in common]:
        lines.append(f"missing: {', '.join(missing)}")
    if unexpected := [name for name in got if name not in common]:
        lines.append(f"unexpected: {', '.join(unexpected)}")
    pairs = zip([n for n in expected if n in common], [n for n in got if n in common], strict=False)
    if moved := [(wanted, name) for wanted, name in pairs if wanted != name]:
        places = [f"position {list(got).index(name) + 1} is {name}, expected {wanted}" for wanted, name in moved]
        lines.append(f"other order: {'; '.join(places)}")
    return "\n".join(lines)


def contents_of(parts: ModelFolder, place: str) -> dict[str, bytes]:
    """The bytes of each file of a model's folder, as `of_contents` takes them. Errors: `ModelError` as of `save`; `place` names it."""
    target = Path(place)
    names = parts.manifest.feature_names
    contents = {}
    for number, text in enumerate(parts.trees):
        file = f"trees/{number}.txt"
        contents[file] = tree_text.validate(text, len(names), str(target / file), names).encode()
    for name, content in (parts.encoder or {}).items():
        contents[f"encoder/{name}"] = content
    for name, content in parts.encoders.items():
        contents[f"encoders/{name}"] = content
    if parts.diseases is not None:
        contents[DISEASES] = parts.diseases
    if parts.relation is not None:
        for head, trees in parts.relation.trees.items():
            for number, text in enumerate(trees):
                columns = parts.relation.columns(head, names)
                file = f"relation/{head}-{number}.txt"
                contents[file] = tree_text.validate(text, len(columns), str(target / file), columns).encode()
    if parts.card is not None:
        contents[CARD] = parts.card.encode()
    hashes = {file: hashlib.sha256(content).hexdigest() for file, content in contents.items()}
    contents[MANIFEST] = manifest_file.write(
        replace(parts.manifest, relation=None if parts.relation is None else parts.relation.to_json(), files=hashes),
        str(target / MANIFEST),
    )
    for file, content in contents.items():
        _check_size(target / file, len(content), MAX_MANIFEST_BYTES if file == MANIFEST else MAX_FILE_BYTES)
    return contents


def _below(contents: Mapping[str, bytes], folder: str) -> dict[str, bytes]:
    return {
        file.removeprefix(f"{folder}/"): content for file, content in contents.items() if file.startswith(f"{folder}/")
    }


def _relation(manifest: Manifest, contents: Mapping[str, bytes], root: Path) -> RelationModel | None:
    found: dict[str, dict[int, str]] = {}
    for file, content in contents.items():
        if name := RELATION_TREES.fullmatch(file):
            columns = relation_columns(name[1], manifest.feature_names)
            text = tree_text.validate(_decoded(content, root / file), len(columns), str(root / file), columns)
            found.setdefault(name[1], {})[int(name[2])] = text
    if manifest.relation is None:
        if found:
            raise refusal(str(root), "trees of a relation that model.json does not speak of", allowed="neither or both")
        return None
    trees = {head: tuple(by_number[number] for number in sorted(by_number)) for head, by_number in found.items()}
    return RelationModel.from_json(manifest.relation, trees, str(root / MANIFEST))


def _check_is_folder(root: Path) -> None:
    try:
        mode = root.lstat().st_mode
    except (OSError, ValueError) as error:
        problem = "no such folder" if isinstance(error, FileNotFoundError) else f"not readable ({error})"
        raise refusal(str(root), problem, allowed="a model folder") from None
    if not stat.S_ISDIR(mode):
        raise refusal(str(root), f"{_kind(mode)}, no model folder", allowed="the folder that holds model.json")


def _check_listing(root: Path, listed: Mapping[str, str]) -> None:
    """Holds the folder against model.json: every file listed, every listed file there."""
    folders = {above.as_posix() for file in listed for above in PurePosixPath(file).parents} - {"."}
    found = set()
    for folder in ("", *sorted(folders)):
        for name, mode in _entries(root / folder):
            file = f"{folder}/{name}" if folder else name
            if not (stat.S_ISDIR(mode) if file in folders else stat.S_ISREG(mode)):
                problem = f"{_kind(mode)} in a model folder"
                raise refusal(
                    str(root), problem, allowed=f"plain files, {', '.join(f'{each}/' for each in FOLDERS)}", got=file
                )
            if file not in {MANIFEST, *listed, *folders}:
                problem = "a file that model.json does not list"
                raise refusal(str(root), problem, allowed=", ".join(listed), got=file)
            found.add(file)
    if missing := sorted(listed.keys() - found):
        raise refusal(str(root), f"no file {', '.join(missing)}", allowed="every file that model.json lists")


def _entries(folder: Path) -> list[tuple[str, int]]:
    """Name and mode of each, no link followed."""
    try:
        with os.scandir(folder) as entries:
            return [(entry.name, entry.stat(follow_symlinks=False).st_mode) for entry in entries]
    except OSError as error:
        raise refusal(str(folder), f"not readable ({error.strerror})", allowed="a folder of the model") from None


def _read(root: Path, file: str, limit: int) -> bytes:
    path = root / file
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            raise refusal(str(path), f"{_kind(mode)}, no plain file", allowed="a plain file")
        # What takes the file's place here is no link that is followed and no pipe that waits; its bytes lack the hash.
        with os.fdopen(os.open(path, _OPEN_FLAGS), "rb") as handle:
            size = os.fstat(handle.fileno()).st_size
            _check_size(path, size, limit)
            return handle.read(size + 1)
    except FileNotFoundError:
        problem = f"no file {file}, so no model folder"
        raise refusal(str(root), problem, allowed="a folder that dxmatch train wrote") from None
    except OSError as error:
        raise refusal(str(path), f"not readable ({error.strerror})") from None


def _check_size(path: Path, size: int, limit: int) -> None:
    if size > limit:
        raise refusal(str(path), "too large", allowed=f"at most {limit:,} bytes", got=size)


def _check_hash(path: Path, content: bytes, stated: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != stated:
        problem = f"changed since it was written: SHA-256 {found[:12]}…, where model.json says {stated[:12]}…"
        raise refusal(str(path), problem)


def _decoded(content: bytes, path: Path) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise refusal(str(path), f"not UTF-8 at byte {error.start}", allowed="text in UTF-8") from None


def _kind(mode: int) -> str:
    kinds = {
        stat.S_IFLNK: "a symbolic link", stat.S_IFDIR: "a folder", stat.S_IFREG: "a file", stat.S_IFIFO: "a named pipe",
        stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
    }  # fmt: skip
    return kinds.get(stat.S_IFMT(mode), "something unknown")


def check_target(path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Whether a model may be written there, asked before any long work begins; `save` asks again.

    Errors: `ModelError`. Only an empty folder or, when asked, a model folder gives way: nothing is deleted that dxmatch did not write."""
    target = Path(path)
    _recover(target)
    if not os.path.lexists(target):
        return
    _check_is_folder(target)
    entries = {entry.name for entry in target.iterdir()}
    if not entries:
        return
    if MANIFEST not in entries or not entries <= {MANIFEST, CARD, *FOLDERS}:
        raise refusal(str(target), "a folder that is no model is there", allowed="a new path, or an empty folder")
    if not overwrite:
        raise refusal(str(target), "a model is there", allowed="a new path").with_remedy(
            Remedy("replaces it", overwrite=True)
        )


def _put_in_place(new: Path, target: Path) -> None:
    """Two renames; what stops between them is undone by `_recover`."""
    old = _aside(target)
    if target.exists():
        shutil.rmtree(old, ignore_errors=True)
        target.rename(old)
    try:
        new.rename(target)
    except OSError:
        _recover(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _aside(target: Path) -> Path:
    return target.with_name(f".{target.name}.old")


def _recover(target: Path) -> None:
    """Puts a model back that a killed `save` had moved aside and not yet replaced."""
    if not os.path.lexists(target) and _aside(target).is_dir():
        with contextlib.suppress(OSError):
            _aside(target).rename(target)
