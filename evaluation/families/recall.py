"""Recall of the reference diagnoses by every rater's list, with M or with a judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ..lists.lists import Lists
from ..matches.reference_matches import shared_matches
from ..metrics import REGISTRY
from ..metrics.recall import found_in
from ..statistics.estimates import estimates, table_rows
from ..statistics.measure import Measure, ratio, without_absent
from ..statistics.section import Context, Section, spread_over

NAME, TITLE = "recall", "Recall of the reference diagnoses"


def missing(lists: Lists, context: Context) -> str | None:
    """What is missing where no case has a reference diagnosis."""
    return (
        None
        if any(lists.reference)
        else "right answers: the column reference, rows with the role reference, or the option 'references'"
    )


def compute(lists: Lists, context: Context) -> Section:
    """With M, in the cases that have a reference, within the first k diagnoses of each list; by default within all of them."""
    matches = shared_matches(lists, context)
    kept = np.flatnonzero(matches.given.any(1))
    hits = matches.found[:, :, None] if context.k_of(NAME) is None else matches.hits
    section = recall_section(lists, hits[kept], matches.given[kept], kept, context)
    if without := len(lists.cases) - len(kept):
        section.notes.append(f"{without:,} of {len(lists.cases):,} cases have no reference diagnosis, so no recall.")
    return section


def recall_section(
    lists: Lists,
    hits: NDArray[np.bool_],
    given: NDArray[np.bool_],
    kept: NDArray[np.integer],
    context: Context,
    *,
    of: str = "",
    placed: tuple[NDArray[np.integer], Sequence[int]] | None = None,
) -> Section:
    """Disease- and patient-level recall of each rater in the cases `kept`, with intervals over these.

    hits : bool [kept cases, r, K, D]. given : bool [kept cases, D]. of : who decided on the hits, where that is not M: a judge of the whole
        answer. placed : int [kept cases, r, D], at which place of the list, from 1, 0 for none, and the k of the top-k accuracy that is then told
        too (with M, the ranking family tells it).
    """
    k = None if of else context.k_of(NAME)
    found, there = found_in(hits, given, k)
    raters, absent = lists.raters, lists.absent[kept]
    sizes = np.broadcast_to(there.sum(-1), (len(kept), len(raters)))
    found_of, all_of = (without_absent(part.astype(float), absent) for part in (found.sum(-1), sizes))
    shared: dict[str, Any] = {"raters": raters, "cases": kept, "of": of}
    whole = without_absent((found | ~there).all(-1).astype(float), absent)
    measures = [
        Measure("disease_recall", columns=(found_of, all_of), combine=ratio, k=k, **shared),
        Measure("patient_recall", columns=(whole,), k=k, **shared),
    ]
    # of a final diagnosis beside the set of right answers the judge says nothing
    places, ranks = (None if lists.has_final else placed) or (np.zeros(0), ())
    for at in ranks:
        named = ((places > 0) & (places <= at) & there).any(-1)
        columns = (without_absent(named.astype(float), absent),)
        measures.append(Measure("top_k_accuracy", columns=columns, k=at, **shared))
    values = estimates(measures, lists.cases, context)
    rows = table_rows(values, context)
    return Section(
        NAME,
        TITLE,
        rows=rows,
        per_case={
            f"share of the reference found{f', by the {of}' if of else ''}": spread_over(
                found_of / all_of, kept, len(lists.cases)
            )
        },
        words=_words(rows, k, of),
        estimates=values,
    )


def _words(rows: Sequence[Row], k: int | None, of: str) -> list[str]:
    """What the best rater finds."""
    of_diseases = [row for row in rows if row["metric"] == REGISTRY["disease_recall"].symbol]
    of_diseases = [row for row in of_diseases if row["value"] is not None]
    if not of_diseases:
        return []
    best = max(of_diseases, key=lambda row: row["value"])
    first = "answers name" if k is None else "first diagnosis names" if k == 1 else f"first {k} diagnoses name"
    most = "; no other rater's name more" if len(of_diseases) > 1 else ""
    by = f", by the {of}" if of else ""
    return [f"Of all reference diagnoses{by}, {best['algorithm']}'s {first} {best['value']:.0%}{most}."]
