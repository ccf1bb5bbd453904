"""The last things made, by key."""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Kept(dict[K, V], Generic[K, V]):
    """A dict that holds at most `most` entries that were `put`; the oldest goes. Safe to share between threads."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most, self._lock = most, threading.Lock()

    def put(self, key: K, value: V) -> None:
        with self._lock:
            self[key] = value
            if len(self) > self._most:
                del self[next(iter(self))]
