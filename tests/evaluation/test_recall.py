"""Recall of the reference diagnoses: worked by hand, against loops, and as a section of a report."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dxmatch
from dxmatch.errors import OptionError
from dxmatch.evaluation.families import recall
from dxmatch.evaluation.statistics.section import Context

from .made import lists_of

# three patients; columns are the reference diseases, rows the ranks
HITS = np.array([
    [[1, 0, 0], [0, 0, 0], [0, 1, 0]],
    [[0, 0, 0], [0, 0, 0], [1, 0, 0]],
    [[0, 0, 1], [0, 0, 0], [0, 0, 0]],  # the third patient has two diseases: this hit is on none of them
], bool)  # fmt: skip
GIVEN = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 0]], bool)


def test_by_hand():
    # all ranks: patient 1 both of 2, patient 2 the 1 of 1, patient 3 none of 2: 3 of 5 diseases, 2 of 3 patients
    assert dxmatch.metrics.disease_recall(HITS, GIVEN) == pytest.approx(3 / 5)
    assert dxmatch.metrics.patient_recall(HITS, GIVEN) == pytest.approx(2 / 3)
    # first rank alone: 1 of 5 diseases, no patient in full
    assert dxmatch.metrics.disease_recall(HITS, GIVEN, k=1) == pytest.approx(1 / 5)
    assert dxmatch.metrics.patient_recall(HITS, GIVEN, k=1) == 0
    assert dxmatch.metrics.disease_recall(HITS, GIVEN, k=9) == pytest.approx(3 / 5)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_equal_to_a_plain_loop(seed, k):
    generator = np.random.default_rng(seed)
    n, raters, ranks, references = generator.integers(1, 6, 4)
    hits = generator.random((n, raters, ranks, references)) < 0.3
    there = generator.random((n, references)) < 0.7
    there[:, 0] = True
    for j in range(raters):
        found = total = whole = 0
        for i in range(n):
            named = [any(hits[i, j, p, d] for p in range(min(k, ranks))) for d in range(references) if there[i, d]]
            found, total, whole = found + sum(named), total + len(named), whole + all(named)
        assert dxmatch.metrics.disease_recall(hits, there, k)[j] == pytest.approx(found / total)
        assert dxmatch.metrics.patient_recall(hits, there, k)[j] == pytest.approx(whole / n)


@pytest.mark.parametrize(
    ("hits", "there", "match"),
    [
        (HITS, GIVEN & False, "'given' parameter must be bool"),
        (HITS, GIVEN[:2], "'hits' parameter must be bool .* with 2 cases and 3 references"),
        (HITS.astype(float), GIVEN, "'hits' parameter"),
        (HITS[:0], GIVEN[:0], "at least one case"),
        (HITS[0], GIVEN, "'hits' parameter"),
    ],
)
def test_refused(hits, there, match):
    with pytest.raises(OptionError, match=match):
        dxmatch.metrics.disease_recall(hits, there)
    with pytest.raises(OptionError, match="'k' parameter"):
        dxmatch.metrics.patient_recall(HITS, GIVEN, k=0)


def test_spread_over_prompts():
    # 0.6, 0.8, 0.7 about 0.7: sqrt((0.01 + 0.01 + 0) / 3)
    assert dxmatch.metrics.prompt_spread([0.6, 0.8, 0.7]) == pytest.approx((0.02 / 3) ** 0.5)
    assert dxmatch.metrics.prompt_spread([[0.6, 0.8], [1, 1]]).tolist() == pytest.approx([0.1, 0])
    assert np.isnan(dxmatch.metrics.prompt_spread([0.6]))
    with pytest.raises(OptionError, match="at least one value"):
        dxmatch.metrics.prompt_spread([])


# The section of a report


TRUTH = {"one": ["mi", "copd"], "two": ["asthma"], "three": ["gout"]}
CASES = {
    "one": {"gpt [free]": ["mi", "copd"], "gpt [role]": ["copd", "angina"], "X": ["angina", "copd"]},
    "two": {"gpt [free]": ["copd", "asthma"], "gpt [role]": ["none", "asthma"], "X": ["asthma", "copd"]},
    "three": {"gpt [free]": ["copd", "mi"], "gpt [role]": ["gout", "mi"], "X": ["none", "none"]},
}


@pytest.fixture
def cases():
    return {case: dict(lists) for case, lists in CASES.items()}


def lists_with(cases, truth=TRUTH):
    return lists_of({case: {**lists, "truth": truth.get(case, [])} for case, lists in cases.items()})


def value(section, rater, metric):
    (row,) = [row for row in section.rows if (row["algorithm"], row["metric"]) == (rater, metric)]
    return row["value"]


def test_the_section_by_hand(cases, set_matcher):
    context, lists = Context(set_matcher(), k=2, repeats=200), lists_with(cases)
    assert recall.missing(lists, context) is None
    section = recall.compute(lists, context)
    # free finds mi, copd, asthma of 4 diseases; role copd, asthma, gout; X copd, asthma
    # all of patients one and two; of two and three; of two
    for rater, diseases, patients in (("gpt [free]", 3, 2), ("gpt [role]", 3, 2), ("X", 2, 1)):
        assert value(section, rater, "R_disease") == pytest.approx(diseases / 4)
        assert value(section, rater, "R_patient") == pytest.approx(patients / 3)
    row = section.rows[0]
    assert row["name"] == "R_disease@2" and row["n_cases"] == 3 and row["low"] <= row["value"] <= row["high"]
    # by case, then by rater (in the order of first appearance)
    assert lists.raters == ["gpt [free]", "gpt [role]", "X"]
    assert section.per_case["share of the reference found"] == [1, 1 / 2, 1 / 2, 1, 1, 1, 0, 1, 0]
    assert section.words == [
        "Of all reference diagnoses, gpt [free]'s first 2 diagnoses name 75%; no other rater's name more."
    ]


def test_cases_without_a_reference_are_left_out_and_told(cases, set_matcher):
    truth = {"one": ["mi", "copd"], "three": ["gout"]}
    section = recall.compute(lists_with(cases, truth), Context(set_matcher(), k=2, repeats=0))
    assert value(section, "X", "R_disease") == pytest.approx(1 / 3)
    assert section.rows[0]["n_cases"] == 2
    assert section.notes == ["1 of 3 cases have no reference diagnosis, so no recall."]
    assert section.per_case["share of the reference found"][3:6] == [None, None, None]
    lacking = recall.missing(lists_with(cases, {}), Context(set_matcher()))
    assert lacking == "right answers: the column reference, rows with the role reference, or the option 'references'"
