"""One entry of a list, or what stands behind a label -> the name of a disease in it; None where it is no name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...terms.text.sentences import is_sentence, says_nothing

MOST_WORDS = 14
"""Words of the longest name; what is longer says something."""
_REMARK = 4
"""Words from which what stands behind a colon, a dash, or in brackets is a remark and not a part of the name."""
_MARKS = re.compile(r"\*\*|__|`|~~|(?<!\w)[*_](?=\w)|(?<=[\w)])[*_](?!\w)")
_BOLD = re.compile(r"\*\*(.+?)\*\*:?\s*(?=$|[:(–—,.-]|is\b|due\b)")
_QUOTES = "\"'“”‘’«»"
_CODE = r"[A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?"
_ICD = r"ICD[\s-]*(?:1[01])?(?:-?CM)?(?:\s*codes?)?\s*[:\s-]\s*"
_BESIDE = (
    re.compile(r"\s*\[\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\]"),  # citations
    re.compile(rf"[\s,–-]*[(\[]\s*(?:{_ICD})?{_CODE}(?:\s*[,;/]\s*{_CODE})*\s*[)\]]|[\s,–-]+{_ICD}{_CODE}$|^{_CODE}\s*[:–-]\s+(?=[A-Za-z])"),
)  # fmt: skip
"""Codes and citations, which stand in a name's line."""
_LIKELIHOOD = (
    r"(?:(?:likelihood|probability|confidence|certainty|score|p)\s*[:=]?\s*)?"
    r"(?:[~≈<>]?\s*\d{1,3}(?:\.\d+)?(?:\s*[-–]\s*\d{1,3}(?:\.\d+)?)?\s*%|[01]?\.\d{1,4}|\d{1,2}\s*/\s*10"
    r"|(?:(?:very|most|more|less|least|highly|moderately|quite|somewhat)\s+)?(?:likely|unlikely|probable|probably|possible|(?:low|moderate)[-–](?:moderate|high)|high|medium|moderate|low))"
    r"(?:\s*(?:likelihood|probability|confidence|certainty|chance))?"
)
_LIKELY = re.compile(rf"(?:\s*[(\[]\s*{_LIKELIHOOD}\s*[)\]]|\s*[,:;–—-]\s*{_LIKELIHOOD})\s*\.?\s*$", re.IGNORECASE)
_HOW_LIKELY = r"(?:(?:most|less|least|also|very)\s+)?(?:likely|possible|probable|consider)|likeliest|unlikely"
_LABEL = re.compile(
    rf"(?:(?:most\s+likely|likely|possible|probable|leading|primary|main|top|alternative)?\s*(?:diagnosis|disease|condition|dx|name)|{_HOW_LIKELY})\s*:\s*(?=\S)",
    re.IGNORECASE,
)
_NO_NAME = re.compile(
    r"(?:(?:important\s+)?notes?|disclaimer|caution|warning|summary|conclusion|reason(?:ing|s)?|rationale|explanation|evidence|justification|key\s+\w+"
    r"|confidence|likelihood|probability|treatment|management|plan|tests?|work-?up|investigations?|recommendations?|next\s+steps?|symptoms|findings"
    r"|history|follow-?up|question|patient|supporting|against|for|step|d/?dx|dd)\b(?:\s+\w+)?\s*:",
    re.IGNORECASE,
)
_REMARKS = (re.compile(r"\s*:\s+|\s*—\s*"), re.compile(r"\s+[-–]\s+"), re.compile(r"\s*\(([^()]*)\)\s*$"))
_PART_OF_NAME = re.compile(
    r"(?:sub)?type\b|stage\b|grade\b|class\b|due\s+to\b|secondary\s+to\b|acute\b|chronic\b|left\b|right\b|bilateral\b|unspecified\b|NOS\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"[,;]?\s+(?:because|since|given|considering|(?:as\s+)?(?:evidenced|suggested|supported|indicated|shown|characterized)\s+by|based\s+on"
    r"|in\s+(?:view|light)\s+of|in\s+(?:an?|this|the)\s+(?:\S+\s+)?(?:patient|man|woman|child|infant|boy|girl))\b.*$"
    r"|[,;]\s+(?:as|which|especially|particularly)\s+.*$",
    re.IGNORECASE | re.DOTALL,
)
_NEXT_SENTENCE = re.compile(r"(?<=[a-z)\]]{2})[.!?]\s+(?=[A-Z]).*$", re.DOTALL)
_SAYS = re.compile(
    r"\b(?:is|are|was|were|has|have|had|been|would|could|should|can|cannot|may|might|must|will|we|you|he|she|they|it|this|that|these|which|who|whose"
    r"|patients?|please|however|because|since|suggests?|indicates?|recommend\w*|[Cc]onsider\w*|presents?|shows?|needs?|perform|obtain|order|check|refer"
    r"|start|give|include[sd]?|(?<!\()including|ruled?|excluded?|does|think|suspect(?:ed)?|doctor|evaluation|versus|vs|either|instead|alternatively|not|no\s+evidence|[Ww]hat|[Hh]ow|[Ww]hy)\b"
    r"|^(?:I|Let|Here|See)\b(?=\s+[a-z])|\bI\s+(?:think|would|believe|suspect|am|cannot|can)\b|\b(?:I|[Ii]t|[Tt]hat|[Tt]here)['’](?:s|d|m|ll)\b|n't\b|\?|(?i:\br(?:ule[sd]?\s+|/)o(?:ut)?\b)"
    r"|\b(?:confirms?|points?\s+to|explains?|fits?|ist|sind|est|sont|trata|handelt)\b|\bè\b|\byears?[\s-]old\b|\b(?:wo)?man\s+with\b",
)
_NOT_SAYING = re.compile(
    r"\bnot\s+(?:(?:otherwise|elsewhere)\s+)?(?:specified|classified)\b|\b(?:graft|host)[\s-]+v(?:ersu)?s\.?[\s-]+(?:host|graft)\b", re.IGNORECASE
)  # fmt: skip
_DENIES = re.compile(
    r"(?:consistent\s+with|presentation|concern\s+for|not|no|never|without|negative\s+for|absence\s+of|unlikely|against|exclude[sd]?|low\s+suspicion)\b(?!-)",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"[\s:(–—-]*(?:unlikely,?\s+)?(?:(?:is|was|has|have|been|already|now)\s+)*(?:ruled[ -]out|excluded|rejected|not\s+(?:likely|present|supported|consistent))\b",
    re.IGNORECASE,
)
_CERTAINLY = re.compile(
    r"(?:(?:(?:most|more|less|least|very)\s+)?(?:likely|probably|probable)|suspected|definitely|certainly|clearly)\s+(?=\w)",
    re.IGNORECASE,
)
_OF_NO_NAME = re.compile("[%=\u20e3：、。，；（）]|\\s\\(?\\d{1,2}[.)]\\s|^[\\[{<|#·•・\u2460-\u25ff]")
"""Shares, numbers of a list, the marks of Chinese sentences."""


def plain(text: str) -> str:
    """Takes the marks of bold, italics and code away."""
    return _MARKS.sub("", text).strip()


def says(text: str) -> bool:
    """Tells whether a text says something rather than naming it: it holds a verb, a pronoun, a question or a denial."""
    return _SAYS.search(_NOT_SAYING.sub("", text)) is not None


def name_of(text: str) -> str | None:
    """Gives the name in one entry alone; as `names_of`."""
    found = names_of([text])
    return None if found is None else found[0]


def names_of(entries: Sequence[str]) -> list[str] | None:
    """Gives the names in the entries of one list, without what is said of them: likelihoods, codes, reasons.

    What stands behind a colon, a dash, or in brackets at the end is a reason where it has four words, or where each of several entries has
    such ("Gout - red toe", "Sepsis - fever"), or more than half a colon; but for short forms, "lupus (SLE)", and parts of a name,
    "diabetes: type 2". None where one is no name.

    >>> names_of(["**Gout** (60%): red toe", "Pseudogout - knee of an old man"])
    ['Gout', 'Pseudogout']
    >>> names_of(["Order an ECG", "The patient should rest"]) is None
    True
    """
    names = [_head(entry) for entry in entries]
    for mark in _REMARKS:
        if None in names:
            return None
        found = [mark.search(name or "") for name in names]
        remarked = [one for one in found if one and not _belongs(_behind(one))]
        enough = len(names) if mark is not _REMARKS[0] else len(names) // 2 + 1
        always = len(names) > 1 and len(remarked) >= enough
        names = [_cut(name or "", one, mark, always) for name, one in zip(names, found, strict=True)]
    whole = [None if name is None else _whole(name) for name in names]
    return None if None in whole or not whole else [name for name in whole if name]


def _head(entry: str) -> str | None:
    """An entry without marks, label, codes and likelihoods; None where it is denied, or a note."""
    text = entry.strip()
    bold = _BOLD.match(text)
    if bold is not None and _LABEL.match(f"{plain(bold[1]).rstrip(':')}: x") is None:
        rest = plain(text[bold.end() :])
        if _DENIED.match(rest):
            return None
        if not (rest.startswith("(") and _belongs(rest.strip(" ()"))):
            text = bold[1]
    text = plain(text)
    if _NO_NAME.match(text) or _DENIED.match(text):
        return None
    text = _LABEL.sub("", text, count=1) if _LABEL.match(text) else text
    for beside in _BESIDE:
        text = beside.sub("", text) or text
    text = _NEXT_SENTENCE.sub("", text)
    while (shorter := _LIKELY.sub("", text)) != text and shorter.strip():
        text = shorter
    return text.strip()


def _behind(found: re.Match[str]) -> str:
    return found.string[found.start() :].strip(" :-–—()")


def _cut(text: str, found: re.Match[str] | None, mark: re.Pattern[str], always: bool) -> str | None:
    """A text without the remark at its end; None where that denies what stands before it."""
    if found is None or not text[: found.start()].strip():
        return text
    behind = _behind(found)
    if mark is _REMARKS[2] and text[: found.start()].isupper() and not says(behind):
        return text  # "CRPS (complex regional pain syndrome)"
    if _DENIED.match(behind):
        return None
    several = mark is _REMARKS[1] and mark.search(text, found.end()) is not None  # "ataxia - deafness - ... syndrome"
    is_remark = (len(behind.split()) >= _REMARK or says(behind)) and _PART_OF_NAME.match(behind) is None and not several
    return text[: found.start()] if is_remark or (always and not _belongs(behind)) else text


def _belongs(behind: str) -> bool:
    """Whether it is a short form, or belongs to the name before it."""
    return len(behind.split()) < _REMARK and (
        (" " not in behind and sum(map(str.isupper, behind)) > 1) or _PART_OF_NAME.match(behind) is not None
    )


def _whole(text: str) -> str | None:
    """The name itself; None where it is too long for one, says or denies something, or is no name by its letters."""
    name = _LIKELY.sub("", _CERTAINLY.sub("", _REASON.sub("", text.strip()))).strip(" .,;:!*_–")
    name = re.sub(r"^-+\s*|\s+-$", "", name).strip()
    if name[:1] in _QUOTES and name[-1:] in _QUOTES and not any(mark in name[1:-1] for mark in '"“”'):
        name = name[1:-1].strip(" .,;")
    if any(map(str.isalpha, name)) and says_nothing(name):
        return name
    if sum(map(str.isalnum, name)) < 2 or not any(map(str.isalpha, name)) or _OF_NO_NAME.search(name):
        return None
    if len(name.split()) > MOST_WORDS or says(name) or _DENIES.match(name) or is_sentence(name, name):
        return None
    return name
