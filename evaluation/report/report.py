"""The result of an evaluation: tables, words, files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import DxmatchError, OptionError
from ...files.atomic import whole_file
from ...pages.rows import arrow_table, json_rows, known, plain_number
from ..statistics.section import Row, Section
from .words import summary

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console

FORMAT = 2
SUFFIXES = (".json", ".csv", ".html")
_COLUMNS = (
    "algorithm", "metric", "of", "k", "hardness", "name", "value", "low", "high", "undefined_repeats", "reason",
    "n_cases", "n_pairs",
)  # fmt: skip


@dataclass(frozen=True)
class Report:
    """What `evaluate` returns. A value that is undefined is None, with its reason beside it; it is never a number.

    k, hardness : of the headline figures.
    question : what was asked, in words.
    cases : their names, in the order of every per-case value.
    sections : one per family of metrics that was computed.
    left_out : the families that were not, with what was missing.
    made_with : the settings and counts behind it all. notes : what its reader should know.
    """

    k: int
    hardness: float
    question: str
    cases: list[str]
    sections: list[Section]
    left_out: dict[str, str]
    made_with: dict[str, Any]
    notes: list[str]

    @property
    def rows(self) -> list[Row]:
        """Those of `table`, as they came."""
        return [row for section in self.sections for row in section.rows]

    @cached_property
    def table(self) -> pa.Table:
        """algorithm, metric, of, k, hardness, name, value, low, high, undefined_repeats, reason, n_cases, n_pairs.

        `algorithm` is whoever is judged: an expert too, where the reference is the judge.
        """
        return arrow_table(self.rows, _COLUMNS)

    @cached_property
    def tables(self) -> dict[str, pa.Table]:
        """The further tables of every family, by "family.table": "relative.curves", "hierarchical.chapters", …"""
        return {
            f"{section.name}.{name}": arrow_table(rows)
            for section in self.sections
            for name, rows in section.tables.items()
        }

    @property
    def curves(self) -> pa.Table:
        """algorithm, metric (RPAD, RRAD), k, hardness, value, low, high, undefined_repeats, reason."""
        return self.tables["relative.curves"]

    @property
    def comparisons(self) -> pa.Table:
        """first, second, name, value (first less second), low, high, first_higher (share of the resamples), n_cases."""
        return self.tables["relative.comparisons"]

    def rows_of(self, table: str) -> list[Row]:
        """The rows behind one of `tables`, "relative.pairs"; none where it is not there."""
        family, _, name = table.partition(".")
        return next((s.tables.get(name, []) for s in self.sections if s.name == family), [])

    @property
    def comparison_rows(self) -> list[Row]:
        """Those of `comparisons`, as they came."""
        return self.rows_of("relative.comparisons")

    @cached_property
    def per_case_columns(self) -> dict[str, list[Any]]:
        """The columns of `per_case`."""
        raters, n = self.made_with["raters"], len(self.cases)
        named = {name: values for section in self.sections for name, values in section.per_case.items()}
        columns: dict[str, list[Any]] = {"case_id": [], "algorithm": [], **{name: [] for name in named}}
        for place, rater in enumerate(raters):
            own = {name: [known(value) for value in values[place :: len(raters)]] for name, values in named.items()}
            if any(value is not None for values in own.values() for value in values):
                columns["case_id"] += self.cases
                columns["algorithm"] += [rater] * n
                for name, values in own.items():
                    columns[name] += values
        return columns

    @cached_property
    def per_case(self) -> pa.Table:
        """case_id, algorithm (whoever is judged), and what each family knows of the single case.

        Relative, at `k`: mu_AE_mean, chi_AE_mean, mu_EE_mean, chi_EE_mean; means over pairs of raters.
        """
        import pyarrow as pa

        return pa.table(self.per_case_columns)

    @property
    def algorithms(self) -> list[str]:
        """Whoever is compared with a panel; without a panel, the algorithms, or else all raters."""
        made = self.made_with
        named = [r for r, role in zip(made["raters"], made["roles"] or [], strict=False) if role == "algorithm"]
        return list(made["panels"]) or named or made["raters"]

    def row(self, metric: str, *, algorithm: str | None = None, k: int | None = None, of: str = "") -> Row:
        """One row of the table: `report.row("RPAD")`, `report.row("P", of="EE mean", k=1)`; `k` is the headline's.

        Errors: `OptionError` for what is not in the table.
        """
        who = self.algorithms[0] if algorithm is None else algorithm
        wanted = (k,) if k is not None else (self.k, None)
        for row in self.rows:
            if (row["algorithm"], row["metric"], row["of"]) == (who, metric, of) and row["k"] in wanted:
                return row
        raise OptionError("row", "an algorithm, metric, part and k of the table", (who, metric, of, wanted[0]))

    def __str__(self) -> str:
        return "\n".join(summary(self))

    def print(self, console: Console | None = None) -> None:
        """To the terminal, as words and tables."""
        from .terminal import print_report

        print_report(self, console)

    def to_dict(self) -> dict[str, Any]:
        tables = {f"{s.name}.{name}": rows for s in self.sections for name, rows in s.tables.items()}
        return {
            "format": FORMAT,
            "question": self.question,
            "answer": summary(self),
            "k": self.k,
            "hardness": self.hardness,
            "made_with": self.made_with,
            "notes": self.notes,
            "left_out": self.left_out,
            "sections": [{"name": s.name, "title": s.title, "words": s.words, "notes": s.notes} for s in self.sections],
            "table": json_rows(self.rows),
            "tables": {name: json_rows(rows) for name, rows in tables.items()},
            "per_case": self.per_case_columns,
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1, default=plain_number)

    def save(self, path: str | os.PathLike[str], *, spreadsheet: bool = False) -> Path:
        """Writes .json (everything), .csv (the table) or .html (a page to read), whole or not at all.

        spreadsheet : in a CSV, an apostrophe goes before every text that a spreadsheet would run as a formula.

        Errors: `OptionError` for another suffix, `DxmatchError` where it cannot be written.
        """
        target = Path(path)
        suffix = check_report_path(target)
        if suffix == ".csv":
            from ...files.spreadsheet import without_formulas
            from ...files.tables import write_table

            return write_table(without_formulas(self.table) if spreadsheet else self.table, target)
        if suffix == ".html":
            from .page import page

            text = page(self)
        else:
            text = self.to_json()
        with whole_file(target) as temporary:
            temporary.write_text(text, encoding="utf-8")
        return target

    def save_charts(self, folder: str | os.PathLike[str], formats: Iterable[str] = ("png", "svg")) -> list[Path]:
        """Every chart of the page as a file of its own, in a folder that is made where it is absent.

        Errors: `OptionError` for a format that is neither "png" nor "svg", `MissingExtra` without the extra `report`.
        """
        from ...pages.files import save_figures
        from .charts import all_figures

        return save_figures(all_figures(self), folder, formats)


def check_report_path(path: str | os.PathLike[str]) -> str:
    """The suffix of a report, checked before any long work begins."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise OptionError("path", f"a file that ends in {', '.join(SUFFIXES)}", str(path))
    if not target.parent.is_dir():
        raise DxmatchError(f"{target.parent}: no such folder (for {target.name}).")
    return target.suffix.lower()
