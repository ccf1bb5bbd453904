"""Engine `autogluon`: AutoGluon Tabular (Erickson et al. 2020), as "How to Evaluate Medical AI" trains its match function.

Average precision is the target. Models are bagged over the grouped folds, a second layer is stacked on their out-of-fold
probabilities, and weighted means of bags are selected (Caruana et al. 2004), for as long as the time limit allows. Which families
are tried is asked for: LightGBM alone, several of AutoGluon's, or all of its own ("default"), as the source does.

Exported is the best model of the leaderboard that rests on LightGBM bags of the first layer alone, so that M is nothing but
LightGBM's trees and a weight for each of them. The source's winner was such a one. Where another wins, `Ensemble.search` says which,
and what its export would have been worth.

AutoGluon keeps its models as pickles in a folder of its own, which is made for one training and deleted after it.
"""

from __future__ import annotations

import importlib.util
import logging
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import MissingExtra, OptionError
from ...models.ensemble import MAX_MEMBERS
from .exported import trees_of
from .fitted import TIME_LIMIT, Ensemble, Rows
from .lightgbm_engine import CANDIDATES, SETTINGS

if TYPE_CHECKING:
    import pandas as pd

PORTFOLIO = "zeroshot"
"""The list of settings that AutoGluon learned from other data sets, best first."""
STACK_LEVELS = 1

EXPORTED = "GBM"
"""LightGBM, the family whose trees a model folder can hold."""
DEFAULT = "default"
_OWN = ("GBM", "CAT", "XGB", "RF", "XT", "NN_TORCH", "FASTAI")
_MORE = ("KNN", "LR")
"""Families that AutoGluon's own list of settings has none for; their defaults are tried."""

_STEADY = {"deterministic": True, "force_row_wise": True}
_OUT_OF_TIME = ("No models were trained", "Not enough time left")
_LABEL, _WEIGHT = "label", "weight"


def check_installed() -> None:
    """Errors: `MissingExtra` without AutoGluon."""
    if importlib.util.find_spec("autogluon") is None or importlib.util.find_spec("autogluon.tabular") is None:
        raise MissingExtra("The engine 'autogluon'", "automl")


def families_of(text: str) -> tuple[str, ...]:
    """The families of "GBM,CAT" or "default", each once.

    Raises
    ------
    OptionError
        For an unknown one, or none whose trees can be exported.
    """
    if text.strip() == DEFAULT:
        return _OWN
    found = tuple(dict.fromkeys(part.strip().upper() for part in text.split(",") if part.strip()))
    if not set(found) <= {*_OWN, *_MORE}:
        raise OptionError("models", f"{DEFAULT!r}, or some of {', '.join((*_OWN, *_MORE))}", text)
    if EXPORTED not in found:
        raise OptionError(
            "models", f"{EXPORTED} (LightGBM) and any others: M can only be made of LightGBM's trees", text
        )
    return found


def fit(
    rows: Rows,
    *,
    time_limit: float = TIME_LIMIT,
    families: str = EXPORTED,
    models: Sequence[Mapping[str, Any]] | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Ensemble:
    """Lets AutoGluon search for `time_limit` seconds, and takes the best bag of LightGBM models, or mean of such bags.

    Extra rows have no out-of-fold prediction for a second layer to learn from, so that with them nothing is stacked.
    families : as of `families_of`. models : LightGBM settings to try, in AutoGluon's form; the engine `lightgbm`'s and AutoGluon's
    own if not given. The directions hold for LightGBM's first layer alone.

    Errors: `MissingExtra` without AutoGluon; `OptionError` where no model was ready in time.
    """
    check_installed()
    from autogluon.tabular import TabularPredictor  # pyright: ignore[reportMissingImports]

    settings = [{**_STEADY, **model} for model in models or _portfolio()]
    constraints = {"monotone_constraints": list(rows.directions), "monotone_constraints_method": "advanced"}
    # What a second layer reads besides, other models' probabilities, has no place among the directions.
    others = _others(families_of(families))
    layers = {
        1: {EXPORTED: [{**constraints, **setting} for setting in settings], **others},
        2: {EXPORTED: settings, **others},
    }
    tried = len(settings) + sum(map(len, others.values()))
    table = _table(rows)
    levels = STACK_LEVELS if rows.extra is None else 0
    # It asks for torch at every model, to see whether there is an accelerator, and calls it an error to find none.
    logging.getLogger("autogluon.common.utils.resource_utils").setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory(prefix="dxmatch-") as folder:
        predictor = TabularPredictor(
            _LABEL,
            problem_type="binary",
            eval_metric="average_precision",
            positive_class=1,
            path=folder,
            verbosity=0,
            sample_weight=_WEIGHT if _WEIGHT in table else None,
            weight_evaluation=_WEIGHT in table,
        )
        try:
            predictor.fit(
                table,
                time_limit=time_limit,
                hyperparameters=layers,
                # No column is changed, left out or added: the trees' columns are the features.
                feature_generator=None,
                # One thread: LightGBM's own wait for each other at every leaf of so small a table, and stall on shared cores.
                # The matches of one fold are too few to stop on their average precision: members would stop anywhere from
                # 5 to 300 rounds, and their probabilities would not go together.
                ag_args_fit={"drop_unique": False, "num_cpus": 1, "stopping_metric": "log_loss"},
                num_bag_folds=rows.folds,
                num_bag_sets=1,
                num_stack_levels=levels,
                dynamic_stacking=False,
                calibrate=False,
                calibrate_decision_threshold=False,
                num_gpus=0,
                ag_args_ensemble={
                    "custom_splits": _splits(rows),
                    "model_random_seed": seed,
                    "vary_seed_across_folds": True,
                    # A forest's rows out of bag share their references with rows in it.
                    "use_child_oof": False,
                },
                callbacks=None if progress is None else [_told(progress, tried * (1 + levels))],
            )
        except (RuntimeError, AssertionError) as error:
            if not str(error).startswith(_OUT_OF_TIME):
                raise
            raise OptionError("time_limit", "time enough for one model (none was ready)", time_limit) from None
        if others and (bags := _lightgbm_bags(predictor)):
            predictor.fit_weighted_ensemble(base_models=bags, name_suffix=f"_{EXPORTED}")
        return _exported(predictor, rows, families_of(families))


def _portfolio() -> Sequence[Mapping[str, Any]]:
    """The small trees of the engine `lightgbm`, then AutoGluon's own settings."""
    from autogluon.tabular.configs.hyperparameter_configs import get_hyperparameter_config  # pyright: ignore[reportMissingImports]

    small = [
        {**SETTINGS, **candidate, "ag_args": {"name_suffix": f"_{candidate['num_leaves']}_leaves", "priority": 100}}
        for candidate in CANDIDATES
    ]
    return [*small, *get_hyperparameter_config(PORTFOLIO)["GBM"]]


def _others(families: Sequence[str]) -> dict[str, list[Mapping[str, Any]]]:
    """AutoGluon's settings of each family but LightGBM."""
    from autogluon.tabular.configs.hyperparameter_configs import get_hyperparameter_config  # pyright: ignore[reportMissingImports]

    portfolio = get_hyperparameter_config(PORTFOLIO)
    return {family: portfolio.get(family, [{}]) for family in families if family != EXPORTED}


def _lightgbm_bags(predictor: Any) -> list[str]:
    """The bags of LightGBM models of the first layer, by name."""
    from autogluon.tabular.models import LGBModel  # pyright: ignore[reportMissingImports]

    board = predictor.leaderboard()
    first = board.loc[board["stack_level"] == 1, "model"]
    return [name for name in first if issubclass(_child_type(predictor, name), LGBModel)]


def _child_type(predictor: Any, name: str) -> type:
    """What a bag is a bag of; a weighted mean of models is of its own kind."""
    model = predictor._trainer.load_model(name)
    return getattr(model, "_child_type", None) or type(model)


def _table(rows: Rows) -> pd.DataFrame:
    """All rows, then the extra ones; the columns are named as LightGBM names those that have no names."""
    import pandas as pd

    features, label, weight = rows.without(rows.folds)
    table = pd.DataFrame(features, columns=pd.Index([f"Column_{column}" for column in range(features.shape[1])]))
    table[_LABEL] = label
    if weight is not None:
        table[_WEIGHT] = weight
    return table


def _splits(rows: Rows) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For each fold the rows that its member learns from and those that it is measured on, which are never extra ones."""
    every = rows.fold if rows.extra is None else np.concatenate([rows.fold, rows.extra.fold])
    return [(np.flatnonzero(every != held), np.flatnonzero(rows.fold == held)) for held in range(rows.folds)]


def _told(progress: Callable[[int, int], None], models: int) -> Any:
    """What AutoGluon calls after each model. Bags are counted; the weighted means of them take no time."""
    from autogluon.core.callbacks import AbstractCallback  # pyright: ignore[reportMissingImports]

    class Told(AbstractCallback):
        done = 0

        def after_model_fit(self, trainer: Any, model_names: Any, stack_name: str = "core", level: int = 1) -> bool:
            self.done = min(self.done + (stack_name == "core"), models)
            progress(self.done, models)
            return False

        def __reduce__(self) -> Any:
            # AutoGluon pickles it with each state of the training, and `progress` may be a bar on a terminal.
            return AbstractCallback, ()

    return Told()


def _exported(predictor: Any, rows: Rows, families: Sequence[str] = (EXPORTED,)) -> Ensemble:
    """The best model of the leaderboard that is a weighted mean of LightGBM's first-layer bags, and few enough members for a model folder."""
    trainer, board = predictor._trainer, predictor.leaderboard()
    first_layer = set(_lightgbm_bags(predictor))
    shares = {name: _shares(trainer, name) for name in board["model"]}
    fit_to_export = [
        n for n in board["model"] if shares[n].keys() <= first_layer and len(shares[n]) * rows.folds <= MAX_MEMBERS
    ]
    if not fit_to_export:
        raise OptionError(
            "time_limit", f"time enough for a model of {EXPORTED} (LightGBM), which M is made of", "none was ready"
        )
    best = fit_to_export[0]
    bags = [_boosters(trainer, bag) for bag in shares[best]]
    weights = list(shares[best].values())
    out_of_fold = np.empty(len(rows.label))
    for fold in range(rows.folds):
        held = rows.fold == fold
        of_fold = trees_of([bag[fold] for bag in bags], weights=weights, averaged="probabilities")
        out_of_fold[held] = of_fold.raw(rows.features[held])
    return Ensemble(
        trees=trees_of(
            [member for bag in bags for member in bag],
            weights=np.repeat(weights, rows.folds).tolist(),
            averaged="probabilities",
        ),
        out_of_fold=out_of_fold,
        chosen={
            "model": best,
            "bags": dict(shares[best]),
            "out_of_fold_average_precision": rows.average_precision(out_of_fold),
        },
        leaderboard=tuple(
            {
                "model": row.model,
                "stack_level": int(row.stack_level),
                "out_of_fold_average_precision": float(row.score_val),
                "fit_seconds": round(float(row.fit_time_marginal), 1),
                "exported": row.model == best,
            }
            for row in board.itertuples()
        ),
        search=_search(predictor, board, best, families),
    )


def _search(predictor: Any, board: pd.DataFrame, best: str, families: Sequence[str]) -> dict[str, Any]:
    """As of `Ensemble.search`."""
    from autogluon.tabular.registry import ag_model_registry  # pyright: ignore[reportMissingImports]

    trained = {_child_type(predictor, name) for name in board["model"]}
    score = dict(zip(board["model"], board["score_val"].astype(float), strict=True))
    won = board["model"].iloc[0]
    return {
        "families": list(families),
        "not_trained": [family for family in families if ag_model_registry.key_to_cls(family) not in trained],
        "won": {"model": won, "average_precision": score[won]},
        "exported": {"model": best, "average_precision": score[best]},
    }


def _shares(trainer: Any, name: str) -> dict[str, float]:
    """The bags that a model is the weighted mean of, and their weights; of a bag, itself."""
    from autogluon.core.models import WeightedEnsembleModel  # pyright: ignore[reportMissingImports]

    model = trainer.load_model(name)
    if not isinstance(model, WeightedEnsembleModel):
        return {name: 1.0}
    return {bag: float(share) for bag, share in model._get_model_weights().items()}


def _boosters(trainer: Any, name: str) -> list[Any]:
    """LightGBM's boosters of a bag's members, by the fold that they did not see, up to the rounds where each was stopped."""
    bag = trainer.load_model(name)
    return [bag.load_child(child).model for child in bag.models]
