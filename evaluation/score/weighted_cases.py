"""Raters and single cases by both scores of Kernel29: the plane, its quadrants, best and worst; and on which side severities err."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...pages.rows import Row, known
from ...terms.icd.codes import hierarchy
from ..match.matches import Matches
from .chapters import chapter_label
from .scores import Values

QUADRANTS = ("semantic and severity", "semantic only", "severity only", "neither")
CHAPTER = "chapter of the reference"


def quadrants_of(severity: ArrayLike, semantic: ArrayLike) -> NDArray[np.int64]:
    """Finds the quadrants of the plane, as places in `QUADRANTS`; a score of 0 is not right."""
    return 2 * (np.asarray(semantic) <= 0) + (np.asarray(severity) <= 0)


def plane_rows(difficulty: str, rows: Sequence[Row]) -> list[Row]:
    """Puts both aggregated scores of a rater, with their intervals, and their quadrant into one row."""
    of = {(row["algorithm"], row["of"].partition(",")[0].lower()): row for row in rows}
    made: list[Row] = []
    for rater in dict.fromkeys(row["algorithm"] for row in rows):
        sides = {side: of[rater, side] for side in ("severity", "semantic")}
        values = [row["value"] for row in sides.values()]
        if None not in values:
            parts = {
                f"{side}{end}": row[key]
                for side, row in sides.items()
                for end, key in (("", "value"), ("_low", "low"), ("_high", "high"))
            }
            made.append(
                {"algorithm": rater, "difficulty": difficulty, **parts, "quadrant": QUADRANTS[quadrants_of(*values)]}
            )
    return made


def quadrant_rows(raters: Sequence[str], semantic: Values, severity: Values) -> list[Row]:
    """Counts the cases in which each rater is right (rescaled score above 0) by both scores, by one, by neither. Scores : [n, r]."""
    quadrant = np.where(np.isnan(semantic + severity), -1, quadrants_of(severity, semantic))
    return [
        {"algorithm": rater, "right_by": name, "n_cases": int((quadrant[:, i] == q).sum())}
        for i, rater in enumerate(raters)
        for q, name in enumerate(QUADRANTS)
    ]


def best_and_worst_rows(raters: Sequence[str], cases: Sequence[str], semantic: Values, severity: Values) -> list[Row]:
    """Finds each rater's cases with the highest, the middle and the lowest sum of both scores (4.3); of equals the first by name.

    Scores : [n, r], from 0 to 16; a case without one of them does not take part. Of two cases there is no middle one, of one no worst.
    """
    rows: list[Row] = []
    for i, rater in enumerate(raters):
        total = semantic[:, i] + severity[:, i]
        there = sorted(np.flatnonzero(~np.isnan(total)).tolist(), key=lambda at: (-total[at], cases[at]))
        middle = there[len(there) // 2 :][:1] if len(there) > 2 else []
        for place, chosen in (("best", there[:1]), ("middle", middle), ("worst", there[1:][-1:])):
            for at in chosen:
                both = {"Semantic": float(semantic[at, i]), "Severity": float(severity[at, i])}
                rows.append({"algorithm": rater, "place": place, "case_id": cases[at], **both})
    return rows


def error_rows(matches: Matches, reference: NDArray[np.int8], said: NDArray[np.int8], errors: Values) -> list[Row]:
    """Counts the diagnoses that are less, as and more severe than the reference, over all cases and in each group.

    reference : [n]. said : [n, r, 5]. errors : [n, r], `severity_errors` of the two.
    """
    rows: list[Row] = []
    sides = np.sign(said - reference[:, None, None])
    there = (said > 0) & (reference > 0)[:, None, None]
    for by, group, among in _groups(matches):
        for i, rater in enumerate(matches.answers.raters):
            own, of_cases = sides[among, i][there[among, i]], errors[among, i]
            if not len(own):
                continue
            n = int((~np.isnan(of_cases)).sum())
            shares = {name: float((own == side).mean()) for name, side in (("under", -1), ("same", 0), ("over", 1))}
            who = {"by": by, "group": group, "algorithm": rater, "n_cases": n, "n_diagnoses": len(own)}
            rows.append({**who, **shares, "mean_error": known(float(np.nanmean(of_cases))) if n else None})
    return rows


def _groups(matches: Matches) -> list[tuple[str, str, NDArray[np.bool_]]]:
    """Finds all cases, and those of each value of the columns of groups, and of each chapter of the references."""
    answers = matches.answers
    held: dict[str, list[set[str]]] = {
        by: [set() if value is None else {*value.split("|")} for value in values]
        for by, values in answers.references.groups.items()
    }
    if matches.codes is not None:
        tree = hierarchy(matches.codes.tree)
        of = tree.chapters[matches.codes.reference]
        label = {node: chapter_label(tree, node) for node in np.unique(of[of >= 0]).tolist()}
        held[CHAPTER] = [{label[node] for node in row if node >= 0} for row in of.tolist()]
    found = [("", "all cases", np.ones(len(answers.cases), bool))]
    for by, values in held.items():
        for group in sorted(set().union(*values)):
            found.append((by, group, np.array([group in of_case for of_case in values])))
    return found
