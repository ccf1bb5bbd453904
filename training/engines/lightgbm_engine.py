"""Engine `lightgbm`: one booster per grouped fold, average precision as the target."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .exported import trees_of
from .fitted import Ensemble, Rows

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
CANDIDATES: tuple[dict[str, Any], ...] = (
    {"num_leaves": 4, "min_data_in_leaf": 40},
    {"num_leaves": 7, "min_data_in_leaf": 40},
    {"num_leaves": 15, "min_data_in_leaf": 40},
)


def fit(
    rows: Rows,
    *,
    seed: int = 0,
    candidates: Sequence[dict[str, Any]] = CANDIDATES,
    progress: Callable[[int, int], None] | None = None,
) -> Ensemble:
    """Fits every candidate on the folds and keeps, of what comes within `TOLERANCE` of the best out-of-fold AP, the fewest splits.

    Fewer splits are scored faster, and what they lose is less than another split of the folds would change.

    The out-of-fold AP is pooled over folds: scores of different members must be comparable, since M averages them.
    """
    tried: list[tuple[float, int, dict[str, Any], int, list[Any], NDArray[np.float64]]] = []
    for number, candidate in enumerate(candidates):
        path = np.empty((MAX_ROUNDS // STEP, len(rows.label)))

        def grow(member: int, candidate: dict[str, Any] = candidate, path: NDArray[np.float64] = path) -> Any:
            booster = _booster(*rows.without(member), candidate, rows.directions, seed + member)
            held = rows.fold == member
            for step in range(len(path)):
                path[step, held] = booster.predict(
                    rows.features[held], raw_score=True, num_iteration=(step + 1) * STEP, num_threads=1
                )
            return booster

        boosters = []
        # One thread a fold: LightGBM's own threads wait for each other at every leaf, and stall where cores are shared.
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
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
    trees = trees_of(boosters, rounds=rounds)
    return Ensemble(trees, out_of_fold, {**candidate, "rounds": rounds, "out_of_fold_average_precision": score})


def _booster(
    features: NDArray[np.float32],
    label: NDArray[np.int8],
    weight: NDArray[np.float64] | None,
    candidate: dict[str, Any],
    directions: Sequence[int],
    seed: int,
) -> Any:
    import lightgbm

    parameters = {
        "objective": "binary",
        **SETTINGS,
        "monotone_constraints": list(directions),
        "monotone_constraints_method": "advanced",
        "seed": seed,
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": 1,
        "verbosity": -1,
        **candidate,
    }
    # A leaf may not ask for more rows than a small training set has to give.
    parameters["min_data_in_leaf"] = min(parameters["min_data_in_leaf"], max(5, len(label) // 50))
    data = lightgbm.Dataset(features, label, weight=weight, free_raw_data=True)
    return lightgbm.train(parameters, data, num_boost_round=MAX_ROUNDS)
