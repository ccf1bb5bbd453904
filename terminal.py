"""A console for tables and sentences: as wide as its terminal, and without a width where there is none."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_OF_A_PIPE = 1000
"""More than a row of any table needs, so that no name or path is wrapped or cut."""


def wide_console() -> Console:
    """Standard output as rich writes to it. In a pipe or a file nothing is wrapped, unless COLUMNS says where."""
    from rich.console import Console

    made = Console()
    if not (made.is_terminal or made.is_jupyter or os.environ.get("COLUMNS", "").isdigit()):
        made.width = _OF_A_PIPE
    return made
