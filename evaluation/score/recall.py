"""Recall of the reference diagnoses: which of the diseases that a patient has does a list name?

Inputs are one list for each case (and each rater, in the axes between), against the reference diagnoses of the case:

- `hits` : bool [n, ..., K, D], whether the diagnosis at each of K ranks names each of D reference diagnoses;
- `given` : bool [n, D], where a case has a reference diagnosis; at least one in each case.

Who decides on a hit is free: M, or a judge. What stands outside `given` is not looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InputError, OptionError
from ...pages.rows import Row
from ..match.judge import INCLUDES
from ..match.matches import Matches
from ..read.findings import Finding
from .declare import REGISTRY, Measure, check_k, declare, truths
from .ranking import BY_JUDGE, NO_RIGHT_ANSWERS, checked_given, decided, judged_hits, top_ranks
from .scores import FamilyScores, Lacking, Score, Settings, over_two, without_absent

NAME, TITLE = "recall", "Recall of the reference diagnoses"


_OF_HITS: dict[str, Any] = {
    "axes": {"hits": "case, rank, reference", "given": "case, reference"},
    "repeat_free": ("case", "reference"),
    "grows_with": ("hits",),
}


@declare("R_disease", **_OF_HITS)
def disease_recall(hits: ArrayLike, given: ArrayLike, k: int | None = None) -> NDArray[np.float64]:
    """Tells, of all the diseases that the cases have, how many the lists name.

    Parameters
    ----------
    hits : [n, ..., K, D], the diagnosis at a rank names a reference diagnosis.
    given : [n, D], the case has it.
    k : how many ranks count; all by default.

    Returns
    -------
    float64, in [0, 1], over the cases; one value for each of the axes between.

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    disease-level recall, recall of diseases

    Formula
    -------
    R_disease@k = sum_i |found_i| / sum_i |reference_i|

    Denominator
    -----------
    the reference diagnoses of all cases

    Good values
    -----------
    1 is all; with several diseases a case and k below their number it cannot be reached.

    When to use
    -----------
    cases have several true diagnoses

    When not
    --------
    every case has one: then it is top-k accuracy

    Edge cases
    ----------
    no case : refused
    a case without a reference diagnosis : refused: it has nothing to find
    an empty list : names nothing: none of the case's diseases is found

    References
    ----------
    ClinBench-HPB, disease-level recall
    Li Y, Zeng X, Fang C, Yang J, Jia F, Zhang L. ClinBench-HPB: A Clinical Benchmark for Evaluating LLMs in
        Hepato-Pancreato-Biliary Diseases. 2025. arXiv:2506.00095. <https://doi.org/10.48550/arXiv.2506.00095>

    Examples
    --------
    >>> float(disease_recall([[[True, False]], [[True, False]]], [[True, True], [True, False]]))  # 2 of 3 diseases
    0.6666666666666666
    """
    found, there = found_in(hits, given, k)
    return found.sum((0, -1)) / there.sum()


@declare("R_patient", **_OF_HITS)
def patient_recall(hits: ArrayLike, given: ArrayLike, k: int | None = None) -> NDArray[np.float64]:
    """Gives the share of cases of which the list names every disease.

    Parameters
    ----------
    hits : [n, ..., K, D], the diagnosis at a rank names a reference diagnosis.
    given : [n, D], the case has it.
    k : how many ranks count; all by default.

    Returns
    -------
    float64, in [0, 1], over the cases; one value for each of the axes between.

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    patient-level recall, recall of patients

    Formula
    -------
    R_patient@k = sum_i [found_i = reference_i] / n

    Denominator
    -----------
    n, the number of cases

    Good values
    -----------
    1 is all cases; stricter than R_disease, equal to it and to top-k accuracy where each case has one
    disease.

    When to use
    -----------
    a missed second disease is a missed case; a patient with several rows is several cases

    When not
    --------
    every case has one: then it is top-k accuracy

    Edge cases
    ----------
    no case : refused
    a case without a reference diagnosis : refused: it has nothing to find
    an empty list : names nothing: none of the case's diseases is found

    References
    ----------
    ClinBench-HPB, patient-level recall
    Li Y, Zeng X, Fang C, Yang J, Jia F, Zhang L. ClinBench-HPB: A Clinical Benchmark for Evaluating LLMs in
        Hepato-Pancreato-Biliary Diseases. 2025. arXiv:2506.00095. <https://doi.org/10.48550/arXiv.2506.00095>
    """
    found, there = found_in(hits, given, k)
    return (found | ~there).all(-1).mean(0, dtype=np.float64)


@declare("sd_prompts", axes={"values": "prompt"})
def prompt_spread(values: ArrayLike) -> NDArray[np.float64]:
    """Tells how much a figure moves when the prompt is worded differently.

    The population standard deviation over the prompts.

    Parameters
    ----------
    values : [..., m], one metric of one model under each of m prompts.

    Returns
    -------
    float64, in [0, inf), over the last axis; the other axes are kept.

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Formula
    -------
    sd = sqrt(1/m sum_j (x_j - mean)^2)

    Denominator
    -----------
    m

    Good values
    -----------
    0 is not at all; differences between models below it say little.

    When to use
    -----------
    a model was asked in several ways

    When not
    --------
    there is one prompt: it is undefined

    Edge cases
    ----------
    one prompt : NaN; one value has no spread
    a value is undefined : NaN

    References
    ----------
    ClinBench-HPB, SD of Tables 5 to 7: the population standard deviation, over the prompts that were taken
    Li Y, Zeng X, Fang C, Yang J, Jia F, Zhang L. ClinBench-HPB: A Clinical Benchmark for Evaluating LLMs in
        Hepato-Pancreato-Biliary Diseases. 2025. arXiv:2506.00095. <https://doi.org/10.48550/arXiv.2506.00095>
    """
    several = np.asarray(values, float)
    if several.ndim == 0 or several.shape[-1] == 0:
        raise OptionError("values", "an array with at least one value", values)
    return several.std(-1) if several.shape[-1] > 1 else np.full(several.shape[:-1], np.nan)


def found_in(hits: ArrayLike, given: ArrayLike, k: int | None = None) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Finds which reference diagnoses the first k ranks name, bool [n, ..., D]; and `given`, with axes to match.

    Raises
    ------
    OptionError
        For arrays that do not fit each other, and for a case without a reference.
    """
    there, named = checked_given(truths(given)), np.asarray(truths(hits))
    if named.ndim < 3 or named.dtype != bool or (len(named), named.shape[-1]) != there.shape:
        allowed = f"bool [cases, ..., ranks, references] with {there.shape[0]} cases and {there.shape[1]} references"
        raise OptionError("hits", allowed, named.shape if named.dtype == bool else hits)
    first = named if k is None else named[..., : check_k(k), :]
    there = there.reshape(len(there), *[1] * (named.ndim - 3), -1)
    return first.any(-2) & there, there


# The family


def scores(matches: Matches, settings: Settings) -> FamilyScores:
    """Scores every rater with M, in the cases that have a reference, within the first k of each list; by default within all of it."""
    if (found := matches.references) is None:
        raise Lacking(NO_RIGHT_ANSWERS)
    k = settings.k[NAME]
    kept = np.flatnonzero(found.given.any(1))
    hits = found.hits[:, :, :k]
    return _family(matches, NAME, TITLE, hits[kept], found.given, kept, k)


def _family(
    matches: Matches, name: str, title: str, hits: NDArray[np.bool_], given: NDArray[np.bool_],
    cases: NDArray[np.integer], k: int | None, of: str = "",
) -> FamilyScores:  # fmt: skip
    """Makes disease- and patient-level recall. hits : bool [cases, r, K, D]. given : of all n cases. of : the judge, where it is not M."""
    answers, n = matches.answers, len(matches.answers.cases)
    found, there = found_in(hits, given[cases])
    absent = answers.absent[cases]
    sizes = np.broadcast_to(there.sum(-1), found.shape[:2])
    found_of, all_of = (without_absent(part, absent) for part in (found.sum(-1), sizes))
    whole = without_absent(np.asarray((found | ~there).all(-1)), absent)
    family = FamilyScores(name, title, sentences=_sentences)
    family.scores = [
        Score(Measure("disease_recall", of, k), answers.raters, cases, **over_two(found_of, all_of)),
        Score(Measure("patient_recall", of, k), answers.raters, cases, whole),
    ]
    label = f"share of the reference found{f', by the {of}' if of else ''}"
    family.per_case[label] = family.scores[0].per_case(n)
    if without := n - int(given.any(1).sum()):
        family.findings.append(Finding("no_reference", without, n, f"recall{f' by the {of}' if of else ''}"))
    return family


def judged_scores(matches: Matches, settings: Settings) -> FamilyScores:
    """Scores every rater with a judge of whole answers in the place of M.

    A case in which the judge gives no verdict on one of the answers is left out for every rater. Top-k accuracy stands beside where the
    place of everything that is included is known (`judged_hits`).

    Raises
    ------
    InputError
        Where no case is left.
    """
    found, answers = matches.judged, matches.answers
    assert found is not None
    included = found.of("included")
    cases = np.flatnonzero(decided(found))
    told = ", ".join(f"{count:,} {reason}" for reason, count in found.unscored.most_common())
    if not len(cases):
        raise InputError(
            f"the judge gave a verdict on every list in none of {len(answers.cases):,} cases ({told or 'no reference'})",
            source=answers.source, allowed="at least one case that is judged in full",
        )  # fmt: skip
    by = "itself" if found.checked_by == found.judged_by else found.checked_by
    title = f"Recall, with {found.judged_by} as the judge{f', checked by {by}' if by else ''}"
    family = _family(
        matches, BY_JUDGE, title, (included[cases] == INCLUDES)[:, :, None], found.given, cases, None, BY_JUDGE
    )
    if found.checked_by and by == "itself":
        own = f"{found.judged_by} checks its own verdicts; the option 'judge.check' names another model, or none"
        family.findings.append(Finding("headline", place="The judge", example=f"{own}."))
    if hits := judged_hits(matches):
        ranked = np.flatnonzero(hits[1])
        for k in top_ranks(matches, settings):
            values = without_absent(np.asarray(hits[0][ranked, :, :k].any(-1)), answers.absent[ranked])
            family.scores.append(Score(Measure("top_k_accuracy", BY_JUDGE, k), answers.raters, ranked, values))
    if left_out := int(found.given.any(1).sum()) - len(cases):
        family.findings.append(Finding("no_verdict", left_out, len(answers.cases), example=told))
    judge, check = (Counter(row[stage] for row in found.rows.values() if row[stage]) for stage in ("judge", "check"))
    note = f"The judge was asked about {judge.total():,} reference diagnoses, one at a time, and the whole answer: {judge['included']:,} included, {judge['not included']:,} not included."
    if found.checked_by:
        wrong, checked = check["incorrect"], check["incorrect"] + check["correct"]
        note += (
            f" The check was asked about those not included, and called {wrong:,} of {checked:,} judgements incorrect."
        )
    family.findings.append(Finding("origin", example=note))
    return family


def _sentences(rows: Sequence[Row]) -> list[str]:
    """Says what the best rater finds."""
    symbol = REGISTRY["disease_recall"].symbol
    of_diseases = [row for row in rows if row["metric"] == symbol and row["value"] is not None]
    if not of_diseases:
        return []
    best = max(of_diseases, key=lambda row: row["value"])
    k, of = best["k"], best["of"]
    first = "answers name" if k is None else "first diagnosis names" if k == 1 else f"first {k} diagnoses name"
    most = "; no other rater's name more" if len(of_diseases) > 1 else ""
    by = f", by the {of}" if of else ""
    return [f"Of all reference diagnoses{by}, {best['algorithm']}'s {first} {best['value']:.0%}{most}."]
