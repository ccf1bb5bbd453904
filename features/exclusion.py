"""What two names exclude by what they say: "no pneumonia" is never a match of pneumonia, whatever else they share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .contrast import Attributes, count_conflicts


@dataclass(frozen=True)
class Claims:
    """Of u names, what is asserted and what is denied.

    Attributes
    ----------
    assertions : int32[u], equal for names whose assertions go together (`Assertion.claim`).
    attributes : those of their cores; None for a language without a table.
    """

    assertions: NDArray[np.int32]
    attributes: Attributes | None


def exclusion(claims: Claims, first: NDArray[np.int32], second: NDArray[np.int32], out: NDArray[np.float32]) -> None:
    """1 where the assertions of two names conflict, or one denies what the other affirms ("small cell", "non-small cell"), else 0.

    Parameters
    ----------
    first, second : int32[m], indices of names.
    out : float32[m], filled.
    """
    out[:] = claims.assertions[first] != claims.assertions[second]
    if claims.attributes is not None:
        denied = np.empty_like(out)
        count_conflicts(claims.attributes, first, second, np.empty_like(out), denied)
        np.maximum(out, denied, out=out)
