"""A model folder: the same that was saved; refused where it is not, by name; written whole or not at all."""

from __future__ import annotations

import json
import pickle
import stat
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import dxmatch
from dxmatch.errors import DxmatchError, ModelError
from dxmatch.models.folder import load, save
from dxmatch.models.manifest import SHAPE_FEATURES, warn_of_other_releases
from dxmatch.models.relation import DIRECTIONS, RelationModel

from ..small_model import STRINGS, fitted, model_of, small_manifest
from ..small_relation import LEARNT, relation, relation_folder

FILES = ["CARD.md", "model.json", "model.safetensors"]


@pytest.mark.parametrize("which", ["with a relation", "with a learnt policy"])
def test_round_trip(tmp_path, which):
    """What else lies in a folder, as Finder and git leave it, is left alone; a link to one is as good."""
    whole = relation_folder(tmp_path, learnt="learnt" in which)
    (tmp_path / "model").mkdir()
    folder = save(tmp_path / "model", whole)
    for other in ("README.md", ".DS_Store", ".gitattributes", ".git/config"):
        (folder / other).parent.mkdir(exist_ok=True)
        (folder / other).write_text("mine")
    (tmp_path / "latest").symlink_to(folder)
    loaded = load(str(tmp_path / "latest"))
    again = save(str(tmp_path / "new" / "again"), loaded)
    assert sorted(path.name for path in again.iterdir()) == FILES
    assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE(again.parent.stat().st_mode)
    assert all((folder / file).read_bytes() == (again / file).read_bytes() for file in FILES)
    assert loaded.sha256 == whole.sha256 == load(again).sha256 != replace(loaded, card="# other").sha256
    assert (loaded.card, loaded.manifest.made) == (whole.card, whole.manifest.made)
    columns = (
        np.random.default_rng(0).random((9, len(whole.manifest.feature_names) + len(DIRECTIONS))).astype(np.float32)
    )
    table = columns[:, : -len(DIRECTIONS)]
    assert loaded.trees.raw(table).tolist() == whole.trees.raw(table).tolist()
    assert (loaded.relation is None) == ("relation" not in json.loads((folder / "model.json").read_text("utf-8")))
    for head in whole.relation.trees if whole.relation else ():
        of_head = columns if head == LEARNT else table
        assert loaded.relation.of_head(head, of_head).tolist() == whole.relation.of_head(head, of_head).tolist()


def decided(slope: float = 1.0, threshold: float = 0.5) -> dict[str, object]:
    return {"decision": {"calibration": {"slope": slope, "intercept": 0.0}, "threshold": threshold, "rule": "half"}}


WHOLE = msgspec.to_builtins(relation().facts)
# A file and its bytes, None for no such file; or top-level keys of model.json.
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "other card": ({"CARD.md": b"# other\n"}, r"CARD\.md: changed since it was written: SHA-256 [0-9a-f]{12}…, where model\.json says [0-9a-f]{12}…\. Take the model"),
    "other tensors": ({"model.safetensors": b"x"}, r"model\.safetensors: changed since it was written"),
    "no tensors": ({"model.safetensors": b"\x80\x04"}, "not a file of tensors"),
    "no hash of a file": ({"files": {}}, r"changed since it was written: .* where model\.json says nothing"),
    "no manifest": ({"model.json": None}, r"no file model\.json in it"),
    "a pickle": ({"model.json": pickle.dumps({})}, r"model\.json: no manifest of a model that this release reads"),
    "a bomb": ({"model.json": b'{"metrics":' + b"[" * 1_000_000}, "no manifest"),
    "an earlier format": ({"format": 1}, r"format 2 \(Invalid value 1 - at `\$\.format`\)\. Load a model of an earlier release with that release, or train it again"),
    "an unknown key": ({"treshold": 0.5}, "unknown field `treshold`"),
    "a name with escapes": ({"name": "a\x1b[31m"}, r"\$\.name"),
    "a threshold of 1": (decided(threshold=1.0), r"\$\.decision\.threshold"),
    "a relation of a key too few": ({"relation": {key: WHOLE[key] for key in ("calibration", "direction")}}, "missing required field `thresholds`"),
    "a head without trees": ({"relation": WHOLE}, "relation-same: other arrays"),
    "a threshold above 1": ({"relation": {**WHOLE, "thresholds": {"strict": 2.0}}}, "thresholds"),
    "a slope of 0": (decided(slope=0), r"\$\.decision\.calibration\.slope"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_model_is_refused_by_name(folder, what):
    changed, told = REFUSED[what]
    facts = json.loads((folder / "model.json").read_text("utf-8"))
    (folder / "model.json").write_text(json.dumps(facts | {k: v for k, v in changed.items() if k not in FILES}))
    for file in changed.keys() & {*FILES}:
        (folder / file).unlink()
        if changed[file] is not None:
            (folder / file).write_bytes(changed[file])
    if what == "no tensors":
        fitted(folder, files=facts["files"])
    with pytest.raises(ModelError, match=told):
        load(folder)


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
    for path, what in (
        (other, r" \(chapter\.txt\)"),
        (tmp_path / "file", ""),
        (tmp_path / "link", ""),
        (folder, r" \(notes\.txt\)"),
    ):
        with pytest.raises(ModelError, match=f"something that dxmatch did not write is there{what}, and is never"):
            save(path, parts, overwrite=True)
    assert all(file.read_text() == "years of work" for file in kept)


@pytest.mark.parametrize("method", ["write_bytes", "rename"])
def test_a_full_disk_leaves_the_old_model_and_no_rest(parts, folder, tmp_path, monkeypatch, method):
    usual, calls = getattr(Path, method), []

    def fails(*args):
        calls.append(args)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        return usual(*args)

    monkeypatch.setattr(Path, method, fails)
    with pytest.raises(ModelError, match=r"model could not be written: No space left on device"):
        save(folder, replace(parts, card="# new\n"), overwrite=True)
    monkeypatch.undo()
    assert load(folder).card == parts.card and [p.name for p in tmp_path.iterdir()] == ["model"]


RATIO = {"name": "ratio_unigram", "kind": "ratio", "view": "unigram"}
UNFIT: dict[str, tuple[list[dict[str, str]], str]] = {
    "an encoder that is nowhere": ([RATIO, {"name": "x", "kind": "cosine", "encoder": "gone"}], "option 'encoder' must be .*Got 'gone'"),
    "no graph": ([RATIO, {"name": "x", "kind": "disease", "column": "same"}], "option 'graph' must be the graph of diseases of a model folder"),
    "a column twice": ([RATIO, RATIO], "two features of one name.*Got: 'ratio_unigram'"),
    "other columns": ([RATIO], r"the columns of the trees \(-\) and its feature set \(\+\) differ"),
}  # fmt: skip


@pytest.mark.parametrize("what", UNFIT)
def test_features_that_cannot_be_are_told(tmp_path, what):
    features, told = UNFIT[what]
    folder = model_of(tmp_path / "m", STRINGS[:2])
    columns = [{"name": each["name"]} for each in (*features, RATIO)[:2]]
    fitted(folder, features=columns, feature_set={"name": "x", "language": "en", "feature": features})
    with pytest.raises(DxmatchError, match=told):
        dxmatch.load(folder).probability("gout", "asthma")


def test_what_would_not_be_read_is_not_written(parts, tmp_path):
    for change, message in (
        ({"metrics": {"ap": float("nan")}}, "not plain JSON with finite numbers"),
        ({"name": ""}, r"\$\.name"),
    ):
        with pytest.raises(ModelError, match=message):
            save(tmp_path / "m", replace(parts, manifest=small_manifest(**change)))
    assert list(tmp_path.iterdir()) == []


def test_a_relation_model_that_is_not_whole_is_refused(tmp_path):
    swapped = RelationModel({**relation().trees, "kin": relation(learnt=True).trees[LEARNT]}, relation().facts)
    with pytest.raises(ModelError, match="relation-kin: trees of 13 columns, not of 8"):
        save(tmp_path / "m", replace(relation_folder(tmp_path), relation=swapped))
    folder = save(tmp_path / "m", relation_folder(tmp_path))
    fitted(folder, relation={**WHOLE, "calibration": {key: WHOLE["calibration"][key] for key in ("same", "close")}})
    with pytest.raises(ModelError, match="not complete"):
        load(folder)


def test_another_release_than_at_training_is_told(recwarn) -> None:
    library = SHAPE_FEATURES[0]
    warn_of_other_releases("mine", {library: version(library), "numpy": "0"})
    assert not recwarn.list
    with pytest.warns(UserWarning, match=rf"^Model mine: .*{library} .* \(trained with 0\)"):
        warn_of_other_releases("mine", {library: "0"})


SLOW = {"pyarrow", "narwhals", "lightgbm", "pandas", "torch", "sklearn", "simple_icd_10_cm"}


def test_a_pair_is_matched_without_what_is_slow_to_import() -> None:
    """Nor is a tree of codes parsed again that is in the cache."""
    code = f'import sys, dxmatch; dxmatch.load().match("heart attack", "acute MI"); print({SLOW} & set(sys.modules))'
    dxmatch.load().match("heart attack", "acute MI")
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "set()\n"
