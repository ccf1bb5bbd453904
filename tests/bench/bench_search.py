"""New strings against 60,000 entries, and cosines of pairs, beside what one would use instead.

    python -m tests.bench search

The entries are as many as ICD-10-CM's index has, of 256 dimensions in float32. As there, a query's nearest entry has a cosine of
0.55 and its fifteenth one of 0.35; but about 150 of them must be looked at in full, where real names of diseases have about 300, so a
real search takes somewhat longer. The search answers with the 15 nearest codes, exactly; its peers, with the 15 nearest
entries. What both give is compared before anything is timed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from dxmatch.features.cosine import cosine
from dxmatch.terms.icd import search
from dxmatch.terms.icd.search import nearest_distinct
from dxmatch.terms.icd.sketch import Sketch

from .report import Row, Work, show, versus

ENTRIES, DIMENSIONS, K = 58_800, 256, 15
ASKED_S = 1.0
ASKED_ALONE_MS = 0.5
"""Of two new strings, which `match` asks for at once."""


def unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def made(queries: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Entries in families of families, the codes that own them, and queries at some distance from one entry."""
    rng = np.random.default_rng(0)
    wider = unit(rng.standard_normal((150, DIMENSIONS)))
    families = unit(wider[np.arange(2_000) * 150 // 2_000] + 0.9 * unit(rng.standard_normal((2_000, DIMENSIONS))))
    family = np.repeat(np.arange(2_000), -(-ENTRIES // 2_000))[:ENTRIES]
    vectors = unit(families[family] + 0.75 * unit(rng.standard_normal((ENTRIES, DIMENSIONS))))
    owners = (np.arange(ENTRIES) * 43 // 59).astype(np.int32)
    asked = vectors[rng.integers(0, ENTRIES, queries)]
    return unit(asked + 1.5 * unit(rng.standard_normal((queries, DIMENSIONS)))), vectors, owners


def by_matmul(queries: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """The 15 nearest entries of each, best first, 256 queries at a time."""
    out = np.empty((len(queries), K), np.int64)
    for start in range(0, len(queries), 256):
        cosines = queries[start : start + 256] @ vectors.T
        best = np.argpartition(-cosines, K - 1, axis=1)[:, :K]
        order = np.argsort(-np.take_along_axis(cosines, best, 1), axis=1)
        out[start : start + 256] = np.take_along_axis(best, order, 1)
    return out


def by_faiss(queries: np.ndarray, vectors: np.ndarray, threads: int) -> np.ndarray:
    import faiss

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(threads)
    try:
        return faiss.knn(queries, vectors, K, metric=faiss.METRIC_INNER_PRODUCT)[1]
    finally:
        faiss.omp_set_num_threads(before)


def searches(scale: str) -> Iterator[Row]:
    some = 500 if scale == "short" else 5_000
    queries, vectors, owners = made(some)
    sketch = Sketch.of(vectors)
    search._Asked.by_numpy = search._FEW + 1  # numba from the first query on
    cores = os.cpu_count() or 1

    def ours(part: np.ndarray, threads: int | None) -> Callable[[], object]:
        return lambda: nearest_distinct(part, vectors, owners, K, sketch, threads)

    found = nearest_distinct(queries[:200], vectors, owners, K, sketch)
    for one, entries in zip(found, by_matmul(queries[:200], vectors), strict=True):
        assert one.entries[0] == entries[0], "the nearest entry is another one than numpy's"
    few, runs = queries[: some // 10], 3
    for peer, theirs in (
        ("numpy matmul, argpartition", Work(lambda: by_matmul(few, vectors), len(few))),
        ("faiss.knn", Work(lambda: by_faiss(few, vectors, 1), len(few))),
    ):
        work = Work(ours(few, 1), len(few))
        yield versus("ICD search, one core", "strings/s", work, peer, theirs, mark=2.0, runs=runs)
    clock = time.perf_counter
    yield versus(
        f"ICD search, {cores} cores", "strings/s", Work(ours(queries, cores), some),
        "faiss.knn, as many", Work(lambda: by_faiss(queries, vectors, cores), some), mark=2.0, runs=1 if scale == "full" else 3, clock=clock,
    )  # fmt: skip
    whole = versus(
        f"ICD search of {some:,} strings, {cores} cores", "s", Work(ours(queries, cores)), runs=2, clock=clock
    )
    yield Row(whole.what, "s", whole.ours, "asked for", ASKED_S * some / 5_000, 1.0, whole.memory)
    two = queries[:2]
    yield versus(
        "ICD search of two strings, one core", "ms", Work(ours(two, 1)),
        "numpy matmul, argpartition", Work(lambda: by_matmul(two, vectors)), mark=8.0, runs=30,
    )  # fmt: skip
    alone = versus("ICD search of two strings, one core", "ms", Work(ours(two, 1)), runs=50, clock=clock)
    yield Row(alone.what, "ms", alone.ours, "asked for", ASKED_ALONE_MS, 1.0, alone.memory)


def gathered(vectors: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """numpy's way, 10,000 pairs at a time."""
    out = np.empty(len(first), np.float32)
    for start in range(0, len(first), 10_000):
        here = slice(start, start + 10_000)
        out[here] = np.einsum("pd,pd->p", vectors[first[here]], vectors[second[here]])
    return out


def pair_cosines(scale: str) -> Iterator[Row]:
    rng = np.random.default_rng(1)
    strings, pairs, dense = (20_000, 100_000, 1_000) if scale == "short" else (50_000, 1_000_000, 3_000)
    vectors = unit(rng.standard_normal((strings, DIMENSIONS)))
    first, second = np.sort(rng.integers(0, strings, (2, pairs), dtype=np.int32), axis=0)
    order = np.lexsort((second, first))
    first, second = first[order], second[order]
    out = np.empty(pairs, np.float32)
    cosine(vectors, first, second, out)
    part = slice(0, pairs // 10)
    np.testing.assert_allclose(out[part], gathered(vectors, first[part], second[part]), atol=1e-5)
    yield versus(
        f"cosines of {pairs:,} random pairs of {strings:,}", "pairs/s", Work(lambda: cosine(vectors, first, second, out), pairs),
        "numpy einsum of gathered rows", Work(lambda: gathered(vectors, first[part], second[part]), pairs // 10), mark=2.5,
    )  # fmt: skip
    few = np.ascontiguousarray(vectors[:dense])
    first, second = (x.astype(np.int32) for x in np.triu_indices(dense, 1))
    out = np.empty(len(first), np.float32)
    cosine(few, first, second, out)
    np.testing.assert_allclose(out, (few @ few.T)[first, second], atol=1e-5)
    part = slice(0, len(first) // 20)
    work = Work(lambda: cosine(few, first, second, out), len(first))
    yield versus(
        f"cosines of all pairs of {dense:,}", "pairs/s", work,
        "numpy einsum of gathered rows", Work(lambda: gathered(few, first[part], second[part]), len(first) // 20), mark=8.0,
    )  # fmt: skip
    yield versus(
        f"cosines of all pairs of {dense:,}", "pairs/s", work,
        "numpy matmul, then gathered (not to the bit)", Work(lambda: (few @ few.T)[first, second], len(first)), mark=0.5,
    )  # fmt: skip


def rows(scale: str) -> Iterator[Row]:
    yield from searches(scale)
    yield from pair_cosines(scale)


def main() -> None:
    show(rows("full"), Path("out/bench/search.json"))


if __name__ == "__main__":
    main()
