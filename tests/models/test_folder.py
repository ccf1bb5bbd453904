from __future__ import annotations

import os
import stat
from dataclasses import replace

import lightgbm
import numpy as np
import pytest

from dxmatch.errors import ModelError
from dxmatch.models import folder as model_folder
from dxmatch.models.folder import feature_diff, load, save


def test_round_trip(parts, folder, boosters, sample):
    loaded = load(folder)
    assert replace(loaded.manifest, files={}) == parts.manifest
    assert (loaded.encoder, loaded.card) == (parts.encoder, parts.card)
    for booster, text in zip(boosters, loaded.trees, strict=True):
        table = sample(500, seed=4)
        assert np.array_equal(
            booster.predict(table, raw_score=True), lightgbm.Booster(model_str=text).predict(table, raw_score=True)
        )


def test_saving_what_was_loaded_gives_the_same_bytes(folder, tmp_path):
    again = save(str(tmp_path / "new" / "again"), load(str(folder)))
    files = sorted(p.relative_to(folder) for p in folder.rglob("*") if p.is_file())
    assert files == sorted(p.relative_to(again) for p in again.rglob("*") if p.is_file())
    assert len(files) == 7 and stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE(again.parent.stat().st_mode)
    for file in files:
        assert (folder / file).read_bytes() == (again / file).read_bytes()


def test_without_encoder_and_card_in_an_empty_folder(parts, tmp_path):
    (tmp_path / "m").mkdir()
    loaded = load(save(tmp_path / "m", replace(parts, encoder=None, card=None)))
    assert (loaded.encoder, loaded.card) == (None, None)
    assert sorted(loaded.manifest.files) == ["trees/0.txt", "trees/1.txt", "trees/2.txt"]


def test_the_wrong_hash_is_named(folder):
    card = folder / "CARD.md"
    card.write_text("# other\n")
    with pytest.raises(
        ModelError,
        match=r"CARD\.md: changed since it was written: SHA-256 [0-9a-f]{12}…, where model\.json says [0-9a-f]{12}…\.$",
    ):
        load(folder)


@pytest.mark.parametrize("file", ["trees/1.txt", "encoder/encoder.json", "CARD.md"])
def test_a_missing_file_is_named(folder, file):
    (folder / file).unlink()
    with pytest.raises(ModelError, match=rf"no file {file}\. Allowed: every file that model\.json lists"):
        load(folder)


def test_no_folder_a_file_an_empty_folder(tmp_path):
    with pytest.raises(ModelError, match=r"nowhere: no such folder\. Allowed: a model folder"):
        load(tmp_path / "nowhere")
    (tmp_path / "model.txt").write_text("tree")
    with pytest.raises(ModelError, match=r"model\.txt: a file, no model folder\. Allowed: the folder that holds model"):
        load(tmp_path / "model.txt")
    with pytest.raises(ModelError, match=r"no file model\.json, so no model folder"):
        load(tmp_path)
    with pytest.raises(ModelError, match="not readable"):
        load("a\0b")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(folder):
    (folder / "CARD.md").chmod(0)
    with pytest.raises(ModelError, match=r"CARD\.md: not readable \(Permission denied\)"):
        load(folder)


def test_a_model_gives_way_only_when_asked(parts, folder, tmp_path):
    with pytest.raises(ModelError, match="a model is there"):
        save(folder, parts)
    save(folder, replace(parts, card="# new\n"), overwrite=True)
    assert load(folder).card == "# new\n"
    (folder / "trees" / "0.txt").write_text("damaged")
    save(folder, parts, overwrite=True)
    assert load(folder).card == parts.card
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_nothing_else_ever_gives_way(parts, folder, tmp_path):
    other = tmp_path / "thesis"
    other.mkdir()
    (other / "chapter.txt").write_text("years of work")
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to(folder)
    (folder / "notes.txt").write_text("mine")
    for path, message in [
        (other, "a folder that is no model is there"), (tmp_path / "file", "a file, no model folder"),
        (tmp_path / "link", "a symbolic link, no model folder"), (folder, "a folder that is no model is there"),
    ]:  # fmt: skip
        with pytest.raises(ModelError, match=message):
            save(path, parts, overwrite=True)
    assert (other / "chapter.txt").read_text() == "years of work"
    assert (tmp_path / "file").read_text() == "text"
    assert (folder / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("step", ["write", "rename"])
def test_nothing_half_written(parts, folder, tmp_path, monkeypatch, step):
    """A full disk in the middle: the old model stays whole and no rest lies about."""
    before = (folder / "model.json").read_bytes()
    kind, method = type(folder), {"write": "write_bytes", "rename": "rename"}[step]
    usual, calls = getattr(kind, method), []

    def fails(self, *args):
        calls.append(self)
        if len(calls) == (4 if step == "write" else 2):
            raise OSError(28, "No space left on device")
        return usual(self, *args)

    monkeypatch.setattr(kind, method, fails)
    with pytest.raises(ModelError, match=r"model could not be written: No space left on device"):
        save(folder, replace(parts, card="# new\n"), overwrite=True)
    monkeypatch.undo()
    assert (folder / "model.json").read_bytes() == before
    assert load(folder).card == parts.card
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize(
    "use", [lambda folder, _: load(folder), lambda folder, parts: save(folder, parts, overwrite=True)]
)
def test_a_save_that_was_killed_between_its_renames_leaves_the_old_model(parts, folder, monkeypatch, use):
    usual = type(folder).rename

    def killed(self, target):
        if self.name == "new":
            raise KeyboardInterrupt
        return usual(self, target)

    monkeypatch.setattr(type(folder), "rename", killed)
    with pytest.raises(KeyboardInterrupt):
        save(folder, replace(parts, card="# new\n"), overwrite=True)
    monkeypatch.undo()
    assert not folder.exists()
    use(folder, parts)
    assert load(folder).card == parts.card
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_parts_that_do_not_fit_are_not_written(parts, tmp_path):
    for change, message in [
        ({"trees": ()}, "the members' files are not complete"),
        ({"trees": ("tree\n",)}, "cut off"),
        ({"encoder": {"encoder.json": b"{}"}}, "half of an encoder"),
        ({"encoder": {"../../x": b"", **parts.encoder}}, "a path that no model folder has"),
        ({"manifest": replace(parts.manifest, threshold=1.5)}, "threshold: not usable"),
        ({"manifest": replace(parts.manifest, feature_names=parts.manifest.feature_names[:4])}, "max_feature_idx"),
        ({"manifest": replace(parts.manifest, feature_names=parts.manifest.feature_names[::-1])}, "feature_names: other"),
    ]:  # fmt: skip
        with pytest.raises(ModelError, match=message):
            save(tmp_path / "m", replace(parts, **change))
    assert list(tmp_path.iterdir()) == []


def test_too_large_to_write_is_not_written(parts, tmp_path, monkeypatch):
    monkeypatch.setattr(model_folder, "MAX_FILE_BYTES", 1_000)
    with pytest.raises(ModelError, match=r"trees/0\.txt: too large\. Allowed: at most 1,000 bytes"):
        save(tmp_path / "m", parts)
    assert list(tmp_path.iterdir()) == []


def test_the_bytes_that_were_hashed_are_the_bytes_that_are_used(folder, monkeypatch):
    """A file that is changed after its hash was taken changes nothing: each is opened once."""
    opened = []
    usual = os.open

    def counted(path, *args, **kwargs):
        opened.append(os.path.relpath(path, folder))
        return usual(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", counted)
    load(folder)
    files = ["CARD.md", "encoder/encoder.json", "encoder/encoder.safetensors", "model.json"]
    assert sorted(opened) == [*files, "trees/0.txt", "trees/1.txt", "trees/2.txt"]


def test_feature_diff():
    assert feature_diff(["a", "b"], ["a", "b"]) == ""
    assert feature_diff(["a", "b"], ["b", "a"]) == (
        "other order: position 1 is b, expected a; position 2 is a, expected b"
    )
    assert feature_diff(["a", "b", "c"], ["a", "x", "c"]) == "missing: b\nunexpected: x"
    assert feature_diff((), ("a",)) == "unexpected: a"
