"""How well a judge, M or a language model, agrees with humans: accuracy, precision, recall, F1 and kappa, with intervals over cases.

ClinBench-HPB, §3.2, prints the first of them: 97.5 % with physicians on 393 Chinese diseases, 97.7 % on 132 English ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...pages.rows import Row
from ..lists.lists import Lists
from ..matches.reference_matches import match_references
from ..statistics.section import Context, Section
from ..statistics.two_verdicts import agreement_of
from .human import MAJORITY, HumanLabels
from .judged import NOT_ASKED, Item, Judgements
from .labels import NO_LABEL

NAME = "human"
M, JUDGE, BOTH = "M", "judge", "judge and check"


def verdicts_of(judgements: Judgements) -> dict[str, NDArray[np.int8]]:
    """The judge alone, and with the check where there is one: int8 [n, r, D], 1, 0, or below 0 without a verdict.

    What the judge was not asked about counts as it was decided.
    """
    alone = np.where(judgements.judge == NOT_ASKED, judgements.included, judgements.judge).astype(np.int8)
    return {JUDGE: alone, **({BOTH: judgements.included} if judgements.checked_by else {})}


def agreement_section(
    lists: Lists, human: HumanLabels, verdicts: Mapping[str, NDArray[np.int8]], context: Context
) -> Section:
    """The table "agreement": who, against, metric, value, low, high, undefined_repeats, reason, items, included, n_cases.

    verdicts : by name, int8 [n, r, D], those of M and of the judges; all are compared on the same items, those that each of them has a verdict
    on. against : the human, or where there are several the majority of them, each of them, and each two of them with each other. included :
    how many of the items the second of the two includes.

    Raises
    ------
    InputError
        Where no labelled item has a verdict of all.
    """
    said = {who: np.array([int(of[item]) for item in human.items], np.int64) for who, of in verdicts.items()}
    known = np.logical_and.reduce([one >= 0 for one in said.values()])
    if not (known & (human.labels != NO_LABEL).any(1)).any():
        allowed = "at least one labelled item on which the judge gives a verdict"
        raise InputError("no labelled item has a verdict of every judge", source=lists.source, allowed=allowed)
    columns = {who: human.labels[:, i].astype(np.int64) for i, who in enumerate(human.humans)}
    several = len(columns) > 1
    against = {MAJORITY: human.majority.astype(np.int64), **columns} if several else columns
    pairs = [(who, of, said[who], label, known) for of, label in against.items() for who in said]
    pairs += [
        (one, other, columns[one], columns[other], np.ones_like(known)) for one, other in combinations(columns, 2)
    ]
    rows: list[Row] = []
    notes: list[str] = []
    for who, of, one, other, there in pairs:
        kept = there & (one >= 0) & (other >= 0)
        rows += _rows(who, of, one, other, kept, lists, human.items, context)
    if out := int((~known).sum()):
        notes.append(
            f"{out:,} of {len(known):,} labelled items are left out for all: one of the judges gave no verdict on them."
        )
    if several and (ties := int((human.majority == NO_LABEL).sum())):
        notes.append(f"{ties:,} of {len(known):,} items have no majority of the humans.")
    return Section(NAME, "Agreement with human labels", tables={"agreement": rows}, notes=notes, words=_words(rows))


def against_humans(lists: Lists, human: HumanLabels, judgements: Judgements | None, context: Context) -> Section:
    """`agreement_section` of M over whole lists, and of a judge where there is one. Errors: those of `agreement_section`."""
    found = match_references(lists, context.matcher, 1, context.progress, whole=True).found
    verdicts = {M: found.astype(np.int8), **({} if judgements is None else verdicts_of(judgements))}
    return agreement_section(lists, human, verdicts, context)


def _rows(
    who: str,
    of: str,
    one: NDArray[np.int64],
    other: NDArray[np.int64],
    kept: NDArray[np.bool_],
    lists: Lists,
    items: list[Item],
    context: Context,
) -> list[Row]:
    at = np.flatnonzero(kept)
    cases = [lists.cases[items[i][0]] for i in at]
    found = agreement_of(one[at] == 1, other[at] == 1, cases, context)
    counts = {"items": len(at), "included": int(other[at].sum()), "n_cases": found.n_cases}
    return [{"who": who, "against": of, "metric": name, **row, **counts} for name, row in found.measures.items()]


def _words(rows: list[Row]) -> list[str]:
    """One sentence on each judge, against the human or the majority."""
    first = rows[0]["against"]
    out: list[str] = []
    for row in rows:
        if row["metric"] == "accuracy" and row["against"] == first and row["value"] is not None:
            whom = "the majority of the humans" if first == MAJORITY else "the human labels"
            who = "M" if row["who"] == M else f"The {row['who']}"
            agrees = "agree" if row["who"] == BOTH else "agrees"
            interval = "" if row["low"] is None else f" ({row['low']:.1%} to {row['high']:.1%})"
            out.append(f"{who} {agrees} with {whom} on {row['value']:.1%}{interval} of {row['items']:,} items.")
    return out
