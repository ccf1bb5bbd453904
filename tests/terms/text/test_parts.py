"""Where a text falls into parts, and how long it takes to find out."""

import time

import pytest

from dxmatch.terms.text.understood import ways_apart


@pytest.mark.parametrize(
    ("raw", "parts"),
    [
        ("gout ; asthma", ["gout", "asthma"]),
        ("gout\n \r\nasthma", ["gout", "asthma"]),
        ("gout vs. asthma", ["gout", "asthma"]),
        ("gout / / asthma", ["gout", "asthma"]),
        ("1. gout 2) asthma", ["gout", "asthma"]),
    ],
)
def test_parts_come_without_the_blanks_around_them(raw: str, parts: list[str]) -> None:
    assert parts in [way for way, _ in ways_apart(raw)]


@pytest.mark.parametrize(
    "raw", ["gout" + " " * 50_000 + "b; c", "gout" + "\n" * 50_000 + "b", "a," + " " * 50_000 + "b", " or" * 20_000]
)
def test_a_long_run_of_separators_takes_no_more_time_than_its_length(raw: str) -> None:
    began = time.thread_time()
    ways_apart(raw)
    assert time.thread_time() - began < 1
