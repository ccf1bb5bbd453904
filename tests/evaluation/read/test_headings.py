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
"""Headings; the one of right answers, where none a column "gold" holds them; whose lists they are, with the length of each, or "refused"."""
_NAMES = ("gout", "sepsis", "asthma", "lupus", "flu", "anemia", "stroke", "angina", "migraine", "eczema", "scabies")


def _cases() -> list[tuple[str, ...]]:
    with _CASES.open(encoding="utf-8", newline="") as file:
        return [*map(tuple, csv.reader(file))][1:]


@pytest.mark.parametrize(("headings", "right", "read"), _cases())
def test_what_headings_say(headings: str, right: str, read: str) -> None:
    columns, name = [*([] if right else ["gold"]), *headings.split(",")], cycle(_NAMES)
    rows = [{"case": f"c{i}", **{column: next(name) for column in columns}} for i in range(5)]
    try:
        lists = read_lists(pd.DataFrame(rows))
    except InputError as error:
        assert read == "refused" and "columns" in str(error)
    else:
        lengths = lists.lengths[0].tolist()
        assert "; ".join(f"{who} {n}" for who, n in zip(lists.raters, lengths, strict=True)) == read
        assert lists.reference[0][:1] == (rows[0][right or "gold"],)
