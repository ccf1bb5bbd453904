"""What labels chosen by `dxmatch suggest` bring, beside as many chosen at random, and by uncertainty alone.

    python -m tests.bench suggest

A simulation on the real labelled pairs (`DXMATCH_DATA`): 200 labels drawn at random, then five rounds of 100 more, each
chosen by a model fitted on those before. Each way starts from the same 200. Measured on references that none of the labels
are from; all of it among the training references of `train`, so nothing here has seen the held-out ones.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from dxmatch.errors import InputError
from dxmatch.features.interning import intern_pairs
from dxmatch.features.representations import Representations
from dxmatch.files.pairs import read_pairs
from dxmatch.labelling.pick import doubtful, pair_vectors, uncertainty
from dxmatch.labelling.suggest import PER_DIAGNOSIS, RANDOM_SHARE
from dxmatch.matcher.match_function import load
from dxmatch.models.calibration import Sigmoid
from dxmatch.models.ensemble import MEAN_RAW, Members
from dxmatch.training.calibrate import fit_sigmoid
from dxmatch.training.contained import treat_contained
from dxmatch.training.engines import lightgbm_engine
from dxmatch.training.examples import Examples, examples_of
from dxmatch.training.fold_fit import directions_of
from dxmatch.training.split import grouped_folds, held_out
from dxmatch.training.statistics.measure import average_precision
from dxmatch.training.threshold import choose_threshold

from .shared import DATA

START, ROUNDS, EACH = 200, 5, 100
SEEDS = range(10)
BOOSTING_ROUNDS = 200
WAYS = ("suggest", "uncertainty alone", "random")


@dataclass(frozen=True)
class Data:
    """n pairs that differ, each once. first, second : int32[n], indices into `vectors` float32[u, d]."""

    examples: Examples
    first: np.ndarray
    second: np.ndarray
    vectors: np.ndarray
    directions: list[int]


@dataclass(frozen=True)
class Model:
    members: Members
    calibration: Sigmoid
    threshold: float

    def probability(self, table: np.ndarray) -> np.ndarray:
        return self.calibration(MEAN_RAW(self.members(table)))


def read(source: Path) -> Data:
    m = load()
    with tempfile.TemporaryDirectory() as folder:
        pairs = read_pairs(source, a="expert", b="algorithm", label="label", rejects=Path(folder) / "rejects.csv")
    pairs, _ = treat_contained(pairs, m.providers.naming, "set-aside")
    examples, _ = examples_of(pairs, m.features, m.providers, a="expert", group="expert", min_coverage=0.9)
    unique = intern_pairs(pairs.a, pairs.b, m.providers.naming)
    once = np.zeros(len(examples), bool)
    once[np.unique(unique.pair_of_row, return_index=True)[1]] = True
    rows = once & ~examples.identical & ~held_out(examples.groups, 0.2, seed=0)
    pair = unique.pair_of_row[rows]
    vectors = Representations(unique.names, m.providers).vectors(m.features.encoders[0])
    return Data(examples.take(rows), unique.first[pair], unique.second[pair], vectors, directions_of(m.features))


def fit(data: Data, rows: np.ndarray, seed: int) -> Model:
    mask = np.zeros(len(data.examples), bool)
    mask[rows] = True
    seen = data.examples.take(mask)
    fold = folds(seen, seed)
    ensemble = lightgbm_engine.fit(
        seen.table, seen.label, None, fold, data.directions, seed=seed, candidates=lightgbm_engine.CANDIDATES[:1]
    )
    calibration = fit_sigmoid(ensemble.out_of_fold, seen.label, None)
    threshold = choose_threshold(calibration(ensemble.out_of_fold), seen.label, "max_f1")
    return Model(Members(ensemble.texts), calibration, threshold)


def folds(seen: Examples, seed: int) -> np.ndarray:
    """Of 200 pairs drawn at random some ten match: as many folds, up to four, as have both labels."""
    for count in (4, 3):
        try:
            return grouped_folds(seen.groups, seen.label, count, seed)
        except InputError:
            continue
    return grouped_folds(seen.groups, seen.label, 2, seed)


def choose(way: str, data: Data, model: Model, free: np.ndarray, rng: np.random.Generator, seed: int) -> np.ndarray:
    if way == "random":
        return rng.choice(free, EACH, replace=False)
    weight = uncertainty(model.probability(data.examples.table[free]), model.threshold)
    if way == "uncertainty alone":
        return free[np.argsort(-weight, kind="stable")[:EACH]]
    drawn = rng.choice(len(free), round(RANDOM_SHARE * EACH), replace=False)
    first, second = data.first[free], data.second[free]

    def vectors_of(which: np.ndarray) -> np.ndarray:
        return pair_vectors(data.examples.table[free[which]], data.vectors, first[which], second[which])

    picked = doubtful(weight, first, second, drawn, EACH - len(drawn), PER_DIAGNOSIS, vectors_of, seed)
    return free[np.concatenate([drawn, picked])]


def curve(way: str, data: Data, seed: int) -> np.ndarray:
    """float64[ROUNDS + 1, 2]: AP and F1 after each round."""
    rng = np.random.default_rng(seed)
    aside = held_out(data.examples.groups, 0.25, seed=1000 + seed)
    pool, test = np.flatnonzero(~aside), data.examples.take(aside)
    labelled = rng.choice(pool, START, replace=False)
    out = []
    for step in range(ROUNDS + 1):
        model = fit(data, labelled, seed)
        probability = model.probability(test.table)
        said, right = probability >= model.threshold, test.label == 1
        f1 = 2 * (said & right).sum() / (said.sum() + right.sum())
        out.append((float(average_precision(probability, test.label)[0]), float(f1)))
        if step < ROUNDS:
            free = np.setdiff1d(pool, labelled)
            labelled = np.concatenate([labelled, choose(way, data, model, free, rng, seed)])
    return np.array(out)


def show(curves: dict[str, np.ndarray]) -> None:
    """curves : float64[seeds, ROUNDS + 1, 2] by way; intervals by bootstrap over seeds, differences within a seed."""
    draws = np.random.default_rng(0).integers(0, len(SEEDS), (2000, len(SEEDS)))
    for column, measure in enumerate(("Average precision", "F1 at the model's own threshold")):
        table = Table(measure, *(f"{START + EACH * step} labels" for step in range(ROUNDS + 1)))
        for way in WAYS:
            cells = []
            for step in range(ROUNDS + 1):
                values = curves[way][:, step, column]
                low, high = np.quantile(values[draws].mean(axis=1), [0.025, 0.975])
                cell = f"{values.mean():.3f} [{low:.3f}, {high:.3f}]"
                if way != WAYS[0]:
                    lacks = values - curves[WAYS[0]][:, step, column]
                    low, high = np.quantile(lacks[draws].mean(axis=1), [0.025, 0.975])
                    cell += f"\n  {lacks.mean():+.3f} [{low:+.3f}, {high:+.3f}]"
                cells.append(cell)
            table.add_row(way, *cells)
        Console(width=180).print(table)
    print(
        f"Means over {len(SEEDS)} draws of the first {START} labels and of the references measured on; 95 % intervals over these."
    )


def main() -> None:
    source = DATA / "craft_md_pairs.csv"
    if not source.is_file():
        print(f"skipped: no real data at {DATA} (set DXMATCH_DATA)")
        return
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    data = read(source)
    print(f"{len(data.examples):,} pairs, {100 * data.examples.label.mean():.1f} % matches.")
    lightgbm_engine.MAX_ROUNDS = BOOSTING_ROUNDS
    show({way: np.stack([curve(way, data, seed) for seed in SEEDS]) for way in WAYS})


if __name__ == "__main__":
    main()
