"""The engines by name."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...errors import OptionError
from . import autogluon_engine, lightgbm_engine
from .fitted import TIME_LIMIT, Ensemble, Rows

ENGINES = ("lightgbm", "autogluon")


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
    rows: Rows,
    *,
    time_limit: float = TIME_LIMIT,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Ensemble:
    """Fits the members of M by the engine of this name. time_limit : in seconds, for engines that search ("autogluon")."""
    if engine == "lightgbm":
        return lightgbm_engine.fit(rows, seed=seed, progress=progress)
    return autogluon_engine.fit(rows, time_limit=time_limit, seed=seed, progress=progress)
