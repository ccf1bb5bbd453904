"""SHAP values: by hand on one tree, against LightGBM's own, and joined over members so that they always add up."""

from __future__ import annotations

import sys

import lightgbm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dxmatch
from dxmatch.auditing.contributions import Contributions, sampled_rows, shap_explanation
from dxmatch.errors import MissingExtra, ModelError
from dxmatch.models.ensemble import Combination

BOTH_ABOVE = np.array([[1.0, 1.0]], np.float32)


def test_by_hand(matcher_of):
    """Leaves -1, 0, 2 with 40, 45, 15 pairs. With S known: v() = -0.1, v(ratio) = 30/60, v(levenshtein) = 0.4 (-1) + 0.6 (2),
    v(both) = 2. So ratio gets ((0.5 + 0.1) + (2 - 0.8)) / 2 = 0.9 and levenshtein ((0.8 + 0.1) + (2 - 0.5)) / 2 = 1.2."""
    found = Contributions.of(matcher_of("-1 0 2"), BOTH_ABOVE)
    assert found.base == pytest.approx(-0.1)
    assert found.values == pytest.approx(np.array([[0.9, 1.2]]))
    assert found.strength == pytest.approx([0.9, 1.2])


def test_members_are_averaged(matcher_of):
    one, other = (Contributions.of(matcher_of(leaves), BOTH_ABOVE) for leaves in ("-1 0 2", "-3 1 0.5"))
    both = Contributions.of(matcher_of("-1 0 2", "-3 1 0.5"), BOTH_ABOVE)
    assert both.values == pytest.approx((one.values + other.values) / 2)
    assert both.base == pytest.approx((one.base + other.base) / 2)
    heavy = Combination("mean_raw", (3.0, 1.0))
    weighted = Contributions.of(matcher_of("-1 0 2", "-3 1 0.5", combination=heavy), BOTH_ABOVE)
    assert weighted.values == pytest.approx((3 * one.values + other.values) / 4)


def test_mean_probability_of_equal_members_is_one_member(matcher_of):
    mean = Combination("mean_probability", (1.0, 2.0))
    both = Contributions.of(matcher_of("-1 0 2", "-1 0 2", combination=mean), BOTH_ABOVE)
    assert both.values == pytest.approx(np.array([[0.9, 1.2]])) and both.base == pytest.approx(-0.1)


def test_mean_probability_adds_up(matcher_of):
    m = matcher_of("-1 0 2", "-6 1 9", combination=Combination("mean_probability"))
    table = np.array([[0, 0], [1, 0], [1, 1], [np.nan, 1]], np.float32)
    found = Contributions.of(m, table)
    assert found.base + found.values.sum(1) == pytest.approx(m.raw(table), abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(*[st.floats(-9, 9)] * 2, st.floats(0.1, 5)), min_size=1, max_size=5),
    st.sampled_from(["mean_raw", "mean_probability"]),
)
def test_shares_lead_from_the_base_to_the_score(members, kind):
    base, score, weight = (np.array([column]) for column in zip(*members, strict=True))
    combination = Combination(kind, tuple(weight[0]))
    shares = combination.shares(base, score)
    moved = float((shares * (score - base)).sum())
    assert moved == pytest.approx(float(combination(score)[0] - combination(base)[0]), abs=1e-6)
    assert (shares >= 0).all()


def test_trees_without_counts_are_refused(matcher_of):
    with pytest.raises(ModelError, match="the trees lack the counts"):
        Contributions.of(matcher_of("-1 0 2", counts="0 0 0", internal="0 0"), BOTH_ABOVE)


def test_as_the_library_shap_has_it(matcher):
    """Its explanation holds what its own TreeExplainer computes, so that its plots are of M."""
    shap = pytest.importorskip("shap", reason="needs shap (extra 'explain')")
    pairs = [
        ("hip fracture", "closed fracture of the hip"),
        ("asthma", "gout"),
        ("asthma", "Asthma"),
        ("gout", "asthma"),
    ]
    found = shap_explanation(matcher, pairs)
    (text,) = matcher.parts.trees
    own = shap.TreeExplainer(lightgbm.Booster(model_str=text))(found.data)
    assert isinstance(found, shap.Explanation) and found.feature_names == list(matcher.features.names)
    assert found.values == pytest.approx(own.values) and found.base_values == pytest.approx(own.base_values)
    assert found.values.shape == (4, 2) and found[1].values.tolist() == found[3].values.tolist()
    assert found.base_values + found.values.sum(1) == pytest.approx(matcher.raw(found.data))


def test_only_the_explanation_of_shap_needs_shap(matcher, monkeypatch):
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(MissingExtra, match=r"\[explain\]"):
        shap_explanation(matcher, [("a b", "b c")])
    assert "log-odds" in str(dxmatch.explain(matcher, "a b", "b c"))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.booleans(), min_size=1, max_size=300), st.integers(2, 120), st.integers(0, 3))
def test_a_sample_keeps_both_labels_in_their_share(labels, most, seed):
    strata = np.array(labels)
    rows = sampled_rows(strata, most, seed)
    assert len(rows) == len(set(rows.tolist())) == min(most, len(strata)) and (np.diff(rows) > 0).all()
    assert set(strata[rows].tolist()) == set(labels)
    assert abs(strata[rows].mean() - strata.mean()) <= max(1, 0.51 if most > 1 else 1) / len(rows) + 1e-9
    assert rows.tolist() == sampled_rows(strata, most, seed).tolist()
