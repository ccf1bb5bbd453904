"""Pairs whose relation is known: synonyms, kinds and classes, near and far kin, any two."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random

import pyarrow as pa

from ..silver import diseases, neighbours, specification, synonymy
from ..silver.pool import Candidate, Pool

SAME, KIND, CLOSE, FAR, NONE = "same", "kind", "close kin", "far kin", "no kin"
"""Of a kind and its class, the kind comes first."""
PAIRS = 24_000


@dataclass(frozen=True)
class Source:
    """Candidates of one relation, and their share of all pairs."""

    relation: str
    share: float
    candidates: Callable[[Pool, Random], Iterator[Candidate]]


SOURCES = (
    Source(SAME, 0.2, synonymy.synonyms),
    Source(SAME, 0.06, synonymy.phrasings),
    Source(SAME, 0.06, diseases.synonyms),
    Source(SAME, 0.02, synonymy.typing_errors),
    Source(KIND, 0.16, diseases.kinds),
    Source(KIND, 0.03, specification.everyday),
    Source(KIND, 0.06, specification.tree),
    Source(KIND, 0.05, specification.qualifiers),
    Source(KIND, 0.02, specification.stages),
    Source(CLOSE, 0.08, diseases.siblings),
    Source(CLOSE, 0.04, neighbours.siblings),
    Source(FAR, 0.12, diseases.cousins),
    Source(NONE, 0.1, diseases.strangers),
)


def relation_pairs(pool: Pool, n: int = PAIRS, seed: int = 0) -> pa.Table:
    """Columns a, b and relation. No pair stands twice, in either order; of a pair that several sources have, the first counts."""
    taken: set[frozenset[str]] = set()
    rows = [
        {"a": candidate.a, "b": candidate.b, "relation": source.relation}
        for number, source in enumerate(SOURCES)
        for candidate in islice(_new(source, pool, Random(f"{seed}:{number}"), taken), round(n * source.share))
    ]
    return pa.Table.from_pylist(rows)


def _new(source: Source, pool: Pool, random: Random, taken: set[frozenset[str]]) -> Iterator[Candidate]:
    vocabulary = pool.vocabulary
    for candidate in source.candidates(pool, random):
        key = frozenset(map(vocabulary.normalizer, (candidate.a, candidate.b)))
        if len(key) < 2 or "" in key or key in taken or not vocabulary.in_fold((*candidate.first, *candidate.second)):
            continue
        if source.relation in (CLOSE, FAR, NONE) and not vocabulary.may_differ(candidate.first, candidate.second):
            continue
        taken.add(key)
        yield candidate
