"""Names of cases that two files write differently: 7, 007 and 7.0; P2, p2 and "P 02"."""

from __future__ import annotations

import re
from collections.abc import Collection

from ...errors import quoted

_PART = re.compile(r"[^\W\d_]+|\d+(?:\.0+(?!\d))?")


def parts_of(name: str) -> tuple[str, ...]:
    """The words and numbers of a name, without capitals, marks, and the zeros of a spreadsheet.

    >>> parts_of("007"), parts_of("7.0"), parts_of("P-07"), parts_of("1-1")
    (('7',), ('7',), ('p', '7'), ('1', '1'))
    """
    found = [
        part.partition(".")[0].lstrip("0") or "0" if part[0].isdigit() else part
        for part in _PART.findall(name.casefold())
    ]
    return tuple(found) or (name.strip(),)


def other_spellings(names: Collection[str], known: Collection[str]) -> dict[str, str]:
    """Of the names that are not known, those that are another spelling of one that is, by their parts; {} unless that is
    one to one: no two of the names are spellings of one, nor two of those known.
    """
    by_parts = {parts_of(name): name for name in known}
    if len(by_parts) < len(set(known)) or len({*map(parts_of, names)}) < len(set(names)):
        return {}
    held = set(known)
    return {name: by_parts[parts] for name in names if name not in held and (parts := parts_of(name)) in by_parts}


def told_spellings(found: dict[str, str], source: str) -> str:
    """The sentence that says so. found : a name in `source` -> the name that it is another spelling of."""
    name, other = next(iter(found.items()))
    many = "1 case is" if len(found) == 1 else f"{len(found):,} cases are"
    return f"{many} written differently in {source}, by capitals, marks or zeros alone, and taken for the same: {quoted(name)} is {quoted(other)}."
