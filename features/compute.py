"""The feature table: one row per different pair, one column per feature of the set; and for how many pairs each is known.

What is unscored is not "no": it is NaN, and too much of it is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..models.ensemble import in_threads
from .feature_set import FeatureSet
from .names import Names, Progress
from .registry import KINDS, Pairs

CHUNK = 1 << 16
MIN_COVERAGE = 0.9
"""The least share of pairs that each vote and each pick must be known for, unless another is asked for."""
Coverage = Mapping[str, float]


def prepare(names: Names, features: FeatureSet, *, progress: Progress | None = None) -> None:
    """Makes all that the features need of the names, so that a table of pairs computes nothing but pairs.

    What is there already is not made again.

    Parameters
    ----------
    progress : called with the names done and the names in all, as the ICD-10 search goes on; at the end for all names.
    """
    names.progress, none = progress, np.zeros(0, np.int32)
    try:
        feature_table(names, none, none, features)
    finally:
        names.progress = None
    if progress is not None:
        progress(len(names), len(names))


def feature_table(
    names: Names,
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    features: FeatureSet,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> NDArray[np.float32]:
    """The features of m pairs of names.

    Parameters
    ----------
    first, second : int32[m], places among the names.
    threads : None takes as many as there are cores.
    progress : called with the pairs done and the pairs in all.

    Returns
    -------
    float32[m, f] in column order, for the f features in the set's order; NaN where a feature could not be computed
    (`FeatureKind.missing` says when). A row depends on its two strings alone, so it is bit-identical whatever else is in
    the table.
    """
    total, table = len(first), np.empty((len(first), len(features.features)), np.float32, order="F")

    def fill(rows: slice) -> None:
        pairs = Pairs(names, first[rows], second[rows])
        for column, feature in enumerate(features.features):
            table[rows, column] = KINDS[feature.kind].compute(pairs, **feature.options)

    if not 0 < total <= CHUNK:
        fill(slice(0, 0))  # of no pair: makes what is needed of the names before threads ask for it
    in_threads(fill, total, CHUNK, threads, progress)
    return table


def coverage(table: NDArray[np.float32], pair_of_row: NDArray[np.int64], features: FeatureSet) -> dict[str, float]:
    """The share of rows, in [0, 1], that each feature is known for.

    Parameters
    ----------
    table : float32[m, f] of the different pairs.
    pair_of_row : int64[n].
    """
    rows = np.bincount(pair_of_row, minlength=len(table))
    return shares(features, [[len(pair_of_row), *(rows[np.isfinite(column)].sum() for column in table.T)]])


def shares(features: FeatureSet, counts: Iterable[Sequence[int]]) -> dict[str, float]:
    """The share of rows that each feature is known for. counts : of each part of them, its rows and for how many each is known."""
    rows, *known = np.sum([[0] * (1 + len(features.names)), *counts], axis=0).tolist()
    return {name: count / max(rows, 1) for name, count in zip(features.names, known, strict=True)}


def check_coverage(known: Coverage, features: FeatureSet, least: float) -> None:
    """Raises `InputError` where a vote or a pick is known for too small a share, with the one that is known least."""
    short = [feature for feature in features.asked if known[feature.name] < least]
    if short:
        worst = min(short, key=lambda feature: known[feature.name])
        others = f", and {len(short) - 1} more for too few" if len(short) > 1 else ""
        raise InputError(
            f"{worst.name} is known for {_percent(known[worst.name])} of the pairs{others}; ask for the rest with 'dxmatch votes ask' or take in the rest with 'dxmatch votes import'; 'dxmatch votes status' says which answers hold no verdict, and why",
            allowed=f"at least {least:.0%}",
            remedy="the option 'min_coverage' (SHARE) sets another limit",
        )


def coverage_words(known: Coverage) -> str:
    """One line: the features that are not known for every pair, least known first."""
    part = sorted((share, name) for name, share in known.items() if share < 1)
    if not part:
        return "Every feature is known for every pair."
    return "Known for a part of the pairs: " + ", ".join(f"{name} {_percent(share)}" for share, name in part) + "."


def _percent(share: float) -> str:
    """Never "100.0 %" for less than all, nor "0.0 %" for some: the least is "0.1 %"."""
    return f"{np.clip(share, 0.001 * (share > 0), 0.999):.1%}".replace("%", " %")
