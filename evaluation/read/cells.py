"""Cells that hold whole lists -> their diagnoses, each unlike cell read once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...files.table import as_text
from ...terms.text.sentences import says_nothing
from .answer_words import names_or_none, says
from .raw_answers import ranked_diagnoses
from .structured_answers import listed

LIST, MISSING, UNREAD = 0, 1, 2
COMMAS_ASK = 10  # from one cell in so many up with a comma that may part it, whether it does is asked
NO_SEPARATOR = "none"
SEPARATORS = 'the option \'separator\': "," where commas part diagnoses, or "none" where they belong to names ("pneumonia, viral")'
_BLANKS = frozenset(["", "null", "nan", "<na>", "#n/a"])
_AROUND_A_NAME = 5  # characters in a plain list: a number, quotes, a comma


def commas_ask(open_: int, of: int) -> bool:
    """Whether so many of the cells hold commas that nothing tells, that the user must say what they are."""
    return open_ > 0 and open_ * COMMAS_ASK >= of


@dataclass(frozen=True)
class ListCells:
    """The lists in n cells. status : int8 [n], LIST, MISSING (blank) or UNREAD. lengths : int64 [n], 0 but for lists.

    diagnoses : of all lists, one after the other; null for a blank. text : of a cell, as it came.
    in_words : bool [n], cells that hold an answer in words and not a plain list. commas : bool [n], cells that are one diagnosis with a comma.
    """

    status: NDArray[np.int8]
    lengths: NDArray[np.int64]
    diagnoses: pa.Array
    text: Callable[[int], str]
    in_words: NDArray[np.bool_]
    commas: NDArray[np.bool_]


def list_cells(column: pa.ChunkedArray, separator: str | None = None) -> ListCells:
    """A column of lists of texts, or of texts that hold lists or answers (`diagnoses_in`). separator : as in `read_lists`."""
    values = column.to_pylist()
    cells = [_cell(value, separator) for value in values]
    status, lists, words, commas = zip(*cells, strict=True) if cells else [()] * 4
    diagnoses = pa.array([name or None for names in lists for name in names], pa.large_string())
    lengths, flags = np.array([*map(len, lists)], np.int64), (np.array(words, bool), np.array(commas, bool))
    return ListCells(np.array(status, np.int8), lengths, diagnoses, lambda i: str(values[i] or ""), *flags)


def _cell(value: Any, separator: str | None) -> tuple[int, list[str | None], bool, bool]:
    """Status, list, whether it is an answer in words, whether it is one diagnosis with a comma."""
    if isinstance(value, list) and all(isinstance(one, str | None) for one in value):
        return LIST, value, False, False
    return _of_text(as_text(value) or "", separator)


@lru_cache(maxsize=100_000)
def _of_text(text: str, separator: str | None) -> tuple[int, list[str | None], bool, bool]:
    if is_blank(text):
        return MISSING, [], False, False
    bare, found = text.strip(), diagnoses_in(text, separator)
    may_part = (
        "," in bare and _is_one_line(bare) and (found == [bare] or (found is None and names_or_none([bare]) != []))
    )
    if found is None:
        return UNREAD, [], True, may_part
    return LIST, [*found], sum(len(name) + _AROUND_A_NAME for name in ["", *found]) < len(bare), may_part


def is_blank(text: str) -> bool:
    return text.strip().casefold() in _BLANKS


def diagnoses_in(text: str, separator: str | None = None) -> list[str] | None:
    """The diagnoses in a cell, likeliest first; None where no list can be read from it.

    A list in JSON or in Python's form; parts between `separator`, or between ";" or "|"; else as an answer in words, by `ranked_diagnoses`.
    A word for no diagnosis is a list of that word.

    >>> diagnoses_in("gout; sepsis"), diagnoses_in("['gout', 'sepsis']")
    (['gout', 'sepsis'], ['gout', 'sepsis'])
    """
    text = text.strip()
    if (values := listed(text)) is not None and all(isinstance(one, str) or one is None for one in values):
        return [(one or "").strip() for one in values]
    if says_nothing(text) and not text.startswith(("[", "{")):
        return [text]
    if not _is_one_line(text):
        return ranked_diagnoses(text)
    parts = [part.strip() for part in text.split(separator) if part.strip()] if separator else []
    if len(parts) > 1 and separator != NO_SEPARATOR and not any(says(part) or ":" in part for part in parts):
        return parts
    found = ranked_diagnoses(text)
    return names_or_none([text]) or None if found is None and separator == NO_SEPARATOR else found


def _is_one_line(text: str) -> bool:
    return "\n" not in text and not text.startswith(("{", "[", "<"))
