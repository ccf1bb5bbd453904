"""Which names of a list may match a name: those nearest by the encoder's vectors, and those of its disease and its kin in the graph.

The vectors are searched with FAISS: all of them where they are few, else in an inverted file whose vectors are quantised to four bits a
dimension pair (Jégou et al. 2011; André et al. 2015). M judges every candidate, so that quantisation can lose one but never adds one.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..features.names import Names
from ..features.providers import SHIPPED
from ..settings import cores
from ..terms.diseases.graph import DiseaseGraph
from ..terms.icd.search import found_by, one_thread

CANDIDATES = 50
"""Of each way."""
NAMES_AT_ONCE = 10_000
"""Names that are searched, judged and kept together, with the usual number of candidates."""
FLAT = 20_000
"""Fewer names are searched one by one."""
_SEED = 1234
_TRAINED_ON = 40
"""Vectors per list of the inverted file that its centres are learnt from."""
_PROBED = 64
"""Lists of the inverted file that are looked into."""
_LOOKED_AT = 2_000
"""Names of a name's diseases that are looked at, at most, and as many of the diseases above and below."""
_ADDED_AT_ONCE = 1 << 16


class CandidateSearch:
    """Finds candidates among some of the names.

    Parameters
    ----------
    among : int32[b], the names that are looked for, each once.
    count : candidates of each way.
    """

    def __init__(self, names: Names, among: NDArray[np.int32], count: int = CANDIDATES) -> None:
        self._vectors, self._among, self._count = names.vectors(SHIPPED), among, min(count, len(among))
        self._index = _index(self._vectors, among) if len(among) else None
        graph = names.providers.graph
        self._kin = None if graph is None else _Kin(names, among, graph)

    def __call__(self, names: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Pairs of a name and a candidate that is another name, int32 each, every pair once, in the order of the names."""
        if self._index is None or not len(names):
            return np.zeros(0, np.int32), np.zeros(0, np.int32)
        nearest = found_by(self._index, self._vectors[names], self._count)
        found = [np.where(nearest >= 0, self._among[nearest], -1)]
        if self._kin is not None:
            found += self._kin(names, self._vectors, self._count)
        candidates = np.concatenate(found, axis=1).astype(np.int64)
        place = np.repeat(np.arange(len(names)), candidates.shape[1])
        keys = np.unique((place << 32 | candidates.ravel())[candidates.ravel() >= 0])
        first, second = names[keys >> 32], (keys & 0xFFFFFFFF).astype(np.int32)
        return first[first != second], second[first != second]


def names_at_once(candidates: int) -> int:
    """How many names are searched and judged together; fewer where each has more candidates than usual."""
    return max(1, min(NAMES_AT_ONCE, NAMES_AT_ONCE * CANDIDATES // candidates))


def _index(vectors: NDArray[np.float32], among: NDArray[np.int32]) -> Any:
    """A FAISS index of the rows `among` of `vectors`."""
    n, d = len(among), vectors.shape[1]
    lists = int(2 * n**0.5)
    with one_thread() as faiss:
        kind = "Flat" if n < FLAT else f"IVF{lists},PQ{d // 2}x4fs"
        index: Any = faiss.index_factory(d, kind, faiss.METRIC_INNER_PRODUCT)
        if not index.is_trained:
            some = np.random.default_rng(_SEED).permutation(n)[: _TRAINED_ON * lists]
            index.train(vectors[among[np.sort(some)]])
            index.nprobe = _PROBED
        for start in range(0, n, _ADDED_AT_ONCE):
            index.add(vectors[among[start : start + _ADDED_AT_ONCE]])
    return index


class _Kin:
    """The names of each disease; the diseases that it is a kind of, and its kinds, but for classes that are too broad to name one."""

    def __init__(self, names: Names, among: NDArray[np.int32], graph: DiseaseGraph) -> None:
        links = names.diseases(SHIPPED)
        self._nodes = links.nodes
        nodes, certainty = links.nodes[among], links.certainty[among]
        place, at = np.nonzero(nodes >= 0)
        disease = nodes[place, at]
        order = np.lexsort((-certainty[place, at], disease))  # the surest first
        self._members = among[place[order]]
        self._starts = np.searchsorted(disease[order], np.arange(len(graph) + 1)).astype(np.int64)
        self._near = _itself_and_line(graph)

    def __call__(self, names: NDArray[np.int32], vectors: NDArray[np.float32], count: int) -> list[NDArray[np.int32]]:
        """int32[n, count] twice, names that are looked for, -1 for none: of the same disease, and of one above or below."""
        from .link_kernels import kin

        def found(some: NDArray[np.int32], starts: NDArray[np.int64], near: NDArray[np.int32]) -> NDArray[np.int32]:
            return kin(vectors, some, self._nodes, starts, near, self._starts, self._members, _LOOKED_AT, count)

        parts = np.array_split(names, cores())
        with ThreadPoolExecutor(len(parts)) as pool:
            return [
                np.concatenate([*pool.map(found, parts, repeat(starts), repeat(near))]) for starts, near in self._near
            ]


@lru_cache(maxsize=1)
def _itself_and_line(graph: DiseaseGraph) -> tuple[tuple[NDArray[np.int64], NDArray[np.int32]], ...]:
    """Of each of d diseases itself, and those above and below, the closest first: where each begins, int64[d + 1], and the diseases."""
    d, above = len(graph), graph.above
    below, steps = np.repeat(np.arange(d), np.diff(above.starts)), above.steps.astype(np.int32)
    line = (steps > 0) & ~graph.too_broad[above.diseases]
    below, over, steps = below[line], above.diseases[line], steps[line]
    first, second = np.concatenate([below, over]), np.concatenate([over, below])
    order = np.lexsort((second, np.tile(steps, 2), first))
    starts = np.searchsorted(first[order], np.arange(d + 1)).astype(np.int64)
    return (np.arange(d + 1), np.arange(d, dtype=np.int32)), (starts, second[order].astype(np.int32))
