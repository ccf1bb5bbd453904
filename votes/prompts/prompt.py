"""What every prompt is: how a question is put, and how its answer is read."""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Self

from .questions import Question
from .verdicts import Alternatives, Verdicts

DATA = "{data}"
"""Stands in a text for the data block with all that is asked about."""

PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}|\{([a-z_]+)\}")
"""A doubled one, `{{first}}`, is the literal `{first}`. Other braces, such as those of JSON, are literal as they are."""

_SYSTEM_ENDS = re.compile(r"^---[ \t]*\n", re.MULTILINE)


class Prompt:
    """A number is asked for, unless a subclass reads another verdict.

    kind : what it asks for, a key of `files.KINDS`. version : what the store keeps; a text never changes under its version.
    placeholders : the names that a text of this kind must put in, unless it puts in `{data}`, which holds all of them.
    optional : further names that it may put in.
    needs_whole_answer : whether an answer that was cut off at the limit on tokens has no verdict, whatever it says.
    text : what is sent, with placeholders in braces. What stands before a first line of three dashes is the system message;
        built-in ones have none, since many chat templates know no system role.
    max_answer_tokens : `max_tokens` where no parameters are given. usual_answer_tokens : expected of an answer before any was seen.
    file_name, file_text : of a prompt from a file: its name without its ending, and all of it. "" for a built-in one.
    """

    kind: ClassVar[str]
    placeholders: ClassVar[tuple[str, ...]]
    optional: ClassVar[tuple[str, ...]] = ()
    needs_whole_answer: ClassVar[bool] = False
    version: str
    text: str
    max_answer_tokens: int = 16
    usual_answer_tokens: ClassVar[int] = 3
    file_name: str = ""
    file_text: str = ""
    _verdicts: Verdicts

    @property
    def name(self) -> str:
        """For a reader: that of the file, or `long_name` without the kind ("free" for "diagnosis-free-1")."""
        return self.file_name or self.long_name.removeprefix(f"{self.kind}-")

    @property
    def long_name(self) -> str:
        """Of a built-in one: its version without the number ("vote" for "vote-2")."""
        return re.sub(r"-\d+$", "", self.version)

    @property
    def parameters(self) -> dict[str, Any]:
        """What is sent beside the messages where nobody says otherwise."""
        return {"max_tokens": self.max_answer_tokens, "temperature": 0}

    def values(self, first: str, second: str) -> Mapping[str, str]:
        """What each placeholder, `data` too, becomes for a question: JSON, which nothing in a diagnosis can break out of."""
        raise NotImplementedError

    def with_text(self, text: str, version: str) -> Self:
        """The same way to ask and to read, with other words. text : checked (`files.prompt_of`)."""
        other = copy.copy(self)
        other.text, other.version = text, version
        return other

    def messages(self, first: str, second: str) -> list[dict[str, str]]:
        """As a chat completion takes them: a user message, after a system message where the text has one."""
        values = self.values(first, second)
        parts = _SYSTEM_ENDS.split(self.text, maxsplit=1)
        filled = [PLACEHOLDER.sub(lambda found: _put(found, values), part).strip("\n") for part in parts]
        roles = ("user",) if len(parts) == 1 else ("system", "user")
        return [{"role": role, "content": part} for role, part in zip(roles, filled, strict=True)]

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


def _put(found: re.Match[str], values: Mapping[str, str]) -> str:
    literal, name = found[1], found[2]
    return f"{{{literal}}}" if literal else values[name]
