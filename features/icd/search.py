"""Nearest names by cosine: FAISS shortlists, an own dot product in a fixed order ranks.

FAISS and BLAS add in another order for another batch size, so their scores differ in the last bits and two nearly
equal names may change places. The scores returned here depend on the two vectors alone, so a string gets the same
answer alone and in any batch, bit for bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_SPARE = 17
"""How many more names than asked for are taken from FAISS at first."""
_QUERIES_AT_ONCE = 1024
_FLOATS_AT_ONCE = 1 << 23
_FEW = 4
"""Up to so many queries numpy is used alone: importing FAISS takes longer than they do."""


class Nearest(NamedTuple):
    """The nearest codes of one string, best first: entries (int64[k]) and cosines (float32[k])."""

    entries: NDArray[np.int64]
    cosines: NDArray[np.float32]


def nearest_distinct(
    queries: NDArray[np.float32], vectors: NDArray[np.float32], owners: NDArray[np.int32], k: int
) -> list[Nearest]:
    """For each query the k owners (codes) whose best entry is nearest; fewer where there are fewer owners.

    Parameters
    ----------
    queries : float32[m, d], rows of unit length.
    vectors : float32[n, d], rows of unit length (or zero).
    owners : int32[n], the code that each entry belongs to.

    Ties go to the earlier entry.
    """
    out: list[Nearest] = []
    for start in range(0, len(queries), _QUERIES_AT_ONCE):
        out += _chunk(np.ascontiguousarray(queries[start : start + _QUERIES_AT_ONCE]), vectors, owners, k)
    return out


def _chunk(
    queries: NDArray[np.float32], vectors: NDArray[np.float32], owners: NDArray[np.int32], k: int
) -> list[Nearest]:
    n, d = vectors.shape
    # An entry outside the shortlist scores at most the shortlist's last score, give or take the rounding of both sums.
    rounding = np.float32(4 * d * np.finfo(np.float32).eps)
    found: list[Nearest | None] = [None] * len(queries)
    pending = np.arange(len(queries))
    width = min(n, k + _SPARE)
    while len(pending):
        rough, entries = _shortlist(queries[pending], vectors, width)
        still = []
        rows_at_once = max(1, _FLOATS_AT_ONCE // (width * d))
        for start in range(0, len(pending), rows_at_once):
            rows = pending[start : start + rows_at_once]
            ids = entries[start : start + rows_at_once]
            exact = fixed_dot(vectors[ids], queries[rows][:, None, :])
            order = np.lexsort((ids, -exact), axis=1)
            ids, exact = np.take_along_axis(ids, order, 1), np.take_along_axis(exact, order, 1)
            certain = exact > rough[start : start + rows_at_once, -1:] + rounding
            for i, row in enumerate(rows):
                sure = width if width == n else int(np.count_nonzero(certain[i]))
                firsts = np.sort(np.unique(owners[ids[i, :sure]], return_index=True)[1])[:k]
                if len(firsts) == k or width == n:
                    found[row] = Nearest(ids[i, firsts], exact[i, firsts])
                else:
                    still.append(row)
        pending = np.array(still, np.int64)
        width = min(n, width * 4)
    return [nearest for nearest in found if nearest is not None]


def _shortlist(
    queries: NDArray[np.float32], vectors: NDArray[np.float32], width: int
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Per query the `width` entries of the highest rough cosine, best first."""
    if len(queries) <= _FEW:
        rough = queries @ vectors.T
        entries = np.argpartition(-rough, width - 1, axis=1)[:, :width]
        cosines = np.take_along_axis(rough, entries, 1)
        order = np.argsort(-cosines, axis=1)
        return np.take_along_axis(cosines, order, 1), np.take_along_axis(entries, order, 1)
    import faiss

    return faiss.knn(queries, vectors, width, metric=faiss.METRIC_INNER_PRODUCT)


def fixed_dot(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    """Inner products over the last axis, added by halves, so that they do not depend on the other axes."""
    products = a * b
    while (d := products.shape[-1]) > 1:
        half = (d + 1) // 2
        products[..., : d - half] += products[..., half:]
        products = products[..., :half]
    return products[..., 0]
