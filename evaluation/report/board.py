"""What is looked at first: a few metrics, whoever is judged from best to worst, and who is not shown to differ from the best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...pages.rows import Row
from ..score.declare import Metric, all_metrics

SIGNIFICANT = 0.05
"""Below it, after correction for how many differences were looked at, a difference is taken for one."""

_TIE = 1e-12
_Key = tuple[str, str, int | None]


@dataclass(frozen=True)
class Wish:
    """A metric that the leaderboard shows where it is there: symbol, what it is of, its k (0: the k that was asked for of `family`)."""

    symbol: str
    of: str = ""
    k: int | None = None
    family: str = "relative"


_TOP_1 = Wish("Acc", "M", 1)
_HDF1 = Wish("HDF1", k=0, family="hierarchical")
AGAINST_EXPERTS = (Wish("RPAD", k=0), Wish("RRAD", k=0), Wish("alpha", "with the algorithm"), _TOP_1, _HDF1)
AGAINST_REFERENCES = (
    _TOP_1, Wish("Acc", "M", 0, "ranking"), Wish("MRR"), Wish("R_disease", k=0, family="recall"), _HDF1
)  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A metric at its k, and what it gives whom.

    name : as in tables, "Acc(M)@1". label : as one says it, "top-1". of_rater : rater -> row of `Report.table`.
    best : who has the best value. level_with_best : who has a worse one, of whom it is not shown that it is worse.
    """

    name: str
    label: str
    metric: Metric
    of_rater: Mapping[str, Row]
    best: tuple[str, ...] = ()
    level_with_best: tuple[str, ...] = ()

    def merit(self, rater: str) -> float | None:
        """Gives the value of a rater, turned where less is better; None where it has none."""
        value = self.value(rater)
        return -value if value is not None and self.metric.lower_is_better else value

    def value(self, rater: str) -> float | None:
        """Gives the value of a rater; None where it has none."""
        row = self.of_rater.get(rater)
        return None if row is None else row["value"]

    @property
    def uneven(self) -> bool:
        """Tells whether values rest on unlike numbers of cases."""
        return len({row["n_cases"] for row in self.of_rater.values() if row["value"] is not None}) > 1


@dataclass(frozen=True)
class Leaderboard:
    """columns : three to five metrics; the first places the raters. algorithms, others : the best first; `others` are experts who are
    judged by the same metrics."""

    columns: tuple[Column, ...]
    algorithms: tuple[str, ...]
    others: tuple[str, ...] = ()

    def with_differences(self, rows: Sequence[Row]) -> Leaderboard:
        """Marks who is best, and who is not shown to be less. rows : of `Report.differences`."""
        return replace(self, columns=tuple(_placed(column, self.algorithms, rows) for column in self.columns))


def leaderboard(
    rows: Sequence[Row],
    wishes: Sequence[Wish],
    ks: Mapping[str, int | None],
    algorithms: Sequence[str],
    raters: Sequence[str],
    most: int = 5,
) -> Leaderboard:
    """Chooses the metrics, the first that are there where none is wished for, and sorts whoever is judged by the first of them.

    rows : of all families, models as their means over prompts. ks : family -> the k that was asked for; "relative" has one always.
    """
    of: dict[_Key, dict[str, Row]] = {}
    for row in rows:
        of.setdefault((row["metric"], row["of"], row["k"]), {})[row["algorithm"]] = row

    def key(wish: Wish) -> _Key:
        asked = (ks.get(wish.family) or ks["relative"]) if wish.k == 0 else wish.k
        exact = wish.symbol, wish.of, asked
        return exact if exact in of else (wish.symbol, wish.of, None)

    keys = [found for found in map(key, wishes) if found in of] or list(of)
    metrics = {metric.symbol: metric for metric in all_metrics()}
    columns = tuple(
        Column(next(iter(of[key].values()))["name"], _label(key, of[key]), metrics[key[0]], of[key])
        for key in list(dict.fromkeys(keys))[:most]
    )
    others = [rater for rater in raters if rater not in algorithms and any(c.value(rater) is not None for c in columns)]
    return Leaderboard(columns, tuple(_by_value(algorithms, columns)), tuple(_by_value(others, columns)))


def _label(key: _Key, rows: Mapping[str, Row]) -> str:
    symbol, of, k = key
    if symbol == "Acc":
        return f"top-{k}" if of == "M" else f"top-{k} by {of}"
    return "alpha" if symbol == "alpha" else next(iter(rows.values()))["name"]


def _by_value(raters: Iterable[str], columns: Sequence[Column]) -> list[str]:
    """The best of the first column first; equals stay as they came, and who has no value comes last."""

    def place(rater: str) -> float:
        merit = columns[0].merit(rater) if columns else None
        return float("inf") if merit is None else -merit

    return sorted(raters, key=place)


def _placed(column: Column, algorithms: Sequence[str], differences: Sequence[Row]) -> Column:
    merits = {rater: merit for rater in algorithms if (merit := column.merit(rater)) is not None}
    highest = max(merits.values(), default=0.0)
    best = tuple(rater for rater, merit in merits.items() if highest - merit < _TIE)
    if len(best) == len(merits):
        return column
    p = {frozenset((row["first"], row["second"])): row["p_holm"] for row in differences if row["name"] == column.name}

    def shown_to_differ(rater: str) -> bool:
        # what was not, or could not be, tested is not shown either
        return all((found := p.get(frozenset((rater, one)))) is not None and found < SIGNIFICANT for one in best)

    level = tuple(rater for rater in merits if p and rater not in best and not shown_to_differ(rater))
    return replace(column, best=best, level_with_best=level)
