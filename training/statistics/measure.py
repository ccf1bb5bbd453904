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
    low, high : percentile bootstrap over groups; None where more than half of the resamples leave it undefined, and where all are
        the same: pairs that are all decided rightly would give [1, 1] however few they are.
    A value is None where it is undefined: precision with nothing predicted, recall and AP without a match.
    """
    class_weight, groups = _class_weight(label, prevalence), int(group.max()) + 1
    draws = group_draws(groups, resampling.resamples, resampling.seed)
    # once each, then as often as each resample has them
    blocks = [np.ones((1, groups), np.int64), *np.split(draws, range(_AT_ONCE, len(draws), _AT_ONCE))]
    weights = (block[:, group] * class_weight for block in blocks)
    parts = [_measures(probability, label, threshold, weight) for weight in weights]
    found = {name: np.concatenate([values[name] for values, _ in parts]) for name in MEASURES}
    out: dict[str, Any] = {
        "pairs": len(label),
        "groups": groups,
        "matches": int(label.sum()),
        "threshold": threshold,
    }
    for name, values in found.items():
        low, high = _interval(values[1:], resampling.level)
        out[name] = {"value": known(float(values[0])), "low": low, "high": high}
    out["reliability"] = reliability_curve(
        probability, np.concatenate([sums for _, sums in parts], axis=1), resampling.level
    )
    return out


def _class_weight(label: NDArray[np.int8], prevalence: float | None) -> NDArray[np.float64]:
    """float64[n], of mean 1; all 1 where only one label occurs."""
    share = float((label == 1).mean())
    if prevalence is None or not 0 < share < 1:
        return np.ones(len(label))
    return np.where(label == 1, prevalence / share, (1 - prevalence) / (1 - share))


def _measures(
    probability: NDArray[np.float64],
    label: NDArray[np.int8],
    threshold: float,
    weight: NDArray[np.float64],
) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.float64]]:
    """Each measure for r weightings `weight[r, n]` of the same n pairs, and their `bin_sums`."""
    sums = bin_sums(probability, label, weight)
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
            "calibration_error": calibration_error(sums),
        }, sums


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
    found, matches = [], label == 1
    for block in np.split(draws, range(_AT_ONCE, len(draws), _AT_ONCE)):
        weight = block[:, group].astype(float)
        both, either = weight[:, said & matches].sum(1), weight[:, said].sum(1) + weight[:, matches].sum(1)
        with np.errstate(invalid="ignore"):
            found.append(np.stack([average_precision(score, label, weight), 2 * both / either]))
    return np.concatenate(found, axis=1)


def _interval(resampled: NDArray[np.float64], level: float) -> tuple[float | None, float | None]:
    low, high = percentiles(resampled, level)
    alike = low is not None and np.ptp(resampled[np.isfinite(resampled)]) < _SAME
    return (None, None) if alike else (low, high)


def bin_sums(
    probability: NDArray[np.float64], label: NDArray[np.int8], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """float64[3, r, 10]: for r weightings of n pairs the sum of the weights, the probabilities and the matches in each bin.

    probability, label : [n]; weight : float64[r, n].
    """
    bins = bin_of(probability)
    sums = np.zeros((3, len(weight), BINS))
    for number in range(BINS):
        rows = bins == number
        inside = weight[:, rows]
        sums[0, :, number] = inside.sum(axis=1)
        sums[1, :, number] = inside @ probability[rows]
        sums[2, :, number] = inside @ (label[rows] == 1)
    return sums


def bin_of(probability: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.minimum((probability * BINS).astype(np.int64), BINS - 1)


def calibration_error(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[r]: the expected calibration error, sum over bins of w_bin / w |share of matches - mean probability|.

    (Naeini, Cooper & Hauskrecht 2015, eq. 2.) A resample adds noise to every bin, and noise never takes error away: so its
    bootstrap interval lies above the value where the value is small.
    """
    weight, probability, matches = sums
    return np.abs(matches - probability).sum(axis=1) / weight.sum(axis=1)


def reliability_curve(
    probability: NDArray[np.float64], sums: NDArray[np.float64], level: float
) -> list[dict[str, Any]]:
    """One entry for each bin that holds a pair: "from", "to", "pairs", "mean_probability", "matches" (their share), "low", "high".

    sums : `bin_sums` of the pairs as they are, then of bootstrap resamples, which give the interval of the share.
    """
    pairs = np.bincount(bin_of(probability), minlength=BINS)
    curve = []
    for number in np.flatnonzero(pairs).tolist():
        weight, summed, matches = sums[:, :, number]
        with np.errstate(invalid="ignore"):
            share = matches / weight
        low, high = _interval(share[1:], level)
        curve.append(
            {
                "from": number / BINS,
                "to": (number + 1) / BINS,
                "pairs": int(pairs[number]),
                "mean_probability": float(summed[0] / weight[0]),
                "matches": float(share[0]),
                "low": low,
                "high": high,
            }
        )
    return curve
