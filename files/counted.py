"""Numbers of things in words: 1 pair, 2 pairs."""

from __future__ import annotations


def counted(number: int, one: str, more: str | None = None) -> str:
    """`1,000 pairs`. more : the word for other numbers than one, where it is not `one` with an s."""
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"
