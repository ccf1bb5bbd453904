"""The prompts by version, and how a reply becomes an answer. A prompt never changes; a better one gets a new version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from .class_prompts import RelationPrompt, SeverityPrompt
from .judge_prompts import SecondJudgePrompt, StrictJudgePrompt
from .pick_prompt import PickPrompt
from .questions import MAX_RAW, Answer, Question
from .verdicts import Alternatives
from .vote_prompt import VotePrompt


class Prompt(Protocol):
    """How a question is put, and how its answer is read.

    max_answer_tokens : `max_tokens` where the feature set gives no parameters.
    """

    version: ClassVar[str]
    max_answer_tokens: ClassVar[int]

    def messages(self, first: str, second: str) -> list[dict[str, str]]:
        """One user message: many chat templates know no system role."""
        ...

    def read(self, text: str, question: Question) -> tuple[int | None, str | None]:
        """The verdict or the reason for none (a key of `REASONS`); the other is None."""
        ...

    def probability(self, logprobs: Sequence[Alternatives]) -> float | None:
        """In [0, 1], of a match; `logprobs` token by token from the start of the answer."""
        ...


PROMPTS: dict[str, Prompt] = {
    prompt.version: prompt
    for prompt in (
        VotePrompt(), PickPrompt(), StrictJudgePrompt(), SecondJudgePrompt(), RelationPrompt(), SeverityPrompt(),
    )
}  # fmt: skip
VOTE_PROMPT = VotePrompt.version
PICK_PROMPT = PickPrompt.version
STRICT_JUDGE_PROMPT = StrictJudgePrompt.version
SECOND_JUDGE_PROMPT = SecondJudgePrompt.version
RELATION_PROMPT = RelationPrompt.version
SEVERITY_PROMPT = SeverityPrompt.version

_DECLINED = ("content_filter", "blacklist")
"""Why a server ends an answer that it does not let through; the second is GigaChat's word."""


def answer_of(
    prompt: Prompt,
    question: Question,
    *,
    text: str,
    refusal: str | None,
    finish: str | None,
    logprobs: Sequence[Alternatives],
    prompt_tokens: int | None,
    completion_tokens: int | None,
    seconds: float | None,
) -> Answer:
    """A reply to `question` as it is stored. Only an answer with a verdict has a probability."""
    verdict, reason = (None, "refusal") if refusal or finish in _DECLINED else prompt.read(text, question)
    return Answer(
        verdict,
        reason,
        raw=(text or refusal or "")[:MAX_RAW],
        probability=None if verdict is None else prompt.probability(logprobs),
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        seconds=seconds,
    )
