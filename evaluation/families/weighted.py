"""Semantic and severity scores of each rater's lists, from the columns relation and severity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ..lists.lists import Cell, Lists, looked_up
from ..metrics import REGISTRY
from ..metrics.weighted import (
    BEST,
    FARTHEST,
    RANKS,
    RELATIONS,
    SETTINGS,
    case_weights_of,
    check_best,
    degree,
    rescaled,
    scores,
    severity_degree,
    severity_distances,
    severity_errors,
)
from ..statistics.estimates import estimates, table_rows
from ..statistics.measure import Measure, Values, ratio
from ..statistics.section import Context, Section, spread_over
from .chapters import chapters_of_cases
from .weighted_cases import best_and_worst_rows, quadrant_of, quadrant_rows, severity_error_rows

NAME, TITLE = "weighted", "Semantic and severity scores"
CHECKS: dict[str, Callable[[str], object]] = {
    "relation": lambda word: degree(word, RELATIONS),
    "severity": severity_degree,
}
"""Column -> what raises `InputError` for a word outside its scale."""
_BLANK = -1
_ENDS = (("", "value"), ("_low", "low"), ("_high", "high"))
CHAPTER = "chapter of the reference"


def missing(lists: Lists, context: Context) -> str | None:
    """The column without which neither score can be computed."""
    if _has_relation(lists) or _has_severity(lists):
        return None
    severity = "severity with the reference's severity (in its rows, or in the column reference_severity)"
    return f"the column relation, or {severity}"


def _has_relation(lists: Lists) -> bool:
    return bool(lists.cells("relation", RANKS)[1])


def _has_severity(lists: Lists) -> bool:
    reference = any(cell.value for cells in lists.reference_more.get("severity", []) for cell in cells)
    return reference and bool(lists.cells("severity", RANKS)[1])


@dataclass(frozen=True)
class _Score:
    """One of the two scores.

    values : float64 [n, r], from 0 to 16; NaN where undefined. why : for raters without any.
    best : the score that is rescaled to 1.
    blank : bool [n, r], lists that have no score because the relation of a diagnosis is not known.
    said, reference, errors : of severity: int8 [n, r, 5] and [n], 0 is unknown, and `severity_errors` of the two.
    """

    metric: str
    values: Values
    why: str
    best: float = BEST
    blank: NDArray[np.bool_] | None = None
    said: NDArray[np.int8] | None = None
    reference: NDArray[np.int8] | None = None
    errors: Values | None = None

    @property
    def rescaled(self) -> Values:
        """From -1 up; above 1 where a score lies above `best`."""
        return rescaled(self.values, self.best)


def compute(lists: Lists, context: Context) -> Section:
    """Every rater that is not the reference is judged, on the first five ranks, as in the source.

    Tables, where both scores are there: plane (both scores of each rater, aggregated under `context.difficulty`, and their quadrant),
    quadrants (in how many cases), best_and_worst (cases by the sum of both scores); with severities severity_errors (how many diagnoses
    are less and more severe than the reference, over all cases, by each column of groups, and by chapter of the reference where codes
    were found).

    Raises
    ------
    InputError
        For a word outside its scale.
    """
    notes = [f"These scores take the first {RANKS} ranks, whatever k is."]
    found = []
    if _has_relation(lists):
        found.append(_semantic(lists, check_best(context.semantic_best)))
        if context.semantic_best != BEST:
            over = int((found[0].rescaled > 1).sum())
            notes.append(
                f"Semantic scores are rescaled by {context.semantic_best:g}, as asked, and not by {BEST}, the best score: {over:,} lists lie "
                "above 1, and weigh as 1."
            )
    doubtful: list[str] = []
    if _has_severity(lists):
        found.append(_severity(lists, doubtful))
    everyone = np.arange(len(lists.cases))
    of_scores = [estimates(_measures(score, lists.raters, everyone), lists.cases, context) for score in found]
    rows = [row for values in of_scores for row in table_rows(values, context)]
    errors = next((one for one in found if one.errors is not None), None)
    per_case = {REGISTRY[one.metric].printed(): spread_over(one.values, everyone, len(lists.cases)) for one in found}
    if errors is not None and errors.errors is not None:
        per_case[REGISTRY["severity_error"].printed()] = spread_over(errors.errors, everyone, len(lists.cases))
    return Section(
        NAME,
        TITLE,
        rows=rows,
        tables=(_both_tables(lists, found, rows, context) if len(found) == 2 else {})
        | _error_tables(lists, errors, context),
        per_case=per_case,
        words=_words(rows),
        notes=notes,
        warnings=[*_warnings(lists, found), *doubtful],
        estimates=[value for values in of_scores for value in values],
        list_in_words=lambda case, rater: _list_in_words(lists, case, rater),
    )


def _both_tables(lists: Lists, found: Sequence[_Score], rows: Sequence[Row], context: Context) -> dict[str, list[Row]]:
    semantic, severity = found
    return {
        "plane": _plane_rows(rows, context.difficulty),
        "quadrants": quadrant_rows(lists.raters, semantic.rescaled, severity.rescaled),
        "best_and_worst": best_and_worst_rows(lists.raters, lists.cases, semantic.values, severity.values),
    }


def _plane_rows(rows: Sequence[Row], difficulty: str) -> list[Row]:
    """Severity and semantic score of each rater, aggregated, each with its interval, and the quadrant that they fall in."""
    of = {(row["algorithm"], row["of"]): row for row in rows if row["metric"] == REGISTRY["aggregated"].symbol}
    told: list[Row] = []
    for rater in dict.fromkeys(row["algorithm"] for row in rows):
        sides = {side: of[rater, f"{side.capitalize()}, {difficulty}"] for side in ("severity", "semantic")}
        values = [row["value"] for row in sides.values()]
        if None in values:
            continue
        parts = {f"{side}{end}": row[key] for side, row in sides.items() for end, key in _ENDS}
        told.append({"algorithm": rater, "difficulty": difficulty, **parts, "quadrant": quadrant_of(*values)})
    return told


def _error_tables(lists: Lists, severity: _Score | None, context: Context) -> dict[str, list[Row]]:
    if severity is None or severity.errors is None or severity.said is None or severity.reference is None:
        return {}
    groups = dict(lists.groups)
    if (chapters := chapters_of_cases(context)) is not None:
        groups[CHAPTER] = chapters
    rows = severity_error_rows(lists.raters, severity.reference, severity.said, severity.errors, groups)
    return {"severity_errors": rows} if rows else {}


def _list_in_words(lists: Lists, case: int, rater: int) -> tuple[str, str]:
    """The reference with its severity, and the first diagnoses of a list with severity and relation."""
    severity = next(iter(lists.reference_more.get("severity", [()] * len(lists.cases))[case]), None)
    golden = "; ".join(lists.reference[case]) + (f" ({severity.value})" if severity and severity.value else "")
    start, length = int(lists.offsets[case, rater]), int(lists.lengths[case, rater])
    said = []
    for rank, at in enumerate(range(start, start + min(length, RANKS)), 1):
        entry = int(lists.entries[at])
        name = "no diagnosis" if entry < 0 else lists.strings[entry]
        more = [
            str(lists.more[column][at])
            for column in ("severity", "relation")
            if lists.more.get(column, {}) and lists.more[column][at]
        ]
        said.append(f"{rank} {name}" + (f" ({', '.join(more)})" if more else ""))
    return golden, "; ".join(said)  # fmt: skip


def _semantic(lists: Lists, best: float) -> _Score:
    relation = _degrees(lists, "relation", lambda word, place: degree(word, RELATIONS, **place))
    at, top = lists.places(RANKS), lists.top(RANKS)
    # a word for no diagnosis keeps its rank and is related to nothing
    distances = np.where(top >= 0, looked_up(relation, at), np.where(at >= 0, FARTHEST, 0))
    unrated = distances == _BLANK
    values = scores(np.maximum(distances, 0))
    blank = unrated.any(-1)
    values[blank] = np.nan
    return _Score("semantic_score", values, "a relation is blank in every list", best, blank)


def _severity(lists: Lists, doubtful: list[str]) -> _Score:
    """The score; `doubtful` is told which severities are not known, which lowers it or leaves cases out."""
    said = _degrees(lists, "severity", lambda word, place: severity_degree(word, **place))
    at, top = lists.places(RANKS), lists.top(RANKS)
    known = np.where(top >= 0, np.maximum(looked_up(said, at), 0), 0)
    reference = _reference_severity(lists.reference_more["severity"], lists.source)
    values = scores(np.where(at >= 0, severity_distances(reference[:, None, None], known), 0))
    values[reference == 0] = np.nan
    if count := int((reference == 0).sum()):
        doubtful.append(
            f"{count:,} of {len(reference):,} cases have no severity of the reference, so no severity score."
        )
    silent = np.flatnonzero((known == 0).all(axis=(0, 2)))
    values[:, silent] = np.nan
    unknown = ((known == 0) & (top >= 0)).sum((0, 2))
    of = [f"{rater} {int(unknown[i]):,}" for i, rater in enumerate(lists.raters) if unknown[i] and i not in silent]
    if of:
        doubtful.append(
            f"Diagnoses without a known severity: {', '.join(of)}. By the score's source each counts as the furthest, D = {FARTHEST}."
        )
    errors = severity_errors(np.broadcast_to(reference[:, None], known.shape[:2]), known)
    why = "no severity is given in any list"
    return _Score("severity_score", values, why, said=known.astype(np.int8), reference=reference, errors=errors)


def _degrees(lists: Lists, column: str, read: Callable[[str, Mapping[str, object]], int]) -> NDArray[np.int8]:
    """int8, in the order of `entries`: the number of each word, -1 for a blank."""
    codes, words = lists.cells(column, RANKS)
    numbers = np.full(len(words) + 1, _BLANK, np.int8)
    first = np.full(len(words) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, codes, lists.rows)
    for i in np.argsort(first[:-1], kind="stable").tolist():
        numbers[i] = read(words[i], {"source": lists.source, "row": int(first[i]), "column": column})
    return numbers[codes]


def _reference_severity(cells: list[tuple[Cell, ...]], source: str) -> NDArray[np.int8]:
    """int8 [n]: the severity of each case's first reference diagnosis; 0 where it is unknown."""
    place = {"source": source, "column": "severity of the reference"}
    numbers = [[severity_degree(cell.value, row=cell.row, **place) for cell in case] for case in cells]
    return np.array([case[0] if case else 0 for case in numbers], np.int8)


def _measures(score: _Score, raters: list[str], cases: NDArray[np.integer]) -> list[Measure]:
    """The mean score, on its own scale and rescaled, and the aggregates in which bad cases weigh more."""
    shared: dict[str, Any] = {"raters": raters, "cases": cases, "reason": score.why}
    symbol = REGISTRY[score.metric].symbol
    measures = [
        Measure(score.metric, columns=(score.values,), **shared),
        Measure("rescaled", columns=(score.rescaled,), of=symbol, **shared),
    ]
    scaled = score.rescaled
    for name, setting in SETTINGS.items():
        weights = case_weights_of(scaled, setting)
        columns = (weights * scaled, weights)
        measures.append(Measure("aggregated", columns=columns, combine=ratio, of=f"{symbol}, {name}", **shared))
    if score.errors is not None:
        measures.append(Measure("severity_error", columns=(score.errors,), **shared))
    return measures


def _warnings(lists: Lists, found: Sequence[_Score]) -> list[str]:
    """Whose lists have no score, which makes the mean one of fewer lists."""
    told = []
    for score in found:
        name = REGISTRY[score.metric].symbol.lower()
        if score.blank is not None:
            of = [
                f"{rater} {int(count):,} of {len(score.blank):,}"
                for rater, count in zip(lists.raters, score.blank.sum(0), strict=True)
                if count
            ]
            if of:
                told.append(
                    f"Lists without a {name} score, because they hold a diagnosis whose relation is blank: {', '.join(of)}. "
                    "The score is that of the other lists."
                )
    empty = ((lists.lengths == 0) & ~lists.absent).sum(0)
    of = [f"{rater} {int(count):,}" for rater, count in zip(lists.raters, empty, strict=True) if count]
    if of:
        told.append(
            f"Empty lists: {', '.join(of)}. By its source a semantic or severity score is over the ranks that are there; they have none "
            "and lower none."
        )
    return told


def _words(rows: list[Row]) -> list[str]:
    words = []
    for metric in ("semantic_score", "severity_score"):
        symbol = REGISTRY[metric].symbol
        known = [row for row in rows if row["metric"] == symbol and row["value"] is not None]
        if known:
            known.sort(key=lambda row: -row["value"])
            told = ", ".join(f"{row['algorithm']} {row['value']:.2f}" for row in known)
            words.append(f"{symbol} score, of 16 at best: {told}.")
    return words
