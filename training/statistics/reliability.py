"""Whether probabilities mean what they say: of the pairs of probability p, the share p should be matches.

Sums over ten bins of equal width, [0, 0.1), [0.1, 0.2), …, [0.9, 1]; `sums` is float64[3, r, 10], for r weightings of n pairs
the sum of the weights, of the probabilities, and of the matches in each bin.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bootstrap import percentile_interval

BINS = 10


def bin_sums(
    probability: NDArray[np.float64], label: NDArray[np.int8], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """probability, label : [n]; weight : float64[r, n]."""
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
    probability: NDArray[np.float64], own: NDArray[np.float64], resampled: NDArray[np.float64], level: float
) -> list[dict[str, Any]]:
    """One entry for each bin that holds a pair: "from", "to", "pairs", "mean_probability", "matches" (their share), "low", "high".

    own, resampled : the sums of the pairs as they are (r = 1) and of bootstrap resamples, which give the interval of the share.
    """
    pairs = np.bincount(bin_of(probability), minlength=BINS)
    curve = []
    for number in np.flatnonzero(pairs).tolist():
        weight, summed, matches = own[:, 0, number]
        with np.errstate(invalid="ignore"):
            low, high = percentile_interval(resampled[2, :, number] / resampled[0, :, number], level)
        curve.append(
            {
                "from": number / BINS,
                "to": (number + 1) / BINS,
                "pairs": int(pairs[number]),
                "mean_probability": float(summed / weight),
                "matches": float(matches / weight),
                "low": low,
                "high": high,
            }
        )
    return curve
