"""The file of a vote store: opened or made, checked to be one, its errors explained in one line."""

from __future__ import annotations

import os
import shlex
import sqlite3
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from ...errors import DxmatchError, InputError, quoted
from ...files.atomic import make_private_file
from .proof import TALLIED, damages
from .rows import COLUMNS, SCHEMA

APPLICATION_ID = 0x64784D76  # "dxMv"
FORMAT = 2
WITHOUT_CHECKSUMS = 1
"""The format before: it is read, with a warning, and not written."""
WAIT_SECONDS = 30.0
_FOREIGN = "not a vote store of dxmatch. It was left as it is."


class StoreError(DxmatchError):
    """A vote store that cannot be opened, read or written: which file, why, and what to do."""


class DamagedStore(StoreError):
    """A vote store that does not hold what was put into it, or whose format says too little to tell."""

    def __init__(
        self, path: Path, why: str, remedy: str = "saves what proves right, and says what is to be asked again"
    ) -> None:
        self._path, self._said, self._remedy = path, f"{path}: {why}", remedy
        super().__init__(f"{self._said} dxmatch.check_votes({str(path)!r}, repair='COPY') {remedy}.")

    def worded(self, options: Mapping[str, str]) -> str:
        del options
        return (
            f"{self._said} `dxmatch votes check --store {shlex.quote(str(self._path))} --repair COPY` {self._remedy}."
        )


class StoreWarning(UserWarning):
    """What is doubtful of a store that is read all the same."""

    def __init__(self, why: DamagedStore) -> None:
        super().__init__(str(why))
        self.worded = why.worded


class StoreFile:
    """One store on a local disk, from which connections are opened.

    The journal is a write-ahead log with `synchronous=NORMAL`: a committed answer survives the end of the process in any
    way, and the file stays whole through a power cut, which can lose the answers since the last checkpoint (`checkpoint`).
    """

    def __init__(self, path: Path, wait: float) -> None:
        self.path, self.wait, self.format = path, wait, FORMAT
        self._frozen = False

    @contextmanager
    def translated_errors(self) -> Iterator[None]:
        """Turns the errors of SQLite and of the disk into `StoreError`, and text that is not Unicode into `InputError`."""
        try:
            yield
        except sqlite3.Error as error:
            raise self.explained(error) from error
        except (UnicodeDecodeError, OverflowError) as error:
            raise self.damaged(str(error)) from error
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror or error}.") from error
        except UnicodeEncodeError as error:
            raise InputError("half a surrogate pair", allowed="Unicode text", got=error.object) from error

    def open(self, *, create: bool) -> sqlite3.Connection:
        """The first connection: makes the store where `create` says so and there is none, and proves all that it holds.

        Raises `StoreError`; `DamagedStore` also where `create` says that it will be written, and its format has no checksums.
        """
        with self.translated_errors():
            if self.path.is_dir():
                raise StoreError(f"{self.path} is a folder, not a vote store.")
            if not self.path.exists():
                if not create:
                    raise StoreError(f"{self.path}: no such vote store.")
                if not self.path.parent.is_dir():
                    raise StoreError(f"{self.path.parent}: no such folder (for {self.path.name}).")
                make_private_file(self.path)  # the log takes after it
            elif self.path.stat().st_size == 1:  # SQLite would take it for an empty file
                raise StoreError(f"{self.path}: {_FOREIGN}")
            db = self._connected("rwc" if create else "rw")
            try:
                if create and self._is_blank(db):
                    self._make(db)
                self.format = self.format_of(db)
                if create:
                    self.check_writable()
                self._journal(db)
                for damage in damages(db, summed=self.format == FORMAT):
                    raise self.damaged(str(damage))
                self._tallied(db)
            except BaseException:
                db.close()
                raise
        if self.format == WITHOUT_CHECKSUMS:
            warnings.warn(StoreWarning(self._old()), stacklevel=4)
        return db

    def reading(self) -> sqlite3.Connection:
        """Reads alone: a log that another process left is read with it, and not copied into it. Errors of SQLite."""
        return self._connected("ro")

    def check_writable(self) -> None:
        """Raises `DamagedStore` for a store of the format without checksums."""
        if self.format == WITHOUT_CHECKSUMS:
            raise self._old()

    def damaged(self, why: str) -> DamagedStore:
        return DamagedStore(self.path, f"the store is damaged ({why}). It was left as it is.")

    def _old(self) -> DamagedStore:
        why = f"a store of format {self.format}, without checksums: damage to it cannot be told, and it is not written any more."
        return DamagedStore(self.path, why, f"makes one of format {FORMAT} with all its answers")

    @contextmanager
    def connection(self, temporary: str = "") -> Iterator[sqlite3.Connection]:
        """A further connection, for one piece of work, with a transaction and a temporary table of its own.

        temporary : the name and the columns of the table.
        """
        with self.translated_errors():
            db = self._connected("rw")
        with closing(db):
            with self.translated_errors():
                self._journal(db)
                self._tallied(db)
                if temporary:
                    db.execute(f"CREATE TEMP TABLE {temporary}")
                before = self._state()
            try:
                yield db
            except StoreError:
                self._check_unchanged(before)
                raise
            self._check_unchanged(before)

    def checkpoint(self, db: sqlite3.Connection) -> None:
        """Copies the write-ahead log into the store, or leaves that to the next time where it cannot be done now.

        Nobody may write meanwhile: before SQLite 3.51.3 a write at the wrong moment was lost, and the store damaged
        (https://sqlite.org/wal.html, "The WAL Reset Bug"). SQLite's own checkpoints, which are off, do not see to that.
        """
        with suppress(sqlite3.Error), transaction(db), closing(self._connected("rw")) as copier:
            copier.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def _connected(self, mode: str) -> sqlite3.Connection:
        log = self._beside("-wal")
        # SQLite would leave a log beside a read-only file which is read-only itself, and stays so when the file is not any more.
        if not self.path.exists() or os.access(self.path, os.W_OK) or (log.exists() and log.stat().st_size):
            try:
                return self._opened(f"mode={mode}")
            except sqlite3.OperationalError as error:
                unwritable = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
                if not unwritable or not self.path.exists() or (log.exists() and log.stat().st_size):
                    raise
        # Its log cannot be opened where the folder is read-only; where there is no log, nobody is writing.
        self._frozen = True
        return self._opened("immutable=1")

    def _beside(self, end: str) -> Path:
        return self.path.with_name(self.path.name + end)

    def _opened(self, how: str) -> sqlite3.Connection:
        name = quote(os.fsencode(self.path.absolute().as_posix()))
        where = f"file://{name}" if name.startswith("/") else f"file:///{name}"
        db = sqlite3.connect(
            f"{where}?{how}", uri=True, timeout=self.wait, isolation_level=None, check_same_thread=False
        )
        try:
            for pragma in (
                "trusted_schema = OFF",
                "cell_size_check = ON",
                "cache_size = -32000",
                "wal_autocheckpoint = 0",
            ):
                db.execute(f"PRAGMA {pragma}")
            db.execute("SELECT count(*) FROM sqlite_schema")
        except UnicodeDecodeError as error:  # SQLite's words, with a damaged name of the schema in them
            db.close()
            damaged = sqlite3.DatabaseError("malformed database schema")
            damaged.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise damaged from error
        except BaseException:
            db.close()
            raise
        return db

    def _state(self) -> tuple[int, int]:
        now = self.path.stat()
        return now.st_mtime_ns, now.st_size

    def _check_unchanged(self, before: tuple[int, int]) -> None:
        with self.translated_errors():
            if self._frozen and self._state() != before:
                raise StoreError(f"{self.path}: somebody wrote to it while it was read. Run this again.")

    def _is_blank(self, db: sqlite3.Connection) -> bool:
        tables = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        return not (tables or _number(db, "application_id") or _number(db, "user_version"))

    def _make(self, db: sqlite3.Connection) -> None:
        with transaction(db):
            if self._is_blank(db):  # another process may have made it meanwhile
                for statement in SCHEMA:
                    db.execute(statement)
                db.executemany("INSERT INTO tally VALUES (?, 0, 0)", [(table,) for table in COLUMNS])
                db.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
                db.execute(f"PRAGMA user_version = {FORMAT:d}")

    def format_of(self, db: sqlite3.Connection) -> int:
        """Raises `StoreError` for what is no store, or one of another version."""
        if _number(db, "application_id") != APPLICATION_ID:
            raise StoreError(f"{self.path}: {_FOREIGN}")
        version = _number(db, "user_version")
        if version not in (FORMAT, WITHOUT_CHECKSUMS):
            age = "a newer" if version > FORMAT else "another"
            raise StoreError(
                f"{self.path} was written by {age} version of dxmatch (format {version}; this one reads {FORMAT})."
            )
        return version

    def _tallied(self, db: sqlite3.Connection) -> None:
        for trigger in TALLIED if self.format == FORMAT else ():
            db.execute(trigger)

    def _journal(self, db: sqlite3.Connection) -> None:
        db.execute(f"PRAGMA synchronous = {'NORMAL' if self._set_wal(db) == 'wal' else 'FULL'}")

    def _set_wal(self, db: sqlite3.Connection) -> str:
        """The journal that came of it: another where the store cannot be written."""
        deadline = time.monotonic() + self.wait
        while True:
            try:
                return db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            except sqlite3.OperationalError as error:
                kind = error.sqlite_errorcode & 0xFF
                if kind == sqlite3.SQLITE_READONLY:
                    return db.execute("PRAGMA journal_mode").fetchone()[0]
                # SQLite itself does not wait for the lock that a change of journal takes.
                if kind != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def explained(self, error: sqlite3.Error) -> StoreError:
        name = getattr(error, "sqlite_errorname", "")
        match getattr(error, "sqlite_errorcode", 0) & 0xFF:
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                why = (
                    f"another process has held the store for more than {self.wait:g} s. "
                    "Wait for it or end it, then run this again; every answer stored so far is kept."
                )
            case sqlite3.SQLITE_FULL:
                why = "the disk is full. Make room, then run this again; every answer stored so far is kept."
            case sqlite3.SQLITE_IOERR:
                why = (
                    f"the drive did not read or write it ({name}): full, over a quota or a limit on the size of files, "
                    "away, or failing. Mend that, then run this again; every answer stored so far is kept."
                )
            case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
                files = (self.path, self._beside("-wal"), self._beside("-shm"), self.path.absolute().parent)
                closed = [str(file) for file in files if file.exists() and not os.access(file, os.W_OK)]
                why = f"the store cannot be written: read-only is {', '.join(closed) or 'it, or its folder'}."
            case sqlite3.SQLITE_CANTOPEN:
                why = "the store cannot be opened: its folder cannot be written, or the store cannot be read."
            case sqlite3.SQLITE_NOTADB:
                why = _FOREIGN
            case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_ERROR:
                return self.damaged(quoted(str(error)))
            case 0 if isinstance(error, sqlite3.OperationalError):  # a text that is not UTF-8
                return self.damaged(quoted(str(error)))
            case _:
                why = f"the store refused ({error})."
        return StoreError(f"{self.path}: {why}")


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All or nothing; the lock for writing is taken at the start, so that nothing which was read can be outdated."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _number(db: sqlite3.Connection, pragma: str) -> int:
    return db.execute(f"PRAGMA {pragma}").fetchone()[0]
