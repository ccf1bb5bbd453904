"""What a judge reads: the answer of each rater as it was written, or else its list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ...terms.icd.naming import Naming
from ...terms.text.normalizer import Normalizer
from ...votes.prompts.verdicts import is_refusal
from ..lists.lists import Lists
from ..lists.ranked_answer.markup import without_thoughts

Names = Callable[[list[str]], list[str]]


@dataclass(frozen=True)
class WrittenAnswers:
    """Of n cases, r raters and D references.

    references : of each case, as they were written, each name once. given : bool [n, D], where a case has one.
    says : bool [n, r], an answer that says something; a refusal, thoughts alone and no text at all include nothing. equal : int16 [n, r, D], the place of a diagnosis of the same name, 0 for none.
    """

    lists: Lists
    references: list[list[str]]
    given: NDArray[np.bool_]
    says: NDArray[np.bool_]
    equal: NDArray[np.int16]

    @classmethod
    def of(cls, lists: Lists, naming: Names | None) -> WrittenAnswers:
        name = names_of(lists, naming)
        references = [list(dict.fromkeys(reference)) for reference in lists.reference]
        counts = np.array([len(reference) for reference in references])
        given = np.arange(counts.max(initial=0)) < counts[:, None]
        equal = np.zeros((*lists.lengths.shape, given.shape[1]), np.int16)
        top = lists.top(max(1, int(lists.lengths.max(initial=1))))
        for i, reference in enumerate(references):
            for j, row in enumerate(top[i].tolist()):
                listed = [name[lists.strings[e]] if e >= 0 else None for e in row]
                for d, wanted in enumerate(reference):
                    if name[wanted] in listed:
                        equal[i, j, d] = listed.index(name[wanted]) + 1
        says = np.asarray((top >= 0).any(2))
        cases, raters = ({name: place for place, name in enumerate(of)} for of in (lists.cases, lists.raters))
        for (case, rater), text in lists.unread.items():
            if case in cases and rater in raters:
                i, j = cases[case], raters[rater]
                says[i, j] = not lists.absent[i, j] and says_something(text)
        return cls(lists, references, given, says, equal)

    def text(self, case: int, rater: int) -> str:
        """The whole answer, or the diagnoses of the list on numbered lines."""
        return self._written(case, rater) or "\n".join(
            f"{place}. {name}" for place, name in enumerate(self._list(case, rater), 1) if name is not None
        )

    def numbered(self, case: int, rater: int) -> int:
        """How many numbered entries the text has that are places of the list; 0 where it is the answer as written."""
        return 0 if self._written(case, rater) else int(self.lists.lengths[case, rater])

    def _written(self, case: int, rater: int) -> str:
        key = self.lists.cases[case], self.lists.raters[rater]
        return self.lists.answers.get(key) or self.lists.unread.get(key, "")

    def _list(self, case: int, rater: int) -> list[str | None]:
        start, length = int(self.lists.offsets[case, rater]), int(self.lists.lengths[case, rater])
        return [None if e < 0 else self.lists.strings[e] for e in self.lists.entries[start : start + length]]


def names_of(lists: Lists, naming: Names | None) -> dict[str, str]:
    """Each diagnosis and reference -> its name; English normalisation by default."""
    raw = sorted({*lists.strings, *chain.from_iterable(lists.reference)})
    return dict(zip(raw, (naming or Naming(Normalizer()))(raw), strict=True))


def says_something(answer: str) -> bool:
    """Whether a model wrote more than thoughts, and does not decline."""
    return any(map(str.isalnum, without_thoughts(answer))) and not is_refusal(answer)
