"""Who says which texts are alike, M or a language model; and which observations correspond by it, one to one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...matcher.protocol import Matcher, Profile
from ...progress import Progress
from ...votes.asking import Budget, LanguageModel
from ...votes.prompts.prompt import Prompt
from ...votes.store.store import VoteStore
from ..match.judge import BY_M as M
from ..match.judge import JUDGE, NO_VERDICT, NOT_ANSWERED
from ..match.pairs import asked
from .notes import WORD

OBSERVATION, RATIONALE = "observation", "rationale"
"""What is compared: the questions that a language model is asked."""

_OF_EQUAL_WEIGHT = 1e-9
TextPair = tuple[str, str]


@dataclass
class Likeness:
    """Who says which texts are alike, the annotated one first; asked about each pair once.

    Equal texts are alike, and a text without a letter or digit is like none: nobody is asked about them. A pair without a verdict
    counts as not alike.

    by : `M`, which has one question for all texts, or `JUDGE`. name : of the match function or the language model. threshold : alike from
    this probability up. ask : (OBSERVATION or RATIONALE, pairs) -> probabilities, None without a verdict.
    """

    by: str
    name: str
    threshold: float
    ask: Callable[[str, Sequence[TextPair]], Sequence[float | None]]
    said: dict[tuple[str, str, str], float | None] = field(default_factory=dict, repr=False)

    def probabilities(self, kind: str, pairs: Iterable[TextPair]) -> list[float | None]:
        """Gives a probability for each pair, asking about those that are not known; None without a verdict."""
        keys = [("" if self.by == M else kind, " ".join(a.split()), " ".join(b.split())) for a, b in pairs]
        unknown = sorted(
            {key for key in keys if key[1] != key[2] and all(map(WORD.search, key[1:]))} - self.said.keys()
        )
        answers = self.ask(kind, [(a, b) for _, a, b in unknown]) if unknown else ()
        self.said |= dict(zip(unknown, answers, strict=True))
        return [self.said.get(key, float(key[1] == key[2] and WORD.search(key[1]) is not None)) for key in keys]

    def verdicts(self, kind: str, pairs: Iterable[TextPair]) -> list[int]:
        """Tells whether two texts are alike: 1 or 0; -1 without a verdict."""
        return [NO_VERDICT if p is None else int(p >= self.threshold) for p in self.probabilities(kind, pairs)]


def by_matcher(matcher: Matcher, progress: Progress) -> Likeness:
    """Lets M say what is alike."""

    def ask(kind: str, pairs: Sequence[TextPair]) -> list[float]:
        found = asked(matcher, *map(list, zip(*pairs, strict=True))).tolist()
        progress(len(found), len(pairs))
        return found

    return Likeness(M, Profile.of(matcher).identity, float(matcher.threshold), ask)


def by_model(
    model: LanguageModel, prompts: Mapping[str, Prompt], store: VoteStore, budget: Budget, progress: Progress
) -> Likeness:
    """Lets a language model say what is alike, through the vote store; it must give a verdict on some pair."""

    def ask(kind: str, pairs: Sequence[TextPair]) -> list[float | None]:
        answers = model.answers(prompts[kind], pairs, store, budget, progress)
        if all(answer is None or answer.verdict is None for answer in answers):
            reason = answers[0].reason if answers[0] else NOT_ANSWERED
            problem = f"{model.model} gave no verdict on any of {len(pairs):,} pairs of {kind}s ({reason})"
            raise InputError(problem, allowed="a judge that answers Yes or No")
        return [None if answer is None else answer.verdict for answer in answers]

    return Likeness(JUDGE, model.model, 0.5, ask)


def correspond(probabilities: NDArray[np.float64], threshold: float, pairing: str) -> list[tuple[int, int]]:
    """Finds the one-to-one correspondence, ascending.

    probabilities : [annotated, predicted]. A pair below the threshold does not correspond.
    pairing : "best", the one of the greatest total probability; of two of one weight, that of more pairs. "greedy", as the source
        has it: each annotated one in turn takes the first predicted one that is left and alike.
    """
    allowed = probabilities >= threshold
    if pairing == "best":
        from scipy.optimize import linear_sum_assignment  # takes half a second, and no other evaluation needs it

        weights = np.where(allowed, probabilities + _OF_EQUAL_WEIGHT, 0.0)
        rows, columns = linear_sum_assignment(weights, maximize=True)
        kept = allowed[rows, columns]
        return list(zip(rows[kept].tolist(), columns[kept].tolist(), strict=True))
    pairs: dict[int, int] = {}
    for i, row in enumerate(allowed.tolist()):
        free = [j for j, alike in enumerate(row) if alike and j not in pairs.values()]
        pairs |= {i: free[0]} if free else {}
    return list(pairs.items())
