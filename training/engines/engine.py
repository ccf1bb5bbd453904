"""The engines by name."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...errors import OptionError
from . import autogluon_engine, lightgbm_engine
from .fitted import TIME_LIMIT, Ensemble, Rows

ENGINES = ("lightgbm", "autogluon")
EXPORTED = autogluon_engine.EXPORTED


def check_engine(name: str, time_limit: float = TIME_LIMIT, models: str = EXPORTED) -> None:
    """Refuses what `fit_ensemble` could not do.

    Raises
    ------
    OptionError
        For a name that is not an engine, no time, or families of models that the engine has not.
    MissingExtra
        Where the engine's library is absent.
    """
    if name not in ENGINES:
        raise OptionError("engine", f"one of {', '.join(ENGINES)}", name)
    if not 0 < time_limit < math.inf:
        raise OptionError("time_limit", "a number of seconds above 0", time_limit)
    autogluon_engine.families_of(models)
    if name != "autogluon" and models != EXPORTED:
        raise OptionError(
            "models", f"{EXPORTED} with the engine {name!r}; other families are of the engine 'autogluon'", models
        )
    if name == "autogluon":
        autogluon_engine.check_installed()


def fit_ensemble(
    engine: str,
    rows: Rows,
    *,
    time_limit: float = TIME_LIMIT,
    models: str = EXPORTED,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Ensemble:
    """Fits the members of M by the engine of this name. time_limit, models : as of `Recipe`, for engines that search ("autogluon")."""
    if engine == "lightgbm":
        return lightgbm_engine.fit(rows, seed=seed, progress=progress)
    return autogluon_engine.fit(rows, time_limit=time_limit, families=models, seed=seed, progress=progress)
