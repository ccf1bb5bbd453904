"""The feature table: one row per unique pair, one column per feature of the set."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .feature_set import FeatureSet
from .interning import InternedPairs
from .providers import Providers
from .registry import KINDS, FeatureKind, Index
from .representations import Progress, Representations

CHUNK = 1 << 16


@dataclass(frozen=True)
class Step:
    """One comparison of all pairs.

    Attributes
    ----------
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

    Parameters
    ----------
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
    check: Callable[[NDArray[np.float32]], None] | None = None,
) -> NDArray[np.float32]:
    """The features of m unique pairs.

    Parameters
    ----------
    texts : the representations of `pairs.names`, where they are shared with another table.
    threads : None takes as many as there are cores.
    progress : called with the pairs done and the pairs in all.
    check : called with the table when no columns but those of votes and picks are filled; what it raises ends the work.

    Returns
    -------
    float32[m, f] in column order, for the f features in the set's order; NaN where a feature could not be computed
    (`FeatureKind.missing` says when). A row depends on its two strings alone, so it is bit-identical whatever else is in
    the table.
    """
    texts = Representations(pairs.names, providers) if texts is None else texts
    total = len(pairs.first)
    table = np.empty((total, len(features.features)), np.float32, order="F")
    for asked in (True, False):
        todo = [step for step in steps(features) if step.kind.asked is asked]
        for step in todo:
            step.prepare(texts)

        def fill(start: int, todo: Sequence[Step] = todo) -> int:
            rows = slice(start, min(start + CHUNK, total))
            for step in todo:
                step.fill(texts, pairs.first[rows], pairs.second[rows], table[rows])
            return rows.stop

        if total <= CHUNK:
            fill(0)
        elif todo or not asked:
            with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
                for done in pool.map(fill, range(0, total, CHUNK)):
                    if progress is not None and not asked:
                        progress(done, total)
        if asked and check is not None:
            check(table)
    return table
