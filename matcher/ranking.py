"""One term against a list, and every term of a list against every term of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import progress
from ..errors import InputError, NotUnderstood, NotUnderstoodWarning, quoted, warn
from ..features.compute import prepare
from .batch import PAIRS_AT_ONCE, Batch, PairModel

if TYPE_CHECKING:
    from .terms import Listed


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
    same = known.name[rows] == asked.name[0]
    rows = rows[same | (known.understood[rows] & asked.understood[0])]
    if problem and not len(rows):
        raise NotUnderstood(query, problem.removeprefix(NOT_UNDERSTOOD))
    _warn_of_unknown(known, "terms")
    batch = Batch(model, names, np.full(len(rows), asked.name[0], np.int32), known.name[rows])
    found = batch.probability()
    best = np.argsort(-found, kind="stable")
    if above:
        best = best[found[best] >= least]
    best = best[:k]
    relations: list[str | None] = [None] * len(best)
    if len(best) and model.trained.parts.relation is not None:
        chosen = np.zeros(len(rows), bool)
        chosen[best] = True
        kinds = dict(zip(np.flatnonzero(chosen).tolist(), batch.take(chosen).relations().kinds, strict=True))
        relations = [kinds[i] for i in best.tolist()]
    return [
        Ranked(str(known.texts[int(rows[i])]), float(found[i]), bool(found[i] >= least), relation, int(rows[i]))
        for relation, i in zip(relations, best.tolist(), strict=True)
    ]


def matrix(model: PairModel, a_terms: Any, b_terms: Any) -> NDArray[np.float64]:
    """See `MatchFunction.matrix`."""
    from .terms import listed, read_terms

    names, (a, b) = listed(model, a_terms=read_terms(a_terms).texts, b_terms=read_terms(b_terms).texts)
    for side, of in (("a_terms", a), ("b_terms", b)):
        _warn_of_unknown(of, side)
    out = np.full((len(a), len(b)), np.nan)
    prepare(names, model.features)
    columns, place = np.unique(b.name, return_inverse=True)
    known = np.flatnonzero(columns >= 0)
    here, row_of = np.unique(a.name, return_inverse=True)
    at_once = max(1, PAIRS_AT_ONCE // max(len(known), 1))
    with progress.shown("Scoring pairs") as report:
        for start in range(0, len(here), at_once):
            some = here[start : start + at_once]
            block = np.full((len(some), len(columns)), np.nan)
            first, second = np.repeat(some[some >= 0], len(known)), np.tile(columns[known], int((some >= 0).sum()))
            found = model.probabilities(names, first.astype(np.int32), second.astype(np.int32))
            block[np.ix_(some >= 0, known)] = found.reshape(int((some >= 0).sum()), len(known))
            rows = np.flatnonzero((row_of >= start) & (row_of < start + at_once))
            out[rows] = block[np.ix_(row_of[rows] - start, place)]
            report(min(start + at_once, len(here)), len(here))
    equal = a.name[~a.understood, None] == b.name
    out[~a.understood] = np.where(equal, out[~a.understood], np.nan)
    equal = a.name[:, None] == b.name[~b.understood]
    out[:, ~b.understood] = np.where(equal, out[:, ~b.understood], np.nan)
    return out


def _warn_of_unknown(terms: Listed, name: str) -> None:
    """Warns, once, of terms that are not understood."""
    from .terms import NOT_UNDERSTOOD

    if unknown := terms.unknown:
        shown, reason = quoted(terms.texts[unknown[0]]), terms.problems[unknown[0]].removeprefix(NOT_UNDERSTOOD)
        warn(
            f"{len(unknown):,} of {len(terms):,} terms ({name}) are not understood; the first is {shown} ({reason}).",
            NotUnderstoodWarning,
        )
