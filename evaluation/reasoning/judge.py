"""A language model as the judge of observations and rationales, in the place of M."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from ...errors import InputError
from ...progress import Progress
from ...votes.prompts.prompt import Prompt
from ...votes.store.store import VoteStore
from ..judges.judged import NOT_ANSWERED
from ...votes.asking import Budget, LanguageModel

_WORD = re.compile(r"[^\W_]")


class Judge:
    """What a language model says of pairs of texts, the annotated one first, through the vote store.

    Equal texts are alike and are not asked about, nor is a text without a letter or digit, which is like none. A pair without a
    verdict counts as not alike, and is counted in `unscored`, by its kind and the reason.

    prompts : by kind, OBSERVATION and RATIONALE.
    """

    threshold = 0.5

    def __init__(
        self,
        model: LanguageModel,
        prompts: Mapping[str, Prompt],
        store: VoteStore,
        budget: Budget,
        progress: Progress | None = None,
    ) -> None:
        self.model, self.prompts = model, prompts
        self._store, self._budget, self._progress = store, budget, progress
        self._known: dict[tuple[str, str, str], float | None] = {}
        self.unscored: dict[str, Counter[str]] = {kind: Counter() for kind in prompts}

    def learn(self, kind: str, pairs: Sequence[tuple[str, str]]) -> None:
        """Asks about those that are not known.

        Raises
        ------
        InputError
            Where the model gives no verdict on any of them.
        """
        wanted = sorted({(_plain(a), _plain(b)) for a, b in pairs if _WORD.search(a) and _WORD.search(b)})
        unknown = [pair for pair in wanted if pair[0] != pair[1] and (kind, *pair) not in self._known]
        answers = self.model.answers(self.prompts[kind], unknown, self._store, self._budget, self._progress)
        for pair, answer in zip(unknown, answers, strict=True):
            verdict = None if answer is None else answer.verdict
            self._known[kind, *pair] = verdict
            if verdict is None:
                self.unscored[kind][(answer and answer.reason) or NOT_ANSWERED] += 1
        if unknown and not any(self._known[kind, *pair] is not None for pair in unknown):
            told = ", ".join(f"{count:,} {reason}" for reason, count in self.unscored[kind].most_common())
            raise InputError(
                f"{self.model.model} gave no verdict on any of {len(unknown):,} pairs of {kind}s ({told})",
                allowed="a judge that answers Yes or No",
            )

    def __call__(self, kind: str, a: str, b: str) -> float:
        """1 alike, 0 not alike or no verdict."""
        return self.verdict(kind, a, b) or 0.0

    def verdict(self, kind: str, a: str, b: str) -> float | None:
        """1, 0, or None without a verdict."""
        one, other = _plain(a), _plain(b)
        if not (_WORD.search(one) and _WORD.search(other)):
            return 0.0
        return 1.0 if one == other else self._known.get((kind, one, other))


def _plain(text: str) -> str:
    return " ".join(text.split())
