"""What a batch of the static encoder's training holds: pairs of names, contrasts, and which of them may be one disease."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .encoder_batches import BucketLists, neighbours_together
from .encoder_data import Names
from .encoder_table import BucketTable
from .encoder_variants import Variants

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_NEGATIONS = frozenset(("non", "not", "no", "without"))
_AT_ONCE = 8192


class Batch(NamedTuple):
    """n pairs and c contrasts.

    Attributes
    ----------
    texts : [2 n + c]: first names, second names, contrasts.
    alike : bool[2, n, n + c]: first names beside second names and contrasts; second names beside first names and contrasts.
        True where both are of one disease, or one may be a kind of the other: such a text is no wrong answer. The right
        answers, on the diagonal, are False.
    """

    texts: NDArray[np.int64]
    alike: NDArray[np.bool_]


class Examples:
    """Names, names in other words and contrasts, numbered in this order, and what is drawn of them.

    Parameters
    ----------
    alone, reworded : names that are drawn to themselves, and to themselves in other words, per epoch.
    contrasts : the most per batch.
    together : see `neighbours_together`.
    """

    def __init__(
        self, names: Names, variants: Variants, *, alone: int, reworded: int, contrasts: int, together: int
    ) -> None:
        self.texts = [*names.texts, *variants.reworded, *variants.contrasts]
        of_name = dict(zip(names.texts, names.disease.tolist(), strict=True))
        of_contrasts = np.array([of_name.get(text, -1) for text in variants.contrasts], np.int64)
        self._disease = np.concatenate([names.disease, names.disease[variants.reworded_of], of_contrasts])
        self._words, self._negated = _words(self.texts)
        self._names, self._pairs = len(names.texts), names.pairs
        self.drawn = self._names + len(variants.reworded)
        self._reworded = np.stack([variants.reworded_of, np.arange(self._names, self.drawn)], axis=1)
        self._contrast_starts = self.drawn + variants.starts
        self._alone, self._other_words = alone, min(reworded, len(variants.reworded))
        self._contrasts, self._together = contrasts, together
        self.per_epoch = len(self._pairs) + self._alone + self._other_words

    def batches(
        self, size: int, lists: BucketLists, table: BucketTable, random: np.random.Generator
    ) -> Iterator[Batch]:
        """Whole batches of one epoch, neighbours by the table together; what is left over waits for the next epoch."""
        alone = random.choice(self._names, self._alone, replace=False)
        other_words = random.choice(len(self._reworded), self._other_words, replace=False)
        drawn = [self._pairs, np.stack([alone, alone], axis=1), self._reworded[other_words]]
        pairs = random.permuted(random.permutation(np.concatenate(drawn)), axis=1)
        if self._together > 1:
            pairs = pairs[neighbours_together(_vectors(pairs[:, 0], lists, table, random), self._together, random)]
        for start in range(0, len(pairs) - size + 1, size):
            first, second = pairs[start : start + size].T
            contrasts = self._draw_contrasts(np.unique([first, second]), random)
            alike = [self.alike(a, np.concatenate([b, contrasts])) for a, b in ((first, second), (second, first))]
            for one in alike:
                np.fill_diagonal(one, False)
            yield Batch(np.concatenate([first, second, contrasts]), np.stack(alike))

    def alike(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.bool_]:
        """[rows, columns]: whether two texts are of one disease, or one may be a kind of the other.

        The name of a kind has all words of the other: "acute bronchitis" and "bronchitis", but not "non-Hodgkin lymphoma"
        and "Hodgkin lymphoma".
        """
        words, others = self._words[rows], self._words[columns]
        fewer = np.minimum(words.sum(axis=1)[:, None], others.sum(axis=1)[None, :])
        kind = (words @ others.T).toarray() == fewer
        kind &= self._negated[rows][:, None] == self._negated[columns][None, :]
        return kind | (self._disease[rows][:, None] == self._disease[columns][None, :])

    def _draw_contrasts(self, texts: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int64]:
        """One contrast of each name that has any, of as many names as there may be."""
        names = texts[texts < self._names]
        first, counts = self._contrast_starts[names], self._contrast_starts[names + 1] - self._contrast_starts[names]
        chosen = random.permutation(np.flatnonzero(counts))[: self._contrasts]
        return first[chosen] + random.integers(counts[chosen])


def _vectors(
    texts: NDArray[np.int64], lists: BucketLists, table: BucketTable, random: np.random.Generator
) -> NDArray[np.float32]:
    """Unit vectors of whole texts."""
    parts = [texts[start : start + _AT_ONCE] for start in range(0, len(texts), _AT_ONCE)]
    vectors = np.concatenate([table.sums(*lists.take(part, 0, random)) for part in parts])
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _words(texts: Sequence[str]) -> tuple[csr_array, NDArray[np.bool_]]:
    """[texts, words] of 0 and 1, and whether a text has a word that negates."""
    from scipy.sparse import csr_array

    number: dict[str, int] = {}
    words = [set(text.split()) for text in texts]
    columns = [number.setdefault(word, len(number)) for found in words for word in found]
    starts = np.cumsum([0, *map(len, words)])
    matrix = csr_array((np.ones(len(columns), np.int32), columns, starts), shape=(len(texts), len(number)))
    return matrix, np.array([not _NEGATIONS.isdisjoint(found) for found in words], np.bool_)
