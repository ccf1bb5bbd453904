"""The records of a damaged SQLite file, page by page, so that no page is lost for the damage of another.

https://sqlite.org/fileformat2.html
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

_INTERIOR_INDEX, _LEAF_INDEX, _LEAF_TABLE = 2, 10, 13
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


def records(data: bytes) -> Iterator[tuple[Any, ...]]:
    """Every record that can be read of the pages in use, in no order; garbage among them. The row number stands for an id."""
    size = int.from_bytes(data[16:18], "big")
    size = 65_536 if size == 1 else size if size in {2**n for n in range(9, 16)} else 4_096
    free = _free_pages(data, size)
    for number in range(1, len(data) // size + 1):
        if number not in free:
            yield from _of_page(data, number, size)


def _free_pages(data: bytes, size: int) -> set[int]:
    """Those that SQLite has given up: they hold what was deleted."""
    found: set[int] = set()
    trunk = int.from_bytes(data[32:36], "big")
    while trunk and trunk not in found and trunk * size <= len(data):
        found.add(trunk)
        page = data[(trunk - 1) * size : trunk * size]
        leaves = min(int.from_bytes(page[4:8], "big"), size // 4 - 2)
        found.update(struct.unpack_from(f">{leaves}I", page, 8))
        trunk = int.from_bytes(page[:4], "big")
    return found


def _of_page(data: bytes, number: int, size: int) -> Iterator[tuple[Any, ...]]:
    page = data[(number - 1) * size : number * size]
    head = 100 if number == 1 else 0
    kind = page[head]
    if kind not in (_INTERIOR_INDEX, _LEAF_INDEX, _LEAF_TABLE):
        return
    first = head + (12 if kind == _INTERIOR_INDEX else 8)
    cells = min(int.from_bytes(page[head + 3 : head + 5], "big"), (size - first) // 2)
    for at in struct.unpack_from(f">{cells}H", page, first):
        try:
            start = at + (4 if kind == _INTERIOR_INDEX else 0)
            length, start = _varint(page, start)
            id = None
            if kind == _LEAF_TABLE:
                id, start = _varint(page, start)
            row = _cells(_payload(data, page, start, length, size, table=kind == _LEAF_TABLE))
        except (IndexError, ValueError, struct.error):
            continue  # what is damaged is told by what is missing
        yield (id, *row[1:]) if id is not None and row and row[0] is None else row


def _payload(data: bytes, page: bytes, start: int, length: int, size: int, *, table: bool) -> bytes:
    most = size - 35 if table else (size - 12) * 64 // 255 - 23
    if length <= most:
        return page[start : start + length]
    least = (size - 12) * 32 // 255 - 23
    here = least + (length - least) % (size - 4)
    here = here if here <= most else least
    parts, missing = [page[start : start + here]], length - here
    following = int.from_bytes(page[start + here : start + here + 4], "big")
    while missing > 0:
        at = (following - 1) * size
        if not 0 < at < len(data):
            raise ValueError("no such page")
        parts.append(data[at + 4 : at + min(size, 4 + missing)])
        missing -= size - 4
        following = int.from_bytes(data[at : at + 4], "big")
    return b"".join(parts)


def _cells(payload: bytes) -> tuple[Any, ...]:
    end, at = _varint(payload, 0)
    kinds: list[int] = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    cells: list[Any] = []
    for kind in kinds:
        width = (kind - 12) // 2 if kind >= 12 else 8 if kind == 7 else _INTEGERS.get(kind, 0)
        part = payload[at : at + width]
        if len(part) < width:
            raise ValueError("cut off")
        at += width
        if kind >= 12:
            cells.append(part.decode("utf-8") if kind % 2 else part)
        elif kind == 7:
            cells.append(struct.unpack(">d", part)[0])
        elif kind in _INTEGERS:
            cells.append(int.from_bytes(part, "big", signed=True))
        else:
            cells.append({8: 0, 9: 1}.get(kind))
    return tuple(cells)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """(the number, where what follows it begins)"""
    value = 0
    for i in range(8):
        byte = data[at + i]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + i + 1
    value = value << 8 | data[at + 8]
    return value - 2**64 if value >= 2**63 else value, at + 9
