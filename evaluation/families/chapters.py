"""HDP, HDR and HDF1 within each chapter of ICD-10: over the nodes of that chapter alone (H-DDx, Tables 6 and 7)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row, known
from ...terms.icd.ancestor_sets import Nodes, Paths, overlap
from ...terms.icd.tree import IcdTree
from ..metrics.hierarchical import harmonic_mean, opened
from ..statistics.estimates import estimate_row
from ..statistics.measure import Estimate, Measure, Values, without_absent
from ..statistics.section import Context
from ..statistics.subgroups import FEW

_RANGE = re.compile(r"\(([A-Z][0-9A-Z]{2}-[A-Z][0-9A-Z]{2})\)$")


@dataclass(frozen=True)
class Chapter:
    """A chapter that a reference has a code in.

    node : its number in the tree. cases : int, places among the coded cases of those whose reference has a code in it.
    n_diagnoses : codes of these references in it. n_codes : different ones.
    """

    node: int
    cases: NDArray[np.intp]
    n_diagnoses: int
    n_codes: int

    def label(self, tree: IcdTree) -> str:
        """As `label_of`."""
        return label_of(tree, self.node)


def label_of(tree: IcdTree, chapter: int) -> str:
    """The range of its codes where its name tells it, "J00-J99"; else "chapter X"."""
    found = _RANGE.search(tree.name(chapter))
    return found[1] if found else f"chapter {tree.code(chapter)}"


def chapters_of(reference: Nodes, paths: Paths) -> list[Chapter]:
    """In the order of the tree. reference : int32 [n, D], the nodes of each case's reference; -1 fills."""
    of = paths.nodes[0][reference]
    return [
        Chapter(
            chapter,
            np.flatnonzero((of == chapter).any(1)),
            int((of == chapter).sum()),
            len(np.unique(reference[of == chapter])),
        )
        for chapter in np.unique(of[of >= 0]).tolist()
    ]


def chapter_measures(
    chapter: Chapter,
    predicted: Nodes,
    reference: Nodes,
    absent: NDArray[np.bool_],
    kept: NDArray[np.intp],
    raters: Sequence[str],
    paths: Paths,
    label: str,
    k: int | None,
) -> list[Measure]:
    """HDP, HDR and HDF1 of both augmented sets as far as they lie in the chapter, in the cases whose reference has a code in it.

    predicted : int32 [n, r, K]; reference : int32 [n, D]; absent : bool [n, r]; kept : int [n], the cases among those of the lists.

    A list that enters the chapter nowhere has no HDP there and an HDR of 0, as over all nodes; where that is so of all of a
    rater's lists, its HDF1 is 0, the harmonic mean of 0 with whatever HDP might be.
    """
    at = chapter.cases
    of = paths.nodes[0]
    said, true = (np.where(of[nodes[at]] == chapter.node, nodes[at], np.int32(-1)) for nodes in (predicted, reference))
    found = overlap(said, true, paths)
    columns = [
        without_absent(np.ascontiguousarray(part[..., 0]), absent[at]) for part in (found.precision, found.recall)
    ]
    nowhere = [bool(np.isnan(column).all()) for column in columns[0].T]
    reason = [
        f"{rater} gives no code of {label} in these cases" if none else ""
        for rater, none in zip(raters, nowhere, strict=True)
    ]
    shared = {"raters": list(raters), "cases": kept[at], "of": label, "k": k}
    return [
        Measure("hdp", columns=(columns[0],), reason=reason, **shared),
        Measure("hdr", columns=(columns[1],), **shared),
        Measure("hdf1", columns=tuple(columns), combine=_f1, **shared),
    ]  # fmt: skip


def _f1(means: Values) -> Values:
    precision, recall = means[..., 0], means[..., 1]
    return np.where(recall == 0, 0.0, harmonic_mean(precision, recall))


def chapter_rows(
    chapters: Sequence[Chapter], found: Sequence[Sequence[Estimate]], tree: IcdTree, context: Context
) -> list[Row]:
    """A row for each chapter and rater. found : for each chapter HDP, HDR and HDF1; the interval is HDF1's.

    The cases of a chapter are resampled among themselves; a case of two chapters counts in both.
    """
    rows: list[Row] = []
    for chapter, parts in zip(chapters, found, strict=True):
        counts = {
            "n_cases": len(chapter.cases),
            "n_diagnoses": chapter.n_diagnoses,
            "n_codes": chapter.n_codes,
        }
        of = {"chapter": tree.code(chapter.node), "chapter_name": tree.name(chapter.node), "codes": chapter.label(tree)}
        for i, rater in enumerate(parts[0].measure.raters):
            named = {one.measure.metric.upper(): known(float(one.value[i])) for one in parts}
            ends = {end: estimate_row(parts[-1], i, context)[end] for end in ("low", "high")}
            reason = (
                f"{len(chapter.cases)} case{'s' * (len(chapter.cases) > 1)} only" if len(chapter.cases) < FEW else ""
            )
            rows.append({**of, "algorithm": rater, **counts, **named, **ends, "reason": reason})
    return rows


def chapters_of_cases(context: Context) -> list[str | None] | None:
    """The chapters of each case's references, apart by "|", None where it has none; None where no family has looked up codes."""
    found = context.made.get("icd_lists")
    if found is None:
        return None
    tree, paths = opened(context.icd_source)
    of = paths.nodes[0][found.reference]
    label = {node: label_of(tree, node) for node in np.unique(of[of >= 0]).tolist()}
    return ["|".join(label[node] for node in sorted({n for n in row if n >= 0})) or None for row in of.tolist()]


def chapter_notes(chapters: Sequence[Chapter], tree: IcdTree) -> list[str]:
    """What the table of chapters is of, and which chapters it lacks."""
    there = {chapter.node for chapter in chapters}
    roots = np.flatnonzero(tree.parents < 0).tolist()
    without = [label_of(tree, node) for node in roots if node not in there]
    notes = [
        "By chapter, HDP, HDR and HDF1 are counted over the nodes of that chapter alone, in the cases whose reference has a code in it; "
        "a case of two chapters counts in both."
    ]
    if without:
        notes.append(f"Chapters without a case, so without a row: {', '.join(without)}.")
    return notes
