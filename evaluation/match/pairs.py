"""M on pairs of strings: all that an evaluation needs are gathered first, and each is asked once."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from inspect import signature
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError, NotUnderstoodWarning, quoted
from ...matcher.policy import POLICIES
from ...matcher.protocol import Matcher, not_understood
from ...progress import Progress

CHUNK, RELATIONS_PER_CALL = 1_000_000, 200_000
_PENDING = 16_000_000

Numbers = NDArray[np.integer[Any]]
Codes = NDArray[np.int64]
Said = tuple[NDArray[np.float32], NDArray[np.bool_]]
"""Probabilities, NaN where nothing was asked, and verdicts."""


def is_directed(matcher: Matcher) -> bool:
    """Tells whether M must be asked (reference, answer) in this order: its policy looks one way only."""
    policy = POLICIES.get(str(getattr(matcher, "policy", "")))
    return policy is not None and not policy.symmetric


def pair_codes(left: Numbers, right: Numbers, n_strings: int) -> Codes:
    """Numbers each unordered pair of string indices; -1 where either is negative."""
    low, high = np.minimum(left, right).astype(np.int64), np.maximum(left, right)
    return np.where(low < 0, -1, low * n_strings + high)


def gathered(parts: Iterable[Codes]) -> Codes:
    """Sorts the numbers of all parts, each once and none that is negative, in bounded memory."""
    held = [np.empty(0, np.int64)]
    for part in parts:
        held.append(_each_once(part[part >= 0]))
        if sum(map(len, held[1:])) > _PENDING:
            held = [_each_once(np.concatenate(held))]
    return _each_once(np.concatenate(held))


def _each_once(codes: Codes) -> Codes:
    """Does in place what np.unique does; fast where numbers come in a few ascending runs."""
    if not (codes[1:] > codes[:-1]).all():
        codes.sort(kind="stable")
        codes = codes[np.append(True, codes[1:] != codes[:-1])]
    return codes


@dataclass(frozen=True)
class ReferenceMatches:
    """M of n cases, r raters, K ranks and D right answers, the most that a case has; one that stands twice in a case counts once.

    strings : all texts of the evaluation, ascending. right : int32 [n, D], the right answers of each case in `strings`; -1 past them.
    said : int32 [n, r, K], the diagnoses in `strings`; -1 for a word for none, -2 past the end of a list.
    probabilities : float32 [n, r, K, D]; NaN where no diagnosis is said, the list is shorter, or the case has fewer right answers.
    hits : bool [n, r, K, D], the verdicts of M; False where the probability is NaN.
    found : bool [n, r, D], whether any diagnosis of the whole list, of whatever length, is one of the right answers; of the first
        K alone where nobody needs more.
    distance : int8 [n, r, 10, D], at most ten ranks: Kernel29's D (1 to 5) by M's relation model of pairs that are no match; 0 where it does
        not tell, or was not asked.
    """

    strings: list[str]
    right: NDArray[np.int32]
    said: NDArray[np.int32]
    probabilities: NDArray[np.float32]
    hits: NDArray[np.bool_]
    found: NDArray[np.bool_]
    distance: NDArray[np.int8]

    @property
    def given(self) -> NDArray[np.bool_]:
        """Tells where a case has a right answer: bool [n, D]."""
        return self.right >= 0


class Pairs:
    """Holds the pairs of strings that M is to be asked, each once; after `ask`, what it says of them.

    Parameters
    ----------
    texts : iterable of str
        All strings of the evaluation. They are numbered in ascending order, so that the order of rows changes no call.
    directed : bool
        Whether M is asked (reference, answer) in this order; pairs are unordered else.
    """

    def __init__(self, texts: Iterable[str], directed: bool) -> None:
        self.strings, self.directed = sorted({*texts}), directed
        self.codes: Codes = np.empty(0, np.int64)
        self._number = {text: i for i, text in enumerate(self.strings)}
        self._names = np.array(self.strings, object)
        self._probabilities, self._verdicts = np.full(1, np.nan, np.float32), np.zeros(1, bool)

    def numbers(self, texts: Iterable[str]) -> NDArray[np.int32]:
        """Looks up the number of each text."""
        return np.array([self._number[text] for text in texts], np.int32)

    def _codes_of(self, first: Numbers, second: Numbers) -> Codes:
        """Numbers pairs of numbers of texts, the references' first; -1 where either is negative."""
        if not self.directed:
            return pair_codes(first, second, len(self.strings))
        return np.where((first < 0) | (second < 0), -1, np.asarray(first, np.int64) * len(self.strings) + second)

    def texts(self, codes: Codes) -> tuple[list[str], list[str]]:
        """Lists the first and the second of some pairs."""
        # looked up in an array: a million numbers as Python's own would take 80 MB
        first, second = np.divmod(codes, max(1, len(self.strings)))
        return self._names[first].tolist(), self._names[second].tolist()

    def add(self, pairs: Iterable[tuple[Numbers, Numbers]], *, peers: bool = False) -> None:
        """Adds pairs of arrays that broadcast; negative numbers are no string.

        peers : neither is the reference; both directions, where M is directed.
        """
        ways = (way for pair in pairs for way in (pair, pair[::-1])[: 1 + (peers and self.directed)])
        self.codes = gathered(chain([self.codes], (self._codes_of(*way).ravel() for way in ways)))

    def ask(self, matcher: Matcher, progress: Progress | None = None) -> None:
        """Asks M about all pairs, in chunks. Errors: those of `asked`."""
        total = len(self.codes)
        # one place more, for what was not asked
        self._probabilities, self._verdicts = np.full(total + 1, np.nan, np.float32), np.zeros(total + 1, bool)
        for start in range(0, total, CHUNK):
            part = slice(start, min(start + CHUNK, total))
            found = asked(matcher, *self.texts(self.codes[part]))
            self._probabilities[part], self._verdicts[part] = found, found >= matcher.threshold
            if progress is not None:
                progress(part.stop, total)

    def said(self, first: Numbers, second: Numbers, *, peers: bool = False) -> Said:
        """Looks up what M said of pairs; NaN and False of those that were not added.

        peers : neither is the reference; the better of both directions, where M is directed.
        """
        codes, ended = self._codes_of(first, second), np.append(self.codes, -2)
        at = np.searchsorted(self.codes, codes)
        at[ended[at] != codes] = len(self.codes)
        there, hit = self._probabilities[at], self._verdicts[at]
        if not (peers and self.directed):
            return there, hit
        back, hit_back = self.said(second, first)
        return np.maximum(there, back), hit | hit_back


def asked(matcher: Matcher, a: Sequence[str], b: Sequence[str]) -> NDArray[np.float64]:
    """Asks M for probabilities, row by row, and checks them; 0 where it says that it does not understand a diagnosis.

    Raises
    ------
    ModelError
        Where M gives something other than one probability per pair.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotUnderstoodWarning)  # a Finding says it once, of all answers
        found = np.asarray(matcher.probabilities(a, b), float)
    if found.shape != (len(a),):
        raise ModelError(f"The matcher gave {found.shape} probabilities for {len(a):,} pairs.")
    unscored = np.flatnonzero(np.isnan(found)).tolist()
    if unscored:
        unknown = not_understood(matcher, list(dict.fromkeys(text for at in unscored for text in (a[at], b[at]))))
        found[[at for at in unscored if a[at] in unknown or b[at] in unknown]] = 0.0
    wrong = np.flatnonzero(~((found >= 0) & (found <= 1)))
    if len(wrong):
        one, other = quoted(a[wrong[0]]), quoted(b[wrong[0]])
        raise ModelError(f"The matcher gave {found[wrong[0]]} as the probability that {one} is {other}.")
    return found


def related(
    matcher: Any, references: Sequence[str], said: Sequence[str], *, why: bool = False
) -> Iterator[tuple[slice, Any]]:
    """Asks M what each reference is to an answer, in chunks: `matcher.relations` of both, checked; with reasons where it gives them.

    Raises
    ------
    ModelError
        Where M gives something other than one relation per pair.
    """
    more = {"why": True} if why and "why" in signature(matcher.relations).parameters else {}
    for start in range(0, len(references), RELATIONS_PER_CALL):
        part = slice(start, start + RELATIONS_PER_CALL)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotUnderstoodWarning)  # a Finding says it once, of all answers
            found = matcher.relations(references[part], said[part], **more)
        given, wanted = len(found.kinds if why else found.semantic_distance), len(references[part])
        if given != wanted:
            raise ModelError(f"The matcher gave {given:,} relations for {wanted:,} pairs.")
        yield part, found


def distances(matcher: Any, references: Sequence[str], said: Sequence[str]) -> NDArray[np.int8]:
    """Asks M for Kernel29's D of each answer to its reference: int8 [n], 1 (the same) to 5 (not related); 0 where it cannot tell.

    Errors: those of `related`.
    """
    out = np.zeros(len(references), np.int8)
    for part, found in related(matcher, references, said):
        distance = np.asarray(found.semantic_distance)
        out[part] = np.where((distance >= 1) & (distance <= 5), distance, 0)
    return out
