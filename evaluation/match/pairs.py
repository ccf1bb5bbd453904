"""M on pairs of strings: all that an evaluation needs are gathered first, each is asked once; diagnoses with right answers, lists face to face."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError, NotUnderstoodWarning, quoted
from ...matcher.policy import POLICIES
from ...matcher.protocol import Matcher, not_understood
from ...progress import Progress
from ..read.lists import JudgedBy, Lists

CHUNK = 1_000_000
RANKED = 10
"""Ranks that MRR and nDCG look at."""
_CELLS_PER_BLOCK, _PENDING = 2_000_000, 16_000_000

Numbers = NDArray[np.integer[Any]]
Codes = NDArray[np.int64]
Entries = NDArray[np.int32]
Raters = NDArray[np.intp]
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


def blocks(n: int, cells: int) -> Iterator[slice]:
    """Cuts n cases of so many cells into blocks of bounded memory."""
    step = max(1, _CELLS_PER_BLOCK // max(1, cells))
    yield from (slice(start, min(n, start + step)) for start in range(0, n, step))


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


def related(matcher: Any, references: Sequence[str], said: Sequence[str], *, why: bool = False) -> Any:
    """Asks M what each reference is to an answer: `matcher.relations` of both, checked; with reasons where it gives them.

    Raises
    ------
    ModelError
        Where M gives something other than one relation per pair.
    """
    more = {"why": True} if why and "why" in signature(matcher.relations).parameters else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotUnderstoodWarning)  # a Finding says it once, of all answers
        found = matcher.relations(references, said, **more)
    if (given := len(found.kinds if why else found.semantic_distance)) != len(references):
        raise ModelError(f"The matcher gave {given:,} relations for {len(references):,} pairs.")
    return found


def distances(matcher: Any, references: Sequence[str], said: Sequence[str]) -> NDArray[np.int8]:
    """Asks M for Kernel29's D of each answer to its reference: int8 [n], 1 (the same) to 5 (not related); 0 where it cannot tell.

    Errors: those of `related`.
    """
    if not references:
        return np.zeros(0, np.int8)
    distance = np.asarray(related(matcher, references, said).semantic_distance)
    return np.where((distance >= 1) & (distance <= 5), distance, 0).astype(np.int8)


@dataclass(frozen=True)
class ReferenceMatches:
    """M of n cases, r raters, K ranks and D right answers, the most that a case has; one that stands twice in a case counts once.

    strings : all texts of the evaluation, ascending. right : int32 [n, D], the right answers of each case in `strings`; -1 past them.
    said : int32 [n, r, K], the diagnoses in `strings`; -1 for a word for none, -2 past the end of a list.
    probabilities : float32 [n, r, K, D]; NaN where no diagnosis is said, the list is shorter, or the case has fewer right answers.
    hits : bool [n, r, K, D], the verdicts of M; False where the probability is NaN.
    distance : int8 [n, r, 10, D], at most ten ranks: Kernel29's D (1 to 5) by M's relation model of pairs that are no match; 0 where it does
        not tell, or was not asked.
    """

    strings: list[str]
    right: NDArray[np.int32]
    said: NDArray[np.int32]
    probabilities: NDArray[np.float32]
    hits: NDArray[np.bool_]
    distance: NDArray[np.int8]

    @property
    def given(self) -> NDArray[np.bool_]:
        """Tells where a case has a right answer: bool [n, D]."""
        return self.right >= 0


def reference_matches(
    pairs: Pairs, right: NDArray[np.int32], said: NDArray[np.int32], relations: Any = None, ranks: int = RANKED
) -> Callable[[], ReferenceMatches]:
    """Adds each diagnosis with each right answer of its case; gives what makes the matches, once M was asked.

    right, said : as of `ReferenceMatches`. relations : M, where it is to be asked for its relations, of the first `ranks`.
    """
    parts = list(blocks(len(said), said[:1].size * right.shape[1]))
    pairs.add((right[at][:, None, None], said[at][..., None]) for at in parts)

    def made() -> ReferenceMatches:
        shape = (*said.shape, right.shape[1])
        probabilities, hits = np.full(shape, np.nan, np.float32), np.zeros(shape, bool)
        for at in parts:
            probabilities[at], hits[at] = pairs.said(right[at][:, None, None], said[at][..., None])
        distance = np.zeros_like(hits[:, :, :ranks], np.int8)
        if relations is not None:
            # of what is no match
            apart = np.nonzero(~np.isnan(probabilities[:, :, :ranks]) & ~hits[:, :, :ranks])
            codes = right[apart[0], apart[3]] * np.int64(len(pairs.strings)) + said[apart[:3]]
            unique, place = np.unique(codes, return_inverse=True)
            distance[apart] = distances(relations, *pairs.texts(unique))[place]
        return ReferenceMatches(pairs.strings, right, said, probabilities, hits, distance)

    return made


@dataclass(frozen=True)
class PeerMatches:
    """M between raters in each of n cases, as verdicts on u unordered pairs of `strings`.

    entries : int32 [n, raters, K], indices of strings; negative where there is no diagnosis.
    first, second : int [m], the raters of each pair that is compared, the smaller first.
    strings : of the answers, ascending. codes : int64 [u], ascending; the pair (i, j), i <= j, has the code i * len(strings) + j.
    verdicts : bool [u]. probabilities : float32 [u]. Of a policy that looks one way, either direction counts.
    panels : who is judged by whom, of a panel.
    """

    entries: Entries
    first: Raters
    second: Raters
    strings: list[str]
    codes: Codes
    verdicts: NDArray[np.bool_]
    probabilities: NDArray[np.float32]
    panels: tuple[JudgedBy, ...] = ()

    def top(self, k: int) -> PeerMatches:
        """Cuts lists to k."""
        return replace(self, entries=self.entries[:, :, :k])

    def compared(self, values: NDArray[Any] | None = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yields blocks of cases, and for each pair of lists, place by place, what M says: bool [c, m, K, K].

        values : [u], what to give instead of the verdicts; 0 where nothing is said.
        """
        given = self.verdicts if values is None else values
        given, last = np.append(given, given.dtype.type(0)), len(self.codes) - 1
        for cases, codes in _face_to_face(self.entries, self.first, self.second, len(self.strings)):
            yield cases, given[np.where(codes < 0, -1, np.minimum(np.searchsorted(self.codes, codes), last))]


def _face_to_face(entries: Entries, first: Raters, second: Raters, n_strings: int) -> Iterator[tuple[slice, Codes]]:
    """Some cases, and the code of each two places of each two lists in them: [c, m, K, K]; -1 where either says no diagnosis."""
    for cases in blocks(len(entries), len(first) * entries.shape[2] ** 2):
        left, right = entries[cases][:, first], entries[cases][:, second]
        yield cases, pair_codes(left[..., :, None], right[..., None, :], n_strings)


def panel_matches(pairs: Pairs, answers: Lists, k: int, panels: Sequence[JudgedBy]) -> Callable[[], PeerMatches]:
    """Adds every pair that the first k of two lists of a case put face to face, of each two raters that some panel needs."""
    raters = len(answers.raters)
    number = np.arange(raters * raters).reshape(raters, raters)
    needed = np.concatenate([side for panel in panels for side in panel.pairs(np.minimum(number, number.T))])
    made = _face_to_faces(pairs, answers, answers.top(k), *np.divmod(np.unique(needed), raters))
    return lambda: replace(made(), panels=tuple(panels))


def first_matches(pairs: Pairs, answers: Lists) -> Callable[[], PeerMatches]:
    """Adds each two first diagnoses of a case."""
    return _face_to_faces(pairs, answers, answers.top(1), *np.triu_indices(len(answers.raters), 1))


def _face_to_faces(
    pairs: Pairs, answers: Lists, entries: Entries, first: Raters, second: Raters
) -> Callable[[], PeerMatches]:
    """Adds every pair that the lists of a case put face to face."""
    n_strings, number = len(answers.strings), pairs.numbers(answers.strings)
    codes = gathered(of.reshape(-1) for _, of in _face_to_face(entries, first, second, n_strings))
    one, other = (number[side] for side in np.divmod(codes, max(1, n_strings)))
    pairs.add([(one, other)], peers=True)

    def made() -> PeerMatches:
        probabilities, verdicts = pairs.said(one, other, peers=True)
        return PeerMatches(entries, first, second, answers.strings, codes, verdicts, probabilities)

    return made
