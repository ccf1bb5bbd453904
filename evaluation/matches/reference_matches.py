"""M between the reference diagnoses of each case and its lists: every pair of strings is asked once."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ...matcher.protocol import Matcher
from ...progress import Progress
from ..lists.lists import Lists
from ..metrics.ranking import DEPTH
from ..statistics.section import Context
from .case_matches import PAIRS_PER_CALL, asked, each_once, match_cases, pair_codes
from .policy import is_directed

_ELEMENTS_PER_BLOCK = 2_000_000
_SIDE_BY_SIDE = 50
_MOST_CELLS = 50_000_000
"""Ranks that are held one by one, and cells of them; past these a list is only searched for its references."""


@dataclass(frozen=True)
class ReferenceMatches:
    """M of n cases, r raters, k ranks and D reference diagnoses, the most that a case has.

    probabilities : float32 [n, r, k, D]; NaN where no diagnosis is said, the list is shorter, or the case has fewer references.
    hits : bool [n, r, k, D], the verdicts of M; False where the probability is NaN.
    given : bool [n, D], where a case has a reference diagnosis. One that stands twice in a case counts once.
    found : bool [n, r, D], whether any diagnosis of the whole list, of whatever length, is one of the reference's.
    """

    probabilities: NDArray[np.float32]
    hits: NDArray[np.bool_]
    given: NDArray[np.bool_]
    found: NDArray[np.bool_]


def match_references(
    lists: Lists,
    matcher: Matcher,
    k: int,
    progress: Progress | None = None,
    *,
    whole: bool = False,
    pairs_per_call: int = PAIRS_PER_CALL,
) -> ReferenceMatches:
    """Asks M about each list and each reference diagnosis of its case, in bounded chunks; rank by rank about the first k.

    whole : whether `found` looks past the first k.

    The references stand in as the list of one rater more. Where M looks one way, it is asked (reference, diagnosis): a string
    that is both is then two, those of the references with the smaller numbers.

    Raises
    ------
    ModelError
        Where M gives something other than one probability per pair.
    """
    references = [tuple(dict.fromkeys(reference)) for reference in lists.reference]
    of_references, of_lists = {*chain.from_iterable(references)}, {*lists.strings}
    strings = sorted(of_references) if is_directed(matcher) else sorted(of_references | of_lists)
    reference_number = {text: i for i, text in enumerate(strings)}
    number = reference_number
    if is_directed(matcher):
        number = {text: i for i, text in enumerate(sorted(of_lists), len(strings))}
        strings += number
    # the last two for -1 and -2: no diagnosis is said, and the list has ended
    in_strings = np.array([*(number[text] for text in lists.strings), -1, -1], np.int32)

    n, raters = lists.lengths.shape
    counts = np.fromiter(map(len, references), np.int64, n)
    given = np.arange(counts.max(initial=0)) < counts[:, None]
    entries = np.full((n, raters + 1, max(k, given.shape[1])), -1, np.int32)
    entries[:, :raters, :k] = in_strings[lists.top(k)]
    true = entries[:, raters, : given.shape[1]]
    true[given] = np.fromiter(
        (reference_number[text] for text in chain.from_iterable(references)), np.int32, counts.sum()
    )

    first, second = np.arange(raters), np.full(raters, raters)
    matches = match_cases(
        entries, first, second, strings, matcher,
        pairs_per_call=pairs_per_call, progress=progress, keep_probabilities=True,
    )  # fmt: skip
    shape = (n, raters, k, given.shape[1])
    probabilities, hits = np.full(shape, np.nan, np.float32), np.zeros(shape, bool)
    assert matches.probabilities is not None
    step = max(1, _ELEMENTS_PER_BLOCK // max(1, raters * k * given.shape[1]))
    for start in range(0, n, step):
        cases = slice(start, start + step)
        codes = pair_codes(entries[cases, :raters, :k, None], true[cases, None, None, :], len(strings))
        there = codes >= 0
        at = np.searchsorted(matches.codes, codes[there])
        probabilities[cases][there], hits[cases][there] = matches.probabilities[at], matches.verdicts[at]
    found = np.asarray(hits.any(2))
    if whole:
        _found_beyond(lists, k, in_strings, true, strings, matcher, pairs_per_call, found)
    return ReferenceMatches(probabilities, hits, given, found)


def _found_beyond(
    lists: Lists,
    k: int,
    in_strings: NDArray[np.int32],
    true: NDArray[np.int32],
    strings: list[str],
    matcher: Matcher,
    pairs_per_call: int,
    found: NDArray[np.bool_],
) -> None:
    """Adds to `found` what stands past the first k of the lists, entry by entry: one long list makes no wide array.

    in_strings : of the lists' strings, their numbers among `strings`. true : [n, D], the numbers of the references; -1 for none.
    """
    past = np.maximum(lists.lengths - k, 0).reshape(-1)
    ends = np.cumsum(past)
    total, raters, references = int(ends[-1]) if len(ends) else 0, lists.lengths.shape[1], max(1, true.shape[1])
    step = max(1, _ELEMENTS_PER_BLOCK // references)
    offsets = lists.offsets.reshape(-1) + k
    for start in range(0, total, step):
        at = np.arange(start, min(total, start + step))
        of = np.searchsorted(ends, at, side="right")
        entry = in_strings[lists.entries[offsets[of] + at - (ends[of] - past[of])]]
        codes = pair_codes(entry[:, None], true[of // raters], len(strings))
        wanted = each_once(codes[codes >= 0])
        verdicts = np.empty(len(wanted), bool)
        for first in range(0, len(wanted), pairs_per_call):
            low, high = np.divmod(wanted[first : first + pairs_per_call], len(strings))
            a, b = [strings[i] for i in low.tolist()], [strings[i] for i in high.tolist()]
            verdicts[first : first + len(a)] = asked(matcher, a, b) >= matcher.threshold
        place, reference = np.nonzero(codes >= 0)
        hit = verdicts[np.searchsorted(wanted, codes[place, reference])]
        place, reference = of[place[hit]], reference[hit]
        found[place // raters, place % raters, reference] = True


def depth_of(lists: Lists, context: Context) -> int:
    """How many ranks are held one by one: k, those that the metrics of ranking look at, and more where lists are not too many."""
    longest = max(1, int(lists.lengths.max(initial=0)))
    asked_for = [k for family in ("ranking", "recall", "hierarchical") if (k := context.k_of(family)) is not None]
    references = max(map(len, lists.reference), default=1)
    room = _MOST_CELLS // max(1, lists.lengths.size * references)
    whole = min(longest, _SIDE_BY_SIDE, room) if _whole(context) else 0
    return max(*asked_for, whole, min(DEPTH, longest)) if asked_for else max(whole, min(DEPTH, longest))


def _whole(context: Context) -> bool:
    return context.k_of("recall") is None


def shared_matches(lists: Lists, context: Context) -> ReferenceMatches:
    """`match_references` of the context's M, to `depth_of`; computed by the first family that needs it."""
    if "reference_matches" not in context.made:
        depth = depth_of(lists, context)
        context.made["reference_matches"] = match_references(
            lists, context.matcher, depth, context.progress, whole=_whole(context)
        )
    return context.made["reference_matches"]
