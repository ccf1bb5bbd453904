"""The tables of the vote store: answers as rows, each with its checksum, each table with its tally; and what is wrong with them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from sqlite3 import Connection
from typing import Any

import msgspec

from ...files.wording import counted
from ..prompts.questions import IMPORTED, MAX_RAW, Answer, ModelConfig, Question, in_parts

OURS = (0x64784D76, 2)
"""A store's application id, "dxMv", and the version of its format."""
_ASKED = "respondent INTEGER NOT NULL, first TEXT NOT NULL, second TEXT NOT NULL, repeat INTEGER NOT NULL"
SCHEMA = (
    """CREATE TABLE respondent (
        id INTEGER PRIMARY KEY, model TEXT NOT NULL, prompt TEXT NOT NULL, parameters TEXT NOT NULL, checksum INTEGER NOT NULL
    ) STRICT""",
    "CREATE UNIQUE INDEX respondent_words ON respondent (model, prompt, parameters, checksum)",
    f"""CREATE TABLE answer (
        {_ASKED}, verdict INTEGER, reason TEXT, probability REAL, prompt_tokens INTEGER, completion_tokens INTEGER, seconds REAL,
        answered_at INTEGER NOT NULL, -- seconds since 1970, UTC
        raw TEXT NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (respondent, first, second, repeat)
    ) STRICT, WITHOUT ROWID""",
    f"CREATE TABLE exported (custom_id TEXT PRIMARY KEY, {_ASKED}, checksum INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    # checksums : of all rows of the table, xor
    "CREATE TABLE tally (name TEXT PRIMARY KEY, total INTEGER NOT NULL, checksums INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    "INSERT INTO tally VALUES ('respondent', 0, 0), ('answer', 0, 0), ('exported', 0, 0)",
    f"PRAGMA application_id = {OURS[0]}",
    f"PRAGMA user_version = {OURS[1]}",
)
BESIDE = (
    # Under which names a server said that the model answers, and how often.
    """CREATE TABLE IF NOT EXISTS served (
        respondent INTEGER, model TEXT, answers INTEGER NOT NULL, PRIMARY KEY (respondent, model)
    ) STRICT, WITHOUT ROWID""",
    # What a process is asking, and until when (in seconds since 1970) others leave it to that.
    f"""CREATE TABLE IF NOT EXISTS claimed (
        {_ASKED}, until REAL NOT NULL, PRIMARY KEY (respondent, first, second, repeat)
    ) STRICT, WITHOUT ROWID""",
)
"""Tables that hold no answer, and have no checksums."""
KEYS = {"respondent": 1, "answer": 4, "exported": 1}
"""Of each table whose rows have checksums and are tallied: the columns of its key."""
TALLIED = [
    f"""CREATE TEMP TRIGGER {table}_{deed} AFTER {deed} ON main.{table} BEGIN
        UPDATE tally SET total = total {sign} 1, checksums = (checksums | {row}.checksum) & ~(checksums & {row}.checksum)
        WHERE name = '{table}'; END"""
    for table in KEYS
    for deed, row, sign in (("INSERT", "NEW", "+"), ("DELETE", "OLD", "-"))
]
"""The tally of each table, kept in the transaction of the row itself, by our connections alone: what another program changes
in the store is found to be missing from it."""


def with_checksum(cells: Sequence[Any]) -> tuple[Any, ...]:
    """Ends a row with 64 bits over its cells, kinds included (BLAKE2b of their MessagePack)."""
    digest = hashlib.blake2b(msgspec.msgpack.encode(tuple(cells)), digest_size=8).digest()
    return (*cells, int.from_bytes(digest, "big", signed=True))


def row_of(respondent: int, question: Question, answer: Answer, answered_at: int) -> tuple[Any, ...]:
    """A row of the table `answer`.

    A raw answer is cut to `MAX_RAW` characters; half a surrogate pair in it, which is no text, is spelt out (\\ud83d).
    """
    said = (
        answer.verdict,
        answer.reason,
        answer.probability,
        answer.prompt_tokens,
        answer.completion_tokens,
        answer.seconds,
    )
    raw = answer.raw[:MAX_RAW].encode("utf-8", "backslashreplace").decode("utf-8")[:MAX_RAW]
    return with_checksum(
        (respondent, str(question.first), str(question.second), question.repeat, *said, answered_at, raw)
    )


def answer_of(row: Sequence[Any]) -> Answer:
    """From a row of the table `answer`."""
    verdict, reason, *numbers, _, raw, _ = row[KEYS["answer"] :]
    return Answer(verdict, reason, raw, *numbers)


def damages(db: Connection) -> Iterator[str]:
    """All that is wrong with a store, of one moment: rows that changed, are gone, or, as SQLite says, would not be found. Errors of SQLite."""
    db.execute("BEGIN")
    try:
        yield from (f"file: {line}" for (line,) in db.execute("PRAGMA integrity_check(100)") if line != "ok")
        for table in KEYS:
            number, sums = 0, 0
            for number, row in enumerate(db.execute(f"SELECT * FROM {table} NOT INDEXED"), 1):
                if with_checksum(row[:-1]) != row:
                    yield f"table {table}, row {number:,}: its checksum does not fit what it holds"
                sums ^= row[-1]
            told = db.execute("SELECT total, checksums FROM tally WHERE name = ?", (table,)).fetchone()
            if (number, sums) != told:
                kept = f"{told[0]:,}" if told else "an unknown number"
                yield f"table {table}: it holds {number:,} rows, {kept} were kept, or one was exchanged for another"
    finally:
        db.execute("ROLLBACK")


@dataclass
class ModelStatus:
    """What the store holds of one model configuration.

    answers : all of them, with a verdict or without.
    matches : verdicts that are 1 (of a pick: those that name the first candidate).
    unscored : answers without a verdict, by reason.
    prompt_tokens, completion_tokens : sums over the answers that tell them.
    first_at, last_at : when the first and the last answer came, UTC.
    served_by : the names under which servers said that the model answers, and how often.
    """

    config: ModelConfig
    answers: int
    matches: int
    prompt_tokens: int
    completion_tokens: int
    first_at: datetime
    last_at: datetime
    unscored: dict[str, int]
    served_by: dict[str, int]

    def lines(self) -> list[str]:
        """Its answers, what is unscored and why, tokens, and when, for the user to read."""
        who, unscored = self.config, f"{sum(self.unscored.values()):,} unscored{in_parts(self.unscored)}"
        said = f", {self.matches:,} match" if who.prompt.startswith(("vote-", IMPORTED)) else ""
        lines = [f"{who.model}, prompt {who.prompt}, parameters {who.parameters}"]
        lines.append(f"    {counted(self.answers, 'answer')}{said}, {unscored}")
        if self.prompt_tokens or self.completion_tokens:
            lines.append(f"    {self.prompt_tokens:,} + {self.completion_tokens:,} tokens of prompts and answers")
        if self.served_by.keys() - {who.model}:
            lines.append(f"    answered by other names{in_parts(self.served_by)}")
        return [*lines, f"    from {self.first_at:%Y-%m-%d %H:%M} to {self.last_at:%Y-%m-%d %H:%M} UTC"]
