"""What each feature contributed to each score: M's own SHAP values, in raw log-odds, and as an explanation of the library shap."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingExtra
from ..features.coverage import covered_table
from ..features.interning import intern_pairs
from ..files.pairs import read_pairs
from ..matcher.match_function import MatchFunction

if TYPE_CHECKING:
    import shap


@dataclass(frozen=True)
class Contributions:
    """values float64[n, f]; base + values.sum(1) is the raw score of each pair. All in log-odds, before calibration."""

    values: NDArray[np.float64]
    base: float

    @classmethod
    def of(cls, matcher: MatchFunction, table: NDArray[np.float32]) -> Contributions:
        """Those of `MatchFunction.contributions` for the rows of `table` float32[n, f]; at least one."""
        found = matcher.contributions(table)
        return cls(found[:, :-1], float(found[0, -1]))

    @property
    def strength(self) -> NDArray[np.float64]:
        """float64[f]: the mean of the absolute contributions."""
        return np.abs(self.values).mean(axis=0)


def shap_explanation(matcher: MatchFunction, pairs: Any, *, a: str = "a", b: str = "b") -> shap.Explanation:
    """M's SHAP values of pairs as a `shap.Explanation`, for every plot of the library shap: `shap.plots.beeswarm(...)`.

    Parameters
    ----------
    pairs : a path, a pandas, polars or Arrow frame, or a sequence of two-tuples.
    a, b : the columns of the two diagnoses.

    Returns
    -------
    shap.Explanation
        Of the pairs, in their order: `values` float64[n, f] and `base_values` float64[n] in raw log-odds, before calibration; `data`
        float32[n, f], NaN where a feature is unknown. Pairs that are equal after normalisation match whatever the trees say.

    Raises
    ------
    MissingExtra
        Without the extra `explain`.
    InputError
        For a text without a letter or digit, or votes known for too few of the pairs.
    """
    try:
        with warnings.catch_warnings():  # in a notebook its progress bars warn of widgets that nothing here needs
            warnings.simplefilter("ignore")
            import shap
    except ImportError:
        raise MissingExtra("A shap.Explanation", "explain") from None
    read = read_pairs(pairs, a=a, b=b)
    unique = intern_pairs(read.a, read.b, matcher.providers.naming)
    table, _ = covered_table(unique, matcher.features, matcher.providers, matcher.min_coverage)
    found = matcher.contributions(table)[unique.pair_of_row]
    return shap.Explanation(
        found[:, :-1], found[:, -1], table[unique.pair_of_row], feature_names=list(matcher.features.names)
    )


def sampled_rows(strata: NDArray[np.bool_], most: int, seed: int) -> NDArray[np.int64]:
    """The rows of a random sample, in order: at most `most`, of both strata in the share that they have, and 1 at least."""
    rows = np.arange(len(strata))
    if len(rows) <= most:
        return rows
    generator = np.random.default_rng(seed)
    few = min(max(round(most * float(strata.mean())), 1), most - 1) if strata.any() and not strata.all() else 0
    counts = {True: few, False: most - few} if few else {bool(strata[0]): most}
    drawn = [generator.choice(rows[strata == of], min(n, int((strata == of).sum())), False) for of, n in counts.items()]
    return np.sort(np.concatenate(drawn))
