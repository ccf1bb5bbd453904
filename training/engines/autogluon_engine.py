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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ...errors import MissingExtra, OptionError
from ...models.ensemble import MAX_MEMBERS
from ...options import Between
from ...progress import Progress
from .fitted import Ensemble, Rows, trees_of
from .lightgbm_engine import CANDIDATES, SETTINGS, STEADY, LightGBM

TIME_LIMIT = 3600.0
"""Seconds that a search may take."""
BESIDE_MINUTES = 5
"""What a run takes besides its search: 418 s with a limit of 120 s on CRAFT-MD's labelled pairs, on two cores that were shared."""
PORTFOLIO = "zeroshot"
"""The list of settings that AutoGluon learned from other data sets, best first."""

EXPORTED = "GBM"
"""LightGBM, the family whose trees a model folder can hold."""
DEFAULT = "default"
_OWN = ("GBM", "CAT", "XGB", "RF", "XT", "NN_TORCH", "FASTAI")
_MORE = ("KNN", "LR")
"""Families that AutoGluon's own list of settings has none for; their defaults are tried."""

_OUT_OF_TIME = ("No models were trained", "Not enough time left")
_LABEL, _WEIGHT = "label", "weight"


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
    models: str = EXPORTED

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.families
        check_installed()

    @property
    def families(self) -> tuple[str, ...]:
        """Those of `models`, each once. Raises `OptionError` for an unknown one, or none whose trees can be exported."""
        if self.models.strip() == DEFAULT:
            return _OWN
        found = tuple(dict.fromkeys(part.strip().upper() for part in self.models.split(",") if part.strip()))
        if not set(found) <= {*_OWN, *_MORE}:
            raise OptionError("models", f"{DEFAULT!r}, or some of {', '.join((*_OWN, *_MORE))}", self.models)
        if EXPORTED not in found:
            allowed = f"{EXPORTED} (LightGBM) and any others: M can only be made of LightGBM's trees"
            raise OptionError("models", allowed, self.models)
        return found

    def forecast(self, refit: bool) -> str:
        """What to expect of a search, said before it begins."""
        minutes = self.time_limit / 60 * (1 + refit)
        return (
            f"AutoGluon searches for up to {minutes:,.0f} min ({self.time_limit:,.0f} s{', twice, since it fits again' if refit else ''}); loading it, the features, the engine lightgbm for "
            f"comparison and the measurement come on top: about {minutes + BESIDE_MINUTES:,.0f} min in all. In a trial of an earlier release, on CRAFT-MD's labelled pairs, a search of 2 min gave F1 0.837 and average precision "
            "0.920 on held-out references, the engine lightgbm in 2 min 0.830 and 0.921: expect little. The card says what it gained on yours."
        )

    def fit(self, rows: Rows, *, seed: int, progress: Progress | None = None) -> Ensemble:
        """Lets AutoGluon search, and takes the best bag of LightGBM models, or mean of such bags.

        Extra rows have no out-of-fold prediction for a second layer to learn from, so that with them nothing is stacked.
        The directions hold for LightGBM's first layer alone.

        Errors: `OptionError` where no model was ready in time.
        """
        import pandas as pd
        from autogluon.tabular import TabularPredictor  # pyright: ignore[reportMissingImports]

        settings = _settings(self.families)
        steady = [{**STEADY, **setting} for setting in settings[EXPORTED]]
        # What a second layer reads besides, other models' probabilities, has no place among the directions.
        layers = {
            1: settings | {EXPORTED: [{**rows.constraints, **one} for one in steady]},
            2: settings | {EXPORTED: steady},
        }
        levels = 0 if rows.extra else 1
        tried = sum(map(len, settings.values())) * (1 + levels)
        # All rows, then the extra ones; the columns are named as LightGBM names those that have no names.
        features, label, weight, fold = rows.without(rows.folds)
        table = pd.DataFrame(features, columns=pd.Index([f"Column_{column}" for column in range(features.shape[1])]))
        table[_LABEL] = label
        if weighted := bool((weight != 1).any()):
            table[_WEIGHT] = weight
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
                sample_weight=_WEIGHT if weighted else None,
                weight_evaluation=weighted,
            )
            try:
                predictor.fit(
                    table,
                    time_limit=self.time_limit,
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
                        # What a fold's member learns from, and what it is measured on, which is never an extra row.
                        "custom_splits": [
                            (np.flatnonzero(fold != held), np.flatnonzero(rows.fold == held))
                            for held in range(rows.folds)
                        ],
                        "model_random_seed": seed,
                        "vary_seed_across_folds": True,
                        # A forest's rows out of bag share their references with rows in it.
                        "use_child_oof": False,
                    },
                    callbacks=None if progress is None else [_told(progress, tried)],
                )
            except (RuntimeError, AssertionError) as error:
                if not str(error).startswith(_OUT_OF_TIME):
                    raise
                allowed = "time enough for one model (none was ready)"
                raise OptionError("time_limit", allowed, self.time_limit) from None
            return _exported(predictor, rows, self.families)


ENGINES = {"lightgbm": LightGBM, "autogluon": AutoGluon}
"""The engines by the plain words for them."""


def check_installed() -> None:
    """Errors: `MissingExtra` without AutoGluon."""
    if importlib.util.find_spec("autogluon") is None or importlib.util.find_spec("autogluon.tabular") is None:
        raise MissingExtra("The engine 'autogluon'", "automl")


def search_words(search: Mapping[str, Any], leaderboard: Sequence[Mapping[str, Any]]) -> str:
    """A line for card and terminal, of `Ensemble.facts`: what won, what M is, and what lies between them."""
    won, exported = leaderboard[0], next(row for row in leaderboard if row["exported"])
    score, own = (row["out_of_fold_average_precision"] for row in (won, exported))
    said = f"AutoGluon tried {', '.join(search['families'])}: {won['model']} won, average precision {score:.4f} out of fold"
    if won is exported:
        said += ", and M is it."
    else:
        said += (
            f". It is not made of LightGBM's trees alone, which are all that a model folder holds; M is {exported['model']}, the best that is: "
            f"{own:.4f}, {score - own:.4f} less."
        )
    if search["not_trained"]:
        said += f" Without a model: {', '.join(search['not_trained'])} (a library that is absent, or no time)."
    return said


def _settings(families: Sequence[str]) -> dict[str, list[Mapping[str, Any]]]:
    """What is tried of each family: AutoGluon's own settings, of LightGBM the small trees of the engine `lightgbm` before them."""
    from autogluon.tabular.configs.hyperparameter_configs import get_hyperparameter_config  # pyright: ignore[reportMissingImports]

    own = get_hyperparameter_config(PORTFOLIO)
    small = [
        {**SETTINGS, **candidate, "ag_args": {"name_suffix": f"_{candidate['num_leaves']}_leaves", "priority": 100}}
        for candidate in CANDIDATES
    ]
    return {EXPORTED: [*small, *own[EXPORTED]]} | {one: own.get(one, [{}]) for one in families if one != EXPORTED}


def _child_type(predictor: Any, name: str) -> type:
    """What a bag is a bag of; a weighted mean of models is of its own kind."""
    model = predictor._trainer.load_model(name)
    return getattr(model, "_child_type", None) or type(model)


def _told(progress: Progress, models: int) -> Any:
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


def _exported(predictor: Any, rows: Rows, families: Sequence[str]) -> Ensemble:
    """The best model of the leaderboard that is a weighted mean of LightGBM's first-layer bags, and few enough members for a model folder."""
    from autogluon.tabular.models import LGBModel  # pyright: ignore[reportMissingImports]
    from autogluon.tabular.registry import ag_model_registry  # pyright: ignore[reportMissingImports]

    trainer, board = predictor._trainer, predictor.leaderboard()
    names = board.loc[board["stack_level"] == 1, "model"]
    first_layer = {name for name in names if issubclass(_child_type(predictor, name), LGBModel)}
    if len(families) > 1 and first_layer:
        predictor.fit_weighted_ensemble(
            base_models=[name for name in names if name in first_layer], name_suffix=f"_{EXPORTED}"
        )
        board = predictor.leaderboard()
    shares = {name: _shares(trainer, name) for name in board["model"]}
    few = MAX_MEMBERS // rows.folds
    best = next((n for n in board["model"] if shares[n].keys() <= first_layer and len(shares[n]) <= few), None)
    if best is None:
        raise OptionError(
            "time_limit", f"time enough for a model of {EXPORTED} (LightGBM), which M is made of", "none was ready"
        )
    # LightGBM's boosters of each bag, by the fold that they did not see, up to the rounds where each was stopped.
    bags = [[bag.load_child(child).model for child in bag.models] for bag in map(trainer.load_model, shares[best])]
    weights = list(shares[best].values())
    out_of_fold = np.empty(len(rows.label))
    for fold in range(rows.folds):
        held = rows.fold == fold
        of_fold = trees_of([bag[fold] for bag in bags], weights=weights, averaged="probabilities")
        out_of_fold[held] = of_fold.raw(rows.features[held])
    trained = {_child_type(predictor, name) for name in board["model"]}
    facts = {
        "chosen": {
            "model": best,
            "bags": dict(shares[best]),
            "out_of_fold_average_precision": rows.average_precision(out_of_fold),
        },
        "leaderboard": [
            {
                "model": row.model,
                "stack_level": int(row.stack_level),
                "out_of_fold_average_precision": float(row.score_val),
                "fit_seconds": round(float(row.fit_time_marginal), 1),
                "exported": row.model == best,
            }
            for row in board.itertuples()
        ],
        "search": {
            "families": list(families),
            "not_trained": [one for one in families if ag_model_registry.key_to_cls(one) not in trained],
        },
    }
    every = [member for bag in bags for member in bag]
    shared = np.repeat(weights, rows.folds).tolist()
    return Ensemble(trees_of(every, weights=shared, averaged="probabilities"), out_of_fold, facts)


def _shares(trainer: Any, name: str) -> dict[str, float]:
    """The bags that a model is the weighted mean of, and their weights; of a bag, itself."""
    from autogluon.core.models import WeightedEnsembleModel  # pyright: ignore[reportMissingImports]

    model = trainer.load_model(name)
    if not isinstance(model, WeightedEnsembleModel):
        return {name: 1.0}
    return {bag: float(share) for bag, share in model._get_model_weights().items()}
