"""What a family of metrics gives to the report, and what it is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...matcher.protocol import Matcher, Profile
from ...pages.rows import Row, known
from ...progress import Progress
from ..lists.text_codes import TextCodes
from ..metrics import REGISTRY
from .bootstrap import percentile_interval
from .list_lengths import K, ks_of
from .measure import Estimate

RELATIVE = "relative"
NO_INTERVAL = "no interval: "


@dataclass(frozen=True)
class Context:
    """What all families of one evaluation share.

    k : diagnoses of each list that count, as in `evaluate`; families ask `k_of`. n_cases : cases of the lists.
    hardness, max_k, denominator, labelled : of the relative metrics: the headline's H, the longest lists of
        their curves, and as in `evaluate`.
    repeats, seed, level : of the bootstrap over cases.
    icd_source : "icd10cm", "icd10", or the path of a CSV: the tree of the codes.
    codes : where the codes of texts come from, before M's own mapping.
    difficulty, semantic_best : of Kernel29's scores, as in `evaluate`.
    across_cases : whether M may be asked about diagnoses of different cases, as alpha_M needs it.
    progress : called with (done, total) while M is asked.
    made : what one family has computed and another needs too, by name.
    """

    matcher: Matcher
    k: K = None
    n_cases: int = 0
    hardness: float = 1.0
    max_k: int = 3
    denominator: str = "nk2"
    labelled: Any = None
    repeats: int = 1000
    seed: int = 0
    level: float = 0.95
    icd_source: str = "icd10cm"
    codes: TextCodes = field(default_factory=TextCodes, repr=False)
    difficulty: str = "hard"
    semantic_best: float = 16
    across_cases: bool = True
    progress: Progress | None = None
    made: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def k_of(self, family: str) -> int | None:
        """How many diagnoses of each list count for a family; None is all of them."""
        return ks_of(self.k)[family]

    @property
    def relative_k(self) -> int:
        """That of RPAD and RRAD, which is always a number."""
        return self.k_of(RELATIVE) or 1

    def apart(self, name: str) -> Context:
        """The same with a place of its own for what families share: for other right answers of the same lists."""
        return replace(self, made=self.made.setdefault(name, {}))

    @property
    def profile(self) -> Profile:
        """What M says of itself."""
        return Profile.of(self.matcher)


@dataclass
class Section:
    """One family's part of a report.

    rows : value, interval and reason for each rater and metric, as in `Report.table`.
    tables : further tables by name, each a list of rows of one set of columns.
    per_case : by name, one value for each (case, rater), cases first: for violins and for disagreements.
    words : the findings in sentences, for the top of the page. notes : what its reader should know.
    warnings : what its reader must know before the figures.
    estimates : the values of `rows` that are made of means over cases, for differences and subgroups.
    list_in_words : (case, rater), as places -> the reference and the list in words, for the tooltips of charts.
    estimates_of_parts : those of tables of parts of the cases, such as chapters of ICD-10, for differences alone.
    """

    name: str
    title: str
    rows: list[Row] = field(default_factory=list)
    tables: dict[str, list[Row]] = field(default_factory=dict)
    per_case: dict[str, list[Any]] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    estimates: list[Estimate] = field(default_factory=list, repr=False)
    estimates_of_parts: list[Estimate] = field(default_factory=list, repr=False)
    list_in_words: Callable[[int, int], tuple[str, str]] | None = field(default=None, repr=False)


def measured(value: float, repeats: NDArray[np.float64], level: float, n_cases: int, reason: str) -> Row:
    """value, low, high, undefined_repeats and reason; None instead of NaN, with the reason why."""
    if np.isnan(value):
        undefined = int(np.isnan(repeats).sum())
        return {"value": None, "low": None, "high": None, "undefined_repeats": undefined, "reason": reason}
    interval = percentile_interval(repeats, level, n_cases)
    return {
        "value": value,
        "low": interval.low,
        "high": interval.high,
        "undefined_repeats": interval.undefined,
        "reason": f"{NO_INTERVAL}{interval.reason}" if interval.reason else "",
    }


def metric_row(
    who: str,
    metric: str,
    value: float | NDArray[np.float64],
    repeats: NDArray[np.float64],
    context: Context,
    *,
    of: str = "",
    k: int | None = None,
    hardness: float | None = None,
    n_cases: int | None = None,
    n_pairs: int = 1,
    reason: str = "",
) -> Row:
    """One value of one rater, as in `Report.table`.

    metric : its name in the registry. reason : why the value is undefined, where it is. n_cases : all by default.
    """
    declared, cases = REGISTRY[metric], context.n_cases if n_cases is None else n_cases
    return {
        "algorithm": who,
        "metric": declared.symbol,
        "of": of,
        "k": k,
        "hardness": hardness,
        "name": declared.printed(k, hardness, of),
        **measured(float(value), repeats, context.level, cases, reason),
        "n_cases": cases,
        "n_pairs": n_pairs,
    }


def spread_over(values: NDArray[np.float64], kept: NDArray[np.integer], n_cases: int) -> list[Any]:
    """[kept cases, r] as one value for each (case, rater) of all `n_cases`; None where undefined or left out."""
    every = np.full((n_cases, values.shape[1]), np.nan)
    every[kept] = values
    return [known(value) for value in every.ravel().tolist()]
