"""match, probability, score and what is not understood, with the model that ships."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dxmatch
from dxmatch import MatchFunction, NotUnderstood, NotUnderstoodWarning

PAIRS = [
    ("asthma", "bronchial asthma"), ("Herzinfarkt", "gout"), ("heart attack", "myocardial infraction"),
    ("gout", "pneumonia, sepsis, AKI"), ("Herzinfarkt", "herzinfarkt"), ("none", "高血圧"),
]  # fmt: skip
A, B = map(list, zip(*PAIRS, strict=True))


@pytest.fixture(scope="module")
def judging_all() -> MatchFunction:
    return dxmatch.load(judge_all=True)


def test_a_column_of_the_users_stays_and_a_score_before_gives_way(m: MatchFunction, tmp_path: Path) -> None:
    once = m.score(pd.DataFrame({"a": ["flu"], "b": ["gout"], "n": [1]}))
    assert m.score(once.assign(probability=7.0)).equals(once)
    for name, options in {"match": {}, "read_as": {}, "relation_same": {"add": ["relation"]}}.items():
        with pytest.raises(dxmatch.InputError, match=f"there already: {name}"):
            m.score(pd.DataFrame({"a": ["astma"], "b": ["gout"], name: [1]}), **options)
    frame = pd.DataFrame({"a": ["gout", None, "flu"], "b": ["gout", "x", "flu"], "mix": [1, "z", 2.5]}, index=[5, 6, 7])
    with pytest.warns(UserWarning, match="1 row set aside"):
        scored = m.score(frame, reading=dxmatch.Reading(rejects=tmp_path / "r.csv"))
    assert scored["mix"].tolist() == [1, 2.5] and scored.index.tolist() == [5, 7]


def test_a_threshold_of_ones_own(m: MatchFunction) -> None:
    a, b = "heart attack", "unstable angina"
    p = m.probability(a, b)
    assert 0 < p < 1 and m.match(a, b, threshold=m.threshold) is m.match(a, b)
    pairs = pd.DataFrame({"a": [a, "flu"], "b": [b, "Flu"]})
    for threshold, expected in [(p, True), (np.nextafter(p, 1), False), (0, True), (1, False), (np.float32(0), True)]:
        assert m.match(a, b, threshold=threshold) is expected
        assert dxmatch.load(threshold=threshold).score(pairs)["match"].tolist() == [expected, True]
    with pytest.raises(dxmatch.OptionError, match="option 'threshold' must be a number from 0 to 1"):
        m.threshold = 80


@pytest.mark.parametrize(
    "kind", [
        np.array, lambda pairs: np.array(pairs, object), iter, tuple, lambda pairs: pl.LazyFrame(pairs, schema=["a", "b"], orient="row"),
        lambda pairs: pd.DataFrame(pairs, columns=["a", "b"]),
    ],
)  # fmt: skip
def test_pairs_as_people_hold_them(m: MatchFunction, kind: Callable[[list[tuple[str, str]]], object]) -> None:
    scored = m.score(kind(pairs := [("flu", "influenza"), ("flu", "gout")]))
    assert [*map(bool, np.asarray(scored["match"]))] == [True, False]
    assert np.asarray(scored["probability"]).tolist() == [m.probability(*pair) for pair in pairs]


@pytest.mark.parametrize("kind", [pd.Series, pl.Series, np.array, pa.array, lambda x: pd.Series(x, [7, 9], "category")])
def test_columns_of_every_kind(m: MatchFunction, kind: Any) -> None:
    a, b = ["gout", "heart attack"], ["asthma", "acute MI"]
    assert m.probabilities(kind(a), kind(b)).tolist() == m.probabilities(a, b).tolist()


@pytest.mark.parametrize(
    ("call", "arguments", "told"),
    [
        *(("score", (pairs,), "pairs") for pairs in (np.array(["flu", "gout"]), np.array([["flu", "gout", "x"]]), np.zeros((1, 2)), iter([]))),
        *((call, ("gout", wrong), r"column 'b': not a text.*Got: ") for wrong in (None, math.nan, 5, b"gout", True) for call in ("probability", "match", "relation")),
        *(("probabilities", (["gout"] * 2, kind(["gout", None])), r"row 1, column 'b': not a text\. .*Got: ") for kind in (list, pd.Series, lambda x: np.array(x, object))),
        ("score", ([("gout", None)],), "row 0: not a pair"), ("match", ("gout", ["gout"]), "`probabilities` takes lists"),
        *(("probabilities", (a, ["gout", "gout"]), told) for a, told in [
            (pa.array([1, 2]), "column 'a': not a text"), (pl.Series(["gout", None]), "column 'a': not a text"), (pd.DataFrame({"a": ["gout"]}), "column 'a': not a list"),
            ({"gout", "flu"}, "column 'a': not a list"), (["gout"], "differ in length"), (["???", "gout"], "without a letter or digit"),
            (["x" * 1_000_000, "gout"], "1,000,000 characters")]),
        ("probabilities", ("gout", "gout"), "`probability` takes a single pair"),
        *((call, arguments, "two columns of one name") for frame in [pd.DataFrame([["gout", "flu"]], columns=["dx", "dx"])] for call, arguments in {
            "link": (frame, ["gout"]), "rank": ("gout", frame), "dedupe": (frame,), "score": (frame,)}.items()),
    ],
)  # fmt: skip
def test_what_is_refused(m: MatchFunction, call: str, arguments: Any, told: str) -> None:
    with pytest.raises(dxmatch.InputError, match=told):
        getattr(m, call)(*arguments)


def test_one_pair_and_many_that_are_not_understood(few: MatchFunction, judging_all: MatchFunction) -> None:
    told = r"3 of 6 pairs are not scored.*'Herzinfarkt' \(another language"
    with pytest.warns(NotUnderstoodWarning, match=told) as warned:
        found = few.probabilities(A, B)
    assert len(warned) == 1
    assert np.isnan(found).tolist() == [False, True, False, True, False, True]
    assert found[4] == 1 and few.match("Herzinfarkt", "HERZINFARKT"), "equal strings match, understood or not"
    np.testing.assert_array_equal(found[[0, 2]], [few.probability(*PAIRS[0]), few.probability(*PAIRS[2])])
    with pytest.warns(NotUnderstoodWarning, match="1 of 1 pair is"):
        assert math.isnan(few.probability("gout", "Herzinfarkt"))
    told = r"not understood \(several diagnoses\).*'pneumonia, sepsis'.*'judge_all'"
    for ask in (few.match, few.relation):
        with pytest.raises(NotUnderstood, match=told) as error:
            ask("gout", "pneumonia, sepsis")
        assert (error.value.text, error.value.reason) == ("pneumonia, sepsis", "several diagnoses")
    with warnings.catch_warnings(action="error"):
        assert not np.isnan(judging_all.probabilities(A, B)).any() and judging_all.not_understood(B) == {}
    assert "not_understood" not in judging_all.score([("gout", "高血圧")]).column_names
    found = few.not_understood(["gout", "5", "高血圧", "I21", "I21, J18.9", "C99.9"])
    assert found == {"5": "no diagnosis", "高血圧": "another script", "C99.9": "no diagnosis"}


def test_score_says_what_was_not_scored_and_what_was_read_otherwise(few: MatchFunction) -> None:
    scored = few.score(pa.table({"a": A, "b": B}))
    assert scored.column_names == ["a", "b", "probability", "match", "doubtful", "not_understood", "read_as"]
    assert scored["probability"].is_null().to_pylist() == scored["match"].is_null().to_pylist()
    assert scored["not_understood"].to_pylist() == [
        None, "a: another language, or no words", None, "b: several diagnoses", None, "a: no diagnosis; b: another script",
    ]  # fmt: skip
    assert scored["read_as"].to_pylist() == [None, None, "b: infraction → infarction", None, None, None]
    assert few.probability(*PAIRS[2]) == few.probability("heart attack", "myocardial infarction")
    # These columns come only where they say something. A job has them always: tests/jobs.
    assert few.score([("asthma", "gout")]).column_names == ["a", "b", "probability", "match", "doubtful"]
    assert few.score([("astma", "gout")]).column_names == ["a", "b", "probability", "match", "doubtful", "read_as"]


def test_what_is_warned_of(few: MatchFunction) -> None:
    for ask in (few.match, lambda a, b: few.probabilities([a], [b]), lambda a, b: few.score([(a, b)])):
        with pytest.warns(UserWarning, match="mix Latin and Cyrillic letters.*'\u0430sthma'"):
            ask("\u0430sthma", "\u0430sthma")
    with pytest.warns(NotUnderstoodWarning, match=r"2 pairs of 3 name no diagnosis on either side \('N/A'\)"):
        few.score([("N/A", "N/A"), ("unknown", "unknown"), ("gout", "gout")])
    with warnings.catch_warnings(action="error"):
        few.score([("gout", "gout"), ("asthma", "flu")])


def test_a_class_too_broad_to_name_a_disease_matches_none_of_its_kinds(m: MatchFunction) -> None:
    """Of every such class the first kinds that stand in the graph by their own label, and what people write of them."""
    graph = m.providers.graph
    assert graph is not None
    pairs = [
        ("cancer", "lung cancer"),
        ("infection", "UTI"),
        ("Heart disease", "congenital heart disease"),
        ("kidney disease", "PKD"),
    ]
    for wide in np.flatnonzero(graph.too_broad).tolist():
        kinds = (each for each in range(len(graph)) if graph.steps_up(each, wide) == 1)
        pairs += [(graph.labels[wide], graph.labels[each]) for each in islice(kinds, 2)]
    found = m.relations(*map(list, zip(*pairs, strict=True)))
    matched = [
        pair for pair, kind in zip(pairs, found.kinds, strict=True) if kind not in ("related", "unrelated", "excluded")
    ]
    assert len(pairs) > 350 and len(matched) < 8 and not {*matched} & {*pairs[:4]}, matched
    assert m.match("infection", "infectious disease") and m.match("hip fracture", "fracture")
    assert [*m.not_understood(["syndrome", "Disorder.", "Down syndrome"])] == ["syndrome", "Disorder."]
