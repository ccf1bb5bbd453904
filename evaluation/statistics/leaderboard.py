"""What is looked at first: a few metrics, whoever is judged from best to worst, and who is not shown to differ from the best."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ...pages.rows import Row
from ..metrics import REGISTRY, Metric
from .results import Results

SIGNIFICANT = 0.05
"""Below it, after correction for how many differences were looked at, a difference is taken for one."""

_MOST = 5
_Wanted = tuple[str, str, int | None]
"""Symbol of a metric, what it is of, and its k; a k of 0 is the k that was asked for, None any."""
_AGAINST_EXPERTS: tuple[_Wanted, ...] = (
    ("RPAD", "", 0), ("RRAD", "", 0), ("alpha", "with the algorithm", None), ("Acc", "M", 1), ("HDF1", "", 0),
)  # fmt: skip
_AGAINST_REFERENCES: tuple[_Wanted, ...] = (
    ("Acc", "M", 1), ("Acc", "M", 0), ("MRR", "", None), ("R_disease", "", 0), ("nDCG", "", None), ("HDF1", "", 0),
)  # fmt: skip
_ONE_RIGHT_ANSWER = (("R_disease", ""), ("Acc", "M"))
"""Two metrics that are one where every case has a single reference."""
_FAMILY = {"R_disease": "recall", "HDF1": "hierarchical", "Acc": "ranking", "RPAD": "relative", "RRAD": "relative"}
_NEAR = 0.005
"""Nearer than this for every rater, they would say one thing twice."""


@dataclass(frozen=True)
class Column:
    """A metric at its k, and what it gives whom.

    name : as in tables, "Acc(M)@1". label : as one says it, "top-1". of_rater : rater -> row of `Report.table`.
    best : who has the highest value. level_with_best : who has less, of whom it is not shown that it is less.
    """

    name: str
    label: str
    metric: Metric
    of_rater: dict[str, Row]
    best: tuple[str, ...] = ()
    level_with_best: tuple[str, ...] = ()

    def value(self, rater: str) -> float | None:
        row = self.of_rater.get(rater)
        return None if row is None else row["value"]


@dataclass(frozen=True)
class Leaderboard:
    """algorithms, others : who is in it, the best first; `others` are the experts who are judged by the same metrics."""

    columns: tuple[Column, ...]
    algorithms: tuple[str, ...]
    others: tuple[str, ...]
    compared: bool

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(column.name for column in self.columns)


def leaderboard(report: Results) -> Leaderboard:
    """Three to five metrics of every algorithm, sorted by the first of them."""
    columns = _columns(report)
    judged = set(report.algorithms)
    others = [rater for rater in report.made_with["raters"] if rater not in judged]
    rows = report.difference_rows
    return Leaderboard(
        tuple(_placed(column, report.algorithms, rows) for column in columns),
        tuple(_by_value(report.algorithms, columns)),
        tuple(_by_value([r for r in others if any(c.value(r) is not None for c in columns)], columns)),
        compared=bool(rows),
    )


def standing(report: Results) -> tuple[str, ...]:
    """Every rater, in the one order of all tables and charts: algorithms from best to worst, then the others as they came."""
    columns = _columns(report)
    first = _by_value(report.algorithms, columns)
    return (*first, *(rater for rater in report.made_with["raters"] if rater not in set(first)))


def _columns(report: Results) -> list[Column]:
    rows: dict[tuple[str, str, int | None], dict[str, Row]] = {}
    for row in report.rows:
        rows.setdefault((row["metric"], row["of"], row["k"]), {})[row["algorithm"]] = row
    wanted = _AGAINST_EXPERTS if report.made_with["panels"] else _AGAINST_REFERENCES
    found = [key for want in wanted if (key := _found(want, rows, report)) is not None]
    if report.made_with["in_turn"]:
        # in turn everyone is with the same others: one number, which places nobody
        found = [key for key in found if key[0] != "alpha"]
    if _near(*({r: row["value"] for r, row in _first_of(rows, pair).items()} for pair in _ONE_RIGHT_ANSWER)):
        found = [key for key in found if key[0] != "R_disease"]
    elif any(key[0] == "R_disease" for key in found):
        found = [key for key in found if key[0] != "nDCG"]
    if not found:
        shown = [key for key, of in rows.items() if key[2] in (report.k, None) and _differ(of.values())]
        found = shown or list(rows)
    by_symbol = {metric.symbol: metric for metric in REGISTRY.values()}
    made = dict.fromkeys(found[:_MOST])
    return [
        Column(next(iter(rows[key].values()))["name"], _label(key, rows[key]), by_symbol[key[0]], rows[key])
        for key in made
    ]


def _found(
    want: _Wanted, rows: dict[tuple[str, str, int | None], dict[str, Row]], report: Results
) -> tuple[str, str, int | None] | None:
    symbol, of, k = want
    asked = (report.k_of(_FAMILY.get(symbol, "")) or report.k) if k == 0 else k
    # without M's verdict, that of the codes
    for who in dict.fromkeys((of, "code" if of == "M" else of)):
        if asked is not None and (symbol, who, asked) in rows:
            return symbol, who, asked
        if k is None or k == 0:
            there = [key for key in rows if key[:2] == (symbol, who) and (k is None or key[2] is None)]
            if there:
                return max(there, key=lambda key: key[2] or 0)
    return None


def _first_of(rows: dict[tuple[str, str, int | None], dict[str, Row]], pair: tuple[str, str]) -> dict[str, Row]:
    """At the highest k that both of `_ONE_RIGHT_ANSWER` have."""
    ks = set.intersection(*({key[2] for key in rows if key[:2] == each} for each in _ONE_RIGHT_ANSWER))
    return rows[*pair, max(ks, key=lambda k: k or 0)] if ks else {}


def _near(one: dict[str, float | None], other: dict[str, float | None]) -> bool:
    return bool(one) and one.keys() == other.keys() and all(
        (a is None) == (b is None) and (a is None or b is None or abs(a - b) < _NEAR)
        for a, b in ((one[r], other[r]) for r in one)
    )  # fmt: skip


def _differ(rows: Iterable[Row]) -> bool:
    values = [row["value"] for row in rows if row["value"] is not None]
    return len(values) == 1 or len(set(values)) > 1


def _label(key: tuple[str, str, int | None], rows: dict[str, Row]) -> str:
    symbol, of, k = key
    if symbol == "Acc":
        return f"top-{k}" if of == "M" else f"top-{k} by {of}"
    if symbol == "alpha":
        return "alpha"
    return next(iter(rows.values()))["name"]


def _by_value(raters: Iterable[str], columns: list[Column]) -> list[str]:
    """The best of the first column first; equals stay as they came, and who has no value comes last."""

    def place(rater: str) -> float:
        value = columns[0].value(rater) if columns else None
        return float("inf") if value is None else -value

    return sorted(raters, key=place)


def _placed(column: Column, algorithms: list[str], differences: list[Row]) -> Column:
    """With who is best among the algorithms, and who is not shown to be less."""
    values = {rater: value for rater in algorithms if (value := column.value(rater)) is not None}
    if len(values) < 2:
        return column
    highest = max(values.values())
    best = tuple(rater for rater, value in values.items() if highest - value < 1e-12)
    if len(best) == len(values):
        return column
    p = {frozenset((row["first"], row["second"])): row["p_holm"] for row in differences if row["name"] == column.name}

    def pairs(rater: str) -> list[frozenset[str]]:
        return [frozenset((rater, one)) for one in best]

    # what was not, or could not be, tested is not shown either
    level = tuple(
        rater
        for rater in values
        if rater not in best
        and any(p and ((found := p.get(pair)) is None or found >= SIGNIFICANT) for pair in pairs(rater))
    )
    return Column(column.name, column.label, column.metric, column.of_rater, best, level)
