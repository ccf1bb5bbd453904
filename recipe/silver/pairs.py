"""Silver pairs: so many of each kind, each checked against all that is known."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa

from ...errors import OptionError
from ...files.wording import hint
from ...terms.text.normalizer import Normalizer
from ..encoder.data import FOLDS
from .generators import GENERATORS, Generator
from .pool import Candidate, Pool
from .vocabulary import Vocabulary

PAIRS = 20_000
SCHEMA = pa.schema(
    [("a", pa.string()), ("b", pa.string()), ("label", pa.int8())]
    + [(name, pa.string()) for name in ("kind", "group", "source")]
)
TRIES = 400
"""Candidates that are looked at for each pair that is wanted, before a kind is held to be at its end."""


def silver_pairs(
    data: str | os.PathLike[str],
    normalizer: Normalizer | None = None,
    *,
    shares: Mapping[str, float] | None = None,
    n: int = PAIRS,
    fold: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> pa.Table:
    """Labelled pairs: a, b, label (0/1), kind (the generator), group (the disease it is about) and source.

    Parameters
    ----------
    data : the folder with the public files of Orphadata, MONDO and Meta-Inventory.
    shares : by kind, in place of its default share; all shares together are scaled to 1, and 0 leaves a kind out.
    n : pairs in all. A kind that has no more gives fewer.
    fold : 0 to 4 for pairs of which every name that a synonym source knows is a disease of this fold
        (`encoder.data.folds_of`), so that an encoder trained without it has seen none of them; None for all.

    The same arguments give the same pairs. No pair stands twice, in either order and in any spelling that the normaliser
    makes one.
    """
    wanted = counts(shares, n)
    if fold is not None and fold not in range(FOLDS):
        raise OptionError("fold", f"0 to {FOLDS - 1}", fold)
    pool = Pool(Vocabulary(Path(data), normalizer or Normalizer(), fold))
    made, taken = [], set()
    for kind, count in wanted.items():
        random = Random(f"{seed}:{kind}")
        for pair in _of_kind(GENERATORS[kind], count, pool, random, taken):
            made.append(pair)
            if progress is not None:
                progress(len(made), n)
    return pa.Table.from_pylist([dict(zip(SCHEMA.names, pair, strict=True)) for pair in made], schema=SCHEMA)


def counts(shares: Mapping[str, float] | None, n: int) -> dict[str, int]:
    """How many pairs of each kind. Errors: `OptionError` for an unknown kind, with the nearest that is known."""
    if n < 1:
        raise OptionError("n", "1 or more", n)
    of_kind = {name: generator.share for name, generator in GENERATORS.items()}
    for name, share in (shares or {}).items():
        if name not in GENERATORS:
            raise OptionError("share", f"of one of {', '.join(GENERATORS)}{hint(name, GENERATORS)}", name)
        if not 0 <= share <= 1:
            raise OptionError(f"share {name}", "from 0 to 1", share)
        of_kind[name] = share
    total = sum(of_kind.values())
    if total <= 0:
        raise OptionError("share", "above 0 for one kind at least", dict(shares or {}))
    return {name: round(n * share / total) for name, share in of_kind.items() if share > 0}


def _of_kind(
    generator: Generator, count: int, pool: Pool, random: Random, taken: set[frozenset[str]]
) -> Iterator[tuple[Any, ...]]:
    """Rows of `SCHEMA`. `taken` are the pairs that stand already; those that this yields come to them."""
    found = 0
    for candidate in islice(generator.candidates(pool, random), TRIES * count):
        if found == count:
            return
        key = frozenset(map(pool.vocabulary.normalizer, (candidate.a, candidate.b)))
        if (
            len(key) == 2
            and "" not in key
            and key not in taken
            and _stands(candidate, generator.label, pool.vocabulary)
        ):
            taken.add(key)
            found += 1
            group = _group(candidate, pool.vocabulary)
            yield candidate.a, candidate.b, generator.label, generator.name, group, candidate.source


def _stands(candidate: Candidate, label: int, vocabulary: Vocabulary) -> bool:
    """Whether the pair is of the fold, and its label goes with all that the sources know."""
    if not vocabulary.in_fold((*candidate.first, *candidate.second)):
        return False
    return label == 1 or vocabulary.may_differ(candidate.first, candidate.second)


def _group(candidate: Candidate, vocabulary: Vocabulary) -> str:
    """The disease of the first name that a source knows; else the first name."""
    for name in (*candidate.first, *candidate.second):
        if (disease := vocabulary.disease(name)) in vocabulary.representative:
            return vocabulary.representative[disease]
    return vocabulary.normalizer(candidate.a)
