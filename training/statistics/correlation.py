"""Features one by one and in twos: how alike each says two names are, how they correlate, which of them a training may do without.

"How to Evaluate Medical AI" first filters its features by their correlations (its figure 1), and then keeps all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.feature_set import FeatureSet, FeatureSpec
from ...features.registry import EXCLUSION, KINDS
from .measure import average_precision

REDUNDANT = 0.9
_MIN_PAIRS = 3
UNKNOWN = 0.0
_ENOUGH = 20
RULE = (
    "of two features whose Spearman correlation is that strong, the one whose average precision alone is lower goes, of equals the later; "
    "what has gone drops no other"
)


@dataclass(frozen=True)
class Correlations:
    """float64[f, f] each, NaN where undefined: fewer than 3 pairs know both features, or one of them is constant there.

    pairs : int64[f, f], for how many both are known.
    """

    spearman: NDArray[np.float64]
    pearson: NDArray[np.float64]
    pairs: NDArray[np.int64]

    @property
    def order(self) -> list[int]:
        """The features, those that go together side by side (average linkage on 1 - |rho|)."""
        from scipy.cluster.hierarchy import leaves_list

        few = len(self.spearman) < 3
        return list(range(len(self.spearman))) if few else leaves_list(self._tree("average")).tolist()

    def redundant(self, limit: float = REDUNDANT) -> list[list[int]]:
        """Groups of two or more features of which each two have |rho| >= `limit` (complete linkage)."""
        from scipy.cluster.hierarchy import fcluster

        if len(self.spearman) < 2:
            return []
        cluster = fcluster(self._tree("complete"), 1 - limit + 1e-9, "distance")
        groups = [np.flatnonzero(cluster == number).tolist() for number in np.unique(cluster)]
        return sorted(group for group in groups if len(group) > 1)

    def _tree(self, method: str) -> NDArray[np.float64]:
        from scipy.cluster.hierarchy import linkage
        from scipy.spatial.distance import squareform

        distance = 1 - np.abs(np.nan_to_num(self.spearman))
        np.fill_diagonal(distance, 0.0)
        return linkage(squareform(distance, checks=False), method, optimal_ordering=True)


def correlations(table: NDArray[np.floating]) -> Correlations:
    """Spearman's rho and Pearson's r of each two columns of `table` [n, f], over the pairs that know both."""
    from scipy.stats import rankdata

    wide = table.astype(np.float64)
    count = wide.shape[1]
    spearman, pearson = np.full((count, count), np.nan), np.full((count, count), np.nan)
    pairs = np.zeros((count, count), np.int64)
    known = np.isfinite(wide)
    for i, j in zip(*np.triu_indices(count), strict=True):
        both = known[:, i] & known[:, j]
        pairs[i, j] = pairs[j, i] = both.sum()
        x, y = wide[both, i], wide[both, j]
        pearson[i, j] = pearson[j, i] = _pearson(x, y)
        spearman[i, j] = spearman[j, i] = _pearson(rankdata(x), rankdata(y))
    return Correlations(spearman, pearson, pairs)


def _pearson(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    if len(x) < _MIN_PAIRS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.clip(np.corrcoef(x, y)[0, 1], -1.0, 1.0))


def likeness(feature: FeatureSpec, values: NDArray[np.floating]) -> NDArray[np.float64]:
    """float64[n] in [0.5, 1], 1 for what equal names have; `UNKNOWN` where the value is NaN, below all that is known."""
    kind = KINDS[feature.kind]
    low, high = kind.range
    share = (values.astype(np.float64) - low) / (high - low)
    if kind.alike == low:
        share = 1 - share
    return np.where(np.isfinite(share), 0.5 + 0.5 * np.clip(share, 0, 1), UNKNOWN)


def value_at(feature: FeatureSpec, score: float) -> float:
    """The feature's own value at a `likeness`."""
    kind = KINDS[feature.kind]
    low, high = kind.range
    share = float(np.clip(2 * score - 1, 0, 1))
    return low + (high - low) * (1 - share if kind.alike == low else share)


def correlated(
    table: NDArray[np.float32], label: NDArray[np.int8], features: FeatureSet, limit: float
) -> list[dict[str, Any]]:
    """Those to drop by `RULE`, in the order of the features.

    From the best alone to the worst, a feature stays where no feature that stays has |rho| >= `limit` with it, over the pairs that
    know both, at least 20. A feature that decides by itself (`exclusion`) always stays, and drops none.

    Parameters
    ----------
    table : float32[n, f], NaN where unknown.
    label : int8[n], both labels.
    limit : in (0, 1].

    Returns
    -------
    list of dict
        For the manifest: "feature"; "like", the one that stays in its place; "rho", Spearman's of the two.
    """
    found = correlations(table)
    rho = np.where(found.pairs >= _ENOUGH, np.nan_to_num(found.spearman), 0.0)
    worth = [float(average_precision(likeness(f, table[:, c]), label)[0]) for c, f in enumerate(features.features)]
    kept: list[int] = []
    like_of: dict[int, int] = {}
    for column in sorted(range(len(worth)), key=lambda column: -worth[column]):
        if features.features[column].kind == EXCLUSION:
            continue
        like = max(kept, key=lambda other: abs(rho[column, other]), default=None)
        if like is None or abs(rho[column, like]) < limit - 1e-9:
            kept.append(column)
        else:
            like_of[column] = like
    names = features.names
    return [
        {"feature": names[c], "like": names[other], "rho": float(rho[c, other])} for c, other in sorted(like_of.items())
    ]


def dropped_words(limit: float, dropped: Sequence[dict[str, Any]]) -> str:
    """What card and terminal say."""
    if not dropped:
        return f"No two features correlate as strongly as {limit:g}, so all of them stay."
    said = ", ".join(f"{one['feature']} ({one['rho']:.2f} with {one['like']})" for one in dropped)
    return f"Dropped for a correlation of {limit:g} or more on the training pairs: {said}. The rule: {RULE}."
