"""The methods of a match function that take lists of terms."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..files.reading import Reading
from ..options import Between, Serves, Table, checked
from .linking.candidates import CANDIDATES
from .linking.scorer import Ranked, Scorer
from .policy import POLICIES, SPECIFICATION, PolicyName
from .trained import threshold_of

STRICT = "strict"


class ListFunction:
    """One term against a list, lists against each other, duplicates: what `linking/` makes of a match function."""

    @checked
    def rank(
        self: Scorer,
        query: str,
        terms: Table,
        k: Annotated[int, Between(1)] | None = 5,
        threshold: Annotated[float, Between(0, 1)] | None = None,
    ) -> list[Ranked]:
        """The terms of a list that match `query` best, best first.

        The list is prepared at each call, some 15 seconds for 50,000 terms: for many queries, `link(queries, terms, k, threshold=0)`
        prepares it once.

        Parameters
        ----------
        query
            A diagnosis.
        terms
            A list or column of texts, or a table with one, as of `link`. What is None, NaN, blank or no diagnosis is skipped, as in
            `rapidfuzz.process.extract`; so is, with a warning, what is no text or not understood. A term that stands twice comes twice.
        k
            At most so many; None for all.
        threshold
            Terms of a lower probability are left out (rapidfuzz' `score_cutoff`), and `match` is by it; by default none
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

    @checked
    def matrix(self: Scorer, a_terms: Table, b_terms: Table) -> NDArray[np.float64]:
        """The probability of every term of one list with every term of another, as `rapidfuzz.process.cdist` gives its scores.

        Computed once for different names, in blocks, so that little more memory is taken than the result's 8 bytes a pair.

        Parameters
        ----------
        a_terms, b_terms
            Lists or columns of texts, or tables with one, as of `link`.

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

        return matrix(self, a_terms, b_terms)

    @checked
    def link(
        self: Scorer,
        a_terms: Table,
        b_terms: Table,
        k: Annotated[int, Between(1)] | None = 1,
        *,
        a: str | None = None,
        b: str | None = None,
        threshold: Annotated[float, Between(0, 1)] | None = None,
        candidates: Annotated[int, Between(1)] = CANDIDATES,
        add: Sequence[Literal["relation", "reasons"]] = (),
        reading: Annotated[Reading, Serves("encoding")] = Reading(),
    ) -> Any:
        """For each term of one list the terms of another that match it best.

        M judges, for each term, the candidates of the other list: those that are equal after normalisation, the nearest by the vectors of
        the model's encoder (FAISS), and the nearest among those of its disease, of what that is a kind of, and of its kinds, in the
        graph of diseases. What is no candidate is not judged: docs/linking.md says how much that loses.

        Parameters
        ----------
        a_terms, b_terms
            Lists or columns of texts (any iterable, series or array), of which some may be missing or, with a
            `ReadingWarning`, no text; or tables, as `score` takes them. `a_terms` is the side of the reference, where the policy has sides.
        k
            At most so many links for each term. None gives all that are found, with a warning where more may be there than the candidates.
        a, b
            The columns of the terms, where tables come; by default "diagnosis", "term", "name", … or the only one.
        threshold
            The least probability of a link; M's own threshold if not given.
        candidates
            How many are looked at, by vectors and by the graph (the disease; its kin) each. Who wants all matching pairs of long
            lists, and not the best, takes it much higher.
        add
            Further columns: "relation", what `a` is to `b`; "reasons", `why`, the reason in a sentence, null where nothing says it.
        reading : Reading
            The encoding of text files.

        Returns
        -------
        A frame of the kind that `a_terms` is (of lists, pandas where it is installed, else an Arrow table; of a file, an Arrow table; in
        pandas, each row with its term's index), in the order of `a_terms`, a row for each link, best first, and a row for each term without any: a, b (null), probability, match,
        relation and why (where asked for), index_a, index_b (rows from 0), note (why there is no link: "no match; the nearest is …", "not understood: …", "diagnosis is
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
            self, a_terms, b_terms, k, a=a, b=b, threshold=threshold, candidates=candidates, add=add, reading=reading
        )
        for note in (made.read.table.note, made.read_b.table.note, made.limited):
            if note:
                warnings.warn(note, stacklevel=3)
        return made.read.native(made.table, made.table["index_a"].to_numpy())

    @checked
    def dedupe(
        self,
        terms: Table,
        *,
        column: str | None = None,
        threshold: Annotated[float, Between(0, 1)] | None = None,
        policy: PolicyName | None = None,
        candidates: Annotated[int, Between(1)] = CANDIDATES,
        reading: Annotated[Reading, Serves("encoding")] = Reading(),
    ) -> Any:
        """The terms of a list in clusters, each the names of one disease.

        M is not transitive: that a matches b, and b matches c, says nothing of a and c. So terms are joined by complete linkage (Sørensen
        1948), the likeliest pair first: **every two different names in a cluster match by M itself.** Two names of one disease may still
        stand in two clusters, where a third matches one of them alone, or where they were no candidates of each other (see `link`).

        Parameters
        ----------
        terms
            A list or column of texts, or a table, as of `link`.
        column
            The column of the terms in a table; by default "diagnosis", "term", "name", … or the only one.
        threshold
            The least probability of a match; the policy's own threshold if not given.
        policy
            What counts as a match: "strict" (the same disease) or "specification" (one may specify the other). By default "strict", where
            the model tells relations and was loaded with no other policy; else the model's own.
        candidates, reading
            As of `link`.

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
        made = dedupe(m, terms, column=column, threshold=threshold, candidates=candidates, reading=reading)
        if made.read.table.note:
            warnings.warn(made.read.table.note, stacklevel=3)
        return made.read.native(made.table, np.arange(made.terms))


def under(m: Any, policy: PolicyName | None) -> Any:
    """The match function `m` under a policy that has no sides: the one of that name, or for None that of `ListFunction.dedupe`."""
    by_default: str = STRICT if m.policy == SPECIFICATION and m.has_relation_model else m.policy
    chosen = POLICIES[policy or by_default]
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
