"""What an evaluation found, as data: tables of values, differences and cases."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ...errors import OptionError
from ...files.table import to_native
from ...files.tables import check_output, write_tables
from ...pages.rows import Row, arrow_table, known
from ...stats.resampling import Resampling
from ..match.matches import Matches
from ..read.findings import Finding
from ..score.scores import Values
from .board import Leaderboard
from .document import Part
from .raters import Raters

_VALUES = (
    "algorithm", "metric", "of", "k", "hardness", "name", "value", "low", "high", "undefined_repeats", "reason", "n_cases",
    "n_pairs",
)  # fmt: skip
_DIFFERENCES = (
    "first", "second", "metric", "of", "k", "name", "value", "low", "high", "p", "p_holm", "n_comparisons", "n_cases", "reason",
)  # fmt: skip
_ROWS_PER_CHUNK = 500_000


@dataclass(frozen=True)
class Family:
    """One family of metrics, as rows.

    rows : those of `Report.table`. model_rows : the same, models under several prompts as their means. per_case : by name, float64 [n, r].
    tables : further tables by name. sentences : what was found.
    """

    name: str
    title: str
    rows: list[Row]
    model_rows: list[Row]
    tables: dict[str, list[Row]]
    per_case: dict[str, Values] = field(repr=False)
    sentences: list[str]


@dataclass(frozen=True)
class Setup:
    """What was asked, and how the report was made.

    question, opening : its title, and the line above it. cases, raters : what one of the cases and raters is called, ("note", "run").
    ks : family -> how many diagnoses of each list count. hardness : of the headline figures.
    settings : for the JSON; nobody reads it by key. lines : the same in words, (what, value), the settings themselves by default. match : the judge of a match, in words.
    deviations : whether the leaderboard shows the deviation of the cases beside a mean, as DiReCT does.
    frame : the kind of data frame that tables come in (a narwhals one without rows); None for Arrow.
    """

    question: str
    opening: str
    resampling: Resampling
    cases: str = "case"
    raters: str = "model"
    ks: Mapping[str, int | None] = field(default_factory=lambda: {"relative": 1})
    hardness: float = 1.0
    settings: Mapping[str, Any] = field(default_factory=dict)
    lines: Sequence[tuple[str, str]] = ()
    match: str = ""
    deviations: bool = False
    frame: Any = field(default=None, repr=False, compare=False)


def settings_in_words(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Says settings as (what, value), without what was not given."""

    def of(value: Any) -> str:
        if isinstance(value, Mapping):
            return "; ".join(f"{name}: {of(one)}" for name, one in value.items())
        if isinstance(value, list | tuple):
            return ", ".join(map(of, value))
        return f"{value:.4g}" if isinstance(value, float) else str(value)

    given = {name: value for name, value in settings.items() if value is not None and value not in ({}, [], ())}
    return [(name.replace("_", " ").capitalize(), of(value)) for name, value in given.items()]


class GroupRows(NamedTuple):
    """rows, differences : those of `subgroups` and `subgroup_differences`. model_rows : the first, models under several prompts as their means."""

    rows: Sequence[Row] = ()
    model_rows: Sequence[Row] = ()
    differences: Sequence[Row] = ()


@dataclass(frozen=True, repr=False)
class Results:
    """What was found. A value that is undefined is None, with its reason beside it; it is never a number.

    cases : their names, in the order of every per-case value. families : of metrics that were computed. left_out : those that were not, with what
    was missing. findings : what its reader should know, the one that changes the conclusion first. board : the leaderboard.
    difference_rows : those of `differences`. groups : the rows of subgroups.
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
    groups: GroupRows = field(default_factory=GroupRows)
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

    def in_order(self, raters: Iterable[str]) -> list[str]:
        """Puts raters and models in the one order of all tables and charts: the best algorithm first, experts behind."""
        there = set(raters)
        everyone = (*self.board.algorithms, *self.raters.algorithms, *self.board.others, *self.raters.names)
        return [name for name in dict.fromkeys(everyone) if name in there]

    @property
    def k(self) -> int:
        """The k of RPAD, RRAD and the headline top-k accuracy."""
        return self.setup.ks["relative"] or 1

    def family(self, name: str) -> Family | None:
        """Gives a family by its name; None where it was not computed."""
        return next((family for family in self.families if family.name == name), None)

    def framed(self, rows: Sequence[Row], first: Sequence[str] = ()) -> Any:
        """Makes a table of rows, in the kind of frame that the answers came in: pandas, polars, or Arrow where they came from files, lists or dicts."""
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
        return self.framed(self.groups.rows, ("by", "group", *_VALUES))

    @cached_property
    def subgroup_differences(self) -> Any:
        """by, group, and the columns of `differences`: the pairs named in `compare`, in the cases of each group."""
        return self.framed(self.groups.differences, ("by", "group", *_DIFFERENCES))

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
        who = self.raters.algorithms[0] if algorithm is None else algorithm
        for family in self.families:
            wanted = (k,) if k is not None else (self.setup.ks.get(family.name) or self.k, None)
            for row in family.rows:
                if (row["algorithm"], row["metric"], row["of"]) == (who, metric, of) and row["k"] in wanted:
                    return row
        raise OptionError("row", "an algorithm, metric, part and k of the table", (who, metric, of, k or self.k))

    @property
    def matches(self) -> Any:
        """A row for each case, rater and rank, as `CaseTable.table` says; M is asked for the relations at the first call.

        Raises
        ------
        OptionError
            Where no case has a right answer, and there is no panel.
        """
        return to_native(self._arrow_of("matches"), self.setup.frame)

    @property
    def judgements(self) -> Any:
        """A row for each case, rater and reference diagnosis: what a judge said, and why.

        Raises
        ------
        OptionError
            Where there was no judge.
        """
        return to_native(self._arrow_of("judgements"), self.setup.frame)

    def save_table(self, name: str, path: str | os.PathLike[str]) -> Path:
        """Writes "matches", "judgements" or one of `tables` by the suffix of `path`, whole or not at all.

        Raises
        ------
        OptionError
            For a table that is not there.
        InputError
            For another suffix, or an absent folder; `DxmatchError` where it cannot be written.
        """
        table = self._arrow_of(name)
        check_output(path, len(table))
        kinds = {f.name: f.type.value_type if pa.types.is_dictionary(f.type) else f.type for f in table.schema}
        # batch by batch, so that not all texts that are held once are written out together
        parts = (pa.Table.from_batches([batch]).cast(pa.schema(kinds)) for batch in table.to_batches(_ROWS_PER_CHUNK))
        return write_tables(parts, path)

    def _arrow_of(self, name: str) -> pa.Table:
        found, rows = self.evidence, self._further_rows.get(name)
        if name == "matches" and found is not None and found.case_table is not None:
            return found.case_table.table
        if name == "judgements" and found is not None and found.judged is not None:
            rows, right = list(found.judged.rows.values()), found.answers.reference
            if found.of_final is not None and (final := found.of_final.judged) is not None:
                rows += [row for (case, *_), row in final.rows.items() if row["reference"] not in right[case]]
        if rows is None:
            allowed = "matches where a case has a right answer or there is a panel, judgements where there was a judge"
            raise OptionError("name", ", ".join([allowed, *self._further_rows]), name)
        return arrow_table(rows)
