"""The engines by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError
from . import autogluon_engine, lightgbm_engine
from .fitted import TIME_LIMIT, Ensemble, ExtraRows

ENGINES = {
    "lightgbm": "one LightGBM booster a fold, the best of a few settings",
    "autogluon": "AutoGluon's bagged LightGBM models, as many as the time limit allows",
}


def check_engine(name: str, time_limit: float = TIME_LIMIT) -> None:
    """Refuses what `fit_ensemble` could not do.

    Raises
    ------
    OptionError
        For a name that is not an engine, or no time.
    MissingExtra
        Where the engine's library is absent.
    """
    if name not in ENGINES:
        raise OptionError("engine", f"one of {', '.join(ENGINES)}", name)
    if not 0 < time_limit < math.inf:
        raise OptionError("time_limit", "a number of seconds above 0", time_limit)
    if name == "autogluon":
        autogluon_engine.check_installed()


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
    features : float32[n, f]
        NaN where unknown.
    label : int8[n]
    weight : float64[n] or None
    fold : int64[n]
        From 0 without a gap; every engine holds back whole folds, so that no group is on both sides.
    directions : sequence of int
        f of 1, -1, 0: whether M may only rise, only fall, or do either as the feature grows.
    extra : ExtraRows, optional
    time_limit : float
        Seconds, for engines that search for as long as they may ("autogluon").
    """
    if engine == "lightgbm":
        return lightgbm_engine.fit(features, label, weight, fold, directions, extra=extra, seed=seed, progress=progress)
    return autogluon_engine.fit(
        features, label, weight, fold, directions, extra=extra, time_limit=time_limit, seed=seed, progress=progress
    )
