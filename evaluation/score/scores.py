"""What a family of metrics gives: for every case and rater a value, and how values become the metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError
from ...pages.rows import Row
from ...stats.agreement import divided
from ...stats.resampling import Resampling, Statistic
from ..match.options import MAX_K, Graded, Panel
from ..read.findings import Finding, first_few
from .declare import Measure

Values = NDArray[np.float64]
MAX_CURVE = 10
"""The k to which curves go unasked."""
FEW = 10
"""Of fewer cases a group says little."""
MOST_PAIRS = 300
"""Pairs of raters that are tested, or shown in a table, unasked: of 25 raters."""


def the_mean(means: Values) -> Values:
    """Combines nothing: the metric is the mean of one value of each case. means : [..., r, 1]."""
    return means[..., 0]


def ratio(means: Values) -> Values:
    """Divides the first of two means by the second; NaN for 0 of 0. means : [..., r, 2]."""
    return divided(means[..., 0], means[..., 1])


def mean_of_defined(values: Values) -> Values:
    """Averages over the first axis what is not NaN; NaN where nothing is."""
    return divided(np.nansum(values, 0), (~np.isnan(values)).sum(0))


@dataclass(frozen=True)
class Score:
    """A metric of r raters as a function of means over n cases, from which follow value, interval, difference and subgroup.

    measure : what it is called, and at what it is taken.
    raters : r names.
    cases : int [n], which cases of the answers these are, each once.
    values : [n, m], what each case contributes, bool or numbers; NaN where a case says nothing: means are over the others.
        Scores that hold the same array have its means computed once.
    places : int [r, c], the columns of `values` that the metric of each rater is made of; column i for rater i by default.
    combine : means [..., r, c] -> [..., r].
    statistic : in the place of values, and of their means: weights [b, n] -> [b, m]. Such a metric has no paired test.
        Scores that hold the same one have it computed once.
    n_pairs : pairs of raters behind it.
    reason : why a value is undefined, where it is: of all raters, or one for each.
    compared : whether raters are compared in it and subgroups have it; one with a `statistic` is never.
    labels : further columns of its row, for tables beside the headline one ({"chapter": "IX"}).
    """

    measure: Measure
    raters: Sequence[str]
    cases: NDArray[np.integer]
    values: NDArray[Any] = field(default_factory=lambda: np.zeros((0, 0)), repr=False)
    places: NDArray[np.integer] | None = field(default=None, repr=False)
    combine: Callable[[Values], Values] = the_mean
    statistic: Statistic | None = field(default=None, repr=False)
    n_pairs: int = 1
    reason: str | Sequence[str] = ""
    compared: bool = True
    labels: Mapping[str, Any] = field(default_factory=dict)

    @property
    def at(self) -> NDArray[np.integer]:
        """int [r, c]: `places`, or one column for each rater."""
        return np.arange(len(self.raters))[:, None] if self.places is None else self.places

    def why(self, rater: int) -> str:
        """Tells why the value of a rater is undefined, where it is."""
        return self.reason if isinstance(self.reason, str) else self.reason[rater]

    def per_case(self, n_cases: int) -> Values:
        """Makes the value of each case alone: float64 [n_cases, r]; NaN in a case that it is not over, or that says nothing."""
        every = np.full((n_cases, len(self.raters)), np.nan)
        every[self.cases] = self.combine(self.values[:, self.at].astype(float))
        return every


class Lacking(Exception):
    """What the answers hold too little of for a family, in words."""


def over_two(above: NDArray[Any], below: NDArray[Any], combine: Callable[[Values], Values] = ratio) -> dict[str, Any]:
    """Makes the values, places and combine of a metric of two columns for each rater. above, below : [n, r]."""
    places = np.arange(2 * above.shape[1]).reshape(2, -1).T
    return {"values": np.concatenate([above, below], 1), "places": places, "combine": combine}


def without_absent(values: NDArray[Any], absent: NDArray[np.bool_]) -> NDArray[Any]:
    """Puts NaN for the lists that were not given. values : [n, r, ...], numbers or bool. absent : bool [n, r]."""
    if not absent.any():
        return values
    out = values.astype(float)
    out[absent] = np.nan
    return out


def counts_in_words(raters: Sequence[str], counts: NDArray[np.integer], of: int | None = None) -> str:
    """Lists the raters with a count above 0, of many the first: "A 1 of 2, B 2 of 2"."""
    named = zip(raters, counts.tolist(), strict=True)
    return first_few((f"{rater} {n:,}{'' if of is None else f' of {of:,}'}" for rater, n in named if n), 10)


@dataclass
class FamilyScores:
    """One family of metrics in one evaluation.

    name, title : "ranking", "Ranked answers against the right ones".
    scores : the values of the report's table, in its order.
    parts : further tables of scores, by name, one row for each score and rater: chapters, curves, pairs of raters.
    tested : the names of `parts` in which raters are compared, too.
    shown : name of a part -> what makes its table of its rows; the rows themselves by default.
    tables : further tables without intervals, by name.
    per_case : by name, float64 [n, r] over all cases and raters of the answers; NaN where undefined or left out.
    sentences : the rows of `scores`, of the parts where there are none -> what they say, in words.
    findings : what its reader should know.
    """

    name: str
    title: str
    scores: list[Score] = field(default_factory=list)
    parts: dict[str, list[Score]] = field(default_factory=dict)
    tested: tuple[str, ...] = ()
    shown: dict[str, Callable[[Sequence[Row]], list[Row]]] = field(default_factory=dict)
    tables: dict[str, list[Row]] = field(default_factory=dict)
    per_case: dict[str, Values] = field(default_factory=dict)
    sentences: Callable[[Sequence[Row]], list[str]] = lambda rows: []
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What of the options of an evaluation its metrics depend on.

    k : family -> how many diagnoses of each list count; None is all of them.
    panel : of the relative metrics, and the pairs that experts labelled, for the correction of M's own errors.
    graded : of Kernel29's scores.

    Raises
    ------
    OptionError
        For curves that end before k.
    """

    k: Mapping[str, int | None]
    panel: Panel = field(default_factory=Panel)
    graded: Graded = field(default_factory=Graded)
    resampling: Resampling = field(default_factory=Resampling)

    def __post_init__(self) -> None:
        if self.panel.max_k is not None and self.panel.max_k < self.relative_k:
            raise OptionError("panel.max_k", f"from k ({self.relative_k}) to {MAX_K}", self.panel.max_k)

    @property
    def relative_k(self) -> int:
        """The k of RPAD and RRAD, which is always a number."""
        return self.k["relative"] or 1

    def max_k(self, lengths: NDArray[np.integer[Any]]) -> int:
        """Tells to which k curves go, and lists of a panel are compared. lengths : of all lists."""
        return self.panel.max_k or max(self.relative_k, min(int(lengths.max()), MAX_CURVE))


def tested_pairs(
    raters: Sequence[str], named: Sequence[tuple[str, str]] | None
) -> tuple[Sequence[tuple[str, str]], dict[str, str]]:
    """Gives each two raters, or those that the user named; of too many none, with the reason why they are left out."""
    count = len(raters) * (len(raters) - 1) // 2
    if named is None and count > MOST_PAIRS:
        return [], {
            "differences": f"{count:,} pairs of raters, of which at most {MOST_PAIRS} are tested unasked: the option 'compare' names some"
        }
    return list(combinations(raters, 2)) if named is None else named, {}
