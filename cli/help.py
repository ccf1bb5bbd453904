"""Help that fits a screen: what everybody needs in short, of the other groups the names, until --help-all asks for all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from cyclopts.help import DefaultFormatter

from .flags import EVERYWHERE, OPTIONS, OUT

_LONG, _CLAUSE = 75, 20


@dataclass
class Help:
    """How the groups of a command's options are shown. full : each option with all that is said of it."""

    full: bool = False

    def __call__(self, console: Any, options: Any, panel: Any) -> None:
        """Shows one group."""
        title = str(getattr(panel.title, "plain", panel.title))
        if self.full or panel.format == "command" or title in (OUT, OPTIONS):
            for entry in () if self.full else panel.entries:
                _shorten(entry.description)
            DefaultFormatter()(console, options, panel)
            return
        names = " ".join(entry.positive_names[0] for entry in panel.entries)
        hint = "" if title == EVERYWHERE else " (--help-all)"
        console.print(f"{title}{hint}: {names}", markup=False, highlight=False)


def _shorten(description: Any) -> None:
    """Leaves the first clause of a long description, where that says something."""
    text = getattr(description, "primary_renderable", description)
    clause = re.split(r"[:;({]", str(text), maxsplit=1)[0].rstrip(" ,.")
    if len(str(text)) > _LONG and len(clause) > _CLAUSE:
        text.plain = f"{clause}."


shown = Help()
