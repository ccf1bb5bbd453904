"""Rows of a table that say different things of one and the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any


def conflicts(said: Mapping[int, tuple[Hashable, Any]]) -> Iterator[tuple[Any, list[int]]]:
    """Of (key, value) by row: each key with two values or more, and its rows."""
    rows_of: dict[Hashable, list[int]] = {}
    for row, (key, _) in said.items():
        rows_of.setdefault(key, []).append(row)
    for key, rows in rows_of.items():
        if len({said[row][1] for row in rows}) > 1:
            yield key, rows
