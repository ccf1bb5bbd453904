"""Folders made to do harm. Each is refused, with hashes that fit, and no code in it runs."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import re
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from dxmatch.errors import ModelError
from dxmatch.models.folder import load

from ..small_model import signed


class Harm:
    """Creates the folder `marker` when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self):
        return os.mkdir, (str(self.marker),)


def sign(folder: Path, **change: object) -> None:
    """Makes model.json's own hash fit, after `change` of its top-level keys."""
    value = {**json.loads((folder / "model.json").read_text("utf-8")), **change, "sha256": "0" * 64}
    (folder / "model.json").write_bytes(signed(json.dumps(value).encode()))


def put(file: str, content: bytes | None = None, *, listed: bool = False) -> Callable[[Path], object]:
    """A file with this content, or a pickle that does harm; where asked, model.json lists it with its hash."""

    def make(folder: Path) -> None:
        written = pickle.dumps(Harm(folder.parent / "marker")) if content is None else content
        path = Path(file.replace("TMP", str(folder.parent)))
        (folder / path).write_bytes(written)
        if listed:
            files = json.loads((folder / "model.json").read_text("utf-8"))["files"]
            sign(folder, files={**files, str(path) if "TMP" in file else file: hashlib.sha256(written).hexdigest()})

    return make


def changed(file: str, old: bytes, new: bytes) -> Callable[[Path], object]:
    """Some bytes of a file replaced; the hash of a file of trees fits again."""

    def make(folder: Path) -> None:
        content = (folder / file).read_bytes()
        assert old in content
        put(file, content.replace(old, new, 1), listed=file != "model.json")(folder)

    return make


def linked(file: str) -> Callable[[Path], object]:
    """A file or folder moved out, with a symbolic link in its place."""

    def make(folder: Path) -> None:
        path = Path(os.path.normpath(folder / file))
        shutil.move(path, folder.parent / "outside")
        path.symlink_to(folder.parent / "outside")

    return make


def instead(file: str, make: Callable[[Path], object]) -> Callable[[Path], object]:
    """Something else in the place of a file."""
    return lambda folder: ((folder / file).unlink(), make(folder / file))


def a_socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the path of a socket may have 108 characters
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(here)


def longer(path: Path, size: int) -> None:
    with path.open("ab") as handle:
        handle.truncate(size)


IN_FOLDER = "in a model folder. Allowed: plain files, trees/, encoder/, encoders/, diseases/, relation/. Got: "
NO_PATH = "model.json, files: a path that no model folder has."
HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "extra pickle": (put("w.pkl"), "a file that model.json does not list. Allowed: trees/0.txt, "),
    "listed pickle": (put("w.pkl", listed=True), NO_PATH),
    "pickle as manifest": (put("model.json"), "model.json: this is a pickle; dxmatch never opens one. Allowed: a JSON object."),
    "text pickle as manifest": (put("model.json", pickle.dumps(len, protocol=0)), "model.json: not JSON"),
    "pickle as trees": (put("trees/0.txt", listed=True), "0.txt: not UTF-8 at byte 0. Allowed: text in UTF-8."),
    "linked file": (linked("trees/0.txt"), f"a symbolic link {IN_FOLDER}'trees/0.txt'."),
    "linked manifest": (linked("model.json"), "model.json: a symbolic link, no plain file. Allowed: a plain file."),
    "linked trees": (linked("trees"), f"a symbolic link {IN_FOLDER}'trees'."),
    "linked folder": (linked("../model"), "a symbolic link, no model folder. Allowed: the folder that holds model.json."),
    "dangling link": (instead("CARD.md", lambda path: path.symlink_to("nowhere")), f"a symbolic link {IN_FOLDER}'CARD.md'."),
    "link to itself": (lambda folder: (folder / "encoder" / "loop").symlink_to(folder), f"a symbolic link {IN_FOLDER}'encoder/loop'."),
    "climbs out": (put("../outside.txt", b"x", listed=True), "both or none; diseases/diseases.safetensors; relation/same-0.txt, …; encoders/0/…; CARD.md. Got: '../outside.txt'."),
    "climbs out inside": (put("trees/../../outside.txt", b"x", listed=True), "Got: 'trees/../../outside.txt'."),
    "absolute": (put("TMP/outside.txt", b"x", listed=True), NO_PATH),
    "not normalised": (put("./trees/0.txt", b"x", listed=True), "Got: './trees/0.txt'."),
    "backslash": (put("trees\\3.txt", b"x", listed=True), "Got: 'trees\\\\3.txt'."),
    "line end in a path": (put("trees/0.txt\n", b"x", listed=True), "Got: 'trees/0.txt\\n'."),
    "extra file": (put("trees/3.txt", b"tree"), "a file that model.json does not list"),
    "hidden file": (put(".hidden", b"x"), "Got: '.hidden'."),
    "extra folder": (lambda folder: (folder / "plugins").mkdir(), f"a folder {IN_FOLDER}'plugins'."),
    "deeper folder": (lambda folder: (folder / "trees" / "more").mkdir(), f"a folder {IN_FOLDER}'trees/more'."),
    "folder as file": (instead("CARD.md", Path.mkdir), f"a folder {IN_FOLDER}'CARD.md'."),
    "pipe": (instead("CARD.md", os.mkfifo), f"a named pipe {IN_FOLDER}'CARD.md'."),
    "pipe as manifest": (instead("model.json", os.mkfifo), "model.json: a named pipe, no plain file"),
    "socket": (instead("CARD.md", a_socket), f"a socket {IN_FOLDER}'CARD.md'."),
    "huge file": (lambda folder: longer(folder / "CARD.md", 300 * 2**20), "CARD.md: too large. Allowed: at most 268,435,456 bytes. Got: 314572800."),
    "huge manifest": (lambda folder: longer(folder / "model.json", 5 * 2**20), "model.json: too large. Allowed: at most 4,194,304 bytes. Got: 5242880."),
    "huge number": (changed("trees/0.txt", b"num_leaves=7", b"num_leaves=2000000000"), "num_leaves: out of range. Allowed: 1 to 4,096. Got: 2000000000."),
    "pointing back": (changed("trees/0.txt", b"left_child=1", b"left_child=0"), ": the children do not make a tree. Allowed: each leaf -1 to -"),
    "key twice": (changed("model.json", b'"format": 1,', b'"format": 1, "threshold": 0.1,'), "model.json: not JSON (a key given twice: 'threshold'). Allowed: a JSON object."),
    "nested bomb": (put("model.json", b'{"metrics":' + b"[" * 1_000_000), "model.json: nested too deep. Allowed: at most 32 levels."),
    "not a number": (changed("model.json", b'"threshold": 0.5', b'"threshold": NaN'), "model.json: not JSON (NaN is no JSON number). Allowed: a JSON object."),
}  # fmt: skip


@pytest.mark.skipif(os.name != "posix", reason="files that this system cannot have")
@pytest.mark.parametrize(("make", "message"), HOSTILE.values(), ids=HOSTILE)
def test_refused_and_nothing_runs(folder, tmp_path, make, message):
    make(folder)
    with pytest.raises(ModelError, match=re.escape(message)):
        load(folder)
    assert not (tmp_path / "marker").exists()


def test_the_pickle_would_do_its_harm_and_a_folder_signed_again_loads(folder, tmp_path):
    """So the refusals above are neither for want of harm nor of a hash that fits."""
    pickle.loads(pickle.dumps(Harm(tmp_path / "marker")))
    assert (tmp_path / "marker").exists()
    sign(folder, name="signed again")
    assert load(folder).manifest.name == "signed again"


def test_a_file_that_grows_after_its_size_was_taken(folder, monkeypatch):
    """No more is read than the stated size and a byte, and that does not have the hash."""
    real = os.fstat
    monkeypatch.setattr(os, "fstat", lambda fd: os.stat_result([*real(fd)[:6], 10, *real(fd)[7:]]))
    with pytest.raises(ModelError, match=r"model\.json: not JSON"):
        load(folder)
