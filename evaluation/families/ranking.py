"""Ranked answers against the right ones: top-k accuracy, MRR and nDCG of each rater."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ..lists.lists import Lists
from ..matches.reference_matches import shared_matches
from ..metrics import REGISTRY
from ..metrics.ranking import DEPTH, normalised_gains, reciprocal_ranks
from ..statistics.estimates import estimates, table_rows
from ..statistics.measure import Measure, without_absent
from ..statistics.section import Context, Section, spread_over
from .final_diagnosis import ranked_answers, told_final
from .icd_lists import why_no_codes
from .reference_gains import reference_gains
from .reference_hits import BY_CODE, BY_M, reference_hits

NAME, TITLE = "ranking", "Ranked answers against the right ones"
TOP = (1, 3, 5, 10)


def missing(lists: Lists, context: Context) -> str | None:
    """What is missing where no case has a reference, nor a code of one."""
    if any(lists.reference) or why_no_codes(lists, context) is None:
        return None
    return "right answers: the column reference, rows with the role reference, or the option 'references'"


def compute(lists: Lists, context: Context) -> Section:
    """Every rater that is not the reference, in the cases that have one.

    Top-k accuracy by M, and where codes are known by code and by category, at `TOP` as far as lists go and at k; the reciprocal rank
    of the first match among ten; and nDCG at ten. Where references are codes alone, ranks are by code and there is no nDCG.
    """
    final = told_final(lists)
    lists, context = ranked_answers(lists, context)
    hits = reference_hits(lists, context)
    notes: list[str] = []
    measures: list[Measure] = []
    ranks = top_ranks(lists, context.k_of(NAME))
    per_case: dict[str, list[Any]] = {}
    for judge, (named, known) in hits.items():
        cases = np.flatnonzero(known)
        reached = np.logical_or.accumulate(named[cases], -1)
        absent = lists.absent[cases]
        for k in ranks:
            column = without_absent(reached[..., min(k, reached.shape[-1]) - 1].astype(float), absent)
            measures.append(Measure("top_k_accuracy", lists.raters, (column,), cases, of=judge, k=k))
            if judge == BY_M or BY_M not in hits:
                name = REGISTRY["top_k_accuracy"].printed(k, of=judge)
                per_case[name] = spread_over(column, cases, len(lists.cases))
    first = BY_M if BY_M in hits else BY_CODE
    named, known = hits[first]
    cases = np.flatnonzero(known)
    absent = lists.absent[cases]
    reciprocal = without_absent(reciprocal_ranks(named[cases, :, :DEPTH]), absent)
    measures.append(Measure("mrr", lists.raters, (reciprocal,), cases, of="" if first == BY_M else BY_CODE))
    per_case[REGISTRY["mrr"].symbol] = spread_over(reciprocal, cases, len(lists.cases))
    if first == BY_M:
        gains, told = reference_gains(lists, context)
        column = normalised_gains(gains[cases], shared_matches(lists, context).given[cases], DEPTH)
        column = without_absent(column, absent)
        measures.append(Measure("ndcg", lists.raters, (column,), cases, k=DEPTH))
        per_case[REGISTRY["ndcg"].printed(DEPTH)] = spread_over(column, cases, len(lists.cases))
        notes += told
    if (without := len(lists.cases) - len(cases)) and not final:
        notes.append(
            f"{without:,} of {len(lists.cases):,} cases have no reference diagnosis and are left out of ranks."
        )
    found = estimates(measures, lists.cases, context)
    rows = table_rows(found, context)
    return Section(
        NAME, TITLE, rows=rows, per_case=per_case, words=_words(rows, first), notes=notes, estimates=found,
        warnings=[*final, *_warnings(lists, cases)],
    )  # fmt: skip


def top_ranks(lists: Lists, k: int | None) -> list[int]:
    """The k of top-k accuracy: those of `TOP` that some list reaches, and the one asked for."""
    longest = int(lists.lengths.max(initial=1))
    return sorted({*([] if k is None else [k]), *(rank for rank in TOP if rank <= max(1, longest))})


def _warnings(lists: Lists, cases: NDArray[np.integer]) -> list[str]:
    """Lists that are not there: each rater has a number of cases of its own."""
    gone = lists.absent[cases].sum(0)
    told = [f"{rater} in {int(n):,}" for rater, n in zip(lists.raters, gone.tolist(), strict=True) if n]
    if not told:
        return []
    return [
        f"Without a list, of {len(cases):,} cases: {', '.join(told)}. They are out of that rater's figures; two raters are compared in the "
        "cases that both have."
    ]


def _words(rows: Sequence[Row], judge: str) -> list[str]:
    """How often the first diagnosis is right."""
    symbol = REGISTRY["top_k_accuracy"].symbol
    of_first = [row for row in rows if (row["metric"], row["of"], row["k"]) == (symbol, judge, 1)]
    known = sorted((row for row in of_first if row["value"] is not None), key=lambda row: -row["value"])
    if not known:
        return []
    by = "" if judge == BY_M else f" by {judge}"
    told = ", ".join(f"{row['algorithm']} {row['value']:.0%}" for row in known)
    return [f"The first diagnosis is right{by}: {told} of cases."]
