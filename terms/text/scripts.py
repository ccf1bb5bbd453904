"""Which script a text is in, and words that mix two: a Cyrillic "а" among Latin letters looks right and is another letter."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[^\W\d_]+")


_LATIN_LOOK = str.maketrans("аеорсухіјѕвкмнт", "aeopcyxijsbkmht")
"""Small Cyrillic letters, and those whose capitals look so."""


def latin_look(word: str) -> str:
    """A word in small letters with each Cyrillic one as the Latin one that it, or its capital, looks like."""
    return word.translate(_LATIN_LOOK)


def script_of(letter: str) -> str:
    """ "LATIN", "CYRILLIC", "GREEK", "CJK", …: the first word of the letter's name in Unicode."""
    return unicodedata.name(letter, "UNNAMED").split(" ", 1)[0].removesuffix("-")


def share_in(text: str, *scripts: str) -> float:
    """The share, in [0, 1], of the letters of a text that are in one of the scripts; 1 where it has no letter."""
    if text.isascii():
        return float("LATIN" in scripts or not any(map(str.isalpha, text)))
    letters = [character for character in unicodedata.normalize("NFKC", text) if character.isalpha()]
    return sum(script_of(letter) in scripts for letter in letters) / len(letters) if letters else 1.0


def mixed_scripts(text: str) -> list[str]:
    """The words that mix Latin and Cyrillic letters, as written. Greek letters among Latin ones are usual: "TNFα".

    >>> mixed_scripts("\\u0430sthma, TNF\\u03b1")
    ['аsthma']
    """
    if text.isascii():
        return []
    return [word for word in _WORD.findall(text) if {"LATIN", "CYRILLIC"} <= set(map(script_of, word))]
