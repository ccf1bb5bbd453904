"""Which names of a list may match a name: those nearest by the encoder's vectors, and those of its disease and its kin in the graph.

The vectors are searched with FAISS: all of them where they are few, else in an inverted file whose vectors are quantised to four bits a
dimension pair (Jégou et al. 2011; André et al. 2015). M judges every candidate, so that quantisation can lose one but never adds one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...features.providers import SHIPPED
from ...features.representations import Representations

CANDIDATES = 50
"""Of each way."""
FLAT = 20_000
"""Fewer names are searched one by one."""
_SEED = 1234
_TRAINED_ON = 64
"""Vectors per list of the inverted file that its centres are learnt from."""
_PROBED = 64
"""Lists of the inverted file that are looked into."""
_LOOKED_AT = 200
"""Names of one disease that are looked at, at most."""
_ADDED_AT_ONCE = 1 << 16


class CandidateSearch:
    """Finds candidates among some of the names that `texts` was made of.

    Parameters
    ----------
    among : int32[b], the names that are looked for, each once.
    count : candidates of each way.
    kind : FAISS's name of the index, for measuring.
    """

    def __init__(
        self,
        texts: Representations,
        among: NDArray[np.int32],
        count: int = CANDIDATES,
        graph: Any = None,
        kind: str | None = None,
    ) -> None:
        self._texts, self._among, self._count = texts, among, min(count, len(among))
        self._vectors = np.ascontiguousarray(texts.vectors(SHIPPED)[among])
        self._index = _index(self._vectors, kind)
        self._kin = None if graph is None else _Kin(texts, among, graph)

    def __call__(self, names: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Pairs (place in `names`, candidate), int32 each, every pair once, sorted by place; a name is a candidate of itself."""
        vectors = self._texts.vectors(SHIPPED)[names]
        found = [self._index.search(vectors, self._count)[1].astype(np.int64)]
        if self._kin is not None:
            found.append(self._kin(names, vectors, self._vectors, self._count))
        candidates = np.concatenate(found, axis=1)
        place = np.repeat(np.arange(len(names)), candidates.shape[1])
        flat = candidates.ravel()
        keys = np.unique((place[flat >= 0] << 32) | flat[flat >= 0])
        return (keys >> 32).astype(np.int32), self._among[keys & 0xFFFFFFFF]


def _index(vectors: NDArray[np.float32], kind: str | None) -> Any:
    import faiss

    n, d = vectors.shape
    lists = int(4 * n**0.5)
    kind = kind or ("Flat" if n < FLAT else f"IVF{lists},PQ{d // 2}x4fs")
    index: Any = faiss.index_factory(d, kind, faiss.METRIC_INNER_PRODUCT)
    if not index.is_trained:
        some = np.random.default_rng(_SEED).permutation(n)[: _TRAINED_ON * lists]
        index.train(vectors[np.sort(some)])
    if hasattr(index, "nprobe"):
        index.nprobe = _PROBED
    for start in range(0, n, _ADDED_AT_ONCE):
        index.add(vectors[start : start + _ADDED_AT_ONCE])
    return index


class _Kin:
    """The names of each disease, and the diseases near it: itself, what it is a kind of, and its kinds."""

    def __init__(self, texts: Representations, among: NDArray[np.int32], graph: Any) -> None:
        links = texts.diseases(SHIPPED)
        self._nodes = links.nodes
        nodes, certainty = links.nodes[among], links.certainty[among]
        place, at = np.nonzero(nodes >= 0)
        disease = nodes[place, at]
        order = np.lexsort((-certainty[place, at], disease))  # the surest first
        self._members = place[order].astype(np.int32)
        self._starts = np.searchsorted(disease[order], np.arange(len(graph) + 1)).astype(np.int64)
        child = np.repeat(np.arange(len(graph)), np.diff(graph.parent_starts))
        narrow = ~graph.too_broad[graph.parents]
        child, parent = child[narrow], graph.parents[narrow]
        itself = np.arange(len(graph))
        first, second = np.concatenate([itself, child, parent]), np.concatenate([itself, parent, child])
        order = np.lexsort((np.arange(len(first)), first))
        self._near = second[order].astype(np.int32)
        self._near_starts = np.searchsorted(first[order], np.arange(len(graph) + 1)).astype(np.int64)

    def __call__(
        self, names: NDArray[np.int32], vectors: NDArray[np.float32], of: NDArray[np.float32], count: int
    ) -> NDArray[np.int64]:
        from .kernels import kin

        out, best = np.full((len(names), count), -1, np.int32), np.full((len(names), count), -np.inf, np.float32)
        kin(
            vectors,
            self._nodes[names],
            self._near_starts,
            self._near,
            self._starts,
            self._members,
            of,
            _LOOKED_AT,
            out,
            best,
        )
        return out.astype(np.int64)
