"""What the headings of a sheet with a row for each case say: ranks of one list, models, or neither for certain."""

from __future__ import annotations

from itertools import cycle

import pandas as pd
import pytest

from dxmatch.errors import InputError
from dxmatch.evaluation.read.reading import read_lists

from ..made import rows_in

_NAMES = ("gout", "sepsis", "asthma", "lupus", "flu", "anemia", "stroke", "angina", "migraine", "eczema", "scabies")


@pytest.mark.parametrize("case", rows_in("../cases/headings"), ids=lambda case: case["headings"])
def test_what_headings_say(case: dict[str, str]) -> None:
    """headings.csv: the headings; the one of right answers, where none a column "gold" holds them; whose lists they are, with the
    length of each, or "refused"."""
    headings, right, read = case.values()
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
