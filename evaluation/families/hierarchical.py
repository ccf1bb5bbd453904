"""HDP, HDR and HDF1 of each rater against the reference, by level and by chapter; how places shift from top-k accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...pages.rows import Row
from ...terms.icd.ancestor_sets import LEVELS, Overlap, overlap
from ..lists.lists import Lists
from ..metrics import REGISTRY
from ..metrics.hierarchical import harmonic_mean, mean_of_defined, opened
from ..statistics.estimates import estimates, table_rows
from ..statistics.list_lengths import ACCURACY
from ..statistics.measure import Measure, Values, without_absent
from ..statistics.section import Context, Section, spread_over
from .chapters import chapter_measures, chapter_notes, chapter_rows, chapters_of
from .final_diagnosis import ranked_answers
from .icd_lists import icd_depth, shared_icd_lists, why_no_codes
from .reference_hits import reference_hits

NAME, TITLE = "hierarchical", "Hierarchical, by ICD-10"
_PARTS = ("hdp", "hdr")
_UNLIKE = 1.5
"""How many times as long one model's lists may be as another's before it is said."""


def missing(lists: Lists, context: Context) -> str | None:
    """The column, or the mapping, without which nothing can be computed."""
    return why_no_codes(lists, context)


@dataclass(frozen=True)
class _Cases:
    """The n cases whose reference has a code. rates : HDP and HDR, over all levels and at each: 5 arrays float64 [n, r]."""

    kept: NDArray[np.intp]
    rates: Mapping[str, Sequence[Values]]


def compute(lists: Lists, context: Context) -> Section:
    """Every rater that is not the reference is judged, in the cases whose reference has a code.

    Tables: chapters (each chapter of the references, over its own nodes), rank_shifts (from top-k accuracy to HDF1), without_a_code (of each rater's diagnoses and of
    the references, where there are such: they count as no hit).

    Raises
    ------
    InputError
        For codes that cannot be right, and where no case's reference has a code.
    """
    tree, paths = opened(context.icd_source)
    coded = shared_icd_lists(lists, context).top(context.k_of(NAME))
    kept = np.flatnonzero((coded.reference >= 0).any(1))
    if not len(kept):
        raise InputError(
            "no case has a reference with an ICD-10 code",
            source=lists.source, allowed="codes of the reference, or names that can be mapped to ICD-10",
        )  # fmt: skip
    predicted, reference = coded.predicted[kept], coded.reference[kept]
    found = overlap(predicted.reshape(len(kept), len(lists.raters), -1), reference, paths)
    absent = lists.absent[kept]
    rates = [without_absent(part, absent) for part in (found.precision, found.recall)]
    # contiguous, and each in one array that HDF1 shares
    of_level = [[np.ascontiguousarray(part[..., level]) for level in range(1 + len(LEVELS))] for part in rates]
    cases = _Cases(kept, dict(zip(_PARTS, of_level, strict=True)))
    values = estimates(_measures(lists, cases, context.k_of(NAME)), lists.cases, context)
    hdf1 = next(one.value for one in values if one.measure.metric == "hdf1")
    shifts = rank_shift_rows(lists.raters, _accuracies(lists, context), hdf1, context.k_of(NAME))
    chapters = chapters_of(reference, paths)
    flat = predicted.reshape(len(kept), len(lists.raters), -1)
    of_chapters = [
        estimates(
            chapter_measures(
                one, flat, reference, absent, kept, lists.raters, paths, one.label(tree), context.k_of(NAME)
            ),
            lists.cases,
            context,
        )
        for one in chapters
    ]
    per_case = {metric.upper(): cases.rates[metric][0] for metric in _PARTS}
    per_case["HDF1"] = harmonic_mean(per_case["HDP"], per_case["HDR"])
    return Section(
        NAME,
        TITLE,
        rows=table_rows(values, context),
        tables={
            "chapters": chapter_rows(chapters, of_chapters, tree, context),
            "rank_shifts": shifts,
            "without_a_code": coded.coded if coded.without else [],
        },
        per_case={name: spread_over(of_case, kept, len(lists.cases)) for name, of_case in per_case.items()},
        words=_words(lists.raters, hdf1, shifts, context.k_of(NAME), coded.without),
        notes=[*coded.notes, *_notes(lists, found, kept), *chapter_notes(chapters, tree)],
        warnings=_warnings(lists, context),
        estimates=values,
        estimates_of_parts=[hdf1_there for _, _, hdf1_there in of_chapters],
    )


def _warnings(lists: Lists, context: Context) -> list[str]:
    """That lists are too long to be looked at whole, or of such different lengths that HDF1 says little of which is better."""
    if context.k_of(NAME) is not None:
        return []
    said = []
    depth = icd_depth(lists, context)
    if longer := int((lists.lengths > depth).sum()):
        many = "1 list is" if longer == 1 else f"{longer:,} lists are"
        said.append(
            f"HDF1 takes whole lists up to {depth:,} diagnoses; {many} longer, and what stands beyond is not looked at."
        )
    means = {
        rater: float(lists.lengths[~lists.absent[:, i], i].mean())
        for i, rater in enumerate(lists.raters)
        if not lists.absent[:, i].all()
    }
    shortest, longest = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    if means[longest] > _UNLIKE * max(means[shortest], 1):
        said.append(
            f"HDF1 is over whole lists, and a longer one costs precision: {longest} names {means[longest]:.1f} diagnoses a case, "
            f"{shortest} {means[shortest]:.1f}. A k of the family hierarchical compares lists of one length."
        )
    return said


def _measures(lists: Lists, cases: _Cases, k: int | None) -> list[Measure]:
    """HDP, HDR and HDF1, over all levels and then at each."""
    measures = []
    for at, level in enumerate(("", *LEVELS)):
        columns = {part: cases.rates[part][at] for part in _PARTS}
        why = {part: _reasons(lists, part, level, column) for part, column in columns.items()}
        both = ["; ".join(filter(None, reasons)) for reasons in zip(*why.values(), strict=True)]
        shared = {"raters": lists.raters, "cases": cases.kept, "of": level, "k": k}
        measures += [Measure(part, columns=(column,), reason=why[part], **shared) for part, column in columns.items()]
        measures.append(Measure("hdf1", columns=tuple(columns.values()), combine=_f1, reason=both, **shared))
    return measures


def _f1(means: Values) -> Values:
    return harmonic_mean(means[..., 0], means[..., 1])


def _reasons(lists: Lists, part: str, level: str, column: Values) -> list[str]:
    """For each rater, why there is no value; "" where there is one."""
    of_level = f"{level or 'code'} in any case"
    nothing = np.asarray(np.isnan(column).all(0))
    said = [
        f"{rater} gives no {of_level}" if part == "hdp" else f"the references hold no {of_level}"
        for rater in lists.raters
    ]
    return [why if none else "" for why, none in zip(said, nothing.tolist(), strict=True)]


def _accuracies(lists: Lists, context: Context) -> dict[str, Values]:
    """judge -> [r], top-k accuracy at k, of the final diagnosis where there is one; at 5 of whole lists, as in the source."""
    k = context.k_of(NAME) or ACCURACY
    return {
        judge: mean_of_defined(without_absent(hits[known, :, :k].any(-1).astype(float), lists.absent[known]))
        for judge, (hits, known) in reference_hits(*ranked_answers(lists, context)).items()
    }


def rank_shift_rows(raters: Sequence[str], accuracies: Mapping[str, Values], hdf1: Values, k: int | None) -> list[Row]:
    """How many places each rater gains from each top-k accuracy to HDF1.

    accuracies : judge -> [r]. hdf1 : [r], at k; of whole lists with None. Place 1 is the best, equals share the better place; raters without both
    values have none.
    """
    rows: list[Row] = []
    for judge, accuracy in accuracies.items():
        both = ~np.isnan(accuracy) & ~np.isnan(hdf1)
        before, after = (_places(np.where(both, values, np.nan)) for values in (accuracy, hdf1))
        for i in np.flatnonzero(both).tolist():
            rows.append(
                {
                    "algorithm": raters[i],
                    "from": REGISTRY["top_k_accuracy"].printed(k or ACCURACY, of=judge),
                    "from_value": float(accuracy[i]),
                    "from_rank": int(before[i]),
                    "to": REGISTRY["hdf1"].printed(k),
                    "to_value": float(hdf1[i]),
                    "to_rank": int(after[i]),
                    "shift": int(before[i] - after[i]),
                }
            )
    return rows


def _places(values: Values) -> NDArray[np.int64]:
    return (values[None] > values[:, None]).sum(1) + 1


def _words(raters: list[str], hdf1: Values, shifts: list[Row], k: int | None, without: str) -> list[str]:
    best_first = [i for i in np.argsort(-hdf1, kind="stable").tolist() if not np.isnan(hdf1[i])]
    told = ", ".join(f"{raters[i]} {hdf1[i]:.3f}" for i in best_first)
    no_hit = f" No ICD-10 code, so no hit: {without}." if without else ""
    words = [f"{REGISTRY['hdf1'].printed(k)} against the reference: {told}.{no_hit}"] if told else []
    moved = max(shifts, key=lambda row: abs(row["shift"]), default=None)
    if moved and moved["shift"]:
        before, after = (f"in place {moved[f'{side}_rank']} by {moved[side]}" for side in ("from", "to"))
        words.append(f"{moved['algorithm']} is {before}, {after}.")
    return words


def _notes(lists: Lists, found: Overlap, kept: NDArray[np.integer]) -> list[str]:
    notes = []
    left_out = len(lists.cases) - len(kept)
    if left_out:
        notes.append(f"{left_out:,} of {len(lists.cases):,} cases have no code of a reference and are left out here.")
    for i, rater in enumerate(lists.raters):
        there = ~lists.absent[kept, i]
        silent = int((found.predicted[there, i, 0] == 0).sum())
        if silent:
            notes.append(
                f"{rater} gives no code in {silent:,} of {int(there.sum()):,} cases: they are not in its HDP, and 0 in its HDR."
            )
    return notes
