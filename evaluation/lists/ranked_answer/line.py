"""One line: one diagnosis, several, or a sentence that names some.

There is no vocabulary behind it. Semicolons, bars, " > " and "vs" part. Commas part three names and more; "type 2", "left",
"malignant" and the like behind a comma belong to the name before. Two names with a comma between are read only where the
line says that it holds several, for "anaemia, iron deficiency" is one: else nothing is read.
"""

from __future__ import annotations

import re

from ....terms.text.sentences import is_nothing
from .names import is_denied, name_of, says
from .qualifiers import qualifies, with_qualifiers
from .said import names_said, sentences, speaks, without_why
from .suspicion import parted

_HARD = re.compile(r"\s*[;；|、\n]+\s*(?![^()]{0,60}\))|\s+(?:>+|→|»)\s+|\s+(?:vs\.?|versus)\s+", re.IGNORECASE)
_COMMA = re.compile(r"\s*[,，]\s+(?:(?:and|or|&)\s+)?|\s*，\s*")
_AND = re.compile(r"\s+(?:and|or|&)\s+", re.IGNORECASE)
_OR = re.compile(r"(?<!with)\s+or\s+(?!without)", re.IGNORECASE)
_NO_NAME = ("[", "{", "<", "|")
_FOREIGN_SENTENCE = re.compile(
    r"[。，！？]|\b(?:это|пациент\w*|вероятн\w+|скорее|больн\w+|может|можно|нужно|следует|считаю|думаю|рекоменд\w+|диагноз\w*|у|не|что)\b",
    re.IGNORECASE,
)
_MOST_CHINESE = 25
_CHINESE = re.compile(r"[\u4e00-\u9fff\u3040-\u30ff]")


def names_of_line(text: str, several: bool = False) -> list[str] | None:
    """The names in one line, in order; [] where it says that there is none, None where none can be read.

    several : the line is told to hold several, so that each comma, "and" and "or" parts names.

    >>> names_of_line("SLE, RA, gout"), names_of_line("diabetes mellitus, type 2"), names_of_line("This is not Crohn's disease")
    (['SLE', 'RA', 'gout'], ['diabetes mellitus, type 2'], None)
    """
    line = text.strip()
    if not line or (any(map(str.isalpha, line)) and is_nothing(line)):
        return []
    if line.startswith(_NO_NAME):
        return None
    if is_denied(line):
        _, *rest = sentences(line)
        return names_of_line(rest[0], several) if len(rest) == 1 else None
    if len(suspected := parted(line)) > 1:
        found = [names_of_line(part, several) for part in suspected]
        return None if any(one is None for one in found) else [name for one in found for name in one or ()]
    bare = name_of(line)
    if speaks(line) and (speaks(bare) or not bare):
        return names_said(line)
    if _is_foreign_sentence(line):
        return None
    hard = [part for part in _HARD.split(line) if any(map(str.isalnum, part))]
    if len(hard) > 1:
        parts = with_qualifiers(hard)
        return _cleaned(parts)
    parts = with_qualifiers([part for part in _COMMA.split(line) if any(map(str.isalnum, part))])
    if several:
        parts = [one for part in parts for one in _AND.split(part) if one.strip()]
        return _cleaned(parts)
    if len(parts) > 2:
        *first, last = parts
        return _cleaned([*first, *_AND.split(last)] if _AND.search(last) and "," not in last else parts)
    if len(parts) == 2:
        return None
    alternatives = _OR.split(line)
    if len(alternatives) == 2 and all(0 < len(part.split()) <= 4 and not qualifies(part) for part in alternatives):
        return _cleaned(alternatives)
    return _cleaned([line])


def names_behind_label(text: str, several: bool = False) -> list[str] | None:
    """The names behind a label, "Diagnosis: …"; what the sentences after the first say is heard, too."""
    said = sentences(text, ";" in text and any(map(speaks, text.split(";"))))
    first, *rest = said or [""]
    bare = without_why(first.strip())
    found = names_of_line(bare, several) if bare else None
    return names_said(" ".join(rest), led_by=found) if found and rest else found


def _cleaned(parts: list[str]) -> list[str] | None:
    names = [name for part in parts if (name := name_of(part))]
    if not names or any(says(name) or name.startswith(_NO_NAME) for name in names):
        return None
    return list(dict.fromkeys(names)) if len(parts) > 1 else names


def _is_foreign_sentence(line: str) -> bool:
    """Of a line in Chinese, Japanese or Russian: whether it says more than a name."""
    chinese = len(_CHINESE.findall(line))
    cyrillic = sum("\u0400" <= char <= "\u04ff" for char in line)
    if not chinese and not cyrillic:
        return False
    return chinese > _MOST_CHINESE or _FOREIGN_SENTENCE.search(line.strip(" 。！")) is not None
