"""The ranked diagnoses in what a language model wrote, by its form alone: what has none of these forms is unread.

A chain of filters writes tags, JSON and a table as the headings and numbered lines that mean the same. Of lines there are headings and labels
("Final diagnosis: gout"), lists, and text. A diagnosis that a label or a sentence names goes before the list. Two lists, prose: unread.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...terms.text.sentences import is_nothing
from .answer_sections import TEXT, UNKNOWN, Section, lines_of, sections_of
from .answer_sentences import HINT, SENTENCE_END, SEVERAL, said_in, unsettled_in
from .answer_words import ASIDE, LEAD, LIST, OTHERS, Unread, enumerated, is_one, names_of, names_or_none, says
from .structured_answers import without_json, without_table, without_tags

_LONGEST = 100_000
_MOST_OF_A_FRAGMENT = 4  # words; a sentence without a verb that is longer gives grounds
_BEGIN = r"(?:[<◁\[](?:think(?:ing)?|thought)[>▷\]]|<unused94>|<\|begin_of_thought\|>|<\|channel\|>analysis)"
_END = r"(?:[<◁\[]/(?:think(?:ing)?|thought)[>▷\]]|<unused95>|<\|end_of_thought\|>|<\|channel\|>final<\|message\|>|assistantfinal)"
_THOUGHTS = re.compile(rf"(?is){_BEGIN}.*?(?:{_END}|\Z)|\A(?:(?!{_BEGIN}).)*?{_END}")
_SHARE = re.compile(r"[(\[,:–—-]\s*[~≈]?\s*(\d{1,3}(?:\.\d+)?)\s*%\s*(?:[)\]–—:,.-]|$)")
_RULE_OR_FENCE = re.compile(r"(?m)^[ \t]*(?:```\w*|([-=_*])\1{2,}|\+[-=+]{3,})[ \t]*(?:\n|\Z)")
_RISING = r"(?i)\b(?:least|lowest)\b[^.\n]{0,40}\bto\b[^.\n]{0,20}\b(?:most|highest)\b|\b(?:increasing|ascending|rising|reverse)\s+(?:order|likelihood|probability)\b"
_LEADING_IN = (
    r"(?is)(?!.*\b(?:rul(?:ed?|ing)\b|exclu|unlikely|less\b|against|before|need|further|question|tests?\b|treat|manag|work-?up|recommend|steps?\b|other\b|also\b|alternativ|factors|not?\b))"
    r"(?:.*(?:diagnos|differential|\bddx\b|\bin\s+order\b|\bthink\w*\s+of\b|condition|disease|possibilit|\bcauses?\b|consider|explain|candidates|\btop\b|\bconcern(?:ing|ed|s)\b|\b(?:my|the) (?:list|ranking|answer)\b)|based on\b).*:\s*$"
)
_POINTS = r"(?i)\b(?:suggest|indicat|point|not\b|diagnos|(?:this|it)\s+is\b(?!\s+an?\b|:)|has\b(?!\s+(?:a|been|had)\b)|exclude|ruled\s+out)"
"""Beside a list: a diagnosis may be named that is none of its entries."""
_OPTION = re.compile(r"\(?[A-H][.)]\s+(?=[A-Z][a-z])")
_APART = re.compile(r"[;|](?![^()]*\))|\s>\s")
_UNKNOWN_MARK = re.compile(
    r"\(?(?:[A-Za-z]\)|[A-Z]\.(?=\s+[A-Z])|(?:[ivx]{2,}|[IVX]{2,})[.)])\s|1\s+(?=[A-Z][a-z])"
    r"|\W*[^\W\d_][\w/'’-]*(?:\s+[\w/'’-]+){0,4}\s*(?::|=|\t)(?:\s|$)"
)
"""The mark of a list, of which only this entry is there (not "C. difficile"); a label."""


def without_thoughts(text: str) -> str:
    """Gives what comes after the model's thoughts. A thought without an end is all that there is."""
    return _THOUGHTS.sub("", text[:_LONGEST])


def ranked_diagnoses(text: str) -> list[str] | None:
    """Reads the diagnoses, the likeliest first; [] for a text that names none, None where none of the forms fits.

    >>> ranked_diagnoses("1. **STEMI** - raised troponin in two samples\\n2. Pericarditis (20%)")
    ['STEMI', 'Pericarditis']
    >>> ranked_diagnoses("It could be lupus, or gout.") is None
    True
    """
    text = re.sub(r"<\|\w+\|>", "", without_thoughts(text)).replace("\r\n", "\n").rstrip().lstrip("\n")
    if not text or (any(map(str.isalpha, text)) and "\n" not in text and is_nothing(text.strip(" *_#`\"'"))):
        return []
    try:
        if re.search(_RISING, text):
            raise Unread
        text = _RULE_OR_FENCE.sub("", text)
        for written in (without_tags, without_json, without_table):
            text = written(text)
        return _ranked(sections_of(lines_of(text)))
    except Unread:
        return None


def _ranked(sections: Sequence[Section]) -> list[str]:
    """What a label or a sentence names first, then the one list, then what is beside it."""
    held = [one for one in sections if one.kind != ASIDE and (one.own or one.text or one.entries)]
    named = [one for one in held if one.kind == LEAD and (one.own or one.text)]
    # bullets below a diagnosis that a label names are what speaks for it
    lists = [one for one in held if one.last or (one.entries and not one.own and one not in named) or _is_labelled(one)]
    before = [line for one in held if one.kind == TEXT for line in one.text]
    if any(one.kind == UNKNOWN and (one.own or one.entries) for one in held):
        raise Unread
    if not named and not lists:
        return _of_parts(before) or _of_sentences(before)
    if named and before and not re.match(_LEADING_IN, before[-1]):
        lists = [one for one in lists if one.kind != TEXT]  # of findings, or steps
    found, firsts = [(one.kind, _listed(one)) for one in lists], [_labelled(one) for one in named]
    if not named and len(found) > 1 and found[0][0] == LEAD and len(found[0][1]) == 1:
        firsts = [found.pop(0)[1]]
    led = _before_a_list(before, any(one.kind != TEXT for one in lists)) if lists else []
    names = firsts[0] if firsts else led
    if not all(_is_same(first[0], names[0]) for first in firsts) or any(kind != OTHERS for kind, _ in found[1:]):
        raise Unread
    if not names and found[0][0] == OTHERS:
        raise Unread
    for _, more in found:
        names = _joined(names, more)
    asides = [line for one in sections if one.kind == ASIDE for line in (one.own, *one.text)]
    if not named and any(name.casefold() not in names[0].casefold() for name in said_in(asides)[0][LEAD]):
        raise Unread
    return [*names, *_below(held, names)]


def _is_labelled(one: Section) -> bool:
    """Whether a label says that several are behind or below it, and they are no list."""
    return one.kind in (LIST, OTHERS) and bool(one.own or (one.text and not one.entries))


def _is_same(name: str, other: str) -> bool:
    """Whether two names are one, but for what stands in brackets behind one of them."""
    a, b = name.casefold(), other.casefold()
    bare = [re.sub(r"\s*\([^()]*\)", "", one) for one in (a, b)]
    return a in (b, bare[1]) or bare[0] == b


def _joined(names: Sequence[str], more: Sequence[str]) -> list[str]:
    return [*names, *(name for name in more if not any(_is_same(name, one) for one in names))]


def _listed(one: Section) -> list[str]:
    """The names of a list, those behind a label of several, or in the lines below it."""
    if not _is_labelled(one):
        shares = [float(found[1]) for entry in one.entries if (found := _SHARE.search(entry))]
        if shares != sorted(shares, reverse=True):
            raise Unread
        return names_of(one.entries)
    lines = [one.own] if one.own else one.text
    said, *more = SENTENCE_END.split(lines[0])
    if names := _of_parts(lines) or (_of_sentences(lines) if len(lines) > 1 else []):
        return names
    if not _are_grounds(more):
        raise Unread
    return enumerated(said)


def _labelled(one: Section) -> list[str]:
    """The diagnosis behind or below a label, and what sentences name beside it."""
    own, *more = [line for line in (one.own, *one.text) if line] or one.entries
    own = _OPTION.sub("", own, count=1)
    names = _of_parts([own])
    if not is_one(SENTENCE_END.split(own)[0], 1) or (names and not _are_grounds(more)):
        raise Unread
    return names or _of_sentences([own, *more])


def _before_a_list(lines: Sequence[str], headed: bool) -> list[str]:
    """What the text before a list names: [] for none, and for a sentence that leads in. Errors: `Unread` where it says something else.

    headed : whether the list stands under a heading of its own, so that nothing needs to lead in.
    """
    names, rest = said_in(lines)
    leads_in = bool(rest) and re.match(_LEADING_IN, rest[-1]) is not None
    rest = rest[:-1] if leads_in and not names[LEAD] else rest
    unsettled = any(unsettled_in(part.replace("differential", "")) or re.search(_POINTS, part) for part in rest)
    several = len(names[LEAD]) > 1 or names[HINT] or names[LIST] or names[OTHERS]
    if several or unsettled or (rest and not (names[LEAD] or leads_in or headed)):
        raise Unread
    return names[LEAD]


def _below(held: Sequence[Section], found: Sequence[str]) -> list[str]:
    """What sentences below the lists name beside it. Errors: `Unread` where they may mean another diagnosis than the first."""
    beside = [one.text if one.kind == UNKNOWN or (one.own and _is_labelled(one)) else one.below for one in held]
    names, rest = said_in(line for lines in beside for line in lines)
    other = any(name.casefold() not in found[0].casefold() for name in names[LEAD] + names[HINT])
    denied = [line.casefold() for line in rest if re.search(r"(?i)exclude|ruled\s+out|unlikely", line)]
    denies = any(name.casefold() in line for line in denied for name in found)
    if other or denies or names[LIST] or any(map(unsettled_in, rest)):
        raise Unread
    return names[OTHERS]


def _of_parts(lines: Sequence[str]) -> list[str]:
    """Lines, or parts of one between marks, with a name each; [] where they are no such."""
    one = [part for part in _APART.split(lines[0]) if part.strip()] if lines else []
    parts = lines if len(lines) > 1 else lines[0].split(" / ") if len(one) == 1 and lines[0].count(" / ") > 1 else one
    alike = len({part.lstrip().startswith("**") for part in parts}) == 1
    return names_or_none(parts) if len(parts) > 1 and alike and not any(map(_UNKNOWN_MARK.match, parts)) else []


def _of_sentences(lines: Sequence[str]) -> list[str]:
    """Sentences of which one names a diagnosis, or the first is one, and others give grounds."""
    names, rest = said_in(lines)
    leads, begin = names[LEAD], rest[0] if rest and lines[0].startswith(rest[0]) else ""
    if not leads and begin and is_one(begin, 2) and not SEVERAL.search(begin) and not _UNKNOWN_MARK.match(begin):
        leads = names_or_none([begin])
        rest = rest[len(leads) :]
    points = any(re.search(_POINTS, line) for line in rest)
    leads = leads or ([] if begin or points else names[HINT])
    several = len({name.casefold() for name in leads}) > 1
    if several or not (leads or (names[LIST] and not points)) or not _are_grounds(rest):
        raise Unread
    return _joined(leads[:1], names[LIST] + names[OTHERS])


def _are_grounds(lines: Sequence[str]) -> bool:
    """Whether each says something, and none means another diagnosis or has a label."""
    says_all = all(says(line) or len(line.split()) > _MOST_OF_A_FRAGMENT for line in lines)
    return says_all and not any(map(unsettled_in, lines))
