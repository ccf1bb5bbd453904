"""What M does not know it says: pairs that are left unscored, words that were read as others, and what is no text."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dxmatch
from dxmatch.errors import NotUnderstood, NotUnderstoodWarning
from dxmatch.matcher.match_function import MatchFunction
from dxmatch.models.folder import SHIPPED_MODEL
from dxmatch.models.folder import load as read_model_folder
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.text.vocabulary import Vocabulary

from ..small_vocabulary import small_vocabulary

PAIRS = [
    ("asthma", "bronchial asthma"), ("Herzinfarkt", "gout"), ("heart attack", "myocardial infraction"),
    ("gout", "pneumonia, sepsis, AKI"), ("Herzinfarkt", "herzinfarkt"), ("none", "高血圧"),
]  # fmt: skip
A, B = map(list, zip(*PAIRS, strict=True))


def shipped(vocabulary: Vocabulary | None, judge_all: bool = False) -> MatchFunction:
    m = MatchFunction(read_model_folder(SHIPPED_MODEL), judge_all=judge_all)
    m.providers.naming = Naming(m.providers.normalizer, m.features.icd_source, vocabulary)
    return m


@pytest.fixture(scope="module")
def plain() -> MatchFunction:
    """Without a vocabulary, as a model without a graph of diseases is."""
    return shipped(None)


@pytest.fixture(scope="module")
def m() -> MatchFunction:
    return shipped(small_vocabulary())


@pytest.fixture(scope="module")
def judging_all() -> MatchFunction:
    return shipped(small_vocabulary(), judge_all=True)


def test_one_pair_and_many(m: MatchFunction, plain: MatchFunction) -> None:
    told = r"3 of 6 pairs are not scored.*'Herzinfarkt' \(another language"
    with pytest.warns(NotUnderstoodWarning, match=told) as warned:
        found = m.probabilities(A, B)
    assert len(warned) == 1
    assert np.isnan(found).tolist() == [False, True, False, True, False, True]
    assert found[4] == 1 and m.match("Herzinfarkt", "HERZINFARKT"), "equal strings match, understood or not"
    np.testing.assert_array_equal(found[[0, 2]], [m.probability(*PAIRS[0]), m.probability(*PAIRS[2])])
    with pytest.warns(NotUnderstoodWarning, match="1 of 1 pair is"):
        assert math.isnan(m.probability("gout", "Herzinfarkt"))
    told = r"not understood \(several diagnoses\).*'pneumonia, sepsis'.*judge_all=True"
    with pytest.raises(NotUnderstood, match=told) as error:
        m.match("gout", "pneumonia, sepsis")
    assert (error.value.text, error.value.reason) == ("pneumonia, sepsis", "several diagnoses")
    meant = plain.probability("myocardial infarction", "heart attack")
    assert m.probability("myocardial infraction", "heart attack") == meant


def test_judging_all_scores_as_without_a_vocabulary(judging_all: MatchFunction, plain: MatchFunction) -> None:
    pairs = [PAIRS[i] for i in (0, 1, 3, 4, 5)]
    a, b = map(list, zip(*pairs, strict=True))
    with warnings.catch_warnings(action="error"):
        np.testing.assert_array_equal(judging_all.probabilities(a, b), plain.probabilities(a, b))
    assert not np.isnan(plain.probabilities(a, b)).any() and judging_all.not_understood(b) == {}
    assert judging_all.score(pairs).column_names == ["a", "b", "probability", "match"]


def test_not_understood_of_texts(m: MatchFunction, plain: MatchFunction) -> None:
    found = m.not_understood(["gout", "5", "高血圧", "I21", "I21, J18.9", "C99.9"])
    assert found == {"5": "no diagnosis", "高血圧": "another script", "C99.9": "no diagnosis"}
    assert plain.not_understood(["5"]) == {}


def test_score_says_what_was_not_scored_and_what_was_read_otherwise(m: MatchFunction) -> None:
    scored = m.score(pa.table({"a": A, "b": B}))
    assert scored.column_names == ["a", "b", "probability", "match", "not_understood", "read_as"]
    assert scored["probability"].is_null().to_pylist() == scored["match"].is_null().to_pylist()
    assert scored["not_understood"].to_pylist() == [
        None, "a: another language, or no words", None, "b: several diagnoses", None, "a: no diagnosis; b: another script",
    ]  # fmt: skip
    assert scored["read_as"].to_pylist() == [None, None, "b: infraction → infarction", None, None, None]
    # These columns come only where they say something.
    assert m.score([("asthma", "gout")]).column_names == ["a", "b", "probability", "match"]
    assert m.score([("astma", "gout")]).column_names == ["a", "b", "probability", "match", "read_as"]
    with pytest.raises(dxmatch.InputError, match="there already: read_as"):
        m.score(pd.DataFrame({"a": ["gout"], "b": ["gout"], "read_as": ["x"]}))


def test_mixed_scripts_are_warned_of(plain: MatchFunction) -> None:
    for ask in (plain.match, lambda a, b: plain.probabilities([a], [b]), lambda a, b: plain.score([(a, b)])):
        with pytest.warns(UserWarning, match="mix Latin and Cyrillic letters.*'\u0430sthma'"):
            ask("\u0430sthma", "gout")


@pytest.mark.parametrize("wrong", [None, float("nan"), 5, b"gout", True])
def test_what_is_no_text_is_an_input_error(plain: MatchFunction, wrong: Any) -> None:
    for ask in (plain.probability, plain.match, plain, plain.relation):
        with pytest.raises(dxmatch.InputError, match=r"column 'b': not a text.*Got: "):
            ask("gout", wrong)
    for column in (["gout", wrong], pd.Series(["gout", wrong], dtype=object), np.array(["gout", wrong], object)):
        told = r"row 1, column 'b': not a text\. Allowed: a diagnosis in words\. Got: "
        with pytest.raises(dxmatch.InputError, match=told):
            plain.probabilities(["gout", "gout"], column)
    with pytest.raises(dxmatch.InputError):
        plain.score([("gout", wrong)])


@pytest.mark.parametrize(
    ("a", "told"),
    [
        (pa.array([1, 2]), "column 'a': not a text"), (pl.Series(["gout", None]), "column 'a': not a text"), (np.array([1, 2]), "column 'a': not a text"),
        (pd.DataFrame({"a": ["gout"]}), "column 'a': not a list"), ({"gout", "flu"}, "column 'a': not a list"), ("gout", "`probability` takes a single pair"),
        (["gout"], "differ in length"), (["???", "gout"], "without a letter or digit"), (["x" * 1_000_000, "gout"], "1,000,000 characters"),
    ],
)  # fmt: skip
def test_columns_that_are_refused(plain: MatchFunction, a: Any, told: str) -> None:
    with pytest.raises(dxmatch.InputError, match=told):
        plain.probabilities(a, "gout" if isinstance(a, str) else ["gout", "gout"])
    for many in (["gout"], pd.Series(["gout"]), np.array(["gout"])):
        with pytest.raises(dxmatch.InputError, match="`probabilities` takes lists"):
            plain.match("gout", many)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [pd.Series, pl.Series, np.array, pa.array, tuple, lambda x: pd.Series(x, dtype="category"), lambda x: pd.Series(x, index=[7, 9])])  # fmt: skip
def test_columns_of_every_kind(plain: MatchFunction, kind: Any) -> None:
    a, b = ["gout", "heart attack"], ["asthma", "acute MI"]
    assert plain.probabilities(kind(a), kind(b)).tolist() == plain.probabilities(a, b).tolist()


def test_a_parquet_job_says_it_too(m: MatchFunction, judging_all: MatchFunction, tmp_path: Path) -> None:
    source, output = tmp_path / "pairs.parquet", tmp_path / "scored.parquet"
    table = pa.table({"a": A, "b": B})
    pq.write_table(table, source)
    assert dxmatch.score_files(source, output, matcher=m, job=dxmatch.Job(chunk_rows=2)).unscored == 3
    assert pq.read_table(output).equals(m.score(table).select(range(6)))
    # Whether they say something is not known before: a job has these columns always.
    assert dxmatch.score_files(source, tmp_path / "all.parquet", matcher=judging_all).unscored == 0
    scored = pq.read_table(tmp_path / "all.parquet")
    assert scored["not_understood"].null_count == 6 and scored["probability"].null_count == 0


def test_the_command_counts_what_it_left_unscored(m: MatchFunction, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: Any) -> None:  # fmt: skip
    from dxmatch.matcher import match_function

    monkeypatch.setattr(match_function, "load", lambda *_, **__: m)
    (tmp_path / "pairs.csv").write_text("a,b\ngout,Herzinfarkt\ngout,gout\nastma,asthma\n", "utf-8")
    done = command("score", tmp_path / "pairs.csv", "-o", tmp_path / "scored.csv")
    assert "pairs 3, matches 2" in done.out and "not understood 1" in done.out
    failed = command("explain", "gout", "Herzinfarkt")
    assert failed.code == 1 and "not understood (another language, or no words)" in failed.err


def test_no_diagnosis_on_either_side_is_told(m: MatchFunction) -> None:
    pairs = [("N/A", "N/A"), ("unknown", "unknown"), ("gout", "gout")]
    for scored in (lambda: m.score(pairs), lambda: m.probabilities(*zip(*pairs, strict=True))):
        with pytest.warns(NotUnderstoodWarning, match=r"2 pairs of 3 name no diagnosis on either side \('N/A'\)"):
            scored()
    with warnings.catch_warnings(action="error"):
        m.score([("gout", "gout"), ("asthma", "flu")])


def test_a_column_of_several_kinds_that_is_not_needed_comes_back_as_it_was(m: MatchFunction, tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["gout", None, "flu"], "b": ["gout", "x", "flu"], "mix": [1, "z", 2.5]}, index=[5, 6, 7])
    scored = m.score(frame, reading=dxmatch.Reading(rejects=tmp_path / "r.csv"))
    assert scored["mix"].tolist() == [1, 2.5] and scored.index.tolist() == [5, 7]


@pytest.mark.parametrize("call", ["link", "dedupe", "rank", "score"])
def test_two_columns_of_one_name(m: MatchFunction, call: str) -> None:
    frame = pd.DataFrame([["gout", "flu"]], columns=["dx", "dx"])
    arguments = {"link": (frame, ["gout"]), "rank": ("gout", frame)}.get(call, (frame,))
    with pytest.raises(dxmatch.InputError, match="two columns of one name"):
        getattr(m, call)(*arguments)
