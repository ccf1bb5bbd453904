"""Each diagnosis of the lists with the right answer it comes nearest to: every such pair once, and what is doubtful of it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError, NotUnderstoodWarning
from ...matcher.policy import BROADER, EXCLUDED, NARROWER, POLICIES, RELATIONS, SPECIFICATION
from ...matcher.protocol import Matcher, not_understood, tells_relations
from ..lists.lists import Lists
from .policy import policy_of
from .reference_matches import ReferenceMatches

NEAR_ODDS = 2.0
"""A probability is near the threshold where its odds are at most this many times those of the threshold, or those of it."""
NEAR, DISAGREES, UNKNOWN = DOUBTS = ("near the threshold", "relation disagrees", "not understood")
_PAIRS_PER_CALL = 200_000
_OTHER_WAY = {NARROWER: BROADER, BROADER: NARROWER}
_TURNED = np.array([RELATIONS.index(_OTHER_WAY.get(name, name)) for name in RELATIONS] + [-1], np.int8)
"""Relation of the right answer to the diagnosis -> that of the diagnosis to the right answer; the last is for none."""
_ANOTHER = "another disease"


@dataclass(frozen=True)
class Nearest:
    """n cases, r raters, K ranks, as u different pairs of a diagnosis and the likeliest of the right answers of its case.

    entries : int32 [n, r, K], the pair of each place; -1 where no diagnosis is said, -2 past the end of a list.
    references : the different right answers of all cases, ascending.
    diagnosis : int32 [u], into the strings of the lists. reference : int32 [u], into `references`; -1 where the case has none.
    probability : float32 [u], NaN where the case has no right answer. match : bool [u], the verdicts of M.
    """

    entries: NDArray[np.int32]
    references: list[str]
    diagnosis: NDArray[np.int32]
    reference: NDArray[np.int32]
    probability: NDArray[np.float32]
    match: NDArray[np.bool_]


@dataclass(frozen=True)
class Told:
    """What M says of the u pairs beside their probability.

    relation : int8 [u], what the diagnosis is to the right answer, into `RELATIONS`; -1 where M does not say.
    why : int32 [u], into `reasons`, of which the first is "". doubt : int8 [u], into `DOUBTS`; -1 where nothing is doubtful.
    """

    relation: NDArray[np.int8]
    why: NDArray[np.int32]
    reasons: list[str]
    doubt: NDArray[np.int8]


def nearest_answers(lists: Lists, matches: ReferenceMatches, cases: NDArray[np.integer] | None = None) -> Nearest:
    """The pairs of all cases, or of those in `cases`, int [m], whose places are then 0 … m - 1."""
    at = np.arange(len(lists.cases)) if cases is None else np.asarray(cases)
    of_cases = [tuple(dict.fromkeys(lists.reference[i])) for i in at.tolist()]
    references = sorted({*chain.from_iterable(of_cases)})
    number = {text: i for i, text in enumerate(references)}
    right = np.full((len(at), matches.given.shape[1] + 1), -1, np.int64)
    for i, texts in enumerate(of_cases):
        right[i, : len(texts)] = [number[text] for text in texts]

    probabilities, hits = matches.probabilities[at], matches.hits[at]
    k = probabilities.shape[2]
    best, place = _likeliest(probabilities)
    said = lists.top(k)[at]
    of_pair = np.where(said >= 0, right[np.arange(len(at))[:, None, None], place] * len(lists.strings) + said, -1)
    # a case without a right answer: number -1, so that the codes of its pairs are negative, too
    there = said >= 0
    codes, first, inverse = np.unique(of_pair[there], return_index=True, return_inverse=True)
    entries = said.astype(np.int32, copy=True)
    entries[there] = inverse
    reference, diagnosis = np.divmod(codes, max(len(lists.strings), 1))
    return Nearest(
        entries,
        references,
        diagnosis.astype(np.int32),
        reference.astype(np.int32),
        best[there][first],
        np.asarray(hits.any(-1))[there][first],
    )


def _likeliest(probabilities: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """The highest of the last axis, and its place; NaN and 0 where all are NaN."""
    shape = probabilities.shape[:-1]
    best, place = np.full(shape, np.nan, np.float32), np.zeros(shape, np.intp)
    for j in range(probabilities.shape[-1]):
        of = probabilities[..., j]
        better = (of > best) | (np.isnan(best) & ~np.isnan(of))
        best[better], place[better] = of[better], j
    return best, place


def near_threshold(probability: NDArray[np.floating[Any]], threshold: float) -> NDArray[np.bool_]:
    """bool, as `probability`: whether twice or half the odds of the threshold would turn the verdict."""
    low, high = near_interval(threshold)
    return (probability >= low) & (probability <= high)


def near_interval(threshold: float) -> tuple[float, float]:
    """The probabilities that are near the threshold, from the lowest to the highest; (1, 0) where none is."""
    if not 0 < threshold < 1:
        return 1.0, 0.0
    odds = threshold / (1 - threshold)
    low, high = odds / NEAR_ODDS, odds * NEAR_ODDS
    return low / (1 + low), high / (1 + high)


def doubtful_lists(
    entries: NDArray[np.int32], match: NDArray[np.bool_], doubtful: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """bool [n, r]: whether the list has no match that is sure, and a diagnosis that is doubtful: its verdict could turn.

    entries : as of `Nearest`, cut to k. match, doubtful : bool [u].
    """
    sure, doubts = (np.append(values, False) for values in (match & ~doubtful, doubtful))
    at = np.where(entries >= 0, entries, len(match))
    return np.asarray(doubts[at].any(-1) & ~sure[at].any(-1))


def told_of(nearest: Nearest, lists: Lists, matcher: Matcher) -> Told:
    """Asks M for the relation and the reason of each pair, where it knows relations, and says what is doubtful.

    Raises
    ------
    ModelError
        Where M gives something other than one relation per pair.
    """
    count = len(nearest.match)
    relation, why = np.full(count, -1, np.int8), np.zeros(count, np.int32)
    reasons = {"": 0}
    compared = np.flatnonzero(nearest.reference >= 0)
    for start in range(0, len(compared), _PAIRS_PER_CALL):
        at = compared[start : start + _PAIRS_PER_CALL]
        a = [nearest.references[i] for i in nearest.reference[at].tolist()]
        b = [lists.strings[i] for i in nearest.diagnosis[at].tolist()]
        found = _relations(matcher, a, b)
        if found is None:
            break
        relation[at], words = found
        excluded = relation[at] == RELATIONS.index(EXCLUDED)
        said = (text or (_ANOTHER if out else "") for text, out in zip(words, excluded.tolist(), strict=True))
        why[at] = [reasons.setdefault(text, len(reasons)) for text in said]
    doubt = np.full(count, -1, np.int8)
    doubt[_disagrees(nearest.match, relation, policy_of(matcher))] = DOUBTS.index(DISAGREES)
    doubt[near_threshold(nearest.probability, matcher.threshold)] = DOUBTS.index(NEAR)
    _tell_unknown(nearest, lists, matcher, why, reasons, doubt)
    return Told(_TURNED[relation], why, list(reasons), doubt)


def _relations(matcher: Any, a: list[str], b: list[str]) -> tuple[NDArray[np.int8], Sequence[str]] | None:
    """What each of `a` is to `b`, and the reason for it; None where M knows no relations."""
    if not tells_relations(matcher):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotUnderstoodWarning)  # the report says it once, of all lists
        tells_why = "why" in signature(matcher.relations).parameters
        found = matcher.relations(a, b, why=True) if tells_why else matcher.relations(a, b)
    if len(found.kinds) != len(a):
        raise ModelError(f"The matcher gave {len(found.kinds):,} relations for {len(a):,} pairs.")
    number = {kind: i for i, kind in enumerate(RELATIONS)}
    kinds = np.array([number.get(kind, -1) for kind in found.kinds], np.int8)
    return kinds, getattr(found, "why", ()) or [""] * len(a)


def _disagrees(match: NDArray[np.bool_], relation: NDArray[np.int8], policy: str | None) -> NDArray[np.bool_]:
    """bool [u]: the likeliest relation counts under the policy and the pair does not match, or the other way round."""
    followed = POLICIES.get(policy or "", POLICIES[SPECIFICATION])
    counts = np.array([name in followed.counts for name in RELATIONS], bool)
    return (relation >= 0) & np.asarray(counts[relation] != match)


def _tell_unknown(
    nearest: Nearest,
    lists: Lists,
    matcher: Matcher,
    why: NDArray[np.int32],
    reasons: dict[str, int],
    doubt: NDArray[np.int8],
) -> None:
    """Marks the pairs with a diagnosis that M does not understand, but for equal ones, and says which and why."""
    unknown = not_understood(matcher, list(dict.fromkeys([*lists.strings, *nearest.references])))
    if not unknown:
        return
    of_strings = np.array([text in unknown for text in lists.strings], bool)
    of_references = np.array([*(text in unknown for text in nearest.references), False], bool)
    affected = (of_strings[nearest.diagnosis] | of_references[nearest.reference]) & (nearest.reference >= 0)
    for i in np.flatnonzero(affected & ~nearest.match).tolist():
        text = lists.strings[nearest.diagnosis[i]]
        side = "the diagnosis" if text in unknown else "the right answer"
        reason = unknown[text if text in unknown else nearest.references[nearest.reference[i]]]
        why[i] = reasons.setdefault(f"{side} is not understood: {reason}", len(reasons))
        doubt[i] = DOUBTS.index(UNKNOWN)
