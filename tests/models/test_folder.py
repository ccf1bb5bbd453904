"""A model folder: the same that was saved; refused where it is not, by name; written whole or not at all."""

from __future__ import annotations

import json
import pickle
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from dxmatch.errors import ModelError
from dxmatch.models.folder import load, save
from dxmatch.models.manifest import Column

from ..small_model import fitted, small_manifest

FILES = ["CARD.md", "model.json", "model.safetensors"]


def test_round_trip(parts, folder, sample, tmp_path):
    loaded = load(str(folder))
    assert msgspec.structs.replace(loaded.manifest, files={}) == parts.manifest
    assert loaded.card == parts.card and loaded.relation is None and loaded.diseases is None and loaded.path == folder
    assert loaded.encoder and parts.encoder and all((loaded.encoder[n] == a).all() for n, a in parts.encoder.items())
    assert loaded.trees.raw(sample(500)).tolist() == parts.trees.raw(sample(500)).tolist()
    again = save(str(tmp_path / "new" / "again"), loaded)
    assert sorted(path.name for path in folder.iterdir()) == sorted(path.name for path in again.iterdir()) == FILES
    assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE(again.parent.stat().st_mode)
    assert all((folder / file).read_bytes() == (again / file).read_bytes() for file in FILES)
    assert loaded.sha256 == parts.sha256 == load(again).sha256 != replace(loaded, card="# other").sha256


def test_little_is_enough_and_what_else_lies_there_is_left_alone(parts, tmp_path):
    (tmp_path / "m").mkdir()
    folder = save(tmp_path / "m", replace(parts, encoder=None, card="", kept={"0/config.json": b"{}\xff"}))
    (folder / "README.md").write_text("mine")
    loaded = load(folder)
    assert (loaded.encoder, loaded.card, loaded.kept) == (None, "", {"0/config.json": b"{}\xff"})


def written(file: str, content: bytes) -> Callable[[Path], object]:
    return lambda folder: (folder / file).write_bytes(content)


def without(file: str) -> Callable[[Path], object]:
    return lambda folder: (folder / file).unlink()


def facts(**change: object) -> Callable[[Path], object]:
    """Top-level keys of model.json changed; None: left out."""

    def make(folder: Path) -> None:
        value = json.loads((folder / "model.json").read_text("utf-8")) | change
        (folder / "model.json").write_text(json.dumps({key: each for key, each in value.items() if each is not None}))

    return make


def arrays(**change: object) -> Callable[[Path], object]:
    """Tensors changed, "__" for the dot, and every hash made to fit."""

    def make(folder: Path) -> None:
        tensors = load_tensors((folder / "model.safetensors").read_bytes())
        tensors |= {name.replace("__", "."): np.asarray(array) for name, array in change.items()}
        (folder / "model.safetensors").write_bytes(save_tensors(tensors))
        fitted(folder)

    return make


DECISION = {"calibration": {"slope": 1.0, "intercept": 0.0}, "threshold": 0.5, "rule": "half"}
REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "other card": (written("CARD.md", b"# other\n"), r"CARD\.md: changed since it was written: SHA-256 [0-9a-f]{12}…, where model\.json says [0-9a-f]{12}…\. Take the model"),
    "other tensors": (written("model.safetensors", b"x"), r"model\.safetensors: changed since it was written"),
    "no hash of the card": (facts(files={}), r"changed since it was written: .* where model\.json says nothing"),
    "no manifest": (without("model.json"), r"no file model\.json in it"),
    "a pickle": (written("model.json", pickle.dumps({})), r"model\.json: no manifest of a model that this release reads"),
    "a bomb": (written("model.json", b'{"metrics":' + b"[" * 1_000_000), "no manifest"),
    "an earlier format": (facts(format=1), r"format 2 \(Invalid value 1 - at `\$\.format`\)\. Load a model of an earlier release with that release, or train it again"),
    "an unknown key": (facts(treshold=0.5), "unknown field `treshold`"),
    "a name with escapes": (facts(name="a\x1b[31m"), r"\$\.name"),
    "a threshold of 1": (facts(decision={**DECISION, "threshold": 1.0}), r"\$\.decision\.threshold"),
    "no tensors in it": (lambda folder: (written("model.safetensors", b"\x80\x04")(folder), fitted(folder)), "not a file of tensors"),
    "damaged trees": (arrays(trees__weights=np.zeros(3)), "trees: damaged trees"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_model_is_refused_by_name(folder, what):
    make, told = REFUSED[what]
    make(folder)
    with pytest.raises(ModelError, match=told):
        load(folder)


@pytest.mark.parametrize(("path", "told"), [("nowhere", r"nowhere: no such folder\. Allowed: a model folder"), ("text", "not readable"), ("a\0b", "not readable")])  # fmt: skip
def test_no_folder_and_a_file(tmp_path, path, told):
    (tmp_path / "text").write_text("tree")
    with pytest.raises(ModelError, match=told):
        load(tmp_path / path)


def test_only_a_model_gives_way_and_only_when_asked(parts, folder, tmp_path):
    with pytest.raises(ModelError, match="a model is there"):
        save(folder, parts)
    (folder / "model.safetensors").write_text("damaged")
    save(folder, replace(parts, card="# new\n"), overwrite=True)
    assert load(folder).card == "# new\n" and [p.name for p in tmp_path.iterdir()] == ["model"]
    other = tmp_path / "thesis"
    other.mkdir()
    (tmp_path / "link").symlink_to(folder)
    kept = [other / "chapter.txt", tmp_path / "file", folder / "notes.txt"]
    for file in kept:
        file.write_text("years of work")
    for path in (other, tmp_path / "file", tmp_path / "link", folder):
        with pytest.raises(ModelError, match="no model of this release is there"):
            save(path, parts, overwrite=True)
    assert all(file.read_text() == "years of work" for file in kept)


@pytest.mark.parametrize("step", ["write", "rename"])
def test_nothing_half_written(parts, folder, tmp_path, monkeypatch, step):
    """A full disk in the middle: the old model stays whole and no rest lies about."""
    before = (folder / "model.json").read_bytes()
    kind, method = type(folder), {"write": "write_bytes", "rename": "rename"}[step]
    usual, calls = getattr(kind, method), []

    def fails(self, *args):
        calls.append(self)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        return usual(self, *args)

    monkeypatch.setattr(kind, method, fails)
    with pytest.raises(ModelError, match=r"model could not be written: No space left on device"):
        save(folder, replace(parts, card="# new\n"), overwrite=True)
    monkeypatch.undo()
    assert (folder / "model.json").read_bytes() == before
    assert load(folder).card == parts.card
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize("use", [lambda folder, _: load(folder), lambda folder, parts: save(folder, parts, overwrite=True)])  # fmt: skip
def test_a_save_that_was_killed_between_its_renames_leaves_the_old_model(parts, folder, use):
    folder.rename(folder.with_name(".model.old"))
    use(folder, parts)
    assert load(folder).card == parts.card
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"features": tuple(map(Column, "abcd"))}, "trees of 5 columns, not of 4: a, b, c, d"),
        ({"metrics": {"ap": float("nan")}}, "not plain JSON with finite numbers"),
        ({"metrics": {"ap": object()}}, "not plain JSON"),
        ({"name": ""}, r"\$\.name"),
    ],
)
def test_what_would_not_be_read_is_not_written(parts, tmp_path, change, message):
    with pytest.raises(ModelError, match=message):
        save(tmp_path / "m", replace(parts, manifest=small_manifest(**change)))
    assert list(tmp_path.iterdir()) == []
