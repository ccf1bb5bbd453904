"""Single cases by both scores of Kernel29: best, middle and worst, quadrants; and on which side severities err."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row, known
from ..statistics.measure import Values

QUADRANTS = ("semantic and severity", "semantic only", "severity only", "neither")
PLACES = ("best", "middle", "worst")
Words = NDArray[np.integer]


def quadrant_of(severity: float, semantic: float) -> str:
    """Of the plane; a score of 0 is not right."""
    return QUADRANTS[2 * (semantic <= 0) + (severity <= 0)]


def quadrant_rows(raters: Sequence[str], semantic: Values, severity: Values) -> list[Row]:
    """In how many cases each rater is right (rescaled score above 0) by both scores, by one, by neither. Scores : [n, r], rescaled."""
    both = ~np.isnan(semantic) & ~np.isnan(severity)
    quadrant = 2 * (semantic <= 0) + (severity <= 0)
    return [
        {"algorithm": rater, "right_by": name, "n_cases": int((both[:, i] & (quadrant[:, i] == q)).sum())}
        for i, rater in enumerate(raters)
        for q, name in enumerate(QUADRANTS)
    ]


def best_and_worst_rows(raters: Sequence[str], cases: Sequence[str], semantic: Values, severity: Values) -> list[Row]:
    """Of each rater the cases with the highest, the middle and the lowest sum of both scores (4.3); of equals the first by name.

    Scores : [n, r], from 0 to 16; a case without one of them does not take part. Of two cases there is no middle one, of one no worst.
    """
    rows: list[Row] = []
    for i, rater in enumerate(raters):
        total = semantic[:, i] + severity[:, i]
        there = sorted(np.flatnonzero(~np.isnan(total)).tolist(), key=lambda at: (-total[at], cases[at]))
        chosen = {
            "best": there[:1],
            "middle": there[len(there) // 2 :][:1] if len(there) > 2 else [],
            "worst": there[1:][-1:],
        }
        for place in PLACES:
            for at in chosen[place]:
                scores = {"Semantic": float(semantic[at, i]), "Severity": float(severity[at, i])}
                rows.append({"algorithm": rater, "place": place, "case_id": cases[at], **scores})
    return rows  # fmt: skip


def severity_error_rows(
    raters: Sequence[str], reference: Words, said: Words, errors: Values, groups: Mapping[str, Sequence[str | None]]
) -> list[Row]:
    """How many diagnoses of the first five ranks are less, as and more severe than the reference, over all cases and in each group.

    reference : int [n]; said : int [n, r, 5]; both on the scale 1 to 5, 0 is unknown. errors : float64 [n, r], `severity_errors`.
    groups : the column's name -> its values in each case, several apart by "|"; a blank one is no group.
    """
    rows: list[Row] = []
    sides = np.sign(said.astype(int) - reference[:, None, None])
    there = (said > 0) & (reference > 0)[:, None, None]
    for by, group, among in _groups(len(reference), groups):
        for i, rater in enumerate(raters):
            own = sides[among, i][there[among, i]]
            if not len(own):
                continue
            of_cases = errors[among, i]
            shares = {name: float((own == side).mean()) for name, side in (("under", -1), ("same", 0), ("over", 1))}
            mean = known(float(np.nanmean(of_cases))) if not np.isnan(of_cases).all() else None
            n_cases = int((~np.isnan(of_cases)).sum())
            who = {"by": by, "group": group, "algorithm": rater, "n_cases": n_cases, "n_diagnoses": len(own)}
            rows.append({**who, **shares, "mean_error": mean})
    return rows


def _groups(n: int, groups: Mapping[str, Sequence[str | None]]) -> list[tuple[str, str, NDArray[np.bool_]]]:
    found = [("", "all cases", np.ones(n, bool))]
    for by, values in groups.items():
        held = [() if value is None else tuple(value.split("|")) for value in values]
        for group in sorted({one for values in held for one in values}):
            found.append((by, group, np.array([group in values for values in held])))
    return found
