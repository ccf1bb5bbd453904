"""How good a match function is: precision, recall, F1, accuracy, average precision, Brier score, with intervals.

The intervals resample whole groups (reference diagnoses), because pairs of one reference are not independent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

MEASURES = ("precision", "recall", "f1", "accuracy", "average_precision", "brier")


def measure(
    probability: NDArray[np.float64],
    label: NDArray[np.int8],
    group: NDArray[np.int64],
    threshold: float,
    *,
    repeats: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Any]:
    """Each of `MEASURES` as `{"value", "low", "high"}`, with the counts behind it.

    probability : float64[n]; label : int8[n] of 0 and 1; group : int64[n] in [0, g).
    low, high : percentile bootstrap over groups; None where more than half of the resamples leave it undefined.
    A value is None where it is undefined: precision with nothing predicted, recall and AP without a match.
    """
    point = _measures(probability, label, threshold, np.ones((1, len(label))))
    groups = int(group.max()) + 1
    rng = np.random.default_rng(seed)
    draws = rng.multinomial(groups, np.full(groups, 1 / groups), size=repeats)
    resampled = [_measures(probability, label, threshold, draws[i : i + 100][:, group]) for i in range(0, repeats, 100)]
    tail = (1 - level) / 2
    out: dict[str, Any] = {
        "pairs": len(label),
        "groups": groups,
        "matches": int(label.sum()),
        "threshold": threshold,
        "level": level,
    }
    for name in MEASURES:
        values = np.concatenate([part[name] for part in resampled])
        values = values[np.isfinite(values)]
        low, high = np.quantile(values, [tail, 1 - tail]) if len(values) * 2 > repeats else (np.nan, np.nan)
        out[name] = {
            key: float(value) if np.isfinite(value) else None
            for key, value in (("value", point[name][0]), ("low", low), ("high", high))
        }
    return out


def _measures(
    probability: NDArray[np.float64], label: NDArray[np.int8], threshold: float, weight: NDArray[Any]
) -> dict[str, NDArray[np.float64]]:
    """Each measure for r weightings `weight[r, n]` of the same n pairs."""
    weight = weight.astype(np.float64, copy=False)
    positive, predicted = label == 1, probability >= threshold
    total = weight.sum(1)
    true_positive = weight[:, positive & predicted].sum(1)
    false_positive = weight[:, ~positive & predicted].sum(1)
    false_negative = weight[:, positive & ~predicted].sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "precision": true_positive / (true_positive + false_positive),
            "recall": true_positive / (true_positive + false_negative),
            "f1": 2 * true_positive / (2 * true_positive + false_positive + false_negative),
            "accuracy": 1 - (false_positive + false_negative) / total,
            "average_precision": average_precision(probability, label, weight),
            "brier": weight @ (probability - label) ** 2 / total,
        }


def average_precision(
    score: NDArray[np.floating], label: NDArray[np.int8], weight: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """AP = sum over thresholds of (R_i - R_{i-1}) P_i, for r weightings `weight[r, n]`; NaN without a match.

    Equal scores are one threshold. The same as scikit-learn's `average_precision_score`, for many weightings at once.
    """
    weight = np.ones((1, len(label))) if weight is None else weight
    order = np.argsort(-score, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(score[order])), len(score) - 1)
    ordered = weight[:, order]
    found = np.cumsum(ordered * (label[order] == 1), axis=1)[:, ends]
    seen = np.cumsum(ordered, axis=1)[:, ends]
    gained = np.diff(found, axis=1, prepend=0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.where(seen > 0, found / seen, 0.0)
        return (gained * precision).sum(1) / found[:, -1]
