"""Which of many texts a string equals, by sorted checksums: they come from a mapped file, where a dict would be built at each start."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .texts import Texts


class Lookup(NamedTuple):
    """checksums : uint32[n], the CRC-32 of each text, rising. places : int32[n], where the text of each checksum stands."""

    checksums: NDArray[np.uint32]
    places: NDArray[np.int32]

    @classmethod
    def of(cls, texts: Texts) -> Lookup:
        checksums = _checksums(list(texts))
        places = np.argsort(checksums, kind="stable").astype(np.int32)
        return cls(checksums[places], places)

    def find(self, strings: Sequence[str], texts: Texts) -> NDArray[np.int32]:
        """int32[len(strings)]: the place of the first text that each string equals, or -1."""
        wanted = _checksums(strings)
        firsts = np.searchsorted(self.checksums, wanted)
        ends = np.searchsorted(self.checksums, wanted, "right")
        out = np.full(len(strings), -1, np.int32)
        for i in np.flatnonzero(firsts < ends).tolist():
            for place in self.places[firsts[i] : ends[i]].tolist():
                if texts[place] == strings[i]:
                    out[i] = place
                    break
        return out

    def find_one(self, string: str, texts: Texts) -> int:
        """The same of one string, without arrays."""
        wanted = _checksum(string)
        at = int(self.checksums.searchsorted(np.uint32(wanted)))
        while at < len(self.checksums) and self.checksums[at] == wanted:
            if texts[place := int(self.places[at])] == string:
                return place
            at += 1
        return -1


def _checksums(strings: Sequence[str]) -> NDArray[np.uint32]:
    return np.fromiter(map(_checksum, strings), np.uint32, len(strings))


def _checksum(string: str) -> int:
    return zlib.crc32(string.encode("utf-8", "surrogatepass"))
