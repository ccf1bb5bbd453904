"""The methods of a match function that take lists of terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .linking.ranking import Ranked
    from .linking.scorer import Scorer


class ListFunction:
    """One term against a list, lists against each other, duplicates: what `linking/` makes of a match function."""

    def rank(
        self: Scorer, query: str, terms: Iterable[str | None], k: int | None = 5, threshold: float | None = None
    ) -> list[Ranked]:
        """The terms of a list that match `query` best, best first.

        Parameters
        ----------
        query : a diagnosis.
        terms : a list or column of texts. What is None, NaN, blank or no diagnosis is skipped, as in `rapidfuzz.process.extract`; what
            is not understood, too, with a `NotUnderstoodWarning`. A term that stands twice comes twice.
        k : at most so many; None for all.
        threshold : terms of a lower probability are left out (rapidfuzz' `score_cutoff`), and `match` is by it; by default none
            is left out, and `match` is by M's own threshold.

        Returns
        -------
        A list of (term, probability, match, relation, index); of equal probability the first in the list goes first. The relation is
        that of the query to the term.

        Raises
        ------
        NotUnderstood
            Where the query is not understood and no term is the same.
        InputError
            For a query that is blank or no text, and a term that is neither a text nor missing.

        >>> dxmatch.load().rank("heart attack", ["gout", "MI", "angina"], k=1)  # doctest: +SKIP
        [Ranked(term='MI', probability=1.0, match=True, relation='same', index=1)]
        """
        from .linking.ranking import rank

        return rank(self, query, terms, k, threshold)

    def matrix(
        self: Scorer,
        a_terms: Iterable[str | None],
        b_terms: Iterable[str | None],
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> NDArray[np.float64]:
        """The probability of every term of one list with every term of another, as `rapidfuzz.process.cdist` gives its scores.

        Computed once for different names, in blocks, so that little more memory is taken than the result's 8 bytes a pair.

        Parameters
        ----------
        a_terms, b_terms : lists or columns of texts.

        Returns
        -------
        float64[n_a, n_b], bit-identical to `probabilities`; NaN where a term is missing, blank or, with a `NotUnderstoodWarning`, not
        understood.

        Raises
        ------
        InputError
            For a term that is neither a text nor missing.
        """
        from .linking.ranking import matrix

        return matrix(self, a_terms, b_terms, progress)
