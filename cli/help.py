"""Help that fits a screen: what everybody needs in full, of the other groups the names, until --help-all asks for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cyclopts.help import DefaultFormatter

from .flags import EVERYWHERE, OPTIONS, OUT


@dataclass
class Help:
    """How the groups of a command's options are shown. full : each option with its description."""

    full: bool = False

    def __call__(self, console: Any, options: Any, panel: Any) -> None:
        """Shows one group."""
        title = str(getattr(panel.title, "plain", panel.title))
        if self.full or panel.format == "command" or title in (OUT, OPTIONS):
            DefaultFormatter()(console, options, panel)
            return
        names = " ".join(entry.positive_names[0] for entry in panel.entries)
        hint = "" if title == EVERYWHERE else " (--help-all)"
        console.print(f"{title}{hint}: {names}", markup=False, highlight=False)


shown = Help()
