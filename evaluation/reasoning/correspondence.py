"""Which annotated and predicted observations correspond, one to one, and which of these are explained alike."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ...matcher.protocol import Matcher
from ..matches.case_matches import PAIRS_PER_CALL, asked
from ..matches.policy import is_directed
from ..metrics.reasoning import same_name
from .notes import Deduction

_WORD = re.compile(r"[^\W_]")
_OF_EQUAL_WEIGHT = 1e-9

Pairs = list[tuple[int, int]]


def correspond(probabilities: NDArray[np.float64], threshold: float) -> Pairs:
    """The one-to-one correspondence of the greatest total probability, ascending.

    probabilities : [annotated, predicted]. A pair below the threshold does not correspond. Of two of one weight, the one of
    more pairs is taken.
    """
    allowed = probabilities >= threshold
    rows, columns = linear_sum_assignment(
        np.where(allowed, probabilities + _OF_EQUAL_WEIGHT, 0.0), maximize=True
    )  # fmt: skip
    kept = allowed[rows, columns]
    return list(zip(rows[kept].tolist(), columns[kept].tolist(), strict=True))


class Similarity:
    """M on texts, the annotated one first, each pair asked once, in bounded chunks; unordered, where M is symmetric.

    A text without a letter or digit matches nothing.
    """

    def __init__(self, matcher: Matcher, pairs_per_call: int = PAIRS_PER_CALL) -> None:
        self._matcher, self._pairs_per_call = matcher, pairs_per_call
        self._directed = is_directed(matcher)
        self._known: dict[tuple[str, str], float] = {}

    @property
    def threshold(self) -> float:
        return self._matcher.threshold

    def learn(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Asks M about those that it was not asked about."""
        ordered = {self._key(*pair) for pair in pairs if all(_WORD.search(text) for text in pair)}
        unknown = sorted(ordered - self._known.keys())
        for start in range(0, len(unknown), self._pairs_per_call):
            chunk = unknown[start : start + self._pairs_per_call]
            a, b = [one for one, _ in chunk], [other for _, other in chunk]
            self._known.update(zip(chunk, asked(self._matcher, a, b).tolist(), strict=True))

    def __call__(self, a: str, b: str) -> float:
        """The probability, of what was learnt; 0 for a text without a letter or digit."""
        return self._known.get(self._key(a, b), 0.0)

    def _key(self, a: str, b: str) -> tuple[str, str]:
        return (a, b) if self._directed else (min(a, b), max(a, b))


def observation_pairs(
    notes: Sequence[tuple[Sequence[Deduction], Sequence[Deduction]]], similar: Similarity
) -> list[Pairs]:
    """For each note, (annotated, predicted): the pairs of their observations that correspond, as places in the two."""
    similar.learn([(one.observation, other.observation) for true, said in notes for one in true for other in said])
    out = []
    for true, said in notes:
        table = np.array([[similar(one.observation, other.observation) for other in said] for one in true])
        out.append(correspond(table.reshape(len(true), len(said)), similar.threshold))
    return out


def explained_pairs(
    notes: Sequence[tuple[Sequence[Deduction], Sequence[Deduction]]], pairs: Sequence[Pairs], similar: Similarity
) -> list[Pairs]:
    """Those of `pairs` whose diagnosis has the same name in the graph, and whose rationales match by M.

    The names of diagnoses are not put to M: "Suspected Stroke" and "Stroke" are two steps of a path.
    """
    same = [
        [(i, j) for i, j in of_note if _same_diagnosis(true[i], said[j])]
        for (true, said), of_note in zip(notes, pairs, strict=True)
    ]
    rationales = [
        [(true[i].rationale or "", said[j].rationale or "") for i, j in of_note]
        for (true, said), of_note in zip(notes, same, strict=True)
    ]
    similar.learn([pair for of_note in rationales for pair in of_note])
    return [
        [place for place, texts in zip(of_note, said, strict=True) if similar(*texts) >= similar.threshold]
        for of_note, said in zip(same, rationales, strict=True)
    ]


def _same_diagnosis(true: Deduction, said: Deduction) -> bool:
    if true.diagnosis is None or said.diagnosis is None:
        return False
    return same_name(true.diagnosis) == same_name(said.diagnosis)
