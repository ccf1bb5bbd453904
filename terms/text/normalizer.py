"""The normaliser: what every feature sees instead of the raw diagnosis.

The steps, in order: invisible characters out, Unicode NFKC, accents off Latin letters, a short form beside its long form off, signs to words,
possessives, punctuation to blanks;
then word by word case folding and American spelling; then over the words numerals ("type II", "grade three"), compounds
("pre-eclampsia", "nonalcoholic"), words that say nothing, abbreviations, and hedges at the front ("possible", "r/o").
A change of any step or of a built-in table raises `VERSION`, which is stored with each model; a model of an older version
keeps that version's steps and table.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from typing import Any

from ...errors import InputError, OptionError
from ...files.limits import MAX_CHARACTERS
from .assertion import Assertion, assertion_of
from .short_forms import without_short_forms
from .spelling import american
from .word_rules import NEGATED, RULES, Rules

VERSION = "2"
VERSIONS = ("1", VERSION)
"""Version 1 leaves invisible characters where they are (they part words) and lacks the abbreviations `since` version 2."""
LANGUAGES = ("en", "ru")

_SIGNS = str.maketrans(
    {
        "α": " alpha ", "β": " beta ", "γ": " gamma ", "δ": " delta ", "ε": " epsilon ", "κ": " kappa ",
        "λ": " lambda ", "μ": " mu ", "&": " and ", "’": "'", "‘": "'", "`": "'", "´": "'", "′": "'", "_": " ",
        "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "↑": " high ", "↓": " low ",
        "<": " less than ", ">": " more than ", "≤": " at most ", "≥": " at least ",
    }
)  # fmt: skip
# Soft hyphens, zero-width characters and marks of direction, which come with text that was copied from pages.
_INVISIBLE = dict.fromkeys(
    (
        0x00AD,
        0x061C,
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2065),
        *range(0x2066, 0x206A),
        0xFEFF,
    )
)
_ANY_SIGN = re.compile(r"[&`<>_'+]|-(?!\w)|[wW]/")
_WITH = re.compile(r"(?<![^\W_])[wW]/(?:[oO](?![^\W_])|(?=\s?\w))")
_LATIN_MARKS = re.compile(r"(?<=[A-Za-z])[\u0300-\u036f]+")
_POSSESSIVE = re.compile(r"(?<=\w)'[sS](?!\w)|(?<=[sS])'(?!\w)")
# "HER2+", "HIV-": the sign is half of the name. A hyphen after a lower-case word ("pre- and …") is no sign.
_POSITIVE = re.compile(r"(?<=\w)\+(?![\w+])")
_NEGATIVE = re.compile(r"(?<![^\W_])((?:[A-Z]+[a-z]?|[A-Za-z]+)\d+|[A-Z]{2,}|Rh)-(?=[\s,;/)]|$)")
_ENUMERATION = re.compile(r"(?:(?<!\s)\s++)?\d{1,2}[.)]\s+(?=[^\W\d])")
_WORD = re.compile(r"[^\W_]+")
_EXACT = "\0"
"""Put before a word in upper case that is an abbreviation only so: no word holds it."""
_MAX_ROUNDS = 6


@lru_cache
def _rows(language: str, version: str) -> dict[str, tuple[str, bool]]:
    """The built-in table of a version, `{"mi": ("myocardial infarction", False), …}`; True asks for upper case."""
    file = resources.files(__package__ or "") / f"abbreviations_{language}.csv"
    rows = csv.DictReader(file.read_text("utf-8").splitlines())
    return {
        row["abbreviation"]: (row["expansion"], row["case"] == "exact")
        for row in rows
        if (row["since"] or "1") <= version
    }


class Normalizer:
    """Raw diagnosis -> the form that all features share.

    Parameters
    ----------
    language : "en" or "ru"; chooses the abbreviation table and the word rules.
    abbreviations : the user's own, `{"NASH": "nonalcoholic steatohepatitis"}`, or a table of them; they go before the built-in table,
        match in any case, and are stored with the model.
    version : one of `VERSIONS`; an older one for a model that was trained with it.

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
        version: str = VERSION,
    ) -> None:
        if language not in LANGUAGES:
            raise OptionError("language", f"one of {', '.join(LANGUAGES)}", language)
        if version not in VERSIONS:
            raise OptionError("normalizer version", f"one of {', '.join(VERSIONS)}", version)
        self.language = language
        self.version = version
        if isinstance(abbreviations, str | os.PathLike):
            from .abbreviations import read_abbreviations

            abbreviations = read_abbreviations(abbreviations)
        self.abbreviations = dict(abbreviations or {})
        self._rules: Rules = RULES[language]
        self._fold = _fold_en if language == "en" else _fold_ru
        self._table: dict[str, tuple[str, ...]] = {}
        self._longest_from: dict[str, int] = {}
        for short, (long, exact) in _rows(language, version).items():
            self._enter(short, long, exact)
        for short, long in self.abbreviations.items():
            self._enter(short, long, exact=False)
        self._exact = frozenset(key[1:] for key in self._table if key.startswith(_EXACT))
        self._special = self._rules.special | self._longest_from.keys() | self._exact

    def _enter(self, short: str, long: str, exact: bool) -> None:
        key, expansion = ([self._fold(word) for word in _raw_words(self._visible(text))] for text in (short, long))
        if not key or not expansion:
            raise OptionError("abbreviations", "non-empty abbreviation -> non-empty expansion", {short: long})
        joined = " ".join(key)
        self._table.pop(joined, None)
        if not exact:
            self._table.pop(_EXACT + joined, None)
        # an abbreviation inside the user's expansion ("acute MI") is expanded here, once
        entry = tuple(self._expand(self._rules.apply(expansion)))
        if exact:
            joined = key[0] = _EXACT + joined
        self._table[joined] = entry
        self._longest_from[key[0]] = max(len(key), self._longest_from.get(key[0], 0))

    def __call__(self, text: str) -> str:
        """The normalised form of `text`; "" when it holds no letter and no digit."""
        text = self._visible(text)
        raw = _raw_words(text)
        words = [self._fold(word) for word in raw]
        out = " ".join(words)
        if not self._special.isdisjoint(words) or NEGATED in out:
            if not self._exact.isdisjoint(words) and not _is_shouted(text, raw):
                words = [_EXACT + w if w in self._exact and r.isupper() else w for w, r in zip(words, raw, strict=True)]
            out = " ".join(self._over_words(words))
        for _ in range(0 if out.isascii() else _MAX_ROUNDS):
            # case folding can leave what NFKC would change
            before = out
            out = " ".join(self._over_words([self._fold(word) for word in _raw_words(out)]))
            if out == before:
                break
        return out

    def _visible(self, text: str) -> str:
        return text if text.isascii() or self.version == "1" else text.translate(_INVISIBLE)

    def _over_words(self, words: list[str]) -> list[str]:
        """The rules over words, again and again until nothing changes: an expansion can meet a word that it joins."""
        for _ in range(_MAX_ROUNDS):
            before = words
            words = self._rules.strip(self._expand(self._rules.apply(words)))
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
        """What a normalised name says, and of which diagnosis; a model of version 1 takes every name for a present diagnosis."""
        return Assertion(name) if self.version == "1" else assertion_of(name, self.language)

    def spec(self) -> dict[str, Any]:
        """What a model stores so that `from_spec` gives the same normaliser again."""
        return {"version": self.version, "language": self.language, "abbreviations": self.abbreviations}

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any]) -> Normalizer:
        """Raises `OptionError` for a version that this release does not have."""
        return cls(spec["language"], spec["abbreviations"], spec.get("version", ""))

    @property
    def identity(self) -> str:
        """Twelve hexadecimal digits that differ where the normalised text could."""
        table = json.dumps([self.spec(), sorted(self._table.items())], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(table.encode()).hexdigest()[:12]


def _raw_words(text: str) -> list[str]:
    """The words of `text` as written, but for signs, accents and possessives."""
    if not (plain := text.isascii()):
        text = unicodedata.normalize("NFKC", text)
        text = unicodedata.normalize("NFC", _LATIN_MARKS.sub("", unicodedata.normalize("NFD", text)))
    if ("." in text or ")" in text) and (number := _ENUMERATION.match(text)):
        text = text[number.end() :]
    if "(" in text or "[" in text:
        text = without_short_forms(text)
    if not plain or _ANY_SIGN.search(text):
        text = _WITH.sub(_with, _NEGATIVE.sub(r"\1 negative", _POSITIVE.sub(" positive", text)))
        text = _POSSESSIVE.sub("", text.translate(_SIGNS))
    return _WORD.findall(text)


def _with(found: re.Match[str]) -> str:
    return "without " if len(found[0]) == 3 else "with "


@lru_cache(maxsize=1 << 16)
def _fold_en(word: str) -> str:
    return american(word.casefold())


@lru_cache(maxsize=1 << 16)
def _fold_ru(word: str) -> str:
    return word.casefold().replace("ё", "е")


def _is_shouted(text: str, words: Sequence[str]) -> bool:
    """Whether all is in upper case, words too, so that upper case says nothing: "PAIN IN ALL LIMBS"."""
    return text.isupper() and len(words) > 1


def _contains(words: Sequence[str], sequence: Sequence[str]) -> bool:
    first = sequence[0]
    if first not in words:
        return False
    span, sought = len(sequence), tuple(sequence)
    return any(word == first and tuple(words[i : i + span]) == sought for i, word in enumerate(words))


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
