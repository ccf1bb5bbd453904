"""How the features go together: correlations of each two, and those that say nearly the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

REDUNDANT = 0.9
_MIN_PAIRS = 3


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
    for i in range(count):
        for j in range(i, count):
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
