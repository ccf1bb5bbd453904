"""Multiple choice: the shifts, and the figures over the shifts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import OptionError
from dxmatch.evaluation.score.choice import option_at, shifted, shifts


@pytest.mark.parametrize(
    ("options", "of_source", "of_program"), [(2, 1, 2), (3, 2, 3), (4, 3, 4), (5, 4, 4), (9, 4, 4)]
)
def test_shifts(options, of_source, of_program):
    assert list(shifts(options)) == list(range(1, of_source + 1)) and len(shifts(options, True)) == of_program


@pytest.mark.parametrize("options", [1, 27])
def test_too_few_or_too_many_options(options):
    with pytest.raises(OptionError, match="'n_options'"):
        shifts(options)


@settings(deadline=None)
@given(st.lists(st.text(), min_size=2, max_size=9), st.integers(0, 12))
def test_the_letter_leads_back(options, by):
    moved = shifted(options, by)
    assert moved[by % len(options)] == options[0] and sorted(moved) == sorted(options)
    assert [options[option_at(place, by, len(options))] for place in range(len(options))] == moved
