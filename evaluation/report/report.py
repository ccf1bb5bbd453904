"""What `evaluate`, `reasoning` and `choice` return: results, with ways to print and save them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...files.atomic import whole_file
from ...files.tables import write_table
from ...files.wording import counted
from ...pages.encodings import number
from ...pages.files import save_figures
from ...pages.rows import json_rows, plain_number
from . import paper
from .cases import coded_rows
from .contents import document_of
from .document import Document, rows_table
from .page import figures_of, notebook_cell, page
from .results import Results
from .terminal import print_document, print_table

if TYPE_CHECKING:
    from rich.console import Console

FORMAT = 4
SUFFIXES = (".html", ".json", ".csv", ".tsv", ".jsonl", ".parquet", ".xlsx", ".md", ".tex")


@dataclass(frozen=True, repr=False)
class Report(Results):
    """Results that print and save themselves."""

    def case(self, case_id: str | int) -> Any:
        """Gives the reference and each list of one case with codes and names, what they share, HDP, HDR and HDF1; without codes what was matched.

        Raises
        ------
        OptionError
            For a case that is not there, and where nothing was matched.
        """
        return self.framed(coded_rows(self, str(case_id)))

    @cached_property
    def document(self) -> Document:
        """What a terminal shows of it."""
        return document_of(self, drawn=False)

    def __str__(self) -> str:
        answer = [line for card in self.document.answer for line in card]
        told = [line for family in self.families for line in family.sentences]
        return "\n".join(dict.fromkeys([*(one.sentence for one in self.findings if not one.is_note), *answer, *told]))

    def __repr__(self) -> str:
        parts = [counted(len(self.raters.algorithms), "algorithm" if self.raters.panels else self.setup.raters)]
        parts.append(counted(len(self.cases), self.setup.cases))
        for column in self.board.columns[:1]:
            parts += [f"{column.label} {number(column.value(best))} by {best}" for best in self.board.algorithms[:1]]
        return f"Report({', '.join(parts)})"

    def _repr_html_(self) -> str:
        return notebook_cell(self.document)

    def print(self, console: Console | None = None, *, full: bool = False, case: Sequence[str | int] = ()) -> None:
        """Prints findings, the answer, the leaderboard and differences; `full` prints everything. case : cases to print after these."""
        print_document(self.document, console, full=full)
        for one in case:
            print_table(rows_table(f"Case {one}", coded_rows(self, str(one))), console)

    def to_dict(self) -> dict[str, Any]:
        """Gives everything as plain values, for JSON."""
        return {
            "format": FORMAT,
            "question": self.setup.question,
            "findings": [
                {"kind": one.kind, "sentence": one.sentence} | ({"count": one.count, "of": one.of} if one.of else {})
                for one in self.findings
            ],
            "answer": str(self).splitlines(),
            "k": self.k,
            "hardness": self.setup.hardness,
            "match": self.setup.match,
            "made_with": dict(self.setup.settings),
            "left_out": self.left_out,
            "table": json_rows(self.rows),
            "differences": json_rows(self.difference_rows),
            "subgroups": json_rows(self.groups.rows),
            "subgroup_differences": json_rows(self.groups.differences),
            "tables": {name: json_rows(rows) for name, rows in self._further_rows.items()},
            "per_case": self.per_case_columns,
        }

    def to_json(self) -> str:
        """Writes everything as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1, default=plain_number)

    def to_html(self) -> str:
        """Writes the page. Every text from the data is escaped."""
        return page(document_of(self, drawn=True))

    def to_latex(self) -> str:
        """Writes the leaderboard as LaTeX, with `booktabs`: a line for each algorithm, the best in bold.

        Raises
        ------
        InputError
            Where the report has no metric.
        """
        return paper.latex(self)

    def to_markdown(self) -> str:
        """Writes the leaderboard as a Markdown table, the best in bold.

        Raises
        ------
        InputError
            Where the report has no metric.
        """
        return paper.markdown(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes a page to read (.html), everything (.json), the leaderboard (.tex, .md) or the table of metrics (all others).

        Raises
        ------
        InputError
            For another suffix, or a folder that is absent.
        DxmatchError
            Where it cannot be written; nothing half written is left.
        """
        suffix = check_report_path(path)
        texts = {".html": self.to_html, ".json": self.to_json, ".md": self.to_markdown, ".tex": self.to_latex}
        if suffix in texts:
            return save_text(texts[suffix](), path)
        return write_table(self.arrow, Path(path))

    def save_charts(self, folder: str | os.PathLike[str], formats: Iterable[str] = ("png", "svg")) -> list[Path]:
        """Writes every chart of the page as a file of its own, in a folder that is made where it is absent.

        Raises
        ------
        OptionError
            For a format that is neither "png" nor "svg".
        """
        return save_figures(figures_of(document_of(self, drawn=True)), folder, formats)


def save_text(text: str, path: str | os.PathLike[str]) -> Path:
    """Writes a text, whole or not at all. Errors: `DxmatchError` where it cannot be written."""
    with whole_file(Path(path)) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return Path(path)


def check_report_path(path: str | os.PathLike[str], suffixes: Sequence[str] = SUFFIXES) -> str:
    """Gives the suffix of a report, checked before any long work begins. Errors: `InputError`."""
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in suffixes:
        allowed = f"a name that ends in {', '.join(suffixes)}"
        raise InputError("a report cannot be such a file", source=str(path), allowed=allowed, got=suffix or target.name)
    if not target.absolute().parent.is_dir():
        raise InputError("the folder for the report is absent", source=str(target.parent), got=target.name)
    return suffix
