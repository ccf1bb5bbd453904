"""Scores of a ranked list against one reference diagnosis, by how near in meaning and in severity each diagnosis is.

A diagnosis at rank i has a distance D from 1 (right) to 5. The arrays are int8 [..., 5], D at ranks 1 to 5, 0 where a
rank is absent.

Source of all: Kernel29.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InputError, OptionError
from ...files.wording import hint
from ...stats.agreement import divided
from ...votes.prompts import prompt
from ..match.matches import Matches
from ..match.options import BEST
from ..read.findings import Finding
from ..read.lists import ABSENT, NO_DIAGNOSIS, Lists, looked_up
from .declare import REGISTRY, Measure, declare
from .scores import FamilyScores, Lacking, Score, Settings, Values, counts_in_words, over_two
from .weighted_cases import best_and_worst_rows, error_rows, plane_rows, quadrant_rows

NAME, TITLE = "weighted", "Semantic and severity scores"
RANKS, FARTHEST = 5, 5
RELATIONS = {relation: number for number, relation in enumerate(prompt.RELATIONS, 1)}
"""Relation of a diagnosis to the reference -> D."""
SEVERITIES = {severity: number for number, severity in enumerate(prompt.SEVERITIES, 1)}
"""Severity -> its place on the scale."""
_WITH_UNKNOWN = {**SEVERITIES, "unknown": 0}
SETTINGS = {"easy": (1.0, 0.3), "medium": (2.0, 0.0), "hard": (3.0, 0.0)}
"""Name -> (k, x0) of the weight `1 / (1 + exp(k (s - x0)))` of a case whose score is s."""

_WEIGHTS = (RANKS + 1 - np.arange(1, RANKS + 1)) / RANKS
APART = re.compile(r"[\s_\-]+")


def relevance(distance: ArrayLike) -> NDArray[np.float32]:
    """((5 - D)/4)^2 of Kernel29's D, 1 for an exact synonym to 5 for what is not related: its own weights, from 1 to 0."""
    return np.square((FARTHEST - np.asarray(distance)) / np.float32(FARTHEST - 1))


def degree(word: str, scale: Mapping[str, int], **place: Any) -> int:
    """Finds the number of a word on its scale; case, and a hyphen or underscore for a blank, do not matter.

    Errors: `InputError` for any other word, with the nearest; `place` says where (source, row, column).
    """
    folded = APART.sub(" ", word.strip().casefold()) if isinstance(word, str) else ""
    if folded not in scale:
        near = hint(folded, scale)
        raise InputError(f"a word outside the scale{near}", allowed=", ".join(scale), got=word, **place)
    return scale[folded]


def severity_degree(word: str | None, **place: Any) -> int:
    """Finds the number of a severity, 1 for mild to 5 for rare; 0 for None and for "unknown". Errors: as `degree`."""
    return 0 if word is None else degree(word, _WITH_UNKNOWN, **place)


CHECKS: Mapping[str, Callable[..., int]] = {"relation": partial(degree, scale=RELATIONS), "severity": severity_degree}
"""Column -> how its words are read; `InputError` for one outside its scale."""


def list_scores(distances: NDArray[np.integer]) -> Values:
    """Computes `sum_i w_i (5 - D_i)^2 / sum_i w_i` over the ranks present: float64 [...] of [..., 5]; NaN where none is."""
    return _over_ranks(np.square(FARTHEST - distances.astype(np.int8)), distances > 0)


def _over_ranks(values: NDArray[Any], there: NDArray[np.bool_]) -> Values:
    """Averages over the last axis, of five ranks, what is there; the earlier ranks weigh more."""
    weights = np.where(there, _WEIGHTS, 0.0)
    return divided((weights * values).sum(-1), weights.sum(-1))


def severity_distances(reference: NDArray[np.integer], said: NDArray[np.integer]) -> NDArray[np.int8]:
    """Computes D = 1 + |reference - said|, and 5 where the severity said is unknown. Both on the scale 1 to 5, 0 is unknown."""
    apart = 1 + np.abs(said.astype(np.int8) - reference.astype(np.int8))
    return np.where(said > 0, apart, FARTHEST).astype(np.int8)


def case_weights_of(rescaled_scores: Values, setting: Any) -> Values:
    """Computes `1 / (1 + exp(k (s - x0)))` over the largest of them, so that none is lost to rounding; NaN where s is.

    The worse a case, the more it weighs; a score above 1, as another divisor than 16 gives it, weighs as 1.
    Errors: `OptionError` for another setting.
    """
    pair = SETTINGS.get(setting) if isinstance(setting, str) else setting
    if not isinstance(pair, tuple | list) or len(pair) != 2 or not all(_is_number(value) for value in pair):
        raise OptionError("setting", f"one of {', '.join(SETTINGS)}, or two numbers (k, x0)", setting)
    k, x0 = pair
    known = ~np.isnan(rescaled_scores)
    lightness = np.full(rescaled_scores.shape, np.nan)
    np.logaddexp(0, k * (np.minimum(rescaled_scores, 1) - x0), out=lightness, where=known)
    return np.exp(np.min(lightness, where=known, initial=np.inf) - lightness)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and bool(np.isfinite(value))


def _at_ranks(name: str, words: Any, read: Callable[..., int], ranks: Sequence[int] | None) -> NDArray[np.int8]:
    """Reads words at their ranks: int8 [5], -1 where a rank is absent; ranks after the fifth do not count."""
    if isinstance(words, str):
        raise OptionError(name, "a list of words, one for each rank", words)
    values = [read(word, row=i, column=name) for i, word in enumerate(words)]
    at = list(range(1, len(values) + 1)) if ranks is None else list(ranks)
    whole = all(isinstance(rank, int | np.integer) and not isinstance(rank, bool) and rank >= 1 for rank in at)
    if len(at) != len(values) or not whole or len(set(at)) < len(at):
        raise OptionError("ranks", f"{len(values)} different whole numbers from 1", ranks)
    row = np.full(RANKS, -1, np.int8)
    for rank, value in zip(at, values, strict=True):
        if rank <= RANKS:
            row[rank - 1] = value
    return row


@declare("Semantic", axes={"relations": "diagnosis", "ranks": "diagnosis"})
def semantic_score(relations: Sequence[str], ranks: Sequence[int] | None = None) -> float:
    """Tells how near in meaning the first five diagnoses are to the right one, the first counting most.

    Kernel29's semantic score of one list.

    Parameters
    ----------
    relations : one for each diagnosis: exact synonym (D = 1), broad synonym (D = 2), exact disease group (D = 3),
        broad disease group (D = 4), not related (D = 5).
    ranks : the rank of each; 1, 2, … if not given.

    Returns
    -------
    float, in [0, 16].

    Raises
    ------
    InputError
        For a word outside the scale.
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    semantic relationship score, SRS

    Formula
    -------
    Score = sum_i w_i (5 - D_i)^2 / sum_i w_i, w_i = (6 - i)/5 at rank i <= 5

    Denominator
    -----------
    sum_i w_i over the ranks present

    Good values
    -----------
    16 is a list of exact synonyms; one of them, before four unrelated diagnoses, has 5.3. Read it rescaled, from -1
    to 1.

    When to use
    -----------
    a graded judgement of meaning is at hand

    When not
    --------
    nobody has judged the relations: the option 'relation' fills them, by M itself or by a language model

    Edge cases
    ----------
    no diagnosis among the first five ranks : NaN: 0 of 0
    a word outside the scale : refused

    References
    ----------
    Kernel29
    Foundation 29. Kernel29, evaluation of DxGPT. <https://github.com/foundation29org/Kernel29>

    Examples
    --------
    >>> semantic_score(["Exact Synonym", "Exact Disease Group", "Broad Disease Group"])  # 19.8 / 2.4
    8.25
    """
    distances = _at_ranks("relations", relations, CHECKS["relation"], ranks)
    return float(list_scores(np.maximum(distances, 0)))


@declare("Severity", axes={"severities": "diagnosis", "ranks": "diagnosis"})
def severity_score(
    reference: str | None, severities: Sequence[str | None], ranks: Sequence[int] | None = None
) -> float:
    """Tells how near in severity the first five diagnoses are to the right one, the first counting most.

    Kernel29's severity score of one list.

    Parameters
    ----------
    reference : the severity of the reference: mild (1), moderate (2), severe (3), critical (4), rare (5); None is
        unknown.
    severities : the same of each diagnosis.
    ranks : the rank of each; 1, 2, … if not given.

    Returns
    -------
    float, in [0, 16].

    Raises
    ------
    InputError
        For a word outside the scale.
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    severity matching score, SMS

    Formula
    -------
    Score = sum_i w_i (5 - D_i)^2 / sum_i w_i, w_i = (6 - i)/5 at rank i <= 5, D = 1 + |reference - predicted|

    Denominator
    -----------
    sum_i w_i over the ranks present

    Good values
    -----------
    16 is a list all as severe as the right answer, 0 the furthest from it. Read it rescaled, from -1 to 1.

    When to use
    -----------
    it matters that a grave disease is not taken for a mild one

    When not
    --------
    severities were not judged

    Edge cases
    ----------
    an unknown severity in the list : D = 5
    no diagnosis among the first five ranks : NaN: 0 of 0
    the severity of the reference is unknown : NaN: nothing to compare with
    a word outside the scale : refused

    References
    ----------
    Kernel29
    Foundation 29. Kernel29, evaluation of DxGPT. <https://github.com/foundation29org/Kernel29>

    Examples
    --------
    >>> round(severity_score("rare", ["rare", "rare", "severe"]), 9)  # 31.2 / 2.4
    13.0
    """
    true = severity_degree(reference, column="reference")
    said = _at_ranks("severities", severities, severity_degree, ranks)
    score = float(list_scores(np.where(said >= 0, severity_distances(np.array(true), said), 0)))
    return score if true else float("nan")


@declare("SeverityError", axes={"severities": "diagnosis", "ranks": "diagnosis"})
def severity_error(
    reference: str | None, severities: Sequence[str | None], ranks: Sequence[int] | None = None
) -> float:
    """Tells by how many steps of five a list overestimates (above 0) or underestimates (below 0) how severe the disease is.

    The signed error in severity of one list.

    Parameters
    ----------
    reference : the severity of the reference: mild (1), moderate (2), severe (3), critical (4), rare (5); None is
        unknown.
    severities : the same of each diagnosis.
    ranks : the rank of each; 1, 2, … if not given.

    Returns
    -------
    float, in [-4, 4].

    Raises
    ------
    InputError
        For a word outside the scale.
    OptionError
        For arguments of another shape, or with other values.

    Formula
    -------
    sum_i w_i (predicted_i - reference) / sum_i w_i, w_i = (6 - i)/5 at rank i <= 5,
    over the ranks of known severity

    Denominator
    -----------
    sum_i w_i over the ranks of known severity

    Good values
    -----------
    0. Errors of both sides cancel each other: read it beside Severity, and the shares below and above.

    When to use
    -----------
    the question is whether a model plays a disease down, as in Kernel29 (9.3) for cardiac cases

    When not
    --------
    the size of errors counts and not their side: then Severity

    Edge cases
    ----------
    an unknown severity in the list : left out, as it has no side
    no known severity among the first five ranks : NaN: 0 of 0
    the severity of the reference is unknown : NaN: nothing to compare with
    a word outside the scale : refused

    References
    ----------
    Kernel29
    Foundation 29. Kernel29, evaluation of DxGPT. <https://github.com/foundation29org/Kernel29>

    Examples
    --------
    >>> round(severity_error("rare", ["rare", "rare", "severe"]), 9)  # 0.6 (3 - 5) / 2.4
    -0.5
    """
    true = severity_degree(reference, column="reference")
    return float(severity_errors(np.array(true), _at_ranks("severities", severities, severity_degree, ranks)))


def severity_errors(reference: NDArray[np.integer], said: NDArray[np.integer]) -> Values:
    """Computes `severity_error` of many lists: float64 [...]; NaN where nothing is known.

    reference : [...]. said : [..., 5], by rank. Both on the scale 1 to 5, 0 is unknown.
    """
    true = reference[..., None]
    return _over_ranks(said.astype(float) - true, (said > 0) & (true > 0))


@declare("rescaled", grows_with=("scores",))
def rescaled(scores: ArrayLike, best: float = BEST) -> Values:
    """Puts a semantic or severity score on a scale from -1, all wrong, to 1, all right.

    Parameters
    ----------
    scores : semantic or severity scores, from 0 to 16.
    best : the score that becomes 1.

    Returns
    -------
    float64, in [-1, 1], one for each score.

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Formula
    -------
    2 s / 16 - 1

    Denominator
    -----------
    16, the best score

    Good values
    -----------
    Above 0 is nearer to right than to wrong. A list of one right answer among strangers lies below 0: compare
    models, not with 1.

    When to use
    -----------
    two scores are put on one scale

    When not
    --------
    a single figure per model is wanted: then aggregated

    Edge cases
    ----------
    an undefined score : NaN

    Notes
    -----
    the source's text divides by 16, the best score; its authors' scripts divide the semantic score by 10.33, the
        best in practice to them, so that their published values are higher and scores above it come out above 1:
        `best`, and the field `best` of `dxmatch.Graded`

    References
    ----------
    Kernel29
    Foundation 29. Kernel29, evaluation of DxGPT. <https://github.com/foundation29org/Kernel29>

    Examples
    --------
    >>> rescaled([0, 8, 16]).tolist()
    [-1.0, 0.0, 1.0]
    """
    check_best(best)
    array = np.asarray(scores, float)
    if not ((array >= 0) & (array <= BEST) | np.isnan(array)).all():
        raise OptionError("scores", f"numbers from 0 to {BEST}", scores)
    return 2 * array / best - 1


def check_best(best: Any) -> float:
    """Checks the score that becomes 1. Errors: `OptionError`."""
    if not _is_number(best) or not 0 < best <= BEST:
        raise OptionError("best", f"a number above 0, at most {BEST}", best)
    return float(best)


@declare("aggregated", axes={"scores": "case"}, repeat_free=("case",))
def aggregated(scores: ArrayLike, setting: str | tuple[float, float] = "medium", best: float = BEST) -> float:
    """Gives the mean score of a model in which its bad cases weigh more.

    Parameters
    ----------
    scores : [n], rescaled.
    setting : easy, medium, hard or (k, x0).
    best : as in `rescaled`, where the scores were rescaled by another than 16.

    Returns
    -------
    float, in [-1, 1].

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Formula
    -------
    sum_i w_i s_i / sum_i w_i, w_i = 1 / (1 + exp(k (s_i - x0))); (k, x0): easy (1, 0.3), medium (2, 0), hard (3, 0)

    Denominator
    -----------
    sum_i w_i over the cases with a score

    Good values
    -----------
    From -1 to 1. The two models in Kernel29's own files have -0.24 and -0.52 (severity, hard).

    When to use
    -----------
    bad misses must not be bought with good hits

    When not
    --------
    cases are few: one of them moves it

    Edge cases
    ----------
    a case with an undefined score : left out; NaN where all are
    no case : refused

    Notes
    -----
    of the nine values of the source's Table 4 eight come out; the ninth, -0.738 of (-0.8, -0.9, -1, +0.1) under
        easy, is a slip there: +0.1 weighs 1 / (1 + exp(0.1 - 0.3)) = 0.550 and not 0.450, which gives -0.709

    References
    ----------
    Kernel29
    Foundation 29. Kernel29, evaluation of DxGPT. <https://github.com/foundation29org/Kernel29>

    Examples
    --------
    >>> round(aggregated([1, -0.5, 0.25, -1], "hard"), 3)
    -0.577
    """
    array = np.asarray(scores, float)
    top = 2 * BEST / check_best(best) - 1
    if array.ndim != 1 or len(array) == 0 or not ((array >= -1) & (array <= top) | np.isnan(array)).all():
        raise OptionError("scores", f"numbers from -1 to {top:.4g}, at least one", scores)
    weights = case_weights_of(array, setting)
    return float(divided(np.nansum(weights * array), np.nansum(weights)))


# The family


_BLANK = -1


def scores(matches: Matches, settings: Settings) -> FamilyScores:
    """Scores every rater on the first five ranks of each list, as in the source.

    Tables, where both scores are there: plane (both of each rater, aggregated under `difficulty`, and their quadrant), quadrants (in how
    many cases), best_and_worst (cases by the sum of both); with severities severity_errors (how many diagnoses are less and more severe
    than the reference, over all cases, by each column of groups, and by chapter of the reference where codes are known).

    Raises
    ------
    InputError
        For a word outside its scale.
    """
    answers, best = matches.answers, settings.graded.best
    notes = [f"Semantic and severity scores take the first {RANKS} ranks, whatever k is."]
    family = FamilyScores(NAME, TITLE)
    doubts: list[tuple[str, str]] = []
    relations, severities = (bool(answers.cells(column, RANKS)[1]) for column in CHECKS)
    # a severity is scored beside that of the reference
    severities &= any(cell.value for of in answers.references.more.get("severity", []) for cell in of)
    if not relations and not severities:
        severity = "severity with the reference's severity (in its rows, or in the column reference_severity)"
        raise Lacking(f"the column relation, or {severity}")
    if relations:
        semantic, blank = _semantic(answers)
        if best != BEST:
            above = int((semantic > best).sum())
            notes.append(
                f"Semantic scores are rescaled by {best:g}, as asked, and not by {BEST}, the best score: {above:,} lists lie above 1, and weigh as 1."
            )
        if of := counts_in_words(answers.raters, blank.sum(0), len(blank)):
            doubts.append(("semantic", f"lists that hold a diagnosis whose relation is blank have no score: {of}."))
        family.scores += _scores_of("semantic_score", semantic, best, answers, "a relation is blank in every list")
        family.per_case[REGISTRY["semantic_score"].symbol] = semantic
    if severities:
        severity, reference, said = _severity(answers, doubts)
        errors = severity_errors(np.broadcast_to(reference[:, None], severity.shape), said)
        why = "no severity is given in any list"
        family.scores += _scores_of("severity_score", severity, BEST, answers, why)
        family.scores.append(
            Score(Measure("severity_error"), answers.raters, np.arange(len(errors)), errors, reason=why)
        )
        family.per_case |= {REGISTRY["severity_score"].symbol: severity, REGISTRY["severity_error"].symbol: errors}
        if rows := error_rows(matches, reference, said, errors):
            family.tables["severity_errors"] = rows
    if relations and severities:
        setting = settings.graded.difficulty
        family.parts["plane"] = [one for one in family.scores if one.measure.of.endswith(f", {setting}")]
        family.shown["plane"] = partial(plane_rows, setting)
        both = family.per_case["Semantic"], family.per_case["Severity"]
        family.tables["quadrants"] = quadrant_rows(answers.raters, rescaled(both[0], best), rescaled(both[1]))
        family.tables["best_and_worst"] = best_and_worst_rows(answers.raters, answers.cases, *both)
    if of := counts_in_words(answers.raters, ((answers.lengths == 0) & ~answers.absent).sum(0)):
        doubts.append(("semantic and severity", f"empty lists have no rank to score, and lower no mean: {of}."))
    family.findings = [Finding("degrees", place=f"{place} scores", example=told) for place, told in doubts]
    family.findings += [Finding("origin", example=note) for note in notes]
    return family


def _semantic(answers: Lists) -> tuple[Values, NDArray[np.bool_]]:
    """Computes the scores [n, r], and which lists have none because a relation is blank."""
    relation = degrees_of(answers, "relation", CHECKS["relation"], RANKS)
    at, top = answers.places(RANKS), answers.top(RANKS)
    # a word for no diagnosis keeps its rank and is related to nothing
    distances = np.where(top >= 0, looked_up(relation, at), np.where(top == NO_DIAGNOSIS, FARTHEST, 0))
    blank = (distances == _BLANK).any(-1)
    return np.where(blank, np.nan, list_scores(np.maximum(distances, 0))), blank


def _severity(answers: Lists, doubts: list[tuple[str, str]]) -> tuple[Values, NDArray[np.int8], NDArray[np.int8]]:
    """Computes the scores [n, r], with the severities of the references [n] and of the lists [n, r, 5], 0 where unknown."""
    at, top = answers.places(RANKS), answers.top(RANKS)
    degrees = degrees_of(answers, "severity", severity_degree, RANKS)
    said = np.where(top >= 0, np.maximum(looked_up(degrees, at), 0), 0).astype(np.int8)
    cells = answers.references.more["severity"]
    place = {"column": "severity of the reference"}
    numbers = [
        [severity_degree(cell.value, source=cell.source or answers.source, row=cell.row, **place) for cell in case]
        for case in cells
    ]
    reference = np.array([case[0] if case else 0 for case in numbers], np.int8)
    values = list_scores(np.where(top != ABSENT, severity_distances(reference[:, None, None], said), 0))
    silent = (said == 0).all((0, 2))
    values[reference == 0] = np.nan
    values[:, silent] = np.nan
    if unknown := int((reference == 0).sum()):
        doubts.append(
            ("severity", f"{unknown:,} of {len(reference):,} cases have no severity of the reference, so none.")
        )
    if of := counts_in_words(answers.raters, np.where(silent, 0, ((said == 0) & (top >= 0)).sum((0, 2)))):
        doubts.append(
            ("severity", f"a diagnosis without a known severity counts as the furthest, D = {FARTHEST}: {of}.")
        )
    return values, reference, said


def degrees_of(answers: Lists, column: str, read: Callable[..., int], depth: int | None = None) -> NDArray[np.int8]:
    """Reads a column: int8, in the order of `entries`, the number of each word, -1 for a blank."""
    codes, words = answers.cells(column, depth)
    numbers = np.full(len(words) + 1, _BLANK, np.int8)
    for i, (word, row) in sorted(enumerate(words.items()), key=lambda one: one[1][1]):
        numbers[i] = read(word, source=answers.source, row=row, column=column)
    return numbers[codes]


def _scores_of(metric: str, values: Values, best: float, answers: Lists, why: str) -> list[Score]:
    """Makes the mean score, on its own scale and rescaled, and the aggregates in which bad cases weigh more."""
    shared: dict[str, Any] = {"raters": answers.raters, "cases": np.arange(len(values)), "reason": why}
    symbol, scaled = REGISTRY[metric].symbol, rescaled(values, best)
    made = [
        Score(Measure(metric), values=values, **shared),
        Score(Measure("rescaled", symbol), values=scaled, **shared),
    ]
    for name, setting in SETTINGS.items():
        weights = case_weights_of(scaled, setting)
        made.append(Score(Measure("aggregated", f"{symbol}, {name}"), **over_two(weights * scaled, weights), **shared))
    return made
