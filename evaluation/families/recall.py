"""Recall of the reference diagnoses by every rater's list, with M or with a judge."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row, known
from ..lists.lists import Lists
from ..matches.reference_matches import shared_matches
from ..metrics import REGISTRY
from ..metrics.recall import found_in, prompt_spread
from ..statistics.estimates import estimates, table_rows
from ..statistics.measure import Measure, ratio, without_absent
from ..statistics.section import Context, Section, spread_over

NAME, TITLE = "recall", "Recall of the reference diagnoses"

_VARIANT = re.compile(r"(?P<algorithm>.*\S)\s*\[(?P<prompt>[^\[\]]+)\]")


def missing(lists: Lists, context: Context) -> str | None:
    """What is missing where no case has a reference diagnosis."""
    return None if any(lists.reference) else "the column reference, or rows with the role reference"


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
) -> Section:
    """Disease- and patient-level recall of each rater in the cases `kept`, with intervals over these.

    hits : bool [kept cases, r, K, D]. given : bool [kept cases, D]. of : who decided on the hits, where that is not M;
        top-k accuracy is then told too (with M, the ranking family tells it).

    Raters whose names end in brackets, "gpt4 [free]", "gpt4 [role]", are one algorithm under several prompts: the table
    "prompts" holds the mean and the standard deviation over them, for algorithms of two prompts or more.
    """
    k = context.k_of(NAME)
    found, there = found_in(hits, given, k)
    raters, absent = lists.raters, lists.absent[kept]
    sizes = np.broadcast_to(there.sum(-1), (len(kept), len(raters)))
    found_of, all_of = (without_absent(part.astype(float), absent) for part in (found.sum(-1), sizes))
    shared: dict[str, Any] = {"raters": raters, "cases": kept, "of": of, "k": k}
    whole = without_absent((found | ~there).all(-1).astype(float), absent)
    measures = [
        Measure("disease_recall", columns=(found_of, all_of), combine=ratio, **shared),
        Measure("patient_recall", columns=(whole,), **shared),
    ]
    if of:
        named = without_absent(found.any(-1).astype(float), absent)
        measures.append(Measure("top_k_accuracy", columns=(named,), **shared))
    values = estimates(measures, lists.cases, context)
    rows = table_rows(values, context)
    prompts = prompt_rows(rows)
    return Section(
        NAME,
        TITLE,
        rows=rows,
        tables={"prompts": prompts} if prompts else {},
        per_case={"share of the reference found": spread_over(found_of / all_of, kept, len(lists.cases))},
        words=_words(rows, k),
        estimates=values,
    )


def prompt_rows(rows: Sequence[Row]) -> list[Row]:
    """algorithm, metric, name, prompts, n_prompts, mean and sd of the algorithms that came under several prompts."""
    groups: dict[tuple[str, str], list[tuple[str, Row]]] = {}
    for row in rows:
        if variant := _VARIANT.fullmatch(row["algorithm"]):
            groups.setdefault((variant["algorithm"], row["name"]), []).append((variant["prompt"], row))
    out: list[Row] = []
    for (algorithm, name), members in groups.items():
        if len(members) < 2:
            continue
        values = np.array([np.nan if row["value"] is None else row["value"] for _, row in members])
        out.append(
            {
                "algorithm": algorithm,
                "metric": members[0][1]["metric"],
                "name": name,
                "prompts": ", ".join(prompt for prompt, _ in members),
                "n_prompts": len(members),
                "mean": known(float(values.mean())),
                "sd": known(float(prompt_spread(values))),
            }
        )
    return out


def _words(rows: Sequence[Row], k: int | None) -> list[str]:
    """What the best rater finds."""
    of_diseases = [row for row in rows if row["metric"] == REGISTRY["disease_recall"].symbol]
    of_diseases = [row for row in of_diseases if row["value"] is not None]
    if not of_diseases:
        return []
    best = max(of_diseases, key=lambda row: row["value"])
    first = "lists name" if k is None else "first diagnosis names" if k == 1 else f"first {k} diagnoses name"
    most = "; no other rater's name more" if len(of_diseases) > 1 else ""
    return [f"Of all reference diagnoses, {best['algorithm']}'s {first} {best['value']:.0%}{most}."]
