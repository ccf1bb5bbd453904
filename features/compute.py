"""The feature table: one row per unique pair, one column per feature of the set."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from ..compiled import FEW
from .feature_set import FeatureSet
from .interning import InternedPairs
from .passes import passes
from .providers import Providers
from .representations import Progress, Representations

CHUNK = 1 << 16


def feature_table(
    pairs: InternedPairs,
    features: FeatureSet,
    providers: Providers,
    *,
    texts: Representations | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    prepared: Progress | None = None,
) -> NDArray[np.float32]:
    """float32[m, f] in column order, for the m unique pairs and the f features in the set's order.

    NaN where a feature could not be computed (`FeatureKind.missing` says when). A row depends on its two strings
    alone, so it is the same to the last bit whatever else is in the table.

    texts : the representations of `pairs.names`, where they are shared with another table.
    threads : None takes as many as there are cores.
    progress, prepared : called with the pairs done and the pairs in all; before that, as `Representations.prepare` says,
        with the names.
    """
    texts = Representations(pairs.names, providers) if texts is None else texts
    total = len(pairs.first)
    if total > FEW:
        texts.prepare(features, progress=prepared)
    table = np.empty((total, len(features.features)), np.float32, order="F")
    plan = passes(features)

    def fill(start: int) -> None:
        rows = slice(start, min(start + CHUNK, total))
        for one in plan:
            one.fill(texts, pairs.first[rows], pairs.second[rows], table[rows])

    if total <= CHUNK:
        fill(0)
        return table
    done = 0
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        for start in pool.map(lambda start: fill(start) or start, range(0, total, CHUNK)):
            done = min(start + CHUNK, total)
            if progress is not None:
                progress(done, total)
    return table


def feature_values(a: str, b: str, features: FeatureSet, providers: Providers) -> dict[str, float]:
    """The features of one pair by name, to look at."""
    from .interning import intern_pairs

    row = feature_table(intern_pairs([a], [b], providers.naming), features, providers, threads=1)[0]
    return {name: float(value) for name, value in zip(features.names, row, strict=True)}
