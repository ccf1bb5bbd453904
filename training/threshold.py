"""The rules by which a threshold is chosen from out-of-fold probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..features.errors import OptionError

RULES = {
    "max_f1": "the probability that maximises F1 on out-of-fold predictions, midway to the next lower one",
    "half": "0.5",
}


def choose_threshold(probability: NDArray[np.float64], label: NDArray[np.int8], rule: str = "max_f1") -> float:
    """The threshold in (0, 1) under `rule`; a pair at or above it is a match. Of equal F1 the higher wins."""
    if rule not in RULES:
        raise OptionError("threshold_rule", f"one of {', '.join(RULES)}", rule)
    if rule == "half":
        return 0.5
    order = np.argsort(-probability, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(probability[order])), len(order) - 1)
    found = np.cumsum(label[order] == 1)[ends]
    f1 = 2 * found / (ends + 1 + int((label == 1).sum()))
    best = int(np.argmax(f1))
    at = float(probability[order[ends[best]]])
    below = float(probability[order[ends[best + 1]]]) if best + 1 < len(ends) else 0.0
    return min(max((at + below) / 2, 1e-9), 1 - 1e-9)
