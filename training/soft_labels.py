"""Vote shares as labels: a pair that voters are divided on is learned as both, each with the share that says so."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .engines.fitted import ExtraRows
from .examples import Examples

MIN_WEIGHT = 1e-6
"""LightGBM takes no weight of 0: of a pair whose label, adjudicated, is what nobody voted for."""


def soft_rows(examples: Examples, fold: NDArray[np.int64]) -> tuple[NDArray[np.float64], ExtraRows]:
    """The weight float64[n] of each pair's own label, and the rows that learn its opposite.

    The log loss of a pair with share s is -s log p - (1 - s) log(1 - p): a row labelled 1 of weight s and one labelled 0 of
    weight 1 - s, both times the pair's weight. A share that is NaN leaves the label as it is. fold : int64[n].
    """
    assert examples.soft is not None
    share = np.where(np.isnan(examples.soft), examples.label, examples.soft)
    own = np.where(examples.label == 1, share, 1 - share)
    weight = np.ones(len(examples)) if examples.weight is None else examples.weight
    divided = own < 1
    opposite = ExtraRows(
        examples.table[divided],
        (1 - examples.label[divided]).astype(np.int8),
        (weight * (1 - own))[divided],
        fold[divided],
    )
    return np.maximum(weight * own, MIN_WEIGHT), opposite
