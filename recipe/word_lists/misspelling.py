"""Words with the errors that people make at a keyboard, or by ear."""

from __future__ import annotations

import re
from random import Random

_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_BY_EAR = (
    ("ph", "f"), ("f", "ph"), ("y", "i"), ("i", "y"), ("ae", "e"), ("oe", "e"), ("x", "cks"), ("x", "ks"), ("c", "k"), ("k", "c"),
    ("c", "s"), ("s", "c"), ("rrh", "rh"), ("rrh", "rr"), ("rh", "r"), ("th", "t"), ("ch", "k"), ("ps", "s"), ("pn", "n"),
    ("eu", "u"), ("ou", "u"), ("ei", "ie"), ("ie", "ei"), ("ea", "ee"), ("ea", "e"), ("tion", "sion"), ("ous", "us"), ("er", "or"),
    ("or", "er"), ("al", "el"), ("ent", "ant"), ("ant", "ent"), ("ence", "ance"), ("e", "a"), ("a", "e"), ("o", "a"), ("z", "s"),
    ("qu", "k"), ("sc", "s"), ("gu", "g"), ("mn", "n"), ("ll", "l"), ("ss", "s"), ("mm", "m"), ("nn", "n"), ("rr", "r"), ("pp", "p"),
    ("tt", "t"), ("cc", "c"), ("l", "ll"), ("m", "mm"), ("n", "nn"), ("r", "rr"), ("s", "ss"), ("t", "tt"), ("p", "pp"),
)  # fmt: skip
_MEANING = re.compile(
    r"(hyper|hypo|intra|inter|infra|supra|super|sub|pre|peri|para|poly|oligo|macro|micro|endo|ecto|exo|eso|ante|anti|post|tri|tetra"
    r"|hemi|uni|bi|di|mono|non|un|a|e|im|in|dys|dis|brachy|brady|tachy|leuko|leuco|osteo|chondro|lipo|fibro|myo|myelo|adeno|angio)"
)
"""What a word means by its beginning; an error there could make another word of it."""


def neighbours(key: str) -> str:
    """The keys beside a key on a QWERTY keyboard.

    >>> neighbours("g")
    'fhtyvb'
    """
    for at, row in enumerate(_KEYS):
        place = row.find(key)
        if place >= 0:
            above = _KEYS[at - 1][place : place + 2] if at else ""
            below = _KEYS[at + 1][max(place - 1, 0) : place + 1] if at < 2 else ""
            return row[max(place - 1, 0) : place] + row[place + 1 : place + 2] + above + below
    return ""


def misspelt(word: str, random: Random) -> str | None:
    """`word` with one error, never in the part at its beginning that carries its meaning, nor in its first letter."""
    found = _MEANING.match(word.lower())
    first = max(1, found.end() if found else 0)
    if len(word) - first < 4:
        return None
    at = random.randrange(first, len(word))
    kind = random.choice(("missing", "doubled", "swapped", "neighbour", "by ear", "by ear", "by ear"))
    if kind == "missing":
        return word[:at] + word[at + 1 :]
    if kind == "doubled":
        return word[:at] + word[at] + word[at:]
    if kind == "swapped":
        at = min(at, len(word) - 2)
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if kind == "neighbour":
        keys = neighbours(word[at])
        return word[:at] + random.choice(keys) + word[at + 1 :] if keys else None
    fitting = [(old, new) for old, new in _BY_EAR if old in word[first:]]
    if not fitting:
        return None
    old, new = random.choice(fitting)
    at = word.index(old, first)
    return word[:at] + new + word[at + len(old) :]
