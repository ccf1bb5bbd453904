"""Names that look equal and are not: soft hyphens, zero-width characters and marks of direction, which come with copied text.

"p1" and "p<zero width space>1" would be two cases, each with half of its rows, and no reader could see why.
"""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..errors import InputError, quoted
from .tables import Table, read_table, tell

LONGEST_NAME = 200
"""Longer cells, and those of several lines, are texts and stay as they were written."""
_SHOWN = 3
# Between letters of scripts that join, and between pictures, a joiner and its opposite are spelling.
_JOINING = "[\u0600-\u08ff\u0900-\u0dff\u0e00-\u0fff\u1000-\u109f\u1780-\u18af\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]"
_DROPPED = re.compile(
    f"(?<={_JOINING})([\u200c\u200d])(?={_JOINING})|[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"
)
_BLANK = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_SUSPECT = r"[\x{00AD}\x{00A0}\x{061C}\x{1680}\x{2000}-\x{200F}\x{202A}-\x{202F}\x{205F}-\x{2064}\x{2066}-\x{2069}\x{3000}\x{FEFF}]"


def visible(text: str) -> str:
    """A name without the characters that nobody sees, each blank of Unicode as a plain one.

    >>> visible("he\\u200bart\\u00a0attack\\ufeff")
    'heart attack'
    """
    return text if text.isascii() else _BLANK.sub(" ", _DROPPED.sub(lambda found: found[1] or "", text))


def visible_names(table: Table) -> Table:
    """The table with column names, and cells that are no longer than a name, as they look; `warnings` says what was left out.

    Errors: `InputError` for two columns that look alike.
    """
    names = [visible(name) for name in table.names]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        alike = [name for name, seen in zip(table.names, names, strict=True) if seen == twice]
        problem = "two columns whose names differ in nothing but characters that cannot be seen"
        raise InputError(problem, source=table.source, allowed="names that look different", got=alike)
    mended: dict[str, str] = {name: seen for name, seen in zip(table.names, names, strict=True) if name != seen}
    where = ["the header"] if mended else []
    columns: list[Any] = []
    for name, column in zip(names, table.data.columns, strict=True):
        cells, found = _cells(column)
        columns.append(cells)
        mended |= found
        where += [quoted(name)] if found else []
    if not mended:
        return table
    data = pa.Table.from_arrays(columns, names=names)
    return replace(table, data=data, warnings=(*table.warnings, told(mended, table.source, ", ".join(where))))


def told(mended: Mapping[str, str], source: str, where: str) -> str:
    """The sentence that says so. mended : texts as they were -> as they look."""
    shown = ", ".join(f"{quoted(was)} as {quoted(now)}" for was, now in list(mended.items())[:_SHOWN])
    more = ", …" if len(mended) > _SHOWN else ""
    return (
        f"{source}: characters that cannot be seen (soft hyphens, zero widths, marks of direction, other blanks) are left out of "
        f"{len(mended):,} {'text' if len(mended) == 1 else 'texts'} in {where}: {shown}{more}."
    )


def read_visible(source: Any, encoding: str | None = None, *, set_aside: bool = False) -> Table:
    """`read_table`, names as they look; each of the table's warnings is given, of a `Table` that came those that are new."""
    read = read_table(source, encoding, warn=False, set_aside=set_aside)
    table = visible_names(read)
    tell(table.warnings[len(read.warnings) if read is source else 0 :])
    return table


def _cells(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, dict[str, str]]:
    """A column with its names as they look, and which ones were changed, as they were -> as they look."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)) or not len(column):
        return column, {}
    if pa.types.is_dictionary(column.type):
        unique = pc.unique(column.cast(kind))
    else:
        if pc.all(pc.string_is_ascii(column)).as_py() is not False:
            return column, {}
        unique = pc.unique(column.filter(pc.match_substring_regex(column, _SUSPECT)))
    found = {
        text: seen
        for text in unique.to_pylist()
        if text is not None
        and len(text) <= LONGEST_NAME
        and "\n" not in text
        and (seen := visible(text)).strip() != text.strip()
    }
    if not found:
        return column, {}
    plain = column.cast(kind)
    at = pc.index_in(plain, pa.array(list(found), kind))
    return pc.coalesce(pc.take(pa.array(list(found.values()), kind), at), plain), found
