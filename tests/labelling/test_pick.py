from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.labelling.pick import capped, diverse, pair_vectors, uncertainty


def test_uncertainty_is_highest_at_the_threshold_and_even_in_log_odds() -> None:
    # At a threshold of 0.2 (odds 1/4), 0.5 (odds 1) and 1/17 (odds 1/16) are four-fold away: 4 * 4 / (1 + 4)^2 = 16/25.
    found = uncertainty(np.array([0.2, 0.5, 1 / 17, 0.0, 1.0]), 0.2)
    assert found[:3] == pytest.approx([1, 0.64, 0.64])
    assert np.all((found[3:] > 0) & (found[3:] < 1e-10))


def test_uncertainty_of_a_threshold_at_the_edge_is_finite() -> None:
    assert np.isfinite(uncertainty(np.array([0.0, 0.5, 1.0]), 1.0)).all()


def test_no_diagnosis_stands_in_more_pairs_than_allowed() -> None:
    first, second = np.array([0, 0, 0, 1], np.int32), np.array([1, 2, 3, 3], np.int32)
    order = np.array([2, 0, 1, 3])
    assert capped(order, first, second, 4, 1).tolist() == [2]  # diagnoses 0 and 3; each other pair has one of them
    assert capped(order, first, second, 4, 2).tolist() == [2, 0, 3]
    assert capped(order, first, second, 2, 9).tolist() == [2, 0]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=40), st.integers(1, 4), st.integers(0, 50))
def test_capped_keeps_its_promise(pairs: list[tuple[int, int]], limit: int, count: int) -> None:
    first, second = (np.array([pair[side] for pair in pairs], np.int32) for side in (0, 1))
    taken = capped(np.arange(len(pairs)), first, second, count, limit)
    assert len(set(taken.tolist())) == len(taken) <= count
    uses = [sum(name in pairs[i] for i in taken) for name in range(7)]
    assert max(uses) <= limit
    if len(taken) < count:  # no other pair would have fitted
        for pair in set(range(len(pairs))) - set(taken.tolist()):
            assert any(uses[name] == limit for name in pairs[pair])


def test_one_pair_of_each_cluster() -> None:
    centres = np.array([[0, 0], [10, 0], [0, 10]], np.float32)
    near = np.concatenate([centres + np.array([0, 0.01 * step]) for step in range(20)]).astype(np.float32)
    picked = diverse(near, np.ones(60), 3, seed=0)
    assert sorted((picked % 3).tolist()) == [0, 1, 2]


def test_equal_vectors_are_filled_up_by_weight() -> None:
    weight = np.array([0.1, 0.5, 0.9, 0.3])
    assert set(diverse(np.zeros((4, 2), np.float32), weight, 2, seed=0).tolist()) >= {2}
    assert diverse(np.zeros((4, 2), np.float32), weight, 9, seed=0).tolist() == [0, 1, 2, 3]


def test_pair_vectors_do_not_depend_on_the_order_and_take_unknown_values() -> None:
    table = np.array([[0.1, np.nan, np.nan], [0.9, 1.0, np.nan], [0.5, 0.0, np.nan]], np.float32)
    names = np.eye(4, dtype=np.float32)
    first, second = np.array([0, 1, 2], np.int32), np.array([1, 2, 3], np.int32)
    one, other = (pair_vectors(table, names, *sides) for sides in ((first, second), (second, first)))
    assert np.array_equal(one, other)
    assert np.isfinite(one).all()
    assert one.shape == (3, 2 + 4)  # the column that nobody knows is left out
    for part in (one[:, :2], one[:, 2:]):
        assert (part.astype(float) ** 2).sum(axis=1).mean() == pytest.approx(1)
