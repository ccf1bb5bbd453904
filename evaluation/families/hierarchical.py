"""HDP, HDR and HDF1 of each rater against the reference, by level and by chapter; top-k accuracy; rank shifts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...pages.rows import Row, known
from ...terms.icd.ancestor_sets import LEVELS, Nodes, Overlap, overlap
from ...terms.icd.tree import IcdTree
from ..lists.lists import Lists
from ..matches.reference_matches import shared_matches
from ..metrics import REGISTRY
from ..metrics.hierarchical import harmonic_mean, mean_of_defined, opened
from ..statistics.bootstrap import by_name, resampled_means
from ..statistics.section import Context, Section, measured, metric_row, spread_over
from .icd_lists import icd_lists, why_no_codes

NAME, TITLE = "hierarchical", "Hierarchical, by ICD-10"
BY_M, BY_CODE, BY_CATEGORY = "M", "code", "category"
_PARTS = ("hdp", "hdr")
_CELLS_PER_BLOCK = 20_000_000
Values = NDArray[np.float64]
Means = tuple[dict[str, Values], dict[str, Values]]
"""Of the data, and of the resamples (one more axis, first): HDP, HDR and HDF1 [r, 5], Acc by judge [r, k]."""


def missing(lists: Lists, context: Context) -> str | None:
    """The column, or the mapping, without which nothing can be computed."""
    return why_no_codes(lists, context.matcher)


@dataclass(frozen=True)
class _Cases:
    """The n cases whose reference has a code: for each rater, values by case.

    rates : float64 [2, n, r, 5], precision and recall, over all levels and at each. hits : judge -> float64 [n, r, k],
        1 where one of the first diagnoses up to a rank is the reference; NaN where the judge has no reference.
    """

    raters: list[str]
    rates: Values
    hits: dict[str, Values]
    order: NDArray[np.intp]

    @property
    def n(self) -> int:
        return self.rates.shape[1]


def compute(lists: Lists, context: Context) -> Section:
    """Every rater that is not the reference is judged, in the cases whose reference has a code.

    Tables: chapters (of the reference), rank_shifts (from top-k accuracy to HDF1), without_a_code (of each rater's diagnoses and of
    the references, where there are such: they count as no hit).

    Raises
    ------
    InputError
        For codes that cannot be right, and where no case's reference has a code.
    """
    tree, paths = opened(context.icd_source)
    coded = icd_lists(lists, context.k, context.matcher, tree, context.icd_source)
    kept = np.flatnonzero((coded.reference >= 0).any(1))
    if not len(kept):
        raise InputError(
            "no case has a reference with an ICD-10 code",
            source=lists.source, allowed="codes of the reference, or names that can be mapped to ICD-10",
        )  # fmt: skip
    predicted, reference = coded.predicted[kept], coded.reference[kept]
    found = overlap(predicted.reshape(len(kept), len(lists.raters), -1), reference, paths)
    cases = _Cases(
        lists.raters,
        np.stack([found.precision, found.recall]),
        _hits(lists, context, predicted, reference, kept, tree),
        by_name([lists.cases[i] for i in kept]),
    )
    means = _means(cases, context)
    hdf1 = means[0]["hdf1"][:, 0]
    shifts = _rank_shift_rows(lists.raters, {judge: means[0][judge][:, -1] for judge in cases.hits}, hdf1, context.k)
    chapters = _chapter_rows(lists.raters, cases.rates[..., 0], paths.nodes[0][reference], cases.order, tree, context)
    per_case = {"HDP": cases.rates[0, :, :, 0], "HDR": cases.rates[1, :, :, 0]}
    per_case["HDF1"] = harmonic_mean(per_case["HDP"], per_case["HDR"])
    return Section(
        NAME,
        TITLE,
        rows=[row for i in range(len(lists.raters)) for row in _rows(i, cases, means, found, context)],
        tables={"chapters": chapters, "rank_shifts": shifts, "without_a_code": coded.coded if coded.without else []},
        per_case={name: spread_over(values, kept, len(lists.cases)) for name, values in per_case.items()},
        words=_words(lists.raters, hdf1, shifts, context.k, coded.without),
        notes=[*coded.notes, *_notes(lists, cases, found, len(kept))],
    )


def _hits(
    lists: Lists, context: Context, predicted: Nodes, reference: Nodes, kept: NDArray[np.integer], tree: IcdTree
) -> dict[str, Values]:
    category = np.append(np.where(tree.categories >= 0, tree.categories, np.arange(len(tree))), -1)
    hits: dict[str, Values] = {
        BY_CODE: _reached(_same(predicted, reference)),
        BY_CATEGORY: _reached(_same(category[predicted], category[reference])),
    }
    if any(lists.reference[i] for i in kept):
        matches = shared_matches(lists, context)
        by_m = _reached(np.asarray(matches.hits[kept].any(-1)))
        by_m[~matches.given[kept].any(1)] = np.nan
        hits[BY_M] = by_m
    return hits


def _same(predicted: NDArray[np.integer], reference: NDArray[np.integer]) -> NDArray[np.bool_]:
    """bool [n, r, k]: one of the nodes of a diagnosis is one of the reference's. In bounded blocks of cases."""
    out = np.empty(predicted.shape[:3], bool)
    step = max(1, _CELLS_PER_BLOCK // (predicted[0].size * reference.shape[1]))
    for start in range(0, len(out), step):
        said, true = predicted[start : start + step, ..., None], reference[start : start + step, None, None, None]
        out[start : start + step] = ((said == true) & (said >= 0)).any((-2, -1))
    return out


def _reached(hits: NDArray[np.bool_]) -> Values:
    return np.logical_or.accumulate(hits, -1).astype(float)


def _means(cases: _Cases, context: Context) -> Means:
    parts = dict(zip(_PARTS, cases.rates, strict=True)) | cases.hits
    flat = np.concatenate([part.reshape(cases.n, -1) for part in parts.values()], 1)
    ends = np.cumsum([part[0].size for part in parts.values()])[:-1]

    def split(means: Values) -> dict[str, Values]:
        pieces = np.split(means, ends, -1)
        named = {
            name: piece.reshape(*means.shape[:-1], *part.shape[1:])
            for (name, part), piece in zip(parts.items(), pieces, strict=True)
        }
        return named | {"hdf1": harmonic_mean(named["hdp"], named["hdr"])}

    return (split(mean_of_defined(flat)), split(resampled_means(flat, context.repeats, context.seed, cases.order)))


def _rows(rater: int, cases: _Cases, means: Means, found: Overlap, context: Context) -> list[Row]:
    name, rows = cases.raters[rater], []
    for at, level in enumerate(("", *LEVELS)):
        of_level = f"{level or 'code'} in any case"
        why = {"hdp": f"{name} gives no {of_level}", "hdr": f"the references hold no {of_level}"}
        nothing = [
            why[part] for part, values in zip(_PARTS, cases.rates, strict=True) if np.isnan(values[:, rater, at]).all()
        ]
        for metric in (*_PARTS, "hdf1"):
            held = {"hdp": found.predicted, "hdr": found.reference}.get(metric)
            rows.append(
                metric_row(
                    name, metric, means[0][metric][rater, at], means[1][metric][:, rater, at], context,
                    of=level, k=context.k, reason=why.get(metric, "; ".join(nothing)),
                    n_cases=cases.n if held is None else int((held[:, rater, at] > 0).sum()),
                )
            )  # fmt: skip
    for judge, hits in cases.hits.items():
        judged = int((~np.isnan(hits[:, rater, 0])).sum())
        for k in range(1, context.k + 1):
            value, repeats = means[0][judge][rater, k - 1], means[1][judge][:, rater, k - 1]
            rows.append(metric_row(name, "top_k_accuracy", value, repeats, context, of=judge, k=k, n_cases=judged))
    return rows


def _chapter_rows(
    raters: Sequence[str],
    rates: Values,
    chapters: NDArray[np.integer],
    order: NDArray[np.integer],
    tree: IcdTree,
    context: Context,
) -> list[Row]:
    """HDP, HDR and HDF1 with its interval, in the cases whose reference has a code in a chapter.

    rates : [2, n, r], precision and recall of each case. chapters : [n, D], nodes; -1 fills. order : [n], as resampled.
    The cases of a chapter are resampled among themselves; a case of two chapters counts in both.
    """
    place = np.argsort(order)
    rows: list[Row] = []
    for chapter in np.unique(chapters[chapters >= 0]).tolist():
        among = (chapters == chapter).any(1)
        n_cases = int(among.sum())
        flat = np.concatenate([part[among] for part in rates], 1)
        data = np.split(mean_of_defined(flat), 2)
        repeats = np.split(resampled_means(flat, context.repeats, context.seed, np.argsort(place[among])), 2, 1)
        value, again = harmonic_mean(*data), harmonic_mean(*repeats)
        for i, rater in enumerate(raters):
            found = measured(value[i], again[:, i], context.level, n_cases, "")
            parts = dict(
                zip(("HDP", "HDR", "HDF1"), [known(float(of_rater[i])) for of_rater in (*data, value)], strict=True)
            )
            ends = {"low": found["low"], "high": found["high"]}
            of = {"chapter": tree.code(chapter), "chapter_name": tree.name(chapter), "algorithm": rater}
            rows.append({**of, "n_cases": n_cases, **parts, **ends})
    return rows


def _rank_shift_rows(raters: Sequence[str], accuracies: Mapping[str, Values], hdf1: Values, k: int) -> list[Row]:
    """How many places each rater gains from each top-k accuracy to HDF1.

    accuracies : judge -> [r]. hdf1 : [r]. Place 1 is the best, equals share the better place; raters without both
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
                    "from": REGISTRY["top_k_accuracy"].printed(k, of=judge),
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


def _words(raters: list[str], hdf1: Values, shifts: list[Row], k: int, without: str) -> list[str]:
    best_first = [i for i in np.argsort(-hdf1, kind="stable").tolist() if not np.isnan(hdf1[i])]
    told = ", ".join(f"{raters[i]} {hdf1[i]:.3f}" for i in best_first)
    no_hit = f" No ICD-10 code, so no hit: {without}." if without else ""
    words = [f"{REGISTRY['hdf1'].printed(k)} against the reference: {told}.{no_hit}"] if told else []
    moved = max(shifts, key=lambda row: abs(row["shift"]), default=None)
    if moved and moved["shift"]:
        before, after = (f"in place {moved[f'{side}_rank']} by {moved[side]}" for side in ("from", "to"))
        words.append(f"{moved['algorithm']} is {before}, {after}.")
    return words


def _notes(lists: Lists, cases: _Cases, found: Overlap, kept: int) -> list[str]:
    notes = []
    left_out = len(lists.cases) - kept
    if left_out:
        notes.append(f"{left_out:,} of {len(lists.cases):,} cases have no code of a reference and are left out here.")
    for i, rater in enumerate(cases.raters):
        silent = int((found.predicted[:, i, 0] == 0).sum())
        if silent:
            notes.append(
                f"{rater} gives no code in {silent:,} of {kept:,} cases: they are not in its HDP, and 0 in its HDR."
            )
    return notes
