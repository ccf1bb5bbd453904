"""Raw log-odds to probabilities: Platt's sigmoid, fitted on out-of-fold scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..features.errors import InputError
from ..models.calibration import Sigmoid


def fit_sigmoid(
    raw: NDArray[np.float64], label: NDArray[np.int8], weight: NDArray[np.float64] | None = None
) -> Sigmoid:
    """The slope and intercept of least log loss (Platt 1999). `raw` float64[n], `label` int8[n].

    Errors: `InputError` where higher scores do not mean more matches: the labels do not follow the features at all.
    """
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression(C=np.inf).fit(raw[:, None], label, weight)
    slope, intercept = float(fitted.coef_[0, 0]), float(fitted.intercept_[0])
    if slope <= 0:
        raise InputError("the features do not tell matches from non-matches", allowed="labels that follow the strings")
    return Sigmoid(slope, intercept)
