"""Cells that hold several diagnoses, lists or right answers -> their names, each unlike cell read once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ...errors import quoted
from ...files.table import Table, as_text
from ...terms.text.sentences import says_nothing
from .answer_words import names_of as names_or_none
from .answer_words import says
from .formats.answer import listed
from .raw_answers import ranked_diagnoses

COMMAS_ASK = 10  # from one cell in so many up with a comma that may part it, whether it does is asked
NO_SEPARATOR = "none"
SEPARATORS = 'the option \'separator\': "," where commas part diagnoses, or "none" where they belong to names ("pneumonia, viral")'
_BLANKS = frozenset(["", "null", "nan", "<na>", "#n/a"])
_APART = re.compile(r"[;|\n\r]+(?![^()]*\)|[^\[\]]*\])")  # not within brackets: "t(15;17)" is one name
_BULLET = re.compile(r"^\s*(?:[-*•–]\s+|\(?\d{1,2}[.)]\s+(?=[^\W\d_]))")
_AROUND_A_NAME = 5  # characters in a plain list: a number, quotes, a comma


class ListCell(NamedTuple):
    """What a cell holds.

    names : the list, None for a blank diagnosis in it; None where the cell is blank, or no list can be read from it. in_words : whether it holds
    an answer in words and not a plain list. has_commas : whether it is one diagnosis with a comma.
    """

    names: Sequence[str | None] | None
    in_words: bool = False
    has_commas: bool = False


def check_commas(open_: Mapping[int, str], of: int, what: str, table: Table, column: str) -> list[str]:
    """What to tell of cells with commas that nothing tells; where a tenth of the cells hold some, it is asked. open_ : such cells, by their row.

    Errors: `InputError`, of the first of them.
    """
    if not open_:
        return []
    row, cell = next(iter(open_.items()))
    said = f"{len(open_):,} of {of:,} {what} hold commas, and nothing else parts them"
    if len(open_) * COMMAS_ASK >= of:
        raise table.error(said, row, column, allowed=SEPARATORS, got=cell)
    return [f"{said}: each is one diagnosis ({quoted(cell)}); the option 'separator' parts them."]


def list_cell(value: Any, separator: str | None = None) -> ListCell:
    """A list of texts, or a text that holds a list or an answer in words, by `ranked_diagnoses`. separator : as in `read_lists`.

    A list is in JSON or in Python's form, or parts between `separator`, or between ";" or "|". A word for no diagnosis is a list of that word.

    >>> list_cell("gout; sepsis").names, list_cell("['gout', 'sepsis']").names
    (['gout', 'sepsis'], ['gout', 'sepsis'])
    """
    if isinstance(value, list) and all(isinstance(one, str | None) for one in value):
        return ListCell(value)
    return _of_text(as_text(value) or "", separator)


@lru_cache(maxsize=100_000)
def _of_text(text: str, separator: str | None) -> ListCell:
    bare = text.strip()
    if is_blank(bare):
        return ListCell(None)
    found = _diagnoses(bare, separator)
    is_one = found == [bare] or (found is None and names_or_none([bare]) != [])
    shortest = sum(len(name) + _AROUND_A_NAME for name in ["", *(found or [])])
    has_commas = "," in bare and _is_one_line(bare) and is_one
    return ListCell(found and [name or None for name in found], found is None or shortest < len(text), has_commas)


def is_blank(text: str) -> bool:
    return text.strip().casefold() in _BLANKS


def _diagnoses(text: str, separator: str | None) -> list[str] | None:
    """The diagnoses in a cell, likeliest first; None where no list can be read from it."""
    if (values := listed(text)) is not None and all(isinstance(one, str | None) for one in values):
        return [(one or "").strip() for one in values]
    if says_nothing(text) and not text.startswith(("[", "{")):
        return [text]
    separator = separator if _is_one_line(text) else None
    parts = [part.strip() for part in text.split(separator) if part.strip()] if separator else []
    if len(parts) > 1 and separator != NO_SEPARATOR and not any(says(part) or ":" in part for part in parts):
        return parts
    found = ranked_diagnoses(text)
    return names_or_none([text]) or None if found is None and separator == NO_SEPARATOR else found


def _is_one_line(text: str) -> bool:
    return "\n" not in text and not text.startswith(("{", "[", "<"))


@lru_cache(maxsize=100_000)
def parted(cell: str, separator: str | None = None) -> tuple[str, ...]:
    """The right answers in one cell.

    A list in JSON or Python is taken item by item. Line breaks, ";" and "|" always part, but within brackets; `separator` where it is given.

    >>> parted("gout\\nsepsis")
    ('gout', 'sepsis')
    """
    values = listed(cell)
    if values is not None and all(isinstance(one, str | int | float | None) for one in values):
        return tuple(text for one in values if one is not None and (text := str(one).strip()))
    parts = _APART.split(cell)
    if len(parts) == 1 and separator and separator != NO_SEPARATOR:
        parts = cell.split(separator)
    named = [part for raw in parts if any(map(str.isalnum, part := _BULLET.sub("", raw).strip(" \t,")))]
    return tuple(named or filter(None, [cell.strip()]))
