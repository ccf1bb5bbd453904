"""Vectors on disk, so that no string is embedded twice by the same encoder."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import sqlite3
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError, OptionError, warn
from ...files.atomic import cache_folder, make_private_file
from ...settings import folder_mode
from . import Encoder

FORMAT = 2
"""Part of every file's name: raised whenever the layout changes."""
ROWS = 1024
"""Strings between two commits: the most that an interruption costs."""
LOCK_WAIT = 30.0
"""Seconds to wait for another process that writes."""
_KEYS_AT_ONCE = 16_384
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
        if isinstance(texts, str):
            raise OptionError("texts", "a list of strings", texts)
        if not len(texts):
            return self.encoder.encode([])
        unique = list(dict.fromkeys(texts))
        found = self._read(unique)
        # Strings of like length together: an encoder fills up the last batch of every length.
        missing = sorted((text for text in unique if text not in found), key=len)
        for start in range(0, len(missing), ROWS):
            batch = missing[start : start + ROWS]
            made = self.encoder.encode(batch)
            for (width,) in self._run("PRAGMA user_version"):
                if width not in (0, made.shape[1]):
                    raise ModelError(
                        f"The encoder {self.identity} now gives {made.shape[1]} numbers per string, and gave {width} before: the "
                        f"model behind the name is another one. Name its revision, or delete {self.path}."
                    )
            found.update(zip(batch, made, strict=True))
            blobs = [row.tobytes() for row in made.astype("<f4", copy=False)]
            self._run(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
                [(_key(text), _checksum(text, blob), blob) for text, blob in zip(batch, blobs, strict=True)],
            )
        return np.stack([found[text] for text in texts])

    def _read(self, texts: list[str]) -> dict[str, NDArray[np.float32]]:
        """The vectors on disk by their text."""
        found: dict[str, NDArray[np.float32]] = {}
        for start in range(0, len(texts), _KEYS_AT_ONCE):
            by_key = {_key(text): text for text in texts[start : start + _KEYS_AT_ONCE]}
            sql = "SELECT key, checksum, vector FROM vectors WHERE key IN (SELECT value FROM json_each(?))"
            for key, checksum, blob in self._run(sql, json.dumps(list(by_key))):
                if isinstance(blob, bytes) and checksum == _checksum(by_key[key], blob):
                    found[by_key[key]] = np.frombuffer(blob, "<f4")
        return found

    def _run(self, sql: str, given: str | list[tuple[int, int, bytes]] = "") -> list[tuple[Any, ...]]:
        """The rows of a query, or of an insertion none. The cache must never be why a job fails."""
        reads = not isinstance(given, list)
        if not self._usable or (reads and not self.path.is_file()):
            return []
        try:
            if not reads:
                self.path.parent.mkdir(folder_mode(), parents=True, exist_ok=True)
                make_private_file(self.path)
            with contextlib.closing(sqlite3.connect(self.path, timeout=LOCK_WAIT)) as connection, connection:
                connection.execute(_SCHEMA)
                if isinstance(given, list):
                    connection.executemany(sql, given)
                    connection.execute(f"PRAGMA user_version = {len(given[0][2]) // 4}")
                    return []
                return connection.execute(sql, (given,) if given else ()).fetchall()
        except (sqlite3.Error, OSError) as error:
            self._usable = False
            what = f"The vector cache {self.path} cannot be used ({error}); going on without it"
            warn(f"{what}. A damaged one may be deleted: it is made anew.", RuntimeWarning)
            return []


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _key(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(_bytes(text), digest_size=8).digest(), "little", signed=True)


def _checksum(text: str, blob: bytes) -> int:
    return zlib.crc32(blob, zlib.crc32(_bytes(text)))
