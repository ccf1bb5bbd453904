"""Hierarchical precision and recall of ICD-10 codes, each with all that stands above it in the tree.

Source of all: H-DDx.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InputError, OptionError
from ...pages.rows import Row, known
from ...stats.agreement import divided
from ...terms.icd.codes import Nodes, Place, hierarchy, nodes_of_cells, padded
from ...terms.icd.tree import CATEGORY, IcdTree
from ..match.codes import NO_CODES
from ..match.matches import Matches
from ..match.pairs import blocks
from ..read.findings import Finding
from .chapters import chapter_label
from .declare import Measure, declare
from .ranking import BY_JUDGE, final_answers, judged_hits, reference_hits
from .scores import (
    FEW,
    FamilyScores,
    Lacking,
    Score,
    Settings,
    Values,
    mean_of_defined,
    over_two,
    the_mean,
    without_absent,
)

NAME, TITLE = "hierarchical", "Hierarchical, by ICD-10"
Codes = Sequence[Sequence[str]]
LEVELS = ("chapter", "section", "category", "subcategory")
"""Of the nodes; an extension by a seventh character counts among the subcategories."""


def overlap(predicted: Nodes, reference: Nodes, tree: IcdTree) -> Values:
    """Of each rater's set with the reference's, in bounded blocks of cases: H-DDx's `Augment(D)` adds every ancestor up to the chapter.

    predicted : int32[n, r, K], the nodes that each of r raters gives in each of n cases, -1 fills. reference : int32[n, D], those of each
    case's reference.

    Returns float64 [2, n, r, 5], all levels together, then `LEVELS`: precision, |C & C^| / |C^|, NaN where nothing is predicted; and
    recall, |C & C^| / |C|, NaN where the reference has nothing.
    """
    n, raters, width = predicted.shape
    levels = np.minimum(tree.kinds, CATEGORY + 1)[:, None] == np.arange(len(LEVELS))
    counted = np.append(np.ones((len(tree), 1)), levels, 1).astype(np.uint16)
    out = np.empty((3, n, raters, 1 + len(LEVELS)), np.uint16)
    for cases in blocks(n, raters * (width + reference.shape[1])):
        said, true = _augmented(predicted[cases].reshape(-1, width), tree), _augmented(reference[cases], tree)
        true = true[np.arange(len(out[0, cases])).repeat(raters)]
        for counts, sets in zip(out[:, cases], (said.multiply(true).tocsr(), said, true), strict=True):
            counts[:] = (sets @ counted).reshape(counts.shape)
    return np.stack([divided(out[0], held) for held in out[1:]])


def _augmented(sets: Nodes, tree: IcdTree) -> Any:
    """[m, nodes], 1 for each node of a row of [m, K] and each that stands above one."""
    from scipy.sparse import csr_array

    row, at = np.nonzero(sets >= 0)
    direct = csr_array((np.ones(len(row), np.uint16), (row, sets[row, at])), shape=(len(sets), len(tree)))
    found: Any = direct @ tree.upwards
    found.data = np.ones(found.nnz, np.uint16)
    return found


def harmonic_mean(precision: ArrayLike, recall: ArrayLike) -> Values:
    """Computes `2 P R / (P + R)`, elementwise; 0, its limit, where both are 0. NaN where either is."""
    p, r = np.asarray(precision, float), np.asarray(recall, float)
    return np.divide(2 * p * r, p + r, out=np.where(np.isnan(p + r), np.nan, 0.0), where=p + r > 0)


def _overlap_of_codes(reference_codes: Codes, predicted_codes: Codes, source: str) -> Values:
    """Precision and recall of each case: float64 [2, n]."""
    tree = hierarchy(source)
    nodes: list[Nodes] = []
    for name, codes in (("reference_codes", reference_codes), ("predicted_codes", predicted_codes)):
        if isinstance(codes, str) or len(codes) == 0 or any(isinstance(case, str) for case in codes):
            raise OptionError(name, "a list of lists of codes, one list for each case, at least one", codes)
        first = {code: Place(row, name) for row in reversed(range(len(codes))) for code in codes[row]}
        node_of = nodes_of_cells(first, tree, source)
        nodes.append(padded(tuple(node for code in case for node in node_of[code]) for case in codes))
    reference, predicted = nodes
    if len(reference) != len(predicted):
        raise OptionError("predicted_codes", f"as long as reference_codes ({len(reference)})", len(predicted))
    return overlap(predicted[:, None], reference, tree)[:, :, 0, 0]


_OF_CODES: dict[str, Any] = {
    "axes": {"reference_codes": "case, diagnosis", "predicted_codes": "case, diagnosis"},
    "repeat_free": ("case", "diagnosis"),
}


@declare("HDP", **_OF_CODES)
def hdp(reference_codes: Codes, predicted_codes: Codes, source: str = "icd10cm") -> float:
    """Tells how much of what the list says lies in the right branches of ICD-10.

    Hierarchical precision.

    Parameters
    ----------
    reference_codes, predicted_codes : a list of ICD-10 codes for each case.
    source : icd10cm, icd10 or a CSV.

    Returns
    -------
    float, in [0, 1].

    Raises
    ------
    InputError
        For a code that the tree lacks, with the number of its case.
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    hierarchical precision

    Formula
    -------
    HDP = mean_i |C_i & C^_i| / |C^_i|, C = Augment(D): the codes and all their ancestors

    Denominator
    -----------
    the size of the predicted codes' augmented set, in each case; then the number of cases

    Good values
    -----------
    A list of five with one exact hit and four strangers has about 0.2: a differential costs precision. Compare
    lists of one length.

    When to use
    -----------
    near misses deserve part of the credit

    When not
    --------
    lists differ in length

    Edge cases
    ----------
    a case in which no code is predicted : left out: 0 of 0; NaN where all are
    no case : refused

    References
    ----------
    H-DDx
    Lim S, Kim G, Lee H, Han W, Seo J, Yoo J, Yang E. H-DDx: A Hierarchical Evaluation Framework for Differential
        Diagnosis. 2025. arXiv:2510.03700. <https://doi.org/10.48550/arXiv.2510.03700>

    Examples
    --------
    >>> hdp([["J40", "C34"]], [["J47", "C34.9"]])  # J47 and C34.9 of 7 nodes are not above or in the reference
    0.7142857142857143
    """
    return float(mean_of_defined(_overlap_of_codes(reference_codes, predicted_codes, source)[0]))


@declare("HDR", **_OF_CODES)
def hdr(reference_codes: Codes, predicted_codes: Codes, source: str = "icd10cm") -> float:
    """Tells how much of the right answer's branch of ICD-10 the list covers.

    Hierarchical recall.

    Parameters
    ----------
    reference_codes, predicted_codes : a list of ICD-10 codes for each case.
    source : icd10cm, icd10 or a CSV.

    Returns
    -------
    float, in [0, 1].

    Raises
    ------
    InputError
        For a code that the tree lacks, with the number of its case.
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    hierarchical recall

    Formula
    -------
    HDR = mean_i |C_i & C^_i| / |C_i|, C = Augment(D): the codes and all their ancestors

    Denominator
    -----------
    the size of the reference codes' augmented set, in each case; then the number of cases

    Good values
    -----------
    1: the right code is in the list, or all of its branch is. It rises with the length of the list.

    When to use
    -----------
    near misses deserve part of the credit

    When not
    --------
    lists differ in length

    Edge cases
    ----------
    a case in which the reference has no code : left out: 0 of 0; NaN where all are
    no case : refused

    References
    ----------
    H-DDx
    Lim S, Kim G, Lee H, Han W, Seo J, Yoo J, Yang E. H-DDx: A Hierarchical Evaluation Framework for Differential
        Diagnosis. 2025. arXiv:2510.03700. <https://doi.org/10.48550/arXiv.2510.03700>

    Examples
    --------
    >>> hdr([["J40", "C34"]], [["J47", "C34.9"]])  # all 6 but J40
    0.8333333333333334
    """
    return float(mean_of_defined(_overlap_of_codes(reference_codes, predicted_codes, source)[1]))


@declare("HDF1", symmetric=("reference_codes", "predicted_codes"), **_OF_CODES)
def hdf1(reference_codes: Codes, predicted_codes: Codes, source: str = "icd10cm") -> float:
    """Gives partial credit for the right chapter, section or category of ICD-10: HDP and HDR in one.

    The harmonic mean of the averages, not the average of harmonic means.

    Parameters
    ----------
    reference_codes, predicted_codes : a list of ICD-10 codes for each case.
    source : icd10cm, icd10 or a CSV.

    Returns
    -------
    float, in [0, 1].

    Raises
    ------
    InputError
        For a code that the tree lacks, with the number of its case.
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    hierarchical F1, H-DDx F1, delta rank, rank shift, change of rank

    Formula
    -------
    HDF1 = 2 HDP HDR / (HDP + HDR)

    Denominator
    -----------
    HDP + HDR, each an average over cases

    Good values
    -----------
    Its ceiling is far below 1: five diagnoses, one exact and four strangers, reach about 0.3; one exact diagnosis
    alone reaches 1. Compare at the same k only.

    When to use
    -----------
    models are compared that often miss by a little

    When not
    --------
    one number shall say how often a model is right: then top-k accuracy

    Edge cases
    ----------
    HDP or HDR is undefined : NaN
    HDP and HDR are 0 : 0: a harmonic mean lies between the two
    no case : refused

    Notes
    -----
    by level (Figure 3 of the source: chapter, section, category, subcategory) C and C^ keep the nodes of that level
        alone, an extension by a seventh character among the subcategories; HDP and HDR are averages over the cases
        that have such nodes; an evaluation gives `HDF1(section)@5` and the others
    by chapter (Table 7) C and C^ keep the nodes of that chapter alone, in the cases whose reference has a code in
        it: a list that enters it nowhere is not in HDP and 0 in HDR there, and HDF1 is 0 where HDR is;
        `HDF1(J00-J99)@5`
    the change of rank (Table 2) from top-k accuracy to HDF1 is the table `hierarchical.rank_shifts` of an evaluation
    of the 8 printed cases (Tables 3 and 8) 6 come out as their codes are printed, and all 8 where J01.9 of case 3
        is read as its only leaf, J01.90: as printed they have .2000 and .8000 in the place of .1935 and .7692

    References
    ----------
    H-DDx
    Lim S, Kim G, Lee H, Han W, Seo J, Yoo J, Yang E. H-DDx: A Hierarchical Evaluation Framework for Differential
        Diagnosis. 2025. arXiv:2510.03700. <https://doi.org/10.48550/arXiv.2510.03700>

    Examples
    --------
    >>> round(hdf1([["J40", "C34"]], [["J47", "C34.9"]]), 4)  # of 5/7 and 5/6
    0.7692
    """
    return float(harmonic_mean(*map(mean_of_defined, _overlap_of_codes(reference_codes, predicted_codes, source))))


# The family


ACCURACY = 5
"""The k of the top-k accuracy that HDF1 of whole lists is ranked against, as in H-DDx."""
_UNLIKE = 1.5
"""How many times as long one model's lists may be as another's before it is said."""


def scores(matches: Matches, settings: Settings) -> FamilyScores:
    """Scores every rater in the cases whose reference has a code, over all levels and at each.

    Tables: chapters (each chapter of the references, over its own nodes), rank_shifts (from top-k accuracy to HDF1), codes (how
    each rater's diagnoses and the references came to theirs; those without one count as no hit).

    Raises
    ------
    InputError
        Where no case's reference has a code.
    """
    answers, k = matches.answers, settings.k[NAME]
    if (coded := matches.codes) is None:
        raise Lacking(NO_CODES)
    kept = np.flatnonzero((coded.reference >= 0).any(1))
    if not len(kept):
        raise InputError(
            "no case has a reference with an ICD-10 code",
            source=answers.source, allowed="codes of the reference, or names that can be mapped to ICD-10",
        )  # fmt: skip
    cut, n = coded.top(k), len(answers.cases)
    predicted, reference = cut.predicted[kept].reshape(len(kept), len(answers.raters), -1), coded.reference[kept]
    family, rates = FamilyScores(NAME, TITLE), overlap(predicted, reference, hierarchy(coded.tree))
    absent = answers.absent[kept]
    for at, level in enumerate(("", *LEVELS)):
        precision, recall = (without_absent(rate[..., at], absent) for rate in rates)
        family.scores += _of_level(answers.raters, level, precision, recall, kept, k)
    family.per_case = {one.measure.symbol: one.per_case(n) for one in family.scores[:3]}
    hdf1 = family.scores[2]
    reached = hdf1.combine(mean_of_defined(hdf1.values)[hdf1.at])
    family.tables = {
        "rank_shifts": rank_shift_rows(answers.raters, _accuracies(matches, k), reached, k),
        "codes": cut.rows,
    }
    _add_chapters(family, matches, predicted, reference, kept, k)
    if n > len(kept):
        family.findings.append(Finding("no_reference", n - len(kept), n, "HDF1", "with a code of ICD-10 "))
    if k is None:
        family.findings += _lengths(matches)
    family.findings += [Finding("origin", example=note) for note in _silent(matches, rates[0, ..., 0], kept)]
    return family


def _of_level(
    raters: Sequence[str], level: str, precision: Values, recall: Values, cases: NDArray[np.integer], k: int | None
) -> list[Score]:
    """Makes HDP, HDR and HDF1 of the rates [n, r], each with the reason why a rater has none."""
    of_level = f"{level or 'code'} in any case"
    silent, unknown = (np.asarray(np.isnan(rate).all(0)) for rate in (precision, recall))
    said = [f"{rater} gives no {of_level}" if none else "" for rater, none in zip(raters, silent, strict=True)]
    true = [f"the references hold no {of_level}" if none else "" for none in unknown]
    both = ["; ".join(filter(None, reasons)) for reasons in zip(said, true, strict=True)]
    f1 = Score(Measure("hdf1", level, k), raters, cases, **over_two(precision, recall, _f1), reason=both)
    hdp = replace(f1, measure=Measure("hdp", level, k), places=f1.at[:, :1], combine=the_mean, reason=said)
    return [hdp, replace(hdp, measure=Measure("hdr", level, k), places=f1.at[:, 1:], reason=true), f1]


def _f1(means: Values) -> Values:
    return harmonic_mean(means[..., 0], means[..., 1])


def _f1_of_chapter(means: Values) -> Values:
    """Gives 0 where HDR is, whatever HDP might be: a list that enters the chapter nowhere has none."""
    return np.where(means[..., 1] == 0, 0.0, _f1(means))


def _add_chapters(
    family: FamilyScores, matches: Matches, predicted: Nodes, reference: Nodes, kept: NDArray[np.integer], k: int | None
) -> None:
    """Adds the three within each chapter, over its nodes alone, in the cases whose reference has a code in it (Tables 6 and 7).

    The cases of a chapter are resampled among themselves; a case of two chapters counts in both.
    """
    assert matches.codes is not None
    tree = hierarchy(matches.codes.tree)
    raters, of = matches.answers.raters, tree.chapters
    rows: dict[tuple[str, str], Row] = {}
    family.parts["chapters"] = []
    for chapter in np.unique(of[reference][reference >= 0]).tolist():
        inside, label = of[reference] == chapter, chapter_label(tree, chapter)
        at = np.flatnonzero(inside.any(1))
        said, true = (np.where(of[nodes[at]] == chapter, nodes[at], np.int32(-1)) for nodes in (predicted, reference))
        absent = matches.answers.absent[kept[at]]
        rates = [without_absent(rate[..., 0], absent) for rate in overlap(said, true, tree)]
        f1 = Score(Measure("hdf1", label, k), raters, kept[at], **over_two(rates[0], rates[1], _f1_of_chapter))
        family.parts["chapters"].append(f1)
        named = {"chapter": tree.codes[chapter], "chapter_name": tree.names[chapter], "codes": label}
        counts = {"n_cases": len(at), "n_diagnoses": int(inside.sum()), "n_codes": len(np.unique(reference[inside]))}
        few = f"{len(at)} case{'s' * (len(at) > 1)} only" if len(at) < FEW else ""
        for rater, hdp, hdr in zip(raters, *(mean_of_defined(rate).tolist() for rate in rates), strict=True):
            rows[label, rater] = {
                **named, "algorithm": rater, **counts, "HDP": known(hdp), "HDR": known(hdr), "HDF1": None, "low": None, "high": None,
                "reason": few,
            }  # fmt: skip
    family.tested, family.shown["chapters"] = ("chapters",), partial(_chapter_rows, rows)


def _chapter_rows(of: Mapping[tuple[str, str], Row], rows: Sequence[Row]) -> list[Row]:
    """Fills HDF1 and its interval into the row of each chapter and rater."""
    by = {(row["of"], row["algorithm"]): row for row in rows}
    return [row | {"HDF1": by[key]["value"], "low": by[key]["low"], "high": by[key]["high"]} for key, row in of.items()]


def _accuracies(matches: Matches, k: int | None) -> dict[str, Values]:
    """Computes top-k accuracy, judge -> [r], of the final diagnosis where there is one; at 5 of whole lists, as in the source."""
    absent, hits_by, judged = matches.answers.absent, reference_hits(final_answers(matches)), judged_hits(matches)
    hits_by |= {BY_JUDGE: judged} if judged else {}
    return {
        judge: mean_of_defined(without_absent(hits[there, :, : k or ACCURACY].any(-1).astype(float), absent[there]))
        for judge, (hits, there) in hits_by.items()
    }


def rank_shift_rows(raters: Sequence[str], accuracies: Mapping[str, Values], hdf1: Values, k: int | None) -> list[Row]:
    """Counts how many places each rater gains from each top-k accuracy to HDF1.

    accuracies : judge -> [r]. hdf1 : [r], at k; of whole lists with None. Place 1 is the best, equals share the better place; raters
    without both values have none.
    """
    rows: list[Row] = []
    for judge, accuracy in accuracies.items():
        both = ~np.isnan(accuracy + hdf1)
        before, after = (
            1 + (values[None] > values[:, None]).sum(1)
            for values in (np.where(both, of, np.nan) for of in (accuracy, hdf1))
        )
        top, to = Measure("top_k_accuracy", judge, k or ACCURACY).name, Measure("hdf1", k=k).name
        rows += [
            {
                "algorithm": raters[i],
                "from": top,
                "from_value": float(accuracy[i]),
                "from_rank": int(before[i]),
                "to": to,
                "to_value": float(hdf1[i]),
                "to_rank": int(after[i]),
                "shift": int(before[i] - after[i]),
            }
            for i in np.flatnonzero(both).tolist()
        ]
    return rows


def _lengths(matches: Matches) -> list[Finding]:
    """Finds lists of such different lengths that HDF1 says little of which is better."""
    raters = matches.answers.raters
    mean = mean_of_defined(without_absent(matches.answers.lengths, matches.answers.absent))
    mean[mean == 0] = np.nan  # who names nothing is told already
    if not np.isnan(mean).all():
        short, long = int(np.nanargmin(mean)), int(np.nanargmax(mean))
        if mean[long] > _UNLIKE * max(mean[short], 1):
            told = f"{raters[long]} names {mean[long]:.1f} diagnoses a case, {raters[short]} {mean[short]:.1f}"
            return [Finding("unlike_lengths", place="HDF1", example=told)]
    return []


def _silent(matches: Matches, precision: Values, kept: NDArray[np.integer]) -> list[str]:
    there = ~matches.answers.absent[kept]
    silent = (np.isnan(precision) & there).sum(0).tolist()
    return [
        f"in {none:,} of {of:,} cases {rater} gives no code: they are not in its HDP, and 0 in its HDR."
        for rater, none, of in zip(matches.answers.raters, silent, there.sum(0).tolist(), strict=True)
        if none
    ]
