"""Who says which texts are alike, M or a language model; and which observations correspond by it, one to one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ...errors import InputError
from ...matcher.protocol import Matcher, Profile
from ...progress import Progress
from ...votes.asking import Budget, LanguageModel
from ...votes.prompts.prompt import Prompt
from ...votes.store.store import VoteStore
from ..match.judge import BY_M as M
from ..match.judge import JUDGE, NO_VERDICT, NOT_ANSWERED
from ..match.pairs import asked, is_directed
from .notes import WORD

OBSERVATION, RATIONALE = "observation", "rationale"
"""What is compared: the questions that a language model is asked."""
PAIRINGS = ("best", "greedy")

_OF_EQUAL_WEIGHT = 1e-9
TextPair = tuple[str, str]


@dataclass
class Likeness:
    """Who says which texts are alike, the annotated one first; asked about each pair once.

    Equal texts are alike, and a text without a letter or digit is like none: nobody is asked about them. A pair without a verdict
    counts as not alike.

    by : `M`, which has one question for all texts, or `JUDGE`. name : of the match function or the language model. threshold : alike from
    this probability up. symmetric : whether the order of two texts is no matter. ask : (OBSERVATION or RATIONALE, pairs) -> probabilities,
    None without a verdict.
    """

    by: str
    name: str
    threshold: float
    symmetric: bool
    ask: Callable[[str, Sequence[TextPair]], Sequence[float | None]]
    said: dict[tuple[str, str, str], float | None] = field(default_factory=dict, repr=False)

    def learn(self, kind: str, pairs: Iterable[TextPair]) -> None:
        """Asks about those that are not known."""
        unknown = sorted({self._key(kind, *pair) for pair in pairs if all(map(WORD.search, pair))} - self.said.keys())
        asked = [(a, b) for _, a, b in unknown if a != b]
        answers = iter(self.ask(kind, asked) if asked else ())
        self.said |= {key: 1.0 if key[1] == key[2] else next(answers) for key in unknown}

    def probability(self, kind: str, a: str, b: str) -> float | None:
        """Gives what was learnt; None without a verdict."""
        return self.said[self._key(kind, a, b)] if WORD.search(a) and WORD.search(b) else 0.0

    def verdict(self, kind: str, a: str, b: str) -> int:
        """Tells whether two texts are alike: 1 or 0; -1 without a verdict."""
        probability = self.probability(kind, a, b)
        return NO_VERDICT if probability is None else int(probability >= self.threshold)

    def _key(self, kind: str, a: str, b: str) -> tuple[str, str, str]:
        one, other = " ".join(a.split()), " ".join(b.split())
        if self.symmetric and other < one:
            one, other = other, one
        return "" if self.by == M else kind, one, other


def by_matcher(matcher: Matcher, progress: Progress | None) -> Likeness:
    """Lets M say what is alike."""

    def ask(kind: str, pairs: Sequence[TextPair]) -> list[float]:
        found = asked(matcher, *map(list, zip(*pairs, strict=True))).tolist()
        if progress is not None:
            progress(len(found), len(pairs))
        return found

    return Likeness(M, Profile.of(matcher).identity, float(matcher.threshold), not is_directed(matcher), ask)


def by_model(
    model: LanguageModel, prompts: Mapping[str, Prompt], store: VoteStore, budget: Budget, progress: Progress | None
) -> Likeness:
    """Lets a language model say what is alike, through the vote store; it must give a verdict on some pair."""

    def ask(kind: str, pairs: Sequence[TextPair]) -> list[float | None]:
        answers = model.answers(prompts[kind], pairs, store, budget, progress)
        if all(answer is None or answer.verdict is None for answer in answers):
            reason = answers[0].reason if answers[0] else NOT_ANSWERED
            problem = f"{model.model} gave no verdict on any of {len(pairs):,} pairs of {kind}s ({reason})"
            raise InputError(problem, allowed="a judge that answers Yes or No")
        return [None if answer is None else answer.verdict for answer in answers]

    return Likeness(JUDGE, model.model, 0.5, False, ask)


def correspond(probabilities: NDArray[np.float64], threshold: float, pairing: str = "best") -> list[tuple[int, int]]:
    """Finds the one-to-one correspondence, ascending.

    probabilities : [annotated, predicted]. A pair below the threshold does not correspond.
    pairing : "best", the one of the greatest total probability; of two of one weight, that of more pairs. "greedy", as the source
        has it: each annotated one in turn takes the first predicted one that is left and alike.
    """
    allowed = probabilities >= threshold
    if pairing == "best":
        weights = np.where(allowed, probabilities + _OF_EQUAL_WEIGHT, 0.0)
        rows, columns = linear_sum_assignment(weights, maximize=True)
        kept = allowed[rows, columns]
        return list(zip(rows[kept].tolist(), columns[kept].tolist(), strict=True))
    pairs: dict[int, int] = {}
    for i, row in enumerate(allowed.tolist()):
        free = [j for j, alike in enumerate(row) if alike and j not in pairs.values()]
        pairs |= {i: free[0]} if free else {}
    return list(pairs.items())
