"""Folders made to do harm. Each is refused, with hashes that fit, and no code in it runs."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import re
import shutil
import socket
from pathlib import Path

import pytest

from dxmatch.errors import ModelError
from dxmatch.models.folder import load


class Harm:
    """Creates the file `marker` when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self):
        return os.mkdir, (str(self.marker),)


def sign(folder: Path, **change: object) -> None:
    """Makes model.json's own hash fit, after `change` of its top-level keys."""
    value = {**json.loads((folder / "model.json").read_text("utf-8")), **change, "sha256": "0" * 64}
    text = json.dumps(value).encode()
    start, _, end = text.rpartition(b"0" * 64)
    (folder / "model.json").write_bytes(start + hashlib.sha256(text).hexdigest().encode() + end)


def files(folder: Path) -> dict[str, str]:
    return json.loads((folder / "model.json").read_text("utf-8"))["files"]


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def listed(folder: Path, path: str, content: bytes) -> None:
    sign(folder, files={**files(folder), path: digest(content)})


def extra_pickle(folder, harm):
    (folder / "weights.pkl").write_bytes(harm)


def listed_pickle(folder, harm):
    (folder / "weights.pkl").write_bytes(harm)
    listed(folder, "weights.pkl", harm)


def pickle_as_manifest(folder, harm):
    (folder / "model.json").write_bytes(harm)


def text_pickle_as_manifest(folder, harm):
    (folder / "model.json").write_bytes(pickle.dumps(Harm(folder.parent / "marker"), protocol=0))


def pickle_as_trees(folder, harm):
    (folder / "trees" / "0.txt").write_bytes(harm)
    listed(folder, "trees/0.txt", harm)


def linked_file(folder, harm):
    outside = folder.parent / "outside.txt"
    shutil.move(folder / "trees" / "0.txt", outside)
    (folder / "trees" / "0.txt").symlink_to(outside)


def linked_manifest(folder, harm):
    outside = folder.parent / "outside.json"
    shutil.move(folder / "model.json", outside)
    (folder / "model.json").symlink_to(outside)


def linked_trees(folder, harm):
    outside = folder.parent / "outside"
    shutil.move(folder / "trees", outside)
    (folder / "trees").symlink_to(outside)


def linked_folder(folder, harm):
    outside = folder.parent / "outside"
    shutil.move(folder, outside)
    folder.symlink_to(outside)


def dangling_link(folder, harm):
    (folder / "CARD.md").unlink()
    (folder / "CARD.md").symlink_to(folder.parent / "nowhere")


def link_to_itself(folder, harm):
    (folder / "encoder" / "loop").symlink_to(folder)


def climbs_out(folder, harm):
    (folder.parent / "outside.txt").write_bytes(b"x")
    listed(folder, "../outside.txt", b"x")


def climbs_out_inside(folder, harm):
    (folder.parent / "outside.txt").write_bytes(b"x")
    listed(folder, "trees/../../outside.txt", b"x")


def absolute(folder, harm):
    (folder.parent / "outside.txt").write_bytes(b"x")
    listed(folder, str(folder.parent / "outside.txt"), b"x")


def not_normalised(folder, harm):
    stated = files(folder)
    sign(folder, files={**stated, "./trees/0.txt": stated["trees/0.txt"]})


def backslash(folder, harm):
    (folder / "trees\\3.txt").write_bytes(b"x")
    listed(folder, "trees\\3.txt", b"x")


def line_end_in_a_path(folder, harm):
    (folder / "trees" / "0.txt\n").write_bytes(b"x")
    listed(folder, "trees/0.txt\n", b"x")


def extra_file(folder, harm):
    (folder / "trees" / "3.txt").write_text("tree")


def hidden_file(folder, harm):
    (folder / ".hidden").write_text("x")


def extra_folder(folder, harm):
    (folder / "plugins").mkdir()


def deeper_folder(folder, harm):
    (folder / "trees" / "more").mkdir()


def folder_as_file(folder, harm):
    (folder / "CARD.md").unlink()
    (folder / "CARD.md").mkdir()


def pipe(folder, harm):
    (folder / "CARD.md").unlink()
    os.mkfifo(folder / "CARD.md")


def pipe_as_manifest(folder, harm):
    (folder / "model.json").unlink()
    os.mkfifo(folder / "model.json")


def a_socket(folder, harm):
    (folder / "CARD.md").unlink()
    here = Path.cwd()
    os.chdir(folder)  # the path of a socket may have 108 characters
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("CARD.md")
    finally:
        os.chdir(here)


def huge_file(folder, harm):
    with (folder / "CARD.md").open("wb") as handle:
        handle.truncate(300 * 2**20)


def huge_manifest(folder, harm):
    with (folder / "model.json").open("ab") as handle:
        handle.truncate(5 * 2**20)


def huge_number_declared(folder, harm):
    text = (folder / "trees" / "0.txt").read_text().replace("num_leaves=7", "num_leaves=2000000000")
    assert "2000000000" in text
    (folder / "trees" / "0.txt").write_text(text)
    listed(folder, "trees/0.txt", text.encode())


def pointing_back(folder, harm):
    text = (folder / "trees" / "0.txt").read_text().replace("left_child=1", "left_child=0", 1)
    assert "left_child=0" in text
    (folder / "trees" / "0.txt").write_text(text)
    listed(folder, "trees/0.txt", text.encode())


def key_twice(folder, harm):
    content = (folder / "model.json").read_bytes()
    (folder / "model.json").write_bytes(content.replace(b'"format": 1,', b'"format": 1, "threshold": 0.1,', 1))


def nested_bomb(folder, harm):
    (folder / "model.json").write_bytes(b'{"metrics":' + b"[" * 1_000_000)


def not_a_number(folder, harm):
    content = (folder / "model.json").read_bytes()
    (folder / "model.json").write_bytes(content.replace(b'"threshold": 0.5', b'"threshold": NaN', 1))


HOSTILE = {
    extra_pickle: "a file that model.json does not list. Allowed: trees/0.txt, ",
    listed_pickle: "model.json, files: a path that no model folder has.",
    pickle_as_manifest: "model.json: this is a pickle; dxmatch never opens one. Allowed: a JSON object.",
    text_pickle_as_manifest: "model.json: not JSON",
    pickle_as_trees: "0.txt: not UTF-8 at byte 0. Allowed: text in UTF-8.",
    linked_file: "a symbolic link in a model folder. Allowed: plain files, trees/, encoder/. Got: 'trees/0.txt'.",
    linked_manifest: "model.json: a symbolic link, no plain file. Allowed: a plain file.",
    linked_trees: "a symbolic link in a model folder. Allowed: plain files, trees/, encoder/. Got: 'trees'.",
    linked_folder: "a symbolic link, no model folder. Allowed: the folder that holds model.json.",
    dangling_link: "a symbolic link in a model folder. Allowed: plain files, trees/, encoder/. Got: 'CARD.md'.",
    link_to_itself: "a symbolic link in a model folder. Allowed: plain files, trees/, encoder/. Got: 'encoder/loop'.",
    climbs_out: "both or none; CARD.md. Got: '../outside.txt'.",
    climbs_out_inside: "both or none; CARD.md. Got: 'trees/../../outside.txt'.",
    absolute: "model.json, files: a path that no model folder has.",
    not_normalised: "Got: './trees/0.txt'.",
    backslash: "Got: 'trees\\\\3.txt'.",
    line_end_in_a_path: "Got: 'trees/0.txt\\n'.",
    extra_file: "a file that model.json does not list",
    hidden_file: "Got: '.hidden'.",
    extra_folder: "a folder in a model folder. Allowed: plain files, trees/, encoder/. Got: 'plugins'.",
    deeper_folder: "a folder in a model folder. Allowed: plain files, trees/, encoder/. Got: 'trees/more'.",
    folder_as_file: "a folder in a model folder. Allowed: plain files, trees/, encoder/. Got: 'CARD.md'.",
    pipe: "a named pipe in a model folder. Allowed: plain files, trees/, encoder/. Got: 'CARD.md'.",
    pipe_as_manifest: "model.json: a named pipe, no plain file",
    a_socket: "a socket in a model folder. Allowed: plain files, trees/, encoder/. Got: 'CARD.md'.",
    huge_file: "CARD.md: too large. Allowed: at most 268,435,456 bytes. Got: 314572800.",
    huge_manifest: "model.json: too large. Allowed: at most 4,194,304 bytes. Got: 5242880.",
    huge_number_declared: "num_leaves: out of range. Allowed: 1 to 4,096. Got: 2000000000.",
    pointing_back: ": the children do not make a tree. Allowed: each leaf -1 to -",
    key_twice: "model.json: not JSON (a key given twice: 'threshold'). Allowed: a JSON object.",
    nested_bomb: "model.json: nested too deep. Allowed: at most 32 levels.",
    not_a_number: "model.json: not JSON (NaN is no JSON number). Allowed: a JSON object.",
}
NEEDS_POSIX = {pipe, pipe_as_manifest, a_socket, backslash, line_end_in_a_path}


@pytest.mark.parametrize("make", HOSTILE, ids=lambda make: make.__name__)
def test_refused_and_nothing_runs(folder, tmp_path, make):
    if make in NEEDS_POSIX and os.name != "posix":
        pytest.skip("a file that this system cannot have")
    marker = tmp_path / "marker"
    harm = pickle.dumps(Harm(marker))
    make(folder, harm)
    with pytest.raises(ModelError, match=re.escape(HOSTILE[make])):
        load(folder)
    assert not marker.exists()
    pickle.loads(harm)
    assert marker.exists(), "the pickle would have done its harm"


def test_a_folder_signed_again_loads(folder):
    """The refusals above are not for want of a hash that fits."""
    sign(folder, name="signed again")
    assert load(folder).manifest.name == "signed again"


def test_a_file_that_grows_after_its_size_was_taken(folder, monkeypatch):
    """No more is read than the stated size and a byte, and that does not have the hash."""
    real = os.fstat
    monkeypatch.setattr(os, "fstat", lambda fd: os.stat_result([*real(fd)[:6], 10, *real(fd)[7:]]))
    with pytest.raises(ModelError, match=r"model\.json: not JSON"):
        load(folder)
