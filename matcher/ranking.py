"""One term against a list, and every term of a list against every term of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import progress
from ..errors import InputError, NotUnderstood
from ..features.compute import prepare
from .batch import PAIRS_AT_ONCE, Batch, PairModel


@dataclass(frozen=True, slots=True)
class Ranked:
    """A term of a list against a query.

    Attributes
    ----------
    term : as it stands in the list. index : its place there, from 0.
    probability : that it matches the query. match : whether that reaches the threshold.
    relation : what the query is to the term ("same", "narrower", …); None where M tells no relations.
    """

    term: str
    probability: float
    match: bool
    relation: str | None
    index: int


def rank(model: PairModel, query: str, terms: Any, k: int | None, least: float, above: bool) -> list[Ranked]:
    """See `MatchFunction.rank`. least : a term matches from here. above : terms of a lower probability are left out."""
    from .terms import NOT_UNDERSTOOD, listed, read_terms

    names, (asked, known) = listed(model, query=[query], terms=read_terms(terms).texts)
    if (problem := asked.problems.get(0)) and asked.name[0] < 0:
        raise InputError(problem, column="query", allowed="a diagnosis in words", got=query)
    rows = np.flatnonzero(known.name >= 0)
    rows = rows[(known.name[rows] == asked.name[0]) | (known.understood[rows] & asked.understood[0])]
    if problem and not len(rows):
        raise NotUnderstood(query, problem.removeprefix(NOT_UNDERSTOOD))
    known.warn_of_unknown("terms")
    batch = Batch(model, names, np.full(len(rows), asked.name[0], np.int32), known.name[rows])
    found = batch.probability()
    best = np.argsort(-found, kind="stable")
    best = best[found[best] >= least if above else slice(None)][:k]
    kinds: Sequence[str | None] = [None] * len(best)
    if len(best) and model.trained.relation is not None:
        kinds = Batch(model, names, batch.a[best], batch.b[best]).relations().kinds
    return [
        Ranked(str(known.texts[row]), p, p >= least, kind, row)
        for kind, p, row in zip(kinds, found[best].tolist(), rows[best].tolist(), strict=True)
    ]


def matrix(model: PairModel, a_terms: Any, b_terms: Any) -> NDArray[np.float64]:
    """See `MatchFunction.matrix`."""
    from .terms import listed, read_terms

    names, (a, b) = listed(model, a_terms=read_terms(a_terms).texts, b_terms=read_terms(b_terms).texts)
    a.warn_of_unknown("a_terms")
    b.warn_of_unknown("b_terms")
    prepare(names, model.features)
    out = np.full((len(a), len(b)), np.nan)
    first, columns = np.unique(a.name[a.name >= 0]), np.flatnonzero(b.name >= 0)
    second, of_column = np.unique(b.name[columns], return_inverse=True)
    at_once = max(1, PAIRS_AT_ONCE // max(len(second), 1))
    blocks = [first[start : start + at_once] for start in range(0, len(first), at_once)]
    each_with_each = lambda some: (np.repeat(some, len(second)), np.tile(second, len(some)))  # noqa: E731
    model = model.with_votes(names, map(each_with_each, blocks))
    with progress.shown("Scoring pairs") as report:
        for number, some in enumerate(blocks, 1):
            found = model.probabilities(names, *each_with_each(some)).reshape(len(some), len(second))
            rows = np.flatnonzero(np.isin(a.name, some))
            out[np.ix_(rows, columns)] = found[np.ix_(np.searchsorted(some, a.name[rows]), of_column)]
            report(min(number * at_once, len(first)), len(first))
    # What is not understood is the same as its equals, and is judged with nothing else.
    judged = (a.understood[:, None] & b.understood) | (a.name[:, None] == b.name)
    out[~judged] = np.nan
    return out
