"""Pairs of diagnoses, the same on every machine: the words of `words.txt`, and names of ICD-10-CM from the pinned package.

A block has texts of its own: lines of the words, and categories of ICD-10-CM with names of their codes. Its pairs are any two of a line or a
category (synonyms, parent and child, siblings), a text with the same in another spelling, and any two texts of the block.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import TypeVar

import simple_icd_10_cm

BLOCKS, ROWS = 10, 2_000
_CATEGORIES, _NAMES, _RESPELT = 8, 12, 120
_WORDS = Path(__file__).with_name("words.txt")

Pair = tuple[str, str]
T = TypeVar("T")


class _Draws:
    """Draws by `random()` alone, the one method whose numbers Python keeps from release to release."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def one(self, of: Sequence[str]) -> str:
        return of[int(self._random() * len(of))]

    def some(self, of: Sequence[T], most: int | None = None) -> list[T]:
        """In a random order, each at most once."""
        return sorted(of, key=lambda _: self._random())[:most]

    def respelt(self, text: str) -> str:
        """The text with a slip of the pen, another way to write it, or a word that changes what it says."""
        at = int(self._random() * (len(text) - 1))
        return self.one(
            [
                text[:at] + text[at + 1 :], text[:at] + text[at + 1] + text[at] + text[at + 2 :], text[: at + 1] + text[at:], text.upper(),
                text.replace("-", " ").replace("'s", ""), " ".join(reversed(text.replace(",", "").split())), f"{text}, unspecified",
                f"left {text}", f"right {text}", f"no {text}", f"history of {text}", f"acute {text}", f"chronic {text}",
                text.replace("e", "ae", 1), f"  {text}. ", f"{text}s",
            ]
        )  # fmt: skip


def blocks() -> list[list[Pair]]:
    """`BLOCKS` times `ROWS` pairs."""
    lines = [line for line in _WORDS.read_text("utf-8").splitlines() if not line.startswith("#")]
    groups = [[text.strip() for text in line.split("|")] for line in lines]
    return [_block(number, groups[number::BLOCKS]) for number in range(BLOCKS)]


def _block(number: int, groups: list[list[str]]) -> list[Pair]:
    draws = _Draws(number)
    groups = groups + [draws.some(_names(code), _NAMES) for code in draws.some(_categories(), _CATEGORIES)]
    texts = [text for group in groups for text in group]
    near = [pair for group in groups for pair in combinations(group, 2)]
    respelt = [(text, draws.respelt(text)) for text in draws.some(texts, _RESPELT)]
    pairs = [pair if len(pair[0]) % 2 else pair[::-1] for pair in near + respelt]
    pairs += [(draws.one(texts), draws.one(texts)) for _ in range(ROWS - len(pairs))]
    return draws.some(pairs, ROWS)


@cache
def _categories() -> list[str]:
    return [code for code in simple_icd_10_cm.get_all_codes() if len(code) == 3 and code[0] < "U"]


def _names(category: str) -> list[str]:
    """The titles of a category and of its codes, and their inclusion terms, each once."""
    codes = [category, *simple_icd_10_cm.get_descendants(category)]
    names = (name for code in codes for name in (simple_icd_10_cm.get_description(code), *simple_icd_10_cm.get_inclusion_term(code)))  # fmt: skip
    return list(dict.fromkeys(name for name in names if len(name) <= 70)) or [category]
