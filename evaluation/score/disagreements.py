"""The cases of a panel: what each rater says beside the experts; and those to look at, where an algorithm and its panel differ most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ..match.cases import CaseTable
from ..match.matches import Matches
from ..match.pairs import Pairs, PeerMatches
from ..read.lists import ABSENT, ALGORITHM, EXPERT, REFERENCE
from .scores import mean_of_defined

SHOWN = 24
"""Cases in all; each algorithm gets its share, from 2 to 10."""
_NOTHING = {"nearest": None, "probability": None, "match": None}


@dataclass(frozen=True)
class BesideExperts:
    """What the experts say beside each diagnosis, in the place of right answers: of `CaseTable`.

    An algorithm stands beside its experts (in turn: beside all others), an expert beside the other experts.
    """

    peers: PeerMatches
    lacking: str = "no expert gives a diagnosis"

    @property
    def pairs(self) -> Pairs:
        """Those that M was asked."""
        return self.peers.pairs

    @property
    def said(self) -> NDArray[np.int32]:
        """int32 [n, r, K], the diagnoses in `pairs.strings`; negative where there is none."""
        return self.peers.entries

    @cached_property
    def judges(self) -> NDArray[np.bool_]:
        """bool [r, r]: beside whom a rater stands."""
        found = np.zeros((self.said.shape[1],) * 2, bool)
        found[:, [expert for _, *experts in self.peers.panels for expert in experts]] = True
        for algorithm, *experts in self.peers.panels:
            found[algorithm] = False
            found[algorithm, experts] = True
        return found & ~np.eye(len(found), dtype=bool)

    def nearest(self, cases: NDArray[np.integer[Any]]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Finds in some cases which diagnosis of an expert is likeliest to be the same, -1 for none, and how likely it is: [m, r, K] both."""
        peers, shape = self.peers, (len(cases), *self.said.shape[1:])
        # the last for what M was not asked
        asked, said = np.append(peers.codes, -2), np.append(peers.probabilities, -1.0)
        right, probability = np.full(shape, -1, np.int32), np.full(shape, np.nan)
        for at, entries in enumerate(self.said[cases]):
            texts, place = np.unique(entries, return_inverse=True)
            place = place.reshape(entries.shape)
            held = np.zeros((len(entries), len(texts)), bool)
            np.put_along_axis(held, place, values=True, axis=1)
            codes = peers.pairs.codes_of(texts[:, None], texts, ordered=False)
            known = np.searchsorted(peers.codes, codes)
            chances = np.where(asked[known] == codes, said[known], -1.0)
            for rater, judges in enumerate(self.judges):
                own = np.where(held[judges].any(0), chances[place[rater]], -1.0)
                best = own.argmax(1)
                likely = own[np.arange(len(best)), best]
                right[at, rater] = np.where(likely < 0, -1, texts[best])
                probability[at, rater] = np.where(likely < 0, np.nan, likely)
        return right, probability


def with_cases(matches: Matches) -> Matches:
    """Adds the cases of a panel, where none has a right answer."""
    if matches.case_table is not None or matches.peers is None:
        return matches
    return replace(matches, case_table=CaseTable(matches.answers, BesideExperts(matches.peers)))


def disagreement_rows(matches: Matches, ae: NDArray[Any], ee: NDArray[Any], mu: NDArray[Any], k: int) -> list[Row]:
    """Lists the diagnoses of the cases with the largest `mean mu_EE - mean mu_AE`, above 0, of each algorithm.

    ae, ee : int [A, pairs], the columns of `mu` of each algorithm with its experts, and of these. mu : [n, pairs] at k, NaN without both lists.
    `nearest` is the diagnosis of the other side (the experts', for the algorithm; the algorithm's, for an expert) that M holds
    likeliest to name the same disease, with its probability. The rows of the reference have neither.
    """
    answers, peers = matches.answers, matches.peers
    assert peers is not None
    shown = max(2, min(10, SHOWN // max(1, len(peers.panels))))
    out: list[Row] = []
    for panel, *sides in zip(peers.panels[:SHOWN], ae, ee, strict=False):
        met, among = (mean_of_defined(mu[:, pairs].T) for pairs in sides)
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
            text = peers.pairs.strings[entry] if entry >= 0 else None
            row = {"rater": answers.raters[rater], "role": role, "rank": rank, "diagnosis": text, **_NOTHING}
            if entry >= 0 and len(others):
                codes = peers.pairs.codes_of(np.full(len(others), entry), others, ordered=False)
                chances = peers.probabilities[np.searchsorted(peers.codes, codes)]
                best = int(chances.argmax())
                row["nearest"], row["probability"] = peers.pairs.strings[others[best]], float(chances[best])
                row["match"] = bool(chances[best] >= matches.m.threshold)
            yield row
