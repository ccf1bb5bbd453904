"""The vote store: every answer of a language model, kept in one SQLite file so that nothing is asked twice."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from sqlite3 import Connection
from typing import Any, Self, TypeVar

from ...errors import InputError
from ..prompts.questions import Answer, ModelConfig, Question
from .file import FORMAT, WAIT_SECONDS, DamagedStore, StoreError, StoreFile, transaction
from .rows import KEY, VALUES, answer_of, checksum, problem_of, row_of, with_checksum
from .status import ModelStatus, status_of

__all__ = ["DamagedStore", "ModelStatus", "StoreError", "VoteStore"]

T = TypeVar("T")

_BATCH = 10_000
_BETWEEN_CHECKPOINTS = 500
_FEW_NAMES = 100

_KEY = ", ".join(KEY)
_CELLS = ", ".join((*KEY, *VALUES))
_COLUMNS = f"{_CELLS}, checksum"
_PLACES = ", ".join("?" * len((*KEY, *VALUES, "checksum")))
_KEEP = f"ON CONFLICT ({_KEY}) DO NOTHING"
_ASKED = f"asked (position INTEGER PRIMARY KEY, {_KEY})"
_ID = "(SELECT id FROM respondent WHERE model = ? AND prompt = ? AND parameters = ?)"


class VoteStore:
    """One file of answers. Several threads may share an object of it, and several processes the file.

    Opening proves all that the file holds: each row by its checksum, that none is missing, that each is found; every row is
    proved again as it is read. A store of format 1, which has no checksums, can be read only, and a warning says so.

    An answer is committed when `add` returns: it outlives the process, however that ends. A power cut can lose the last
    500 (see `StoreFile`); they are then asked again. No address, header or key of an endpoint is ever stored.

    Parameters
    ----------
    path : the file, on a local disk; made where it is absent, unless `must_exist`.
    wait : seconds to wait for another process that is writing.

    Raises
    ------
    StoreError
        The file cannot be opened, read or written; also of every method. A `DamagedStore` does not hold what was put into it.
    InputError
        A question or an answer that cannot be stored.
    """

    def __init__(self, path: str | os.PathLike[str], *, must_exist: bool = False, wait: float = WAIT_SECONDS) -> None:
        self.path = Path(path)
        self._file = StoreFile(self.path, wait)
        self._lock = threading.RLock()
        self._ids: dict[ModelConfig, int] = {}
        self._since_checkpoint = 0
        self._db = self._file.open(create=not must_exist)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with self._lock, self._file.translated_errors():
            self._db.close()

    def add(self, question: Question, answer: Answer) -> bool:
        """Commits one answer. False, and nothing changes, where the question has one already."""
        self._file.check_writable()
        with self._lock, self._file.translated_errors():
            row = row_of(self._id(self._db, question.config), question, answer, int(time.time()))
            insert = f"INSERT INTO answer ({_COLUMNS}) VALUES ({_PLACES}) {_KEEP}"
            added = self._db.execute(insert, row).rowcount
            self._since_checkpoint += added
            if self._since_checkpoint >= _BETWEEN_CHECKPOINTS:
                self._file.checkpoint(self._db)
                self._since_checkpoint = 0
            return added == 1

    def add_many(self, items: Iterable[tuple[Question, Answer]], *, replace: bool = False) -> int:
        """Commits all of them or none; returns how many were written. All of `items` is read before the store is locked.

        Of two answers to one question in `items` the first counts. replace : they take the place of what the store holds.
        """
        self._file.check_writable()
        now = int(time.time())
        with self._file.connection(f"incoming ({_COLUMNS})") as db:
            for batch in _batches(items):
                with self._file.translated_errors():
                    rows = [row_of(self._id(db, q.config), q, answer, now) for q, answer in batch]
                    _fill(db, "incoming", rows)
            select = f"SELECT * FROM incoming ORDER BY {_KEY}, incoming.rowid"
            with self._file.translated_errors():
                with transaction(db):
                    if replace:
                        db.execute(f"DELETE FROM answer WHERE ({_KEY}) IN (SELECT {_KEY} FROM incoming)")
                    added = db.execute(f"INSERT INTO answer ({_COLUMNS}) {select} {_KEEP}").rowcount
                self._file.checkpoint(db)
                return added

    def forget_unscored(self, questions: Iterable[Question]) -> int:
        """Removes those of their answers that hold no verdict, so that they are asked anew; returns how many these were."""
        forget = f"""DELETE FROM answer
            WHERE respondent = {_ID} AND first = ? AND second = ? AND repeat = ? AND verdict IS NULL"""
        self._file.check_writable()
        forgotten = 0
        for batch in _batches(questions):
            rows = [(*_words(q.config), q.first, q.second, q.repeat) for q in batch]
            with self._lock, self._file.translated_errors():
                with transaction(self._db):
                    forgotten += self._db.executemany(forget, rows).rowcount
                self._file.checkpoint(self._db)
        return forgotten

    def unknown(self, questions: Iterable[Question]) -> Iterator[Question]:
        """Those without an answer, in order and in bounded memory; looked up by the batch, each when it is come to."""
        with self._file.connection(_ASKED) as db:
            for batch in _batches(questions):
                known = {position for position, *_ in self._looked_up(db, batch, "repeat")}
                yield from (question for position, question in enumerate(batch) if position not in known)

    def stored(self, questions: Iterable[Question]) -> Iterator[Answer | None]:
        """The answer to each question, in order; None where there is none."""
        with self._file.connection(_ASKED) as db:
            for batch in _batches(questions):
                rows = self._looked_up(db, batch, ", ".join(self._read))
                self._prove("answer", [row[1:] for row in rows])
                found = {row[0]: answer_of(row[1 + len(KEY) : 1 + len(KEY) + len(VALUES)]) for row in rows}
                yield from (found.get(position) for position in range(len(batch)))

    def answers(
        self, config: ModelConfig, names: Sequence[str]
    ) -> Iterator[tuple[str, str, int, int | None, float | None, str | None]]:
        """(first, second, repeat, verdict, probability, reason) of every answer on two of `names`, sorted by the first three.

        What is read is the store as it was at the first row.
        """
        # Many names: each second is looked up among them. Few: each pair of them is looked up in the store.
        second = "a.second" if len(names) <= _FEW_NAMES else "+a.second"
        select = f"""SELECT {", ".join(f"a.{name}" for name in self._read)}
            FROM wanted w CROSS JOIN answer a ON a.respondent = {_ID} AND a.first = w.name
            WHERE {second} IN (SELECT name FROM wanted) ORDER BY w.name, a.second, a.repeat"""
        with self._file.connection("wanted (name PRIMARY KEY) WITHOUT ROWID") as db:
            with self._file.translated_errors():
                _fill(db, "wanted", [(name,) for name in dict.fromkeys(names)])
                rows = db.execute(select, _words(config))
            while True:
                with self._file.translated_errors():
                    page = rows.fetchmany(_BATCH)
                if not page:
                    return
                self._prove("answer", page)
                for _, first, other, repeat, verdict, reason, probability, *_ in page:
                    yield first, other, repeat, verdict, probability, reason

    def mean_tokens(self, config: ModelConfig) -> tuple[float, float] | None:
        """Mean tokens of a prompt and of an answer, over the answers that tell both; None where none does."""
        mean = f"""SELECT avg(prompt_tokens), avg(completion_tokens) FROM answer
            WHERE respondent = {_ID} AND prompt_tokens IS NOT NULL AND completion_tokens IS NOT NULL"""
        with self._file.connection() as db, self._file.translated_errors():
            prompt, completion = db.execute(mean, _words(config)).fetchone()
            return None if prompt is None else (prompt, completion)

    def status(self) -> list[ModelStatus]:
        """One per model configuration that answered, by model, prompt and parameters."""
        with self._file.connection() as db, self._file.translated_errors():
            return status_of(db)

    def remember_exported(self, items: Iterable[tuple[str, Question]]) -> None:
        """Keeps which question a line of a batch file asks, by its custom id; all of them or none.

        Raises `InputError` where a custom id stands for another question already.
        """
        self._file.check_writable()
        columns = f"custom_id, {_KEY}, checksum"
        with self._file.connection(f"incoming ({columns})") as db:
            for batch in _batches(items):
                with self._file.translated_errors():
                    cells = [(str(id), self._id(db, q.config), q.first, q.second, q.repeat) for id, q in batch]
                    _fill(db, "incoming", [with_checksum(row) for row in cells])
            # "WHERE true" keeps SQLite from reading ON as that of a join.
            select = "SELECT * FROM incoming WHERE true ON CONFLICT (custom_id) DO NOTHING"
            with self._file.translated_errors():
                with transaction(db):
                    db.execute(f"INSERT INTO exported ({columns}) {select}")
                    for other in db.execute(f"SELECT * FROM incoming EXCEPT SELECT {columns} FROM exported"):
                        raise InputError("a custom id that stands for another question already", got=other[0])
                self._file.checkpoint(db)

    def exported(self, custom_id: str) -> Question | None:
        """The question behind a custom id; None where the store did not export it."""
        columns = ["custom_id", *KEY, *self._read[len((*KEY, *VALUES)) :]]
        words = "SELECT model, prompt, parameters FROM respondent WHERE id = ?"
        with self._lock, self._file.translated_errors():
            row = self._db.execute(
                f"SELECT {', '.join(columns)} FROM exported WHERE custom_id = ?", (custom_id,)
            ).fetchone()
            if row is None:
                return None
            self._prove("exported", [row])
            return Question(ModelConfig(*self._db.execute(words, (row[1],)).fetchone()), *row[2:5])

    def _id(self, db: Connection, config: ModelConfig) -> int:
        """Its number, given at once where it has none. Never within a transaction: that could take the number back."""
        if config not in self._ids:
            words = _words(config)
            if (found := db.execute(f"SELECT {_ID}", words).fetchone()[0]) is None:
                with transaction(db):  # another process may have given one meanwhile
                    found = db.execute(f"SELECT {_ID}", words).fetchone()[0]
                    if found is None:
                        found = db.execute("SELECT coalesce(max(id), 0) + 1 FROM respondent").fetchone()[0]
                        db.execute("INSERT INTO respondent VALUES (?, ?, ?, ?, ?)", with_checksum((found, *words)))
            self._ids[config] = found
        return self._ids[config]

    @property
    def _read(self) -> tuple[str, ...]:
        """The columns of an answer that are read, so that it can be proved."""
        return (*KEY, *VALUES, "checksum") if self._file.format == FORMAT else (*KEY, *VALUES)

    def _prove(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        """Raises `DamagedStore` for the first row that is not as it was written."""
        summed = self._file.format == FORMAT
        for row in rows:
            if summed and checksum(row[:-1]) == row[-1]:  # as it was written, and its kinds were checked then
                continue
            if why := problem_of(table, row, summed=summed):
                raise self._file.damaged(f"table {table}: {why}")

    def _looked_up(self, db: Connection, batch: Sequence[Question], columns: str) -> list[tuple[Any, ...]]:
        """(position in the batch, *columns) of the questions that have an answer."""
        with self._file.translated_errors():
            ids = {
                ModelConfig(*words): id
                for id, *words in db.execute("SELECT id, model, prompt, parameters FROM respondent")
            }
            asked = [(i, ids.get(q.config), q.first, q.second, q.repeat) for i, q in enumerate(batch)]
            _fill(db, "asked", asked)
            found = f"SELECT position, {columns} FROM asked CROSS JOIN answer USING ({_KEY})"
            rows = db.execute(found).fetchall()
            db.execute("DELETE FROM asked")
            return rows


def _words(config: ModelConfig) -> tuple[str, str, str]:
    return config.model, config.prompt, config.parameters


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, _BATCH)):
        yield batch


def _fill(db: Connection, temporary: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Rows into a temporary table, in one transaction, which locks nothing that others see."""
    if rows:
        db.execute("BEGIN")
        db.executemany(f"INSERT INTO temp.{temporary} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        db.execute("COMMIT")
