"""Raw log-odds made probabilities: Platt's sigmoid, and the same where another share of the pairs match."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...models.calibration import Sigmoid


def fit_sigmoid(
    raw: NDArray[np.float64], label: NDArray[np.int8], weight: NDArray[np.float64] | None = None
) -> Sigmoid:
    """Platt's sigmoid (1999) of raw log-odds: the slope and intercept of least log loss. `raw` float64[n], `label` int8[n].

    Compared out of fold on 17,000 pairs of 1,000 references, isotonic regression had the higher log loss and beta calibration
    the same.

    Errors: `InputError` where higher scores do not mean more matches: the labels do not follow the features at all.
    """
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression(C=np.inf).fit(raw[:, None], label, weight)
    slope, intercept = float(fitted.coef_[0, 0]), float(fitted.intercept_[0])
    if slope <= 0:
        raise InputError("the features do not tell matches from non-matches", allowed="labels that follow the strings")
    return Sigmoid(slope, intercept)


def at_prevalence(fitted: Sigmoid, trained: float, prevalence: float) -> Sigmoid:
    """The same for data where the share `prevalence` of the pairs match, not the share `trained`, both in (0, 1).

    The intercept moves by logit(prevalence) - logit(trained) (Saerens, Latinne & Decaestecker 2002, eq. 4): right where
    matches look alike in both, and non-matches do.
    """
    shift = np.log(prevalence / (1 - prevalence)) - np.log(trained / (1 - trained))
    return Sigmoid(fitted.slope, fitted.intercept + float(shift))
