"""The relation model in a model folder: written, read, refused where it is not whole; a model without one says nothing of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from dxmatch.errors import ModelError
from dxmatch.models.folder import load, save
from dxmatch.models.relation import DIRECTIONS, HEADS, RelationModel, relation_columns

from ..small_model import fitted
from ..small_relation import DIRECTION, LEARNT, NAMES, relation, relation_folder

TABLE = np.random.default_rng(0).random((9, len(NAMES) + len(DIRECTIONS))).astype(np.float32)


@pytest.mark.parametrize("learnt", [False, True])
def test_round_trip(tmp_path: Path, learnt: bool) -> None:
    parts = relation_folder(tmp_path, learnt=learnt)
    loaded = load(save(tmp_path / "m", parts))
    assert loaded.relation and parts.relation and loaded.relation.facts == parts.relation.facts
    assert loaded.diseases and parts.diseases and {*loaded.diseases} == {*parts.diseases}
    for head in (*HEADS, LEARNT)[: 3 + learnt]:
        table = TABLE[:, : len(relation_columns(head, NAMES))]
        assert loaded.relation.of_head(head, table).tolist() == parts.relation.of_head(head, table).tolist()
    assert loaded.sha256 == parts.sha256


def test_the_direction_is_a_logistic_function_without_an_intercept() -> None:
    model, rng = relation(), np.random.default_rng(0)
    directions = rng.normal(size=(50, len(DIRECTIONS))).astype(np.float32)
    expected = 1 / (1 + np.exp(-(directions.astype(float) @ np.array([DIRECTION[name] for name in DIRECTIONS]))))
    np.testing.assert_allclose(model.first_is_narrower(directions), expected, rtol=1e-12)
    np.testing.assert_allclose(model.first_is_narrower(-directions), 1 - expected, atol=1e-12)
    assert model.first_is_narrower(np.zeros((1, len(DIRECTIONS)), np.float32)).tolist() == [0.5]
    assert model.first_is_narrower(directions[7:8]).tolist() == model.first_is_narrower(directions)[7:8].tolist()


WHOLE = msgspec.to_builtins(relation().facts)
SLOPE = {"slope": 1.0, "intercept": 0.0}
REFUSED = {
    "a key too few": ({key: WHOLE[key] for key in ("calibration", "direction")}, "missing required field `thresholds`"),
    "a head too few": ({**WHOLE, "calibration": {k: v for k, v in WHOLE["calibration"].items() if k != "kin"}}, "not complete"),
    "a head without trees": ({**WHOLE, "calibration": {**WHOLE["calibration"], LEARNT: SLOPE}}, f"relation-{LEARNT}: other arrays"),
    "a threshold above 1": ({**WHOLE, "thresholds": {"strict": 2.0}}, "thresholds"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_whole_is_refused(what: str, tmp_path: Path) -> None:
    value, told = REFUSED[what]
    folder = fitted(save(tmp_path / "m", relation_folder(tmp_path)), relation=value)
    with pytest.raises(ModelError, match=told):
        load(folder)


def test_trees_of_other_columns_are_refused(tmp_path: Path) -> None:
    swapped = {**relation().trees, "kin": relation(learnt=True).trees[LEARNT]}
    with pytest.raises(ModelError, match="relation-kin: trees of 13 columns, not of 8"):
        save(tmp_path / "m", replace(relation_folder(tmp_path), relation=RelationModel(swapped, relation().facts)))
