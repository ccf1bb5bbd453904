"""The engines that grow the members of M, as objects of options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from ...options import Between, Options
from . import autogluon_engine, lightgbm_engine
from .fitted import TIME_LIMIT, Ensemble, Rows


@dataclass(frozen=True, kw_only=True)
class LightGBM(Options):
    """LightGBM's trees, a member for each fold: of three sizes, the one with the fewest splits that is about as good as the best.

    Parameters
    ----------
    drop_correlated : float, optional
        Leaves out features whose Spearman correlation with a better one is that strong, up to 1; the card names them.
    """

    drop_correlated: Annotated[float, Between(0.01, 1)] | None = None

    @property
    def name(self) -> str:
        """What the manifest calls it, and the plain word for it."""
        return type(self).__name__.lower()

    def fit(self, rows: Rows, *, seed: int, progress: Callable[[int, int], None] | None = None) -> Ensemble:
        """Fits the members of M."""
        return lightgbm_engine.fit(rows, seed=seed, progress=progress)


@dataclass(frozen=True, kw_only=True)
class AutoGluon(LightGBM):
    """AutoGluon, which searches for hours and gained little where that was measured (extra "automl"); M is made of LightGBM's trees.

    Parameters
    ----------
    drop_correlated : float, optional
        As of `LightGBM`.
    time_limit : float
        The seconds that it may search, above 0; twice with `Split.refit`. The whole run takes some five minutes more.
    models : str
        The families that it tries, "GBM,CAT,XGB,RF,XT,NN_TORCH" by its names, or "default" for all of its own. M is always made of "GBM";
        where another wins, the card says by how much.

    Raises
    ------
    OptionError
        For no time, or families of which none can be exported.
    MissingExtra
        Where AutoGluon is absent.
    """

    time_limit: Annotated[float, Between(0, apart=True)] = TIME_LIMIT
    models: str = autogluon_engine.EXPORTED

    def __post_init__(self) -> None:
        super().__post_init__()
        autogluon_engine.families_of(self.models)
        autogluon_engine.check_installed()

    def fit(self, rows: Rows, *, seed: int, progress: Callable[[int, int], None] | None = None) -> Ensemble:
        """Fits the members of M."""
        return autogluon_engine.fit(
            rows, time_limit=self.time_limit, families=self.models, seed=seed, progress=progress
        )


ENGINES = {"lightgbm": LightGBM, "autogluon": AutoGluon}
"""The engines by the plain words for them."""
