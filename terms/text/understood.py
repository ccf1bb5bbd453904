"""Whether a text is a diagnosis that M can know anything of, and the reason where it is none.

What is refused must be beyond doubt, since a pair that is not scored is lost: where several signs speak against a text, none of
them sure, it is understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .assertion import assertion_of
from .correction import Correction, Corrections
from .scripts import share_in
from .sentences import is_nothing, is_sentence
from .vocabulary import (
    FOREIGN_ENDING,
    FOREIGN_WORDS,
    HEADS,
    MEDICAL_ENDING,
    NEVER_ENGLISH,
    SHORT_FORM,
    Vocabulary,
    words_in,
)

SCRIPT = "another script"
LANGUAGE = "another language, or no words"
SENTENCE = "a sentence"
SEVERAL = "several diagnoses"
NOTHING = "no diagnosis"
_MOST_GREEK = 3
"""Letters of the longest Greek text that is a symbol and no word."""
REASONS = (SCRIPT, LANGUAGE, SENTENCE, SEVERAL, NOTHING)

_HARD = re.compile(r"[;|\n\r]")
_NUMBERED = re.compile(r"(?:^|(?<=[\s;,]))\(?\d{1,2}[.)]\s+(?=[^\W\d])")
_SOFT = re.compile(r"[;|\n\r]|,\s+(?:and\s+|or\s+)?|(?<=\s)(?:/|vs\.?|versus|or|\+)\s", re.IGNORECASE)
_AND = re.compile(r"(?<!\s)\s++(?:and|&)\s+|(?:(?<!\s)\s++)?,\s+(?:and\s+)?", re.IGNORECASE)
_ANY_SEPARATOR = re.compile(r"[;|\n\r,/&+]|\b(?:vs|versus|or|and)\b", re.IGNORECASE)
_MOST_WORDS_BESIDE_AND = 2
"""Longer names joined by "and" are mostly one disease: "esophageal atresia and tracheoesophageal fistula"."""

_ONE_TOGETHER = frozenset(
    (
        "cuts and bruises", "hiv and aids", "anxiety and depression", "depression and anxiety", "coughs and colds",
        "cough and cold", "cold and cough",
    )
)  # fmt: skip
ANY_DISEASE = words_in(
    "disease disorder syndrome sign symptom finding tumor neoplasm mass lesion condition abnormality"
)
"""Names of any disease, which do not make a part another diagnosis: "sarcoma / tumor"."""

SYMPTOMS = words_in(
    "pain nausea vomiting diarrhea fever chills cough fatigue headache dizziness swelling rash itching weakness dyspnea malaise "
    "sweats bloating cramps numbness tingling bleeding nosebleed hoarseness congestion sneezing drowsiness anorexia"
)
"""Of one disease there may be several of these: "nausea, vomiting and diarrhea"."""


@dataclass(frozen=True)
class Reading:
    """What was made of one raw text.

    name : normalised and corrected. read_as : its words that were read as others. not_understood : one of `REASONS`, or None.
    """

    name: str
    read_as: Corrections = ()
    not_understood: str | None = None


class Reader:
    """Corrects names, and says of raw texts why they are not understood. Safe to share between threads.

    Parameters
    ----------
    normalized : gives the normalised form of a part of a text.
    """

    def __init__(self, vocabulary: Vocabulary, normalized: Callable[[str], str]) -> None:
        self.vocabulary, self.normalized = vocabulary, normalized
        self.correction = Correction(vocabulary)

    def __call__(self, raw: str, name: str) -> Reading:
        """The reading of a text whose normalised form is `name`.

        >>> Reader(Vocabulary({"asthma": 80}), str.casefold)("Astma", "astma")
        Reading(name='asthma', read_as=(('astma', 'asthma'),), not_understood=None)
        """
        if self.vocabulary.is_name(name):
            return Reading(name)
        name, read_as = self.correction(name)
        if read_as:
            name = self.normalized(name)  # what is mended may be an abbreviation or a lay name: "heart attak"
        return Reading(name, read_as, self.why_not(raw, name))

    def why_not(self, raw: str, name: str) -> str | None:
        """Why a text, normalised and corrected to `name`, is not understood; None where it is."""
        language = self.vocabulary.language
        if share_in(raw, "LATIN", "GREEK", *(("CYRILLIC",) if language == "ru" else ())) <= 0.5:
            return SCRIPT
        if not raw.isascii() and share_in(raw, "GREEK") == 1 and len(raw) > _MOST_GREEK:
            return SCRIPT
        if self.vocabulary.is_name(name):
            return None
        if is_nothing(raw):
            return NOTHING
        if language != "en":
            return None
        if self._several(raw):
            return SEVERAL
        if is_sentence(raw, name) and not self._is_asserted(name):
            return SENTENCE
        return LANGUAGE if self._is_foreign(raw, name) else None

    def _is_asserted(self, name: str) -> bool:
        """Whether a sentence says no more than that a disease is, may be or is not there: "patient does not have asthma"."""
        assertion = assertion_of(name, self.vocabulary.language)
        return assertion.trigger != "" and self.vocabulary.is_name(assertion.core)

    def _is_foreign(self, raw: str, name: str) -> bool:
        """Whether most words are unknown: no word of the vocabulary, none near one, none of a medical form, no short form."""
        words = [word for word in name.split(" ") if len(word) > 2 and word.isalpha()]
        unknown = [word for word in words if not self._is_like_a_word(word)]
        if not NEVER_ENGLISH.isdisjoint(words):
            return True
        if not unknown or not HEADS.isdisjoint(words):
            return False
        if not FOREIGN_WORDS.isdisjoint(name.split(" ")):
            return True
        if 2 * len(unknown) < len(words):
            return False
        if len(words) == 1 or not raw.isupper():
            short = {found.casefold() for found in SHORT_FORM.findall(raw)}
            unknown = [word for word in unknown if word not in short]
        known = len(words) - len(unknown)
        return len(unknown) > known or (len(unknown) == known > 0 and any(map(FOREIGN_ENDING.search, unknown)))

    def _is_like_a_word(self, word: str) -> bool:
        return (
            self.correction.is_kin(word)
            or MEDICAL_ENDING.search(word) is not None
            or (self.vocabulary.has_stem_of(word) and FOREIGN_ENDING.search(word) is None)
        )

    def parts_of(self, raw: str) -> list[str]:
        """The different diagnoses that a text holds, as they are written; [] where it is surely no more than one.

        The text as a whole must be no name, and its parts must be names of different diseases.
        """
        return [] if self.vocabulary.is_name(self.normalized(raw)) else self._several(raw)

    def _several(self, raw: str) -> list[str]:
        return next((parts for parts, sure in ways_apart(raw) if self._are_different(parts, sure)), [])

    def _are_different(self, parts: Sequence[str], sure: bool) -> bool:
        """Whether two parts are names of different diseases, neither worded within the other, and no mere symptoms.

        sure : the parts are surely parts; else each must be a whole name.
        """
        names = []
        for part in parts:
            name = self.normalized(part)
            if not self.vocabulary.is_name(name):
                name = self.correction(name)[0] if name else ""
            if name in ANY_DISEASE or not self.vocabulary.is_name(name):
                if sure:
                    continue
                return False
            names.append((set(name.split(" ")), set(self.vocabulary.diseases_of(name))))
        if all(not SYMPTOMS.isdisjoint(words) for words, _ in names):
            return False
        (words, diseases), *others = names
        return any(diseases.isdisjoint(more) and not (words <= other or other <= words) for other, more in others)


def ways_apart(raw: str) -> list[tuple[list[str], bool]]:
    """The ways in which a text falls into parts, where it does, and whether these are surely parts.

    Numbers, semicolons and lines part; a comma may stand within a name. A slash without blanks joins: "MDS/MPN".
    """
    ways = []
    if len(numbered := _parts(_NUMBERED, raw)) > 1:
        ways.append(([part.strip(" ,;\n") for part in numbered], True))
    if _ANY_SEPARATOR.search(raw) and " ".join(raw.casefold().split()) not in _ONE_TOGETHER:
        split = [(_parts(separator, raw), sure) for separator, sure in ((_HARD, True), (_SOFT, False))]
        ways += [(parts, sure) for parts, sure in split if len(parts) > 1]
        joined = _parts(_AND, raw)
        if len(joined) > 1 and all(len(part.split()) <= _MOST_WORDS_BESIDE_AND for part in joined):
            ways.append((joined, False))
    return ways


def _parts(separator: re.Pattern[str], raw: str) -> list[str]:
    return [part.strip() for part in separator.split(raw) if any(map(str.isalnum, part))]
