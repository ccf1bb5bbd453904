"""What `evaluate`, `reasoning` and `choice` return: what was found as tables of values, differences and cases; prints and saves itself."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ...errors import InputError, OptionError
from ...files.atomic import whole_file
from ...files.counted import counted
from ...files.tables import to_native, write_table
from ...pages.encodings import number
from ...pages.files import save_figures
from ...pages.rows import Row, arrow_table, json_rows, known, plain_number
from ..match.matches import Matches
from ..read.findings import Finding
from . import paper
from .board import Leaderboard
from .cases import coded_rows, coded_table
from .contents import document_of
from .document import Document, Part
from .page import figures_of, notebook_cell, page
from .raters import Raters
from .results import Family, Setup
from .terminal import print_document, print_table

if TYPE_CHECKING:
    from rich.console import Console

FORMAT = 4
SUFFIXES = (".html", ".json", ".csv", ".tsv", ".jsonl", ".parquet", ".xlsx", ".md", ".tex")
_VALUES = (
    "algorithm", "metric", "of", "k", "hardness", "name", "value", "low", "high", "undefined_repeats", "reason", "n_cases",
    "n_pairs",
)  # fmt: skip
_DIFFERENCES = (
    "first", "second", "metric", "of", "k", "name", "value", "low", "high", "p", "p_holm", "n_comparisons", "n_cases", "reason",
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class Report:
    """What was found. A value that is undefined is None, with its reason beside it; it is never a number.

    cases : their names, in the order of every per-case value. families : of metrics that were computed. left_out : those that were not, with what
    was missing. findings : what its reader should know, the one that changes the conclusion first. board : the leaderboard.
    difference_rows : those of `differences`. group_rows, group_difference_rows : those of `subgroups` and
    `subgroup_differences`; group_model_rows : the first, models under several prompts as their means.
    evidence : what was matched with what; None for notes and questions. parts : further parts of the page, with a browser of cases where
    these are notes or questions.
    """

    setup: Setup
    cases: list[str]
    raters: Raters
    families: list[Family]
    board: Leaderboard
    findings: list[Finding]
    left_out: dict[str, str] = field(default_factory=dict)
    difference_rows: list[Row] = field(default_factory=list)
    group_rows: list[Row] = field(default_factory=list)
    group_model_rows: list[Row] = field(default_factory=list)
    group_difference_rows: list[Row] = field(default_factory=list)
    evidence: Matches | None = None
    parts: Sequence[Part] = ()

    @property
    def rows(self) -> list[Row]:
        """Those of `table`, as they came."""
        return [row for family in self.families for row in family.rows]

    @property
    def model_rows(self) -> list[Row]:
        """The same, models under several prompts as their means."""
        return [row for family in self.families for row in family.model_rows]

    @property
    def algorithms(self) -> list[str]:
        """Whoever is judged: against a panel, or else against the right answers."""
        return self.raters.algorithms

    def in_order(self, raters: Iterable[str]) -> list[str]:
        """Puts raters and models in the one order of all tables and charts: the best algorithm first, experts behind."""
        there = set(raters)
        everyone = (*self.board.algorithms, *self.algorithms, *self.board.others, *self.raters.names)
        return [name for name in dict.fromkeys(everyone) if name in there]

    @property
    def k(self) -> int:
        """The k of RPAD, RRAD and the headline top-k accuracy."""
        return self.setup.ks.get("relative") or 1

    def family(self, name: str) -> Family | None:
        """Gives a family by its name; None where it was not computed."""
        return next((family for family in self.families if family.name == name), None)

    def framed(self, rows: Sequence[Row], first: Sequence[str] = ()) -> Any:
        """Makes a table of rows, in the kind of frame that the answers came in: pandas, polars, or Arrow where they came from files."""
        return to_native(arrow_table(list(rows), tuple(first)), self.setup.frame)

    @cached_property
    def arrow(self) -> pa.Table:
        """`table`, whatever the kind of frame that the answers came in."""
        groups = self.raters.groups
        rows = [row | {"group_of_models": groups.get(row["algorithm"])} for row in self.rows] if groups else self.rows
        return arrow_table(rows, _VALUES)

    @cached_property
    def table(self) -> Any:
        """algorithm, metric, of, k, hardness, name, value, low, high, undefined_repeats, reason, n_cases, n_pairs, sd.

        `algorithm` is whoever is judged: an expert too, where the reference is the judge. sd : of the cases, of the population, where the
        value is a mean. With groups of models, then group_of_models.
        """
        return to_native(self.arrow, self.setup.frame)

    @cached_property
    def differences(self) -> Any:
        """first, second, metric, of, k, name, value (first less second), low, high, p, p_holm, n_comparisons, n_cases, reason."""
        return self.framed(self.difference_rows, _DIFFERENCES)

    @cached_property
    def subgroups(self) -> Any:
        """by, group, and the columns of `table`: every metric in the cases of each group, and its averages over the groups."""
        return self.framed(self.group_rows, ("by", "group", *_VALUES))

    @cached_property
    def subgroup_differences(self) -> Any:
        """by, group, and the columns of `differences`: the pairs named in `compare`, in the cases of each group."""
        return self.framed(self.group_difference_rows, ("by", "group", *_DIFFERENCES))

    @cached_property
    def tables(self) -> dict[str, Any]:
        """The further tables of every family, by "family.table": "relative.curves", "hierarchical.chapters", …"""
        return {name: self.framed(rows) for name, rows in self._further_rows.items()}

    @cached_property
    def _further_rows(self) -> dict[str, list[Row]]:
        return {f"{family.name}.{name}": rows for family in self.families for name, rows in family.tables.items()}

    def rows_of(self, table: str) -> list[Row]:
        """Gives the rows behind one of `tables`, "relative.pairs"; none where it is not there."""
        return self._further_rows.get(table, [])

    @cached_property
    def per_case_columns(self) -> dict[str, list[Any]]:
        """The columns of `per_case`."""
        named = {name: values for family in self.families for name, values in family.per_case.items()}
        columns: dict[str, list[Any]] = {"case_id": [], "algorithm": [], **{name: [] for name in named}}
        for place, rater in enumerate(self.raters.names):
            own = {name: values[:, place] for name, values in named.items()}
            if any(not np.isnan(values).all() for values in own.values()):
                columns["case_id"] += self.cases
                columns["algorithm"] += [rater] * len(self.cases)
                for name, values in own.items():
                    columns[name] += [known(value) for value in values.tolist()]
        return columns

    @cached_property
    def per_case(self) -> Any:
        """case_id, algorithm (whoever is judged), and what each family knows of the single case."""
        return to_native(pa.table(self.per_case_columns), self.setup.frame)

    def row(self, metric: str, *, algorithm: str | None = None, k: int | None = None, of: str = "") -> Row:
        """Gives one row of the table: `report.row("RPAD")`, `report.row("P", of="EE mean", k=1)`; `k` is the headline's.

        Raises
        ------
        OptionError
            For what is not in the table.
        """
        who = self.algorithms[0] if algorithm is None else algorithm
        for family in self.families:
            wanted = (k,) if k is not None else (self.setup.ks.get(family.name) or self.k, None)
            for row in family.rows:
                if (row["algorithm"], row["metric"], row["of"]) == (who, metric, of) and row["k"] in wanted:
                    return row
        raise OptionError("row", "an algorithm, metric, part and k of the table", (who, metric, of, k or self.k))

    @property
    def matches(self) -> Any:
        """A row for each case, rater and rank, as `CaseTable.chunks` says; M is asked for the relations at the first call.

        Raises
        ------
        OptionError
            Where no case has a right answer.
        """
        return to_native(self._case_table().table, self.setup.frame)

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

    def _case_table(self) -> Any:
        if self.evidence is None or self.evidence.case_table is None:
            raise OptionError(
                "matches", "left out where no case has a right answer: there is nothing to match with", "matches"
            )
        return self.evidence.case_table

    @property
    def judgements(self) -> Any:
        """A row for each case, rater and reference diagnosis: what a judge said, and why.

        Raises
        ------
        OptionError
            Where there was no judge.
        """
        return self.framed(self._judgement_rows())

    def save_judgements(self, path: str | os.PathLike[str], *, spreadsheet: bool = False) -> Path:
        """Writes `judgements` by the suffix of `path`, whole or not at all. Errors: as of `save_matches`, and where there was no judge."""
        return write_table(arrow_table(self._judgement_rows()), path, spreadsheet=spreadsheet or None)

    def _judgement_rows(self) -> list[Row]:
        if self.evidence is None or self.evidence.judged is None:
            raise OptionError("judgements", "asked for where there was a judge", "none")
        return list(self.evidence.judged.rows(self.evidence.answers))

    def case(self, case_id: str | int) -> Any:
        """Gives the reference and each list of one case with codes and names, what they share, HDP, HDR and HDF1.

        Raises
        ------
        OptionError
            For a case that is not there, and where no codes were looked up.
        """
        return self.framed(coded_rows(self, str(case_id)))

    def print_case(self, case_id: str | int, console: Console | None = None) -> None:
        """Prints the same side by side. Errors: as of `case`."""
        print_table(coded_table(self, str(case_id)), console)

    @cached_property
    def document(self) -> Document:
        """What a terminal shows of it."""
        return document_of(self, drawn=False)

    def __str__(self) -> str:
        return "\n".join([
            *(one.sentence for one in self.findings if not one.is_note),
            *(line for card in self.document.answer for line in card),
            *(line for family in self.families for line in family.sentences),
        ])  # fmt: skip

    def __repr__(self) -> str:
        parts = [counted(len(self.algorithms), "algorithm" if self.raters.panels else self.setup.raters)]
        parts.append(counted(len(self.cases), self.setup.cases))
        for column in self.board.columns[:1]:
            parts += [f"{column.label} {number(column.value(best))} by {best}" for best in self.board.algorithms[:1]]
        return f"Report({', '.join(parts)})"

    def _repr_html_(self) -> str:
        return notebook_cell(self.document)

    def print(self, console: Console | None = None, *, full: bool = False) -> None:
        """Prints findings, the answer, the leaderboard and differences; `full` prints everything."""
        print_document(self.document, console, full=full)

    def to_dict(self) -> dict[str, Any]:
        """Gives everything as plain values, for JSON."""
        return {
            "format": FORMAT,
            "question": self.setup.question,
            "findings": [
                {"kind": one.kind, "count": one.count, "of": one.of, "sentence": one.sentence} for one in self.findings
            ],
            "answer": str(self).splitlines(),
            "k": self.k,
            "hardness": self.setup.hardness,
            "match": self.setup.match,
            "made_with": dict(self.setup.settings),
            "left_out": self.left_out,
            "table": json_rows(self.rows),
            "differences": json_rows(self.difference_rows),
            "subgroups": json_rows(self.group_rows),
            "subgroup_differences": json_rows(self.group_difference_rows),
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

    def save(self, path: str | os.PathLike[str], *, spreadsheet: bool = False) -> Path:
        """Writes a page to read (.html), everything (.json), the leaderboard (.tex, .md) or the table of metrics (all others).

        spreadsheet : in a CSV, an apostrophe goes before every text that a spreadsheet would run as a formula.

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
        return write_table(self.arrow, Path(path), spreadsheet=spreadsheet or None)

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


def check_report_path(path: str | os.PathLike[str]) -> str:
    """Gives the suffix of a report, checked before any long work begins. Errors: `InputError`."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES or not target.absolute().parent.is_dir():
        allowed = f"a name that ends in {', '.join(SUFFIXES)}, in an existing folder"
        raise InputError("a report cannot be written there", source=str(path), allowed=allowed)
    return target.suffix.lower()
