"""ICD-10 picks: a direct match, else the candidates among which a language model chooses, and what it chose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..terms.icd.index import Assignment, Candidate, IcdAnswer, IcdIndex
from .prompts.questions import REASONS, Question
from .store.store import VoteStore
from .voters import Picker

PICKED, UNSCORED = "picked", "unscored"
NOT_ANSWERED = "the model was not asked, or did not answer"


class Choice(NamedTuple):
    """What stands to choose for the name in row `row`.

    nodes : int32[<= k], best first; candidates : the same as they are put to a model, and shown.
    """

    row: int
    name: str
    nodes: NDArray[np.int32]
    candidates: list[Candidate]


@dataclass(frozen=True)
class Choices:
    """What stands to choose for u names.

    direct : the direct matches of all u names; these are not asked.
    asked : the others that have candidates.
    """

    direct: Assignment
    asked: list[Choice]

    @classmethod
    def of(cls, names: Sequence[str], index: IcdIndex, k: int, take_direct: bool = True) -> Choices:
        """take_direct : whether a name that equals one of ICD-10 has its code at once; else only a code has."""
        direct, asked = index.direct(names, take_direct), []
        not_direct = np.flatnonzero(direct.nodes < 0).tolist()
        found = index.candidates([names[i] for i in not_direct], k)
        for row, nodes, *more in zip(not_direct, *found, strict=True):
            if candidates := index.shown_candidates(nodes, *more):
                asked.append(Choice(row, names[row], nodes[nodes >= 0], candidates))
        return cls(direct, asked)

    def questions(self, picker: Picker) -> Iterator[Question]:
        """One for each of `asked`."""
        return (Question(picker.config, one.name, picker.prompt.offer(one.candidates)) for one in self.asked)

    def nodes(self, picker: Picker, store: VoteStore) -> NDArray[np.int32]:
        """int32[u]: the direct match, or the candidate that `picker` chose; -1 where there is neither."""
        nodes = self.direct.nodes.copy()
        for choice, answer in zip(self.asked, store.stored(self.questions(picker)), strict=True):
            if answer is not None and answer.verdict is not None:
                nodes[choice.row] = choice.nodes[answer.verdict - 1]
        return nodes

    def answers(
        self, picker: Picker, store: VoteStore, names: Sequence[str], index: IcdIndex, k: int
    ) -> list[IcdAnswer]:
        """Maps the names to ICD-10: direct match or code; else "picked", the candidate that the model named; else "unscored".

        The candidates stand in the order in which they were put to the model, after a direct match, of which no model is asked; the
        score of a pick is its cosine or its distance with a minus sign. names, index, k : as of `of`.
        """
        is_direct = (self.direct.nodes >= 0).tolist()
        direct = iter(index.answers([name for name, known in zip(names, is_direct, strict=True) if known], k))
        out = [next(direct) if known else IcdAnswer() for known in is_direct]
        for choice, answer in zip(self.asked, store.stored(self.questions(picker)), strict=True):
            if answer is None or answer.verdict is None:
                reason = NOT_ANSWERED if answer is None else REASONS[answer.reason or "unclear"]
                out[choice.row] = IcdAnswer(how=UNSCORED, candidates=choice.candidates, reason=reason)
            else:
                chosen = choice.candidates[answer.verdict - 1]
                out[choice.row] = IcdAnswer(*chosen[:2], PICKED, chosen.score, choice.candidates)
        return out
