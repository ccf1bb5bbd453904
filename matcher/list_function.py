"""The methods of a match function that take lists of terms."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from .policy import SPECIFICATION, policy_of
from .trained import threshold_of

if TYPE_CHECKING:
    from .linking.ranking import Ranked
    from .linking.scorer import Scorer

STRICT = "strict"


class ListFunction:
    """One term against a list, lists against each other, duplicates: what `linking/` makes of a match function."""

    def rank(self: Scorer, query: str, terms: Any, k: int | None = 5, threshold: float | None = None) -> list[Ranked]:
        """The terms of a list that match `query` best, best first.

        The list is prepared at each call, some 15 seconds for 50,000 terms: for many queries, `link(queries, terms, k, threshold=0)`
        prepares it once.

        Parameters
        ----------
        query : a diagnosis.
        terms : a list or column of texts, or a table with one, as of `link`. What is None, NaN, blank or no diagnosis is skipped, as in
            `rapidfuzz.process.extract`; so is, with a warning, what is no text or not understood. A term that stands twice comes twice.
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
            For a query that is blank or no text, and a list in which nothing is a text.

        >>> dxmatch.load().rank("heart attack", ["gout", "MI", "angina"], k=1)  # doctest: +SKIP
        [Ranked(term='MI', probability=1.0, match=True, relation='same', index=1)]
        """
        from .linking.ranking import rank

        return rank(self, query, terms, k, threshold)

    def matrix(
        self: Scorer,
        a_terms: Any,
        b_terms: Any,
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> NDArray[np.float64]:
        """The probability of every term of one list with every term of another, as `rapidfuzz.process.cdist` gives its scores.

        Computed once for different names, in blocks, so that little more memory is taken than the result's 8 bytes a pair.

        Parameters
        ----------
        a_terms, b_terms : lists or columns of texts, or tables with one, as of `link`.

        Returns
        -------
        float64[n_a, n_b], bit-identical to `probabilities`; NaN where a term is missing, blank or, with a `ReadingWarning`, no text, or, with a
        `NotUnderstoodWarning`, not understood.

        Raises
        ------
        InputError
            For a list in which nothing is a text.
        """
        from .linking.ranking import matrix

        return matrix(self, a_terms, b_terms, progress)

    def link(
        self: Scorer,
        a_terms: Any,
        b_terms: Any,
        k: int | None = 1,
        *,
        a: str | None = None,
        b: str | None = None,
        threshold: float | None = None,
        candidates: int = 50,
        relation: bool = False,
        encoding: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Any:
        """For each term of one list the terms of another that match it best.

        M judges, for each term, the candidates of the other list: those that are equal after normalisation, the nearest by the vectors of
        the model's encoder (FAISS), and the nearest among those of its disease, of what that is a kind of, and of its kinds, in the
        graph of diseases. What is no candidate is not judged: docs/linking.md says how much that loses.

        Parameters
        ----------
        a_terms, b_terms : lists or columns of texts (any iterable, series or array), of which some may be missing or, with a
            `ReadingWarning`, no text; or tables, as `score` takes them. `a_terms` is the side of the reference, where the policy has sides.
        k : at most so many links for each term; None for all that are found, with a warning where more may be there than the candidates.
        a, b : the columns of the terms, where tables come; by default "diagnosis", "term", "name", … or the only one.
        threshold : the least probability of a link; M's own threshold if not given.
        candidates : how many are looked at, by vectors and by the graph (the disease; its kin) each. Who wants all matching pairs of long
            lists, and not the best, takes it much higher.
        relation : adds what `a` is to `b`, as `relations` gives it.
        encoding : of a text file that is not UTF-8.

        Returns
        -------
        A frame of the kind that `a_terms` is (of lists, pandas where it is installed, else an Arrow table; of a file, an Arrow table; in
        pandas, each row with its term's index), in the order of `a_terms`, a row for each link, best first, and a row for each term without any: a, b (null), probability, match,
        relation, index_a, index_b (rows from 0), note (why there is no link: "no match; the nearest is …", "not understood: …", "diagnosis is
        blank"), and the other columns of both tables, `a_…` and `b_…`. Of equal probability, what is written the same goes first, then
        the first in its list.

        Raises
        ------
        InputError
            For a list that is empty or without a text, a table without the column, or a model whose votes are not known for the candidates.
        ModelError
            For a model without an encoder of its own.
        """
        from .linking.link import link

        made = link(
            self, a_terms, b_terms, k, a=a, b=b, threshold=threshold, candidates=candidates, relation=relation, encoding=encoding,
            progress=progress,
        )  # fmt: skip
        for note in (made.read.table.note, made.read_b.table.note, made.limited):
            if note:
                warnings.warn(note, stacklevel=2)
        return made.read.native(made.table, made.table["index_a"].to_numpy())

    def dedupe(
        self,
        terms: Any,
        *,
        column: str | None = None,
        threshold: float | None = None,
        policy: str | None = None,
        candidates: int = 50,
        encoding: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Any:
        """The terms of a list in clusters, each the names of one disease.

        M is not transitive: that a matches b, and b matches c, says nothing of a and c. So terms are joined by complete linkage (Sørensen
        1948), the likeliest pair first: **every two different names in a cluster match by M itself.** Two names of one disease may still
        stand in two clusters, where a third matches one of them alone, or where they were no candidates of each other (see `link`).

        Parameters
        ----------
        terms : a list or column of texts, or a table, as of `link`.
        column : the column of the terms in a table; by default "diagnosis", "term", "name", … or the only one.
        threshold : the least probability of a match; the policy's own threshold if not given.
        policy : what counts as a match: "strict" (the same disease) or "specification" (one may specify the other). By default "strict", where
            the model tells relations and was loaded with no other policy; else the model's own.
        candidates, encoding : as of `link`.

        Returns
        -------
        A frame of the kind that came, as from `link`, in the order of the terms: term, index (from 0), cluster (from 1, in order of first
        appearance; null for what is blank), size (terms in the cluster), representative (its commonest name; of equally common ones, the
        one that matches another best), joined_with (which other it matches best), probability (that it does), why, note ("blank", "not
        understood: …": such a term is in a cluster with none but its equals), and the other columns of the table.

        Raises
        ------
        InputError
            As of `link`.
        OptionError
            For a policy that has sides.
        ModelError
            For a model without an encoder of its own, or without the policy.
        """
        from .linking.dedupe import dedupe

        m: Any = under(self, policy)
        made = dedupe(
            m, terms, column=column, threshold=threshold, candidates=candidates, encoding=encoding, progress=progress
        )
        if made.read.table.note:
            warnings.warn(made.read.table.note, stacklevel=2)
        return made.read.native(made.table, np.arange(made.terms))


def under(m: Any, policy: str | None) -> Any:
    """The match function `m` under a policy that has no sides: the one of that name, or for None that of `ListFunction.dedupe`."""
    by_default: str = STRICT if m.policy == SPECIFICATION and m.has_relation_model else m.policy
    chosen = policy_of(policy or by_default)
    if not chosen.symmetric:
        raise OptionError(
            "policy", "one without sides, specification or strict: of duplicates none is the reference", chosen.name
        )
    if chosen.name == m.policy:
        return m
    other = object.__new__(type(m))
    other.__dict__.update(m.__dict__)
    other._policy, other.threshold = chosen, threshold_of(m.parts, chosen)
    return other
