"""What every engine takes and gives, and the engines by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError
from ...models.ensemble import MEAN_RAW, Combination

ENGINES = {
    "lightgbm": "one LightGBM booster a fold, the best of a few settings",
    "autogluon": "AutoGluon's bagged LightGBM models, as many as the time limit allows",
}
TIME_LIMIT = 3600.0


@dataclass(frozen=True)
class ExtraRows:
    """m rows that are learned from and never measured on.

    features : float32[m, f]; label : int8[m]; weight : float64[m], above 0.
    fold : int64[m]; a row of fold k is left out when fold k is held back, one of fold -1 never is.
    """

    features: NDArray[np.float32]
    label: NDArray[np.int8]
    weight: NDArray[np.float64]
    fold: NDArray[np.int64]


@dataclass(frozen=True)
class Ensemble:
    """Fitted members, and what was chosen.

    texts : the members' LightGBM texts. combination : how their raw log-odds become one.
    out_of_fold : float64[n], the raw log-odds of each row from members that did not see its group.
    chosen : plain JSON: the settings, and "out_of_fold_average_precision".
    leaderboard : every model that was tried, best first: "model", "stack_level", "out_of_fold_average_precision",
        "fit_seconds", "exported".
    """

    texts: tuple[str, ...]
    out_of_fold: NDArray[np.float64]
    chosen: dict[str, Any]
    combination: Combination = MEAN_RAW
    leaderboard: tuple[dict[str, Any], ...] = ()


def check_engine(name: str, time_limit: float = TIME_LIMIT) -> None:
    """Errors: `OptionError` for a name that is no engine, or no time; `MissingExtra` where its library is absent."""
    if name not in ENGINES:
        raise OptionError("engine", f"one of {', '.join(ENGINES)}", name)
    if not 0 < time_limit < math.inf:
        raise OptionError("time_limit", "a number of seconds above 0", time_limit)
    if name == "autogluon":
        from .autogluon_engine import check_installed

        check_installed()


def fit_ensemble(
    engine: str,
    features: NDArray[np.float32],
    label: NDArray[np.int8],
    weight: NDArray[np.float64] | None,
    fold: NDArray[np.int64],
    directions: Sequence[int],
    *,
    extra: ExtraRows | None = None,
    time_limit: float = TIME_LIMIT,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Ensemble:
    """Fits the members of M by the engine of this name.

    Parameters
    ----------
    features : float32[n, f], NaN where unknown; label : int8[n]; weight : float64[n] or None.
    fold : int64[n], from 0 without a gap; every engine holds back whole folds, so that no group is on both sides.
    directions : f of 1, -1, 0: whether M may only rise, only fall, or do either as the feature grows.
    time_limit : seconds, for engines that search for as long as they may ("autogluon").
    """
    from . import lightgbm_engine

    if engine == "lightgbm":
        return lightgbm_engine.fit(features, label, weight, fold, directions, extra=extra, seed=seed, progress=progress)
    from . import autogluon_engine

    return autogluon_engine.fit(
        features, label, weight, fold, directions, extra=extra, time_limit=time_limit, seed=seed, progress=progress
    )
