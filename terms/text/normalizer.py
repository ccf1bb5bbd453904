"""The normaliser: what every feature sees instead of the raw diagnosis.

The steps, in order: invisible characters out, Unicode NFKC, accents off Latin letters, dots out of "M.I.", a short form beside its long form off, signs to words,
possessives, punctuation to blanks;
then word by word case folding and American spelling; then over the words numerals ("type II", "grade three"), compounds
("pre-eclampsia", "nonalcoholic"), words that say nothing, abbreviations, and hedges at the front ("possible", "r/o").
A change of any step or of a built-in table raises `VERSION`, which is stored with each model; a model of another version is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ...errors import InputError, ModelError, OptionError
from ...files.limits import MAX_CHARACTERS
from .assertion import Assertion, assertion_of
from .vocabulary import rows_in, words_in
from .word_rules import NEGATED, SPECIAL, ruled, without_hedges

VERSION = "3"
LANGUAGES = ("en", "ru")

_SIGNS = str.maketrans(
    {
        "α": " alpha ", "β": " beta ", "γ": " gamma ", "δ": " delta ", "ε": " epsilon ", "κ": " kappa ",
        "λ": " lambda ", "μ": " mu ", "&": " and ", "’": "'", "‘": "'", "`": "'", "´": "'", "′": "'", "_": " ",
        "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "↑": " high ", "↓": " low ",
        "<": " less than ", ">": " more than ", "≤": " at most ", "≥": " at least ",
    }
)  # fmt: skip
_INVISIBLE = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
"""Soft hyphens, zero-width characters and marks of direction, which come with text that was copied from pages."""
_ANY_SIGN = re.compile(r"[&`<>_'+]|-(?!\w)|[wW]/")
_WITH = re.compile(r"(?<![^\W_])[wW]/(?:[oO](?![^\W_])|(?=\s?\w))")
_LATIN_MARKS = re.compile(r"(?<=[A-Za-z])[\u0300-\u036f]+")
_POSSESSIVE = re.compile(r"(?<=\w)'[sS](?!\w)|(?<=[sS])'(?!\w)")
# "HER2+", "HIV-": the sign is half of the name. A hyphen after a lower-case word ("pre- and …") is no sign.
_POSITIVE = re.compile(r"(?<=\w)\+(?![\w+])")
_MINUS = re.compile(r"[(\[]\s*[-−–]\s*[)\]]")
"""As in "PE (-)", which a clinician writes for no PE."""
_NO = re.compile(r"[Ø∅](?=\s+[^\W\d])")
"""As in "Ø PE"; before a number it is a diameter."""
_NEGATIVE = re.compile(r"(?<![^\W_])((?:[A-Z]+[a-z]?|[A-Za-z]+)\d+|[A-Z]{2,}|Rh)-(?=[\s,;/)]|$)")
_ENUMERATION = re.compile(r"(?:(?<!\s)\s++)?\d{1,2}[.)]\s+(?=[^\W\d])")
_DOTTED = re.compile(r"(?<![^\W_])[^\W\d_](?:\.[^\W\d_])+(?![^\W_])")
_WORD = re.compile(r"[^\W_]+")
_EXACT = "\0"
"""Put before a word in upper case that is an abbreviation only so: no word holds it."""
_MAX_ROUNDS = 6
_BRACKETS = re.compile(r"(?:(?<!\s)\s++)?[(\[]([^()\[\]]{2,80})[)\]]")
_SHORT = re.compile(r"[A-Za-z][A-Za-z0-9]{1,9}")
_LETTERS = re.compile(r"[A-Za-z0-9]+")
_LAST_SHORT = re.compile(r"(?<![^\s,;])([A-Za-z][A-Za-z0-9]{1,9})$")
_MAX_LONG_FORM = 200
"""How far back, in characters, a long form can begin."""
_SMALL = words_in("of and the in with to by a for on or from due")
_EACH_STEM = tuple((re.compile(row["british"]), row["american"]) for row in rows_in("spellings", "en"))
"""British to American spelling. Each pattern must be safe inside any word: it is tried on all of them."""
_ANY_STEM = re.compile("|".join(f"(?:{pattern.pattern})" for pattern, _ in _EACH_STEM))

EPONYMS = words_in(
    "addison alzheimer barrett bartholin behcet bell broca crohn cushing down dupuytren fournier hansen hashimoto "
    "hirschsprung hodgkin huntington kaposi kawasaki lyme marfan meckel meniere morton paget parkinson peyronie pott "
    "raynaud reiter reye sheehan sjogren still takayasu tourette turner wegener wernicke whipple wilson zenker"
)
"""Names of people, of which an s is the possessive without its apostrophe."""
_SPELLED = {f"{name}s": name for name in EPONYMS} | {
    "grave": "graves", "gullain": "guillain", "legionnaire": "legionnaires", "schoenlein": "schonlein",
    "sjoegren": "sjogren", "disk": "disc", "disks": "discs", "1st": "first", "2nd": "second", "3rd": "third",
    "4th": "fourth", "5th": "fifth",
}  # fmt: skip


def _read_abbreviations(path: str | os.PathLike[str]) -> dict[str, str]:
    """A user's abbreviation table: the columns `abbreviation` and `expansion`, each abbreviation once."""
    from ...files.tables import read_table

    table, names = read_table(path), ("abbreviation", "expansion")
    for name in names:
        table.require(name)
    out: dict[str, str] = {}
    columns = (table.required_text(name).to_pylist() for name in names)
    for row, (short, long) in enumerate(zip(*columns, strict=True)):
        if out.setdefault(short, long) != long:
            raise table.error("the abbreviation stands twice", row, names[0], allowed="one expansion each", got=short)
    return out


class Normalizer:
    """Raw diagnosis -> the form that all features share.

    Parameters
    ----------
    language : "en" or "ru"; chooses the abbreviation table and the word rules.
    abbreviations : the user's own, `{"NASH": "nonalcoholic steatohepatitis"}`, or a table of them; they go before the built-in table,
        match in any case, and are stored with the model. What is abbreviated may be any word or several, so corrections are among them.

    Two equal results mean "identical but for spelling", so M calls them a match without asking the model.
    What comes out goes in unchanged: `n(n(x)) == n(x)`.

    >>> Normalizer()("Crohn’s  Disease, unspecified")
    'crohn disease'
    >>> Normalizer()("DM type II")
    'diabetes mellitus type 2'
    """

    def __init__(
        self,
        language: str = "en",
        abbreviations: Mapping[str, str] | str | os.PathLike[str] | None = None,
    ) -> None:
        if language not in LANGUAGES:
            raise OptionError("language", f"one of {', '.join(LANGUAGES)}", language)
        self.language = language
        if isinstance(abbreviations, str | os.PathLike):
            abbreviations = _read_abbreviations(abbreviations)
        self.abbreviations = dict(abbreviations or {})
        self._fold = american if language == "en" else _fold_ru
        self._table: dict[str, tuple[str, ...]] = {}
        self._longest_from: dict[str, int] = {}
        for row in rows_in("abbreviations", language):
            self._enter(
                row["abbreviation"], row["expansion"], exact=row["case"] == "exact"
            )  # "exact" asks for upper case
        for short, long in self.abbreviations.items():
            self._enter(short, long, exact=False)
        self._exact = frozenset(key[1:] for key in self._table if key.startswith(_EXACT))
        self._special = SPECIAL[language] | self._longest_from.keys() | self._exact

    def _enter(self, short: str, long: str, exact: bool) -> None:
        key, expansion = ([self._fold(word) for word in _raw_words(text)] for text in (short, long))
        if not key or not expansion:
            raise OptionError("abbreviations", "non-empty abbreviation -> non-empty expansion", {short: long})
        joined = " ".join(key)
        self._table.pop(joined, None)
        if not exact:
            self._table.pop(_EXACT + joined, None)
        # an abbreviation inside the user's expansion ("acute MI") is expanded here, once
        entry = tuple(self._expand(ruled(expansion, self.language)))
        if exact:
            joined = key[0] = _EXACT + joined
        self._table[joined] = entry
        self._longest_from[key[0]] = max(len(key), self._longest_from.get(key[0], 0))

    def __call__(self, text: str) -> str:
        """The normalised form of `text`; "" when it holds no letter and no digit."""
        raw = _raw_words(text)
        words = [self._fold(word) for word in raw]
        out = " ".join(words)
        if not self._special.isdisjoint(words) or NEGATED in out:
            if not self._exact.isdisjoint(words) and not (
                text.isupper() and len(raw) > 1
            ):  # "PAIN IN ALL LIMBS": upper case says nothing
                words = [_EXACT + w if w in self._exact and r.isupper() else w for w, r in zip(words, raw, strict=True)]
            out = " ".join(self._over_words(words))
        for _ in range(0 if out.isascii() else _MAX_ROUNDS):
            # case folding can leave what NFKC would change
            before = out
            out = " ".join(self._over_words([self._fold(word) for word in _raw_words(out)]))
            if out == before:
                break
        return out

    def _over_words(self, words: list[str]) -> list[str]:
        """The rules over words, again and again until nothing changes: an expansion can meet a word that it joins."""
        for _ in range(_MAX_ROUNDS):
            before = words
            words = without_hedges(self._expand(ruled(words, self.language)), self.language)
            if words == before:
                break
        return words

    def _expand(self, words: list[str]) -> list[str]:
        """`words` with each abbreviation, the longest first, replaced by what it stands for."""
        if self._longest_from.keys().isdisjoint(words):
            return words
        out: list[str] = []
        here = 0
        while here < len(words):
            for length in range(min(self._longest_from.get(words[here], 0), len(words) - here), 0, -1):
                key = " ".join(words[here : here + length])
                expansion = self._table.get(key)
                if expansion is None:
                    continue
                after = here + length
                if _contains(words, expansion) and _contains(expansion, words[here:after]):
                    out.extend(words[here:after])  # {"covid": "covid 19"} on "covid 19"
                elif _contains(out, expansion) or _contains(words[after:], expansion):
                    pass  # "myocardial infarction (MI)": the long form already stands there
                elif after < len(words) and len(expansion) > 1 and expansion[-1] == words[after]:
                    out.extend(expansion[:-1])  # "PCOS syndrome"
                else:
                    out.extend(expansion)
                here = after
                break
            else:
                out.append(words[here].removeprefix(_EXACT))
                here += 1
        return out

    def assertion(self, name: str) -> Assertion:
        """What a normalised name says, and of which diagnosis."""
        return assertion_of(name, self.language)

    def spec(self) -> dict[str, Any]:
        """What a model stores so that `from_spec` gives the same normaliser again."""
        return {"version": VERSION, "language": self.language, "abbreviations": self.abbreviations}

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any]) -> Normalizer:
        """Raises `ModelError` for another version than this release has."""
        if (version := spec.get("version")) != VERSION:
            problem = f"the model's names are normalised by version {version}, and this release has version {VERSION}"
            raise ModelError(f"{problem}. Train it again, or load it with the release that made it.")
        return cls(spec["language"], spec["abbreviations"])

    @property
    def identity(self) -> str:
        """Twelve hexadecimal digits that differ where the normalised text could."""
        table = json.dumps([self.spec(), sorted(self._table.items())], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(table.encode()).hexdigest()[:12]


def _raw_words(text: str) -> list[str]:
    """The words of `text` as written, but for signs, accents and possessives."""
    if not (plain := text.isascii()):
        text = _NO.sub("no", text)
        text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
        text = unicodedata.normalize("NFC", _LATIN_MARKS.sub("", unicodedata.normalize("NFD", text)))
    if ("." in text or ")" in text) and (number := _ENUMERATION.match(text)):
        text = text[number.end() :]
    text = _DOTTED.sub(lambda found: found[0].replace(".", ""), text)  # "C.O.P.D."
    if "(" in text or "[" in text:
        text = without_short_forms(_MINUS.sub(" negative ", text))
    if not plain or _ANY_SIGN.search(text):
        text = _WITH.sub(
            lambda found: "without " if len(found[0]) == 3 else "with ",
            _NEGATIVE.sub(r"\1 negative", _POSITIVE.sub(" positive", text)),
        )
        text = _POSSESSIVE.sub("", text.translate(_SIGNS))
    return _WORD.findall(text)


@lru_cache(maxsize=1 << 16)
def american(word: str) -> str:
    """`word` case folded and in American spelling.

    >>> american("oesophageal"), american("ischaemia"), american("crohns")
    ('esophageal', 'ischemia', 'crohn')
    """
    word = "".join(filter(str.isalnum, word.casefold()))  # of some letters, "ῢ", it makes one and marks
    if (known := _SPELLED.get(word)) is not None:
        return known
    while _ANY_STEM.search(word):
        before = word
        for pattern, replacement in _EACH_STEM:
            word = pattern.sub(replacement, word)
        if word == before:
            break
    return word


@lru_cache(maxsize=1 << 16)
def _fold_ru(word: str) -> str:
    return "".join(filter(str.isalnum, word.casefold())).replace("ё", "е")


def _contains(words: Sequence[str], sequence: Sequence[str]) -> bool:
    return f" {' '.join(sequence)} " in f" {' '.join(words)} "


def normalize_checked(normalizer: Normalizer, texts: Iterable[str]) -> list[str]:
    """The normalised forms of `texts`, each checked to be a name.

    Raises
    ------
    InputError
        Where a text holds no letter and no digit, or more than 10,000 characters.
    """
    out = []
    for text in texts:
        if len(text) > MAX_CHARACTERS:
            allowed = f"at most {MAX_CHARACTERS:,} characters"
            raise InputError(f"a diagnosis of {len(text):,} characters", allowed=allowed, got=text[:40] + "…")
        name = normalizer(text)
        if not name:
            raise InputError("a diagnosis without a letter or digit", allowed="a name in words", got=text)
        out.append(name)
    return out


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
            # a word's first letter at its start, the others anywhere behind it
            while taken < len(short) and (
                position := word.find(short[taken], position, 1 if taken == length else None) + 1
            ):
                taken += 1
                after.add((taken, min(givers + 1, 2)))
        reached = after
    return (len(short), 2) in reached
