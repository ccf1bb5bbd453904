"""How good a match function is: precision, recall, F1, accuracy, average precision, Brier score, calibration, with intervals.

The intervals resample whole groups (reference diagnoses), because pairs of one reference are not independent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import known
from ...stats.intervals import percentiles
from ...stats.resampling import Resampling, group_draws

MEASURES = ("precision", "recall", "f1", "accuracy", "average_precision", "brier", "calibration_error")
BINS = 10
"""Of probabilities, of equal width: [0, 0.1), [0.1, 0.2), …, [0.9, 1]."""
_AT_ONCE = 100
_SAME = 1e-12


def measure(
    probability: NDArray[np.float64],
    label: NDArray[np.int8],
    group: NDArray[np.int64],
    threshold: float,
    *,
    prevalence: float | None = None,
    resampling: Resampling = Resampling(),
) -> dict[str, Any]:
    """Each of `MEASURES` as `{"value", "low", "high"}`, with the counts behind it, and the `reliability_curve`.

    probability : float64[n]; label : int8[n] of 0 and 1; group : int64[n] in [0, g).
    prevalence : the share of matches, in (0, 1), to which the pairs are weighted; None leaves them as they are.
    calibration_error : expected calibration error, the sum over bins of w_bin / w |share of matches - mean probability|.
    reliability : one entry for each bin that holds a pair: "from", "to", "pairs", "mean_probability", "matches" (their share), "low", "high".
    low, high : percentile bootstrap over groups; None where more than half of the resamples leave it undefined, and where all are
        the same: pairs that are all decided rightly would give [1, 1] however few they are.
    A value is None where it is undefined: precision with nothing predicted, recall and AP without a match.
    """
    match, said, groups = label == 1, probability >= threshold, int(group.max()) + 1
    class_weight = _class_weight(label, prevalence)
    # once each, then as often as each resample has them
    draws = np.vstack([np.ones((1, groups), np.int64), group_draws(groups, resampling.resamples, resampling.seed)])
    bins = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
    inside = np.arange(BINS)[:, None] == bins
    squares = (probability - label) ** 2
    parts = np.vstack([match & said, said, match, squares, inside, inside * probability, inside & match])
    sums = np.stack([draws @ np.bincount(group, part, groups) for part in parts * class_weight])
    right, found, matches, wrong = sums[:4]
    weight, expected, seen = sums[4:].reshape(3, BINS, -1)
    total = weight.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = {
            "precision": right / found,
            "recall": right / matches,
            "f1": 2 * right / (found + matches),
            "accuracy": 1 - (found + matches - 2 * right) / total,
            "average_precision": _average_precisions(probability, label, group, draws, class_weight),
            "brier": wrong / total,
            # (Naeini, Cooper & Hauskrecht 2015, eq. 2.) A resample adds noise to every bin, and noise never takes error away: so its
            # bootstrap interval lies above the value where the value is small.
            "calibration_error": np.abs(seen - expected).sum(axis=0) / total,
        }
        share, mean = seen / weight, expected[:, 0] / weight[:, 0]
    out: dict[str, Any] = {"pairs": len(label), "groups": groups, "matches": int(label.sum()), "threshold": threshold}
    for name, of in values.items():
        low, high = _interval(of[1:], resampling.level)
        out[name] = {"value": known(float(of[0])), "low": low, "high": high}
    out["reliability"] = []
    for number, pairs in enumerate(inside.sum(axis=1).tolist()):
        if pairs:
            low, high = _interval(share[number, 1:], resampling.level)
            out["reliability"].append(
                {
                    "from": number / BINS, "to": (number + 1) / BINS, "pairs": pairs, "mean_probability": float(mean[number]),
                    "matches": float(share[number, 0]), "low": low, "high": high,
                }
            )  # fmt: skip
    return out


def _class_weight(label: NDArray[np.int8], prevalence: float | None) -> NDArray[np.float64]:
    """float64[n], of mean 1; all 1 where only one label occurs."""
    share = float((label == 1).mean())
    if prevalence is None or not 0 < share < 1:
        return np.ones(len(label))
    return np.where(label == 1, prevalence / share, (1 - prevalence) / (1 - share))


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


def ranking_and_decisions(
    score: NDArray[np.floating],
    said: NDArray[np.bool_],
    label: NDArray[np.int8],
    group: NDArray[np.int64],
    draws: NDArray[np.int64],
) -> NDArray[np.float64]:
    """float64[2, r]: average precision by `score`, and the F1 of the decisions `said`, for r weightings `draws[r, groups]` of groups."""
    match = label == 1
    both, either = (draws @ np.bincount(group, part, draws.shape[1]) for part in (said & match, 1.0 * said + match))
    with np.errstate(invalid="ignore"):
        return np.stack([_average_precisions(score, label, group, draws), 2 * both / either])


def _average_precisions(
    score: NDArray[np.floating],
    label: NDArray[np.int8],
    group: NDArray[np.int64],
    draws: NDArray[np.int64],
    class_weight: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """float64[r], for r weightings `draws[r, groups]` of groups, in blocks."""
    own = np.ones(len(label)) if class_weight is None else class_weight
    blocks = np.split(draws, range(_AT_ONCE, len(draws), _AT_ONCE))
    return np.concatenate([average_precision(score, label, block[:, group] * own) for block in blocks])


def _interval(resampled: NDArray[np.float64], level: float) -> tuple[float | None, float | None]:
    low, high = percentiles(resampled, level)
    alike = low is not None and np.ptp(resampled[np.isfinite(resampled)]) < _SAME
    return (None, None) if alike else (low, high)
