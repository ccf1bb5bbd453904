"""Which column of a table holds its terms, where nobody says it."""

from __future__ import annotations

from ..errors import InputError, Open, Remedy
from .tables import Table

NAMES = ("diagnosis", "dx", "term", "name", "disease", "condition", "problem", "text", "diagnoses", "terms", "names")
"""What it may be called, in any case; the first that is there."""


def term_column(table: Table, column: str | None = None, option: str | None = None) -> str:
    """`column`, which must be there; without it the first of `NAMES` that is, else the only one.

    option : the parameter that names the column, for errors.

    Errors: `InputError` where there is none.
    """
    if column is not None:
        table.require(column, "the terms", option=option)
        return column
    lowered = {name.casefold(): name for name in reversed(table.names)}
    if (found := next((lowered[name] for name in NAMES if name in lowered), None)) is not None:
        return found
    if len(table.names) == 1:
        return table.names[0]
    raise InputError(
        "which column holds the terms?",
        source=table.source,
        allowed=f"a column {', '.join(map(repr, NAMES[:4]))} or such, or a single column",
        got=table.names,
        remedy=None if option is None else Remedy("names the column", **{option: Open("COLUMN")}),
    )
