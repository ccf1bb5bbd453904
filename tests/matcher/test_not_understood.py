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


def test_probabilities_are_nan_where_a_side_is_not_understood(m: MatchFunction) -> None:
    a, b = map(list, zip(*PAIRS, strict=True))
    with pytest.warns(
        NotUnderstoodWarning, match=r"3 of 6 pairs are not scored.*'Herzinfarkt' \(another language"
    ) as told:
        found = m.probabilities(a, b)
    assert len(told) == 1
    assert np.isnan(found).tolist() == [False, True, False, True, False, True]
    assert found[4] == 1, "equal strings match, understood or not"
    np.testing.assert_array_equal(found[[0, 2]], [m.probability(*PAIRS[0]), m.probability(*PAIRS[2])])


def test_one_pair(m: MatchFunction) -> None:
    with pytest.warns(NotUnderstoodWarning, match="1 of 1 pair is"):
        assert math.isnan(m.probability("gout", "Herzinfarkt"))
    with pytest.raises(
        NotUnderstood, match=r"not understood \(several diagnoses\).*'pneumonia, sepsis'.*judge_all=True"
    ) as told:
        m.match("gout", "pneumonia, sepsis")
    assert (told.value.text, told.value.reason) == ("pneumonia, sepsis", "several diagnoses")
    assert isinstance(told.value, dxmatch.InputError)
    assert m.match("Herzinfarkt", "HERZINFARKT")


def test_slips_are_read_as_what_was_meant(m: MatchFunction, plain: MatchFunction) -> None:
    assert m.probability("myocardial infraction", "heart attack") == plain.probability(
        "myocardial infarction", "heart attack"
    )
    assert m.match("astma", "asthma")


def test_judging_all_scores_as_without_a_vocabulary(judging_all: MatchFunction, plain: MatchFunction) -> None:
    pairs = [PAIRS[i] for i in (0, 1, 3, 4, 5)]
    a, b = map(list, zip(*pairs, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(judging_all.probabilities(a, b), plain.probabilities(a, b))
    assert judging_all.not_understood(b) == {}
    assert judging_all.score(pairs).column_names == ["a", "b", "probability", "match"]


def test_not_understood_of_texts(m: MatchFunction, plain: MatchFunction) -> None:
    assert m.not_understood(["gout", "5", "高血圧"]) == {"5": "no diagnosis", "高血圧": "another script"}
    assert plain.not_understood(["5"]) == {}


def test_score_says_what_was_not_scored_and_what_was_read_otherwise(m: MatchFunction) -> None:
    a, b = map(list, zip(*PAIRS, strict=True))
    scored = m.score(pa.table({"a": a, "b": b}))
    assert scored.column_names == ["a", "b", "probability", "match", "not_understood", "read_as"]
    assert scored["probability"].is_null().to_pylist() == scored["match"].is_null().to_pylist()
    assert scored["not_understood"].to_pylist() == [
        None, "a: another language, or no words", None, "b: several diagnoses", None, "a: no diagnosis; b: another script",
    ]  # fmt: skip
    assert scored["read_as"].to_pylist() == [None, None, "b: infraction → infarction", None, None, None]


def test_score_has_these_columns_only_where_they_say_something(m: MatchFunction) -> None:
    assert m.score([("asthma", "gout")]).column_names == ["a", "b", "probability", "match"]
    assert m.score([("astma", "gout")]).column_names == ["a", "b", "probability", "match", "read_as"]
    frame = m.score(pd.DataFrame({"a": ["5", "gout"], "b": ["gout", "gout"]}))
    assert frame["match"].isna().tolist() == [True, False]
    assert frame["not_understood"].tolist()[0] == "a: no diagnosis"
    with pytest.raises(dxmatch.InputError, match="there already: read_as"):
        m.score(pd.DataFrame({"a": ["gout"], "b": ["gout"], "read_as": ["x"]}))


def test_mixed_scripts_are_warned_of(plain: MatchFunction) -> None:
    for ask in (
        plain.probability,
        plain.match,
        lambda a, b: plain.probabilities([a], [b]),
        lambda a, b: plain.score([(a, b)]),
    ):
        with pytest.warns(UserWarning, match="mix Latin and Cyrillic letters.*'\u0430sthma'"):
            ask("\u0430sthma", "gout")


@pytest.mark.parametrize("wrong", [None, float("nan"), 5, b"gout", True])
def test_what_is_no_text_is_an_input_error(plain: MatchFunction, wrong: Any) -> None:
    for ask in (plain.probability, plain.match):
        with pytest.raises(dxmatch.InputError, match=r"column 'b': not a text.*Got: "):
            ask("gout", wrong)
    columns = [
        ["gout", wrong], ("gout", wrong), pd.Series(["gout", wrong], dtype=object), np.array(["gout", wrong], object),
    ]  # fmt: skip
    for column in columns:
        with pytest.raises(
            dxmatch.InputError, match=r"row 1, column 'b': not a text\. Allowed: a diagnosis in words\. Got: "
        ):
            plain.probabilities(["gout", "gout"], column)
        with pytest.raises(dxmatch.InputError, match="row 1, column 'a'"):
            plain.probabilities(column, ["gout", "gout"])
    with pytest.raises(dxmatch.InputError, match="'b': not a list of diagnoses"):
        plain.probabilities(["gout"], wrong)
    with pytest.raises(dxmatch.InputError):
        plain.score([("gout", wrong)])


def test_columns_of_numbers_and_nulls_are_input_errors(plain: MatchFunction) -> None:
    for column in (
        pa.array([1, 2]),
        pl.Series([1.5, 2.0]),
        np.array([1, 2]),
        pa.array(["gout", None]),
        pl.Series(["gout", None]),
    ):
        with pytest.raises(dxmatch.InputError, match="column 'a': not a text"):
            plain.probabilities(column, ["gout", "gout"])


def test_many_where_one_is_meant_and_one_where_many_are(plain: MatchFunction) -> None:
    for many in (["gout"], pd.Series(["gout"]), np.array(["gout"]), pl.Series(["gout"])):
        with pytest.raises(dxmatch.InputError, match="`probabilities` takes lists"):
            plain.probability(many, "gout")  # type: ignore[arg-type]
        with pytest.raises(dxmatch.InputError, match="`probabilities` takes lists"):
            plain.match("gout", many)  # type: ignore[arg-type]
    with pytest.raises(dxmatch.InputError, match="`probability` takes a single pair"):
        plain.probabilities("gout", "gout")


def test_a_parquet_job_says_it_too(m: MatchFunction, judging_all: MatchFunction, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    source, output = tmp_path / "pairs.parquet", tmp_path / "scored.parquet"
    table = pa.table({"a": [a for a, _ in PAIRS], "b": [b for _, b in PAIRS]})
    pq.write_table(table, source)
    assert dxmatch.score_files(source, output, matcher=m, job=dxmatch.Job(chunk_rows=2)).unscored == 3
    assert pq.read_table(output).equals(m.score(table).select(range(6)))
    assert dxmatch.score_files(source, tmp_path / "all.parquet", matcher=judging_all).unscored == 0
    scored = pq.read_table(tmp_path / "all.parquet")
    assert scored["not_understood"].null_count == 6
    assert scored["probability"].null_count == 0


def test_the_command_counts_what_it_left_unscored(
    m: MatchFunction, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: Any
) -> None:
    from dxmatch.matcher import match_function

    monkeypatch.setattr(match_function, "load", lambda *_, **__: m)
    (tmp_path / "pairs.csv").write_text("a,b\ngout,Herzinfarkt\ngout,gout\nastma,asthma\n", "utf-8")
    done = command("score", tmp_path / "pairs.csv", "-o", tmp_path / "scored.csv")
    assert "pairs 3, matches 2" in done.out
    assert "not understood 1" in done.out
    scored = pd.read_csv(tmp_path / "scored.csv")
    assert scored["match"].isna().tolist() == [True, False, False]
    assert scored["read_as"].tolist()[2] == "a: astma → asthma"
    failed = command("explain", "gout", "Herzinfarkt")
    assert failed.code == 1
    assert "not understood (another language, or no words)" in failed.err


def test_no_diagnosis_on_either_side_is_told(m: MatchFunction) -> None:
    pairs = [("N/A", "N/A"), ("unknown", "unknown"), ("gout", "gout")]
    for scored in (lambda: m.score(pairs), lambda: m.probabilities(*zip(*pairs, strict=True))):
        with pytest.warns(NotUnderstoodWarning, match=r"2 pairs of 3 name no diagnosis on either side \('N/A'\)"):
            scored()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m.score([("gout", "gout"), ("asthma", "flu")])


def test_a_column_of_several_kinds_that_is_not_needed_comes_back_as_it_was(m: MatchFunction, tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["gout", None, "flu"], "b": ["gout", "x", "flu"], "mix": [1, "z", 2.5]}, index=[5, 6, 7])
    scored = m.score(frame, reading=dxmatch.Reading(rejects=tmp_path / "r.csv"))
    assert scored["mix"].tolist() == [1, 2.5] and scored.index.tolist() == [5, 7]
    assert m.link(frame.dropna(), ["gout"], a="a")["match"].tolist() == [True, False]


@pytest.mark.parametrize("call", ["link", "dedupe", "rank", "score"])
def test_two_columns_of_one_name(m: MatchFunction, call: str) -> None:
    frame = pd.DataFrame([["gout", "flu"]], columns=["dx", "dx"])
    arguments = {"link": (frame, ["gout"]), "rank": ("gout", frame)}.get(call, (frame,))
    with pytest.raises(dxmatch.InputError, match="two columns of one name"):
        getattr(m, call)(*arguments)
