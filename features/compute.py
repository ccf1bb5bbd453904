"""The feature table: one row per unique pair, one column per feature of the set."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from .feature_set import FeatureSet
from .interning import InternedPairs
from .registry import KINDS
from .representations import Providers, Representations

CHUNK = 1 << 16
Progress = Callable[[int, int], None]
"""Called with the pairs done and the pairs in all."""


def feature_table(
    pairs: InternedPairs,
    features: FeatureSet,
    providers: Providers,
    *,
    texts: Representations | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> NDArray[np.float32]:
    """float32[m, f] in column order, for the m unique pairs and the f features in the set's order.

    NaN where a feature could not be computed (`FeatureKind.missing` says when). A row depends on its two strings
    alone, so it is the same to the last bit whatever else is in the table. `texts` are the representations of
    `pairs.names`, where they are shared with another table.
    """
    texts = texts or Representations(pairs.names, providers)
    total = len(pairs.first)
    table = np.empty((total, len(features.features)), np.float32, order="F")
    plan = [(KINDS[feature.kind], feature.options) for feature in features.features]
    for kind, options in plan:
        # Representations and compiled kernels are made here, once, before threads ask for them together.
        kind.compute(texts, options, pairs.first[:1], pairs.second[:1], table[:1, 0])

    def fill(start: int) -> None:
        rows = slice(start, min(start + CHUNK, total))
        for column, (kind, options) in enumerate(plan):
            kind.compute(texts, options, pairs.first[rows], pairs.second[rows], table[rows, column])

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
