"""What stands face to face in lists cut to k: how many places M matches, and how many it could have erred on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...lists.lists import Lists
from ...matches.case_matches import CaseMatches
from ...matches.multiplicity import sizes

_APART, _MATCHED, _EQUAL = 1, 2, 3


@dataclass(frozen=True)
class PairwiseAgreement:
    """By case and pair of raters.

    matched, equal, unequal : float64 [n, m], the places that M matches, those of two equal strings, and those of two
        different ones, each over what P divides by, so that P is the mean of `matched`.
    met : float64 [n, m], chi by M.
    area : float64 [m], what P divides by, per case. matches : of lists cut to k.
    """

    matched: NDArray[np.float64]
    equal: NDArray[np.float64]
    unequal: NDArray[np.float64]
    met: NDArray[np.float64]
    area: NDArray[np.float64]
    matches: CaseMatches

    @property
    def same(self) -> NDArray[np.bool_]:
        """bool [u], which pairs are two equal strings."""
        return np.equal(*np.divmod(self.matches.codes, len(self.matches.strings)))


def pairwise_agreement(lists: Lists, matches: CaseMatches, k: int, denominator: str = "nk2") -> PairwiseAgreement:
    """Of the pairs of raters that `matches` compares, in lists cut to k."""
    matches = matches.top(k)
    n, m = len(matches.entries), len(matches.first)
    area = np.full(m, float(k * k))
    if denominator == "observed":
        area = sizes(lists.lengths, matches.first, matches.second, k).mean(0)
    matched, equal, unequal, met = (np.zeros((n, m)) for _ in range(4))
    made = PairwiseAgreement(matched, equal, unequal, met, area, matches)
    kind = np.where(made.same, _EQUAL, np.where(matches.verdicts, _MATCHED, _APART)).astype(np.int8)
    for cases, compared in matches.compared(kind):
        equal[cases] = (compared == _EQUAL).sum((-2, -1)) / area
        matched[cases] = (compared >= _MATCHED).sum((-2, -1)) / area
        unequal[cases] = (compared > 0).sum((-2, -1)) / area - equal[cases]
        met[cases] = (compared >= _MATCHED).any((-2, -1))
    return made
