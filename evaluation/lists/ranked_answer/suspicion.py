"""Wordings that keep a diagnosis under suspicion, though they speak of excluding it: "rule out PE", "sepsis (to be excluded)".

`terms/text/assertion.py` takes them so, and M with it; a test holds the two together.
"""

from __future__ import annotations

import re

_RULE_OUT = r"(?:rul(?:e|ing)[ -]out|r/o|exclude)"
_RULED_OUT = r"(?:ruled?[ -]out|excluded?)"
_CANNOT = r"(?:can\s?not|can[ '’]?t|could\s+not|couldn['’]?t|(?:un|not\s+)able\s+to)"
_MUST = r"(?:(?:must|should|(?:still\s+)?(?:need|ha)(?:s|ve)?\s+to)\s+)"
_BEFORE = re.compile(
    rf"^(?:(?:{_CANNOT}\s+|{_MUST}|to\s+)?{_RULE_OUT}|not\s+(?:yet\s+)?{_RULED_OUT})\b[\s:]*(?=\S)", re.IGNORECASE
)
_BEHIND = re.compile(
    rf"\b(?:(?:until|unless|if\s+not)\s+{_RULED_OUT}"
    rf"|(?:not|never)\s+(?:(?:yet|been|be|completely|entirely|fully|reliably|definitely|formally)\s+)*{_RULED_OUT}"
    rf"|(?:to|must|should|{_MUST}|{_CANNOT})\s*(?:(?:still|also|yet|always|first|urgently)\s+)*be\s+(?:(?:urgently|first|always)\s+)*{_RULED_OUT}"
    rf"|(?:(?:to|must|{_MUST}|{_CANNOT})\s*)?{_RULE_OUT}(?=\s*[)\].]?\s*$))\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\s(?:rul(?:e|ing)[ -]out|r/o|(?:to|must|cannot)\s+exclude|excluding)\s", re.IGNORECASE)
_FURTHER = re.compile(r"\s*[,;]\s*(?:and\s+)?(?=(?:rule[ -]out|r/o)\s)", re.IGNORECASE)
_RULED_OUT_AT_ALL = re.compile(rf"\b{_RULED_OUT}\b", re.IGNORECASE)


def without_suspicion(text: str) -> tuple[str, str]:
    """The text before such a wording behind a name, and the wording; without the one at its start.

    Where a name is denied first ("ruled out; sepsis is not excluded"), nothing is cut.

    >>> without_suspicion("Rule out septic arthritis"), without_suspicion("Gout (to be excluded)")
    (('septic arthritis', ''), ('Gout (', 'to be excluded'))
    """
    text = _BEFORE.sub("", text)
    found = _BEHIND.search(text)
    if found is None or not text[: found.start()].strip() or _RULED_OUT_AT_ALL.search(text[: found.start()]):
        return text, ""
    return text[: found.start()], found[0]


def parted(text: str) -> list[str]:
    """A text cut where a further suspicion begins: "Gout; rule out sepsis", "chest pain, r/o MI"."""
    return _FURTHER.split(text)


def ties_two(name: str) -> bool:
    """Whether a text rules out one thing by, or beside, another: "ECG to rule out MI"."""
    return _BETWEEN.search(name) is not None


def keeps_suspicion(text: str) -> bool:
    """Whether a text holds such a wording, be it alone: "To exclude", "Must be ruled out", "Not excluded"."""
    return (
        _BEHIND.search(text) is not None
        or re.match(rf"(?:{_MUST}|to\s+)?{_RULE_OUT}\b", text, re.IGNORECASE) is not None
    )
