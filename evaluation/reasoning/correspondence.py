"""Which annotated and predicted observations correspond, one to one, and which of these are explained alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ...matcher.protocol import Matcher
from ...progress import Progress
from ..matches.case_matches import PAIRS_PER_CALL, asked
from ..matches.policy import is_directed
from ..metrics.reasoning import same_name
from .notes import Deduction

_WORD = re.compile(r"[^\W_]")
_OF_EQUAL_WEIGHT = 1e-9

OBSERVATION, RATIONALE = "observation", "rationale"
"""What is compared: the questions that a language model is asked."""

Pairs = list[tuple[int, int]]


PAIRINGS = ("best", "greedy")


class Similar(Protocol):
    """Who says whether two texts are alike, the annotated one first: M, or a language model."""

    @property
    def threshold(self) -> float: ...

    def learn(self, kind: str, pairs: Sequence[tuple[str, str]]) -> None:
        """Asks about those that are not known yet. kind : OBSERVATION or RATIONALE."""
        ...

    def __call__(self, kind: str, a: str, b: str) -> float:
        """In [0, 1], of what was learnt."""
        ...


def correspond(probabilities: NDArray[np.float64], threshold: float, pairing: str = "best") -> Pairs:
    """The one-to-one correspondence, ascending.

    probabilities : [annotated, predicted]. A pair below the threshold does not correspond.
    pairing : "best", the one of the greatest total probability; of two of one weight, that of more pairs. "greedy", as the source
        has it: each annotated one in turn takes the first predicted one that is left and alike.
    """
    allowed = probabilities >= threshold
    if pairing == "greedy":
        return _greedy(allowed)
    rows, columns = linear_sum_assignment(
        np.where(allowed, probabilities + _OF_EQUAL_WEIGHT, 0.0), maximize=True
    )  # fmt: skip
    kept = allowed[rows, columns]
    return list(zip(rows[kept].tolist(), columns[kept].tolist(), strict=True))


def _greedy(allowed: NDArray[np.bool_]) -> Pairs:
    free = np.ones(allowed.shape[1], bool)
    pairs = []
    for i, row in enumerate(allowed):
        if (row & free).any():
            j = int((row & free).argmax())
            free[j] = False
            pairs.append((i, j))
    return pairs


class Similarity:
    """M on texts, the annotated one first, each pair asked once, in bounded chunks; unordered, where M is symmetric.

    A text without a letter or digit matches nothing.
    """

    def __init__(
        self, matcher: Matcher, progress: Progress | None = None, pairs_per_call: int = PAIRS_PER_CALL
    ) -> None:
        self._matcher, self._pairs_per_call = matcher, pairs_per_call
        self._progress = progress or (lambda done, total: None)
        self._directed = is_directed(matcher)
        self._known: dict[tuple[str, str], float] = {}

    @property
    def threshold(self) -> float:
        return self._matcher.threshold

    def learn(self, kind: str, pairs: Sequence[tuple[str, str]]) -> None:
        """Asks M about those that it was not asked about. kind : does not matter, M has one question."""
        del kind
        ordered = {self._key(*pair) for pair in pairs if all(_WORD.search(text) for text in pair)}
        unknown = sorted(ordered - self._known.keys())
        for start in range(0, len(unknown), self._pairs_per_call):
            self._progress(start, len(unknown))
            chunk = unknown[start : start + self._pairs_per_call]
            a, b = [one for one, _ in chunk], [other for _, other in chunk]
            self._known.update(zip(chunk, asked(self._matcher, a, b).tolist(), strict=True))

    def __call__(self, kind: str, a: str, b: str) -> float:
        """The probability, of what was learnt; 0 for a text without a letter or digit."""
        return self._known.get(self._key(a, b), 0.0)

    def _key(self, a: str, b: str) -> tuple[str, str]:
        return (a, b) if self._directed else (min(a, b), max(a, b))


Notes = Sequence[tuple[Sequence[Deduction], Sequence[Deduction]]]
"""Of each note, (annotated, predicted)."""


def observation_pairs(notes: Notes, similar: Similar, pairing: str = "best") -> list[Pairs]:
    """For each note: the pairs of its observations that correspond, as places in the two."""
    similar.learn(
        OBSERVATION, [(one.observation, other.observation) for true, said in notes for one in true for other in said]
    )
    out = []
    for true, said in notes:
        table = np.array([
            [similar(OBSERVATION, one.observation, other.observation) for other in said] for one in true
        ])  # fmt: skip
        out.append(correspond(table.reshape(len(true), len(said)), similar.threshold, pairing))
    return out


def rationales_alike(notes: Notes, pairs: Sequence[Pairs], similar: Similar) -> list[list[bool]]:
    """Of each pair, whether the two rationales are alike."""
    rationales = [
        [(true[i].rationale or "", said[j].rationale or "") for i, j in of_note]
        for (true, said), of_note in zip(notes, pairs, strict=True)
    ]
    similar.learn(RATIONALE, [pair for of_note in rationales for pair in of_note])
    return [[similar(RATIONALE, *texts) >= similar.threshold for texts in of_note] for of_note in rationales]


def same_diagnosis(true: Deduction, said: Deduction) -> bool:
    """By their names in the graph. They are not put to M: "Suspected Stroke" and "Stroke" are two steps of a path."""
    if true.diagnosis is None or said.diagnosis is None:
        return False
    return same_name(true.diagnosis) == same_name(said.diagnosis)
