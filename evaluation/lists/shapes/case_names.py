"""Names of cases that two files write differently: 7, 007 and 7.0."""

from __future__ import annotations

import re
from collections.abc import Collection

from ....errors import quoted

_NUMBER = re.compile(r"0*(\d+)(?:\.0+)?")


def number_in(name: str) -> str:
    """What a name is without the zeros of a spreadsheet.

    >>> number_in("007"), number_in("7.0"), number_in("P07")
    ('7', '7', 'P07')
    """
    found = _NUMBER.fullmatch(name.strip())
    return found[1] if found else name.strip()


def other_spellings(names: Collection[str], known: Collection[str]) -> dict[str, str]:
    """Of the names that are not known, those that are another spelling of one that is, by number; {} unless that is
    one to one: no number stands twice among the names, nor among those known.
    """
    by_number = {number_in(name): name for name in known}
    numbers = {number_in(name) for name in names}
    if len(by_number) < len(set(known)) or len(numbers) < len(set(names)):
        return {}
    held = set(known)
    return {name: by_number[number_in(name)] for name in names if name not in held and number_in(name) in by_number}


def told_spellings(found: dict[str, str], source: str) -> str:
    """The sentence that says so. found : a name in `source` -> the name that it is another spelling of."""
    name, other = next(iter(found.items()))
    many = "1 case is" if len(found) == 1 else f"{len(found):,} cases are"
    return f"{many} written differently in {source}, and matched by number: {quoted(name)} is {quoted(other)}."
