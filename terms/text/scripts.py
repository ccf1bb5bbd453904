"""Which script a text is in, and words that mix several: a Cyrillic "а" in "аsthma" looks right and matches nothing."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[^\W\d_]{2,}")
_ALIKE = frozenset(("LATIN", "GREEK", "CYRILLIC"))
"""The scripts whose letters look alike; others do not pass for one another."""


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
    """The words of `text` that mix Latin, Greek or Cyrillic letters, in their order.

    A Greek letter that is a word of its own makes none ("β-thalassemia"), nor does one beside an abbreviation or a unit
    ("TNFα", "μg").

    >>> mixed_scripts("\\N{CYRILLIC SMALL LETTER A}sthma, β thalassemia")
    ['аsthma']
    """
    if text.isascii():
        return []
    # NFKC: a ligature or a full-width letter is a Latin letter.
    words = _WORD.findall(unicodedata.normalize("NFKC", text))
    return [word for word in words if not word.isascii() and len(_scripts(_without_symbol(word))) > 1]


def _scripts(word: str) -> set[str]:
    return set(map(script_of, word)) & _ALIKE


def _without_symbol(word: str) -> str:
    """`word` less the Greek letter at one end, if the rest is an abbreviation or a unit."""
    for symbol, rest in ((word[0], word[1:]), (word[-1], word[:-1])):
        if rest.isascii() and (len(rest) < 3 or rest[1:] != rest[1:].lower()) and _scripts(symbol) == {"GREEK"}:
            return rest
    return word
