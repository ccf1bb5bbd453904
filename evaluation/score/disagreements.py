"""The cases to look at: where an algorithm and its panel differ most, with the lists and what M made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ..match.matches import Matches
from ..match.pairs import PeerMatches
from ..read.lists import ABSENT, ALGORITHM, EXPERT, REFERENCE

SHOWN = 24
"""Cases in all; each algorithm gets its share, from 2 to 10."""
_NOTHING = {"nearest": None, "probability": None, "match": None}


def disagreement_rows(matches: Matches, ae: NDArray[Any], ee: NDArray[Any], mu: NDArray[Any], k: int) -> list[Row]:
    """Lists the diagnoses of the cases with the largest `mean mu_EE - mean mu_AE`, above 0, of each algorithm.

    ae, ee : int [A, pairs], the columns of `mu` of each algorithm with its experts, and of these. mu : [n, pairs] at k.
    `nearest` is the diagnosis of the other side (the experts', for the algorithm; the algorithm's, for an expert) that M holds
    likeliest to name the same disease, with its probability. The rows of the reference have neither.
    """
    answers, peers = matches.answers, matches.peers
    assert peers is not None
    shown = max(2, min(10, SHOWN // max(1, len(peers.panels))))
    out: list[Row] = []
    for panel, *sides in zip(peers.panels[:SHOWN], ae, ee, strict=False):
        met, among = (mu[:, pairs].mean(1) for pairs in sides)
        gap = among - met
        order = sorted(np.flatnonzero(gap > 0).tolist(), key=lambda case: (-gap[case], answers.cases[case]))
        for case in order[:shown]:
            of_case = {
                "algorithm": answers.raters[panel[0]],
                "case_id": answers.cases[case],
                "mu_AE_mean": float(met[case]),
                "mu_EE_mean": float(among[case]),
            }
            out += [of_case | row for row in _case_rows(matches, panel, peers.top(k), case)]
    return out


def _case_rows(matches: Matches, panel: Sequence[int], peers: PeerMatches, case: int) -> Iterator[Row]:
    answers, entries = matches.answers, peers.entries[case]
    for rank, text in enumerate(answers.reference[case], 1):
        yield {"rater": REFERENCE, "role": REFERENCE, "rank": rank, "diagnosis": text, **_NOTHING}
    own, theirs = (np.unique(side[side >= 0]) for side in (entries[panel[:1]], entries[panel[1:]]))
    for rater in panel:
        role, others = (ALGORITHM, theirs) if rater == panel[0] else (EXPERT, own)
        for rank, entry in enumerate(entries[rater].tolist(), 1):
            if entry == ABSENT:
                break
            row = {"rater": answers.raters[rater], "role": role, "rank": rank, "diagnosis": None, **_NOTHING}
            if entry >= 0:
                row["diagnosis"] = peers.pairs.strings[entry]
            if entry >= 0 and len(others):
                codes = peers.pairs.codes_of(np.full(len(others), entry), others, ordered=False)
                chances = peers.probabilities[np.searchsorted(peers.codes, codes)]
                best = int(chances.argmax())
                row["nearest"], row["probability"] = peers.pairs.strings[others[best]], float(chances[best])
                row["match"] = bool(chances[best] >= matches.m.threshold)
            yield row
