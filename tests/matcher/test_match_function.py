"""M as its users call it, with the model that ships."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dxmatch
from dxmatch.files.wording import is_file_name
from dxmatch.matcher.match_function import MatchFunction

DIAGNOSES = [
    "heart attack", "acute myocardial infarction", "STEMI", "angina", "pneumonia", "community-acquired pneumonia",
    "type 1 diabetes", "type 2 diabetes", "T2DM", "chronic kidney disease stage 3", "CKD", "I21", "инфаркт миокарда",
    "x", "Crohn's disease", "crohn disease", "acute pancreatitis", "chronic pancreatitis", "pancreatitus",
]  # fmt: skip
TEXT = st.one_of(st.sampled_from(DIAGNOSES), st.text(min_size=1, max_size=40)).filter(
    lambda t: any(c.isalnum() for c in t) and not is_file_name(t)
)


@pytest.fixture(scope="module")
def m() -> dxmatch.MatchFunction:
    return dxmatch.load()


@pytest.fixture(scope="module")
def judging_all() -> dxmatch.MatchFunction:
    return dxmatch.load(judge_all=True)


def test_says_what_a_doctor_would(m: dxmatch.MatchFunction) -> None:
    for a, b, expected in [
        ("heart attack", "acute myocardial infarction", True), ("heart attack", "acute MI", True),
        ("heart attack", "I21", True), ("acute MI", "I21", True), ("Crohn's disease", "crohn disease", True),
        ("pneumonia", "community-acquired pneumonia", True), ("T2DM", "type 2 diabetes mellitus", True),
        ("pulmonary embolism", "acute pulmonary embolism", True), ("pneumonia", "heart failure", False),
        ("acute pancreatitis", "chronic kidney disease", False), ("migraine", "asthma", False),
    ]:  # fmt: skip
        assert m.match(a, b) is expected, (a, b, m.probability(a, b))


@pytest.mark.filterwarnings("ignore:.* mix Latin and")
@settings(deadline=None, max_examples=60)
@given(pairs=st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=12))
def test_symmetric_and_alone_as_in_a_batch(judging_all: dxmatch.MatchFunction, pairs: list[tuple[str, str]]) -> None:
    m = judging_all
    a, b = [list(side) for side in zip(*pairs, strict=True)]
    batch = m.probabilities(a, b)
    assert ((batch >= 0) & (batch <= 1)).all()
    np.testing.assert_array_equal(m.probabilities(b, a), batch)
    for (x, y), expected in zip(pairs, batch.tolist(), strict=True):
        assert m.probability(x, y) == expected
        assert m.match(x, y) == (expected >= m.threshold)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_score_gives_the_kind_that_came(m: dxmatch.MatchFunction, kind: type) -> None:
    scored = m.score(kind({"id": [7, 8], "a": ["flu", "asthma"], "b": ["influenza", "gout"]}), add=["features"])
    assert type(scored) is type(kind({"a": ["x"]}))
    table = pa.table(scored) if not isinstance(scored, pd.DataFrame) else pa.Table.from_pandas(scored)
    assert table.column_names == ["id", "a", "b", "probability", "match", *m.features.names]
    assert table.column("id").to_pylist() == [7, 8]
    assert table.column("ratio_bigram").to_pylist() == [None, None], "one word has no bigram: missing, not 0"
    np.testing.assert_array_equal(
        table.column("probability").to_numpy(), m.probabilities(["flu", "asthma"], ["influenza", "gout"])
    )


def test_a_score_before_gives_way_and_a_column_of_the_users_does_not(m: dxmatch.MatchFunction) -> None:
    once = m.score(pd.DataFrame({"a": ["flu"], "b": ["gout"], "n": [1]}))
    assert m.score(once.assign(probability=7.0)).equals(once)
    with pytest.raises(dxmatch.InputError, match="there already: match"):
        m.score(pd.DataFrame({"a": ["flu"], "b": ["gout"], "match": [1]}))


def test_shap_values_add_up_to_the_log_odds(m: dxmatch.MatchFunction) -> None:
    pairs = [("heart attack", "acute MI"), ("gout", "asthma"), ("type 1 diabetes", "type 2 diabetes")]
    scored = m.score(pairs, add=["shap", "features"]).to_pandas()
    added = m.model.added_columns(["features", "shap"])  # these two only where they say something
    assert scored.columns.tolist() == ["a", "b", *(name for name in added if name not in ("not_understood", "read_as"))]
    table = np.column_stack([scored[name].to_numpy() for name in m.features.names]).astype(np.float32)
    log_odds = sum(scored[name].to_numpy() for name in m.model.shap_names)
    np.testing.assert_allclose(log_odds, m.parts.trees.raw(table), atol=1e-9)


def test_saved_and_loaded_is_the_same(m: dxmatch.MatchFunction, tmp_path: Path) -> None:
    again = dxmatch.load(m.save(tmp_path / "copy"))
    pairs = [(a, b) for a in DIAGNOSES for b in DIAGNOSES]
    a, b = zip(*pairs, strict=True)
    np.testing.assert_array_equal(again.probabilities(a, b), m.probabilities(a, b))
    assert again.identity == m.identity


def test_members_weighted_by_probability(m: dxmatch.MatchFunction, tmp_path: Path) -> None:
    """The same trees, combined as AutoGluon does: saved, loaded, and another model (the mean by hand: tests/models)."""
    weights = np.arange(1.0, len(m.parts.trees) + 1)
    trees = replace(m.parts.trees, weights=weights, averaged="probabilities")
    other = MatchFunction(replace(m.parts, trees=trees))
    again = dxmatch.load(other.save(tmp_path / "weighted"))
    assert again.identity == other.identity != m.identity
    table = np.random.default_rng(0).random((500, len(m.features.names))).astype(np.float32)
    assert again.parts.trees.raw(table).tolist() == trees.raw(table).tolist() != m.parts.trees.raw(table).tolist()


def test_a_threshold_of_ones_own(m: dxmatch.MatchFunction) -> None:
    a, b = "heart attack", "unstable angina"
    p = m.probability(a, b)
    assert 0 < p < 1
    pairs = pd.DataFrame({"a": [a, "flu"], "b": [b, "Flu"]})
    for threshold, expected in [(p, True), (np.nextafter(p, 1), False), (0, True), (1, False), (np.float32(0), True)]:
        assert m.match(a, b, threshold=threshold) is expected
        own = dxmatch.load(threshold=threshold)
        assert own.score(pairs)["match"].tolist() == [expected, True]
    assert m.match(a, b, threshold=m.threshold) is m.match(a, b)


@pytest.mark.parametrize("threshold", [80, -0.1, 1.01, float("nan"), True, "0.5"])
def test_a_threshold_is_a_probability(m: dxmatch.MatchFunction, threshold: object) -> None:
    for call in (
        lambda: m.match("flu", "gout", threshold=threshold),
        lambda: m.rank("flu", ["gout"], threshold=threshold),
        lambda: dxmatch.load(threshold=threshold),
        lambda: setattr(m, "threshold", threshold),
    ):
        with pytest.raises(
            dxmatch.OptionError, match="'threshold' parameter must be a (probability, 0 to 1|number from 0 to 1)"
        ):
            call()


@pytest.mark.parametrize(
    "kind",
    [np.array, lambda pairs: np.array(pairs, object), iter, lambda pairs: zip(*zip(*pairs, strict=True), strict=True),
     lambda pairs: (pair for pair in pairs), tuple,
     lambda pairs: pl.LazyFrame(pairs, schema=["a", "b"], orient="row")],
)  # fmt: skip
def test_pairs_as_people_hold_them(m: dxmatch.MatchFunction, kind: Callable[[list[tuple[str, str]]], object]) -> None:
    pairs = [("flu", "influenza"), ("flu", "gout")]
    assert [*map(bool, np.asarray(m.score(kind(pairs))["match"]))] == [True, False]


@pytest.mark.parametrize(
    "pairs", [np.array(["flu", "gout"]), np.array([["flu", "gout", "x"]]), np.zeros((1, 2)), iter([])]
)
def test_what_holds_no_pairs(m: dxmatch.MatchFunction, pairs: object) -> None:
    with pytest.raises(dxmatch.InputError, match="pairs"):
        m.score(pairs)
