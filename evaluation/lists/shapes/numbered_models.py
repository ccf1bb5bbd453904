"""Columns with numbers behind the models' names, "GPT-4o 1" to "GPT-4o 5": ranks of one list, or runs of one model."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

import pyarrow as pa
import pyarrow.compute as pc

from ....errors import quoted
from ....files.tables import Table

_NUMBERED = re.compile(r"(?P<model>.*\S)(?:[\s_.\-#]+|(?<=[^\W\d_]))(?P<number>\d{1,2})")
_RUN = re.compile(r"(?:run|repeat|trial|seed|sample|prompt|attempt|lauf|durchlauf|essai|version|v)\s*$", re.IGNORECASE)
_FEWEST = 2
_MOST_TWICE = 0.1
"""The share of cases with one diagnosis twice under one name, past which the numbers are runs: a list seldom repeats itself, runs agree."""


def ranks_of_models(table: Table, models: Collection[str]) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """Model -> its columns by rank, {} where each column is a model; and what was made of the numbers, for above the figures."""
    series = numbered_series(models)
    if not series:
        return {}, ()
    numbers = f"The numbers behind the models' names ({quoted(next(iter(models)))})"
    if _are_ranks(table, series):
        why = "since hardly a case has one diagnosis twice under one name. Where they are runs, say so in the names: 'run 1'."
        return series, (f"{numbers} are taken for ranks, {why}",)
    why = "since cases have one diagnosis several times under one name, or lists. Where they are ranks, say so in the names: 'dx 1'."
    return {}, (f"{numbers} are taken for runs, each a model of its own, {why}",)


def numbered_series(names: Iterable[str]) -> dict[str, list[str]]:
    """Model -> its columns by number, where all names are of two or more models whose numbers go on from 1; else {}.

    "Llama 2, Llama 3" are two models, and so are "gpt 1, gpt 2" with no other beside them.

    >>> numbered_series(["A 1", "A 2", "B 2", "B 1"])
    {'A': ['A 1', 'A 2'], 'B': ['B 1', 'B 2']}
    """
    series: dict[str, dict[int, str]] = {}
    for name in names:
        found = _NUMBERED.fullmatch(name.strip())
        if found is None or _RUN.search(found["model"]):
            return {}
        series.setdefault(found["model"], {})[int(found["number"])] = name
    whole = all(len(of) >= _FEWEST and sorted(of) == [*range(1, len(of) + 1)] for of in series.values())
    return {model: [of[n] for n in sorted(of)] for model, of in series.items()} if whole and len(series) > 1 else {}


def _are_ranks(table: Table, series: dict[str, list[str]]) -> bool:
    """Whether the cells are those of lists: one line each, and seldom one diagnosis twice in a case under one name."""
    cases = twice = 0
    for columns in series.values():
        cells = [_folded(table, name) for name in columns]
        if any(pc.any(pc.match_substring_regex(each, r"[\n;]|^\s*1[.)]")).as_py() for each in cells):
            return False
        several = pa.array([False] * len(table))
        again = several
        for i, one in enumerate(cells):
            for other in cells[:i]:
                both = pc.and_(pc.is_valid(one), pc.is_valid(other))
                several = pc.or_(several, both)
                again = pc.or_(again, pc.fill_null(pc.equal(one, other), False))
        cases += pc.sum(several).as_py() or 0
        twice += pc.sum(again).as_py() or 0
    return cases > 0 and twice <= _MOST_TWICE * cases


def _folded(table: Table, name: str) -> pa.Array:
    """The texts of a column in small letters, blanks as null."""
    column = table.data.column(name).combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    text = pc.utf8_lower(pc.utf8_trim_whitespace(column.cast(pa.large_string())))
    return pc.if_else(pc.equal(text, ""), None, text)
