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

from ..errors import InputError, quoted
from .columns import is_text
from .counted import counted
from .tables import Table, read_table, tell

LONGEST_NAME = 200
"""Longer cells, and those of several lines, are texts and stay as they were written."""
_HIDDEN = "\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
# The two joiners are spelling in scripts that join, and in pictures.
_UNSEEN = re.compile(f"[{_HIDDEN}]|(?<=[ -~])[\u200c\u200d]|[\u200c\u200d](?=[ -~]|$)")
_BLANK = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_SUSPECT = f"[{_HIDDEN}\u200c\u200d]|{_BLANK.pattern}"


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
    columns, found = zip(*map(_visible_cells, table.data.columns), strict=True)
    mended = {was: now for was, now in zip(table.names, names, strict=True) if was != now}
    where = [*(["the header"] if mended else []), *(quoted(name) for name, of in zip(names, found, strict=True) if of)]
    if not where:
        return table
    mended = {**mended, **{was: now for of in found for was, now in of.items()}}
    was, now = next(iter(mended.items()))
    told = (
        f"{table.source}: characters that cannot be seen are left out of {counted(len(mended), 'text')} in {', '.join(where)}, "
        f"the first {quoted(was)}, read as {quoted(now)}."
    )
    return replace(table, data=pa.table([*columns], names=names), warnings=(*table.warnings, told))


def read_visible(source: Any, encoding: str | None = None, *, set_aside: bool = False) -> Table:
    """`read_table`, names as they look, and a warning where they looked otherwise; of a `Table` that came what is new."""
    read = read_table(source, encoding, set_aside=set_aside)
    table = visible_names(read)
    tell(table.warnings[len(read.warnings) :])
    return table


def _visible_cells(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, dict[str, str]]:
    """A column with its names as they look, and which ones were changed, as they were -> as they look."""
    if not is_text(column.type) or not len(column):
        return column, {}
    texts = column.cast(pa.large_string())
    if pc.all(pc.string_is_ascii(texts)).as_py() is not False:
        return column, {}
    suspect = texts.filter(pc.match_substring_regex(texts, _SUSPECT)).unique().to_pylist()
    names = [text for text in suspect if text is not None and len(text) <= LONGEST_NAME and "\n" not in text]
    found = {text: visible(text) for text in names if visible(text).strip() != text.strip()}
    if not found:
        return column, {}
    at = pc.index_in(texts, pa.array(list(found), texts.type))
    return pc.coalesce(pc.take(pa.array(list(found.values()), texts.type), at), texts), found
