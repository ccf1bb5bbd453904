"""All that an evaluation found, as data: one section for each family of metrics, and how it was made."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...errors import OptionError
from ...pages.rows import Row, arrow_table, known
from .section import Section

if TYPE_CHECKING:
    import pyarrow as pa

_COLUMNS = (
    "algorithm", "metric", "of", "k", "hardness", "name", "value", "low", "high", "undefined_repeats", "reason",
    "n_cases", "n_pairs",
)  # fmt: skip
_DIFFERENCES = (
    "first", "second", "metric", "of", "k", "name", "value", "low", "high", "p", "p_holm", "n_comparisons", "n_cases",
    "reason",
)  # fmt: skip


@dataclass(frozen=True)
class Results:
    """What an evaluation found. A value that is undefined is None, with its reason beside it; it is never a number.

    k : of RPAD, RRAD and the headline top-k accuracy; `k_of` has that of each family. hardness : of the headline figures.
    question : what was asked, in words.
    cases : their names, in the order of every per-case value.
    sections : one per family of metrics that was computed.
    left_out : the families that were not, with what was missing.
    made_with : the settings and counts behind it all. notes : what its reader should know.
    warnings : what its reader must know before the figures.
    difference_rows : each two raters in each metric, those of `differences`. subgroup_rows : those of `subgroups`.
    subgroup_difference_rows : those of `subgroup_differences`.
    frame : the kind of data frame that tables come in (a narwhals one without rows); None for Arrow.
    """

    k: int
    hardness: float
    question: str
    cases: list[str]
    sections: list[Section]
    left_out: dict[str, str]
    made_with: dict[str, Any]
    notes: list[str]
    warnings: list[str] = field(default_factory=list)
    difference_rows: list[Row] = field(default_factory=list)
    subgroup_rows: list[Row] = field(default_factory=list)
    subgroup_difference_rows: list[Row] = field(default_factory=list)
    frame: Any = field(default=None, repr=False, compare=False)

    def k_of(self, family: str) -> int | None:
        """How many diagnoses of each list count for a family; None is all of them, or a depth of its own."""
        return self.made_with.get("k", {}).get(family)

    @property
    def rows(self) -> list[Row]:
        """Those of `table`, as they came."""
        return [row for section in self.sections for row in section.rows]

    def framed(self, data: pa.Table) -> Any:
        """In the kind of frame that the lists came in: pandas, polars, or an Arrow table where they came from files."""
        from ...files.tables import to_native

        return to_native(data, self.frame)

    @cached_property
    def arrow(self) -> pa.Table:
        """`table`, whatever the kind of frame that the lists came in."""
        if not self.made_with.get("groups"):
            return arrow_table(self.rows, _COLUMNS)
        rows = [row | {"group_of_models": self.group_of(row["algorithm"])} for row in self.rows]
        return arrow_table(rows, (*_COLUMNS, "group_of_models"))

    @cached_property
    def table(self) -> Any:
        """algorithm, metric, of, k, hardness, name, value, low, high, undefined_repeats, reason, n_cases, n_pairs.

        `algorithm` is whoever is judged: an expert too, where the reference is the judge. With groups of models, then
        group_of_models.
        """
        return self.framed(self.arrow)

    @cached_property
    def differences(self) -> Any:
        """first, second, metric, of, k, name, value (first less second), low, high, p, p_holm, n_comparisons, n_cases, reason."""
        return self.framed(arrow_table(self.difference_rows, _DIFFERENCES))

    @cached_property
    def subgroups(self) -> Any:
        """by, group, and the columns of `table`: every metric in the cases of each group."""
        return self.framed(arrow_table(self.subgroup_rows, ("by", "group", *_COLUMNS)))

    @cached_property
    def subgroup_differences(self) -> Any:
        """by, group, and the columns of `differences`: the pairs named in `compare`, in the cases of each group."""
        return self.framed(arrow_table(self.subgroup_difference_rows, ("by", "group", *_DIFFERENCES)))

    def group_of(self, rater: str) -> str | None:
        """The group of models that a rater was said to belong to; None for none."""
        return self.made_with.get("groups", {}).get(rater)

    @cached_property
    def tables(self) -> dict[str, Any]:
        """The further tables of every family, by "family.table": "relative.curves", "hierarchical.chapters", …"""
        return {
            f"{section.name}.{name}": self.framed(arrow_table(rows))
            for section in self.sections
            for name, rows in section.tables.items()
        }

    @property
    def curves(self) -> Any:
        """algorithm, metric (RPAD, RRAD), k, hardness, value, low, high, undefined_repeats, reason.

        Raises
        ------
        OptionError
            Where the relative metrics were left out.
        """
        return self._table("relative.curves")

    @property
    def comparisons(self) -> Any:
        """The rows of `differences` in RPAD and RRAD.

        Raises
        ------
        OptionError
            Where the relative metrics were left out.
        """
        if "relative.curves" not in self.tables:
            self._table("relative.comparisons")
        rows = [row for row in self.difference_rows if row["metric"] in ("RPAD", "RRAD")]
        return self.framed(arrow_table(rows, _DIFFERENCES))

    def _table(self, name: str) -> Any:
        if name not in self.tables:
            family = name.partition(".")[0]
            there = ", ".join(self.tables) or "none"
            why = f" ({family} was left out: it lacks {self.left_out[family]})" if family in self.left_out else ""
            raise OptionError("table", f"a table of this report: {there}{why}", name)
        return self.tables[name]

    def rows_of(self, table: str) -> list[Row]:
        """The rows behind one of `tables`, "relative.pairs"; none where it is not there."""
        family, _, name = table.partition(".")
        return next((s.tables.get(name, []) for s in self.sections if s.name == family), [])

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
    def per_case(self) -> Any:
        """case_id, algorithm (whoever is judged), and what each family knows of the single case.

        Relative, at `k`: mu_AE_mean, chi_AE_mean, mu_EE_mean, chi_EE_mean; means over pairs of raters.
        """
        import pyarrow as pa

        return self.framed(pa.table(self.per_case_columns))

    @property
    def algorithms(self) -> list[str]:
        """Whoever is compared with a panel; without a panel, the algorithms, or else all raters."""
        return algorithms_of(self.made_with)

    def row(self, metric: str, *, algorithm: str | None = None, k: int | None = None, of: str = "") -> Row:
        """One row of the table: `report.row("RPAD")`, `report.row("P", of="EE mean", k=1)`; `k` is the headline's.

        Raises
        ------
        OptionError
            For what is not in the table.
        """
        who = self.algorithms[0] if algorithm is None else algorithm
        for section in self.sections:
            wanted = (k,) if k is not None else (self.k_of(section.name) or self.k, None)
            for row in section.rows:
                if (row["algorithm"], row["metric"], row["of"]) == (who, metric, of) and row["k"] in wanted:
                    return row
        raise OptionError("row", "an algorithm, metric, part and k of the table", (who, metric, of, k or self.k))


def algorithms_of(made_with: dict[str, Any]) -> list[str]:
    """Whoever is compared with a panel; without a panel, the algorithms, or else all raters."""
    raters = made_with["raters"]
    named = [r for r, role in zip(raters, made_with["roles"] or [], strict=False) if role == "algorithm"]
    return list(made_with["panels"]) or named or raters
