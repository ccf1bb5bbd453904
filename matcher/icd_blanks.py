"""Rows of a table without a diagnosis, which keep their place beside the codes of the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ..errors import quoted
from ..files.tables import Table

BLANK = "blank"


def blanks_told(table: Table, rows: Sequence[int], column: str, unique: bool) -> str:
    """The warning of rows that are not among `rows`, which have a diagnosis."""
    blank = sorted(set(range(len(table))) - set(rows))
    kept = "are left out" if unique else f"keep their place, with {BLANK!r} in the column 'how'"
    return (
        f"{table.source}: {len(blank):,} of {len(table):,} rows have no diagnosis in {quoted(column)}, the first is row "
        f"{table.row_number(blank[0])}. They {kept}."
    )


def in_place(mapped: pa.Table, rows: Sequence[int], n: int) -> pa.Table:
    """One row for each of n that were read, of which `mapped` has `rows`; the others have no code."""
    if len(rows) == n:
        return mapped
    at = np.full(n, -1)
    at[np.asarray(rows)] = np.arange(len(rows))
    table = mapped.take(pa.array(at, mask=at < 0))
    for name, instead in (("how", BLANK), ("candidates", [])):
        field = table.schema.field(name)
        filled = [instead if value is None else value for value in table[name].to_pylist()]
        table = table.set_column(table.schema.get_field_index(name), field, pa.array(filled, field.type))
    return table
