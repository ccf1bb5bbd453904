"""Which unlabelled pairs would teach most: uncertain to M, unlike one another, and some drawn at random."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_NEAREST_TO_CERTAIN = 1e-12


def uncertainty(probability: NDArray[np.float64], threshold: float) -> NDArray[np.float64]:
    """float64[m] in (0, 1]: 1 at the threshold, falling with the distance from it in log-odds.

    4 q (1 - q) with logit q = logit p - logit t. Uncertainty sampling (Lewis & Gale 1994, "A sequential algorithm for
    training text classifiers") about the threshold in place of 1/2, for there M decides.
    """

    def log_odds(p: NDArray[np.float64]) -> NDArray[np.float64]:
        p = np.clip(p, _NEAREST_TO_CERTAIN, 1 - _NEAREST_TO_CERTAIN)
        return np.log(p) - np.log1p(-p)

    distance = np.abs(log_odds(probability) - log_odds(np.array(threshold)))
    odds = np.exp(-distance)
    return 4 * odds / (1 + odds) ** 2


def capped(
    order: NDArray[np.int64],
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    count: int,
    per_diagnosis: int,
) -> NDArray[np.int64]:
    """The first `count` pairs in `order` of which no more than `per_diagnosis` share a diagnosis.

    order : pairs, by index into `first` and `second`, which name their two diagnoses.
    """
    taken: list[int] = []
    uses: dict[int, int] = {}
    for pair in order.tolist():
        if len(taken) == count:
            break
        names = {int(first[pair]), int(second[pair])}
        if all(uses.get(name, 0) < per_diagnosis for name in names):
            taken.append(pair)
            for name in names:
                uses[name] = uses.get(name, 0) + 1
    return np.array(taken, np.int64)


def pair_vectors(
    table: NDArray[np.float32], names: NDArray[np.float32] | None, first: NDArray[np.int32], second: NDArray[np.int32]
) -> NDArray[np.float32]:
    """float32[c, f + d]: where each pair lies among the others, the same in either order.

    table : float32[c, f], the features; standardised, an unknown one at its mean.
    names : float32[u, d], a vector for each diagnosis, of which a pair gets the sum: what it is about. Or None.
    The two parts count alike: each has a mean square norm of 1.
    """
    known = np.where(np.isfinite(table), table, np.nan).astype(np.float64)
    seen = np.isfinite(known).any(axis=0)
    known = known[:, seen]
    spread = np.nanstd(known, axis=0)
    features = np.nan_to_num((known - np.nanmean(known, axis=0)) / np.where(spread > 0, spread, 1.0))
    parts = [features] if names is None else [features, names[first].astype(np.float64) + names[second]]
    return np.concatenate([_unit_on_average(part) for part in parts], axis=1).astype(np.float32)


def _unit_on_average(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = vectors - vectors.mean(axis=0)
    norm = np.sqrt((centred**2).sum(axis=1).mean())
    return centred / norm if norm > 0 else centred


def diverse(vectors: NDArray[np.float32], weight: NDArray[np.float64], n: int, seed: int) -> NDArray[np.int64]:
    """n of c candidates, one from each of n clusters: the nearest to the centre.

    Weighted k-means (Zhdanov 2019, "Diverse mini-batch active learning", algorithm 1).
    vectors : float32[c, d]. weight : float64[c], above 0; centres lie nearer to what weighs more.
    Where clusters fall together, as among equal vectors, the heaviest of the other candidates fill up.
    """
    from sklearn.cluster import KMeans

    if n >= len(vectors):
        return np.arange(len(vectors))
    fewer = min(n, len(np.unique(vectors, axis=0)))
    means = KMeans(fewer, max_iter=50, random_state=seed).fit(vectors, sample_weight=weight)
    cluster = np.asarray(means.labels_)
    away = ((vectors - means.cluster_centers_[cluster]) ** 2).sum(axis=1)
    order = np.lexsort((np.arange(len(vectors)), -weight, away, cluster))
    heads = np.append(True, np.diff(cluster[order]) > 0)
    picked = order[heads]
    rest = np.setdiff1d(np.arange(len(vectors)), picked)
    rest = rest[np.argsort(-weight[rest], kind="stable")]
    return np.sort(np.concatenate([picked, rest[: n - len(picked)]]))
