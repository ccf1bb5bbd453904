"""Multiple choice: the shifts, and the figures over the shifts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import OptionError
from dxmatch.evaluation.score.choice import (
    choice_accuracy,
    choice_all_right,
    choice_any_right,
    choice_spread,
    option_at,
    shifted,
    shifts,
)

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
    assert choice_accuracy(correct) == pytest.approx(accuracy)
    assert choice_spread(correct) == pytest.approx(spread)
    each = [np.asarray(column)[~np.isnan(column)] for column in np.asarray(correct, float).T]
    assert choice_spread(correct) == pytest.approx(np.mean([column.std() for column in each]))
    assert choice_all_right(correct) == np.mean([column.all() for column in each])
    assert choice_any_right(correct) == np.mean([column.any() for column in each])


@pytest.mark.parametrize("correct", [[], [[]], [1, 0], [[2, 0]], [[0.5]], [[1, NAN]]])
def test_refused(correct):
    for metric in (choice_accuracy, choice_spread):
        with pytest.raises(OptionError, match="'correct'"):
            metric(correct)


@pytest.mark.parametrize(
    ("options", "of_source", "of_program"), [(2, 1, 2), (3, 2, 3), (4, 3, 4), (5, 4, 4), (9, 4, 4)]
)
def test_shifts(options, of_source, of_program):
    assert list(shifts(options)) == list(range(1, of_source + 1)) and len(shifts(options, True)) == of_program


@pytest.mark.parametrize("options", [0, 1, 27, True, 2.0])
def test_too_few_or_too_many_options(options):
    with pytest.raises(OptionError, match="'n_options'"):
        shifts(options)


@settings(deadline=None)
@given(st.lists(st.text(), min_size=2, max_size=9), st.integers(0, 12))
def test_the_letter_leads_back(options, by):
    moved = shifted(options, by)
    assert moved[by % len(options)] == options[0] and sorted(moved) == sorted(options)
    assert [options[option_at(place, by, len(options))] for place in range(len(options))] == moved
