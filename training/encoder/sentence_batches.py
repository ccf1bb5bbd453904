"""Batches of names that are hard to tell apart: neighbours by a shared word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from .data import Names


def batches(names: Names, batch: int, neighbours: int, random: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """All pairs once, as [batch, 2] names in random direction; what does not fill a batch is left out.

    A batch is made of runs of `neighbours` pairs that stand beside each other when every pair is sorted by a word drawn
    from one of its names: most of a run share a site, a mechanism or a qualifier.
    """
    pairs = random.permuted(names.pairs[random.permutation(len(names.pairs))], axis=1)
    words = [names.texts[name].split() for name in pairs[:, 0].tolist()]
    drawn = [one[int(at * len(one))] for one, at in zip(words, random.random(len(words)).tolist(), strict=True)]
    pairs = pairs[np.argsort(np.array(drawn), kind="stable")]
    batch = min(batch, len(pairs))
    neighbours = min(neighbours, batch)
    runs = [pairs[start : start + neighbours] for start in range(0, len(pairs), neighbours)]
    pairs = np.concatenate([runs[run] for run in random.permutation(len(runs))])
    for start in range(0, len(pairs) - batch + 1, batch):
        yield pairs[start : start + batch]


def one_specifies_the_other(first: Sequence[str], second: Sequence[str]) -> NDArray[np.bool_]:
    """[len(first), len(second)]: whether all words of one name are among the other's, so that they are no mismatch."""
    number: dict[str, int] = {}
    rows = [np.unique([number.setdefault(word, len(number)) for word in text.split()]) for text in (*first, *second)]
    has = np.zeros((len(rows), len(number)), np.float32)
    for row, words in zip(has, rows, strict=True):
        row[words] = 1
    a, b = has[: len(first)], has[len(first) :]
    return a @ b.T == np.minimum(a.sum(1)[:, None], b.sum(1)[None, :])
