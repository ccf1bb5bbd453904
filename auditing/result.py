"""An audit that writes itself: a page, numbers, tables, charts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..errors import DxmatchError
from ..files.atomic import make_folder, whole_file
from ..files.tables import write_table
from ..pages.files import save_figures
from ..pages.rows import plain_number
from .charts import all_figures
from .page import page
from .results.audit_tables import TABLES, AuditTables

PAGE, NUMBERS = "audit.html", "audit.json"


@dataclass(frozen=True)
class Audit(AuditTables):
    """What `audit` returns."""

    def save(self, folder: str | os.PathLike[str], *, spreadsheet: bool = False) -> Path:
        """Writes audit.html, audit.json and a CSV for each table, each file whole or not at all; an earlier audit gives way.

        spreadsheet : in a CSV, an apostrophe goes before every text that a spreadsheet would run as a formula.

        Errors: `DxmatchError` for a folder that holds something else.
        """
        target = check_folder(folder)
        numbers = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1, default=plain_number)
        written = page(self)
        make_folder(target)
        # first of all: with it, the folder is an audit that a later one may replace
        _write(target / NUMBERS, numbers)
        for name in TABLES:
            file = target / f"{name}.csv"
            if name in self.tables:
                write_table(self.tables[name], file, spreadsheet=spreadsheet or None)
            else:
                file.unlink(missing_ok=True)
        _write(target / PAGE, written)
        return target

    def save_charts(self, folder: str | os.PathLike[str], formats: Iterable[str] = ("png", "svg")) -> list[Path]:
        """Every chart of the page as a file of its own, in a folder that is made where it is absent.

        Errors: `OptionError` for a format that is neither "png" nor "svg".
        """
        return save_figures(all_figures(self), folder, formats)


def check_folder(folder: str | os.PathLike[str]) -> Path:
    """Whether an audit may be written there, asked before any long work begins.

    Errors: `DxmatchError` for a file, or a folder that holds something other than an audit.
    """
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise DxmatchError(f"{target} is a file; an audit needs a folder.")
    if target.is_dir() and (entries := {entry.name for entry in target.iterdir()}):
        others = entries - {PAGE, NUMBERS, *(f"{name}.csv" for name in TABLES)} if NUMBERS in entries else entries
        if others:
            raise DxmatchError(
                f"{target} holds something else ({min(others)}). Allowed: a new folder, an empty one, or an earlier audit."
            )
    return target


def _write(path: Path, text: str) -> None:
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
