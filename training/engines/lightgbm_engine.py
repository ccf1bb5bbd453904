"""Engine `lightgbm`: one booster per grouped fold, average precision as the target."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from ...options import Between, Options
from ...progress import Progress
from ...settings import cores
from .fitted import Ensemble, Rows, trees_of

MAX_ROUNDS = 600
STEP = 20
TOLERANCE = 0.002
"""Out-of-fold average precision that is given up for fewer splits: a tenth of its interval's width on twenty thousand pairs."""
SETTINGS: dict[str, Any] = {
    "learning_rate": 0.03,
    "lambda_l2": 1.0,
    "feature_fraction": 0.8,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
}
STEADY = {"deterministic": True, "force_row_wise": True}
CANDIDATES: Sequence[dict[str, Any]] = [{"num_leaves": leaves, "min_data_in_leaf": 40} for leaves in (4, 7, 15)]


@dataclass(frozen=True, kw_only=True)
class LightGBM(Options):
    """LightGBM's trees, a member for each fold: of three sizes, the one with the fewest splits that is about as good as the best.

    Parameters
    ----------
    drop_correlated : float, optional
        Leaves out features whose Spearman correlation with a better one is that strong, up to 1; the card names them.
    """

    drop_correlated: Annotated[float, Between(0.01, 1)] | None = None

    def fit(self, rows: Rows, *, seed: int, progress: Progress | None = None) -> Ensemble:
        """Fits the members of M."""
        return fit(rows, seed=seed, progress=progress)


def fit(
    rows: Rows,
    *,
    seed: int = 0,
    candidates: Sequence[dict[str, Any]] = CANDIDATES,
    progress: Progress | None = None,
) -> Ensemble:
    """Fits every candidate on the folds and keeps, of what comes within `TOLERANCE` of the best out-of-fold AP, the fewest splits.

    Fewer splits are scored faster, and what they lose is less than another split of the folds would change.

    The out-of-fold AP is pooled over folds: scores of different members must be comparable, since M averages them.
    """
    tried: list[tuple[float, int, dict[str, Any], int, list[Any], NDArray[np.float64]]] = []
    for number, candidate in enumerate(candidates):
        path = np.empty((MAX_ROUNDS // STEP, len(rows.label)))

        def grow(member: int, candidate: dict[str, Any] = candidate, path: NDArray[np.float64] = path) -> Any:
            booster = _booster(rows, member, candidate, seed + member)
            held = rows.fold == member
            for step in range(len(path)):
                path[step, held] = booster.predict(
                    rows.features[held], raw_score=True, num_iteration=(step + 1) * STEP, num_threads=1
                )
            return booster

        boosters = []
        # One thread a fold: LightGBM's own threads wait for each other at every leaf, and stall where cores are shared.
        with ThreadPoolExecutor(cores()) as pool:
            for booster in pool.map(grow, range(rows.folds)):
                boosters.append(booster)
                if progress is not None:
                    progress(number * rows.folds + len(boosters), len(candidates) * rows.folds)
        for step, raw in enumerate(path):
            rounds = (step + 1) * STEP
            splits = rounds * (candidate["num_leaves"] - 1)
            tried.append((rows.average_precision(raw), splits, candidate, rounds, boosters, raw))
    enough = max(each[0] for each in tried) - TOLERANCE
    score, _, candidate, rounds, boosters, out_of_fold = min(
        (each for each in tried if each[0] >= enough), key=lambda each: (each[1], -each[0])
    )
    chosen = {**candidate, "rounds": rounds, "out_of_fold_average_precision": score}
    return Ensemble(trees_of(boosters, rounds=rounds), out_of_fold, {"chosen": chosen})


def _booster(rows: Rows, held_back: int, candidate: dict[str, Any], seed: int) -> Any:
    import lightgbm

    features, label, weight, _ = rows.without(held_back)
    parameters = {
        "objective": "binary",
        **SETTINGS,
        **rows.constraints,
        **STEADY,
        "seed": seed,
        "num_threads": 1,
        "verbosity": -1,
        **candidate,
    }
    # A leaf may not ask for more rows than a small training set has to give.
    parameters["min_data_in_leaf"] = min(parameters["min_data_in_leaf"], max(5, len(label) // 50))
    data = lightgbm.Dataset(features, label, weight=weight, free_raw_data=True)
    return lightgbm.train(parameters, data, num_boost_round=MAX_ROUNDS)
