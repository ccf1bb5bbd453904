"""The ranked diagnoses in what a language model wrote, by its form alone: what has none of these forms is unread.

A chain of filters writes tags, JSON and a table as the headings and numbered lines that mean the same. Of headings, labels, lists and
sentences, some state diagnoses ("Final diagnosis: gout"); all other text has to be harmless. Two lists, prose: unread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from ...terms.text.sentences import is_nothing
from ...votes.prompts.replies import without_thoughts
from .answer_forms import Section, sections_of, without_json, without_table, without_tags
from .answer_words import FEW, LEADS_IN, OF_NAMES, Kind, Unread, certain, kind_of, named, names_of, plain, says

_LONGEST, _LONGEST_SENTENCE = 100_000, 400  # characters
_MEDALS = str.maketrans({"🥇": "1. ", "🥈": "2. ", "🥉": "3. ", "\u20e3": ". ", "\ufe0f": ""})
_NO_TEXT = re.compile(
    r"(?m)[☀-➿⭐🀀-🫿][ \t]?|<\|\w+\|>|</s>|(?<=nswer: |wer:\*\* )\(?[A-J][).:]\s+(?=[A-Z])|(?<=\bis )\(?[A-J][).:]\s+(?=[A-Z])|^>[ \t]?|^[ \t]*(?:```\w*|([-=_*])\1{2,}|\+[-=+]{3,})[ \t]*(?:\n|\Z)"
)
_LABEL_BEHIND = re.compile(r"(?m)(?<=[a-z)*][.;!?]) +(?=\**[A-Z][\w -]{1,40}:\**\s|\**[^.;!?\n]+:\**$)")
_UNRANKED = re.compile(
    r"(?i)~~\w|\n\s+[a-e][.)]\s|\bleast .*\bto .*\bmost\b|(?:incr|asc|alph)\w+ order|\b(?:not?|any)\b.{,20}\b(?:rank|order|probab)"
)
_SHARE = re.compile(r"[(\[,:–—-]\s*[~≈]?\s*(\d{1,3}(?:\.\d+)?(?=\s*%)|0\.\d+\b)")
_SENTENCE_END = re.compile(r"(?<=[\w)\]*\"”])(?:[.!?](?:\*\*)?\s+(?=[\"“*]*[A-Z])|;\s+(?![^()]*\)))")
_APART = re.compile(r"[;|](?![^()]*\))|\s>\s|(?<=%\)),\s")
_LIKELY = r"(?:(?:most )?(?:likely|probably)|therefore|thus)"
# sentences that name one diagnosis, or several in one order, as their label tells; without a label one
_FRAMES = tuple(
    re.compile(f"(?:(?P<clause>.{{0,200}}?), )??{frame}".replace(" ", r"\s+"), re.IGNORECASE | re.DOTALL)
    for frame in (
        rf"(?P<label>[^,:]{{3,70}}?) (?:is|are|remains|includes?|would be)(?: {_LIKELY})?:? (?P<name>.+)",
        r"(?P<name>[^,:]+?) (?:is|would be|remains) (?:by far )?(?P<label>(?:the|my) [^,:]{3,50}?)",
        rf"(?:this|the|he|she)(?: patient| \w*man| boy| girl| child)? {_LIKELY} has (?P<name>.+)",
        rf"(?:I (?:think|believe|suspect)(?: (?:this|it) is)?(?: most likely)?|this is {_LIKELY}) (?P<name>.+)",
        r"(?:this|it|the|everything)\b.{0,200}? (?:(?:is|are) (?:most|highly|very|strongly) (?:consistent with"
        r"|suggestive of)|points? to(?:wards?)?|strongly suggests?) (?P<name>.+)",
    )
)
_AROUND_A_NAME = re.compile(
    r"(?i)^(?:an?|the)\s+(?:(?:case|diagnosis)\s+of\s+)?(?:an?\s+|the\s+)?|,?\s+(?:because|since|given|considering"
    r"|based\s+on|in\s+(?:view|light)\s+of|(?:as\s+)?(?:suggested|supported)\s+by)\b.*|,\s+(?:as|which)\b.*"
    r"|\s+in\s+(?:an?|this|the)\s+(?:\S+\s+)?(?:patient|man|woman|child|infant)\b.*"
)
_TURNS = (  # beside an answer: another order, or another answer
    r"(?:#|number|no\.)\s*[2-9]|(?:numbers|entr(?:y|ies)|items?)\s*[1-9]|numbering|revers\w+|demote\w*|swap\w*|revised?\s+(?:the|my|list|order|rank\w*|diagnos\w+|impression)|correct(?:ion|ed)|actually|instead|rather"
    r"|wait(?!\s+(?:for|to|until)\b)|however|vs|second|third|last|(?:my|the|this)\s+(?:list|order)|ranked?|likely\s+than|ahead|above|others"
    r"|disregard|ignor\w+|overrid\w+|withdr\w+|dropp?\w*|bet|add"
)
_WEIGHS = (  # which is the first of them
    r"(?:most|more|very|highly|strongly|far)\s+(?:likely|probable|consistent|suggestive)|likeliest|favou?r\w*|prefer|lean|leading|best|top|final|answer|suspect"
    r"|(?:looks?|sounds?)\s+like|points?\s+to|consistent\s+with|fits|indicates?|(?<!I )suggests?(?!\sa\b)|diagnosis\s+(?:is|of|remains|would)"
    r"|(?:est|ist|es|è)\s+(?:une?|eine?|la|il)|I\s+(?:think|believe)|go\s+(?:for|with)|pick|choose|it\s+would\s+be|^this\s+is\s+(?!an?\b|not\b|for\b)"
)
_ADDS = (  # one more
    r"(?<!least )(?:un)?likel\w+|probable|suspected|alternativ\w+|differential|another|other\s+(?:diagnos|possib|cause|condition)\w*|possib\w+|also|consider"
    r"|(?:can|could|may)\s+look|mimic\w*|worr\w+|concern\w*|think\s+of|next(?!\s+(?:\w+\s+)?steps?)|finally|(?:could|may|might)\s+be|be\s+considered|excluded|ruled?\s+out|suggest(?:s|ing|ive)"
)
_DOUBTS = r"less\s+likely|unlikely|improbable|excluded|ruled\s+out|against|not"  # the first of them
_UNSETTLED, _REORDERS, _LEADS, _DENIED = (
    re.compile(rf"(?i)(?:\b|(?=#))(?:{of})\b") for of in (f"{_TURNS}|{_WEIGHS}|{_ADDS}", _TURNS, _WEIGHS, _DOUBTS)
)


def ranked_diagnoses(text: str) -> list[str] | None:
    """Reads the diagnoses, the likeliest first; [] for a text that names none, None where none of the forms fits.

    >>> ranked_diagnoses("1. **STEMI** - raised troponin in two samples\\n2. Pericarditis (20%)")
    ['STEMI', 'Pericarditis']
    >>> ranked_diagnoses("It could be lupus, or gout.") is None
    True
    """
    said = without_thoughts(text[:_LONGEST].translate(_MEDALS)).replace("\r\n", "\n").rstrip().lstrip("\n")
    if not text.strip() or ("\n" not in said and any(map(str.isalpha, said)) and is_nothing(said.strip(" *_#`\"'"))):
        return []
    with suppress(Unread):
        said = _NO_TEXT.sub("", said if "\n" in said else re.sub(r'^"([^"]*)"$', r"\1", plain(said)))
        said = without_table(without_json(without_tags(said)))
        return None if _UNRANKED.search(said) else _ranked(sections_of(_LABEL_BEHIND.sub("\n", said)))
    return None


def _ranked(sections: Sequence[Section]) -> list[str]:
    """What a label or a sentence names first, then the one list, then what is beside it. Errors: `Unread` where other text may change that."""
    names, beside, aside = list[str](), list[str](), list[str]()
    labelled = any(one.kind == Kind.LEAD and (one.text or len(one.entries) == 1) for one in sections)
    for one in sections:
        leads_in = bool(one.text) and LEADS_IN.match(one.text[-1])
        thinks = one.kind == Kind.TEXT and one.text != [] and not leads_in
        certain((labelled and not names) or not (thinks and one.entries))
        if one.kind == Kind.ASIDE or (thinks and labelled and not names):
            aside += one.text
            continue
        alone = not one.entries and all(other.kind == Kind.ASIDE and not any(other.numbers) for other in sections[1:])
        for kind, more in _stated(one, len(names), alone, beside):
            known = [[{a.casefold()} <= _forms(b) or {b.casefold()} <= _forms(a) for b in names] for a in more]
            if kind == Kind.LEAD and any(known[0]) and (known[0][0] or one.kind == Kind.LEAD):
                names.insert(0, names.pop(known[0].index(True)))  # a labelled final diagnosis goes before the list
                continue
            fits = kind == Kind.OTHERS or (kind == Kind.LIST and len(names) == 1) if names else kind != Kind.OTHERS
            places = [of.index(True) for of in known if any(of)]
            certain(fits and places == sorted(places) and not any(names and of[0] for of in known[1:]))
            names += [name for name, of in zip(more, known, strict=True) if not any(of)]
    listed = any(len(one.entries) > 1 and one.kind != Kind.ASIDE for one in sections)
    certain(names and all(LEADS_IN.match(one) or _is_remark(one, names, listed) for one in beside))
    told = " ".join(aside).casefold()
    certain(
        Kind.LEAD in {one.kind for one in sections}
        or not _LEADS.search(told)
        or any(form in told for form in _forms(names[0]))
    )
    *ended, last = [entry.rstrip(" *_")[-1:] in ".!?" for entry in sections[-1].entries] or [True]
    certain(last or sections[-1].below or not (ended and all(ended)))  # else the last one is broken off
    return names


def _is_remark(sentence: str, names: Sequence[str], listed: bool) -> bool:
    """Whether a sentence leaves an answer as it is.

    Beside a list it may speak of tests, of diseases that are not in it, and for its first; not against that, of a later one, or of the order.
    """
    if not listed:
        return not _UNSETTLED.search(sentence)
    told = sentence.casefold()
    first, *others = (any(form in told for form in _forms(name)) for name in names)
    first = first or re.search(r"\bfirst\b|#1\b", told)
    doubted = any(others) or (_DENIED if first else _LEADS).search(sentence)
    return not (doubted or _REORDERS.search(sentence))


def _forms(name: str) -> set[str]:
    """A name whole, without the brackets at its end, and what stands in these."""
    return {name.casefold(), *re.split(r"\s*\(([^()]*)\)$", name.casefold())} - {""}


def _stated(one: Section, so_far: int, alone: bool, beside: list[str]) -> Iterator[tuple[Kind, list[str]]]:
    """What a section states. so_far : names before it. alone : whether it is a text, and no other. beside : takes what else is said in it."""
    text, entries, kind = one.text, one.entries, Kind.LEAD if one.kind == Kind.TEXT else one.kind
    if text and (alone if one.kind == Kind.TEXT else (kind == Kind.LEAD or one.own or not entries)):
        lines, entries = text[:1] if one.own else text, []
        parts = lines if len(lines) > 1 else [part for part in _APART.split(text[0].rstrip(" .")) if part.strip()]
        first, *more = _SENTENCE_END.split(text[0])
        if len(parts) > 1 and (names := names_of(parts)):
            yield Kind.OTHERS if kind == Kind.OTHERS else Kind.LIST, names
            text = text[len(lines) :]
        elif parts and (
            kind != Kind.LEAD or (not _said(first) and (one.kind == Kind.LEAD or len(text) + len(more) == 1))
        ):
            certain(kind == Kind.LEAD or len(parts) == 1)
            yield kind, named(kind, first, 1)
            text = [*more, *text[1:]]
    for line in [*text, *one.below]:
        certain(says(line) or len(line.split()) > FEW or LEADS_IN.match(line))
        for sentence in filter(str.strip, _SENTENCE_END.split(line)):
            if said := _said(sentence):
                yield said
            else:
                beside.append(sentence)
    if entries:
        shares = [float(found[1]) for entry in entries if (found := _SHARE.search(entry))]
        names = names_of(entries)
        if len(shares) == len(names) and not any(one.numbers):  # they are the only ranks
            names = [name for _, name in sorted(zip(shares, names, strict=True), key=lambda of: -of[0])]
            shares.sort(reverse=True)
        certain(names and shares == sorted(shares, reverse=True) and one.numbers[0] in (0, 1, so_far + 1))
        yield (
            Kind.OTHERS if one.numbers[0] > 1 else Kind.LIST if kind == Kind.LEAD and len(entries) > 1 else kind,
            names,
        )


def _said(sentence: str) -> tuple[Kind, list[str]] | None:
    """What a sentence states in a known form."""
    bare = plain(sentence).rstrip(" :.")
    for found in filter(None, (frame.fullmatch(bare) for frame in _FRAMES if len(bare) < _LONGEST_SENTENCE)):
        kind = kind_of(found.groupdict().get("label", "diagnosis"))
        if kind in OF_NAMES and " but " not in bare:
            with suppress(Unread):
                certain(not _UNSETTLED.search(f"{found['clause']} {found['name']}"))
                return kind, named(kind, _AROUND_A_NAME.sub("", found["name"]))
    return None
