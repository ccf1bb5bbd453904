"""Votes and picks, looked up for all pairs before the first is scored: what is refused for want of them is refused in seconds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..features.compute import feature_table, prepare
from ..features.coverage import check_coverage
from ..features.interning import InternedPairs
from ..matcher.match_function import MatchFunction
from .chunk import known_rows
from .parts import ChunkResult
from .plan import Chunk, Job
from .source import read_rows
from .vocabulary import Progress, Sides, Vocabulary


def check_votes(
    job: Job,
    m: MatchFunction,
    vocabulary: Vocabulary,
    todo: Sequence[Chunk],
    finished: Iterable[ChunkResult],
    held: Mapping[int, Sides],
    threads: int,
    progress: Progress | None = None,
) -> None:
    """Looks at the chunks of `todo`, and at what is told of those that are finished.

    held : both columns of chunks that were read before, by number.
    progress : called with the rows done and the rows in all.

    Errors: `InputError` where a vote or a pick is known for a smaller share of the rows than `m.min_coverage`.
    """
    asked = replace(m.features, features=m.features.asked)
    names = asked.names
    columns = [m.features.names.index(name) for name in names]
    known, rows = np.zeros(len(names), np.int64), 0
    for result in finished:
        known += np.array(result.known)[columns]
        rows += result.rows - result.rejected

    prepare(vocabulary.texts, asked)

    def of_chunk(chunk: Chunk) -> tuple[NDArray[np.int64], int]:
        pairs = _pairs(job, vocabulary, chunk, held.get(chunk.number))
        table = feature_table(pairs, asked, m.providers, texts=vocabulary.texts, threads=1)
        return known_rows(table, pairs.pair_of_row), len(pairs.pair_of_row)

    total, done = sum(chunk.rows for chunk in todo), 0
    with ThreadPoolExecutor(threads) as pool:
        for chunk, (of_one, rows_of_one) in zip(todo, pool.map(of_chunk, todo), strict=True):
            known += of_one
            rows += rows_of_one
            done += chunk.rows
            if progress is not None:
                progress(done, total)
    shares = (known / max(rows, 1)).tolist()
    check_coverage(dict(zip(names, shares, strict=True)), m.features, m.min_coverage)


def _pairs(job: Job, vocabulary: Vocabulary, chunk: Chunk, sides: Sides | None) -> InternedPairs:
    """The unique pairs of the rows that are not refused."""
    if sides is None:
        texts = (job.options.a, job.options.b)
        table = read_rows(chunk, texts, texts)
        sides = table.column(texts[0]).chunk(0), table.column(texts[1]).chunk(0)
    a, b = (vocabulary.name_of(side) for side in vocabulary.places(chunk, *sides))
    good = (a >= 0) & (b >= 0)
    return vocabulary.unique_pairs(a[good], b[good])
