"""Vectors on disk, so that no string is embedded twice by the same encoder."""

from __future__ import annotations

import contextlib
import hashlib
import re
import sqlite3
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import DxmatchError, ModelError, warn
from ...files.atomic import cache_folder, make_folder, make_private_file
from . import Encoder

FORMAT = 2
"""Part of every file's name: raised whenever the layout changes."""
ROWS = 1024
"""Strings between two commits: the most that an interruption costs."""
LOCK_WAIT = 30.0
"""Seconds to wait for another process that writes."""
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS vectors (key INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, vector BLOB NOT NULL)"
)


class CachedEncoder:
    """An encoder whose vectors are kept in one SQLite file per identity.

    Only what the file lacks is encoded, in batches, each of which is committed before the next begins. Processes may share
    the file. One that cannot be read or written (damaged, no right to, a full disk, locked for long) is reported in a warning and from
    then on left alone. It grows without limit, and may be deleted at any time. No string is in it: a row is found by 64 bits of the hash of its string, and holds a checksum
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

    @property
    def identity(self) -> str:
        return self.encoder.identity

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32[len(texts), d], unit rows, bit for bit as the encoder made them.

        Raises
        ------
        ModelError
            The encoder's vectors have another width than those on disk. Besides it, what the encoder raises.
        """
        if not len(texts):
            return self.encoder.encode([])
        unique = list(dict.fromkeys(texts))
        found: dict[str, NDArray[np.float32]] = {}
        if self.path.is_file():
            self._in_file(lambda db: found.update(_kept(db, unique)))
        # Strings of like length together: an encoder fills up the last batch of every length.
        missing = sorted((text for text in unique if text not in found), key=len)
        for start in range(0, len(missing), ROWS):
            batch = missing[start : start + ROWS]
            made = self.encoder.encode(batch).astype("<f4", copy=False)
            if (width := len(next(iter(found.values()), made[0]))) != made.shape[1]:
                raise ModelError(
                    f"The encoder {self.identity} now gives {made.shape[1]} numbers per string, and gave {width} before: the "
                    f"model behind the name is another one. Name its revision, or delete {self.path}."
                )
            found.update(zip(batch, made, strict=True))
            rows = [
                (_key(text), _checksum(text, row.tobytes()), row.tobytes())
                for text, row in zip(batch, made, strict=True)
            ]
            self._in_file(lambda db, rows=rows: db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows))
        return np.stack([found[text] for text in texts])

    def _in_file(self, use: Callable[[sqlite3.Connection], Any]) -> None:
        """Reads or writes the file, where that can be done: the cache must never be why a job fails."""
        if not self._usable:
            return
        try:
            make_folder(self.path.parent, private=True)
            make_private_file(self.path)
            with contextlib.closing(sqlite3.connect(self.path, timeout=LOCK_WAIT)) as db, db:
                db.execute(_SCHEMA)
                use(db)
        except (sqlite3.Error, OSError, DxmatchError) as error:
            self._usable = False
            what = f"The vector cache {self.path} cannot be used ({error}); going on without it"
            warn(f"{what}. A damaged one may be deleted: it is made anew.", RuntimeWarning)


def _kept(db: sqlite3.Connection, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
    """The vectors of the file by their text."""
    found = {}
    for text in texts:
        for checksum, blob in db.execute("SELECT checksum, vector FROM vectors WHERE key = ?", (_key(text),)):
            if isinstance(blob, bytes) and checksum == _checksum(text, blob):
                found[text] = np.frombuffer(blob, "<f4")
    return found


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _key(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(_bytes(text), digest_size=8).digest(), "little", signed=True)


def _checksum(text: str, blob: bytes) -> int:
    return zlib.crc32(blob, zlib.crc32(_bytes(text)))
