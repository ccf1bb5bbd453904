"""A column of strings kept as one UTF-8 block, so that it can be read from a mapped file without being parsed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


class Texts:
    """An immutable sequence of strings: text i is `blob[offsets[i]:offsets[i + 1]]`.

    Parameters
    ----------
    blob : uint8[bytes], UTF-8.
    offsets : int64[n + 1], rising from 0 to the length of the blob.
    """

    def __init__(self, blob: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self.blob, self.offsets = blob, offsets

    @classmethod
    def of(cls, texts: Iterable[str]) -> Texts:
        encoded = [text.encode() for text in texts]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(piece) for piece in encoded], out=offsets[1:])
        return cls(np.frombuffer(b"".join(encoded), np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> str:
        return self.blob[self.offsets[i] : self.offsets[i + 1]].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        block, ends = self.blob.tobytes(), self.offsets.tolist()
        if len(block) == np.count_nonzero(self.blob < 128):  # ASCII: bytes and characters stand at the same places
            text = block.decode("ascii")
            return (text[start:end] for start, end in pairwise(ends))
        return (block[start:end].decode() for start, end in pairwise(ends))
