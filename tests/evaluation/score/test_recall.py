"""Recall of the right answers: worked by hand, against loops, and of lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.evaluation.score.recall import disease_recall, patient_recall

from ..made import scored, told, value


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

CASES = {
    "one": {"A": ["mi", "copd"], "B": ["copd", "angina"], "X": ["angina", "copd"], "truth": ["mi", "copd"]},
    "two": {"A": ["copd", "asthma"], "B": ["none", "asthma"], "X": ["asthma", "copd"], "truth": ["asthma"]},
    "three": {"A": ["copd", "mi"], "B": ["gout", "mi"], "X": ["none", "none"], "truth": ["gout"]},
}


def test_of_lists_by_hand():
    found = scored(CASES, "recall", k=2)
    # A finds mi, copd, asthma of 4 diseases; B copd, asthma, gout; X copd, asthma; all of one and two; two and three; two
    for rater, diseases, patients in (("A", 3, 2), ("B", 3, 2), ("X", 2, 1)):
        assert value(found, rater, "R_disease@2") == pytest.approx(diseases / 4)
        assert value(found, rater, "R_patient@2") == pytest.approx(patients / 3)
    shares = found.per_case_columns["share of the reference found"]
    assert shares == [1, 1, 0, 1 / 2, 1, 1, 1 / 2, 1, 0]


def test_cases_without_a_reference_are_left_out_and_told():
    found = scored(CASES | {"two": {rater: CASES["two"][rater] for rater in "ABX"}}, "recall", k=2)
    assert value(found, "X", "R_disease@2") == pytest.approx(1 / 3) and found.rows[0]["n_cases"] == 2
    assert "1 of 3 cases" in told(found, "no_reference")
