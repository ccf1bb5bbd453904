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

import numpy as np
from numpy.typing import NDArray

from ...stats.resampling import CaseMeans, Resampling, case_weights

Values = NDArray[np.float64]


def power_tuning(labels: Values, verdicts: Values, weights: Values) -> float:
    """Finds lambda, the share of M's verdicts that makes the variance of the corrected mean least, from [s] labelled units.

    `cov(Y, f) / var(f)`, which is PPI++ with the unlabelled rest as its second sample; 1 where f does not vary.
    """
    y, f = (weights * (values - np.average(values, weights=weights)) for values in (labels, verdicts))
    varies = float(f @ f)
    return float(np.clip(y @ f / varies, 0, 1)) if varies > 0 else 1.0


class CorrectedByPairs:
    """Rates that are sums over places, from a random sample of pairs: weights [b, n] -> float64 [b, g].

    The error per place of a column is the mean over its labelled places, a ratio estimate; NaN for a column none of whose places is
    labelled. With each resample of the cases goes one of the labelled pairs, drawn apart from them: they come in the order of
    `Resampling.resampled`, as many as it has; weights of 1 for every case are the data, with the sample as it is.

    Parameters
    ----------
    shared : [n, g], in each case and column the places that M matches (each divided by what the rate divides by).
    certain : [n, g], those of them where the two strings are equal: M cannot err there, and nobody labels them.
    places : [n, g], all places where two different strings meet.
    held : [s, g], how many places of a column hold each labelled pair, times the weight of the pair.
    labels, verdicts : [s], of experts and of M.
    tuning : lambda, by `power_tuning`.
    """

    def __init__(
        self,
        shared: Values,
        certain: Values,
        places: Values,
        held: Values,
        labels: Values,
        verdicts: Values,
        resampling: Resampling,
    ) -> None:
        self.tuning = power_tuning(labels, verdicts, held.sum(1))
        error = labels - self.tuning * verdicts
        self._cases = CaseMeans(np.hstack([certain + self.tuning * (shared - certain), places]))
        sample = CaseMeans(np.hstack([held * error[:, None], held]))
        self._sample = sample(np.ones((1, len(held))))
        drawn = case_weights(np.arange(len(held)), resampling.resamples, resampling.seed + 1)
        self._resamples = np.concatenate([self._sample[:0], *map(sample, drawn)])
        self._next = 0

    def __call__(self, weights: Values) -> Values:
        (base, compared), (off, by) = (np.split(means, 2, -1) for means in (self._cases(weights), self._drawn(weights)))
        mean = np.divide(off, by, out=np.where(compared > 0, np.nan, 0.0), where=by > 0)
        return base + compared * mean

    def _drawn(self, weights: Values) -> Values:
        if len(weights) == 1 and (weights == 1).all():
            return self._sample
        at = np.arange(self._next, self._next + len(weights)) % len(self._resamples)
        self._next = int(at[-1]) + 1
        return self._resamples[at]


class CorrectedByCases:
    """Rates that are means over cases, from a random sample of cases: weights [b, n] -> float64 [b, g].

    Parameters
    ----------
    verdicts : [n, g], what M makes of each case and column.
    labels : [n, g], the same by the experts, NaN in cases not drawn.
    tuning : lambda, by `power_tuning`.
    """

    def __init__(self, verdicts: Values, labels: Values) -> None:
        drawn = ~np.isnan(labels[:, 0])
        self.tuning = power_tuning(labels[drawn].mean(1), verdicts[drawn].mean(1), np.ones(drawn.sum()))
        self._cases = CaseMeans(np.hstack([self.tuning * verdicts, labels - self.tuning * verdicts]))

    def __call__(self, weights: Values) -> Values:
        base, off = np.split(self._cases(weights), 2, -1)
        return base + off
