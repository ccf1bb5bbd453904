"""The sample of pairs that experts labelled, from which the match function's own error is estimated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....errors import InputError
from ....files.invisible import read_visible
from ....files.pairs import read_pairs
from ...lists.lists import Lists
from ...matches.case_matches import CaseMatches, pair_codes


@dataclass(frozen=True)
class Labelled:
    """Labels of s unordered pairs of different strings of some lists.

    codes : int64 [s], ascending, as in `CaseMatches`. labels : bool [s].
    weights : float64 [s], how many pairs of the lists each stands for. elsewhere : labelled pairs that the lists lack.
    cases : the indices of the cases that were drawn and labelled in full, or None where pairs were drawn.
    """

    source: str
    codes: NDArray[np.int64]
    labels: NDArray[np.bool_]
    weights: NDArray[np.float64]
    elsewhere: int
    cases: NDArray[np.intp] | None

    def among(self, codes: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """For each of `codes` its place in the sample, and whether it is there at all."""
        at = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return at, self.codes[at] == codes

    def verdicts(self, matches: CaseMatches) -> NDArray[np.bool_]:
        """bool [s], of M; False for pairs that it was not asked."""
        at, known = self.among(matches.codes)
        found = np.zeros(len(self.codes), bool)
        found[at[known]] = matches.verdicts[known]
        return found


def read_labelled(source: Any, lists: Lists) -> Labelled:
    """Reads a table with the columns a, b and label (0/1, or one column `label_<name>` for each expert).

    Without a column case_id it is a sample of the pairs that the lists put face to face, drawn at random; where pairs
    had unequal chances of being drawn, a column weight holds 1 / chance. With a column case_id it is a sample of cases
    drawn at random, all pairs of each labelled.

    Raises
    ------
    InputError
        For what `read_pairs` refuses, a case that the lists lack, or no pair of the lists at all.
    """
    table = read_visible(source)
    by_case = "case_id" in table.names
    weighted = "weight" in table.names
    if by_case and weighted:
        raise InputError(
            "weights go with a sample of pairs", source=table.source, allowed="case_id or weight, not both"
        )
    pairs = read_pairs(table, label="label", weight="weight" if weighted else None)
    assert pairs.label is not None
    index = {string: i for i, string in enumerate(lists.strings)}
    a, b = (np.array([index.get(s, -1) for s in side.to_pylist()], np.int64) for side in (pairs.a, pairs.b))
    codes = np.where(a == b, -1, pair_codes(a, b, len(lists.strings)))
    codes, place = np.unique(codes, return_index=True)
    there = codes >= 0
    if not there.any():
        raise InputError("no labelled pair is made of two diagnoses of the lists", source=table.source)
    cases = None
    if by_case:
        number = {case: i for i, case in enumerate(lists.cases)}
        names = table.text("case_id").to_pylist()
        for row, name in enumerate(names):
            if name not in number:
                raise table.error(
                    "the lists have no such case", row, "case_id", allowed="a case of the lists", got=name
                )
        cases = np.array(sorted({number[name] for name in names}))
    weights = np.ones(len(pairs)) if pairs.weight is None else pairs.weight
    return Labelled(
        table.source, codes[there], pairs.label[place][there] > 0, weights[place][there], int((~there).sum()), cases
    )
