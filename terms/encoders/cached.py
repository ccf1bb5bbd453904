"""Vectors on disk, so that no string is embedded twice by the same encoder."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import sqlite3
import warnings
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError, OptionError
from ...files.atomic import cache_folder, make_private_file
from ...settings import folder_mode
from . import Encoder, probe

FORMAT = 1
"""Part of every file's name: raised whenever the layout changes."""
ROWS = 1024
"""Strings between two commits: the most that an interruption costs."""
LOCK_WAIT = 30.0
"""Seconds to wait for another process that writes."""
_MARK = 0x64786D76
_KEYS_AT_ONCE = 16_384
_SCHEMA = (
    "CREATE TABLE encoder (identity TEXT NOT NULL, dimensions INTEGER NOT NULL, checksum INTEGER NOT NULL)",
    "CREATE TABLE vectors (key INTEGER NOT NULL UNIQUE, checksum INTEGER NOT NULL, vector BLOB NOT NULL)",
)
_DAMAGE = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class CachedEncoder:
    """An encoder whose vectors are kept in one SQLite file per identity.

    Only what the file lacks is encoded, in batches, each of which is committed before the next begins. Processes may share
    the file. A file that is damaged is reported in a warning and made anew. One that cannot be read or written (no right
    to, a full disk, locked for long) is reported in a warning and from then on left alone. It grows without limit, and may
    be deleted at any time. No string is in it: a row is found by 64 bits of the hash of its string, and holds a checksum
    over string and vector, so that neither another string's vector nor one with a flipped bit is ever given out.

    Parameters
    ----------
    encoder : makes the vectors that are missing.
    folder : where the files lie; None for "vectors" in `cache_folder()`.
    """

    def __init__(self, encoder: Encoder, folder: Path | str | None = None) -> None:
        self.encoder = encoder
        folder = cache_folder() / "vectors" if folder is None else Path(folder)
        digest = hashlib.sha256(f"{FORMAT} {encoder.identity}".encode()).hexdigest()[:16]
        readable = re.sub(r"[^A-Za-z0-9._-]+", "-", encoder.identity)[:80]
        self.path = folder / f"{readable}-{digest}.sqlite"
        self._usable = True
        self._dimensions = 0

    @property
    def identity(self) -> str:
        return self.encoder.identity

    @property
    def dimensions(self) -> int:
        """Numbers in a vector, once `probe` or `encode` was called; before that, as the encoder itself says."""
        return self._dimensions or self.encoder.dimensions

    def probe(self) -> int:
        """`dimensions`, as the file says; the encoder is asked only where there is none."""
        self._read([])
        self._dimensions = self._dimensions or probe(self.encoder)
        return self._dimensions

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32[len(texts), dimensions], unit rows, bit for bit as the encoder made them.

        Raises
        ------
        ModelError
            The encoder's vectors have another width than those on disk. Besides it, what the encoder raises.
        """
        if isinstance(texts, str):
            raise OptionError("texts", "a list of strings", texts)
        if not len(texts):
            return np.empty((0, self.probe()), np.float32)
        unique = list(dict.fromkeys(texts))
        found = self._read(unique)
        # Strings of like length together: an encoder fills up the last batch of every length.
        missing = sorted((text for text in unique if text not in found), key=len)
        for start in range(0, len(missing), ROWS):
            batch = missing[start : start + ROWS]
            made = self.encoder.encode(batch)
            self._dimensions = self._dimensions or made.shape[1]
            self._check_width(self._dimensions, made.shape[1])
            found.update(zip(batch, made, strict=True))
            self._write(batch, made)
        return np.stack([found[text] for text in texts])

    def _read(self, texts: list[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors on disk by their text; sets `_dimensions` as the file says."""
        found: dict[str, NDArray[np.float32]] = {}
        if not self._usable or not self.path.is_file():
            return found
        with self._guarded(), contextlib.closing(self._connect("rw")) as connection:
            self._dimensions = width = self._width(connection) or self._dimensions
            damaged = 0
            for start in range(0, len(texts), _KEYS_AT_ONCE):
                by_key = {_key(text): text for text in texts[start : start + _KEYS_AT_ONCE]}
                sql = "SELECT key, checksum, vector FROM vectors WHERE key IN (SELECT value FROM json_each(?))"
                for key, checksum, blob in connection.execute(sql, (json.dumps(list(by_key)),)) if width else ():
                    text, right = by_key.get(key), isinstance(blob, bytes) and len(blob) == 4 * width
                    if text is not None and right and checksum == _checksum(text, blob):
                        found[text] = np.frombuffer(blob, "<f4")
                    else:
                        damaged += 1
            if damaged:
                _warn(f"{damaged} vector(s) in the cache {self.path} are damaged and are made anew.")
        return found

    def _write(self, texts: list[str], vectors: NDArray[np.float32]) -> None:
        if not self._usable:
            return
        blobs = [row.tobytes() for row in vectors.astype("<f4", copy=False)]
        rows = sorted((_key(text), _checksum(text, blob), blob) for text, blob in zip(texts, blobs, strict=True))
        with self._guarded():
            self.path.parent.mkdir(folder_mode(), parents=True, exist_ok=True)
            make_private_file(self.path)
            with contextlib.closing(self._connect("rwc")) as connection:
                connection.execute("BEGIN IMMEDIATE")
                if (width := self._width(connection)) is None:
                    connection.execute(f"PRAGMA application_id = {_MARK}")
                    for statement in _SCHEMA:
                        connection.execute(statement)
                    connection.execute("INSERT INTO encoder VALUES (?, ?, ?)", self._about(vectors.shape[1]))
                else:
                    self._check_width(width, vectors.shape[1])
                connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
                connection.execute("COMMIT")

    def _connect(self, mode: str) -> sqlite3.Connection:
        uri = f"{self.path.absolute().as_uri()}?mode={mode}"
        return sqlite3.connect(uri, timeout=LOCK_WAIT, isolation_level=None, uri=True)

    def _width(self, connection: sqlite3.Connection) -> int | None:
        """Numbers in a vector of the file; None for a file that holds nothing yet."""
        (mark,) = connection.execute("PRAGMA application_id").fetchone()
        if not mark and not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return None
        found = connection.execute("SELECT * FROM encoder").fetchall() if mark == _MARK else []
        if len(found) != 1 or found[0] != self._about(found[0][1]):
            raise sqlite3.DatabaseError("not the vectors of this encoder")
        return found[0][1]

    def _about(self, dimensions: int) -> tuple[str, int, int]:
        return self.identity, dimensions, zlib.crc32(f"{dimensions!r} {self.identity}".encode())

    def _check_width(self, on_disk: int, made: int) -> None:
        if on_disk != made:
            raise ModelError(
                f"The encoder {self.identity} now gives {made} numbers per string, and gave {on_disk} before: the model "
                f"behind the name is another one. Name its revision, or delete {self.path}."
            )

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        """The cache must never be why a job fails."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError, OSError) as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
            try:
                if isinstance(error, OSError) or code not in _DAMAGE:
                    raise
                _warn(f"The vector cache {self.path} is damaged ({error}) and is made anew.")
                for path in (Path(f"{self.path}-journal"), self.path):
                    path.unlink(missing_ok=True)
            except (sqlite3.Error, OSError) as final:
                self._usable = False
                _warn(f"The vector cache {self.path} cannot be used ({final}); going on without it.")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _key(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(_bytes(text), digest_size=8).digest(), "little", signed=True)


def _checksum(text: str, blob: bytes) -> int:
    return zlib.crc32(blob, zlib.crc32(_bytes(text)))


def _warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=4)
