"""The row groups in a Parquet footer, read without pyarrow, and whether its pages carry checksums.

pyarrow's metadata of a column chunk is made outside any handler of C++ exceptions: one wrong byte in a footer ends the process
there (`Definition level histogram size mismatch`). Reading the columns themselves raises errors as it should.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

_MAGIC = b"PAR1"
_TAIL = 8
_PAGE_HEADER = 64
"""Bytes that hold what comes before a page's checksum."""
_STOP, _TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 0, 1, 2, 3, 7, 8, 9, 10, 11, 12
_INTEGERS = (4, 5, 6)


@dataclass(frozen=True)
class ColumnChunk:
    """The values of a column in a row group. path : as in the schema. bytes : uncompressed. page : where the first begins."""

    path: str
    values: int
    bytes: int
    page: int
    has_dictionary: bool


@dataclass(frozen=True)
class RowGroup:
    rows: int
    columns: tuple[ColumnChunk, ...]


@dataclass(frozen=True)
class Footer:
    """digest : SHA-256 of its bytes."""

    groups: tuple[RowGroup, ...]
    digest: str


def read_footer(path: Path) -> Footer:
    """The footer of a Parquet file.

    Raises
    ------
    ValueError
        Where it cannot be read as one.
    OSError
        Where the file cannot be read.
    """
    status = path.stat()
    return _read_footer(path, status.st_size, status.st_mtime_ns, status.st_ino)


@lru_cache(maxsize=16)
def _read_footer(path: Path, size: int, modified: int, inode: int) -> Footer:
    del size, modified, inode  # in the key
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(end - _TAIL, 0))
        tail = file.read(_TAIL)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != _MAGIC or length > end - _TAIL:
            raise ValueError("no footer at its end")
        file.seek(end - _TAIL - length)
        content = file.read(length)
    try:
        groups = tuple(_group(group) for group in _Compact(content).struct()[4])
    except (LookupError, TypeError, AttributeError, UnicodeDecodeError, RecursionError):
        raise ValueError("its footer cannot be read") from None
    return Footer(groups, hashlib.sha256(content).hexdigest())


def has_page_checksums(path: Path, footer: Footer) -> bool:
    """Whether the first page of each column carries one; True for a file without rows."""
    with path.open("rb") as file:
        for column in footer.groups[0].columns if footer.groups else ():
            file.seek(max(column.page, 0))
            if not _Compact(file.read(_PAGE_HEADER)).has_field(4):
                return False
    return True


def _group(group: Mapping[int, Any]) -> RowGroup:
    return RowGroup(_whole(group[3]), tuple(_chunk(chunk) for chunk in group[1]))


def _chunk(chunk: Mapping[int, Any]) -> ColumnChunk:
    about = chunk[3]
    path = ".".join(name.decode() for name in about[3])
    page = min(_whole(about[9]), _whole(about.get(11)) or about[9]) if 11 in about else _whole(about[9])
    return ColumnChunk(path, _whole(about[5]), _whole(about[6]), page, 11 in about)


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise TypeError
    return value


class _Compact:
    """Thrift's compact protocol (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).

    A struct comes as a dict by the numbers of its fields. Raises `IndexError` where the bytes end too early, `TypeError` for
    a kind that there is not.
    """

    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 0

    def struct(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != _STOP:
            number = self._number(head, number)
            fields[number] = self._value(head & 15)
        return fields

    def has_field(self, wanted: int) -> bool:
        """Whether the struct that begins here has a field, if those before it are in order."""
        number = 0
        try:
            while number < wanted and (head := self._byte()) != _STOP:
                number = self._number(head, number)
                if number < wanted:
                    self._value(head & 15)
        except (IndexError, TypeError, RecursionError):
            return False
        return number == wanted

    def _number(self, head: int, before: int) -> int:
        return before + (head >> 4) if head >> 4 else self._integer()

    def _byte(self) -> int:
        byte = self._content[self._at]
        self._at += 1
        return byte

    def _bytes(self, count: int) -> bytes:
        self._at += count
        if self._at > len(self._content):
            raise IndexError
        return self._content[self._at - count : self._at]

    def _unsigned(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise TypeError
        return value | byte << shift

    def _integer(self) -> int:
        value = self._unsigned()
        return value >> 1 ^ -(value & 1)

    def _value(self, kind: int) -> Any:
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind in _INTEGERS:
            return self._integer()
        if kind == _BINARY:
            return self._bytes(self._unsigned())
        if kind == _STRUCT:
            return self.struct()
        if kind in (_LIST, _SET):
            head = self._byte()
            count = head >> 4 if head >> 4 < 15 else self._unsigned()
            return [self._element(head & 15) for _ in range(count)]
        if kind == _MAP:
            count = self._unsigned()
            kinds = self._byte() if count else 0
            return [(self._element(kinds >> 4), self._element(kinds & 15)) for _ in range(count)]
        return self._bytes({_BYTE: 1, _DOUBLE: 8}.get(kind) or self._unknown())

    def _element(self, kind: int) -> Any:
        return self._byte() == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind)

    def _unknown(self) -> int:
        raise TypeError
