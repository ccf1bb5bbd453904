"""The Snowball stem of an English word: Porter's second algorithm, as NLTK 3.10 has it.

Porter 2002, "The English (Porter2) stemming algorithm", snowballstem.org. NLTK keeps the regions R1 and R2 as texts of their
own beside the word, and a few of its endings leave them other than the algorithm would; that is kept, since a stem is a
feature of the models that were trained with it. Importing NLTK for this one function takes seconds.
"""

from __future__ import annotations

from typing import NamedTuple

_VOWELS = frozenset("aeiouy")
_DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_BEFORE_LI = frozenset("cdeghkmnrt")
_EARLY_REGIONS = {"gener": 5, "arsen": 5, "commun": 6}
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201b": "'"})
# Each ending with what takes its place; "" where a further condition decides. The longest that a word has is tried alone.
_STEP_2 = {
    "ization": "ize", "ational": "ate", "fulness": "ful", "ousness": "ous", "iveness": "ive", "tional": "tion",
    "biliti": "ble", "lessli": "less", "entli": "ent", "ation": "ate", "alism": "al", "aliti": "al", "ousli": "ous",
    "iviti": "ive", "fulli": "ful", "enci": "ence", "anci": "ance", "abli": "able", "izer": "ize", "ator": "ate",
    "alli": "al", "bli": "ble", "ogi": "", "li": "",
}  # fmt: skip
_STEP_2_LEAVES_E = frozenset(("ational", "ation", "ator", "iveness", "iviti"))
"""Where R2 is shorter than these, NLTK makes it "e"."""
_STEP_2_CUTS = {"tional": 2, "entli": 2, "fulness": 4, "fulli": 2, "lessli": 2}
_STEP_3 = {
    "ational": "ate", "tional": "tion", "alize": "al", "icate": "ic", "iciti": "ic", "ative": "", "ical": "ic",
    "ness": "", "ful": "",
}  # fmt: skip
_STEP_3_CUTS = {"tional": 2, "alize": 3, "ness": 4, "ful": 3}
_STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion", "al",
    "er", "ic",
)  # fmt: skip
_SPECIAL = {
    "skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "idly": "idl", "gently": "gentl",
    "ugly": "ugli", "early": "earli", "only": "onli", "singly": "singl", "sky": "sky", "news": "news", "howe": "howe",
    "atlas": "atlas", "cosmos": "cosmos", "bias": "bias", "andes": "andes", "inning": "inning", "innings": "inning",
    "outing": "outing", "outings": "outing", "canning": "canning", "cannings": "canning", "herring": "herring",
    "herrings": "herring", "earring": "earring", "earrings": "earring", "proceed": "proceed", "proceeds": "proceed",
    "proceeded": "proceed", "proceeding": "proceed", "exceed": "exceed", "exceeds": "exceed", "exceeded": "exceed",
    "exceeding": "exceed", "succeed": "succeed", "succeeds": "succeed", "succeeded": "succeed", "succeeding": "succeed",
}  # fmt: skip


class _Regions(NamedTuple):
    word: str
    r1: str
    r2: str

    def cut(self, letters: int) -> _Regions:
        return _Regions(self.word[:-letters], self.r1[:-letters], self.r2[:-letters])

    def replaced(self, ending: str, by: str, short_r2: str = "") -> _Regions:
        n = len(ending)
        r1, r2 = (part[:-n] + by if len(part) >= n else short for part, short in ((self.r1, ""), (self.r2, short_r2)))
        return _Regions(self.word[:-n] + by, r1, r2)


def english_stem(word: str) -> str:
    """The stem of `word`, in lower case.

    >>> english_stem("failures"), english_stem("myocardial"), english_stem("bleeding")
    ('failur', 'myocardi', 'bleed')
    """
    word = word.lower()
    if len(word) <= 2:
        return word
    if (known := _SPECIAL.get(word)) is not None:
        return known
    word = _marked(word.translate(_APOSTROPHES).removeprefix("'"))
    at = _regions(word)
    for ending in ("'s'", "'s", "'"):
        if word.endswith(ending):
            at = at.cut(len(ending))
            break
    at = _step_1b(_step_1a(at))
    word = at.word
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
        at = at.replaced("y", "i")
    return _step_5(_step_4(_step_3(_step_2(at)))).replace("Y", "y")


def _marked(word: str) -> str:
    """`word` with each y that is a consonant as Y: at the start, and behind a vowel."""
    if "y" not in word:
        return word
    letters = list(word)
    for i, letter in enumerate(letters):
        if letter == "y" and (i == 0 or letters[i - 1] in _VOWELS):
            letters[i] = "Y"
    return "".join(letters)


def _regions(word: str) -> _Regions:
    early = next((length for start, length in _EARLY_REGIONS.items() if word.startswith(start)), None)
    r1 = _behind_vowel_and_consonant(word) if early is None else word[early:]
    return _Regions(word, r1, _behind_vowel_and_consonant(r1))


def _behind_vowel_and_consonant(word: str) -> str:
    for i in range(1, len(word)):
        if word[i] not in _VOWELS and word[i - 1] in _VOWELS:
            return word[i + 1 :]
    return ""


def _step_1a(at: _Regions) -> _Regions:
    word = at.word
    if word.endswith("sses"):
        return at.cut(2)
    if word.endswith(("ied", "ies")):
        return at.cut(2 if len(word) > 4 else 1)
    if word.endswith("s") and not word.endswith(("us", "ss")) and not _VOWELS.isdisjoint(word[:-2]):
        return at.cut(1)
    return at


def _step_1b(at: _Regions) -> _Regions:
    word = at.word
    ending = next((e for e in ("eedly", "ingly", "edly", "eed", "ing", "ed") if word.endswith(e)), "")
    if ending in ("eed", "eedly"):
        return at.replaced(ending, "ee") if at.r1.endswith(ending) else at
    if not ending or _VOWELS.isdisjoint(word[: -len(ending)]):
        return at
    at = at.cut(len(ending))
    word, r1, r2 = at
    if word.endswith(("at", "bl", "iz")):
        word, r1 = word + "e", r1 + "e"
        return _Regions(word, r1, r2 + "e" if len(word) > 5 or len(r1) >= 3 else r2)
    if word.endswith(_DOUBLES):
        return at.cut(1)
    if not r1 and _ends_short(word):
        return _Regions(word + "e", r1, r2 + "e" if r2 else r2)
    return at


def _ends_short(word: str) -> bool:
    if len(word) == 2:
        return word[0] in _VOWELS and word[1] not in _VOWELS
    return (
        len(word) >= 3
        and word[-1] not in _VOWELS
        and word[-1] not in "wxY"
        and word[-2] in _VOWELS
        and word[-3] not in _VOWELS
    )


def _step_2(at: _Regions) -> _Regions:
    word = at.word
    ending = next((e for e in _STEP_2 if word.endswith(e)), "")
    if not ending or not at.r1.endswith(ending):
        return at
    if ending == "ogi":
        return at.cut(1) if word[-4] == "l" else at
    if ending == "li":
        return at.cut(2) if word[-3] in _BEFORE_LI else at
    if ending in _STEP_2_CUTS:
        return at.cut(_STEP_2_CUTS[ending])
    if ending in ("enci", "anci", "abli"):
        return at.replaced("i", "e")
    return at.replaced(ending, _STEP_2[ending], "e" if ending in _STEP_2_LEAVES_E else "")


def _step_3(at: _Regions) -> _Regions:
    ending = next((e for e in _STEP_3 if at.word.endswith(e)), "")
    if not ending or not at.r1.endswith(ending):
        return at
    if ending == "ative":
        return at.cut(5) if at.r2.endswith(ending) else at
    if ending in _STEP_3_CUTS:
        return at.cut(_STEP_3_CUTS[ending])
    return at.replaced(ending, _STEP_3[ending])


def _step_4(at: _Regions) -> _Regions:
    word = at.word
    ending = next((e for e in _STEP_4 if word.endswith(e)), "")
    if not ending or not at.r2.endswith(ending) or (ending == "ion" and word[-4] not in "st"):
        return at
    return at.cut(len(ending))


def _step_5(at: _Regions) -> str:
    word, r1, r2 = at
    if r2.endswith("l") and word[-2] == "l":
        return word[:-1]
    if r2.endswith("e"):
        return word[:-1]
    if (
        r1.endswith("e")
        and len(word) >= 4
        and (word[-2] in _VOWELS or word[-2] in "wxY" or word[-3] not in _VOWELS or word[-4] in _VOWELS)
    ):
        return word[:-1]
    return word
