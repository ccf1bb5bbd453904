"""How near the diagnosis at each rank comes to each reference, from 0 to 1: by the relation of the two."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, ModelError, NotUnderstoodWarning
from ...matcher.protocol import tells_relations
from ..lists.lists import Lists, looked_up
from ..matches.reference_matches import ReferenceMatches, shared_matches
from ..metrics.ranking import DEPTH
from ..metrics.weighted import FARTHEST, RELATIONS, degree, relevance
from ..statistics.section import Context

_PAIRS_PER_CALL = 500_000
Gains = NDArray[np.float32]


def reference_gains(lists: Lists, context: Context) -> tuple[Gains, list[str]]:
    """float32 [n, r, ranks, D], at most ten ranks; 0 where nothing is said. And a sentence on where it comes from.

    ((5 - D)/4)^2 of Kernel29's D, from 1 (right) to 5, as its score weighs it: of the column relation, where its cell is given (of
    several references it is that of the one M holds likeliest). Else 1 for what M matches, and for the rest that of M's relation
    model; 0 where M tells none.

    Raises
    ------
    ModelError
        Where M gives something other than one relation for each pair.
    """
    matches = shared_matches(lists, context)
    hits = matches.hits[:, :, :DEPTH]
    gains = hits.astype(np.float32)
    there = (lists.top(hits.shape[2]) >= 0)[..., None] & matches.given[:, None, None, :]
    given, words_unknown = _given(lists, matches, hits.shape[2])
    rest = there & (given == 0).all(-1, keepdims=True)
    told = []
    if (given > 0).any():
        gains[~rest] = 0
        gains = np.where(given > 0, relevance(given), gains)
        told.append("the column relation")
    if rest.any():
        if tells_relations(context.matcher):
            told.append("M (a match, else its relation model)")
            distance = _told_by_m(lists, context, rest)
            gains[rest] = np.where(hits[rest], 1, np.where(distance > 0, relevance(distance), 0))
        else:
            told.append("M's verdict (match or no match), since M tells no relations")
    notes = (
        [f"The degrees of relevance in nDCG come from {', and where it is blank from '.join(told)}."] if told else []
    )
    if words_unknown:
        notes.append(
            f"{words_unknown:,} words of the column relation are outside its scale: nDCG takes them for blank."
        )
    return gains, notes


def _given(lists: Lists, matches: ReferenceMatches, ranks: int) -> tuple[NDArray[np.int8], int]:
    """int8 [n, r, ranks, D], D of the column relation, 0 elsewhere; and how many different words mean nothing."""
    out = np.zeros(matches.hits[:, :, :ranks].shape, np.int8)
    codes, words = lists.cells("relation")
    if not words or not out.size:
        return out, 0
    numbers = np.zeros(len(words) + 1, np.int8)
    unknown = 0
    for i, word in enumerate(words):
        try:
            numbers[i] = degree(word, RELATIONS)
        except InputError:
            unknown += 1
    at = lists.places(ranks)
    said = np.where(lists.top(ranks) >= 0, numbers[looked_up(codes, at)], 0)
    said[~matches.given.any(1)] = 0
    nearest = np.nan_to_num(matches.probabilities[:, :, :ranks], nan=-1).argmax(-1)
    np.put_along_axis(out, nearest[..., None], said[..., None].astype(np.int8), -1)
    return out, unknown


def _told_by_m(lists: Lists, context: Context, where: NDArray[np.bool_]) -> NDArray[np.int8]:
    """int8, D of each True of `where` [n, r, ranks, D], M asked (reference, answer) once for each pair; 0 where it cannot say."""
    case, _, _, place = np.nonzero(where)
    said = lists.top(where.shape[2])[where.any(-1)]
    said = np.repeat(said, where.sum(-1)[where.any(-1)])
    number: dict[str, int] = {}
    references = [[number.setdefault(text, len(number)) for text in dict.fromkeys(of)] for of in lists.reference]
    table = np.zeros(where.shape[::3], np.int64)
    for i, of in enumerate(references):
        table[i, : len(of)] = of
    codes, at = np.unique(table[case, place] * max(1, len(lists.strings)) + said, return_inverse=True)
    true, answer = np.divmod(codes, max(1, len(lists.strings)))
    texts = list(number)
    found = np.zeros(len(codes), np.int8)
    for start in range(0, len(codes), _PAIRS_PER_CALL):
        block = slice(start, start + _PAIRS_PER_CALL)
        a, b = [texts[i] for i in true[block].tolist()], [lists.strings[i] for i in answer[block].tolist()]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotUnderstoodWarning)  # the report says it once, of all lists
            distance = np.asarray(context.matcher.relations(a, b).semantic_distance)  # type: ignore[attr-defined]
        if distance.shape != (len(a),):
            raise ModelError(f"The matcher gave {distance.shape} relations for {len(a):,} pairs.")
        found[block] = np.where((distance >= 1) & (distance <= FARTHEST), distance, 0)
    return found[at]
