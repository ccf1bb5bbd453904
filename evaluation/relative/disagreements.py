"""The cases to look at: where an algorithm and its panel differ most, with the lists and what M made of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ..lists.lists import ABSENT, ALGORITHM, EXPERT, REFERENCE, Lists, Panel
from ..matches.case_matches import CaseMatches, Entries, pair_codes

SHOWN = 24
"""Cases in all; each algorithm gets its share, from 2 to 10."""


def disagreement_rows(
    read: Lists,
    judged: Sequence[Panel],
    pair_of: NDArray[np.integer],
    mu: NDArray[np.unsignedinteger],
    matches: CaseMatches,
    threshold: float,
) -> list[Row]:
    """One row for each diagnosis of the cases with the largest `mean mu_EE - mean mu_AE`, above 0, of each algorithm.

    pair_of : [raters, raters], the column of `mu` for two raters. mu : [n, pairs] at k.
    matches : of lists cut to k, with the probabilities.
    `nearest` is the diagnosis of the other side (the experts', for the algorithm; the algorithm's, for an expert) that
    M holds likeliest to name the same disease, with its probability. The rows of the reference have neither.
    """
    return [
        {"algorithm": read.raters[panel.algorithm], "case_id": read.cases[case], "mu_AE_mean": met, "mu_EE_mean": among}
        | row
        for panel in judged[:SHOWN]
        for case, met, among in _worst(panel, pair_of, mu, read, len(judged))
        for row in _case_rows(read, panel, matches.entries[case], case, matches, threshold)
    ]


def _worst(
    panel: Panel, pair_of: NDArray[np.integer], mu: NDArray[np.unsignedinteger], read: Lists, panels: int
) -> list[tuple[int, float, float]]:
    """(case, mean mu_AE, mean mu_EE), the largest difference first, equal ones by name."""
    met, among = (mu[:, pairs].mean(1) for pairs in panel.pairs(pair_of))
    gap = among - met
    order = sorted(np.flatnonzero(gap > 0).tolist(), key=lambda case: (-gap[case], read.cases[case]))
    return [(case, float(met[case]), float(among[case])) for case in order[: max(2, min(10, SHOWN // panels))]]


def _case_rows(
    read: Lists, panel: Panel, entries: Entries, case: int, matches: CaseMatches, threshold: float
) -> list[Row]:
    """entries : int32 [raters, k]."""
    own = _said(entries[[panel.algorithm]])
    theirs = _said(entries[list(panel.experts)])
    nothing = {"nearest": None, "probability": None, "match": None}
    rows: list[Row] = [
        {"rater": REFERENCE, "role": REFERENCE, "rank": rank, "diagnosis": text, **nothing}
        for rank, text in enumerate(read.reference[case], 1)
    ]
    for rater in (panel.algorithm, *panel.experts):
        role, others = (ALGORITHM, theirs) if rater == panel.algorithm else (EXPERT, own)
        for rank, entry in enumerate(entries[rater].tolist(), 1):
            if entry == ABSENT:
                break
            told = {"rater": read.raters[rater], "role": role, "rank": rank}
            if entry < 0 or not len(others):
                rows.append(told | {"diagnosis": None if entry < 0 else read.strings[entry], **nothing})
                continue
            chances = _probabilities(matches, entry, others)
            best = int(chances.argmax())
            rows.append(
                told
                | {
                    "diagnosis": read.strings[entry],
                    "nearest": read.strings[others[best]],
                    "probability": float(chances[best]),
                    "match": bool(chances[best] >= threshold),
                }
            )
    return rows


def _said(entries: Entries) -> NDArray[np.integer]:
    """The diagnoses of some lists, each once, ascending."""
    return np.unique(entries[entries >= 0])


def _probabilities(matches: CaseMatches, entry: int, others: NDArray[np.integer]) -> NDArray[np.float32]:
    """M of one diagnosis with each of `others`, from what it was asked for mu."""
    assert matches.probabilities is not None
    codes = pair_codes(np.full(len(others), entry), others, len(matches.strings))
    return matches.probabilities[np.searchsorted(matches.codes, codes)]
