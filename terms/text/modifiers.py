"""Modifiers: words that say how a disease is (its side, severity, response, course, stage, the patient's age, its signs), not which it is.

They stand in a table, `modifiers_<language>.csv`; "#" is a number ("stage 3b"). Some are often a part of a disease's own name
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

    name : what is left, normalised. modifiers : the words that are not. only_sides : these say nothing but where. sure : none of
    these is ever a part of a disease's own name.
    """

    name: str
    modifiers: frozenset[str]
    only_sides: bool
    sure: bool


@lru_cache
def _table(language: str) -> tuple[re.Pattern[str], dict[str, dict[str, str]]]:
    rows = {row["words"]: row for row in rows_in("modifiers", language)}
    longest = "|".join(sorted(rows, key=lambda words: -len(words))).replace("#", _NUMBER)
    return re.compile(rf"\b(?:{longest})\b"), rows


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
    found = [(one.span(), rows[re.sub(_NUMBER, "#", one[0])]) for one in pattern.finditer(name)] if rows else []
    sure = [one for one in found if not one[1]["of_a_name"]]
    for some in (*([each] for each in found), sure, found):
        words, here = [], 0
        for (start, end), _ in some:
            words, here = [*words, *name[here:start].split()], end
        words += name[here:].split()
        if some and words:
            kinds = {row["kind"] for _, row in some}
            yield Rest(
                " ".join(words),
                frozenset(name.split()).difference(words),
                kinds == {SIDE},
                all(one in sure for one in some),
            )
