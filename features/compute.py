"""The feature table: one row per unique pair, one column per feature of the set."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .feature_set import FeatureSet
from .interning import InternedPairs, intern_pairs
from .providers import Providers
from .registry import KINDS, FeatureKind, Index
from .representations import Progress, Representations

CHUNK = 1 << 16


@dataclass(frozen=True)
class Step:
    """One comparison of all pairs.

    columns : where the values go, by the value of the option that `kind.output` names; one under None without it.
    """

    kind: FeatureKind
    options: Mapping[str, Any]
    columns: dict[Any, int]

    def prepare(self, texts: Representations) -> None:
        """Makes what the step needs of the names, where that is not there yet."""
        self.kind.needs(texts, self.options)

    def fill(self, texts: Representations, first: Index, second: Index, table: NDArray[np.float32]) -> None:
        """Fills the step's columns of `table`, float32[m, f], for the m pairs (first[p], second[p])."""
        out: Any = {value: table[:, column] for value, column in self.columns.items()}
        of_names = self.kind.needs(texts, self.options)
        self.kind.compare(of_names, first, second, out[None] if self.kind.output is None else out)


def steps(features: FeatureSet) -> list[Step]:
    """The steps that fill the columns of `features`, in the order of their first columns."""
    found: dict[Hashable, Step] = {}
    for column, feature in enumerate(features.features):
        kind, options, key = KINDS[feature.kind], dict(feature.options), str(column)
        value = None if kind.output is None else options.pop(kind.output)
        if kind.output is not None:
            shared = f"{kind.name} {sorted(options.items())!r}"
            key = key if shared in found and value in found[shared].columns else shared
        found.setdefault(key, Step(kind, options, {})).columns[value] = column
    return list(found.values())


def prepare(texts: Representations, features: FeatureSet, *, progress: Progress | None = None) -> None:
    """Makes all that the features need of the names, so that a table of pairs computes nothing but pairs.

    What is there already is not made again.

    progress : called with the names done and the names in all, as the ICD-10 search goes on; at the end for all names.
    """
    texts.progress = progress
    try:
        for step in steps(features):
            step.prepare(texts)
    finally:
        texts.progress = None
    if progress is not None:
        progress(len(texts.names), len(texts.names))


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
    alone, so it is bit-identical whatever else is in the table.

    texts : the representations of `pairs.names`, where they are shared with another table.
    threads : None takes as many as there are cores.
    progress : called with the pairs done and the pairs in all.
    """
    texts = Representations(pairs.names, providers) if texts is None else texts
    table = empty_table(pairs, features)
    fill(table, steps(features), pairs, texts, threads=threads, progress=progress)
    return table


def empty_table(pairs: InternedPairs, features: FeatureSet) -> NDArray[np.float32]:
    """float32[m, f] in column order, to be filled."""
    return np.empty((len(pairs.first), len(features.features)), np.float32, order="F")


def fill(
    table: NDArray[np.float32],
    of: Sequence[Step],
    pairs: InternedPairs,
    texts: Representations,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Fills the columns of some steps, as `feature_table` fills all."""
    for step in of:
        step.prepare(texts)
    total = len(pairs.first)

    def fill_chunk(start: int) -> int:
        rows = slice(start, min(start + CHUNK, total))
        for step in of:
            step.fill(texts, pairs.first[rows], pairs.second[rows], table[rows])
        return rows.stop

    if total <= CHUNK:
        fill_chunk(0)
        return
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        for done in pool.map(fill_chunk, range(0, total, CHUNK)):
            if progress is not None:
                progress(done, total)


def feature_values(a: str, b: str, features: FeatureSet, providers: Providers) -> dict[str, float]:
    """The features of one pair by name, to look at."""
    row = feature_table(intern_pairs([a], [b], providers.naming), features, providers)[0]
    return {name: float(value) for name, value in zip(features.names, row, strict=True)}
