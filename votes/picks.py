"""ICD-10 picks: a direct match, else the candidates among which a language model chooses, and what it chose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import quoted
from ..terms.icd.index import DIRECT, Assignment, IcdIndex
from .prompts.pick_prompt import Offered
from .prompts.questions import Question
from .store.store import StoreError, VoteStore
from .voters import Picker


class Choice(NamedTuple):
    """What stands to choose for the name in row `row`.

    candidates : int32[<= k] nodes, best first; cosines : theirs; entries : the names of the index that they were found by.
    offered : the same as a prompt may show them.
    """

    row: int
    name: str
    candidates: NDArray[np.int32]
    cosines: NDArray[np.float32]
    entries: NDArray[np.int32]
    offered: list[Offered]


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
        direct, asked = index.direct(names), []
        if not take_direct:
            direct = direct.without(DIRECT)
        not_direct = np.flatnonzero(direct.nodes < 0).tolist()
        found = index.candidates([names[i] for i in not_direct], k)
        for row, nodes, cosines, entries in zip(not_direct, *found, strict=True):
            nodes, cosines, entries = (column[nodes >= 0] for column in (nodes, cosines, entries))
            if len(nodes):
                offered = [
                    Offered(index.tree.code(node), index.tree.name(node), index.shown(node, index.names[int(entry)]))
                    for node, entry in zip(nodes.tolist(), entries.tolist(), strict=True)
                ]
                asked.append(Choice(row, names[row], nodes, cosines, entries, offered))
        return cls(direct, asked)

    def questions(self, picker: Picker) -> Iterator[Question]:
        """One for each of `asked`."""
        return (Question(picker.config, one.name, picker.prompt.listed(one.offered)) for one in self.asked)

    def nodes(self, picker: Picker, store: VoteStore) -> NDArray[np.int32]:
        """int32[u]: the direct match, or the candidate that `picker` chose; -1 where there is neither."""
        nodes = self.direct.nodes.copy()
        for choice, answer in zip(self.asked, store.stored(self.questions(picker)), strict=True):
            if answer is not None and answer.verdict is not None:
                nodes[choice.row] = choice.candidates[place_of(answer.verdict, len(choice.candidates), choice.name)]
        return nodes


def place_of(pick: int, candidates: int, name: str) -> int:
    """The pick, counted from 0. Raises `StoreError` for one that no prompt reads out of an answer."""
    if not 1 <= pick <= candidates:
        raise StoreError(
            f"The vote store is damaged: it holds the pick {pick} of {candidates} candidates for {quoted(name)}."
        )
    return pick - 1
