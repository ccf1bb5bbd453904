"""Pairs of names, and what is compared of them.

Every comparison depends on the two names alone, so a pair alone has the value that it has in a batch.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .contrast import MAX_CONFLICTS
from .names import Index, Names
from .providers import once

Column = NDArray[np.float32]

DISEASE_COLUMNS = ("same", "line", "closeness", "lin", "certainty")


class Pairs:
    """m pairs of names, and what several columns read of them, computed once.

    Parameters
    ----------
    first, second : int32[m], places among the names; quickest where sorted, since what belongs to a name then comes from the
        processor's caches.
    """

    def __init__(self, names: Names, first: Index, second: Index) -> None:
        self.names, self.first, self.second = names, first, second
        self._made: dict[tuple[object, ...], object] = {}
        self._lock = threading.RLock()

    def filled(self, loop: str | Callable[..., None], *of_names: object, rows: int | None = None) -> Column:
        """float32[m], or float32[rows, m], as a loop, one of `kernels` by its name, fills it from what is known of the names."""
        from . import kernels  # imports numba

        out = np.empty(len(self.first) if rows is None else (rows, len(self.first)), np.float32)
        (getattr(kernels, loop) if isinstance(loop, str) else loop)(*of_names, self.first, self.second, out)
        return out

    def same(self, category: Index) -> Column:
        """1 where both names have one category, int32[u], else 0; NaN where one has none, -1."""
        a, b = category[self.first], category[self.second]
        return np.where((a < 0) | (b < 0), np.float32(np.nan), (a == b).astype(np.float32))

    @once
    def found(self, encoder: str) -> NDArray[np.float64]:
        """float64[2, m]: how well the words of the first are found in the second, and the reverse, from 0 to 1.

        The mean over the words of the one of the cosine to the nearest word of the other, after the greedy matching of BERTScore
        (Zhang et al. 2020, §3), over vectors of single words in place of words in context. The similarity of two words of one
        stem is 1; a cosine below 0 counts as 0.
        """
        from . import kernels

        out, words = np.empty((2, len(self.first))), self.names.words(encoder)
        kernels.found(*words, self.first, self.second, out[0])
        kernels.found(*words, self.second, self.first, out[1])
        return out

    @once
    def diseases(self, encoder: str) -> Column:
        """float32[6, m]: the `DISEASE_COLUMNS`, NaN where a name has no link, and the line with a sign, as in `directions`.

        A link of one name and a link of the other are as sure as the less sure of the two. same : of links to one disease the surest; the
        certainty that both are one. line : also of links to a disease and a kind of it; a class that is too broad counts for nothing.
        closeness : 1 / (1 + steps from the one to the other) by the surest of these links, by the closest of equally sure ones; 0 where there
        is none. lin : Lin's similarity (Lin 1998, §3) of the two nearest diseases. certainty : of the less certain link.
        """
        return self.filled("diseases", *self.names.diseases(encoder), rows=len(DISEASE_COLUMNS) + 1)

    @once
    def conflicts(self) -> Column:
        """float32[2, m]: the axes on which two names conflict, up to `MAX_CONFLICTS`, and 1 where one affirms what the other denies.

        NaN in a language without a table of contrasts.
        """
        if (attributes := self.names.attributes) is None:
            return np.full((2, len(self.first)), np.nan, np.float32)
        return self.filled("conflicts", *attributes, MAX_CONFLICTS, rows=2)

    def directions(self, source: str, encoder: str) -> Column:
        """float32[m, 5], the `DIRECTIONS`: what speaks for the first being a kind of the second; 0 where something is unknown.

        Every column is antisymmetric: turned round, a pair has the same numbers below zero.

        line : the certainty of the surest links, by which the second disease lies above the first in the graph; with a minus where it lies
        below, 0 where both are one disease, neither is above the other, the upper one is too broad, or links that are equally sure disagree.
        information : by how much the first disease says more (`DiseaseGraph.information`). covered : how well the words of the second are found
        in the first, less the reverse. length : logarithm of the number of words of the first over that of the second. icd : 1 where the ICD-10
        code of the second lies above that of the first, -1 where it lies below.

        Parameters
        ----------
        source, encoder : the ICD-10 and the encoder of the names' codes and diseases.
        """
        links, words, paths = (
            self.names.diseases(encoder),
            self.names.words(encoder),
            self.names.icd(source, encoder).paths,
        )
        nodes = links.nodes[[self.first, self.second], 0]
        says = np.where(nodes >= 0, links.information[nodes], 0)
        of_first, of_second = self.found(encoder)
        counts = np.log(np.diff(words.offsets))
        a, b = paths[self.first], paths[self.second]
        apart = ((a != b) & (a >= 0) & (b >= 0)).any(axis=1) | (a[:, 0] < 0) | (b[:, 0] < 0)
        return np.column_stack([
            self.diseases(encoder)[-1],
            np.where((nodes >= 0).all(axis=0), says[0] - says[1], 0),
            of_second - of_first,
            counts[self.first] - counts[self.second],
            np.where(apart, 0, np.sign((a >= 0).sum(axis=1) - (b >= 0).sum(axis=1))),
        ]).astype(np.float32)  # fmt: skip
