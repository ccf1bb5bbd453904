"""What `reasoning` returns: the figures of every run, with the ways to print and save them."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...files.atomic import whole_file
from ...pages.rows import Row, arrow_table, json_rows, plain_number
from .board import Board, board_of
from .compared import Run
from .graph import KnowledgeGraph
from .note_table import every_deduction, note_rows

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 1
SUFFIXES = (".html", ".json", ".md", ".csv", ".tsv", ".jsonl", ".parquet", ".xlsx")
_TABLE = (
    "run", "metric", "judged_by", "name", "by", "group", "value", "sd", "low", "high", "undefined_repeats", "reason", "n_notes",
)  # fmt: skip
_DIFFERENCES = (
    "first", "second", "metric", "judged_by", "name", "value", "low", "high", "p", "p_holm", "n_comparisons", "n_notes", "reason",
)  # fmt: skip


@dataclass(frozen=True)
class Reasoning:
    """Runs of predicted reasoning against annotated reasoning.

    warnings : what its reader must know before the figures. notes : what he should know.
    made_with : the settings behind it all. domains : of each note, in order; None where none is known.
    rows, difference_rows, agreement_rows, data_rows, graph_rows : those of the tables of like names.
    """

    runs: list[Run]
    rows: list[Row]
    difference_rows: list[Row]
    agreement_rows: list[Row]
    data_rows: list[Row]
    graph_rows: list[Row]
    graph: KnowledgeGraph = field(repr=False)
    domains: list[str | None]
    warnings: list[str]
    notes: list[str]
    made_with: dict[str, Any]

    @cached_property
    def table(self) -> pa.Table:
        """run, metric, judged_by, name, by (all, domain, category), group, value, sd, low, high, undefined_repeats, reason, n_notes.

        judged_by : "M" or "judge", who says which texts are alike; "" where no texts are compared. value : the mean over the
        notes. sd : of the notes, of the population, as the source prints it behind ±. low, high : the interval of the mean.
        """
        return arrow_table(self.rows, _TABLE)

    @cached_property
    def differences(self) -> pa.Table:
        """first, second, metric, judged_by, name, value (first less second), low, high, p, p_holm, n_comparisons, n_notes, reason.

        Paired, note by note; p is two-sided, of permutations, p_holm corrected for the comparisons of the metric.
        """
        return arrow_table(self.difference_rows, _DIFFERENCES)

    @cached_property
    def agreement(self) -> pa.Table:
        """question, who, against, accuracy and kappa with intervals, both, who_alone, against_alone, neither, pairs, notes."""
        return arrow_table(self.agreement_rows)

    @cached_property
    def data(self) -> pa.Table:
        """by, group, categories, notes, diagnoses, discharge_diagnoses, observations, length: as Table 2 of the source."""
        return arrow_table(self.data_rows)

    @cached_property
    def graphs(self) -> pa.Table:
        """category, domain, root, diagnoses, discharge_diagnoses, depth, with_premises, premises."""
        return arrow_table(self.graph_rows)

    @cached_property
    def per_note(self) -> pa.Table:
        """run, note, domain, category, predicted_category, diagnosis, predicted_diagnosis, has_prediction, path_in_graph (None
        where no path is predicted), the counts annotated, predicted, paired, explained, premised, and each metric of the note."""
        return arrow_table(note_rows(self.runs, self.domains, self.made_with["missing"]))

    @cached_property
    def deductions(self) -> pa.Table:
        """run, note, judged_by, and the columns of `note_table.deduction_rows`: what is common, only in the note, only predicted."""
        return arrow_table(every_deduction(self.runs, self.graph))

    @cached_property
    def board(self) -> Board:
        return board_of(self.rows, self.difference_rows)

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
            lines.append([run.replace("|", "\\|"), *texts])
        warned = [f"> {line}\n" for line in self.warnings]
        return "\n".join([*warned, *(f"| {' | '.join(line)} |" for line in lines)]) + "\n"

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
