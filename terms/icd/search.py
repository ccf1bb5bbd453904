"""Nearest names by cosine: bounds from sketches say which entries are looked at, a dot product in a fixed order ranks them.

BLAS adds in another order for another batch size, so its scores differ in the last bits and two nearly equal names may
change places. The scores returned here depend on the two vectors alone, so a string gets the same answer alone and in any
batch, bit for bit.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import warm_up
from ...compiled import kernels_compiled, made_ready
from .sketch import Sketch

_SPARE = 17
"""How many more names than asked for numpy takes at first."""
_QUERIES_AT_ONCE = 64
_FEW = 8
"""So many queries of a process are answered by numpy while no kernel is compiled: to import numba takes as long as 50."""
_FEW_MEANWHILE = 16
"""And so many while kernels are made ready in the background; who asks for more without a pause has them sooner by waiting."""
_MANY = 256
"""Above so many codes asked for, numpy answers: the kernel keeps them in a row sorted by insertion."""


class Nearest(NamedTuple):
    """The nearest codes of one string, best first: entries (int64[k]) and cosines (float32[k])."""

    entries: NDArray[np.int64]
    cosines: NDArray[np.float32]


class _Asked:
    by_numpy = 0


def nearest_distinct(
    queries: NDArray[np.float32],
    vectors: NDArray[np.float32],
    owners: NDArray[np.int32],
    k: int,
    sketch: Sketch | None = None,
    threads: int | None = None,
) -> list[Nearest]:
    """For each query the k owners (codes) whose best entry is nearest; fewer where there are fewer owners.

    Parameters
    ----------
    queries : float32[m, d], rows of unit length.
    vectors : float32[n, d], rows of unit length (or zero).
    owners : int32[n], the code that each entry belongs to.
    sketch : of `vectors`; made here where there is none.
    threads : how many cores take part; None for all.

    Ties go to the earlier entry.
    """
    if not len(vectors):
        return [Nearest(np.zeros(0, np.int64), np.zeros(0, np.float32)) for _ in queries]
    if k > _MANY or not (kernels_compiled() or _worth_kernels(len(queries))):
        _Asked.by_numpy += len(queries)
        return [_by_numpy(query, vectors, owners, k) for query in queries]
    made = Sketch.of(vectors) if sketch is None else sketch
    parts = [queries[start : start + _QUERIES_AT_ONCE] for start in range(0, len(queries), _QUERIES_AT_ONCE)]
    if len(parts) <= 1 or threads == 1:
        found = [_by_kernel(part, vectors, owners, k, made) for part in parts]
    else:
        with ThreadPoolExecutor(min(threads or os.cpu_count() or 1, len(parts))) as pool:
            found = list(pool.map(lambda part: _by_kernel(part, vectors, owners, k, made), parts))
    return [nearest for part in found for nearest in part]


def _by_kernel(
    queries: NDArray[np.float32], vectors: NDArray[np.float32], owners: NDArray[np.int32], k: int, sketch: Sketch
) -> list[Nearest]:
    from .kernels import nearest

    entries = np.empty((len(queries), min(k, len(vectors))), np.int64)
    cosines = np.empty(entries.shape, np.float32)
    counts = nearest(*sketch, np.ascontiguousarray(queries), vectors, owners, entries, cosines)
    return [Nearest(entries[i, :count], cosines[i, :count]) for i, count in enumerate(counts.tolist())]


def _worth_kernels(queries: int) -> bool:
    if not made_ready():
        return _Asked.by_numpy + queries > _FEW
    if _Asked.by_numpy + queries <= _FEW_MEANWHILE:
        return False
    warm_up.wait()
    return True


def _by_numpy(query: NDArray[np.float32], vectors: NDArray[np.float32], owners: NDArray[np.int32], k: int) -> Nearest:
    """The exact cosines of a shortlist, which is widened until k owners of it are certain."""
    n, d = vectors.shape
    rough = vectors @ query
    # An entry outside the shortlist scores at most the shortlist's least rough score, give or take the rounding of both sums.
    rounding = np.float32(4 * d * np.finfo(np.float32).eps)
    width = min(n, k + _SPARE)
    while True:
        ids = np.argpartition(-rough, width - 1)[:width]
        exact = fixed_dot(vectors[ids], query)
        certain = rough[ids].min() + rounding
        order = np.lexsort((ids, -exact))
        ids, exact = ids[order], exact[order]
        sure = width if width == n else int(np.count_nonzero(exact > certain))
        firsts = np.sort(np.unique(owners[ids[:sure]], return_index=True)[1])[:k]
        if len(firsts) == k or width == n:
            return Nearest(ids[firsts], exact[firsts])
        width = min(n, width * 4)


def fixed_dot(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    """Inner products over the last axis, added by halves, so that they do not depend on the other axes."""
    products = a * b
    while (d := products.shape[-1]) > 1:
        half = (d + 1) // 2
        products[..., : d - half] += products[..., half:]
        products = products[..., :half]
    return products[..., 0]
