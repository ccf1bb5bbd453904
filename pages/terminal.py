"""A console for tables and sentences: as wide as its terminal, and without a width where there is none."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

_OF_A_PIPE = 1000
"""More than a row of any table needs, so that no name or path is wrapped or cut."""


def wide_console() -> Console:
    """Standard output as rich writes to it. In a pipe or a file nothing is wrapped, unless COLUMNS says where."""
    made = Console()
    if not (made.is_terminal or made.is_jupyter or os.environ.get("COLUMNS", "").isdigit()):
        made.width = _OF_A_PIPE
    return made


def print_table(header: Iterable[str], rows: Iterable[Iterable[str | Text]], **looks: Any) -> None:
    """A table on standard output. What stands in it is text as it is, never rich's markup. looks : as of `rich.table.Table`."""
    table = Table(**looks)
    for name in header:
        table.add_column(Text(name))
    for row in rows:
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    wide_console().print(table)
