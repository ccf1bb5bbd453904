"""The ranked diagnoses in what a language model wrote, by its form alone: what has none of these forms is unread.

A chain of filters writes tags, JSON and a table as the headings and numbered lines that mean the same. Of headings, labels, lists and
sentences, some state diagnoses ("Final diagnosis: gout"); all other text has to be harmless. Two lists, prose: unread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from ...terms.text.sentences import is_nothing
from .answer_sections import Section, sections_of
from .answer_words import (
    ASIDE,
    LEAD,
    LIST,
    OTHERS,
    TEXT,
    Unread,
    enumerated,
    is_one,
    kind_of,
    names_of,
    names_or_none,
    plain,
)
from .structured_answers import without_json, without_table, without_tags

_LONGEST, _LONGEST_SENTENCE = 100_000, 400  # characters
_BEGIN = r"(?:[<◁\[](?:think(?:ing)?|thought)[>▷\]]|<unused94>|<\|begin_of_thought\|>|<\|channel\|>analysis)"
_END = r"(?:[<◁\[]/(?:think(?:ing)?|thought)[>▷\]]|<unused95>|<\|end_of_thought\|>|(?:<\|channel\|>|assistant)final)"
_THOUGHTS = re.compile(rf"(?is){_BEGIN}.*?(?:{_END}|\Z)|\A(?:(?!{_BEGIN}).)*?{_END}")
_NO_TEXT = re.compile(r"(?m)<\|\w+\|>|^>[ \t]?|^[ \t]*(?:```\w*|([-=_*])\1{2,}|\+[-=+]{3,})[ \t]*(?:\n|\Z)")
_LABEL_BEHIND = re.compile(r"(?m)(?<=[a-z)*])[.;!?] +(?=\**[A-Z][\w -]{1,40}:\**\s|\**[^.;!?\n]+:\**$)")
_UNRANKED = re.compile(
    r"(?i)\bleast .{0,40}\bto .{0,20}\bmost\b|\b(?:increasing|ascending) order|alphabetic|not ranked"
)
_LEADS_IN = re.compile(
    r"(?is)(?!.*\b(?:rul(?:ed?|ing)|exclu\w+|unlikely|less|against|before|need|questions?|tests?|other|also|not?)\b)"
    r".*\b(?:diagnos|differential|ddx|condition|possibilit|cause|consider|likely|think of|(?:my|the) list|based on).*:\s*$"
)
_SHARE = re.compile(r"[(\[,:–—-]\s*[~≈]?\s*(\d{1,3}(?:\.\d+)?)\s*%")
_SENTENCE_END = re.compile(r"(?<=[\w)\]*\"”])(?:[.!?](?:\*\*)?\s+(?=[\"“*]*[A-Z])|;\s+(?![^()]*\)))")
_APART = re.compile(r"[;|](?![^()]*\))|\s>\s")
_OPTION = re.compile(r"^\(?[A-H][.)]\s+(?=[A-Z][a-z])")
_LIKELY = r"(?:(?:most )?(?:likely|probably)|therefore|thus)"
_FRAMES = tuple(  # sentences that name one diagnosis and no other, or several in one order. None: their label tells which
    (kind, re.compile(f"(?:(?P<clause>.{{0,200}}?), )??{frame}".replace(" ", r"\s+"), re.IGNORECASE | re.DOTALL))
    for kind, frame in (
        (None, rf"(?P<label>[^,:]{{3,70}}?) (?:is|are|remains|includes?|would be)(?: {_LIKELY})?:? (?P<name>.+)"),
        (None, r"(?P<name>[^,:]+?) (?:is|would be|remains) (?:by far )?(?P<label>(?:the|my) [^,:]{3,50}?)"),
        (LEAD, rf"(?:(?:this|the|he|she)(?: patient| \w*man)? {_LIKELY} has|(?:this|it) is {_LIKELY}) (?P<name>.+)"),
        (LEAD, r"(?:this|it|the|everything)\b.{0,200}? (?:(?:is|are) (?:most|highly|very|strongly) (?:consistent with"
               r"|suggestive of)|points? to(?:wards?)?|strongly suggests?) (?P<name>.+)"),
        (LEAD, rf"I (?:think|believe|suspect|(?:would )?favou?r)(?: that)?(?: (?:this|it) is| (?:this|the) patient has)?"
               rf"(?: {_LIKELY}| most consistent with)? (?P<name>.+)"),
    )
)  # fmt: skip
_BEFORE_A_NAME = re.compile(r"(?i)^(?:an?|the)\s+(?:(?:case|diagnosis)\s+of\s+)?(?:an?\s+|the\s+)?")
_BEHIND_A_NAME = re.compile(
    r"(?i),?\s+(?:because|since|given|considering|based\s+on|in\s+(?:view|light)\s+of|(?:as\s+)?(?:suggested|supported)"
    r"\s+by)\b.*|,\s+(?:as|which)\b.*|\s+in\s+(?:an?|this|the)\s+(?:\S+\s+)?(?:patient|man|woman|child|infant)\b.*"
)
_UNSETTLED = re.compile(  # beside an answer: another diagnosis may be meant, or another order
    r"(?i)\b(?:(?<!least )(?:un)?likel\w+|probable|favou?r\w*|suspect\w*|prefer|lean|however|instead|rather|actually|wait"
    r"|alternativ\w+|differential|ddx|other\s+(?:diagnos|possib|cause|condition)\w*|possib\w+|also\s+(?:be|consider)"
    r"|(?:could|may|might)\s+be|be\s+considered|excluded|ruled?\s+out|second|third|top|ranked?|best|fits|indicates?"
    r"|(?<!I )suggest(?!ed\s+by|\sa\b)\w*|points?\s+to|consistent\s+with|vs|diagnosis\s+(?:is|of|remains|would)|final"
    r"|answer|I\s+(?:think|believe)|go\s+(?:for|with)|(?:my|the)\s+list)\b|#\d|^this\s+is\s+(?!an?\b|not\b|for\b)"
)
_DENIES = re.compile(r"(?i)\b(?:unlikely|less\s+likely|not|excluded|ruled\s+out|against)\b")


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
    said = without_thoughts(text).replace("\r\n", "\n").rstrip().lstrip("\n")
    if not text.strip() or ("\n" not in said and any(map(str.isalpha, said)) and is_nothing(said.strip(" *_#`\"'"))):
        return []
    with suppress(Unread):
        said = _NO_TEXT.sub("", said if "\n" in said else re.sub(r'^"([^"]*)"$', r"\1", plain(said)))
        for written in (without_tags, without_json, without_table):
            said = written(said)
        return None if _UNRANKED.search(said) else _ranked(sections_of(_LABEL_BEHIND.sub("\n", said)))
    return None


def _ranked(sections: Sequence[Section]) -> list[str]:
    """What a label or a sentence names first, then the one list, then what is beside it. Errors: `Unread` where other text may change that."""
    names, beside = list[str](), list[str]()
    labelled = any(one.kind == LEAD and (one.text or len(one.entries) == 1) for one in sections)
    alone = all(one.kind == ASIDE for one in sections[1:])
    for one in sections:
        thinks = one.kind == TEXT and one.text != [] and not _LEADS_IN.match(one.text[-1])
        if thinks and one.entries and not labelled:
            raise Unread
        for kind, more in (
            _stated(one, len(names), alone, beside) if one.kind != ASIDE and not (thinks and labelled) else ()
        ):
            if kind == LEAD and names:
                kind, more = OTHERS, more if _is_same(more[0], names[0]) else []
            second = any(_is_same(names[0], name) for name in more[1:]) if names else kind == OTHERS
            if not more or second or (kind == LIST and len(names) > 1):
                raise Unread
            names += [name for name in more if not any(_is_same(name, one) for one in names)]
    for sentence in beside:
        first, other = _holds(sentence, names[:1]), _holds(sentence, names[1:])
        unsettled = _UNSETTLED.search(sentence) and (other or not first) and not _LEADS_IN.match(sentence)
        if unsettled or ((first or other) and _DENIES.search(sentence)):
            raise Unread
    if not names:
        raise Unread
    return names


def _stated(one: Section, so_far: int, alone: bool, beside: list[str]) -> Iterator[tuple[int, list[str]]]:
    """What a section states. so_far : names before it. alone : whether there is no other. beside : takes what else is said in it."""
    text, entries = one.text, one.entries
    if text and ((alone and not entries) if one.kind == TEXT else (one.kind == LEAD or one.own or not entries)):
        lines = text[:1] if one.own else text
        parts = lines if len(lines) > 1 else [part for part in _APART.split(text[0]) if part.strip()]
        first, *more = _SENTENCE_END.split(_OPTION.sub("", text[0]))
        if len(parts) > 1 and (names := names_or_none(parts)):
            yield OTHERS if one.kind == OTHERS else LIST, names
            text = text[len(lines) :]
        elif one.kind in (LIST, OTHERS):
            yield one.kind, enumerated(first if len(parts) == 1 else "")
            text = [*more, *text[1:]]
        elif not _said(first) and (one.kind == LEAD or (len(text) == 1 and not more)):
            yield LEAD, names_of([first]) if is_one(first, 1 + (one.kind == TEXT)) else []
            text = [*more, *text[1:]]
        entries = []
    for sentence in (part for line in [*text, *one.below] for part in _SENTENCE_END.split(line) if part.strip()):
        if said := _said(sentence):
            yield said
        else:
            beside.append(sentence)
    if entries:
        shares = [float(found[1]) for entry in entries if (found := _SHARE.search(entry))]
        if shares != sorted(shares, reverse=True) or one.numbers[0] not in (0, 1, so_far + 1):
            raise Unread
        kind = OTHERS if one.numbers[0] > 1 else LIST if one.kind in (LEAD, TEXT) and len(entries) > 1 else one.kind
        yield kind, names_of(entries)


def _said(sentence: str) -> tuple[int, list[str]] | None:
    """What a sentence states in a known form."""
    bare = plain(sentence).rstrip(" :.")
    for kind, frame in _FRAMES if len(bare) < _LONGEST_SENTENCE else ():
        if (found := frame.fullmatch(bare)) is None:
            continue
        kind = kind_of(found["label"]) if kind is None else kind
        text = _BEFORE_A_NAME.sub("", found["name"])
        if kind in (None, ASIDE, TEXT) or _UNSETTLED.search(f"{found['clause'] or ''} {text}") or " but " in bare:
            continue
        text = _BEHIND_A_NAME.sub("", text)
        with suppress(Unread):
            if kind != LEAD or is_one(text, 0):
                return kind, enumerated(text) if kind != LEAD else names_of([text])
    return None


def _holds(sentence: str, names: Sequence[str]) -> bool:
    """Whether a sentence holds one of the names, or the short form behind one."""
    parts = [re.escape(part) for name in names for part in re.split(r"\s*\(([^()]*)\)$", name) if part]
    return bool(parts) and re.search(rf"(?i)\b(?:{'|'.join(parts)})\b", sentence) is not None


def _is_same(name: str, other: str) -> bool:
    """Whether two names are one, but for what stands in brackets behind one of them."""
    a, b = name.casefold(), other.casefold()
    bare = [re.sub(r"\s*\([^()]*\)", "", one) for one in (a, b)]
    return a in (b, bare[1]) or bare[0] == b or f"({a})" in b
