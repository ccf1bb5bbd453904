"""SHAP values: by hand on one tree, against LightGBM's own, and joined over members so that they always add up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.auditing.contributions import _shares, contributions, sampled_rows
from dxmatch.auditing.opened import Opened
from dxmatch.errors import ModelError
from dxmatch.models.ensemble import Combination

pytest.importorskip("shap", reason="an audit needs shap (extra 'explain')")
BOTH_ABOVE = np.array([[1.0, 1.0]], np.float32)


def test_by_hand(matcher_of):
    """Leaves -1, 0, 2 with 40, 45, 15 pairs. With S known: v() = -0.1, v(ratio) = 30/60, v(levenshtein) = 0.4 (-1) + 0.6 (2),
    v(both) = 2. So ratio gets ((0.5 + 0.1) + (2 - 0.8)) / 2 = 0.9 and levenshtein ((0.8 + 0.1) + (2 - 0.5)) / 2 = 1.2."""
    found = contributions(Opened(matcher_of("-1 0 2")), BOTH_ABOVE)
    assert found.base == pytest.approx(-0.1)
    assert found.values == pytest.approx(np.array([[0.9, 1.2]]))
    assert found.strength == pytest.approx([0.9, 1.2])


def test_members_are_averaged(matcher_of):
    one, other = (contributions(Opened(matcher_of(leaves)), BOTH_ABOVE) for leaves in ("-1 0 2", "-3 1 0.5"))
    both = contributions(Opened(matcher_of("-1 0 2", "-3 1 0.5")), BOTH_ABOVE)
    assert both.values == pytest.approx((one.values + other.values) / 2)
    assert both.base == pytest.approx((one.base + other.base) / 2)
    heavy = Combination("mean_raw", (3.0, 1.0))
    weighted = contributions(Opened(matcher_of("-1 0 2", "-3 1 0.5", combination=heavy)), BOTH_ABOVE)
    assert weighted.values == pytest.approx((3 * one.values + other.values) / 4)


def test_mean_probability_of_equal_members_is_one_member(matcher_of):
    mean = Combination("mean_probability", (1.0, 2.0))
    both = contributions(Opened(matcher_of("-1 0 2", "-1 0 2", combination=mean)), BOTH_ABOVE)
    assert both.values == pytest.approx(np.array([[0.9, 1.2]])) and both.base == pytest.approx(-0.1)


def test_mean_probability_adds_up(matcher_of):
    m = matcher_of("-1 0 2", "-6 1 9", combination=Combination("mean_probability"))
    table = np.array([[0, 0], [1, 0], [1, 1], [np.nan, 1]], np.float32)
    found = contributions(Opened(m), table)
    assert found.base + found.values.sum(1) == pytest.approx(m.raw(table), abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(*[st.floats(-9, 9)] * 2, st.floats(0.1, 5)), min_size=1, max_size=5),
    st.sampled_from(["mean_raw", "mean_probability"]),
)
def test_shares_lead_from_the_base_to_the_score(members, kind):
    base, score, weight = (np.array(column) for column in zip(*members, strict=True))
    combination = Combination(kind, tuple(weight))
    shares = _shares(combination, base, score[None])
    moved = float((shares @ (score - base))[0])
    assert moved == pytest.approx(float(combination(score[None])[0] - combination(base[None])[0]), abs=1e-6)
    assert (shares >= 0).all()


def test_lightgbm_says_the_same(matcher):
    """LightGBM's own TreeSHAP is the oracle; a missing value goes its default way."""
    table = np.array([[0.2, 0.9], [0.5, 0.5], [1, 0.7], [np.nan, 0.1], [1, np.nan]], np.float32)
    opened = Opened(matcher)
    own = opened.boosters[0].predict(table, pred_contrib=True)
    found = contributions(opened, table)
    assert found.values == pytest.approx(own[:, :-1]) and found.base == pytest.approx(own[0, -1])


def test_trees_without_counts_are_refused(matcher_of):
    with pytest.raises(ModelError, match="do not add up"):
        contributions(Opened(matcher_of("-1 0 2", counts="0 0 0", internal="0 0")), BOTH_ABOVE)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.booleans(), min_size=1, max_size=300), st.integers(2, 120), st.integers(0, 3))
def test_a_sample_keeps_both_labels_in_their_share(labels, most, seed):
    strata = np.array(labels)
    rows = sampled_rows(strata, most, seed)
    assert len(rows) == len(set(rows.tolist())) == min(most, len(strata)) and (np.diff(rows) > 0).all()
    assert set(strata[rows].tolist()) == set(labels)
    assert abs(strata[rows].mean() - strata.mean()) <= max(1, 0.51 if most > 1 else 1) / len(rows) + 1e-9
    assert rows.tolist() == sampled_rows(strata, most, seed).tolist()
