"""Cases x models x prompts x repeats as questions, and their answers as ranked lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain

from ..evaluation.read.raw_answers import ranked_diagnoses
from ..votes.asking import Job, LanguageModel
from ..votes.prompts.prompt import Prompt
from ..votes.prompts.questions import MAX_RAW, Answer, ModelConfig, Question
from ..votes.prompts.replies import Reply, is_refusal, without_thoughts
from .cases import Cases


class CasePrompt(Prompt):
    """Puts cases that a question names by their keys; reads the whole answer as a ranked list.

    A question's `first` is the SHA-256 of the case's text, its `second` how many diagnoses are asked for ("" for all). So the
    store never holds a note; it holds the answers, which may repeat of it what the model chose to repeat. Another text under
    the same name of a case is another question.

    Parameters
    ----------
    asked : the prompt, whose `messages` take the text of a case and how many diagnoses are asked for.
    texts : the key of each case -> its text.
    """

    def __init__(self, asked: Prompt, texts: Mapping[str, str]) -> None:
        self._asked, self._texts = asked, texts
        self.kind, self.version, self.file_name = asked.kind, asked.version, asked.file_name

    def messages(self, first: str, second: str) -> list[dict[str, str]]:
        return self._asked.messages(self._texts[first], second)

    def reply(self, text: str, question: Question) -> Reply:
        """How many diagnoses the answer names, 0 where it says that there is none; or why none can be read from it.

        "refusal" is left to what the server says, so that no answer is kept as one that a better parser could read.
        """
        names, reason = diagnoses_of(text)
        return Reply(len(names)) if reason is None else Reply(None, "unclear" if reason == "refusal" else reason)


def diagnoses_of(text: str) -> tuple[list[str], str | None]:
    """The diagnoses of an answer, likeliest first, and None; or none, and why (a key of `votes.prompts.questions.REASONS`)."""
    if len(text) >= MAX_RAW:
        return [], "too long"  # the store holds no more of it, and its list may stand behind that
    names = ranked_diagnoses(text)
    if names:
        return names, None
    if is_refusal(text):
        return [], "refusal"
    if not any(map(str.isalnum, without_thoughts(text))):
        return [], "empty"
    return [], "unclear" if names is None else None


def read_again(answer: Answer) -> tuple[list[str], str | None]:
    """The diagnoses of a stored answer as they are read now, or why there are none.

    What the server said of it stays, a refusal or that it was cut off: no parser knows better.
    """
    return ([], answer.reason) if answer.reason in ("refusal", "truncated") else diagnoses_of(answer.raw)


@dataclass(frozen=True)
class CaseQuestions:
    """Cases, the models and prompts under which each is put `repeats` times, and k, how many diagnoses are asked for ("": all)."""

    cases: Cases
    raters: Sequence[tuple[LanguageModel, Prompt]]
    repeats: int
    k: str

    def questions(self, config: ModelConfig, repeat: int) -> list[Question]:
        """One for each case."""
        return [Question(config, key, self.k, repeat) for key in self.cases.keys]

    @cached_property
    def jobs(self) -> list[Job]:
        """What each model is asked under each prompt: each text once for each repeat, all of one repeat before the next."""
        texts = dict(zip(self.cases.keys, self.cases.texts, strict=True))

        def once(config: ModelConfig) -> Iterator[Question]:
            return chain.from_iterable(dict.fromkeys(self.questions(config, at)) for at in range(self.repeats))

        return [
            Job(
                model, CasePrompt(prompt, texts), partial(once, model.config(prompt)), f"{model.model} [{prompt.name}]",
                lambda said: read_again(said)[1] is not None,
            )
            for model, prompt in self.raters
        ]  # fmt: skip
