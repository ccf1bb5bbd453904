"""What stands face to face in lists cut to k: how many places M matches, and how many it could have erred on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

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
    area : float64 [m], what P divides by, per case.
    """

    matched: NDArray[np.float64]
    equal: NDArray[np.float64]
    unequal: NDArray[np.float64]
    met: NDArray[np.float64]
    area: NDArray[np.float64]
    entries: NDArray[np.int32]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    matches: CaseMatches

    def compared(
        self, values: NDArray[Any], cases: NDArray[np.intp] | slice = slice(None)
    ) -> Iterator[tuple[slice, NDArray[Any]]]:
        """`values` [u] of the pairs, place by place: `CaseMatches.compared` of some of the cases."""
        return self.matches.compared(self.entries[cases], self.first, self.second, values)

    @property
    def same(self) -> NDArray[np.bool_]:
        """bool [u], which pairs are two equal strings."""
        return self.matches.codes // self.matches.n_strings == self.matches.codes % self.matches.n_strings


def pairwise_agreement(
    lists: Lists, pair_of: NDArray[np.integer], matches: CaseMatches, k: int, denominator: str = "nk2"
) -> PairwiseAgreement:
    """pair_of : [raters, raters], the number of each pair in the order (0,1), (0,2), …, (1,2), …; -1 for none."""
    first, second = np.nonzero(np.triu(pair_of >= 0))
    entries = lists.top(k)
    area = np.full(len(first), float(k * k))
    if denominator == "observed":
        area = sizes(lists.lengths, first, second, k).mean(0)
    matched, equal, unequal, met = (np.zeros((len(entries), len(first))) for _ in range(4))
    made = PairwiseAgreement(matched, equal, unequal, met, area, entries, first, second, matches)
    kind = np.where(made.same, _EQUAL, np.where(matches.verdicts, _MATCHED, _APART)).astype(np.int8)
    for cases, compared in made.compared(kind):
        equal[cases] = (compared == _EQUAL).sum((-2, -1)) / area
        matched[cases] = (compared >= _MATCHED).sum((-2, -1)) / area
        unequal[cases] = (compared > 0).sum((-2, -1)) / area - equal[cases]
        met[cases] = (compared >= _MATCHED).any((-2, -1))
    return made
