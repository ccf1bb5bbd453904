"""Exclusion: whether what is said of two diagnoses ("no", "family history of", "screening for") rules out that they match."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..terms.text.assertion import Assertion, assertion_of, has_assertions
from .interning import numbered

_PRESENT = Assertion("").claim


def claims(names: Sequence[str], language: str) -> NDArray[np.int32] | None:
    """int32[u]: what is said of each normalised name as a number, 0 where the disease is present or possible.

    Two names exclude each other where their numbers differ (`terms.text.assertion.excludes`). The other numbers mean the same
    only within one call. None in a language without a table.
    """
    if not has_assertions(language):
        return None
    return numbered([_PRESENT, *(assertion_of(name, language).claim for name in names)])[1][1:]


def exclusion(
    of_names: NDArray[np.int32] | None, first: NDArray[np.int32], second: NDArray[np.int32], out: NDArray[np.float32]
) -> None:
    """1 where two names exclude each other, else 0, for m pairs.

    Parameters
    ----------
    of_names : the `claims` of u names; None for a language without a table.
    first, second : int32[m], indices of names.
    out : float32[m], filled; NaN in a language without a table.
    """
    out[:] = np.nan if of_names is None else of_names[first] != of_names[second]
