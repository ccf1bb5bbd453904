"""Cells that a spreadsheet would run as a formula, made plain text."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

_RUNS = r"^(\s*[=+\-@＝＋－＠]|[\t\r\n])"
_NUMBER = r"^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$"


def without_formulas(table: pa.Table) -> pa.Table:
    """The table with an apostrophe before every text that a spreadsheet would run.

    Such a text begins with =, +, -, @ or their wide forms, with blanks before them or not, or with a tab or a line
    break, and is no plain number. "-ve culture" becomes "'-ve culture": the text is no longer what came, so this is
    for reading in a spreadsheet and not for reading back.
    """
    for place, name in enumerate(table.column_names):
        column = table.column(name)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            runs = pc.and_not(pc.match_substring_regex(column, _RUNS), pc.match_substring_regex(column, _NUMBER))
            marked = pc.binary_join_element_wise(pa.scalar("'", column.type), column, pa.scalar("", column.type))
            table = table.set_column(place, name, pc.if_else(runs, marked, column))
    return table
