"""How far M's probabilities mean what they say: the calibration error of the default and of the learnt policy, by nested cross-validation.

    python -m dxmatch.recipe.calibration --data FOLDER

No reference is on both sides: trees, calibration and all are fitted anew without a fold of the references and asked about it, with the encoder
and the graph that ship and without silver pairs. Some ten minutes.

Between 0.3 and 0.9 lie so few pairs that even probabilities that are right show an error, by chance: it is told beside the one that was found.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from cyclopts import App
from numpy.typing import NDArray

from ..matcher.policy import SPECIFICATION
from ..models.relation import LEARNT_POLICIES
from ..progress import shown
from ..training.engines.lightgbm_engine import LightGBM
from ..training.examples import examples_of
from ..training.fold_fit import directions_of, fit_folds
from ..training.labelled import contained, understood_pairs
from ..training.options import Encoders, Split
from ..training.statistics.measure import BINS
from ..training.statistics.split import grouped_folds
from ..training.statistics.threshold import Threshold
from ..training.train import Inputs
from ..votes.asking_options import Asking
from .relation.policy import fit_trees
from .shipped import read_craft_md

FOLDS = 5
MIDDLE = 0.3, 0.9
DRAWS = 400
Judged = tuple[NDArray[np.float64], NDArray[np.int8]]
"""Probabilities and labels."""

app = App()


def calibration_error(probability: NDArray[np.float64], label: NDArray[np.int8] | NDArray[np.bool_]) -> float:
    """Expected calibration error, as `measure` has it. probability, label : [n].

    >>> round(calibration_error(np.array([0.05, 0.55, 0.55]), np.array([0, 1, 0], np.int8)), 3)
    0.05
    """
    bins = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
    return float(np.abs(np.bincount(bins, label - probability)).sum() / len(label))


def error_by_chance(probability: NDArray[np.float64], seed: int = 0) -> float:
    """The mean calibration error of labels that are drawn by these very probabilities."""
    chance = np.random.default_rng(seed)
    return float(np.mean([calibration_error(probability, chance.random(len(probability)) < probability) for _ in range(DRAWS)]))  # fmt: skip


def judged_unseen(data: Path, seed: int = 0) -> Mapping[str, Judged]:
    """By policy the labelled pairs as a model sees them that has seen none of their reference. data : the folder with the labelled pairs."""
    model = Inputs("offline", Encoders(), Asking(), None, min_coverage=0).model
    came = read_craft_md(data)
    read, batch, _ = understood_pairs(came, model.batch(came.a, came.b))
    examples = examples_of(read, batch)
    taught = ~contained(batch, model.providers.graph) | (examples.label == 1)
    columns = np.hstack([examples.table, batch.directions])
    fold = grouped_folds(examples.groups, examples.label, FOLDS, seed)
    default, learnt = np.empty(len(examples)), np.empty(len(examples))
    with shown("Fits") as progress:
        for number in range(FOLDS):
            rest, held = fold != number, fold == number
            one = fit_folds(
                examples.take(rest & taught), LightGBM(), Split(seed=seed), Threshold(), directions_of(model.features)
            )
            default[held] = one.calibration(one.ensemble.trees.raw(examples.table[held]))
            trees, calibration, _ = fit_trees(columns, examples.label, examples.groups, rest & examples.open, seed)
            learnt[held] = calibration(trees.raw(columns[held]))
            progress(number + 1, FOLDS)
    default = examples.with_rules(default)
    learnt = examples.with_rules(np.minimum(learnt, default))
    return {SPECIFICATION: (default[taught], examples.label[taught]), LEARNT_POLICIES[0]: (learnt, examples.label)}


@app.default
def main(*, data: Path, seed: int = 0) -> None:
    """Prints a table: a row for each policy, on all pairs and on those in the middle."""
    judged = judged_unseen(data, seed)
    print("| policy | probabilities | pairs | calibration error | by chance |\n| --- | --- | --- | --- | --- |")
    for policy, (probability, label) in judged.items():
        for low, high in ((0.0, np.inf), MIDDLE):
            some = (probability >= low) & (probability < high)
            error, chance = calibration_error(probability[some], label[some]), error_by_chance(probability[some])
            print(f"| `{policy}` | {low} to {min(high, 1)} | {some.sum():,} | {error:.3f} | {chance:.3f} |")


if __name__ == "__main__":
    app()
