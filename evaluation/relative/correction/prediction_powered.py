"""Rates corrected for the match function's own errors, from a sample that experts labelled: the estimators.

Prediction-powered inference (Angelopoulos et al. 2023, arXiv:2301.09633; power tuning: arXiv:2311.01453): what M says of
everything, plus how far M is off on the labelled sample. With Y the experts' labels and f the verdicts of M,

    theta = lambda mean_all(f) + mean_labelled(Y - lambda f),

unbiased however bad M is, as long as the sample was drawn at random. lambda = cov(Y, f) / var(f), held within [0, 1],
takes from M what it is worth: at 0 only the labels count.

What can be corrected hangs on what was drawn:

- pairs: P@k, and RPAD with it, since mu is a sum over places. R is not: chi of a case hangs on all of its pairs at once.
- cases, each labelled in full: P@k and R@k, RPAD and RRAD, since mu and chi of those cases are known.

Corrected rates are not cut to [0, 1].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...statistics.bootstrap import resampled_means

Values = NDArray[np.float64]


@dataclass(frozen=True)
class CorrectedRates:
    """Rates of g columns: `data` [g], `repeats` [repeats, g], and the lambda they were computed with."""

    data: Values
    repeats: Values
    tuning: float


def power_tuning(labels: Values, verdicts: Values, weights: Values | None = None) -> float:
    """lambda, the share of M's verdicts that makes the variance of the corrected mean least, from [s] labelled units.

    `cov(Y, f) / var(f)`, which is PPI++ with the unlabelled rest as its second sample; 1 where f does not vary.
    """
    weight = np.ones(len(labels)) if weights is None else weights
    if not weight.sum():
        return 1.0
    y, f = (weight * (values - np.average(values, weights=weight)) for values in (labels, verdicts))
    varies = float(f @ f)
    return float(np.clip(y @ f / varies, 0, 1)) if varies > 0 else 1.0


def corrected_by_pairs(
    shared: Values,
    certain: Values,
    places: Values,
    held: Values,
    labels: Values,
    verdicts: Values,
    *,
    repeats: int,
    seed: int,
    order: NDArray[np.integer] | None = None,
    tuning: float | None = None,
) -> CorrectedRates:
    """Rates that are sums over places, from a random sample of pairs.

    shared : [n, g], in each case and column the places that M matches (each divided by what the rate divides by).
    certain : [n, g], those of them where the two strings are equal: M cannot err there, and nobody labels them.
    places : [n, g], all places where two different strings meet.
    held : [s, g], how many places of a column hold each labelled pair, times the weight of the pair.
    labels, verdicts : [s], of experts and of M.

    The error per place of a column is the mean over its labelled places, a ratio estimate. The interval resamples cases
    and, apart from them, the labelled pairs. NaN for a column none of whose places is labelled.
    """
    power = power_tuning(labels, verdicts, held.sum(1)) if tuning is None else tuning
    error = labels - power * verdicts
    columns = np.hstack([certain + power * (shared - certain), places])
    misses = np.hstack([held * error[:, None], held])

    def rates(cases: Values, sample: Values) -> Values:
        (base, compared), (off, by) = np.split(cases, 2, -1), np.split(sample, 2, -1)
        mean = np.divide(off, by, out=np.where(compared > 0, np.nan, 0.0), where=by > 0)
        return base + compared * mean

    again = resampled_means(misses, repeats, seed + 1)
    return CorrectedRates(
        rates(columns.mean(0), misses.mean(0)), rates(resampled_means(columns, repeats, seed, order), again), power
    )


def corrected_by_cases(
    verdicts: Values,
    labels: Values,
    *,
    repeats: int,
    seed: int,
    order: NDArray[np.integer] | None = None,
    tuning: float | None = None,
) -> CorrectedRates:
    """Rates that are means over cases, from a random sample of cases.

    verdicts : [n, g], what M makes of each case and column. labels : the same by the experts, NaN in cases not drawn.
    """
    drawn = ~np.isnan(labels[:, 0])
    power = power_tuning(labels[drawn].mean(1), verdicts[drawn].mean(1)) if tuning is None else tuning
    columns = np.hstack([power * verdicts, labels - power * verdicts])

    def rates(means: Values) -> Values:
        base, off = np.split(means, 2, -1)
        return base + off

    return CorrectedRates(rates(np.nanmean(columns, 0)), rates(resampled_means(columns, repeats, seed, order)), power)
