"""What every prompt is: how a question is put, and how its answer is read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar

from .data_block import data_block
from .questions import Question
from .verdicts import Alternatives, Verdicts


class Prompt(ABC):
    """A number is asked for, unless a subclass reads another verdict.

    max_answer_tokens : `max_tokens` where the feature set gives no parameters.
    """

    version: ClassVar[str]
    max_answer_tokens: ClassVar[int] = 16
    _before: ClassVar[str]
    _after: ClassVar[str]
    _verdicts: ClassVar[Verdicts]

    @abstractmethod
    def messages(self, first: str, second: str) -> list[dict[str, str]]:
        """One user message: many chat templates know no system role."""

    def _put(self, data: Mapping[str, str], after: str | None = None) -> list[dict[str, str]]:
        return [{"role": "user", "content": self._before + data_block(data) + (after or self._after)}]

    def read(self, text: str, question: Question) -> tuple[int | None, str | None]:
        """The verdict or the reason for none (a key of `REASONS`); the other is None."""
        names, numbers = self._choices(question)
        digits, reason = self._verdicts.read(text, *names)
        if digits is None:
            return None, reason
        return (int(digits), None) if int(digits) in numbers else (None, "out of range")

    def _choices(self, question: Question) -> tuple[Sequence[str], Collection[int]]:
        """The texts that were asked about, and the numbers that are an answer."""
        raise NotImplementedError

    def probability(self, logprobs: Sequence[Alternatives]) -> float | None:
        """In [0, 1], of a match; `logprobs` token by token from the start of the answer. None: a number has none."""
        return None
