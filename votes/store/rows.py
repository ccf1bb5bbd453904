"""The tables of the vote store; answers as rows of them: checked on the way in, rebuilt on the way out."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from ...errors import InputError
from ..prompts.questions import MAX_RAW, REASONS, Answer, Question

SCHEMA = (
    """CREATE TABLE respondent (
        id INTEGER PRIMARY KEY,
        model TEXT NOT NULL,
        prompt TEXT NOT NULL,
        parameters TEXT NOT NULL,
        UNIQUE (model, prompt, parameters)
    ) STRICT""",
    """CREATE TABLE answer (
        respondent INTEGER NOT NULL REFERENCES respondent,
        first TEXT NOT NULL,
        second TEXT NOT NULL,
        repeat INTEGER NOT NULL CHECK (repeat >= 0),
        verdict INTEGER CHECK (verdict >= 0),
        reason TEXT,
        probability REAL CHECK (probability BETWEEN 0 AND 1),
        prompt_tokens INTEGER CHECK (prompt_tokens >= 0),
        completion_tokens INTEGER CHECK (completion_tokens >= 0),
        seconds REAL CHECK (seconds >= 0),
        answered_at INTEGER NOT NULL, -- seconds since 1970, UTC
        raw TEXT NOT NULL,
        CHECK ((verdict IS NULL) <> (reason IS NULL)),
        PRIMARY KEY (respondent, first, second, repeat)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE exported (
        custom_id TEXT PRIMARY KEY,
        respondent INTEGER NOT NULL REFERENCES respondent,
        first TEXT NOT NULL,
        second TEXT NOT NULL,
        repeat INTEGER NOT NULL CHECK (repeat >= 0)
    ) STRICT, WITHOUT ROWID""",
)

KEY = ("respondent", "first", "second", "repeat")
VALUES = (
    "verdict", "reason", "probability", "prompt_tokens", "completion_tokens", "seconds", "answered_at", "raw",
)  # fmt: skip
"""Columns of the table `answer`: the key, and what was answered."""

_MAX_INTEGER = 2**63 - 1


def row_of(respondent: int, question: Question, answer: Answer, answered_at: int) -> tuple[Any, ...]:
    """In the order of `KEY` and `VALUES`.

    A raw answer is cut to `MAX_RAW` characters; half a surrogate pair in it, which is no text, is spelt out (\\ud83d).

    Raises `InputError` for what the store cannot hold as it is.
    """
    if (answer.verdict is None) == (answer.reason is None):
        raise InputError("an answer without either verdict or reason, or with both", got=answer)
    if answer.reason is not None and answer.reason not in REASONS:
        raise InputError("an unknown reason for no verdict", allowed=", ".join(REASONS), got=answer.reason)
    return (
        respondent,
        question.first,
        question.second,
        _whole("repeat", question.repeat),
        _whole("verdict", answer.verdict),
        answer.reason,
        _number("probability", answer.probability, most=1),
        _whole("prompt_tokens", answer.prompt_tokens),
        _whole("completion_tokens", answer.completion_tokens),
        _number("seconds", answer.seconds, most=float("inf")),
        answered_at,
        answer.raw[:MAX_RAW].encode("utf-8", "backslashreplace").decode("utf-8")[:MAX_RAW],
    )


def answer_of(row: Sequence[Any]) -> Answer:
    """From a row of `VALUES`."""
    verdict, reason, probability, prompt_tokens, completion_tokens, seconds, _, raw = row
    return Answer(verdict, reason, raw, probability, prompt_tokens, completion_tokens, seconds)


def _whole(name: str, value: Any) -> int | None:
    if value is None:
        return None
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number <= _MAX_INTEGER:
        raise InputError("a number that cannot be stored", column=name, allowed="a whole number from 0", got=value)
    return number


def _number(name: str, value: Any, most: float) -> float | None:
    """NaN would be stored as if there were no number, so it is refused."""
    if value is None or 0 <= value <= most:
        return None if value is None else float(value)
    raise InputError("a number that cannot be stored", column=name, allowed=f"0 to {most}, or none", got=value)
