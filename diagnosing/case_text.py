"""A case as one text: a note as it stands, a chat turn by turn, several columns under their names."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

MAX_CASE = 400_000
"""Characters of a case, at most: some 100,000 tokens, which is what the larger models take in."""

_WHO = ("role", "speaker", "author", "from", "sender", "name")
_SAID = ("content", "text", "message", "value", "utterance")


class NotAText(ValueError):
    """A value that is neither a text nor a chat. `allowed` says what is."""

    def __init__(self, problem: str, allowed: str) -> None:
        super().__init__(problem)
        self.allowed = allowed


def case_text(value: Any) -> str:
    r"""The text of a case; "" for none.

    A chat is a list of messages, {"role": …, "content": …} each, or the same as JSON in a text. It becomes "role: content",
    message by message in their order, with an empty line between two. A message that says nothing is left out.

    >>> case_text([{"role": "doctor", "content": "What brings you?"}, {"role": "patient", "content": "My toe hurts."}])
    'doctor: What brings you?\n\npatient: My toe hurts.'

    Raises
    ------
    NotAText
        For a number, an object, or a list of anything else.
    """
    if value is None or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, str):
        return _from_chat(chat) if (chat := _chat_in(value)) is not None else value.strip()
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return _from_chat(list(value))
    raise NotAText("a case that is no text", "a text, or a chat as a list of messages with role and content")


def texts_together(parts: Mapping[str, str]) -> str:
    """Several columns as one text, each under its name; those without a text are left out."""
    return "\n\n".join(f"{name}: {text}" for name, text in parts.items() if text)


def is_chat(value: Any) -> bool:
    """Whether a value is a list of messages, each with what was said in it."""
    return (
        isinstance(value, list | tuple)
        and len(value) > 0
        and all(isinstance(one, Mapping) and _key(one, _SAID) is not None for one in value)
    )


def _chat_in(text: str) -> list[Any] | None:
    """The messages in a text that is JSON; None for any other text."""
    if not text.lstrip().startswith("[") or not text.rstrip().endswith("]"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if is_chat(value) else None


def _from_chat(messages: Sequence[Any]) -> str:
    turns = []
    for number, message in enumerate(messages, 1):
        if isinstance(message, str):
            turns.append(message.strip())
            continue
        said = _key(message, _SAID) if isinstance(message, Mapping) else None
        if said is None:
            raise NotAText(f"message {number} of the chat says nothing", "messages with role and content")
        who = _key(message, _WHO)
        words = _words(message[said], number)
        turns.append(f"{message[who]}: {words}" if who is not None and words else words)
    return "\n\n".join(turn for turn in turns if turn)


def _words(content: Any, number: int) -> str:
    """What a message says: a text, or parts of which some are texts."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content.strip()
    if isinstance(content, Sequence):
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
        texts = [part.strip() for part in parts if isinstance(part, str)]
        if len(texts) == len(parts):
            return "\n".join(texts)
    raise NotAText(f"message {number} of the chat holds more than text", "texts alone: no picture, sound or file")


def _key(message: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """The first of `names` that the message has; of what was said also where it is None (a struct of Arrow has every field)."""
    there = [name for name in names if name in message]
    return next((name for name in there if message[name] is not None), there[0] if there and names is _SAID else None)
