"""Normalised Levenshtein distance, by rapidfuzz."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def normalized_levenshtein(
    names: NDArray[np.object_], first: NDArray[np.int32], second: NDArray[np.int32], out: NDArray[np.float32]
) -> None:
    """Edits over the length of the longer name, for m pairs of u names.

    Parameters
    ----------
    names : object[u] of strings.
    first, second : int32[m], indices into `names`.
    out : float32[m], filled with values in [0, 1]; 0 for two empty strings.
    """
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    distance = Levenshtein.normalized_distance
    out[:] = cpdist(names[first], names[second], scorer=distance, dtype=np.float32, workers=1)
