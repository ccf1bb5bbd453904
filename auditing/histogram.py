"""How M's probabilities are spread."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..pages.figure import Row

_BINS = 40


def histogram(probability: NDArray[np.float64], label: NDArray[np.int8] | None) -> list[Row]:
    """How many pairs have which probability: `from`, `to`, `pairs`, and with labels `matches`, `others`."""
    edges = np.linspace(0, 1, _BINS + 1)
    counts = {"pairs": np.histogram(probability, edges)[0]}
    if label is not None:
        counts["matches"] = np.histogram(probability[label == 1], edges)[0]
        counts["others"] = counts["pairs"] - counts["matches"]
    return [
        {"from": float(edges[i]), "to": float(edges[i + 1]), **{name: int(of[i]) for name, of in counts.items()}}
        for i in range(_BINS)
    ]
