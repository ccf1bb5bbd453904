"""One entry of a list without what is said about it, and what cannot be the name of a disease."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from ....terms.text.sentences import is_sentence
from .qualifiers import qualifies
from .reasons import reads_as_reason, without_labelled_reason
from .said import without_why
from .suspicion import ties_two, without_suspicion

MAX_WORDS = 25
"""Words; more of them are a sentence, not the name of a disease."""
MAX_LINE = 500
"""Characters; no name is so long, and no pattern is slow on what is left."""

_MIN_WORDS_OF_A_REMARK = 4
_MARKS = re.compile(r"\*\*|__|`|~~")
_HEADING = re.compile(r"^\s*#{1,6}\s+|^\s*>\s?")
_BULLET = re.compile(r"^(\s*)(?:[-*•–—+◦▪‣·●►▶➤]\s+|・\s*)(.*)")
BOLD = re.compile(r"^\*\*(.+?)\*\*")
_LINK = re.compile(r"\[([^\[\]]{1,100})\]\([^()\s]{1,200}\)")
_CITED = re.compile(r"\s*\[\d{1,3}(?:\s*[,–-]\s*\d{1,3}){0,9}\]")
_CODE = r"[A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?"
_CODES = re.compile(
    rf"\s*[(\[]\s*(?:ICD[\s-]*(?:10|11)?(?:[\s-]*CM)?(?:\s+codes?)?\s*[:\s-]\s*)?{_CODE}(?:\s*[,;/–-]\s*{_CODE}){{0,5}}\s*[)\]]"
)
_DEGREE = (
    r"(?:(?:most|more|less|least|very|highly|somewhat|quite|extremely|fairly)\s+)?(?:likely|unlikely|probable|probably|possible|possibly|plausible)"
    r"|(?:very\s+)?(?:high|moderate|medium|low)(?:[\s-]+(?:to[\s-]+)?(?:high|moderate|medium|low))?"
    r"(?:\s+(?:likelihood|probability|confidence|suspicion|risk))?"
)
_NUMBER = r"[~≈<>]?\s*(?:\d{1,3}(?:\.\d+)?\s?(?:[-–]\s?\d{1,3}(?:\.\d+)?\s?)?%|0?\.\d{1,4}|[01]\.0{1,4})"
_SAID_OF_IT = r"(?:likelihood|probability|confidence|prob\.?|score|p)"
_LIKELIHOOD = re.compile(
    rf"[\s,:–—-]*[(\[]\s*(?:{_SAID_OF_IT}\s*[:=]?\s*)?(?:{_NUMBER}|{_DEGREE})(?:\s*{_SAID_OF_IT})?\s*[)\]]\s*$"
    rf"|[\s,:–—-]+(?:{_SAID_OF_IT}\s*[:=]?\s*)?{_NUMBER}(?:\s*{_SAID_OF_IT})?\s*$"
    rf"|\s*[,:–—]\s*(?:{_SAID_OF_IT}\s*[:=]?\s*)?(?:{_DEGREE})\s*$|\s+-\s+(?:{_SAID_OF_IT}\s*[:=]?\s*)?(?:{_DEGREE})\s*$"
    rf"|\s+{_SAID_OF_IT}\s*[:=]\s*(?:{_NUMBER}|{_DEGREE})\s*$",
    re.IGNORECASE,
)
_REMARK = re.compile(r"\s+[-–—]\s+|:\s+|：\s*|—")
_OWN_LABEL = re.compile(
    r"^(?:(?:(?:most likely|possible|likely)\s+)?(?:diagnosis|disease|condition|dx)|(?:most|also|less|least|very)\s+(?:likely|probable|possible)|"
    r"likely|possible|probable|alternative|consider|also consider|(?:疾病|诊断)(?:名称)?|病名|diagnose|диагноз)\s*[:：]\s*(?=\S)",
    re.IGNORECASE,
)
_OTHER_LANGUAGES = re.compile(
    r"^(?:(?i:am ehesten|a\. ?e\.|(?:hochgradiger )?verdacht auf|v\. ?a\."
    r"|es handelt sich (?:(?!nicht\b|kein)[\w-]+ ){0,4}um|(?:die|meine) (?:[\w-]+ ){0,2}(?:verdachts)?diagnose (?:ist|lautet):?(?: am ehesten)?"
    r"|(?:le|mon) diagnostic (?:[\w-]+ ){0,3}est(?: probablement)?|il s['’]agit (?:(?!pas\b)[\w-]+ )?d(?:e|['’](?=\s*une?))"
    r"|el diagnóstico (?:[\w-]+ ){0,3}es|se trata (?:[\w-]+ )?de|la diagnosi (?:[\w-]+ ){0,3}è|si tratta (?:(?!non\b)[\w-]+ )?di"
    r")|DDx?:?)\s*(?<=[\s'’:])(?i:(?:eine[mnrs]?|ein|une?|una?)\s+)?(?=\S)"
)
"""What German, French, Spanish and Italian say before the diagnosis, with its article."""
_OPTION = re.compile(r"^\(?[A-H]\)\s+(?=\S)")
_ANOTHER_SENTENCE = re.compile(r"(?<=[a-z)]{3})[.!?]\s+(?=[A-Z]).*$", re.DOTALL)
_OUT = r"(?:ruled[ -]out|excluded|not (?:likely|present|supported|consistent)|been rejected|rejected)"
_RULED_OUT = re.compile(rf"[\s,:(\[–—-]\s*(?:already |now |can be |has been |was |is )*{_OUT}\b.*$", re.IGNORECASE)
_DENIED = re.compile(
    r"^(?:not|no|never|without|neither|unlikely|rule[sd][ -]out|exclude[sd]|exclusion of|absence of|negative for|against)\b(?!-)",
    re.IGNORECASE,
)
_AUXILIARY = re.compile(r"[\s,;]+(?:(?:and|but|it|this|that|is|are|has|have)[\s,]+)*$", re.IGNORECASE)
_CERTAINLY = re.compile(r"^(?:definitely|certainly|clearly|surely|obviously|almost certainly)\s+", re.IGNORECASE)
_WHY_IN_BRACKETS = re.compile(
    r"\s*[(\[](?!history of|past|prior|previous)(?=[^()\[\]]*\s)(?=[^()\[\]]*\b(?:history|labs?|given|consistent|consider|fits?|because|supported|suggests?|"
    r"suggestive|explains?|typical|classic|based on|presentation|findings|symptoms)\b)[^()\[\]]*[)\]]\s*$",
    re.IGNORECASE,
)
_NOT_ANOTHER = re.compile(r"\s*[(\[](?:not|no|rather than|less likely|instead of)\b[^()\[\]]*[)\]]", re.IGNORECASE)
_OF_A_PATIENT = re.compile(
    r"\b(?:\d+[\s-]*years?[\s-]*old|(?:man|woman|boy|girl|patient|male|female|child|infant)\s+with)\b", re.IGNORECASE
)
_AROUND = re.compile(r"^[\s.,;:：。；、*_?!]+|[\s.,;:：。；、*_?!]+$")
_QUOTES = "\"'“”‘’"
_OPENED = re.compile(r"[\s(/-][\"'“‘][^\"“”]*$")
_CLOSED = re.compile(r"^[^\"“”]*[^\W_][\"'”’][\s)/,-]")
_LETTERS = re.compile(r"[^\W\d_]")


def plain(line: str) -> str:
    """Without the marks of a heading, bold, code and links."""
    return _LINK.sub(r"\1", _MARKS.sub("", _HEADING.sub("", line)))


def bullet(line: str) -> tuple[int, str] | None:
    """How far a bullet is indented, and what stands behind it; None for a line without."""
    found = _BULLET.match(line)
    return None if found is None else (len(found[1].expandtabs(4)), found[2])


def without_bullet(line: str) -> str:
    found = bullet(line)
    return line if found is None else found[1]


def unmarked(line: str) -> str:
    return plain(without_bullet(_HEADING.sub("", line))).strip()


def without_heading(line: str) -> str:
    return _HEADING.sub("", line)


def is_denied(text: str) -> bool:
    """Whether a text names a disease to say that it is not there: "not Crohn's disease", "no evidence of pneumonia"."""
    return _DENIED.match(without_suspicion(text.strip())[0]) is not None


def is_degree(text: str) -> bool:
    """Whether a text is a likelihood and no more: "60 %", "very likely", "low probability"."""
    return _LIKELIHOOD.fullmatch(f" ({text.strip(' .()')})") is not None


def remarks_shown(entries: Iterable[str]) -> frozenset[str]:
    """The marks, ":" or "-", behind which entries of a list have remarks, so that what is short behind them is one, too."""
    found = [(text, _REMARK.search(text)) for text in map(plain, entries)]
    return frozenset(_mark(remark) for text, remark in found if remark and _is_remark(text, remark))


def _mark(remark: re.Match[str]) -> str:
    return ":" if remark[0].strip() in (":", "：") else "-"


def _is_remark(name: str, remark: re.Match[str], shown: Collection[str] = ()) -> bool:
    behind = name[remark.end() :]
    if reads_as_reason(behind):
        return True
    if (_mark(remark) in shown or _ends_as_a_sentence(remark, behind)) and not qualifies(behind.rstrip(" .")):
        return True
    return len(behind.split()) >= _MIN_WORDS_OF_A_REMARK - ("—" in remark[0])


def _ends_as_a_sentence(remark: re.Match[str], behind: str) -> bool:
    """Behind a colon, with a capital and a full stop: "Gout: Red toe."; or with that of Chinese."""
    behind = behind.rstrip()
    return _mark(remark) == ":" and (behind.endswith("。") or (behind.endswith(".") and behind[:1].isupper()))


def name_of(entry: str, shown: Collection[str] = ()) -> str:
    """An entry without what is said about it: its likelihood, a code in brackets, a remark. "" where it is said not to be there.

    What must be ruled out is there. `shown` : see `remarks_shown`.

    >>> name_of("**STEMI** - raised troponin"), name_of("Crohn's disease (K50.9), 60 %"), name_of("PE (ruled out)")
    ('STEMI', "Crohn's disease", '')
    """
    entry = without_labelled_reason(entry[:MAX_LINE].strip())
    bold = BOLD.match(entry)
    if bold and _OWN_LABEL.match(f"{bold[1].rstrip(':： ')}: x"):
        bold = None
    before, wording = without_suspicion(plain(entry).strip())
    if _RULED_OUT.search(before):
        return ""
    if bold:
        before, wording = without_suspicion(plain(bold[1]).strip())
    name = _without_its_remark(before) if wording else before
    name = _OTHER_LANGUAGES.sub("", _OPTION.sub("", _OWN_LABEL.sub("", name)))
    if not bold or not name.endswith((":", "：")):
        remark = _REMARK.search(name)
        if remark and _is_remark(name, remark, shown):
            name = name[: remark.start()]
    name = _WHY_IN_BRACKETS.sub("", name)
    name = _NOT_ANOTHER.sub("", _CITED.sub("", _CODES.sub("", _CERTAINLY.sub("", name))))
    for _ in range(3):  # "Flu (J10.1) - 60 % (likely)"
        shorter = _LIKELIHOOD.sub("", name.rstrip(" \t.,;"))
        if shorter == name or not _LETTERS.search(shorter):
            break
        name = shorter
    name = _unquoted(_AROUND.sub("", name))
    return "" if is_denied(name) else name


def _unquoted(name: str) -> str:
    """Without quotes around all of it, but with those around a part: 'postpartum "baby blues"'."""
    while name[:1] and name[0] in _QUOTES and not _CLOSED.search(name[1:]):
        name = _AROUND.sub("", name[1:])
    while name[:1] and name[-1] in _QUOTES and not _OPENED.search(name[:-1]):
        name = _AROUND.sub("", name[:-1])
    return name


def _without_its_remark(text: str) -> str:
    """A name before "must be excluded", without the remark that this ends: "Septic arthritis: fever, "."""
    if text.count("(") > text.count(")"):
        return text[: text.rfind("(")]
    remark = _REMARK.search(text)
    behind = text[remark.end() :].strip(" ,") if remark else ""
    if remark and not (behind and qualifies(behind)):
        text = text[: remark.start()]
    return _AUXILIARY.sub("", without_why(text))


def first_sentence(entry: str) -> str:
    """An entry without the sentences behind its name: "Gout. The toe is swollen."."""
    return _ANOTHER_SENTENCE.sub("", entry[:MAX_LINE])


def says(name: str) -> bool:
    """Whether a text has no word, is too long for a name, tells of a patient, or is a sentence."""
    letters = sum(map(str.isalpha, name))
    return (
        letters == 0
        or (letters == 1 and name.isascii() and not any(map(str.isdigit, name)))
        or len(name.split()) > MAX_WORDS
        or _OF_A_PATIENT.search(name) is not None
        or ties_two(name)
        or is_sentence(name, name.casefold())
    )
