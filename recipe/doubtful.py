"""`python -m dxmatch.recipe.doubtful DATA`: what F1 comes to where doubtful pairs are decided by a judge, by how many are asked about.

Out of fold, on CRAFT-MD's labelled pairs that differ after normalisation. The judge is GPT-4, by its votes that are stored with the
pairs; the labels are the majority of the same votes, so the judge is right by construction, and what it makes of F1 is the most that any
judge could. Beside it, on pairs with two votes or more: one vote drawn at random is the judge, and the majority of the others is the label.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score

from ..features.feature_set import FeatureSet
from ..matcher.doubtful import is_doubtful
from ..progress import shown
from ..training.engines.lightgbm_engine import LightGBM
from ..training.examples import examples_of
from ..training.fold_fit import directions_of, fit_folds
from ..training.labelled import treat_contained, understood_pairs
from ..training.options import Encoders, Split
from ..training.statistics.threshold import Threshold
from ..training.train import Inputs
from ..votes.asking_options import Asking
from .shipped import read_craft_md

SHARES = (0.0, 0.03, 0.07, 0.15, 0.30)
DRAWS, SEED = 50, 0
"""Of the vote that is left out."""


def curve(
    probability: NDArray[np.float64], threshold: float, label: NDArray[np.int_], judge: NDArray[np.int_]
) -> Iterator[tuple[float, float]]:
    """For each of `SHARES` the lower limit of (x, 1 - x) between which so many pairs lie, and F1 where the judge, int[n], decides these."""
    certain = np.minimum(probability, 1 - probability)
    for share in SHARES:
        low = float(np.quantile(certain, 1 - share))
        asked = is_doubtful(probability, (low, 1 - low))
        yield low, float(f1_score(label, np.where(asked, judge, probability >= threshold)))


def main(data: Path) -> None:
    inputs = Inputs(FeatureSet.read("offline"), Encoders(), Asking(), None)
    read = read_craft_md(data)
    read, batch, _ = understood_pairs(read, inputs.model.batch(read.a, read.b))
    read, batch, _ = treat_contained(read, batch, "set-aside", inputs.graph)
    examples, split, directions = examples_of(read, batch), Split(test_share=0), directions_of(inputs.features)
    with shown("Fitting") as progress:
        fitted = fit_folds(examples, LightGBM(), split, Threshold(), directions, progress=progress)
    differ = ~examples.identical
    probability, label = fitted.out_of_fold[differ], examples.label[differ].astype(int)
    n = np.array(read.table.column("n_votes"), np.int64)[differ]
    yes = np.rint(np.array(read.table.column("vote_share"), float)[differ] * n).astype(np.int64)
    print(f"{len(label):,} pairs, {label.sum():,} matches; {(n > 1).sum():,} with two votes or more.")
    by_label, draw, left_out = list(curve(probability, fitted.threshold, label, label)), np.random.default_rng(SEED), []
    for _ in range(DRAWS):
        vote = (draw.random(len(n)) < yes / n).astype(int)
        others = (yes - vote) / np.maximum(n - 1, 1)
        rows = (n > 1) & (others != 0.5)
        found = curve(probability[rows], fitted.threshold, (others[rows] > 0.5).astype(int), vote[rows])
        left_out.append([f1 for _, f1 in found])
    print(
        "| asked about | between | F1, a judge that agrees with the labels | F1, one vote of GPT-4 against its others |"
    )
    print("| --- | --- | --- | --- |")
    for share, (low, f1), vote in zip(SHARES, by_label, np.mean(left_out, axis=0), strict=True):
        print(f"| {share:.0%} | {f'{low:.3f} and {1 - low:.3f}' if share else 'nobody'} | {f1:.3f} | {vote:.3f} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
