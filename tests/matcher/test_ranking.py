"""m.rank and m.matrix."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import dxmatch
from dxmatch.matcher import batch

TERMS = ["gout", "MI", None, "", "NSTEMI", "myocardial infarction", "no myocardial infarction", "MI", float("nan"), "###"]  # fmt: skip


def test_the_best_come_first_and_what_is_missing_is_skipped(m: dxmatch.MatchFunction) -> None:
    ranked = m.rank("heart attack", TERMS, k=None)
    # Equal ones in the order of the list; a term that stands twice comes twice.
    assert [one.index for one in ranked] == [1, 5, 7, 4, 0, 6]
    assert [one.term for one in ranked[:3]] == ["MI", "myocardial infarction", "MI"]
    assert ranked[0].probability == 1 and ranked[0].match and ranked[0].relation == "same"
    assert ranked[-1].probability == 0 and not ranked[-1].match and ranked[-1].relation == "excluded"
    assert ranked[3].probability == m.probability("heart attack", "NSTEMI") and ranked[3].relation == "broader"


def test_k_and_the_threshold_cut(m: dxmatch.MatchFunction) -> None:
    assert len(m.rank("heart attack", TERMS, k=2)) == 2
    assert [one.index for one in m.rank("heart attack", TERMS, k=None, threshold=0.9)] == [1, 5, 7, 4]
    assert [one.match for one in m.rank("heart attack", ["NSTEMI"], threshold=0.9)] == [True]
    assert m.rank("heart attack", TERMS, threshold=1.0)[-1].probability == 1
    assert m.rank("heart attack", []) == [] and m.rank("heart attack", [None, ""]) == []


@pytest.mark.parametrize(
    ("query", "terms", "options", "told"),
    [
        ("", ["gout"], {}, "blank"),
        ("###", ["gout"], {}, "without a letter or digit"),
        (5, ["gout"], {}, "column 'query': not a text"),
        ("gout", [None, 7], {}, "row 1, column 'terms': not a text"),
        ("gout", ["gout"], {"k": 0}, "'k' parameter must be a whole number 1 or more"),
        ("gout", ["gout"], {"threshold": 1.5}, "'threshold' parameter must be"),
    ],
)
def test_what_cannot_be_ranked(
    m: dxmatch.MatchFunction, query: Any, terms: Any, options: dict[str, Any], told: str
) -> None:
    with pytest.raises(dxmatch.DxmatchError, match=told):
        m.rank(query, terms, **options)


def test_what_is_not_understood(m: dxmatch.MatchFunction) -> None:
    with pytest.raises(dxmatch.NotUnderstood, match="another script"):
        m.rank("Сердце", ["gout", None])
    assert [one.index for one in m.rank("Сердце", ["gout", "Сердце"])] == [1]  # the same is the same in any language
    with pytest.warns(dxmatch.NotUnderstoodWarning, match="1 of 2 terms"):
        assert [one.term for one in m.rank("gout", ["Сердце", "gout"])] == ["gout"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(dxmatch.load(judge_all=True).rank("gout", ["Сердце", "gout"])) == 2


def test_a_matrix_is_the_probabilities_bit_for_bit(m: dxmatch.MatchFunction, monkeypatch: pytest.MonkeyPatch) -> None:
    a = ["gout", "MI", "no pneumonia", "Сердце", None, "gout", "T2DM"]
    b = ["Gouty arthritis", "heart attack", "pneumonia", "", "Сердце", "type 2 diabetes", "no pneumonia"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = m.matrix(a, b)
        monkeypatch.setattr("dxmatch.matcher.ranking.PAIRS_AT_ONCE", 4)
        monkeypatch.setattr(batch, "PAIRS_AT_ONCE", 3)
        assert np.array_equal(m.matrix(a, b), whole, equal_nan=True)
        for i, one in enumerate(a):
            for j, other in enumerate(b):
                alone = m.probabilities([one], [other])[0] if one and other else np.nan
                assert whole[i, j] == alone or (np.isnan(whole[i, j]) and np.isnan(alone)), (one, other)
    assert whole[0, 0] == whole[5, 0] > 0.9 and whole[3, 4] == 1 and np.isnan(whole[3, 0]) and np.isnan(whole[4]).all()


def test_the_policy_has_its_sides() -> None:
    m = dxmatch.load(policy="narrower-counts")
    answers = ["diabetes", "type 2 diabetes"]
    assert m.matrix(["diabetes"], answers)[0].tolist() == m.probabilities(["diabetes"] * 2, answers).tolist()
    assert (
        m.rank("type 2 diabetes", ["diabetes"])[0].probability < m.rank("diabetes", ["type 2 diabetes"])[0].probability
    )
