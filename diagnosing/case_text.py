"""A case as one text: a note as it stands, a chat turn by turn, several columns under their names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

MAX_CASE = 400_000
"""Characters of a case, at most: some 100,000 tokens, which is what the larger models take in."""
TEXT_OR_CHAT = f"a text of at most {MAX_CASE:,} characters, or a chat: messages with role and content, of text alone"

_FORMS = (("role", "content"), ("from", "value"))
"""Who speaks and what is said, in the messages of the chat protocol and in those of ShareGPT."""


def case_text(value: Any) -> str:
    r"""The text of a case; "" for none.

    A chat is a list of messages, {"role": …, "content": …} each, or the same as JSON in a text. It becomes "role: content",
    message by message in their order, with an empty line between two. A message that says nothing is left out.

    >>> case_text([{"role": "doctor", "content": "What brings you?"}, {"role": "patient", "content": "My toe hurts."}])
    'doctor: What brings you?\n\npatient: My toe hurts.'

    Raises
    ------
    ValueError
        For a number, an object, a list of anything else, and a message that holds more than text.
    """
    if value is None or value != value:
        return ""
    if isinstance(value, str):
        chat = _chat_in(value)
        if chat is None:
            return value.strip()
        value = chat
    form = _form_of(value)
    if form is None:
        raise ValueError("a case that is neither a text nor a chat")
    turns = [(message[form[0]], _words(message[form[1]], number)) for number, message in enumerate(value, 1)]
    return "\n\n".join(f"{speaker}: {words}" for speaker, words in turns if words)


def text_of(cells: Mapping[str, Any]) -> str:
    """The text of a case in one column, or in several, each under its name; those without a text are left out.

    Errors: `ValueError` where there is none, or too much, and as of `case_text`. A note is never quoted in it: errors end up in logs.
    """
    texts = {name: text for name, cell in cells.items() if (text := case_text(cell))}
    whole = "\n\n".join(f"{name}: {text}" if len(cells) > 1 else text for name, text in texts.items())
    if not 0 < len(whole) <= MAX_CASE:
        raise ValueError(f"a case of {len(whole):,} characters" if whole else "the case has no text")
    return whole


def is_chat(value: Any) -> bool:
    """Whether a value is a list of messages, each with who speaks and what is said."""
    return _form_of(value) is not None


def _form_of(messages: Any) -> tuple[str, str] | None:
    """The form of a chat: in a struct of Arrow every key is there, and None where it is not."""
    if not isinstance(messages, list) or not messages or not all(isinstance(one, Mapping) for one in messages):
        return None
    return next((form for form in _FORMS if all(one.get(form[0]) and form[1] in one for one in messages)), None)


def _chat_in(text: str) -> Any:
    """The messages in a text that is JSON; None for any other text."""
    if not text.lstrip().startswith("[") or not text.rstrip().endswith("]"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if is_chat(value) else None


def _words(content: Any, number: int) -> str:
    """What a message says: a text, or parts that are texts."""
    parts = content if isinstance(content, list) else [{"text": content or ""}]
    texts = [part.get("text") if isinstance(part, Mapping) else part for part in parts]
    said = [text.strip() for text in texts if isinstance(text, str)]
    if len(said) < len(texts):
        raise ValueError(f"message {number} of the chat holds more than text")
    return "\n".join(said)
