"""A short form beside its long form says nothing new: "polycystic ovarian syndrome (PCOS)"."""

from __future__ import annotations

import re

_BRACKETS = re.compile(r"(?:(?<!\s)\s++)?[(\[]([^()\[\]]{2,80})[)\]]")
_SHORT = re.compile(r"[A-Za-z][A-Za-z0-9]{1,9}")
_LETTERS = re.compile(r"[A-Za-z0-9]+")
_LAST_SHORT = re.compile(r"(?<![^\s,;])([A-Za-z][A-Za-z0-9]{1,9})$")
_MAX_LONG_FORM = 200
"""How far back, in characters, a long form can begin."""
_SMALL = frozenset(("of", "and", "the", "in", "with", "to", "by", "a", "for", "on", "or", "from", "due"))


def without_short_forms(text: str) -> str:
    """`text` less each short form that stands in brackets behind its long form, or before it.

    Only where each word of the long form gives at least its first letter, so "heart attack (MI)" stays whole.

    >>> without_short_forms("polycystic ovarian syndrome (PCOS), COPD (chronic obstructive pulmonary disease)")
    'polycystic ovarian syndrome, chronic obstructive pulmonary disease'
    """
    out, here = "", 0
    for found in _BRACKETS.finditer(text):
        out += text[here : found.start()]
        here = found.end()
        inside = found[1].strip()
        words = _LETTERS.findall(inside.lower())
        if _SHORT.fullmatch(inside) and _ends_spelled(inside.lower(), _LETTERS.findall(out[-_MAX_LONG_FORM:].lower())):
            continue
        short = _LAST_SHORT.search(out, max(0, len(out) - _MAX_LONG_FORM)) if len(words) > 1 else None
        if short and _spells(short[1].lower(), words):
            out = f"{out[: short.start()]}{inside}"
        else:
            out += found[0]
    return out + text[here:]


def _ends_spelled(short: str, words: list[str]) -> bool:
    """Whether the last two or more of `words` spell `short` (its plural s aside)."""
    words = words[-2 * len(short) :]
    forms = {short, short.removesuffix("s")} if len(short) > 3 else {short}
    return any(_spells(form, words[start:]) for form in forms for start in range(len(words) - 1))


def _spells(short: str, words: list[str]) -> bool:
    """Whether `short` is made of the first letters of `words`, in order, each followed by any letters of the same word.

    Small words may be passed over, but not the first. At least two words must give a letter.
    """
    # reached[i]: the words so far can spell short[:i]; the number of words that gave letters is at least 2 at the end
    if words[0][0] != short[0] or words[0] in _SMALL:
        return False
    reached = {(0, 0)}
    for word in words:
        after = set(reached) if word in _SMALL else set()
        for length, givers in reached:
            taken, position = length, 0
            while taken < len(short) and (position := _next(word, short[taken], position, taken == length)) > 0:
                taken += 1
                after.add((taken, min(givers + 1, 2)))
        reached = after
    return (len(short), 2) in reached


def _next(word: str, letter: str, position: int, first: bool) -> int:
    """The place behind `letter` in `word` from `position` on (`first`: only at the start); 0 when it is not there."""
    if first:
        return 1 if word[0] == letter else 0
    return word.find(letter, position) + 1
