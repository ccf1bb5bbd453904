"""Who says which texts are alike, M or a language model; and which observations correspond by it, one to one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ...errors import InputError
from ...matcher.protocol import Matcher
from ...progress import Progress
from ...votes.asking import Budget, LanguageModel
from ...votes.prompts.prompt import Prompt
from ...votes.store.store import VoteStore
from ..match.judge import NOT_ANSWERED
from ..match.pairs import CHUNK, asked, is_directed

OBSERVATION, RATIONALE = "observation", "rationale"
"""What is compared: the questions that a language model is asked."""
PAIRINGS = ("best", "greedy")
M, JUDGE = "M", "judge"

_WORD = re.compile(r"[^\W_]")
_OF_EQUAL_WEIGHT = 1e-9
TextPair = tuple[str, str]


class Likeness:
    """Who says which texts are alike, the annotated one first; asked about each pair once.

    Equal texts are alike, and a text without a letter or digit is like none: nobody is asked about them. A pair without a verdict
    counts as not alike.

    Attributes
    ----------
    by : `M` or `JUDGE`. name : of the match function or the language model. threshold : alike from this probability up.
    """

    by, threshold = M, 0.5

    def __init__(self, name: str) -> None:
        self.name = name
        self._known: dict[tuple[str, str, str], float | None] = {}

    def learn(self, kind: str, pairs: Iterable[TextPair]) -> None:
        """Asks about those that are not known. kind : OBSERVATION or RATIONALE."""
        keys = {self._key(kind, *map(_plain, pair)) for pair in pairs if all(map(_WORD.search, pair))}
        unknown = sorted(key for key in keys - self._known.keys() if key[1] != key[2])
        if unknown:
            self._known.update(zip(unknown, self._asked(kind, [(a, b) for _, a, b in unknown]), strict=True))

    def said(self, kind: str, a: str, b: str) -> float | None:
        """Gives the probability of what was learnt; None without a verdict."""
        if not (_WORD.search(a) and _WORD.search(b)):
            return 0.0
        key = self._key(kind, _plain(a), _plain(b))
        return 1.0 if key[1] == key[2] else self._known[key]

    def alike(self, kind: str, a: str, b: str) -> bool:
        """Tells whether two texts are alike."""
        return (self.said(kind, a, b) or 0.0) >= self.threshold

    def _key(self, kind: str, a: str, b: str) -> tuple[str, str, str]:
        return kind, a, b

    def _asked(self, kind: str, pairs: Sequence[TextPair]) -> Sequence[float | None]:
        raise NotImplementedError


class MatcherLikeness(Likeness):
    """M, which has one question for all texts, and no order of them where it is symmetric."""

    def __init__(self, name: str, matcher: Matcher, progress: Progress | None) -> None:
        super().__init__(name)
        self.threshold = float(matcher.threshold)
        self._matcher, self._progress, self._directed = matcher, progress, is_directed(matcher)

    def _key(self, kind: str, a: str, b: str) -> tuple[str, str, str]:
        return ("", a, b) if self._directed else ("", min(a, b), max(a, b))

    def _asked(self, kind: str, pairs: Sequence[TextPair]) -> list[float]:
        found: list[float] = []
        for start in range(0, len(pairs), CHUNK):
            found += asked(self._matcher, *map(list, zip(*pairs[start : start + CHUNK], strict=True))).tolist()
            if self._progress is not None:
                self._progress(len(found), len(pairs))
        return found


class ModelLikeness(Likeness):
    """A language model, through the vote store. unscored : (kind, why there is no verdict) -> how often."""

    by = JUDGE

    def __init__(
        self,
        model: LanguageModel,
        prompts: Mapping[str, Prompt],
        store: VoteStore,
        budget: Budget,
        progress: Progress | None,
    ) -> None:
        super().__init__(model.model)
        self._model, self.prompts, self._asking = model, prompts, (store, budget, progress)
        self.unscored: Counter[tuple[str, str]] = Counter()

    def _asked(self, kind: str, pairs: Sequence[TextPair]) -> list[float | None]:
        """Errors: `InputError` where the model gives no verdict on any pair."""
        answers = self._model.answers(self.prompts[kind], pairs, *self._asking)
        verdicts: list[float | None] = [None if answer is None else answer.verdict for answer in answers]
        reasons = [(answer and answer.reason) or NOT_ANSWERED for answer in answers if not answer or answer.reason]
        if len(reasons) == len(pairs):
            problem = f"{self.name} gave no verdict on any of {len(pairs):,} pairs of {kind}s ({reasons[0]})"
            raise InputError(problem, allowed="a judge that answers Yes or No")
        self.unscored.update((kind, reason) for reason in reasons)
        return verdicts


def _plain(text: str) -> str:
    return " ".join(text.split())


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
