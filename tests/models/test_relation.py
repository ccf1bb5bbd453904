"""The relation model in a model folder: written, read, refused where it is not whole; a model without one stays as it was."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dxmatch.errors import ModelError
from dxmatch.models.folder import load, save
from dxmatch.models.relation import DIRECTIONS, HEADS, RelationModel, relation_columns

from ..small_model import signed
from ..small_relation import DIRECTION, LEARNT, NAMES, THRESHOLDS, relation, relation_folder


def test_round_trip(tmp_path: Path) -> None:
    for learnt in (False, True):
        parts = relation_folder(tmp_path, learnt=learnt)
        folder = save(tmp_path / f"m{learnt}", parts)
        loaded = load(folder)
        assert loaded.relation == parts.relation and loaded.diseases == parts.diseases and loaded.card == parts.card
        assert loaded.manifest.relation == relation(learnt).to_json()
        heads = {*HEADS, LEARNT} if learnt else set(HEADS)
        assert {file for file in loaded.manifest.files if file.startswith("relation/")} == {
            f"relation/{head}-0.txt" for head in heads
        }
        again = save(tmp_path / f"again{learnt}", loaded)
        for file in sorted(p.relative_to(folder) for p in folder.rglob("*") if p.is_file()):
            assert (folder / file).read_bytes() == (again / file).read_bytes()


def test_a_model_without_one_has_no_word_of_it_in_its_manifest(tmp_path: Path) -> None:
    folder = save(tmp_path / "m", relation_folder(tmp_path, with_relation=False))
    assert "relation" not in json.loads((folder / "model.json").read_text("utf-8"))
    loaded = load(folder)
    assert loaded.relation is None and loaded.manifest.relation is None
    assert not (folder / "relation").exists() and (folder / "diseases").is_dir()


def test_several_members_keep_their_order(tmp_path: Path) -> None:
    whole = relation()
    many = replace(whole, trees={**whole.trees, "kin": tuple(whole.trees["kin"]) * 5 + tuple(whole.trees["close"]) * 7})
    parts = replace(relation_folder(tmp_path), relation=many)
    found = load(save(tmp_path / "m", parts)).relation
    assert found is not None and list(found.trees["kin"]) == list(many.trees["kin"]), "kin-10 comes after kin-9"
    table = np.zeros((3, len(NAMES)), np.float32)
    assert found.of_head("kin", table).tolist() == many.of_head("kin", table).tolist()


def test_the_columns_of_a_head() -> None:
    assert relation_columns("same", NAMES) == NAMES
    assert relation_columns(LEARNT, NAMES) == (*NAMES, *(f"direction_{name}" for name in DIRECTIONS))


def test_the_direction_is_a_logistic_function_without_an_intercept() -> None:
    model, rng = relation(), np.random.default_rng(0)
    directions = rng.normal(size=(50, len(DIRECTIONS))).astype(np.float32)
    expected = 1 / (1 + np.exp(-(directions.astype(float) @ np.array([DIRECTION[name] for name in DIRECTIONS]))))
    np.testing.assert_allclose(model.first_is_narrower(directions), expected, rtol=1e-12)
    np.testing.assert_allclose(model.first_is_narrower(-directions), 1 - expected, atol=1e-12)
    assert model.first_is_narrower(np.zeros((1, len(DIRECTIONS)), np.float32)).tolist() == [0.5]
    assert model.first_is_narrower(directions[7:8]).tolist() == model.first_is_narrower(directions)[7:8].tolist()


WHOLE = relation().to_json()
REFUSED: dict[str, tuple[Any, str]] = {
    "no object": ([1], "relation: not usable"),
    "a key too few": ({key: WHOLE[key] for key in ("calibration", "direction")}, "relation: not usable"),
    "a key too many": ({**WHOLE, "bias": 1.0}, "relation: not usable"),
    "a head too few": ({**WHOLE, "calibration": {k: v for k, v in WHOLE["calibration"].items() if k != "kin"}}, "relation: not complete"),
    "a head without trees": ({**WHOLE, "calibration": {**WHOLE["calibration"], LEARNT: {"slope": 1.0, "intercept": 0.0}}}, "relation: not complete"),
    "an unknown head": ({**WHOLE, "calibration": {**WHOLE["calibration"], "cousin": {"slope": 1.0, "intercept": 0.0}}}, "relation: not complete"),
    "a slope that falls": ({**WHOLE, "calibration": {**WHOLE["calibration"], "kin": {"slope": -1.0, "intercept": 0.0}}}, "calibration"),
    "a direction too few": ({**WHOLE, "direction": {"line": 1.0}}, "relation, direction: not usable"),
    "a direction in words": ({**WHOLE, "direction": {**DIRECTION, "line": "up"}}, "relation, direction: not usable"),
    "thresholds in words": ({**WHOLE, "thresholds": {"strict": "half"}}, "relation, thresholds: not usable"),
    "thresholds in a list": ({**WHOLE, "thresholds": [0.5]}, "relation, thresholds: not usable"),
    "a threshold above 1": ({**WHOLE, "thresholds": {"strict": 2.0}}, "relation, thresholds: not usable"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_whole_is_refused(what: str) -> None:
    value, told = REFUSED[what]
    with pytest.raises(ModelError, match=told):
        RelationModel.from_json(value, relation().trees, "m")
    assert RelationModel.from_json(WHOLE, relation().trees, "m").thresholds == THRESHOLDS


def test_trees_and_manifest_go_together(tmp_path: Path) -> None:
    folder = save(tmp_path / "m", relation_folder(tmp_path))
    told = json.loads((folder / "model.json").read_text("utf-8"))
    del told["relation"]
    (folder / "model.json").write_bytes(signed(json.dumps(told).encode()))
    with pytest.raises(ModelError, match=r"trees of a relation that model\.json does not speak of"):
        load(folder)


def test_a_tree_of_other_columns_is_refused(tmp_path: Path) -> None:
    parts = relation_folder(tmp_path)
    swapped = replace(relation(), trees={**relation().trees, "kin": relation(learnt=True).trees[LEARNT]})
    with pytest.raises(ModelError, match="relation/kin-0.txt"):
        save(tmp_path / "m", replace(parts, relation=swapped))


def test_a_changed_file_is_named(tmp_path: Path) -> None:
    for file in ("relation/same-0.txt", "diseases/diseases.safetensors"):
        folder = save(tmp_path / file.partition("/")[0], relation_folder(tmp_path))
        (folder / file).write_bytes((folder / file).read_bytes() + b"\n")
        with pytest.raises(ModelError, match=f"{file}: changed since it was written"):
            load(folder)
        (folder / file).unlink()
        with pytest.raises(ModelError, match=f"no file {file}"):
            load(folder)
