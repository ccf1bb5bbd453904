"""ICD-10 picks: a direct match, else the candidates among which a language model chooses, and what it chose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..terms.icd.index import Assignment, IcdIndex
from .prompts.pick_prompt import candidates_text
from .prompts.questions import ModelConfig, Question
from .store.store import StoreError, VoteStore


@dataclass(frozen=True)
class Choices:
    """What stands to choose for u names.

    direct : the direct matches of all u names; these are not asked.
    rows : the names that have no direct match but candidates. names : their texts.
    candidates : for each of them int32[<= k] nodes, best first; cosines : theirs. listed : the same as the text that is asked.
    """

    direct: Assignment
    rows: list[int]
    names: list[str]
    candidates: list[NDArray[np.int32]]
    cosines: list[NDArray[np.float32]]
    listed: list[str]

    @classmethod
    def of(cls, names: Sequence[str], index: IcdIndex, k: int) -> Choices:
        choices = cls(index.direct(names), [], [], [], [], [])
        not_direct = np.flatnonzero(choices.direct.nodes < 0).tolist()
        found = index.candidates([names[i] for i in not_direct], k)
        for row, nodes, cosines in zip(not_direct, *found, strict=True):
            nodes, cosines = nodes[nodes >= 0], cosines[nodes >= 0]
            if not len(nodes):
                continue
            choices.rows.append(row)
            choices.names.append(names[row])
            choices.candidates.append(nodes)
            choices.cosines.append(cosines)
            choices.listed.append(candidates_text([(index.tree.code(n), index.tree.name(n)) for n in nodes.tolist()]))
        return choices

    def questions(self, config: ModelConfig) -> Iterator[Question]:
        """One for each of `rows`."""
        for name, listed in zip(self.names, self.listed, strict=True):
            yield Question(config, name, listed)

    def nodes(self, config: ModelConfig, store: VoteStore) -> NDArray[np.int32]:
        """int32[u]: the direct match, or the candidate that `config` picked; -1 where there is neither."""
        nodes = self.direct.nodes.copy()
        picks = store.picks(config, list(zip(self.names, self.listed, strict=True)))
        for row, name, candidates, pick in zip(self.rows, self.names, self.candidates, picks, strict=True):
            if pick is not None:
                nodes[row] = candidates[place_of(pick, len(candidates), name)]
        return nodes


def place_of(pick: int, candidates: int, name: str) -> int:
    """The pick, counted from 0. Raises `StoreError` for one that no prompt reads out of an answer."""
    if not 1 <= pick <= candidates:
        raise StoreError(
            f"The vote store is damaged: it holds the pick {pick} of {candidates} candidates for {name!r}."
        )
    return pick - 1
