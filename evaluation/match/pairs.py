"""M on pairs of strings: all that an evaluation needs are gathered first, each is asked once; diagnoses with right answers, lists face to face."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from inspect import signature
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError, NotUnderstoodWarning, quoted
from ...matcher.policy import POLICIES
from ...matcher.protocol import Matcher, not_understood
from ...progress import Progress
from ..read.lists import JudgedBy

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
        return tuple(self._names[side].tolist() for side in self.sides(codes))  # type: ignore[return-value]

    def sides(self, codes: Codes) -> tuple[Codes, Codes]:
        """Gives the numbers of the first and of the second text of some pairs."""
        return np.divmod(codes, max(1, len(self.strings)))

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

    pairs : that M is asked; they hold all texts. right : int32 [n, D], the right answers of each case in `pairs.strings`; -1 past them.
    said : int32 [n, r, K], the diagnoses in `pairs.strings`; -1 for a word for none, -2 past the end of a list.
    distance : int8 [n, r, 10, D], at most ten ranks: Kernel29's D (1 to 5) by M's relation model of pairs that are no match; 0 where it does
        not tell, or was not asked.
    """

    pairs: Pairs
    right: NDArray[np.int32]
    said: NDArray[np.int32]
    distance: NDArray[np.int8]

    @classmethod
    def of(cls, pairs: Pairs, right: NDArray[np.int32], said: NDArray[np.int32]) -> ReferenceMatches:
        """Adds each diagnosis with each right answer of its case to what M is asked."""
        made = cls(pairs, right, said, np.zeros((*said[:, :, :RANKED].shape, right.shape[1]), np.int8))
        pairs.add(made._beside(at) for at in made._blocks)
        return made

    @property
    def _blocks(self) -> Iterator[slice]:
        return blocks(len(self.said), self.said[:1].size * self.right.shape[1])

    def _beside(self, cases: slice) -> tuple[Numbers, Numbers]:
        return self.right[cases][:, None, None], self.said[cases][..., None]

    @cached_property
    def _told(self) -> Said:
        shape = (*self.said.shape, self.right.shape[1])
        probabilities, hits = np.empty(shape, np.float32), np.empty(shape, bool)
        for at in self._blocks:
            probabilities[at], hits[at] = self.pairs.said(*self._beside(at))
        return probabilities, hits

    @property
    def probabilities(self) -> NDArray[np.float32]:
        """Gives what M said: [n, r, K, D]; NaN where no diagnosis is said, the list is shorter, or the case has fewer right answers."""
        return self._told[0]

    @property
    def hits(self) -> NDArray[np.bool_]:
        """Gives the verdicts of M: [n, r, K, D]; False where the probability is NaN."""
        return self._told[1]

    @property
    def given(self) -> NDArray[np.bool_]:
        """Tells where a case has a right answer: bool [n, D]."""
        return self.right >= 0

    def graded(self, matcher: Any, ranks: int = RANKED) -> ReferenceMatches:
        """Asks M for its relations of what is no match, of the first `ranks`. Errors: those of `related`."""
        apart = np.nonzero(~np.isnan(self.probabilities[:, :, :ranks]) & ~self.hits[:, :, :ranks])
        codes = self.right[apart[0], apart[3]] * np.int64(len(self.pairs.strings)) + self.said[apart[:3]]
        unique, place = np.unique(codes, return_inverse=True)
        distance = np.zeros_like(self.hits[:, :, :ranks], np.int8)
        distance[apart] = distances(matcher, *self.pairs.texts(unique))[place]
        return replace(self, distance=distance)


@dataclass(frozen=True)
class PeerMatches:
    """M between raters in each of n cases, on u unordered pairs. Of a policy that looks one way, either direction counts.

    pairs : that M is asked; they hold all texts.
    entries : int32 [n, raters, K], indices of `pairs.strings`; negative where there is no diagnosis.
    first, second : int [m], the raters of each pair that is compared, the smaller first.
    codes : int64 [u], ascending; the pair (i, j), i <= j, of strings has the code i * len(pairs.strings) + j.
    panels : who is judged by whom, of a panel.
    """

    pairs: Pairs
    entries: Entries
    first: Raters
    second: Raters
    codes: Codes
    panels: tuple[JudgedBy, ...] = ()

    @classmethod
    def of(
        cls, pairs: Pairs, entries: Entries, first: Raters, second: Raters, panels: Sequence[JudgedBy] = ()
    ) -> PeerMatches:
        """Adds every pair that the lists of two raters put face to face in a case to what M is asked."""
        made = cls(pairs, entries, first, second, np.empty(0, np.int64), tuple(panels))
        made = replace(made, codes=gathered(codes.reshape(-1) for _, codes in made._face_to_face()))
        pairs.add([pairs.sides(made.codes)], peers=True)
        return made

    @cached_property
    def _told(self) -> Said:
        return self.pairs.said(*self.pairs.sides(self.codes), peers=True)

    @property
    def probabilities(self) -> NDArray[np.float32]:
        """Gives what M said of each pair: [u]."""
        return self._told[0]

    @property
    def verdicts(self) -> NDArray[np.bool_]:
        """Gives the verdict of M on each pair: [u]."""
        return self._told[1]

    def top(self, k: int) -> PeerMatches:
        """Cuts lists to k."""
        return replace(self, entries=self.entries[:, :, :k])

    def compared(self, values: NDArray[Any] | None = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yields blocks of cases, and for each pair of lists, place by place, what M says: bool [c, m, K, K].

        values : [u], what to give instead of the verdicts; 0 where nothing is said.
        """
        given = self.verdicts if values is None else values
        given, last = np.append(given, given.dtype.type(0)), len(self.codes) - 1
        for cases, codes in self._face_to_face():
            yield cases, given[np.where(codes < 0, -1, np.minimum(np.searchsorted(self.codes, codes), last))]

    def _face_to_face(self) -> Iterator[tuple[slice, Codes]]:
        """Some cases, and the code of each two places of each two lists in them: [c, m, K, K]; -1 where either says no diagnosis."""
        for cases in blocks(len(self.entries), len(self.first) * self.entries.shape[2] ** 2):
            left, right = self.entries[cases][:, self.first], self.entries[cases][:, self.second]
            yield cases, pair_codes(left[..., :, None], right[..., None, :], len(self.pairs.strings))
