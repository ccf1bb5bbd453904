"""M on pairs of strings: all that an evaluation needs are gathered first, each is asked once; diagnoses with right answers, lists face to face.

Whose lists stand face to face: an algorithm's and those of the experts that it is judged by.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError, NotUnderstoodWarning, quoted
from ...matcher.policy import POLICIES, SPECIFICATION
from ...matcher.protocol import Matcher, told
from ...progress import Progress

RANKED = 10
"""Ranks that nDCG looks at."""
MOST_IN_TURN = 25
"""Raters of whom each is judged by all others: what is computed grows with their third power."""
_CELLS_PER_BLOCK = 2_000_000

Numbers = NDArray[np.integer[Any]]
Codes = NDArray[np.int64]
Probabilities = NDArray[np.float64]
Panels = Sequence[Sequence[int]]
"""Algorithms, each with the experts that it is judged by, as places among the raters: the algorithm first; all of one length."""


def each_once(codes: Codes) -> Codes:
    """Sorts numbers, each once and none that is negative."""
    # np.unique hashes: twenty times as long for tens of millions
    codes = np.sort(codes[codes >= 0], kind="stable")
    return codes[np.append(codes[:1] >= 0, codes[1:] != codes[:-1])]


def blocks(n: int, cells: int) -> Iterator[slice]:
    """Cuts n cases of so many cells into blocks of bounded memory."""
    step = max(1, _CELLS_PER_BLOCK // max(1, cells))
    yield from (slice(start, min(n, start + step)) for start in range(0, n, step))


class Pairs:
    """Holds the pairs of strings that M is to be asked, each once; after `ask`, what it says of them.

    Parameters
    ----------
    texts : iterable of str
        All strings of the evaluation. They are numbered in ascending order, so that the order of rows changes no call.
    matcher : Matcher, optional
        M, to be asked. Of a policy that looks one way it is asked (reference, answer) in this order; pairs are unordered else.

    Attributes
    ----------
    codes : int64, ascending, the numbers of the pairs. threshold : a pair matches from this probability up, once M was asked.
    policy : of M; the default one of an M that names none. directed : whether M is asked (reference, answer) in this order.
    """

    def __init__(self, texts: Iterable[str], matcher: Any = None) -> None:
        self.policy = POLICIES.get(str(getattr(matcher, "policy", "")), POLICIES[SPECIFICATION])
        self.directed = not self.policy.symmetric
        self.matcher, self.strings, self.threshold = matcher, sorted({*texts}), np.inf
        self.codes: Codes = np.empty(0, np.int64)
        self._number = {text: i for i, text in enumerate(self.strings)}
        self._names, self._probabilities = np.array([*self.strings, None], object), np.full(1, np.nan)

    def numbers(self, texts: Iterable[str]) -> NDArray[np.int32]:
        """Looks up the number of each text."""
        return np.array([self._number[text] for text in texts], np.int32)

    def codes_of(self, first: Numbers, second: Numbers, ordered: bool | None = None) -> Codes:
        """Numbers pairs of numbers of texts, the references' first; -1 where either is negative.

        ordered : whether the same two the other way round are another pair; as the policy has it if not given.
        """
        if not (self.directed if ordered is None else ordered):
            first, second = np.minimum(first, second), np.maximum(first, second)
        return np.where((first < 0) | (second < 0), -1, np.asarray(first, np.int64) * len(self.strings) + second)

    def texts(self, codes: Codes) -> tuple[list[str], list[str]]:
        """Lists the first and the second of some pairs; None for the first of a negative one."""
        # looked up in an array: a million numbers as Python's own would take 80 MB
        return tuple(self._names[side].tolist() for side in self.sides(codes))  # type: ignore[return-value]

    def sides(self, codes: Codes) -> tuple[Codes, Codes]:
        """Gives the numbers of the first and of the second text of some pairs."""
        return np.divmod(codes, max(1, len(self.strings)))

    def add(self, pairs: Iterable[tuple[Numbers, Numbers]]) -> None:
        """Adds pairs of arrays that broadcast, the references' side first; negative numbers are no string."""
        parts = (each_once(self.codes_of(*pair)) for pair in pairs)
        self.codes = each_once(np.concatenate([self.codes, *parts]))

    def ask(self, progress: Progress = lambda done, of: None) -> None:
        """Asks M about all pairs, in chunks. Errors: those of `asked`."""
        total, self.threshold = len(self.codes), float(self.matcher.threshold)
        self._probabilities = np.full(total + 1, np.nan)  # the last for -1
        for part in blocks(total, 2):
            self._probabilities[part] = asked(self.matcher, *self.texts(self.codes[part]))
            progress(part.stop, total)

    def said(self, first: Numbers, second: Numbers) -> Probabilities:
        """Looks up what M said of pairs that were added; NaN where a number is negative."""
        codes = self.codes_of(first, second)
        return self._probabilities[np.where(codes < 0, -1, np.searchsorted(self.codes, codes))]


def asked(matcher: Matcher, a: Sequence[str], b: Sequence[str]) -> Probabilities:
    """Asks M for probabilities, row by row, and checks them; 0 where it says that it does not understand a diagnosis.

    Raises
    ------
    ModelError
        Where M gives something other than one probability per pair.
    """
    with warnings.catch_warnings(action="ignore", category=NotUnderstoodWarning):  # a Finding says so once
        found = np.asarray(matcher.probabilities(a, b), float)
    if found.shape != (len(a),):
        raise ModelError(f"The matcher gave {found.shape} probabilities for {len(a):,} pairs.")
    if unscored := np.flatnonzero(np.isnan(found)).tolist():
        unknown = told(
            matcher, "not_understood", list(dict.fromkeys(text for at in unscored for text in (a[at], b[at])))
        )
        found[[at for at in unscored if a[at] in unknown or b[at] in unknown]] = 0.0
    if len(wrong := np.flatnonzero(~((found >= 0) & (found <= 1)))):
        one, other = quoted(a[wrong[0]]), quoted(b[wrong[0]])
        raise ModelError(f"The matcher gave {found[wrong[0]]} as the probability that {one} is {other}.")
    return found


def related(matcher: Any, references: Sequence[str], said: Sequence[str], **more: bool) -> Any:
    """Asks M what each reference is to an answer: its `relations` of both, checked. more : why=True for reasons.

    Raises
    ------
    ModelError
        Where M gives something other than one relation per pair.
    """
    with warnings.catch_warnings(action="ignore", category=NotUnderstoodWarning):  # a Finding says so once
        found = matcher.relations(references, said, **more)
    if (given := len(found.kinds)) != len(references):
        raise ModelError(f"The matcher gave {given:,} relations for {len(references):,} pairs.")
    return found


@dataclass(frozen=True)
class ReferenceMatches:
    """M of n cases, r raters, K ranks and D right answers, the most that a case has; one that stands twice in a case counts twice.

    pairs : that M is asked; they hold all texts. right : int32 [n, D], the right answers of each case in `pairs.strings`; -1 past them.
    said : int32 [n, r, K], the diagnoses in `pairs.strings`; -1 for a word for none, -2 past the end of a list.
    distance : int8 [n, r, 10, D], at most ten ranks: Kernel29's D (1 to 5) by M's relation model of pairs that are no match; 0 where it does
        not tell, or was not asked.
    """

    pairs: Pairs
    right: NDArray[np.int32]
    said: NDArray[np.int32]
    distance: NDArray[np.int8]
    lacking: str = "the case has no right answer"

    @classmethod
    def of(cls, pairs: Pairs, right: NDArray[np.int32], said: NDArray[np.int32]) -> ReferenceMatches:
        """Adds each diagnosis with each right answer of its case to what M is asked."""
        made = cls(pairs, right, said, np.zeros((*said[:, :, :RANKED].shape, right.shape[1]), np.int8))
        pairs.add((right, said) for _, right, said in made._beside())
        return made

    def _beside(self) -> Iterator[tuple[slice, Numbers, Numbers]]:
        """Some cases, and in each of them the right answers, [c, 1, 1, D], beside the diagnoses, [c, r, K, 1]."""
        for at in blocks(len(self.said), self.said[:1].size * self.right.shape[1]):
            yield at, self.right[at][:, None, None], self.said[at][..., None]

    @cached_property
    def probabilities(self) -> Probabilities:
        """Gives what M said: [n, r, K, D]; NaN where no diagnosis is said, the list is shorter, or the case has fewer right answers."""
        found = np.empty((*self.said.shape, self.right.shape[1]))
        for at, *sides in self._beside():
            found[at] = self.pairs.said(*sides)
        return found

    @cached_property
    def hits(self) -> NDArray[np.bool_]:
        """Gives the verdicts of M: [n, r, K, D]; False where the probability is NaN."""
        return self.probabilities >= self.pairs.threshold

    def nearest(self, cases: Numbers) -> tuple[NDArray[np.int32], Probabilities]:
        """Finds in some cases the likeliest right answer of each diagnosis, -1 for none, and how likely the two are the same: [m, r, K] both."""
        probabilities = self.probabilities[cases]
        place = np.nan_to_num(probabilities, nan=-1).argmax(3)
        return self.right[cases[:, None, None], place], np.fmax.reduce(probabilities, 3)

    @property
    def given(self) -> NDArray[np.bool_]:
        """Tells where a case has a right answer: bool [n, D]."""
        return self.right >= 0

    def graded(self, ranks: int = RANKED) -> ReferenceMatches:
        """Asks M for its relations of what is no match, of the first `ranks`. Errors: those of `related`."""
        apart = np.nonzero(self.probabilities[:, :, :ranks] < self.pairs.threshold)
        codes = self.pairs.codes_of(self.right[apart[0], apart[3]], self.said[apart[:3]], ordered=True)
        unique, place = np.unique(codes, return_inverse=True)
        distance = np.zeros_like(self.hits[:, :, :ranks], np.int8)
        if len(unique):
            found = related(self.pairs.matcher, *self.pairs.texts(unique))
            distance[apart] = np.asarray(found.semantic_distance)[place]
        return replace(self, distance=distance)


@dataclass(frozen=True)
class PeerMatches:
    """M between raters in each of n cases, on u unordered pairs. Of a policy that looks one way, either direction counts.

    pairs : that M is asked; they hold all texts.
    entries : int32 [n, raters, K], indices of `pairs.strings`; negative where there is no diagnosis.
    panels : who is compared: in each of them all with each other.
    first, second : int [m], the raters of each pair that is compared, the smaller first.
    codes : int64 [u], ascending; the pair (i, j), i <= j, of strings has the code i * len(pairs.strings) + j.
    """

    pairs: Pairs
    entries: NDArray[np.int32]
    panels: Panels
    first: Numbers
    second: Numbers
    codes: Codes

    @classmethod
    def of(cls, pairs: Pairs, entries: NDArray[np.int32], panels: Panels) -> PeerMatches:
        """Adds every pair that the lists of two raters put face to face in a case to what M is asked."""
        first, second = np.array(sorted({pair for panel in panels for pair in combinations(sorted(panel), 2)})).T
        made = cls(pairs, entries, panels, first, second, np.empty(0, np.int64))
        made = replace(made, codes=each_once(np.concatenate([each_once(codes) for _, codes in made._face_to_face()])))
        # of an M that is asked one way, both
        pairs.add([(sides := pairs.sides(made.codes)), sides[::-1]][: 1 + pairs.directed])
        return made

    @cached_property
    def probabilities(self) -> Probabilities:
        """Gives what M said of each pair: [u]."""
        sides = self.pairs.sides(self.codes)
        return np.max([self.pairs.said(*way) for way in (sides, sides[::-1])[: 1 + self.pairs.directed]], 0)

    @cached_property
    def verdicts(self) -> NDArray[np.bool_]:
        """Gives the verdict of M on each pair: [u]."""
        return self.probabilities >= self.pairs.threshold

    def top(self, k: int) -> PeerMatches:
        """Cuts lists to k."""
        return replace(self, entries=self.entries[:, :, :k])

    def compared(self, values: NDArray[Any] | None = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yields blocks of cases, and for each pair of lists, place by place, what M says: bool [c, m, K, K].

        values : [u], what to give instead of the verdicts; 0 where nothing is said.
        """
        given = self.verdicts if values is None else values
        given = np.append(given, given.dtype.type(0))
        for cases, codes in self._face_to_face():
            yield cases, given[np.where(codes < 0, -1, np.searchsorted(self.codes, codes))]

    def _face_to_face(self) -> Iterator[tuple[slice, Codes]]:
        """Some cases, and the code of each two places of each two lists in them: [c, m, K, K]; -1 where either says no diagnosis."""
        for cases in blocks(len(self.entries), len(self.first) * self.entries.shape[2] ** 2):
            left, right = self.entries[cases][:, self.first], self.entries[cases][:, self.second]
            yield cases, self.pairs.codes_of(left[..., :, None], right[..., None, :], ordered=False)
