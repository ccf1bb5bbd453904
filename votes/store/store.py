"""The vote store: every answer of a language model, kept in one SQLite file so that nothing is asked twice."""

from __future__ import annotations

import json
import os
import shlex
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from ...errors import DxmatchError, InputError, quoted
from ...files.atomic import make_private_file
from ..prompts.questions import Answer, ModelConfig, Question
from .rows import BESIDE, OURS, SCHEMA, TALLIED, ModelStatus, answer_of, damages, row_of, with_checksum

_KIND = """SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
    FROM pragma_application_id, pragma_user_version"""
_BLANK = (0, 0, 0)
WAIT_SECONDS = 30.0
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
        command = f"dxmatch votes check --store {shlex.quote(str(path))} --repair COPY"
        super().__init__(
            f"{path}: the store is damaged ({why}). It was left as it is; `{command}` saves what proves right."
        )


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

    def __init__(self, path: str | os.PathLike[str], *, must_exist: bool = False, wait: float = WAIT_SECONDS) -> None:
        self.path, self._lock, self._ids = Path(path), threading.RLock(), dict[ModelConfig, int]()
        if not self.path.is_file() and (must_exist or self.path.exists() or not self.path.parent.is_dir()):
            raise StoreError(f"{self.path}: no such vote store, or no folder to make it in.")
        with self._errors():
            if not self.path.exists():
                make_private_file(self.path)  # the log takes after it
            in_use = _log_of(self.path)  # by a process that is writing, or was killed
            self._db = connected(self.path, wait)
            try:
                self._begin(must_exist)
                for damage in damages(self._db) if in_use else ():
                    raise DamagedStore(self.path, damage)
            except BaseException:
                self._db.close()
                raise

    def _begin(self, must_exist: bool) -> None:
        """Makes the tables of a blank file; refuses what is no store."""
        if not must_exist and self._db.execute(_KIND).fetchone() == _BLANK:
            with self.writing() as db:
                # another process may have made it meanwhile
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

    def add_many(self, items: Iterable[tuple[Question, Answer]], *, replace: bool = False) -> int:
        """Commits all of them or none; returns how many were written. All of `items` is read before the store is locked.

        Of two answers to one question in `items` the first counts. replace : they take the place of what the store holds.
        """
        now, added = int(time.time()), 0
        with self._errors():
            rows = [(one, answer, row_of(self._id(one.config), one, answer, now)) for one, answer in items]
        with self.writing() as db:
            if replace:
                db.executemany(f"DELETE FROM answer WHERE {_KEY}", [_key(question) for question, *_ in rows])
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

    def forget_unscored(self, questions: Iterable[Question]) -> int:
        """Removes those of their answers that hold no verdict, so that they are asked anew; returns how many these were."""
        keys = list(map(_key, questions))
        with self.writing() as db:
            return db.executemany(f"DELETE FROM answer WHERE {_KEY} AND verdict IS NULL", keys).rowcount

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

    def mean_tokens(self, config: ModelConfig) -> tuple[float, float] | None:
        """Mean tokens of a prompt and of an answer, over the answers that tell both; None where none does."""
        mean = f"""SELECT avg(prompt_tokens), avg(completion_tokens) FROM answer
            WHERE respondent = {_ID} AND prompt_tokens IS NOT NULL AND completion_tokens IS NOT NULL"""
        ((prompt, completion),) = self._read(mean, _words(config))
        return None if prompt is None else (prompt, completion)

    def status(self) -> list[ModelStatus]:
        """One per model configuration that answered, by model, prompt and parameters."""
        # not in an older store that cannot be written
        kept = self._read("SELECT 1 FROM sqlite_schema WHERE name = 'served'", ())
        served = "(SELECT json_group_object(model, answers) FROM served WHERE respondent = r.id)" if kept else "'{}'"
        select = f"""SELECT r.model, r.prompt, r.parameters, count(*), sum(a.verdict IS 1), coalesce(sum(a.prompt_tokens), 0),
                coalesce(sum(a.completion_tokens), 0), min(a.answered_at), max(a.answered_at),
                (SELECT json_group_object(reason, n) FROM (SELECT reason, count(*) AS n FROM answer
                    WHERE respondent = r.id AND verdict IS NULL GROUP BY reason)), {served}
            FROM respondent r JOIN answer a ON a.respondent = r.id GROUP BY r.id ORDER BY r.model, r.prompt, r.parameters"""
        return [
            ModelStatus(ModelConfig(*row[:3]), *row[3:7], *(datetime.fromtimestamp(at, UTC) for at in row[7:9]), *map(json.loads, row[9:]))
            for row in self._read(select, ())
        ]  # fmt: skip

    def remember_exported(self, items: Iterable[tuple[str, Question]]) -> None:
        """Keeps which question a line of a batch file asks, by its custom id; all of them or none."""
        with self._errors():
            rows = [with_checksum((id, self._id(q.config), q.first, q.second, q.repeat)) for id, q in items]
        with self.writing() as db:
            db.executemany("INSERT INTO exported VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", rows)

    def exported(self, custom_id: str) -> Question | None:
        """The question behind a custom id; None where the store did not export it."""
        for row in self._read("SELECT * FROM exported WHERE custom_id = ?", (custom_id,)):
            _, id, *question, _ = self._proved("exported", row)
            for words in self._read("SELECT * FROM respondent WHERE id = ?", (id,)):
                return Question(ModelConfig(*self._proved("respondent", words)[1:4]), *question)
        return None

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
