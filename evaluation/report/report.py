"""What `evaluate` returns: the results, with the ways to print and save them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InputError, OptionError
from ...files.atomic import whole_file
from ...pages.rows import arrow_table, json_rows, plain_number
from ..judges.section import JudgementTable
from ..matches.case_table import CaseTable
from ..statistics.results import Results
from .messages import match_line, summary
from .one_case import CodedLists

if TYPE_CHECKING:
    from rich.console import Console

FORMAT = 3
SUFFIXES = (".html", ".json", ".csv", ".xlsx", ".md", ".tex")


@dataclass(frozen=True, repr=False)
class Report(Results):
    """`Results` that print and save themselves.

    case_table : what was matched with what in each case; None where no case has a right answer.
    judgement_table : what a judge said of each reference diagnosis, and why; None without a judge.
    coded : the lists with their ICD-10 codes; None where none were looked up.
    """

    case_table: CaseTable | None = field(default=None, repr=False, compare=False)
    judgement_table: JudgementTable | None = field(default=None, repr=False, compare=False)
    coded: CodedLists | None = field(default=None, repr=False, compare=False)

    @property
    def matches(self) -> Any:
        """A row for each case, rater and rank, as `CaseTable.chunks` says; M is asked for the relations at the first call.

        Raises
        ------
        OptionError
            Where no case has a right answer.
        """
        return self.framed(self._case_table().table)

    def save_matches(self, path: str | os.PathLike[str], *, spreadsheet: bool = False) -> Path:
        """Writes `matches` by the suffix of `path`, whole or not at all, without holding all rows.

        spreadsheet : in a CSV, an apostrophe goes before every text that a spreadsheet would run as a formula.

        Raises
        ------
        OptionError
            Where no case has a right answer.
        InputError
            For another suffix, or an absent folder; `DxmatchError` where it cannot be written.
        """
        return self._case_table().save(path, spreadsheet=spreadsheet)

    @property
    def judgements(self) -> Any:
        """A row for each case, rater and reference diagnosis, as `JudgementTable.rows` says.

        Raises
        ------
        OptionError
            Where there was no judge.
        """
        return self.framed(self._judgement_table().table)

    def save_judgements(self, path: str | os.PathLike[str], *, spreadsheet: bool = False) -> Path:
        """Writes `judgements` by the suffix of `path`, whole or not at all.

        spreadsheet : in a CSV, an apostrophe goes before every text that a spreadsheet would run as a formula.

        Raises
        ------
        OptionError
            Where there was no judge.
        InputError
            For another suffix, or an absent folder; `DxmatchError` where it cannot be written.
        """
        return self._judgement_table().save(path, spreadsheet=spreadsheet)

    def _judgement_table(self) -> JudgementTable:
        if self.judgement_table is None:
            raise OptionError("judgements", "asked for where there was a judge", "none")
        return self.judgement_table

    def _case_table(self) -> CaseTable:
        if self.case_table is None:
            raise OptionError(
                "matches", "left out where no case has a right answer: there is nothing to match with", "matches"
            )
        return self.case_table

    def case(self, case_id: str | int) -> Any:
        """The reference and each list of one case with codes and names, what they share, HDP, HDR and HDF1: `CodedLists.rows`.

        Raises
        ------
        OptionError
            For a case that is not there, and where no codes were looked up.
        """
        return self.framed(arrow_table(self._coded().rows(str(case_id))))

    def print_case(self, case_id: str | int, console: Console | None = None) -> None:
        """The same side by side, to the terminal. Errors: as of `case`."""
        from .terminal import print_table

        print_table(self._coded().table(str(case_id)), console)

    def _coded(self) -> CodedLists:
        if self.coded is None:
            raise OptionError(
                "case", "asked for where the metrics rest on ICD-10 codes of lists and references", "none"
            )
        return self.coded

    def __str__(self) -> str:
        return "\n".join(summary(self))

    def __repr__(self) -> str:
        from .notebook import short

        return short(self)

    def _repr_html_(self) -> str:
        from .notebook import html

        return html(self)

    def print(self, console: Console | None = None, *, full: bool = False) -> None:
        """To the terminal: warnings, the answer, the leaderboard, differences; `full` prints everything."""
        from .terminal import print_report

        print_report(self, console, full=full)

    def to_dict(self) -> dict[str, Any]:
        tables = {f"{s.name}.{name}": rows for s in self.sections for name, rows in s.tables.items()}
        return {
            "format": FORMAT,
            "question": self.question,
            "warnings": self.warnings,
            "answer": summary(self),
            "k": self.k,
            "hardness": self.hardness,
            "match": match_line(self),
            "made_with": self.made_with,
            "notes": self.notes,
            "left_out": self.left_out,
            "sections": [{"name": s.name, "title": s.title, "words": s.words, "notes": s.notes} for s in self.sections],
            "table": json_rows(self.rows),
            "differences": json_rows(self.difference_rows),
            "subgroups": json_rows(self.subgroup_rows),
            "subgroup_differences": json_rows(self.subgroup_difference_rows),
            "tables": {name: json_rows(rows) for name, rows in tables.items()},
            "per_case": self.per_case_columns,
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1, default=plain_number)

    def to_latex(self) -> str:
        """The leaderboard as LaTeX, with `booktabs`: a line for each algorithm, the best in bold.

        Raises
        ------
        InputError
            Where the report has no metric.
        """
        from .for_papers import latex

        return latex(self)

    def to_markdown(self) -> str:
        """The leaderboard as a Markdown table, the best in bold.

        Raises
        ------
        InputError
            Where the report has no metric.
        """
        from .for_papers import markdown

        return markdown(self)

    def save(self, path: str | os.PathLike[str], *, spreadsheet: bool = False) -> Path:
        """Writes a page to read (.html), everything (.json), the table of metrics (.csv, .xlsx) or the leaderboard (.tex, .md).

        spreadsheet : in a CSV, an apostrophe goes before every text that a spreadsheet would run as a formula.

        Raises
        ------
        InputError
            For another suffix, or a folder that is absent.
        DxmatchError
            Where it cannot be written; nothing half written is left.
        """
        target = Path(path)
        suffix = check_report_path(target)
        if suffix in (".csv", ".xlsx"):
            from ...files.tables import write_table

            return write_table(self.arrow, target, spreadsheet=spreadsheet or None)
        text = self._as(suffix)
        with whole_file(target) as temporary:
            temporary.write_text(text, encoding="utf-8")
        return target

    def _as(self, suffix: str) -> str:
        if suffix == ".html":
            from .page import page

            return page(self, self._shown_cases())
        return {".tex": self.to_latex, ".md": self.to_markdown, ".json": self.to_json}[suffix]()

    def _shown_cases(self) -> CaseTable | None:
        """The cases, with what a judge said of them."""
        if self.case_table is None or self.judgement_table is None:
            return self.case_table
        return replace(self.case_table, judged=self.judgement_table.sentences())

    def save_charts(self, folder: str | os.PathLike[str], formats: Iterable[str] = ("png", "svg")) -> list[Path]:
        """Every chart of the page as a file of its own, in a folder that is made where it is absent.

        Raises
        ------
        OptionError
            For a format that is neither "png" nor "svg".
        """
        from ...pages.files import save_figures
        from .charts.all_figures import all_figures

        return save_figures(all_figures(self), folder, formats)


def check_report_path(path: str | os.PathLike[str]) -> str:
    """The suffix of a report, checked before any long work begins."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise InputError(
            "a report cannot be such a file",
            source=str(path),
            allowed=f"a name that ends in {', '.join(SUFFIXES)}",
            got=target.suffix or target.name,
        )
    if not target.parent.is_dir():
        raise InputError(
            "the folder for the report is absent",
            source=str(target.parent),
            allowed="an existing folder",
            got=target.name,
        )
    return target.suffix.lower()
