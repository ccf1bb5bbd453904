"""Features -> raw log-odds -> probability: the members of M, how their scores become one, and the calibration."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .calibration import Sigmoid
from .ensemble import MEAN_RAW, Combination, Members

_CHUNK = 65_536
_SHAP_CHUNK = 8_192
_NEAR = 1e-6


class Scorer:
    """The trained part of a match function, over columns of features. A row gets the same bits alone and in any batch.

    Parameters
    ----------
    trees : one text of LightGBM's for each member, as `ModelFolder.trees`.
    calibration : raw log-odds -> probability.
    combination : how the members' raw log-odds become one.

    Raises
    ------
    ModelError
        For a text that `trees.text.validate` refuses.
    """

    def __init__(self, trees: Sequence[str], calibration: Sigmoid, combination: Combination = MEAN_RAW) -> None:
        self.members = Members(trees)
        self.calibration = calibration
        self.combination = combination

    def raw(self, table: NDArray[np.float32], *, threads: int | None = None) -> NDArray[np.float64]:
        """The members' raw log-odds made one, before calibration.

        Parameters
        ----------
        table : float32[n, f], NaN where a feature is unknown.
        threads : None takes as many as there are cores.

        Returns
        -------
        float64[n]
        """
        raw = np.empty(len(table))

        def compute(rows: slice) -> None:
            raw[rows] = self.combination(self.members(table[rows]))

        _in_threads(compute, len(table), _CHUNK, threads)
        return raw

    def decided(
        self, table: NDArray[np.float32], equal: NDArray[np.bool_], *, threads: int | None = None
    ) -> NDArray[np.float64]:
        """The probabilities float64[n], in [0, 1], of n pairs from their features float32[n, f]; 1 where `equal` bool[n] says both are one name."""
        probability = self.calibration(self.raw(table, threads=threads))
        probability[equal] = 1.0
        return probability

    def contributions(self, table: NDArray[np.float32], *, threads: int | None = None) -> NDArray[np.float64]:
        """What each feature adds to `raw`: SHAP values, in log-odds before calibration.

        Path-dependent TreeSHAP (Lundberg et al. 2020) of each member, joined by `Combination.shares`.

        Parameters
        ----------
        table : float32[n, f], NaN where a feature is unknown.
        threads : None takes as many as there are cores.

        Returns
        -------
        float64[n, f + 1]
            In the last column the base, the same for all rows; each row adds up to its `raw`.

        Raises
        ------
        ModelError
            Where the trees lack the counts of training pairs, or the log-odds of members whose probabilities are averaged are so far apart
            that the values do not add up (by more than 1e-6).
        """
        found = np.empty((len(table), table.shape[1] + 1))

        def compute(rows: slice) -> None:
            values = self.members.contributions(table[rows])
            bases = values[:, :, -1]
            scores = values.sum(axis=2)
            shares = self.combination.shares(bases, scores)
            found[rows] = 0.0
            for member in range(len(self.members)):  # in this order for every row: the same bits in any batch
                found[rows] += shares[:, member, None] * values[:, member]
            found[rows, -1] = self.combination(bases)
            _check_sum(found[rows], self.combination(scores))

        _in_threads(compute, len(table), _SHAP_CHUNK, threads)
        return found


def _check_sum(values: NDArray[np.float64], score: NDArray[np.float64]) -> None:
    gap = float(np.abs(values.sum(axis=1) - score).max(initial=0.0))
    if not gap <= _NEAR * max(1.0, float(np.abs(score).max(initial=0.0))):
        raise ModelError(
            f"SHAP values do not add up to the score (by {gap:.2g}): the members' log-odds are too far apart."
        )


def _in_threads(compute: Callable[[slice], None], rows: int, chunk: int, threads: int | None) -> None:
    """Calls `compute` with every `chunk` of the rows, each once."""
    chunks = [slice(start, start + chunk) for start in range(0, max(rows, 1), chunk)]
    if len(chunks) == 1 or threads == 1:
        for part in chunks:
            compute(part)
        return
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        list(pool.map(compute, chunks))
