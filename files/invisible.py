"""Names that look equal and are not: soft hyphens, zero-width characters and marks of direction, which come with copied text.

"p1" and "p<zero width space>1" would be two cases, each with half of its rows, and no reader could see why.
"""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..errors import InputError, ReadingWarning, quoted, warn
from .table import Table, is_text
from .tables import read_table
from .wording import counted

LONGEST_NAME = 200
"""Longer cells, and those of several lines, are texts and stay as they were written."""
_HIDDEN = "\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
# The two joiners are spelling in scripts that join, and in pictures.
_UNSEEN = re.compile(f"[{_HIDDEN}]|(?<=[ -~])[\u200c\u200d]|[\u200c\u200d](?=[ -~]|$)")
_BLANK = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")


def visible(text: str) -> str:
    """A name without the characters that nobody sees, each blank of Unicode as a plain one.

    >>> visible("he\\u200bart\\u00a0attack\\ufeff")
    'heart attack'
    """
    return text if text.isascii() else _BLANK.sub(" ", _UNSEEN.sub("", text))


def visible_names(table: Table) -> Table:
    """The table with column names, and cells that are no longer than a name, as they look; `warnings` says what was left out."""
    names = [visible(name) for name in table.names]
    if len(set(names)) < len(names):
        problem = "two columns whose names differ in nothing but characters that cannot be seen"
        raise InputError(problem, source=table.source, allowed="names that look different", got=table.names)
    found = {was: (now, "the header") for was, now in zip(table.names, names, strict=True) if was != now}
    columns = []
    for name, column in zip(names, table.data.columns, strict=True):
        texts, mended = _visible_cells(column)
        columns.append(texts)
        found |= {was: (now, quoted(name)) for was, now in mended.items()}
    if not found:
        return table
    was, (now, where) = next(iter(found.items()))
    left = f"{table.source}: characters that cannot be seen are left out of {counted(len(found), 'text')}"
    told = f"{left}, the first {quoted(was)} in {where}, read as {quoted(now)}."
    return replace(table, data=pa.table(columns, names=names), warnings=(*table.warnings, told))


def read_visible(source: Any, encoding: str | None = None, *, set_aside: bool | None = None) -> Table:
    """`read_table`, names as they look, and a warning where they looked otherwise; of a `Table` that came what is new."""
    read = read_table(source, encoding, set_aside=set_aside)
    table = visible_names(read)
    for told in table.warnings[len(read.warnings) :]:
        warn(told, ReadingWarning)
    return table


def _visible_cells(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, dict[str, str]]:
    """A column with its names as they look, and which ones were changed, as they were -> as they look."""
    if not is_text(column.type) or not len(column):
        return column, {}
    texts = column.cast(pa.large_string())
    ascii_ = pc.fill_null(pc.string_is_ascii(texts), True)
    if pc.all(ascii_).as_py():
        return column, {}
    beyond = texts.filter(pc.invert(ascii_)).unique().to_pylist()
    names = [text for text in beyond if len(text) <= LONGEST_NAME and "\n" not in text]
    found = {text: now for text in names if (now := visible(text)).strip() != text.strip()}
    if not found:
        return column, {}
    at = pc.index_in(texts, pa.array(list(found), texts.type))
    return pc.coalesce(pc.take(pa.array(list(found.values()), texts.type), at), texts), found
