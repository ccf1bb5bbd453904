"""One entry of a list, or what stands behind a label -> the name of a disease in it; None where it is no name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...terms.text.sentences import is_sentence, says_nothing
from .answer_labels import ASIDE, LIST, kind_of, plain

_MOST_WORDS = 14
"""Words of the longest name; what is longer says something."""
_REMARK = 4
"""Words from which what stands behind a colon, a dash, or in brackets is a remark and not a part of the name."""
_BOLD = re.compile(r"\*\*(.+?)\*\*:?\s*(?=$|[:(–—,.-]|is\b|due\b)")
_QUOTES = "\"'“”‘’«»"
_CODE = r"[A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?"
_ICD = r"ICD[\s-]*(?:1[01])?(?:-?CM)?(?:\s*codes?)?\s*[:\s-]\s*"
_LIKELIHOOD = (
    r"(?:(?:likelihood|probability|confidence|certainty|score|chance|p|very|most|more|less|least|highly|moderately|quite|somewhat|(?:un)?likely|probabl[ey]|possible"
    r"|high|medium|moderate|low)\b|\d{1,3}(?:\.\d+)?\s*%|\d{1,3}(?=\s*[-–]\s*\d)|[01]?\.\d{1,4}|\d{1,2}\s*/\s*10|[\s:=~≈<>–-])+"
)
_BESIDE = (
    re.compile(r"\s*\[\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\]"),  # citations
    re.compile(rf"[\s,–-]*(?:[(\[]\s*(?:{_ICD})?{_CODE}(?:\s*[,;/]\s*{_CODE})*\s*[)\]]|[\s,–-]{_ICD}{_CODE}$)"),
    re.compile(r"(?<=[a-z)\]]{2})[.!?]\s+(?=[A-Z]).*$", re.DOTALL),  # the next sentence
    re.compile(rf"(?:\s*[(\[]\s*{_LIKELIHOOD}\s*[)\]]|\s*[,:;–—-]\s*{_LIKELIHOOD})\s*\.?\s*$", re.IGNORECASE),
)
"""What stands in a name's line, beside it."""
_LABEL = re.compile(r"([^:(\[—–]{2,40}):\s*(?=\S)")
_REMARK_MARK = re.compile(r"\s*:\s+|\s*—\s*|\s+[-–]\s+|\s*\((?=[^()]*\)\s*$)")
_OF_NAME = re.compile(
    r"(?i:(?:sub)?type|stage|grade|class|due\s+to|secondary\s+to|acute|chronic|left|right|bilateral|unspecified|NOS)\b|\S*[A-Z]\S*[A-Z]\S*$"
)
"""Parts of a name, and its short form."""
_GROUP = re.compile(r"\w+(?:ous|ac|al|ary|ory|ic|ive|lar|mune|crine)|GI")
"""Before a colon: what kind of disease follows, "Cardiac: heart failure"."""
_REASON = re.compile(
    r"[,;]?\s+(?:because|since|given|considering|(?:as\s+)?(?:evidenced|suggested|supported|indicated|shown|characterized)\s+by|based\s+on"
    r"|in\s+(?:view|light)\s+of|in\s+(?:an?|this|the)\s+(?:\S+\s+)?(?:patient|man|woman|child|infant|boy|girl))\b.*$"
    r"|[,;]\s+(?:as|which|especially|particularly)\s+.*$",
    re.IGNORECASE | re.DOTALL,
)
_SAYS = re.compile(
    r"\b(?:is|are|was|were|has|have|had|been|would|could|should|can|cannot|may|might|must|will|we|you|he|she|they|it|this|that|these|which|who|whose"
    r"|patients?|please|however|because|since|suggests?|indicates?|recommend\w*|[Cc]onsider\w*|presents?|shows?|needs?|perform|obtain|order|check|refer"
    r"|start|give|include[sd]?|(?<!\()including|ruled?|excluded?|does|think|information|determined?|listed|follows|below|suspect(?:ed)?|doctor|evaluation|(?:versus|vs)\b(?![-\s.]*host)|either|instead|alternatively|not\b(?!\s+(?:otherwise|elsewhere|specified))|no\s+evidence|[Ww]hat|[Hh]ow|[Ww]hy)\b"
    r"|^(?:I|Let|Here|See|This|These|It|He|She|They|We|You|There)\b(?=\s+[a-z])|\bI\s+(?:think|would|believe|suspect|am|cannot|can)\b|\b(?:I|[Ii]t|[Tt]hat|[Tt]here)['’](?:s|d|m|ll)\b|n't\b|\?|\be\.g\.|(?i:\br(?:ule[sd]?\s+|/)o(?:ut)?\b)"
    r"|\b(?:confirms?|points?\s+to|explains?|fits?|(?:sound|look)s\s+like|ist|sind|est|sont|trata|handelt)\b|\bè\b|\byears?[\s-]old\b|\b(?:wo)?man\s+with\b",
)
DENIES = re.compile(
    r"(?i)(?:(?:unlikely,?|is|was|has|been|already)\s+)*(?:ruled[ -]out|excluded|rejected|not\s+(?:likely|present|supported))\b"
)
_CERTAINLY = re.compile(
    r"(?i)(?:(?:(?:most|more|less|least|very)\s+)?(?:likely|probabl[ey])|suspected|definitely|certainly|clearly)\s+(?=\w)"
)
_NO_NAME = re.compile(
    "[%=\u20e3：、。，；（）]|\\s\\(?\\d{1,2}[.)]\\s|^\\w[:)]\\s|^[\u2460-\u25ff]|^[^\\w\"'“‘«„`]"
    "|;(?![^()]*\\))|^(?i:consistent\\s+with|presentation|concern\\s+for|not|no|never|without|negative\\s+for|absence\\s+of|unlikely|against|excluded?|low\\s+suspicion|d/?dx|dd|due\\s+to|secondary\\s+to|related\\s+to)\\b(?!-)"
)
"""Shares, numbers of a list, the marks of Chinese sentences; a denial."""


def says(text: str) -> bool:
    """Tells whether a text says something rather than naming it: it holds a verb, a pronoun, a question or a denial."""
    return _SAYS.search(text) is not None


def name_of(text: str) -> str | None:
    """Gives the name in one entry alone; as `names_of`."""
    found = names_of([text])
    return found[0] if found else None


def names_of(entries: Sequence[str]) -> list[str] | None:
    """Gives the names in the entries of one list, without what is said of them: likelihoods, codes, reasons.

    What stands behind a colon, a dash, or in brackets at the end is a reason where it has four words or a verb; behind a colon or a dash also where
    more than half of several entries have such ("Gout - red toe", "Sepsis - fever"). Short forms, "lupus (SLE)", and parts of a name,
    "diabetes: type 2", stay. None where one is no name.

    >>> names_of(["**Gout** (60%): red toe", "Pseudogout - knee of an old man"])
    ['Gout', 'Pseudogout']
    >>> names_of(["Order an ECG", "The patient should rest"]) is None
    True
    """
    heads = [_head(entry) for entry in entries]
    if None in heads or not heads:
        return None
    bare = [head or "" for head in heads]
    often = len(bare) > 1 and sum(_cut(head, True) != head for head in bare) * 2 > len(bare)
    names = [_whole(_cut(head, often)) for head in bare]
    grouped = len(names) > 1 and any(_GROUP.fullmatch(name or "") for name in names)
    return None if None in names or grouped else [name for name in names if name]


def _head(entry: str) -> str | None:
    """An entry without marks, label, codes and likelihoods; None where it is denied, or a note."""
    text = entry.strip()
    bold = _BOLD.match(text)
    label = _LABEL.match(plain(text))
    kind = kind_of(label[1]) if label else None
    if kind in (ASIDE, LIST):
        return None
    if label and kind is not None:
        text = plain(text)[label.end() :]
    elif bold is not None and not text[bold.end() :].startswith("("):
        if DENIES.match(plain(text[bold.end() :]).strip(" :–—-")):
            return None
        text = bold[1]
    return plain(text)


def _cut(text: str, often: bool) -> str | None:
    """A text without the remark at its end; None where that denies what stands before it. often : most entries have one."""
    for mark in _REMARK_MARK.finditer(text):
        before, behind = text[: mark.start()], text[mark.end() :].strip(" )")
        in_brackets = len(re.findall(r"[(\[]", before)) > len(re.findall(r"[)\]]", before))
        if not before.strip() or in_brackets or _OF_NAME.match(behind):
            continue
        if DENIES.match(behind):
            return None
        if len(behind.split()) >= _REMARK or says(behind) or (often and "(" not in mark[0]):
            return _cut(before, often)
    return text


def _whole(text: str | None) -> str | None:
    """The name itself; None where it is too long for one, says or denies something, or is no name by its letters."""
    name = text or ""
    for beside in _BESIDE * 2:
        name = beside.sub("", name).strip() or name
    name = _CERTAINLY.sub("", _REASON.sub("", name)).strip(" .,;:!*_–-").strip()
    if name[:1] in _QUOTES and name[-1:] in _QUOTES and not any(mark in name[1:-1] for mark in '"“”'):
        name = name[1:-1].strip(" .,;")
    if any(map(str.isalpha, name)) and says_nothing(name):
        return name
    no_name = sum(map(str.isalnum, name)) < 2 or not any(map(str.isalpha, name)) or _NO_NAME.search(name)
    return None if no_name or len(name.split()) > _MOST_WORDS or says(name) or is_sentence(name, name) else name
