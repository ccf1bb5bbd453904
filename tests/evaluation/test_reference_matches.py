"""M between lists and references: what is asked, and where the answers land."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.evaluation.matches.reference_matches import match_references

from .made import By, lists_of

WORDS = ["asthma", "copd", "angina", "gout", "none"]


def shared_letters(x: str, y: str) -> float:
    return 1.0 if x == y else len(set(x) & set(y)) / 26


def test_where_the_answers_land(set_matcher):
    lists = lists_of({
        "one": {"A": ["gout", "heart attack", "copd"], "B": ["none", "copd"], "truth": ["mi", "copd"]},
        "two": {"A": ["asthma"], "B": ["mi", "asthma"], "truth": ["asthma"]},
    })  # fmt: skip
    m = set_matcher(("heart attack", "mi"))
    found = match_references(lists, m, k=3)
    assert found.hits.shape == found.probabilities.shape == (2, 2, 3, 2)
    assert found.given.tolist() == [[True, True], [True, False]]
    # case one: A names mi at 2 and copd at 3; B says nothing at 1, copd at 2
    assert found.hits[0, 0].tolist() == [[False, False], [True, False], [False, True]]
    assert found.hits[0, 1].tolist() == [[False, False], [False, True], [False, False]]
    assert np.isnan(found.probabilities[0, 1]).tolist() == [[True, True], [False, False], [True, True]]
    # case two has one reference, and lists of 1 and 2
    assert found.hits[1, :, :, 0].tolist() == [[True, False, False], [False, True, False]]
    assert np.isnan(found.probabilities[1, ..., 1]).all()
    assert found.hits[:, :, :1].any(2).tolist() == [[[False, False], [False, False]], [[True, False], [False, False]]]
    assert found.hits.any(2).tolist() == [[[True, True], [False, True]], [[True, False], [True, False]]]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(*[st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)] * 3), min_size=1, max_size=6
    ),
    st.integers(1, 5),
)  # fmt: skip
def test_equal_to_a_plain_loop(drawn, k):
    cases = {f"c{i}": dict(zip(("A", "B", "truth"), lists, strict=True)) for i, lists in enumerate(drawn)}
    lists, m = lists_of(cases), By(shared_letters)
    found = match_references(lists, m, k, pairs_per_call=3)
    expected_pairs = set()
    for i, case in enumerate(lists.cases):
        truth = list(dict.fromkeys(d for d in cases[case]["truth"] if d != "none"))
        assert found.given[i].sum() == len(truth)
        for j, rater in enumerate(lists.raters):
            listed = cases[case][rater]
            for p in range(k):
                for q in range(found.given.shape[1]):
                    there = p < len(listed) and listed[p] != "none" and q < len(truth)
                    if not there:
                        assert np.isnan(found.probabilities[i, j, p, q]) and not found.hits[i, j, p, q]
                        continue
                    probability = shared_letters(listed[p], truth[q])
                    assert found.probabilities[i, j, p, q] == pytest.approx(probability)
                    assert found.hits[i, j, p, q] == (probability >= 0.5)
                    expected_pairs.add(frozenset((listed[p], truth[q])))
    assert len(m.asked) == len(set(m.asked))
    assert set(m.asked) == expected_pairs


def test_a_verdict_is_that_of_the_full_precision():
    """0.7 as float32 is above 0.7: the threshold is held against what M gave."""
    near = By(lambda x, y: 0.7)
    near.threshold = 0.7000000001
    assert not match_references(lists_of({"one": {"A": ["a"], "truth": ["b"]}}), near, 1).hits.any()


def test_no_reference():
    lists = lists_of({"one": {"A": ["a"]}, "two": {"A": ["b"]}})
    m = By(shared_letters)
    found = match_references(lists, m, 2)
    assert found.hits.shape == (2, 1, 2, 0) and found.given.shape == (2, 0) and not m.asked
    assert found.hits.any((2, 3)).tolist() == [[False], [False]]
