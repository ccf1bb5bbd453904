"""An answer that gives one name of a list, in JSON: which names it says, and where they stand in the list."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

KEY = "icd_name"
_THOUGHTS = re.compile(r"(?:\s*<think>.*?</think>)+", re.DOTALL)
_OBJECT = re.compile(r"\{[^{}]*\}")
_WORDS = re.compile(r"[^\W_]+")
_NUMBERED = re.compile(r"\s*([0-9]{1,3})\s*[.):]\s*")


def said_names(text: str) -> list[str]:
    """What the JSON objects of an answer say under `KEY`, each once; [] where there is none.

    >>> said_names('```json\\n{"icd_name": "Angina"}\\n```')
    ['Angina']
    """
    found: dict[str, None] = {}
    for written in _OBJECT.findall(_THOUGHTS.sub("", text)):
        try:
            name = json.loads(written).get(KEY)
        except ValueError:
            continue
        if isinstance(name, str) or (isinstance(name, int) and not isinstance(name, bool)):
            found[str(name).strip()] = None
    return list(found)


def place_among(names: Sequence[str], said: str) -> int | None:
    """The place of a name in a list, from 1: as it stands there, else by its words, else by the number that it is given with.

    >>> place_among(["Angina", "Angina pectoris, unspecified"], "2. angina pectoris unspecified")
    2
    """
    if said in names:
        return names.index(said) + 1
    number = _NUMBERED.match(said)
    for written in (said, said[number.end() :]) if number else (said,):
        words = _WORDS.findall(written.casefold())
        for place, name in enumerate(names, start=1):
            if words and _WORDS.findall(name.casefold()) == words:
                return place
    return int(said) if said.isdecimal() and 1 <= int(said) <= len(names) else None
