"""The words of an answer: what a label says that it holds, and the name in an entry.

A label is a heading, a word before a colon, a key of JSON, a tag, or the head of a column. A name that does not look like one is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum

from ...terms.text.vocabulary import words_in

_WORDS = """
first diagnosis dx imp answer impression condition disease cause most likely likeliest probable leading primary
principal main working provisional single best final definitive correct suspected clinical overall name st label hypothesis
| diagnoses hypotheses conditions diseases causes differential differentials ddx possible possibly possibilities considerations
potential relevant ranked ranking revised high more less least top candidate candidates
| other others alternative alternatives also still additional remaining secondary unlikely second third fourth fifth
tertiary quaternary next then runner up moderate medium low lower plausible followed nd rd th miss missed
| reason reasons reasoning rationale explanation justification evidence basis finding findings feature features symptom symptoms history why
presentation formulation summary analysis assessment discussion plan management treatment therapy test tests recommendation
recommendations recommended workup work step steps action actions note comment disclaimer confidence likelihood prob rank
probability imaging comorbidities patient question code icd orpha id severity urgency urgent important problem tx rx case
comments error message advice precipitant precipitants trigger triggers excluded ruled recs labs vitals exam specimen allergies meds dispo disposition regards
for supporting against status pros cons thought pathophysiology next immediate further investigation investigations follow caveats what do now
| the my his her a an of in on by to this patient case is are be and but with include includes from here d s tier key do strong
list line table very active estimated consider considered order likelihood probability probabilities decreasing descending not important rank would must cannot two three five
| hello thanks i we you he she they it this that these which who patient patients doctor is are was were has have had
been do does would could should can cannot may might must will please however because since given though although both
either instead what how why let see there then next last also maybe perhaps possibly probably likely unlikely probable
definitely certainly sure diagnosis diagnoses differential firstly followed suggests indicates consider presents points
support supported shows confirms explains fits looks sounds think believe suspect suspected needs perform obtain order
check refer start give include includes including rule ruled r/o exclude excluded information evidence determine
determined listed follows following below unclear uncertain made e.g MRI CT ECG EEG X-ray test tests biopsy scan ist
sind est sont trata handelt è favor favors favour favours
"""
_ONE, _MANY, _BESIDE, _ASIDE, _SAY_NOTHING, _SAYING = map(words_in, _WORDS.split("|"))
_MOST_OF_A_LABEL, _MOST_OF_A_NAME, FEW = 7, 14, 4  # words; so few a remark has, or a heading without a mark
_MARKS = re.compile(r"\*\*|__|`|~~|(?<!\w)[*_](?=\w)|(?<=[\w)])[*_](?!\w)")
_NO_WORDS = re.compile(
    r"(?i)\([^()]*\)|\b(?:for|at this|(?<=differential diagnosis )of)\s.*|^\W*(?:step\s+)?\d+[.):]|[^\w\s'’/-]"
)
_BEHIND_BOLD = re.compile(r"(?<=\S)\*\*:?\s*(?:[:–—-]|is\b)\s*\S.*$")
_REMARK_MARK = re.compile(r"\s*:\s+|\s*—\s*|\s+[-–→]\s+|\s*\((?=[^()]*\)\s*$)")
_CODE = re.compile(r"^(?:(?:OMIM|ORPHA)\W*\d+|[A-TV-Z]\d[0-9A-Z]\.\w+|[1-9]\.)\s*[:–-]?\s+(?=[A-Za-z]{3})")
_OF_NAME = re.compile(r"(?i)(?:type|stage|grade|class|due to|secondary to)\b")  # and no remark
_ASIDE_BRACKET = re.compile(  # a likelihood, a code, or a citation's number
    r"\s*/\s*(?:very\s+)?(?i:high|moderate|medium|low)\s*$|\s*[(\[](?:[^()\[\]]*(?:\d\s*%|\b(?:ICD|OMIM|ORPHA|SNOMED|MONDO)\b"
    r"|(?i:likely|probab|confidence|possible|choice|\bodds|most common|urgen|emergen))[^()\[\]]*|if\s[^()\[\]]*|[+]+|(?:[Vv]ery\s)?(?i:high|moderate|medium|low)"
    r"|[A-TV-Z]\d[0-9A-Z](?:\.\w+)?|[\d ,.–-]+)[)\]]\s*$"
)
_NO_NAME = re.compile(
    r"\.{2}|\d/10\b|<\w|\s\||\d\s?(?:mmol|mg|mOsm|U/L)|\bpH\s\d|^[A-Z ]{9,}\s[–—-]\s[A-Z]{3}|[\[%=?、。，；（）\u20e3\u2460-\u24ff]|;(?![^()]*\))|\s/\s.*\s/\s|\s>\s|\s\(?\d{1,2}[.)]\s|(?<=[a-z]{3})[.!]\s+[A-Z]"
    r"|^\(?(?:\w[):]\s|[A-Za-z]\.\s(?=[A-Z]|\w\.)|\d\s+[A-Z])|^[^\w\"'“‘«„]|\b(?:vs\.?|versus)(?![-\s]*host)"
    r"|(?i:\b(?:and|or)$|\b(?:number|option)\s\d|^most\slikely|proven\sotherwise|\byears?[\s-]old\b|\bnot\b(?!\s+(?:otherwise|elsewhere|specified))"
    r"|^(?:here|consistent with|concern for|no|never|without|negative|against|(?:due|secondary) to|d/?dx|dd)\b(?!-))"
)
DENIES = re.compile(r"(?i)(?:(?:un\w+,?|is|was|has|been)\s+)*(?:(?:ruled[ -]out|excluded|absent)\b|(?:no|false)\W*$)")
COMMA = re.compile(r"\s*,\s+(?:(?:and|or)\s+)?(?![^()]*\))")
LEADS_IN = re.compile(
    r"(?is)(?!.*\b(?:rul(?:ed?|ing)|exclu\w+|unlikely|less|against|before|need|questions?|tests?|other|also|not?)\b)"
    r"(?:.*\b(?:diagnos|differential|ddx|condition|possibilit|cause|consider|likely|think of|my list|based on).*:"
    r"|(?:.*[!.]\s)?(?:here\b|below\b|the following\b|this is (?:a|my) )[^.]*\b(?:diagnoses|differential)\b[^.]*[.:])\s*$"
)
_AND = re.compile(r"\s+(?:and|or)\s+(?![^()]*\))")
_HALF = re.compile(  # what another disease is called by, and no name: "systemic", "left-sided", "type 2"
    r"(?i)(?:(?:sub)?type|stage|grade|class|level|with|without|due|in|of)\b.*|(?:[\w-]+\s+){0,2}(?:[\w-]+(?-i:ous|al|ar"
    r"|[ao]ry|ic|ive|ed|ior)|left|right|severe|acute|variant|foot|mouth|head|neck|ear|nose|deficiency)(?:\s+encounter)?"
)


class Kind(Enum):
    """What a label says that it holds: one, several, those beside a leading one, what is no answer, sentences."""

    LEAD, LIST, OTHERS, ASIDE, TEXT = range(5)


OF_NAMES = (Kind.LEAD, Kind.LIST, Kind.OTHERS)


class Unread(Exception):
    """A text that may be understood in several ways, or in none."""


def certain(holds: object) -> None:
    """Errors: `Unread` where something does not hold."""
    if not holds:
        raise Unread


def plain(text: str) -> str:
    """Takes the marks of bold, italics and code away."""
    return _MARKS.sub("", text).strip()


def kind_of(label: str) -> Kind | None:
    """Gives what stands behind a label: one of all whose words are known; None for any other.

    >>> kind_of("Most likely diagnosis") == Kind.LEAD, kind_of("mostLikelyDiagnosis") == Kind.LEAD, kind_of("Gout")
    (True, True, None)
    """
    bare = _NO_WORDS.sub(" ", re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", plain(label))).casefold()
    told = re.findall(r"[^\W\d_]+", bare)
    words = {*told} - _SAY_NOTHING
    if words and words <= _ONE | _MANY | _BESIDE and label.count("(") == label.count(")"):
        if words & _BESIDE or {*told[:2]} & {"less", "least"}:
            return Kind.OTHERS
        return Kind.LEAD if words <= _ONE else Kind.LIST
    if words and words <= {"conclusion", "takeaway", "bottom", "overview"}:
        return Kind.TEXT
    is_aside = "," not in label and len(told) <= _MOST_OF_A_LABEL and _ASIDE & {*told[:3]} and "revised" not in told
    return Kind.ASIDE if is_aside else None


def says(text: str) -> bool:
    """Tells whether a text says something rather than naming it: it holds a verb, a pronoun, a test, or the like."""
    first, *words = [re.sub(r"n?['’][a-z]+$", "", word) for word in re.findall(r"[\w/.'’-]*\w", text)] or [""]
    return not _SAYING.isdisjoint([first if first.isupper() and len(first) > 1 else first.casefold(), *words])


def names_of(entries: Sequence[str]) -> list[str]:
    """Gives the names in the entries of one list, without what is said of them: likelihoods, codes, reasons; [] where one is no name.

    What stands behind a colon, a dash, or in brackets at the end is a reason where it has four words or a verb; behind a colon or a dash also where
    more than half of several entries have such ("Gout - red toe", "Sepsis - fever"). Short forms, "lupus (SLE)", and parts of a name,
    "diabetes: type 2", stay.

    >>> names_of(["**Gout** (60%): red toe", "Pseudogout - knee of an old man"])
    ['Gout', 'Pseudogout']
    """
    heads = [_CODE.sub("", plain(_BEHIND_BOLD.sub("", entry))) for entry in entries]
    often = len(heads) > 1 and sum(_cut(head, True) != head for head in heads) * 2 > len(heads)
    names = list[str]()
    for head in heads:
        name = _ASIDE_BRACKET.sub("", _ASIDE_BRACKET.sub("", _cut(head, often))).strip(" .,;:!*_–-→★☆⭐")
        is_word = any(map(str.isalpha, name)) and sum(map(str.isalnum, name)) > 1 and name.count("(") == name.count(")")
        is_half = len(heads) > 1 and " " not in name and _HALF.fullmatch(name)
        is_short = len(name.split()) <= _MOST_OF_A_NAME and not says(name) and kind_of(name) is None
        if not is_word or is_half or not is_short or _NO_NAME.search(name):
            return []
        names.append(name)
    return names


def named(kind: Kind, text: str, commas: int = 0) -> list[str]:
    """Gives the names in a part of a sentence: one behind LEAD, with no more commas than so many but before parts of its name, else several.

    Raises
    ------
    Unread
        Where there are others, or one is only half of a name.

    >>> named(Kind.LIST, "gout, lupus (SLE) and giant cell arteritis"), named(Kind.LEAD, "pneumonia, viral")
    (['gout', 'lupus (SLE)', 'giant cell arteritis'], ['pneumonia, viral'])
    """
    text = (_BEHIND_BOLD.sub("", text) if kind == Kind.LEAD else text).strip(" .")
    *parts, last = COMMA.split(text)
    halves = [_HALF.fullmatch(part) is not None for part in [*parts, last][1:]]
    if kind == Kind.LEAD:
        certain(len(halves) <= commas or sum(halves) * 2 >= len(halves))
        certain(not re.search(r"(?<!with )\b(?:or|over)\b", re.sub(r"\([^()]*\)", "", text)))
        parts = [text]
    else:
        certain(parts or " or " not in last)
        parts += [last] if parts and re.search(r",\s*(?:and|or)\b", text) else _AND.split(last)
        certain(len(parts) == 1 or not any(map(_HALF.fullmatch, parts)))
    names = [name for part in parts for name in names_of([part])]
    certain(len(names) == len(parts))
    return names


def _cut(text: str, often: bool) -> str:
    """A text without the remark at its end. often : most entries have one. "" where that denies what stands before it."""
    for mark in _REMARK_MARK.finditer(text):
        before, behind = text[: mark.start()], text[mark.end() :].strip(" )")
        if not before.strip() or _OF_NAME.match(behind):
            continue
        if kind_of(before) in OF_NAMES:
            return _cut(behind, often)
        if DENIES.match(behind) or "→" in behind:
            return ""
        if len(behind.split()) >= FEW or says(behind) or (often and "(" not in mark[0]):
            return _cut(before, often)
    return text
