"""What `reasoning` returns: the figures of every run, with the ways to save them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...files.atomic import whole_file
from ...pages.rows import json_rows, plain_number
from ...pages.words import in_markdown
from .board import OTHER_NOTES
from .results import ReasoningResults

FORMAT = 1
SUFFIXES = (".html", ".json", ".md", ".csv", ".tsv", ".jsonl", ".parquet", ".xlsx")


@dataclass(frozen=True, repr=False)
class Reasoning(ReasoningResults):
    """`ReasoningResults` that save themselves."""

    def __repr__(self) -> str:
        return f"Reasoning of {len(self.runs[0].notes):,} notes\n\n{self.to_markdown()}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "warnings": self.warnings,
            "made_with": self.made_with,
            "notes": self.notes,
            "table": json_rows(self.rows),
            "differences": json_rows(self.difference_rows),
            "agreement": json_rows(self.agreement_rows),
            "data": json_rows(self.data_rows),
            "graphs": json_rows(self.graph_rows),
            "per_note": self.per_note.to_pylist(),
            "deductions": self.deductions.to_pylist(),
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1, default=plain_number)

    def to_html(self) -> str:
        """The page: warnings, runs, domains, categories, every note."""
        from .page import page

        return page(self)

    def to_markdown(self) -> str:
        """The runs as a Markdown table of means ± deviations, as Tables 3 to 6 of the source; the best in bold."""
        header = ["run", *self.board.columns]
        lines = [header, ["---", *("---:" for _ in self.board.columns)]]
        for run, cells in self.board.lines:
            texts = [f"**{cell.text}**" if cell.best else cell.text for cell in cells]
            lines.append([in_markdown(run), *texts])
        warned = [f"> {in_markdown(line)}\n" for line in self.warnings]
        if self.board.uneven:
            warned.append(f"> {OTHER_NOTES}\n")
        return "\n".join([*warned, *(f"| {' | '.join(line)} |" for line in lines)]) + "\n"

    def save_charts(self, folder: str | os.PathLike[str], formats: Iterable[str] = ("png", "svg")) -> list[Path]:
        """The charts by medical domain (Fig 5 of the source) as files of their own, in a folder that is made where it is absent; none
        where there are fewer than two domains.

        Raises
        ------
        OptionError
            For a format that is neither "png" nor "svg".
        """
        from ...pages.files import save_figures
        from .charts import domain_figures

        return save_figures(domain_figures(self), folder, formats)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the page (.html), everything (.json), the runs (.md), or `table` (.csv, .tsv, .jsonl, .parquet, .xlsx).

        Raises
        ------
        InputError
            For another suffix, or an absent folder; `DxmatchError` where it cannot be written.
        """
        from ...files.tables import write_table

        target = Path(path)
        suffix = check_path(target)
        made = {".html": self.to_html, ".json": self.to_json, ".md": self.to_markdown}.get(suffix)
        if made is None:
            return write_table(self.table, target)
        text = made()
        with whole_file(target) as temporary:
            temporary.write_text(text, "utf-8")
        return target


def check_path(path: str | os.PathLike[str]) -> str:
    """The suffix of a file to be written. Errors: `InputError` for another one than of SUFFIXES, or an absent folder."""
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError("not a file that a comparison of reasoning is written to", source=str(target), allowed=", ".join(SUFFIXES))  # fmt: skip
    if not target.absolute().parent.is_dir():
        raise InputError("no such folder", source=str(target.parent))
    return suffix
