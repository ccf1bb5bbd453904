"""Recall of the right answers: worked by hand, against loops, and of lists, by M and by a judge."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import InputError
from dxmatch.evaluation.match.judge import Judgements
from dxmatch.evaluation.score import recall
from dxmatch.evaluation.score.recall import disease_recall, patient_recall
from dxmatch.evaluation.score.scores import Settings
from dxmatch.evaluation.score.wanted import ks_of

from ..made import lists_of
from .made import Scored, matched

# three patients; columns are the reference diseases, rows the ranks
HITS = np.array([
    [[1, 0, 0], [0, 0, 0], [0, 1, 0]],
    [[0, 0, 0], [0, 0, 0], [1, 0, 0]],
    [[0, 0, 1], [0, 0, 0], [0, 0, 0]],  # the third patient has two diseases: this hit is on none of them
], bool)  # fmt: skip
GIVEN = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 0]], bool)


# all ranks: patient 1 both of 2, patient 2 the 1 of 1, patient 3 none of 2; first rank alone: 1 of 5 diseases, no patient in full
@pytest.mark.parametrize(("k", "diseases", "patients"), [(None, 3 / 5, 2 / 3), (1, 1 / 5, 0), (9, 3 / 5, 2 / 3)])
def test_by_hand(k, diseases, patients):
    assert disease_recall(HITS, GIVEN, k) == pytest.approx(diseases)
    assert patient_recall(HITS, GIVEN, k) == pytest.approx(patients)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_equal_to_a_plain_loop(seed, k):
    generator = np.random.default_rng(seed)
    n, raters, ranks, references = generator.integers(1, 6, 4)
    hits = generator.random((n, raters, ranks, references)) < 0.3
    there = generator.random((n, references)) < 0.7
    there[:, 0] = True
    for j in range(raters):
        named = [
            [any(hits[i, j, p, d] for p in range(min(k, ranks))) for d in range(references) if there[i, d]]
            for i in range(n)
        ]
        assert disease_recall(hits, there, k)[j] == pytest.approx(sum(map(sum, named)) / sum(map(len, named)))
        assert patient_recall(hits, there, k)[j] == pytest.approx(sum(map(all, named)) / n)


# Of lists

TRUTH = {"one": ["mi", "copd"], "two": ["asthma"], "three": ["gout"]}
CASES = {
    "one": {"A": ["mi", "copd"], "B": ["copd", "angina"], "X": ["angina", "copd"]},
    "two": {"A": ["copd", "asthma"], "B": ["none", "asthma"], "X": ["asthma", "copd"]},
    "three": {"A": ["copd", "mi"], "B": ["gout", "mi"], "X": ["none", "none"]},
}


def lists_with(truth=TRUTH):
    return lists_of({case: {**lists, "truth": truth.get(case, [])} for case, lists in CASES.items()})


def test_of_lists_by_hand():
    found = Scored(recall, lists_with(), k=2, repeats=200)
    # A finds mi, copd, asthma of 4 diseases; B copd, asthma, gout; X copd, asthma; all of one and two; two and three; two
    for rater, diseases, patients in (("A", 3, 2), ("B", 3, 2), ("X", 2, 1)):
        assert found.value(rater, "R_disease@2") == pytest.approx(diseases / 4)
        assert found.value(rater, "R_patient@2") == pytest.approx(patients / 3)
    row = found.row("A", "R_disease@2")
    assert row["n_cases"] == 3 and row["low"] < row["value"] < row["high"]
    shares = found.per_case["share of the reference found"]
    assert shares.tolist() == [[1, 1 / 2, 1 / 2], [1, 1, 1], [0, 1, 0]]
    assert found.words == ["Of all reference diagnoses, A's first 2 diagnoses name 75%; no other rater's name more."]


def test_cases_without_a_reference_are_left_out_and_told():
    found = Scored(recall, lists_with({"one": ["mi", "copd"], "three": ["gout"]}), k=2)
    assert found.value("X", "R_disease@2") == pytest.approx(1 / 3) and found.rows[0]["n_cases"] == 2
    assert "1 of 3 cases" in found.told["no_reference"][0]
    assert np.isnan(found.per_case["share of the reference found"][1]).all()


INCLUDED = np.array([[[1, 0], [1, 1], [0, 0]], [[1, -1], [0, -1], [1, -1]], [[0, -1], [1, -1], [-1, -1]]], np.int8)
PLACES = np.array([[[2, 0], [1, 3], [0, 0]], [[2, 0], [0, 0], [1, 0]], [[0, 0], [4, 0], [0, 0]]], np.int16)


def judgements(included=INCLUDED, places=PLACES):
    given = np.array([[1, 1], [1, 0], [1, 0]], bool)
    rows = {
        at: {"judge": "included", "check": None, "included": one > 0, "place": int(places[at]) or None}
        for at, one in np.ndenumerate(included)
        if given[at[0], at[2]]
    }
    return Judgements(rows, given, included, Counter({"refused": 1}), "m", "")


def test_recall_by_a_judge():
    """The third case has no verdict on one answer: it is out for every rater. Places tell the top-k accuracy."""
    found = Scored(recall, matched(lists_with(), k=2))
    judged = replace(found.matches, judged=judgements())
    found.fill(recall.judged_scores(judged, Settings(k=ks_of(3))))
    for rater, diseases, patients, first in (("A", 2, 1, 0), ("B", 2, 1, 1), ("X", 1, 1, 1)):
        assert found.value(rater, "R_disease(judge)") == pytest.approx(diseases / 3)
        assert found.value(rater, "R_patient(judge)") == patients / 2
        assert found.value(rater, "Acc(judge)@1") == first / 2
    assert found.value("A", "Acc(judge)@3") == 1 and found.value("B", "Acc(judge)@3") == 1 / 2
    assert {row["n_cases"] for row in found.rows} == {2} and "by the judge" in found.words[0]
    assert "1 of 3 cases" in found.told["no_verdict"][0] and "1 refused" in found.told["no_verdict"][0]
    unplaced = replace(judged, judged=judgements(places=np.zeros_like(PLACES)))
    assert len(recall.judged_scores(unplaced, Settings(k=ks_of(None))).scores) == 2
    with pytest.raises(InputError, match="none of 3 cases"):
        nothing = replace(judged, judged=judgements(np.full_like(INCLUDED, -1)))
        recall.judged_scores(nothing, Settings(k=ks_of(None)))
