"""Multiple choice: the shifts, and the figures over the shifts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dxmatch
from dxmatch.errors import OptionError
from dxmatch.evaluation.metrics.multiple_choice import option_at, shifted, shifts

NAN = float("nan")


@pytest.mark.parametrize(
    ("correct", "accuracy", "spread"),
    [
        # questions 3/3, 2/3, 3/3, 1/3: mean 3/4; sd (0 + sqrt(2)/3 + 0 + sqrt(2)/3) / 4
        ([[1, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 1]], 3 / 4, 2**0.5 / 6),
        (np.array([[1, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 1]], bool), 3 / 4, 2**0.5 / 6),
        # the second question has two options, so one shift: 2/2 and 0/1
        ([[1, 0], [1, NAN]], 1 / 2, 0),
        # a question with one answer has as much weight as one with four, unlike in the mean over shifts
        ([[1, 0], [0, NAN], [0, NAN], [0, NAN]], 1 / 8, 3**0.5 / 8),
        ([[1, 0, 1]], 2 / 3, 0),
    ],
)
def test_mean_and_spread_by_hand(correct, accuracy, spread):
    assert dxmatch.metrics.choice_accuracy(correct) == pytest.approx(accuracy)
    assert dxmatch.metrics.choice_spread(correct) == pytest.approx(spread)
    each = [np.asarray(column)[~np.isnan(column)] for column in np.asarray(correct, float).T]
    assert dxmatch.metrics.choice_spread(correct) == pytest.approx(np.mean([column.std() for column in each]))
    assert dxmatch.metrics.choice_all_right(correct) == np.mean([column.all() for column in each])
    assert dxmatch.metrics.choice_any_right(correct) == np.mean([column.any() for column in each])


@pytest.mark.parametrize("correct", [[], [[]], [1, 0], [[2, 0]], [[0.5]], [[1, NAN]]])
def test_refused(correct):
    for metric in (dxmatch.metrics.choice_accuracy, dxmatch.metrics.choice_spread):
        with pytest.raises(OptionError, match="'correct' parameter"):
            metric(correct)


def test_shifts():
    assert [list(shifts(options)) for options in (2, 3, 4, 5, 9)] == [
        [1],
        [1, 2],
        [1, 2, 3],
        [1, 2, 3, 4],
        [1, 2, 3, 4],
    ]
    assert [len(shifts(options, True)) for options in (2, 3, 4, 5, 9)] == [2, 3, 4, 4, 4], "as the source's program"
    assert shifted(["a", "b", "c", "d"], 1) == ["d", "a", "b", "c"]
    assert shifted(["a", "b", "c", "d"], 3) == ["b", "c", "d", "a"]


@pytest.mark.parametrize("options", [0, 1, 27, True, 2.0])
def test_too_few_or_too_many_options(options):
    with pytest.raises(OptionError, match="'n_options' parameter must be a whole number from 2 to 26"):
        shifts(options)


@settings(deadline=None)
@given(st.lists(st.text(), min_size=2, max_size=9), st.integers(0, 12))
def test_the_letter_leads_back(options, by):
    moved = shifted(options, by)
    assert sorted(moved) == sorted(options)
    for place, option in enumerate(moved):
        assert options[option_at(place, by, len(options))] == option
    assert shifted(options, len(options)) == options
