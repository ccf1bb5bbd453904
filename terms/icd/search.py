"""The nearest codes of a vector: FAISS proposes a shortlist of names, exact cosines rank it, alone or with what names say.

FAISS reads vectors quantised to four bits per one or two dimensions (product quantisation, Jégou et al. 2011,
"Product quantization for nearest neighbor search", §3, with the look-up tables held in registers, André et al. 2015). The
cosines of the shortlist are then computed in full precision and in a fixed order of summation, so a string gets the same codes
and cosines alone and in any batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...models.ensemble import in_threads

CANDIDATES = 15
"""The nearest codes that are looked at unless another number is asked for, as in "How to Evaluate Medical AI"."""

MIN_QUANTISED = 5_000
"""Fewer vectors are searched without quantisation."""

_SHORTLIST = 12
"""Names in the shortlist per code asked for: several names belong to one code, and quantisation changes their order."""
_SEED = 1234
_QUERIES_AT_ONCE = 256
TEMPERATURE = 0.03
"""Of the softmax over a name's candidates: a code that scores more by this weighs e times as much."""

DISTANCES = ("cosine", "euclidean")
"""By which the nearest names are found."""
ENTRIES = ("codes", "names")
"""What the nearest are counted by: see `IcdIndex`."""

Rescore = Callable[[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]], None]
"""(rows of the queries, their shortlists, the cosines), which become other scores in place."""


class Shares(NamedTuple):
    """How each of n strings is distributed over ICD-10's categories.

    Attributes
    ----------
    categories : int32[n, k], rising, then -1; all -1 for a string without a code.
    shares : float64[n, k], above 0 and 1 in all, then 0.
    """

    categories: NDArray[np.int32]
    shares: NDArray[np.float64]


class Candidates(NamedTuple):
    """The nearest codes of n strings, best first.

    Attributes
    ----------
    nodes : int32[n, k], -1 where there are fewer than k.
    scores : float32[n, k], the cosines, or the scores of `ranking`; NaN where there are fewer than k.
    entries : int32[n, k], the place among the index' names of the one that each was found by; -1 for a direct match, and for none.
    """

    nodes: NDArray[np.int32]
    scores: NDArray[np.float32]
    entries: NDArray[np.int32]

    @classmethod
    def none(cls, rows: int, k: int) -> Candidates:
        """No candidate in any row, to be filled."""
        nodes = np.full((rows, k), -1, np.int32)
        return cls(nodes, np.full((rows, k), np.nan, np.float32), nodes.copy())

    @classmethod
    def alone(cls, nodes: NDArray[np.int32], k: int) -> Candidates:
        """Direct matches, int32[n], each with a score of 1; the other rows are to be filled."""
        out = cls.none(len(nodes), k)
        out.nodes[:, 0], out.scores[:, 0] = nodes, np.where(nodes < 0, np.nan, 1)
        return out

    def at(self, some: Any) -> Candidates:
        """Some rows, or some columns of all."""
        return Candidates(self.nodes[some], self.scores[some], self.entries[some])

    def kept(self, fits: NDArray[np.bool_]) -> Candidates:
        """Those that fit, bool[n, k], in their order."""
        order = np.argsort(~fits, axis=1, kind="stable")
        out, there = Candidates.none(*fits.shape), np.take_along_axis(fits, order, 1)
        for mine, its in zip(out, self, strict=True):
            mine[there] = np.take_along_axis(its, order, 1)[there]
        return out

    def put(self, rows: Any, found: Candidates) -> None:
        """Writes `found` into these rows."""
        for mine, its in zip(self, found, strict=True):
            mine[rows] = its

    def shares(self, categories: NDArray[np.int32]) -> Shares:
        """A softmax over the scores of each string's candidates, added up by category; a direct match stands alone.

        categories : int32[n, k], the category of each of `nodes`, -1 for none.
        """
        n, k = categories.shape
        scores = self.scores.astype(np.float64)
        order = np.argsort(np.where(categories < 0, np.iinfo(np.int32).max, categories), axis=1, kind="stable")
        ordered = np.take_along_axis(categories, order, 1)
        weights = np.take_along_axis(np.exp((scores - scores[:, :1]) / TEMPERATURE), order, 1)
        known = ordered >= 0
        place = np.cumsum(np.diff(ordered, axis=1, prepend=ordered[:, :1]) != 0, axis=1)
        at = (np.arange(n)[:, None] * k + place)[known]
        merged, shares = np.full(n * k, -1, np.int32), np.bincount(at, weights[known], n * k).reshape(n, k)
        merged[at] = ordered[known]
        # added one after the other: in the same order for a string alone and in a batch
        total = np.cumsum(shares, axis=1)[:, -1:]
        return Shares(merged.reshape(n, k), shares / np.where(total > 0, total, 1))


@contextmanager
def one_thread() -> Iterator[Any]:
    """FAISS without threads of its own: these wait for one another where cores are busy, and do not live on in a forked process."""
    import faiss

    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield faiss
    finally:
        faiss.omp_set_num_threads(threads)


def trained_index(vectors: NDArray[np.float32]) -> NDArray[np.uint8]:
    """A FAISS index over the rows of `vectors`, float32[n, d], quantised and serialised; the same bytes each time on one machine.

    Empty for few vectors, which are searched as they are.
    """
    n, d = vectors.shape
    if n < MIN_QUANTISED:
        return np.zeros(0, np.uint8)
    parts = d // 2 if d >= 256 and d % 2 == 0 else d
    with one_thread() as faiss:
        index: Any = faiss.index_factory(d, f"PQ{parts}x4fs", faiss.METRIC_INNER_PRODUCT)
        index.pq.cp.seed = _SEED
        index.train(vectors)
        index.add(vectors)
        return faiss.serialize_index(index)


def found_by(index: Any, queries: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """The places [m, k] of the vectors of a FAISS index that are nearest to m queries: in threads of Python's, some queries each."""
    out = np.empty((len(queries), k), np.int64)

    def search(some: slice) -> None:
        with one_thread():
            out[some] = index.search(queries[some], k)[1]

    in_threads(search, len(queries), _QUERIES_AT_ONCE)
    return out


class Search:
    """Finds the nearest codes among named vectors; safe to share between threads.

    Parameters
    ----------
    vectors : float32[n, d], rows of unit length, or zero.
    codes : int32[n], the code (its node in the tree) that each vector belongs to.
    trained : what `trained_index` made of the vectors, or of the first of them; empty where none is quantised.
    euclidean : the nearest are those at the least distance; the vectors may then be of any length, and the scores are the
        distances with a minus sign.
    """

    def __init__(
        self,
        vectors: NDArray[np.float32],
        codes: NDArray[np.int32],
        trained: NDArray[np.uint8],
        euclidean: bool = False,
    ) -> None:
        self._vectors, self._codes, self._euclidean = vectors, codes, euclidean
        with one_thread() as faiss:
            metric = faiss.METRIC_L2 if euclidean else faiss.METRIC_INNER_PRODUCT
            flat = faiss.index_factory(vectors.shape[1], "Flat", metric)
            self._index: Any = faiss.deserialize_index(trained) if len(trained) else flat
            self._index.add(vectors[self._index.ntotal :])

    def __call__(
        self, queries: NDArray[np.float32], k: int, *, names: bool = False, rescore: Rescore | None = None
    ) -> Candidates:
        """For each query the k codes whose nearest vector is nearest.

        Parameters
        ----------
        queries : float32[m, d], rows of unit length; a row of zeros has no candidates.
        k : from 1.
        names : the k nearest vectors, whether or not they belong to one code.
        rescore : the best by other scores than the cosine. At least `CANDIDATES` are then looked for, so that the first ones do
            not hang on how many are asked for.

        Returns
        -------
        [m, k]. Of equal scores in a shortlist, the earlier vector goes first.
        """
        out = Candidates.none(len(queries), k if rescore is None else max(k, CANDIDATES))
        codes = np.arange(len(self._codes), dtype=np.int32) if names else self._codes
        rows = np.flatnonzero(queries.any(axis=1)) if len(self._vectors) else np.zeros(0, np.int64)
        # Each thread takes whole parts, ranking included.
        in_threads(lambda some: self._fill(queries, codes, rescore, out, rows[some]), len(rows), _QUERIES_AT_ONCE)
        if names:
            out.nodes[:] = np.where(out.entries >= 0, self._codes[out.entries], -1)
        return out.at(np.s_[:, :k])

    def _fill(
        self,
        queries: NDArray[np.float32],
        codes: NDArray[np.int32],
        rescore: Rescore | None,
        out: Candidates,
        rows: NDArray[np.int64],
    ) -> None:
        from .kernels import nearness

        n, k = len(self._vectors), out.nodes.shape[1]
        # The first of one is the first of fifteen.
        width = min(n, _SHORTLIST * max(k, CANDIDATES))
        while len(rows):
            shortlists = np.sort(found_by(self._index, queries[rows], width), axis=1)
            near = nearness(queries, rows, shortlists, self._vectors, self._euclidean)
            if rescore is not None:
                rescore(rows, shortlists, near)
            counts = _rank(rows, shortlists, near, codes, out)
            if width == n:
                return
            rows, width = rows[counts < k], min(n, 4 * width)


def _rank(
    rows: NDArray[np.int64],
    shortlists: NDArray[np.int64],
    near: NDArray[np.float32],
    codes: NDArray[np.int32],
    out: Candidates,
) -> NDArray[np.int64]:
    """Fills `rows` of `out` with the best codes of their shortlists, each by its best name; returns how many each has."""
    order = np.argsort(-near, axis=1, kind="stable")
    entries, scores = np.take_along_axis(shortlists, order, 1), np.take_along_axis(near, order, 1)
    ranked = np.where(entries >= 0, codes[entries], -1)
    by_code = np.argsort(ranked, axis=1, kind="stable")
    in_a_row = np.take_along_axis(ranked, by_code, 1)
    first = np.ones(ranked.shape, np.bool_)
    np.put_along_axis(first, by_code[:, 1:], in_a_row[:, 1:] != in_a_row[:, :-1], 1)
    first &= entries >= 0
    place = np.cumsum(first, axis=1) - 1
    row, at = np.nonzero(first & (place < out.nodes.shape[1]))
    to = rows[row], place[row, at]
    out.nodes[to], out.scores[to], out.entries[to] = ranked[row, at], scores[row, at], entries[row, at]
    return first.sum(axis=1)
