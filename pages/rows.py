"""Rows as tables and as JSON: what is not known is null, never NaN."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]
"""One row of a table, by the names of its columns."""


def known(value: Any) -> Any:
    """None for NaN."""
    return None if value is None or value != value else value


def plain_number(value: Any) -> Any:
    """A NumPy number as Python's; the `default` of `json.dumps`."""
    return value.item()


def json_rows(rows: Iterable[Row]) -> list[Row]:
    return [{key: known(value) for key, value in row.items()} for row in rows]


def arrow_table(rows: list[Row], first: tuple[str, ...] = ()) -> pa.Table:
    """One column for each key, those in `first` before the others; NaN is null."""
    import pyarrow as pa

    names = dict.fromkeys((*first, *(key for row in rows for key in row)))
    table = pa.table({name: [known(row.get(name)) for row in rows] for name in names})
    # a column in which nothing is known still has its type
    fields = [pa.field(f.name, pa.float64()) if pa.types.is_null(f.type) else f for f in table.schema]
    return table.cast(pa.schema(fields))
