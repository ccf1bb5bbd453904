"""What every engine takes besides the labelled rows, and what it gives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...models.ensemble import MEAN_RAW, Combination, Members

TIME_LIMIT = 3600.0
"""Seconds that a search may take."""


class ExtraRows(NamedTuple):
    """m training-only rows.

    Attributes
    ----------
    features : float32[m, f]
    label : int8[m]
    weight : float64[m]
        Above 0.
    fold : int64[m]
        A row of fold k is left out when fold k is held back, one of fold -1 never is.
    """

    features: NDArray[np.float32]
    label: NDArray[np.int8]
    weight: NDArray[np.float64]
    fold: NDArray[np.int64]

    @classmethod
    def join(cls, parts: Iterable[ExtraRows]) -> ExtraRows | None:
        """The parts end to end; None without one."""
        columns = list(zip(*parts, strict=True))
        return cls(*map(np.concatenate, columns)) if columns else None


@dataclass(frozen=True)
class Ensemble:
    """Fitted members, and what was chosen.

    Attributes
    ----------
    texts : tuple of str
        The members, in LightGBM's text form.
    out_of_fold : float64[n]
        The raw log-odds of each row from members that did not see its group.
    chosen : dict
        Plain JSON: the settings, and "out_of_fold_average_precision".
    combination : Combination
        How the members' raw log-odds become one.
    leaderboard : tuple of dict
        Every model that was tried, best first: "model", "stack_level", "out_of_fold_average_precision", "fit_seconds",
        "exported".
    """

    texts: tuple[str, ...]
    out_of_fold: NDArray[np.float64]
    chosen: dict[str, Any]
    combination: Combination = MEAN_RAW
    leaderboard: tuple[dict[str, Any], ...] = ()

    def raw(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """float64[m]: the log-odds of other rows, float32[m, f], before calibration."""
        return self.combination(Members(self.texts)(table))
