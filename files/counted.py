"""Numbers in words: 1 pair, 2 pairs; thresholds."""

from __future__ import annotations


def counted(number: int, one: str, more: str | None = None) -> str:
    """`1,000 pairs`. more : the word for other numbers than one, where it is not `one` with an s."""
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"


def shown_threshold(value: float) -> str:
    """`0.251`; more digits where three would say 0 or 1 of what is neither."""
    short = f"{value:.3f}"
    return short if float(short) == value or 0 < float(short) < 1 else f"{value:.10g}"
