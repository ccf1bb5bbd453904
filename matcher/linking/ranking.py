"""One term against a list, and every term of a list against every term of another."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import progress
from ...errors import InputError, NotUnderstood, NotUnderstoodWarning, quoted
from .listed import NOT_UNDERSTOOD, Listed, listed
from .scorer import PAIRS_AT_ONCE, NamedPairs, Ranked, Scorer
from .tables import as_list


def rank(m: Scorer, query: str, terms: Any, k: int | None = 5, threshold: float | None = None) -> list[Ranked]:
    """See `MatchFunction.rank`."""
    least = m.threshold_or(threshold)
    names, (asked, known) = listed(m, [query], as_list(terms, "terms"), sides=("query", "terms"))
    if (problem := asked.problems.get(0)) and asked.name[0] < 0:
        raise InputError(problem, column="query", allowed="a diagnosis in words", got=query)
    rows = np.flatnonzero(known.name >= 0)
    same = known.name[rows] == asked.name[0]
    rows = rows[same | (known.understood[rows] & asked.understood[0])]
    if problem and not len(rows):
        raise NotUnderstood(query, problem.removeprefix(NOT_UNDERSTOOD))
    warn_of_unknown(known, "terms")
    different, place = np.unique(known.name[rows], return_inverse=True)
    pairs = NamedPairs(m, names)
    found = pairs.probabilities(np.full(len(different), asked.name[0], np.int32), different.astype(np.int32))[place]
    best = np.argsort(-found, kind="stable")
    if threshold is not None:
        best = best[found[best] >= threshold]
    best = best[:k]
    chosen = [known.texts[row] for row in rows[best].tolist()]
    relations = (
        m.relations([query] * len(chosen), chosen).kinds if chosen and m.has_relation_model else [None] * len(chosen)
    )
    return [
        Ranked(term, float(found[i]), bool(found[i] >= least), relation, int(rows[i]))
        for term, relation, i in zip(chosen, relations, best.tolist(), strict=True)
    ]


def matrix(m: Scorer, a_terms: Any, b_terms: Any) -> NDArray[np.float64]:
    """See `MatchFunction.matrix`."""
    sides = "a_terms", "b_terms"
    names, (a, b) = listed(m, as_list(a_terms, sides[0]), as_list(b_terms, sides[1]), sides=sides)
    for side, of in zip(sides, (a, b), strict=True):
        warn_of_unknown(of, side)
    out = np.full((len(a), len(b)), np.nan)
    if not len(names):
        return out
    pairs = NamedPairs(m, names)
    columns, place = np.unique(b.name, return_inverse=True)
    known = np.flatnonzero(columns >= 0)
    rows_of: dict[int, list[int]] = {}
    for row in np.flatnonzero(a.name >= 0).tolist():
        rows_of.setdefault(int(a.name[row]), []).append(row)
    here = list(rows_of)
    at_once = max(1, PAIRS_AT_ONCE // max(len(known), 1))
    of_columns = np.full((min(at_once, len(here)), len(columns)), np.nan)
    with progress.shown("Scoring pairs") as report:
        for start in range(0, len(here), at_once):
            some = np.array(here[start : start + at_once], np.int32)
            first, second = np.repeat(some, len(known)), np.tile(columns[known], len(some)).astype(np.int32)
            of_columns[: len(some), known] = pairs.probabilities(first, second).reshape(len(some), len(known))
            for i, name in enumerate(some.tolist()):
                out[rows_of[name]] = of_columns[i, place]
            report(min(start + at_once, len(here)), len(here))
    equal = a.name[~a.understood, None] == b.name
    out[~a.understood] = np.where(equal, out[~a.understood], np.nan)
    equal = a.name[:, None] == b.name[~b.understood]
    out[:, ~b.understood] = np.where(equal, out[:, ~b.understood], np.nan)
    return out


def warn_of_unknown(terms: Listed, name: str, level: int = 5) -> None:
    """Warns, once, of terms that are not understood."""
    unknown = [row for row, problem in terms.problems.items() if problem.startswith(NOT_UNDERSTOOD)]
    if unknown:
        shown = quoted(terms.texts[unknown[0]])
        reason = terms.problems[unknown[0]].removeprefix(NOT_UNDERSTOOD)
        warnings.warn(
            f"{len(unknown):,} of {len(terms):,} terms ({name}) are not understood; the first is {shown} ({reason}).",
            NotUnderstoodWarning,
            stacklevel=level,
        )
