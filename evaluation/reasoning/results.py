"""The figures of every run, as tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...pages.rows import Row, arrow_table
from .board import Board, board_of
from .compared import Run
from .graph import KnowledgeGraph
from .note_table import every_deduction, note_rows

if TYPE_CHECKING:
    import pyarrow as pa

_TABLE = (
    "run", "metric", "judged_by", "name", "by", "group", "value", "sd", "low", "high", "undefined_repeats", "reason", "n_notes",
)  # fmt: skip
_DIFFERENCES = (
    "first", "second", "metric", "judged_by", "name", "value", "low", "high", "p", "p_holm", "n_comparisons", "n_notes", "reason",
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class ReasoningResults:
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
