"""The parts of a text that may be several diagnoses: "1. Gout 2. Asthma", "pneumonia, sepsis", "SLE vs RA"."""

from __future__ import annotations

import re

from .vocabulary import words_in

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
