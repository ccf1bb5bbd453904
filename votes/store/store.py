"""The vote store: every answer of a language model, kept in one SQLite file so that nothing is asked twice.

Answers are rows, each with its checksum; each table has its tally.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import msgspec

from ...errors import DxmatchError, InputError, quoted
from ...files.atomic import make_private_file
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
    # checksums : of all rows of the table, xor
    "CREATE TABLE tally (name TEXT PRIMARY KEY, total INTEGER NOT NULL, checksums INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    "INSERT INTO tally VALUES ('respondent', 0, 0), ('answer', 0, 0)",
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
KEYS = {"respondent": 1, "answer": 4}
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
    asked = respondent, str(question.first), str(question.second), question.repeat
    numbers = answer.probability, answer.prompt_tokens, answer.completion_tokens, answer.seconds
    raw = answer.raw[:MAX_RAW].encode("utf-8", "backslashreplace").decode("utf-8")[:MAX_RAW]
    return with_checksum((*asked, answer.verdict, answer.reason, *numbers, answered_at, raw))


def answer_of(row: Sequence[Any]) -> Answer:
    """From a row of the table `answer`."""
    verdict, reason, *numbers, _, raw, _ = row[KEYS["answer"] :]
    return Answer(verdict, reason, raw, *numbers)


def damages(db: sqlite3.Connection) -> Iterator[str]:
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


_KIND = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id, pragma_user_version"
_BLANK = (0, 0, 0)
_ID = "(SELECT id FROM respondent WHERE model = ? AND prompt = ? AND parameters = ?)"
_KEY = f"respondent = {_ID} AND first = ? AND second = ? AND repeat = ?"
_WHY = {
    sqlite3.SQLITE_BUSY: "another process holds the store. Wait for it or end it, then run this again; what is stored is kept.",
    sqlite3.SQLITE_FULL: "the disk is full. Make room, then run this again; what is stored is kept.",
    sqlite3.SQLITE_READONLY: "the store, or its folder, cannot be written.",
    sqlite3.SQLITE_CANTOPEN: "the store, or its folder, cannot be read or written.",
    sqlite3.SQLITE_NOTADB: "not a vote store of this version of dxmatch. It was left as it is.",
}


class StoreError(DxmatchError):
    """A vote store that cannot be opened, read or written: which file, why, and what to do."""


class DamagedStore(StoreError):
    """A vote store that does not hold what was put into it."""

    def __init__(self, path: Path, why: str) -> None:
        repair = f"`dxmatch votes check --store {shlex.quote(str(path))} --repair COPY` saves what proves right"
        super().__init__(f"{path}: the store is damaged ({why}). It was left as it is; {repair}.")


class VoteStore:
    """One file of answers on a local disk. Several threads may share an object of it, and several processes the file.

    An answer is committed when `add` returns: it outlives the process, however that ends (a power cut can lose the last ones,
    which are then asked again). Every row has a checksum that is proved as it is read; all of a store is proved by
    `votes check`, and on opening where a process that wrote to it was killed. No address, header or key of an endpoint is stored.

    Parameters
    ----------
    path : the file; made where it is absent, unless `must_exist`.
    wait : seconds to wait for another process that is writing.

    Raises
    ------
    StoreError
        The file cannot be opened, read or written; also of every method. A `DamagedStore` does not hold what was put into it.
    InputError
        A question or an answer that cannot be stored.
    """

    def __init__(self, path: str | os.PathLike[str], *, must_exist: bool = False, wait: float = 30.0) -> None:
        self.path, self._lock, self._ids = Path(path), threading.RLock(), dict[ModelConfig, int]()
        if not self.path.is_file() and (must_exist or self.path.exists() or not self.path.parent.is_dir()):
            raise StoreError(f"{self.path}: no such vote store, or no folder to make it in.")
        with self._errors():
            if not self.path.exists():
                make_private_file(self.path)  # the log takes after it
            left_by_a_crash = _log_of(self.path) and _is_alone(self.path)
            self._db = connected(self.path, wait)
            try:
                self._begin(must_exist)
                for damage in damages(self._db) if left_by_a_crash else ():
                    raise DamagedStore(self.path, damage)
            except BaseException:
                self._db.close()
                raise

    def _begin(self, must_exist: bool) -> None:
        """Makes the tables of a blank file; refuses what is no store."""
        if not must_exist and self._db.execute(_KIND).fetchone() == _BLANK:
            with self.writing() as db:  # unless another process made it meanwhile
                for statement in SCHEMA if db.execute(_KIND).fetchone() == _BLANK else ():
                    db.execute(statement)
        if self._db.execute(_KIND).fetchone()[:2] != OURS:
            raise StoreError(f"{self.path}: {_WHY[sqlite3.SQLITE_NOTADB]}")
        self._db.execute("PRAGMA synchronous = NORMAL")
        if os.access(self.path, os.W_OK):
            with suppress(sqlite3.OperationalError):  # one of two that make it at once; the other changes it
                self._db.execute("PRAGMA journal_mode = WAL")
            for statement in (*TALLIED, *BESIDE):
                self._db.execute(statement)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with self._errors():
            self._db.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """One at a time; errors of SQLite and of the disk become `StoreError`, text that is not Unicode `InputError`."""
        try:
            with self._lock:
                yield
        except UnicodeEncodeError as error:
            raise InputError("half a surrogate pair", allowed="Unicode text", got=error.object) from error
        except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
            if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR):
                raise DamagedStore(self.path, quoted(str(error))) from error
            raise StoreError(f"{self.path}: {_WHY.get(code, f'the store refused ({error}).')}") from error
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror or error}.") from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """All or nothing; the lock for writing is taken at the start, so that nothing which was read can be outdated."""
        with self._errors():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")

    def add(self, question: Question, answer: Answer) -> bool:
        """Commits one answer. False, and nothing changes, where the question has one already."""
        return self.add_many([(question, answer)]) == 1

    def add_many(self, items: Iterable[tuple[Question, Answer]]) -> int:
        """Commits all of them or none; returns how many were written. All of `items` is read before the store is locked.

        Of two answers to one question the first counts.
        """
        now, added = int(time.time()), 0
        with self._errors():
            rows = [(one, answer, row_of(self._id(one.config), one, answer, now)) for one, answer in items]
        with self.writing() as db:
            for question, answer, row in rows:
                new = db.execute(f"INSERT INTO answer VALUES ({'?, ' * 12}?) ON CONFLICT DO NOTHING", row).rowcount
                if new and answer.model:
                    count = "INSERT INTO served VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET answers = answers + 1"
                    db.execute(count, (row[0], answer.model))
                db.execute(f"DELETE FROM claimed WHERE {_KEY}", _key(question))
                added += new
        return added

    def claim(self, question: Question, seconds: float) -> bool:
        """Whether it has no answer and nobody else is asking it. It is held for so long, or until it is answered or released."""
        now, id = time.time(), self._id(question.config)
        claim = f"""INSERT INTO claimed SELECT ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM answer WHERE {_KEY})
            ON CONFLICT DO UPDATE SET until = excluded.until WHERE until < ?"""
        with self.writing() as db:
            row = (id, question.first, question.second, question.repeat, now + seconds)
            return db.execute(claim, (*row, *_key(question), now)).rowcount == 1

    def release(self, questions: Iterable[Question]) -> None:
        """Lets others ask what was claimed and not answered."""
        with self.writing() as db:
            db.executemany(f"DELETE FROM claimed WHERE {_KEY}", map(_key, questions))

    def forget(self, questions: Iterable[Question]) -> int:
        """Removes their answers, so that they are asked anew; returns how many these were."""
        keys = list(map(_key, questions))
        with self.writing() as db:
            return db.executemany(f"DELETE FROM answer WHERE {_KEY}", keys).rowcount

    def unknown(self, questions: Iterable[Question]) -> Iterator[Question]:
        """Those without an answer, in order; each is looked up when it is come to."""
        known = f"SELECT 1 FROM answer WHERE {_KEY}"
        return (question for question in questions if not self._read(known, _key(question)))

    def stored(self, questions: Iterable[Question]) -> Iterator[Answer | None]:
        """The answer to each question, in order; None where there is none."""
        for question in questions:
            rows = self._read(f"SELECT * FROM answer WHERE {_KEY}", _key(question))
            yield answer_of(self._proved("answer", rows[0])) if rows else None

    def answers(self, config: ModelConfig, names: Sequence[str]) -> Iterator[tuple[Question, Answer]]:
        """Every answer on two of `names`, sorted by first, second and repeat."""
        wanted, select = set(names), f"SELECT * FROM answer WHERE respondent = {_ID} AND first = ?"
        for name in sorted(wanted):
            for row in self._read(select, (*_words(config), name)):
                if row[2] in wanted:
                    yield Question(config, *row[1:4]), answer_of(self._proved("answer", row))

    def status(self) -> list[ModelStatus]:
        """One per model configuration that answered, by model, prompt and parameters."""
        select = """SELECT r.model, r.prompt, r.parameters, count(*), sum(a.verdict IS 1), coalesce(sum(a.prompt_tokens), 0),
                coalesce(sum(a.completion_tokens), 0), min(a.answered_at), max(a.answered_at),
                (SELECT json_group_object(reason, n) FROM (SELECT reason, count(*) AS n FROM answer
                    WHERE respondent = r.id AND verdict IS NULL GROUP BY reason)),
                (SELECT json_group_object(model, answers) FROM served WHERE respondent = r.id)
            FROM respondent r JOIN answer a ON a.respondent = r.id GROUP BY r.id ORDER BY r.model, r.prompt, r.parameters"""
        return [
            ModelStatus(ModelConfig(*row[:3]), *row[3:7], *(datetime.fromtimestamp(at, UTC) for at in row[7:9]), *map(json.loads, row[9:]))
            for row in self._read(select, ())
        ]  # fmt: skip

    def _read(self, select: str, given: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with self._errors():
            return self._db.execute(select, given).fetchall()

    def _id(self, config: ModelConfig) -> int:
        """The number of a model configuration, given at once where there is none."""
        if config not in self._ids:
            with self.writing() as db:
                given = f"SELECT coalesce({_ID}, (SELECT coalesce(max(id), 0) + 1 FROM respondent))"
                ((id,),) = db.execute(given, _words(config))
                row = with_checksum((id, *_words(config)))
                db.execute("INSERT INTO respondent VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", row)
            self._ids[config] = id
        return self._ids[config]

    def _proved(self, table: str, row: tuple[Any, ...]) -> tuple[Any, ...]:
        if with_checksum(row[:-1]) != row:
            raise DamagedStore(self.path, f"table {table}: a checksum does not fit what its row holds")
        return row


def _words(config: ModelConfig) -> tuple[str, str, str]:
    return config.model, config.prompt, config.parameters


def _key(question: Question) -> tuple[Any, ...]:
    return (*_words(question.config), question.first, question.second, question.repeat)


def connected(path: Path, wait: float, *, write: bool = True) -> sqlite3.Connection:
    """Opens an SQLite file that is there; for reading alone where it cannot be written. Errors of SQLite."""
    writable = os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)
    how = "mode=rw" if write and writable else "mode=ro" if writable or _log_of(path) else "immutable=1"
    uri = f"{path.absolute().as_uri()}?{how}"
    return sqlite3.connect(uri, uri=True, timeout=wait, isolation_level=None, check_same_thread=False)


def _log_of(path: Path) -> bool:
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def _is_alone(path: Path) -> bool:
    """Whether nobody has the store open. Errors of SQLite."""
    with closing(connected(path, 0.0)) as db:
        try:
            # in this mode a lock is only given where no other connection is
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
            db.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            return error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY
        return True
