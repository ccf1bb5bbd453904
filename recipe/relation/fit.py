"""Fits the relation model: three heads over M's columns, and the direction from a kind to its class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...features.feature_set import FeatureSet
from ...features.providers import Providers
from ...matcher.batch import PairModel
from ...matcher.match_function import MatchFunction
from ...matcher.policy import POLICIES
from ...models.relation import DIRECTIONS, HEADS, RelationFacts, RelationModel
from ...training.engines import lightgbm_engine
from ...training.engines.fitted import Rows
from ...training.fold_fit import fit_sigmoid
from ...training.statistics.measure import average_precision
from ...training.statistics.threshold import choose_threshold
from .pairs import CLOSE, FAR, KIND, NONE, SAME

FOLDS = 5
CANDIDATES = ({"num_leaves": 7, "min_data_in_leaf": 40},)
POSITIVE = {"same": (SAME,), "kin": (CLOSE, FAR), "close": (CLOSE,)}
NEGATIVE = {"same": (KIND,), "kin": (NONE,), "close": (FAR,)}
assert tuple(POSITIVE) == HEADS
C = 1.0
"""Of the logistic regression of the direction: the inverse strength of its L2 penalty."""


def fit_relation(
    pairs: pa.Table,
    features: FeatureSet,
    providers: Providers,
    *,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[RelationModel, dict[str, Any]]:
    """The model without thresholds, and what was measured out of fold: average precision and accuracy of each head, the accuracy of the direction.

    Parameters
    ----------
    pairs : as `relation_pairs` gives them.
    providers : what stands behind the features of these pairs: an encoder and a graph that have not seen their names.
    """
    batch = PairModel(features, providers, min_coverage=0).batch(pairs.column("a"), pairs.column("b"))
    table = batch.features
    differ = ~batch.equal[batch.pair_of_row]
    relation = np.array(pairs.column("relation").to_pylist())[differ]
    table = table[batch.pair_of_row][differ]
    fold = batch.first[batch.pair_of_row][differ].astype(np.int64) % FOLDS
    trees, calibration, measured = {}, {}, {}
    for number, head in enumerate(HEADS):
        positive, negative = np.isin(relation, POSITIVE[head]), np.isin(relation, NEGATIVE[head])
        rows = positive | negative
        label = positive[rows].astype(np.int8)
        fitted = lightgbm_engine.fit(
            Rows(table[rows], label, np.ones(len(label)), fold[rows], [0] * table.shape[1]),
            seed=seed,
            candidates=CANDIDATES,
        )
        trees[head] = fitted.trees
        calibration[head] = fit_sigmoid(fitted.out_of_fold, label)
        probability = calibration[head](fitted.out_of_fold)
        measured[head] = {
            "pairs": int(rows.sum()),
            "average_precision": float(average_precision(probability, label)[0]),
            "accuracy": float(((probability >= 0.5) == (label == 1)).mean()),
        }
        if progress is not None:
            progress(number + 1, len(HEADS))
    kinds = relation == KIND
    every = batch.directions
    signed = every[differ][kinds]
    direction = _direction(signed)
    model = RelationModel(trees, RelationFacts(calibration, direction, {}))
    measured["direction"] = {
        "pairs": int(kinds.sum()),
        "accuracy": float((model.first_is_narrower(signed) > 0.5).mean()),
    }
    return model, measured


def _direction(signed: NDArray[np.float32]) -> dict[str, float]:
    """Weights without an intercept: turned round, a pair has the opposite log-odds."""
    from sklearn.linear_model import LogisticRegression

    both = np.concatenate([signed, -signed]).astype(np.float64)
    label = np.repeat([1, 0], len(signed))
    fitted = LogisticRegression(C=C, fit_intercept=False).fit(both, label)
    return dict(zip(DIRECTIONS, fitted.coef_[0].tolist(), strict=True))


def thresholds_of(
    matcher: MatchFunction, model: RelationModel, pairs: pa.Table, providers: Providers
) -> dict[str, float]:
    """By policy, the threshold of least regret in F1 (`choose_threshold`) on pairs of known relation.

    providers : as of `fit_relation`.
    """
    seen = PairModel(matcher.features, providers, replace(matcher.parts, relation=model), min_coverage=0)
    relations = seen.batch(pairs.column("a"), pairs.column("b")).relations()
    truth = np.array(pairs.column("relation").to_pylist())
    right = {
        "strict": truth == SAME,
        "narrower-counts": truth == SAME,
        "broader-counts": (truth == SAME) | (truth == KIND),
    }
    return {
        name: choose_threshold(POLICIES[name].probability(relations.probabilities), match.astype(np.int8))
        for name, match in right.items()
    }
