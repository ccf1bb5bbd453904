"""The result of an evaluation: tables, words, files."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..features.atomic import whole_file
from ..features.errors import DxmatchError, OptionError
from .report_words import summary

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console

FORMAT = 1
SUFFIXES = (".json", ".csv", ".html")


@dataclass(frozen=True)
class Report:
    """What `evaluate` returns. A value that is undefined is None, with its reason beside it; it is never a number.

    k, hardness : of the headline figures.
    question : what was asked, in words.
    rows : one per algorithm, metric and k; see `table`.
    curve_rows : RPAD and RRAD over k and hardness. comparison_rows : differences of two algorithms.
    per_case_columns : by case and algorithm.
    made_with : the settings and counts behind it all. notes : what its reader should know.
    """

    k: int
    hardness: float
    question: str
    rows: list[dict[str, Any]]
    curve_rows: list[dict[str, Any]]
    comparison_rows: list[dict[str, Any]]
    per_case_columns: dict[str, list[Any]]
    made_with: dict[str, Any]
    notes: list[str]

    @cached_property
    def table(self) -> pa.Table:
        """algorithm, metric, of, k, hardness, name, value, low, high, undefined_repeats, reason, n_cases, n_pairs."""
        return _arrow(self.rows)

    @cached_property
    def curves(self) -> pa.Table:
        """algorithm, metric (RPAD, RRAD), k, hardness, value, low, high, undefined_repeats, reason."""
        return _arrow(self.curve_rows)

    @cached_property
    def comparisons(self) -> pa.Table:
        """first, second, name, value (first less second), low, high, first_higher (share of the resamples), n_cases."""
        return _arrow(self.comparison_rows)

    @cached_property
    def per_case(self) -> pa.Table:
        """case_id, algorithm, mu_AE_mean, chi_AE_mean, mu_EE_mean, chi_EE_mean, at `k`; means over pairs of raters."""
        import pyarrow as pa

        return pa.table(self.per_case_columns)

    @property
    def algorithms(self) -> list[str]:
        return list(self.made_with["panels"])

    def row(self, metric: str, *, algorithm: str | None = None, k: int | None = None, of: str = "") -> dict[str, Any]:
        """One row of the table: `report.row("RPAD")`, `report.row("P", of="EE mean", k=1)`; `k` is the headline's.

        Errors: `OptionError` for what is not in the table.
        """
        who = self.algorithms[0] if algorithm is None else algorithm
        wanted = None if metric == "kappa" or of == "kappa" else k or self.k
        for row in self.rows:
            if (row["algorithm"], row["metric"], row["of"], row["k"]) == (who, metric, of, wanted):
                return row
        raise OptionError("row", "an algorithm, metric, part and k of the table", (who, metric, of, wanted))

    def __str__(self) -> str:
        return "\n".join(summary(self))

    def print(self, console: Console | None = None) -> None:
        """To the terminal, as words and tables."""
        from .report_terminal import print_report

        print_report(self, console)

    def to_dict(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "question": self.question,
            "answer": summary(self),
            "k": self.k,
            "hardness": self.hardness,
            "made_with": self.made_with,
            "notes": self.notes,
            "table": self.rows,
            "curves": self.curve_rows,
            "comparisons": self.comparison_rows,
            "per_case": self.per_case_columns,
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes .json (everything), .csv (the table) or .html (a page to read), whole or not at all.

        Errors: `OptionError` for another suffix, `DxmatchError` where it cannot be written.
        """
        target = Path(path)
        suffix = check_report_path(target)
        if suffix == ".csv":
            from ..features.tables import write_table

            return write_table(self.table, target)
        if suffix == ".html":
            from .report_html import page

            text = page(self)
        else:
            text = self.to_json()
        with whole_file(target) as temporary:
            temporary.write_text(text, encoding="utf-8")
        return target


def check_report_path(path: str | os.PathLike[str]) -> str:
    """The suffix of a report, checked before any long work begins."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise OptionError("path", f"a file that ends in {', '.join(SUFFIXES)}", str(path))
    if not target.parent.is_dir():
        raise DxmatchError(f"{target.parent}: no such folder (for {target.name}).")
    return target.suffix.lower()


def _arrow(rows: list[dict[str, Any]]) -> pa.Table:
    import pyarrow as pa

    table = pa.Table.from_pylist(rows)
    # a column in which nothing is known still has its type
    fields = [pa.field(f.name, pa.float64()) if pa.types.is_null(f.type) else f for f in table.schema]
    return table.cast(pa.schema(fields))
