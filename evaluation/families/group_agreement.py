"""Agreement of groups of raters in the first diagnosis, in the data and in every resample of the cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...matcher.protocol import Matcher
from ...progress import Progress
from ..lists.lists import NO_CATEGORY
from ..matches.case_matches import CaseMatches, ask, pair_codes
from ..metrics.agreement import agreeing_pairs, fleiss_from_counts
from ..metrics.alpha import alpha_from_sums, disagreement
from ..relative.rates import CaseCounts, resampled
from ..statistics.bootstrap import case_weights

METRICS = ("cohen_kappa", "fleiss_kappa", "krippendorff_alpha", "krippendorff_alpha_by_distance")
MAX_PAIRS = 50_000

Values = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class FirstDiagnoses:
    """n cases in the order of their names.

    entries : int32 [n, r], the first diagnoses as indices of strings; negative is none.
    categories : int64 [n, r], -1 is none. apart : bool [n, r, r], whether M tells two raters' first diagnoses apart.
    """

    entries: NDArray[np.int32]
    categories: Counts
    apart: NDArray[np.bool_]


@dataclass(frozen=True)
class CrossCasePairs:
    """Pairs of first diagnoses, each of any case and rater, that M tells apart.

    one, other : flat places (case * raters + rater). asked : how many pairs they were found among. all : of how many.
    """

    one: Counts
    other: Counts
    asked: int
    all: int


NO_CROSS_CASE_PAIRS = CrossCasePairs(np.zeros(0, np.int64), np.zeros(0, np.int64), 0, 0)
"""Where M was not asked about diagnoses of different cases: alpha_M is then undefined."""


def non_matches(matches: CaseMatches) -> NDArray[np.bool_]:
    """bool [n, r, r], from M on each two first diagnoses of a case."""
    (n, raters, _), first, second = matches.entries.shape, matches.first, matches.second
    apart = np.zeros((n, raters, raters), bool)
    for cases, matched in matches.compared():
        apart[cases, first, second] = apart[cases, second, first] = ~matched[:, :, 0, 0]
    return apart


def cross_case_pairs(
    entries: NDArray[np.int32], strings: list[str], matcher: Matcher, seed: int, progress: Progress | None = None
) -> CrossCasePairs:
    """Each two first diagnoses of all cases where there are at most `MAX_PAIRS` of these; else so many, drawn at random.

    M is asked each pair of strings among them once; equal strings match.
    """
    places = np.flatnonzero(entries.ravel() >= 0)
    total = len(places) * (len(places) - 1) // 2
    if total <= MAX_PAIRS:
        one, other = np.triu_indices(len(places), 1)
    else:
        generator = np.random.default_rng(seed)
        one = generator.integers(0, len(places), MAX_PAIRS)
        other = (one + generator.integers(1, len(places), MAX_PAIRS)) % len(places)
    one, other = places[one], places[other]
    low, high = entries.ravel()[one], entries.ravel()[other]
    codes, pair = np.unique(pair_codes(low, high, len(strings)), return_inverse=True)
    a, b = np.divmod(codes, max(1, len(strings)))
    apart = np.zeros(len(codes), bool)
    asked = np.flatnonzero(a != b)
    if len(asked):
        left, right = [strings[i] for i in a[asked].tolist()], [strings[i] for i in b[asked].tolist()]
        apart[asked] = ~ask(matcher, left, right)
        if progress is not None:
            progress(len(asked), len(asked))
    differ = apart[pair]
    return CrossCasePairs(one[differ], other[differ], len(one), total)


def group_agreement(
    said: FirstDiagnoses, cross_case: CrossCasePairs, groups: Sequence[NDArray[np.intp]], repeats: int, seed: int
) -> tuple[Values, Values]:
    """[groups, 4] of the data and [repeats, groups, 4] of the resamples: mean kappa of pairs, Fleiss, alpha, alpha_M."""
    parts = [_Group(said, cross_case, raters) for raters in groups]
    n, width = said.categories.shape
    first, second = np.triu_indices(width, 1)
    counts = CaseCounts(np.zeros((0, n, len(first)), np.uint8), None, said.categories, first, second)
    kappas = counts.rates().kappa, resampled(counts, repeats, seed).kappa
    inside = [np.isin(first, raters) & np.isin(second, raters) for raters in groups]

    def stacked(kappa: Values, weights: Values) -> Values:
        values = [[kappa[:, i].mean(1), *part.values(weights)] for part, i in zip(parts, inside, strict=True)]
        return np.moveaxis(np.array(values), 2, 0)

    again = np.empty((repeats, len(groups), len(METRICS)))
    start = 0
    for weights in case_weights(n, repeats, seed):
        block = slice(start, start + len(weights))
        again[block] = stacked(kappas[1][block], weights)
        start = block.stop
    return stacked(kappas[0][None], np.ones((1, n)))[0], again


class _Group:
    """What the agreement of some raters is a sum of, case by case."""

    def __init__(self, said: FirstDiagnoses, cross_case: CrossCasePairs, raters: NDArray[np.intp]) -> None:
        from scipy.sparse import coo_array

        categories, width = said.categories[:, raters], said.categories.shape[1]
        n, self.raters = categories.shape
        self.agreeing = agreeing_pairs(categories).astype(float)
        self.apart, size = disagreement(categories, None)
        self.apart_by_m, _ = disagreement(categories, lambda i, j: said.apart[:, raters[i], raters[j]])
        self.size = size.astype(float)
        known = categories != NO_CATEGORY
        paired = known & (size > 1)[:, None]

        def held(kept: NDArray[np.bool_]) -> Any:
            """[categories, n], how often each is said in each case."""
            shape = (int(said.categories.max(initial=0)) + 1, n)
            return coo_array((np.ones(kept.sum()), (categories[kept], np.nonzero(kept)[0])), shape=shape).tocsr()

        self.said = held(known)
        self.paired = self.said if paired.sum() == known.sum() else held(paired)
        cases = [side // width for side in (cross_case.one, cross_case.other)]
        members = [np.isin(side % width, raters) for side in (cross_case.one, cross_case.other)]
        kept = members[0] & members[1] & (size[cases[0]] > 1) & (size[cases[1]] > 1)
        scale = np.full(kept.sum(), 2 * cross_case.all / max(1, cross_case.asked))
        self.cross_case = coo_array((scale, (cases[0][kept], cases[1][kept])), shape=(n, n)).tocsr()

    def values(self, weights: Values) -> tuple[Values, Values, Values]:
        """Fleiss, alpha and alpha_M, [b] each, of the cases taken `weights` [b, n] times."""
        n, total = weights.shape[1], weights @ self.size
        squares = np.square(self.said @ weights.T).sum(0)
        fleiss = fleiss_from_counts(weights @ self.agreeing / n, squares, n * self.raters, self.raters)
        if self.paired is not self.said:
            squares = np.square(self.paired @ weights.T).sum(0)
        alpha = alpha_from_sums(weights @ self.apart, total, total * total - squares)
        unlike = ((self.cross_case @ weights.T) * weights.T).sum(0)
        return fleiss, alpha, alpha_from_sums(weights @ self.apart_by_m, total, unlike)
