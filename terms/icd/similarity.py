"""How similar two names are in ICD-10: by the codes that they map to, and by all codes that are near them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .search import Candidates

TEMPERATURE = 0.03
"""Of the softmax over a name's candidates: a code that scores more by this weighs e times as much."""


def wu_palmer(
    paths: NDArray[np.int32], first: NDArray[np.int32], second: NDArray[np.int32], out: NDArray[np.float32]
) -> None:
    """The Wu-Palmer similarity of two codes in the tree (Wu and Palmer 1994, §3).

    2 n(a, b) / (n(a) + n(b)): n codes from the chapter down, and n(a, b) of them in common.

    Parameters
    ----------
    paths : int32[u, levels], as `IcdTree.paths` gives them.
    first, second : int32[p], rows of `paths`.
    out : float32[p], written to: from 0 for two chapters to 1 for the same code; NaN where one of the names has no code.
    """
    from . import kernels

    kernels.wu_palmer(paths, first, second, out)


@dataclass(frozen=True)
class CategoryDistribution:
    """How each of u names is distributed over ICD-10's categories.

    Attributes
    ----------
    categories : int32[u, k], rising, then -1; all -1 for a name without a code.
    shares : float64[u, k], above 0 and 1 in all, then 0.
    """

    categories: NDArray[np.int32]
    shares: NDArray[np.float64]

    @classmethod
    def of(cls, found: Candidates, categories: NDArray[np.int32]) -> CategoryDistribution:
        """A softmax over the scores of each name's candidates, added up by category.

        Parameters
        ----------
        found : a direct match stands alone.
        categories : int32[u, k], the category of each of `found.nodes`, -1 for none.
        """
        from .kernels import merge_categories

        scores = found.scores.astype(np.float64)
        weights = np.exp((scores - scores[:, :1]) / TEMPERATURE)
        merged = categories.copy()
        merge_categories(merged, weights)
        return cls(merged, weights)


def overlap(
    names: CategoryDistribution, first: NDArray[np.int32], second: NDArray[np.int32], out: NDArray[np.float32]
) -> None:
    """The sum over categories of the smaller of two shares.

    Parameters
    ----------
    first, second : int32[p], rows of `names`.
    out : float32[p], written to: from 0 to 1; NaN where one of the names has no category.
    """
    from . import kernels

    kernels.overlap(names.categories, names.shares, first, second, out)
