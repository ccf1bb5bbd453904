"""Silver pairs: labelled pairs made from public vocabularies, so many of each kind, each checked against all that is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

import pyarrow as pa

from . import diseases, specification, synonymy
from .pool import Candidate, Pool

TRIES = 400
"""Candidates that are looked at for each pair that is wanted, before a kind is held to be at its end."""
Generator = Callable[[Pool, Random], Iterator[Candidate]]


@dataclass(frozen=True)
class Kind:
    """One kind of pairs.

    share : of all pairs. candidates : (names, random) -> candidates in random order; it ends when it has no more.
    apart : whether the two are two diseases, neither a kind of the other.
    """

    name: str
    share: float
    candidates: Generator
    apart: bool = False


SILVER = (
    Kind("phrasing", 0.1, synonymy.phrasings),
    Kind("everyday_specification", 0.14, specification.everyday),
    Kind("qualifier", 0.14, specification.qualifiers),
    Kind("spelling", 0.1, synonymy.typing_errors),
    Kind("contrasting", 0.27, diseases.contrasts, apart=True),
    Kind("disease_sibling", 0.13, diseases.siblings, apart=True),
    Kind("stranger", 0.12, diseases.strangers, apart=True),
)
"""Those kinds that the relation model learns from as well, and "contrasting", without which M is wrong more often on opposed diagnoses in
plain words. No other kind moves average precision by more than 0.001; one of laboratory signs moves neither it nor how often M knows them."""


def silver_pairs(pool: Pool, n: int, seed: int = 0, progress: Callable[[int, int], None] | None = None) -> pa.Table:
    """Labelled pairs: a, b, label (0/1) and kind; `n` in all, fewer where a kind has no more.

    Every name that a source knows is of the pool's fold, so that an encoder trained without it has seen none of them.
    """
    rows = []
    for kind, pair in drawn(SILVER, pool, n, seed):
        rows.append({"a": pair.a, "b": pair.b, "label": 0 if kind.apart else 1, "kind": kind.name})
        if progress is not None:
            progress(len(rows), n)
    return pa.Table.from_pylist(rows)


def drawn(kinds: Sequence[Kind], pool: Pool, n: int, seed: int) -> Iterator[tuple[Kind, Candidate]]:
    """Up to `n` pairs, each kind by its share; the same arguments give the same pairs.

    No pair stands twice, in either order and in any spelling that the normaliser makes one: of a pair that several kinds have,
    the first counts. Each is of the fold, and stands apart only where nothing that the sources know speaks against it.
    """
    vocabulary = pool.vocabulary
    taken: set[frozenset[str]] = set()
    for number, kind in enumerate(kinds):
        left = round(n * kind.share)
        for pair in islice(kind.candidates(pool, Random(f"{seed}:{number}")), TRIES * left):
            key = frozenset(map(vocabulary.normalizer, (pair.a, pair.b)))
            if len(key) < 2 or "" in key or key in taken or not vocabulary.in_fold((*pair.first, *pair.second)):
                continue
            if kind.apart and not vocabulary.may_differ(pair.first, pair.second):
                continue
            taken.add(key)
            yield kind, pair
            left -= 1
            if not left:
                break
