"""Thresholds in words."""

import pytest

from dxmatch.files.counted import shown_threshold


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.25134, "0.251"), (0.5, "0.500"), (0.999999, "0.999999"), (0.0001, "0.0001"), (0.0, "0.000"), (1.0, "1.000")],
)
def test_a_threshold_is_not_rounded_to_what_it_is_not(value: float, said: str) -> None:
    assert shown_threshold(value) == said
