"""Numbers and names in sentences."""

from __future__ import annotations

from collections.abc import Sequence

_MARKDOWN = {sign: f"\\{sign}" for sign in "\\`*_[]<>|#!"} | {"\n": " ", "\r": " ", "&": "&amp;"}


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def at_most(texts: Sequence[str], most: int = 5) -> list[str]:
    """The first texts, and in the place of the others how many they are, where these are several.

    >>> at_most(["a", "b", "c", "d"], 2)
    ['a', 'b', '2 more']
    """
    return [*texts] if len(texts) <= most + 1 else [*texts[:most], f"{len(texts) - most:,} more"]


def in_markdown(text: str) -> str:
    """A text in a line or a cell of Markdown, where it starts no markup and no HTML.

    >>> print(in_markdown("a|b <i>"))
    a\\|b \\<i\\>
    """
    return "".join(_MARKDOWN.get(character, character) for character in text)


def p_value(value: float | None) -> str:
    """`p = 0.012`, `p < 0.001`; "" where there is none."""
    return "" if value is None else f"p = {value:.3f}" if value >= 0.001 else "p < 0.001"
