"""What the headings of a sheet with a row for each case say: ranks of one list, models, or neither for certain."""

from __future__ import annotations

import csv
from itertools import cycle
from pathlib import Path

import pandas as pd
import pytest

from dxmatch.errors import InputError
from dxmatch.evaluation.read.reading import read_lists

_CASES = Path(__file__).parents[2] / "cases" / "headings.csv"
"""Headings beside case and reference; whose lists they are, with the length of each, or "refused"."""
_NAMES = ("gout", "sepsis", "asthma", "lupus", "flu", "anemia", "stroke", "angina", "migraine", "eczema", "scabies")


def _cases() -> list[tuple[str, str]]:
    with _CASES.open(encoding="utf-8", newline="") as file:
        return [(row["headings"], row["read"]) for row in csv.DictReader(file)]


@pytest.mark.parametrize(("headings", "read"), _cases())
def test_what_headings_say(headings: str, read: str) -> None:
    columns, name = headings.split(","), cycle(_NAMES)
    rows = [{"case": f"c{i}", "gold": _NAMES[i], **{column: next(name) for column in columns}} for i in range(5)]
    try:
        lists = read_lists(pd.DataFrame(rows))
    except InputError as error:
        assert read == "refused" and "columns" in str(error)
    else:
        lengths = lists.lengths[0].tolist()
        assert "; ".join(f"{who} {n}" for who, n in zip(lists.raters, lengths, strict=True)) == read
