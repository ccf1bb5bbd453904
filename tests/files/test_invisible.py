"""Names that differ in characters nobody sees are one name: cases, raters, columns, groups, codes, the join with right answers."""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd
import pytest

from dxmatch.errors import InputError
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.files.invisible import visible, visible_names
from dxmatch.files.tables import read_table

UNSEEN = ("\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u200e", "\u200f", "\u202a", "\u202c", "\u2066", "\u2069", "\u061c")  # fmt: skip
ROWS = [
    {"case_id": case, "rater": rater, "rank": rank, "diagnosis": text, "reference": "gout", "site": site, "icd10": "M10", "role": "algorithm"}
    for case, site in (("p one", "ward a"), ("p two", "ward b"))
    for rater in ("gpt four", "claude")
    for rank, text in enumerate(("gout", "sepsis"), 1)
]  # fmt: skip


def spoilt(name: str, value: str) -> list[dict[str, Any]]:
    """The second row of `ROWS` with another value, which looks the same."""
    return [row | ({name: value} if at == 1 else {}) for at, row in enumerate(ROWS)]


@pytest.mark.parametrize("mark", UNSEEN)
def test_what_nobody_sees_is_left_out_of_a_name(mark: str) -> None:
    assert visible(f"{mark}heart{mark} att{mark}ack{mark}") == "heart attack"


@pytest.mark.parametrize(
    "text",
    ["می\u200cخواهم", "क्\u200dष", "👩\u200d⚕️", "naïve café", "инфаркт", "Sjögren", "a\u2028b", "a\x00b", "a\x85b"],
)
def test_joiners_that_spell_a_word_stay(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize("mark", ["\u200b", "\u00a0"])
@pytest.mark.parametrize(("name", "text"), [("case_id", "p one"), ("rater", "gpt four"), ("site", "ward a"), ("role", "algorithm"), ("icd10", "M10")])  # fmt: skip
def test_a_cell_that_looks_equal_is_equal(name: str, text: str, mark: str) -> None:
    odd = text.replace(" ", mark) if mark in "\u00a0\u202f" and " " in text else text[:1] + mark + text[1:]
    if mark in "\u00a0\u202f" and " " not in text:
        odd = text + mark  # within a word a blank is seen
    read, plain = (read_lists(pd.DataFrame(rows), by="site") for rows in (spoilt(name, odd), ROWS))
    for part in ("cases", "raters", "roles", "references", "more", "strings"):
        assert getattr(read, part) == getattr(plain, part), part
    told = [one for one in read.origin.warnings if "cannot be seen" in one]
    assert bool(told) == (odd.strip() != text)
    assert all(repr(text) in one and f"'{name}'" in one for one in told)


@pytest.mark.parametrize("name", ["case_id", "reference", "site"])
def test_a_column_name_that_looks_equal_is_equal(name: str) -> None:
    odd = f"{name[:2]}\u200b{name[2:]}"
    rows = [{odd if key == name else key: value for key, value in row.items()} for row in ROWS]
    read = read_lists(rows, by=odd if name == "site" else "site")
    assert read.references.groups == read_lists(pd.DataFrame(ROWS), by="site").references.groups
    assert any("the header" in one for one in read.origin.warnings)


def test_columns_that_look_alike_are_refused() -> None:
    with pytest.raises(InputError, match="cannot be seen"):
        read_lists(pd.DataFrame(ROWS).assign(**{"si\u200bte": "x"}))


def test_texts_stay_as_written_and_plain_tables_are_not_copied() -> None:
    long, lines = "a\u200b" * 150, "1. gout\u200b\n2. sepsis"
    table = read_table([{"note": long}, {"note": lines}, {"note": None}])
    assert visible_names(table) is table
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain = read_table([{"note": "naïve café", "n": 1}])
        assert visible_names(plain) is plain
