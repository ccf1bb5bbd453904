"""Which options an answer to a multiple-choice question chooses, by their letters."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any

_THOUGHTS = re.compile(r"(?:\s*<think>.*?</think>)+", re.DOTALL)
_FINAL_PART = re.compile(r"^#+\s*final (?:response|answer)\s*:?\s*$", re.IGNORECASE | re.MULTILINE)
_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_TEXT = re.compile(r"\\(?:text|mathrm|textbf|mathbf)\s*\{([^{}]*)\}")
_JSON = re.compile(r"\{[^{}]*\}")
_KEYS = re.compile(
    r"(?:final|correct|right)?[ _]?(?:answers?|options?|choices?|letters?)|答案|选项|ответ", re.IGNORECASE
)

_AND = r"(?:\s*\.?\s*(?:,|、|;|&|\band\b|和|及)\s*(?:(?:and|和)\s+)?|\s+)"
_GROUP = rf"(?:(?:options?|choices?)\s+)?(?P<letters>[A-Z]{{1,26}}(?:{_AND}[A-Z](?![A-Za-z]))*)"
_ENDS = (
    r"(?![A-Za-z0-9'’])(?!\s*\.?\s*(?:/|\bor\b|或|или\b)\s*[A-Z](?![A-Za-z]))"
    r"(?=\s*(?:[.,;:!\-–—。、,)]|$|because\b|since\b|as\b|因为|选?项))"
)
_IS = r"\s+(?:is|are|would\s+be|should\s+be|must\s+be)"
_CHOOSE = r"(?<![不未没别勿可备筛])(?<!不[应该能要会可])(?<!不(?:应该|可以|应当))选(?:择)?"
"""选, but not 不选 (not chosen), 可选 (may be chosen) or 不应选 (should not be)."""
_LABELS = re.compile(
    rf"(?:\b(?:answers?)(?:\s+(?:is|are))?\s*[:=]\s*(?:is\s+)?|\b(?:answers?|(?:correct|right|best)\s+(?:options?|choices?)){_IS}\s*:?\s*"
    rf"|\b(?:correct|right|best)\s+(?:options?|choices?)\s*[:=]\s*"
    rf"|(?:答案|正确选项|正确的选项|选项)\s*(?:应该是|应为|应选|是|为|选)?\s*:?\s*|{_CHOOSE}\s*:?\s*|\bответы?\s*[:=—-]\s*)"
    rf"(?-i:{_GROUP}){_ENDS}",
    re.IGNORECASE | re.MULTILINE,
)
_SMALL = re.compile(
    r"\banswers?(?:\s+is)?\s*[:=]\s*(?-i:(?P<letters>[a-z]))(?![A-Za-z0-9'’])(?=\s*(?:[.,;:\-–—]|$))",
    re.IGNORECASE | re.MULTILINE,
)
_ALONE = re.compile(rf"\W*{_GROUP}\W*", re.IGNORECASE)
_LEADS = re.compile(r"^[^\S\n]*[(\[]?([A-Z])(?:[)\]:、]|\.(?=\s+[^a-z\s]|\s*$))", re.MULTILINE)


def letters_of(answer: str, n_options: int, options: Sequence[str] = ()) -> tuple[int, ...] | None:
    """The places, from 0 and in order, of the options that an answer chooses; None where it names none, or cannot be read.

    They stand, in this order, as JSON (`{"answer": ["A", "C"]}`) or in LaTeX's box; behind a label ("Answer: ABC", "The correct option
    is B.", "答案：B"); as all of the answer ("A, C"); before the text of an option that it begins with ("B) …"). All such places of
    one form must agree. "A or B" chooses none. Full-width letters and signs, bold type and thoughts in tags are read through.

    options : their texts, in the order in which they were put; an answer that is one of them chooses it.

    >>> letters_of("It is sudden, so … **Answer: A and C**", 4)
    (0, 2)
    """
    text = unicodedata.normalize("NFKC", answer[:_LONGEST])
    if thoughts := _THOUGHTS.match(text):
        text = text[thoughts.end() :]
    elif "</think>" in text:
        text = text.rpartition("</think>")[2]
    if parts := list(_FINAL_PART.finditer(text)):
        text = text[parts[-1].end() :]
    boxed = [_TEXT.sub(r"\1", found[1]) for found in _BOXED.finditer(text)]
    plain = re.sub(r"[*_`\"“”'‘’$]|\\\(|\\\)", "", _TEXT.sub(r"\1", _BOXED.sub(r"\1", text)))
    open_ = re.sub(r"[(\[{<]", "", re.sub(r"[)\]}>]", ".", plain))
    for found in (
        [_group(value) for value in [*_json_values(text), *boxed]],
        [found["letters"] for pattern in (_LABELS, _SMALL) for found in pattern.finditer(open_)],
        [_group(plain)],
        sorted({found[1] for found in _LEADS.finditer(plain)}),
    ):
        groups = {_places(one) for one in found if one}
        if groups:
            places = groups.pop()
            return places if not groups and places and places[-1] < n_options else None
    said = _folded(answer)
    same = [place for place, option in enumerate(options) if _folded(option) == said]
    return (same[0],) if len(same) == 1 else None


_LONGEST = 100_000


def _json_values(text: str) -> list[str]:
    values: list[str] = []
    for found in _JSON.finditer(text):
        try:
            held: Any = json.loads(found[0])
        except ValueError:
            continue
        for key, value in held.items():
            if _KEYS.fullmatch(key.strip()):
                values += [", ".join(map(str, value)) if isinstance(value, list) else str(value)]
    return values


def _group(text: str) -> str:
    """The letters that are all of a text; "" for another text."""
    found = _ALONE.fullmatch(text.strip())
    if found is None:
        return ""
    letters = found["letters"]
    small = not letters.isupper()
    return "" if small and len(letters) > 1 else letters


def _places(letters: str) -> tuple[int, ...]:
    """In order, each once; of a word such as "and" between them nothing."""
    named = re.sub(r"\b(?:and|AND)\b", " ", letters)
    return tuple(sorted({ascii_uppercase.index(letter) for letter in named.upper() if letter in ascii_uppercase}))


def _folded(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold()))
