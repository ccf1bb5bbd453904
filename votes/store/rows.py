"""The tables of the vote store; answers as rows of them: checked on the way in and on the way out, each with its checksum."""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec

from ...errors import InputError, quoted
from ..prompts.questions import MAX_RAW, REASONS, Answer, Question

SCHEMA = (
    """CREATE TABLE respondent (
        id INTEGER PRIMARY KEY,
        model TEXT NOT NULL,
        prompt TEXT NOT NULL,
        parameters TEXT NOT NULL,
        checksum INTEGER NOT NULL
    ) STRICT""",
    # A second copy of every respondent, on another page: with a respondent, all its answers would be lost.
    "CREATE UNIQUE INDEX respondent_words ON respondent (model, prompt, parameters, checksum)",
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
        checksum INTEGER NOT NULL,
        CHECK ((verdict IS NULL) <> (reason IS NULL)),
        PRIMARY KEY (respondent, first, second, repeat)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE exported (
        custom_id TEXT PRIMARY KEY,
        respondent INTEGER NOT NULL REFERENCES respondent,
        first TEXT NOT NULL,
        second TEXT NOT NULL,
        repeat INTEGER NOT NULL CHECK (repeat >= 0),
        checksum INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE tally (
        name TEXT PRIMARY KEY,
        total INTEGER NOT NULL,
        checksums INTEGER NOT NULL -- of all rows of the table, xor
    ) STRICT, WITHOUT ROWID""",
)

KEY = ("respondent", "first", "second", "repeat")
VALUES = (
    "verdict", "reason", "probability", "prompt_tokens", "completion_tokens", "seconds", "answered_at", "raw",
)  # fmt: skip
"""Columns of the table `answer`: the key, and what was answered."""

COLUMNS = {
    "respondent": ("id", "model", "prompt", "parameters"),
    "answer": (*KEY, *VALUES),
    "exported": ("custom_id", *KEY),
}
"""Of each table whose rows are tallied, without the checksum that ends each row."""

KEY_LENGTH = {"respondent": 1, "answer": len(KEY), "exported": 1}

_Whole: Any = Annotated[int, msgspec.Meta(ge=0)]
_Share: Any = Annotated[float, msgspec.Meta(ge=0, le=1)]
_Seconds: Any = Annotated[float, msgspec.Meta(ge=0)]
_Raw: Any = Annotated[str, msgspec.Meta(max_length=MAX_RAW)]
_Reason: Any = Literal[tuple(REASONS)]
_Question = (_Whole, str, str, _Whole)
_ANSWERED = (_Whole | None, _Reason | None, _Share | None, _Whole | None, _Whole | None, _Seconds | None, int, _Raw)
KINDS: dict[str, tuple[Any, ...]] = {
    "respondent": (_Whole, str, str, str),
    "answer": (*_Question, *_ANSWERED),
    "exported": (str, *_Question),
}
"""What each column may hold."""

_ROWS = {table: tuple[kinds] for table, kinds in KINDS.items()}

_encoded = msgspec.msgpack.Encoder().encode

_MAX_INTEGER = 2**63 - 1


def checksum(cells: Sequence[Any]) -> int:
    """64 bits over the cells of a row, kinds included, as a whole number that SQLite holds (BLAKE2b of their MessagePack)."""
    return int.from_bytes(hashlib.blake2b(_encoded(cells), digest_size=8).digest(), "big", signed=True)


def with_checksum(cells: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*cells, checksum(cells))


def problem_of(table: str, row: Sequence[Any], *, summed: bool) -> str | None:
    """What is wrong with a row as it was read; None where it is whole. summed : whether a checksum ends it (format 2)."""
    cells = tuple(row[:-1]) if summed else tuple(row)
    try:
        msgspec.convert(cells, _ROWS[table])
    except msgspec.ValidationError:
        return _not_of_its_kind(table, cells)
    if table == "answer" and (cells[4] is None) == (cells[5] is None):
        return "it has both verdict and reason, or neither"
    if summed and checksum(cells) != row[-1]:
        return "its checksum does not fit what it holds"
    return None


def _not_of_its_kind(table: str, cells: Sequence[Any]) -> str:
    for name, kind, cell in zip(COLUMNS[table], KINDS[table], cells, strict=True):
        try:
            msgspec.convert(cell, kind)
        except msgspec.ValidationError:
            return f"column {name!r} cannot hold {quoted(cell)}"
    return "a column cannot hold what it holds"


def row_of(respondent: int, question: Question, answer: Answer, answered_at: int) -> tuple[Any, ...]:
    """In the order of `KEY` and `VALUES`, then the checksum.

    A raw answer is cut to `MAX_RAW` characters; half a surrogate pair in it, which is no text, is spelt out (\\ud83d).

    Raises `InputError` for what the store cannot hold as it is.
    """
    if (answer.verdict is None) == (answer.reason is None):
        raise InputError("an answer without either verdict or reason, or with both", got=answer)
    if answer.reason is not None and answer.reason not in REASONS:
        raise InputError("an unknown reason for no verdict", allowed=", ".join(REASONS), got=answer.reason)
    return with_checksum(
        (
            respondent,
            str(question.first),
            str(question.second),
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
        return None if value is None else float(value) + 0.0  # SQLite keeps no sign of a zero
    raise InputError("a number that cannot be stored", column=name, allowed=f"0 to {most}, or none", got=value)
