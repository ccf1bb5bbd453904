"""Modifiers: words that say how a disease is (its side, severity, response, course, stage, the patient's age, its signs) or what it came from, not which it is.

They stand in a table, `modifiers_<language>.csv`; "#" is a number ("stage 3b"), "*" all that follows ("due to *"). Some are often a part of a disease's own name
(`of_a_name`: "acute", of leukemia), so that without them another disease may be left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from .vocabulary import rows_in

SIDE = "side"
_NUMBER = r"\d{1,2}[a-d]?"


class Rest(NamedTuple):
    """What a name says without some of its modifiers.

    name : what is left, normalised. modifiers : the words that are not. needed : those that a name has which says the same, for all
    that it is another: the modifiers ("recurrent"), or the last word before a cause ("alcoholic cirrhosis", of cirrhosis due to alcohol).
    causes : what the disease came from. only_sides : these say nothing but where. sure : none of these is ever a part of a disease's own name.
    """

    name: str
    modifiers: frozenset[str]
    needed: frozenset[str]
    causes: list[str]
    only_sides: bool
    sure: bool


@lru_cache
def _table(language: str) -> tuple[re.Pattern[str], list[dict[str, str]]]:
    """The rows, and what finds them, a group for each."""
    rows = sorted(rows_in("modifiers", language), key=lambda row: -len(row["words"]))
    each = "|".join(f"({row['words']})" for row in rows).replace("#", _NUMBER).replace("*", ".+")
    return re.compile(rf"\b(?:{each})\b"), rows


def is_modifier(name: str, language: str = "en") -> bool:
    """Whether a normalised name is a modifier alone: "left", of "hernia, left"."""
    pattern, rows = _table(language)
    return bool(rows) and pattern.fullmatch(name) is not None


def rests_of(name: str, language: str = "en") -> Iterator[Rest]:
    """A normalised name without each of its modifiers, without all that are surely none of its own words, and without all.

    >>> [rest.name for rest in rests_of("left chronic gout with fever")]
    ['chronic gout with fever', 'left gout with fever', 'left chronic gout', 'chronic gout', 'gout']
    """
    pattern, rows = _table(language)
    found = [(one, rows[(one.lastindex or 0) - 1]) for one in pattern.finditer(name)] if rows else []
    sure = [one for one in found if not one[1]["of_a_name"]]
    for some in (*([each] for each in found), sure, found):
        left = name
        for one, _ in reversed(some):
            left = left[: one.start()] + left[one.end() :]
        if some and (words := left.split()):
            modifiers = frozenset(name.split()).difference(words)
            only_sides = {row["kind"] for _, row in some} == {SIDE}
            causes = [one[0].removeprefix(row["words"][:-1]) for one, row in some if row["words"].endswith("*")]
            needed = frozenset(words[-1:]) if causes else modifiers
            yield Rest(" ".join(words), modifiers, needed, causes, only_sides, all(one in sure for one in some))
