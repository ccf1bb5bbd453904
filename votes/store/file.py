"""The SQLite file of a vote store: its tables, how it is opened and written, and what proves that it holds what was put into it.

Answers are rows, each with its checksum; each table has its tally.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import msgspec

from ...errors import DxmatchError, InputError, quoted
from ...files.atomic import make_private_file

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


_KIND = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id, pragma_user_version"
_BLANK = (0, 0, 0)
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


class StoreFile:
    """One SQLite file on a local disk. Several threads may share an object of it, and several processes the file.

    Parameters
    ----------
    path : the file; made where it is absent, unless `must_exist`.
    wait : seconds to wait for another process that is writing.

    Raises
    ------
    StoreError
        The file cannot be opened, read or written; also of every method. A `DamagedStore` does not hold what was put into it.
    InputError
        A text that cannot be stored.
    """

    def __init__(self, path: str | os.PathLike[str], *, must_exist: bool = False, wait: float = 30.0) -> None:
        self.path, self._lock = Path(path), threading.RLock()
        if not self.path.is_file() and (must_exist or self.path.exists() or not self.path.parent.is_dir()):
            raise StoreError(f"{self.path}: no such vote store, or no folder to make it in.")
        with self._errors():
            if not self.path.exists():
                make_private_file(self.path)  # the log takes after it
            logged = _log_of(self.path)  # what a crash leaves, or another process is writing
            self._db = connected(self.path, wait)
            try:
                self._begin(must_exist)
                for damage in damages(self._db) if logged else ():
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

    def read(self, select: str, given: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with self._errors():
            return self._db.execute(select, given).fetchall()


def connected(path: Path, wait: float, *, write: bool = True) -> sqlite3.Connection:
    """Opens an SQLite file that is there; for reading alone where it cannot be written. Errors of SQLite."""
    writable = os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)
    how = "mode=rw" if write and writable else "mode=ro" if writable or _log_of(path) else "immutable=1"
    uri = f"{path.absolute().as_uri()}?{how}"
    return sqlite3.connect(uri, uri=True, timeout=wait, isolation_level=None, check_same_thread=False)


def _log_of(path: Path) -> bool:
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0
