"""The words of an answer: what a label says that it holds (a heading, a word before a colon, a key of JSON, a tag, the head of a column), and the name in an entry."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...terms.text.sentences import is_sentence
from ...terms.text.vocabulary import words_in

LEAD, LIST, OTHERS, ASIDE = range(4)  # one diagnosis, a list of them, those beside a leading one, what is no answer
_ONE, _MANY, _BESIDE, _SAY_NOTHING = map(
    words_in,
    (
        "first diagnosis dx answer impression condition disease cause most likely likeliest probable leading primary principal main working provisional presumptive top single final definitive confirmed correct suspected favored favoured clinical preliminary tentative overall unifying name st",
        "diagnoses conditions diseases causes differential differentials ddx possible possibly possibilities considerations potential relevant more less least ranked ranking revised updated refined high",
        "other others alternative alternatives also still additional remaining secondary unlikely next second third fourth fifth tertiary runner up moderate low nd rd th",
        "the my his her a an of in on by to this patient case is are would be and but with include includes from here d s tier rank key important list consider considered order likelihood probability decreasing descending so therefore thus hence two three four five",
    ),
)
_SEVERAL = re.compile(r"\btop\s+(?:[2-9]|1\d|two|three|four|five|ten)\b", re.IGNORECASE)
_ASIDE = re.compile(
    r"(?i)(?:\w+\s+){0,2}(?:basis|reason(?:s|ing)?|rationale|explanation|justification|evidence|findings|features|symptoms|presentation|history|complaint|summar(?:y|ize)|analysis|assessment"
    r"|discussion|plan|management|treatment|therapy|tests?|testing|work-?up|investigations?|recommendations?|recommended|steps?|actions?|notes?|comments?|disclaimer|confidence|likelihood|prob(?:ability)?"
    r"|follow-?up|labs?|imaging|medications?|comorbidities|patient|question|code|icd\s?-?(?:10)?|severity|urgen\w+|ruled\s+out|red\s+flags|caveats?|clues?|supporting|against|why|hypotheses|rank|orpha\w*"
    r"|problems?|factors|thinking|thoughts?|thought\s+process|scratchpad|reflection)\b(?!.*\b(?:diagnoses|ddx|exclude|miss|concern\w*)\b)"
)
_MOST_OF_A_LABEL = 7  # words; what is longer is a sentence
_MARKS = re.compile(r"\*\*|__|`|~~|(?<!\w)[*_](?=\w)|(?<=[\w)])[*_](?!\w)")
_NO_WORDS = re.compile(r"(?i)\([^()]*\)|\b(?:for|at this)\s.*|^\W*\d+[.)]|[^\w\s'’/-]")
_MOST_WORDS = 14  # of a name; what is longer says something
_REMARK = 4  # words from which what stands behind a colon, a dash, or in brackets is no part of the name
_BOLD = re.compile(r"\*\*(.+?)\*\*:?\s*(?=$|[:(–—,.-]|is\b|due\b)")
_LABEL = re.compile(r"([^:(\[—–]{2,40}):\s*(?=\S)")
_REMARK_MARK = re.compile(r"\s*:\s+|\s*—\s*|\s+[-–→]\s+|\s*\((?=[^()]*\)\s*$)")
_OF_NAME = r"(?i:(?:sub)?type|stage|grade|class|due\s+to|secondary\s+to|acute|chronic|left|right|bilateral|unspecified|NOS)\b|\S*[A-Z]\S*[A-Z]\S*$"
"""Behind a colon or a dash: parts of a name, and its short form."""
_CODE = r"[A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?"
_ICD = r"ICD[\s-]*(?:1[01])?(?:-?CM)?(?:\s*codes?)?\s*[:\s-]\s*"
_LIKELIHOOD = (
    r"(?:(?:likelihood|probability|confidence|certainty|score|chance|p|very|most|more|less|least|highly|moderately|quite|somewhat|(?:un)?likely|probabl[ey]|possible"
    r"|high|medium|moderate|low)\b|\d{1,3}(?:\.\d+)?\s*%|\d{1,3}(?=\s*[-–]\s*\d)|[01]?\.\d{1,4}|\d{1,2}\s*/\s*10|[\s:=~≈<>–-])+"
)
_CUT = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r"\s*\[\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\]",  # citations
        rf"[\s,–-]*(?:[(\[]\s*(?:{_ICD})?{_CODE}(?:\s*[,;/]\s*{_CODE})*\s*[)\]]|[\s,–-]{_ICD}{_CODE}$)",
        r"(?<=[a-z)\]]{2})[.!?]\s+(?=[A-Z]).*$",  # the next sentence
        rf"(?i)(?:\s*[(\[]\s*{_LIKELIHOOD}\s*[)\]]|\s*[,:;–—-]\s*{_LIKELIHOOD}|\s+(?:(?:most|more|less)\s+likely|unlikely))\s*\.?\s*$",
        r"(?i)[,;]?\s+(?:because|since|given|considering|(?:as\s+)?(?:evidenced|suggested|supported|indicated|shown|characterized)\s+by|based\s+on|in\s+(?:view|light)\s+of"
        r"|in\s+(?:an?|this|the)\s+(?:\S+\s+)?(?:patient|man|woman|child|infant|boy|girl))\b.*$",
        r"(?i)[,;]\s+(?:as|which|especially|particularly)\s+.*$",
        r"(?i)(?:(?:(?:most|more|less|least|very)\s+)?(?:likely|probabl[ey])|suspected|definitely|certainly|clearly)\s+(?=\w)",
    )
)
"""What stands in a name's line, beside it."""
_SAYS = re.compile(
    r"\b(?:is|are|was|were|has|have|had|been|would|could|should|can|cannot|may|might|must|will|we|you|he|she|they|it|this|that|these|which|who|whose"
    r"|patients?|please|however|because|since|suggests?|indicates?|recommend\w*|[Cc]onsider\w*|supports?|presents?|shows?|needs?|[Pp]erform|[Oo]btain|[Oo]rder|[Cc]heck|[Rr]efer"
    r"|[Ff]irstly|followed\s+by|[Ss]tart|[Gg]ive|include[sd]?|(?<!\()including|ruled?|excluded?|does|think|information|determined?|listed|follow(?:s|ing)|below|suspect(?:ed)?|doctor|evaluation|(?:versus|vs)\b(?![-\s.]*host)|either|instead|alternatively|not\b(?!\s+(?:otherwise|elsewhere|specified))|no\s+evidence|[Ww]hat|[Hh]ow|[Ww]hy)\b"
    r"|^(?:I|Let|Here|See|This|These|It|He|She|They|We|You|There)\b(?=\s+[a-z])|\bI\s+(?:think|would|believe|suspect|am|cannot|can)\b|\b(?:I|[Ii]t|[Tt]hat|[Tt]here)['’](?:s|d|m|ll)\b|n't\b|\?|\be\.g\.|(?i:\br(?:ule[sd]?\s+|/)o(?:ut)?\b)"
    r"|\b(?:confirms?|points?\s+to|explains?|fits?|(?:sound|look)s\s+like|ist|sind|est|sont|trata|handelt)\b|\bè\b|\byears?[\s-]old\b|\b(?:wo)?man\s+with\b",
)
DENIES = r"(?i)(?:(?:unlikely,?|is|was|has|been|already)\s+)*(?:ruled[ -]out|excluded|rejected|not\s+(?:likely|present|supported))\b"
_NO_NAME = re.compile(
    "[%=\u20e3：、。，；（）]|\\s\\(?\\d{1,2}[.)]\\s|^\\w[:)]\\s|^[\u2460-\u25ff]|^[^\\w\"'“‘«„`]"
    "|;(?![^()]*\\))|^(?i:consistent\\s+with|presentation|concern\\s+for|not|no|never|without|negative\\s+for|absence\\s+of|unlikely|against|excluded?|low\\s+suspicion|d/?dx|dd|due\\s+to|secondary\\s+to|related\\s+to)\\b(?!-)"
)
"""Shares, numbers of a list, the marks of Chinese sentences; a denial."""
_AND = re.compile(r"\s+(?:and|or)\s+(?![^()]*\))")
_COMMA = re.compile(r"(?:\s*,\s+(?:(?:and|or)\s+)?|\s+(?:vs\.?|versus)\s+)(?![^()]*\))")
_HALF = re.compile(
    r"(?i)(?!.*\b(?:colic|withdrawal|panic|tic)$)(?:(?:sub)?type|stage|grade|class|level|with|without|due|secondary|in|of|not)\b.*|(?:[\w-]+\s+){0,2}(?:[\w-]+(?:ous|al|ar|ary|ory|ic|ive|ed|ile|ior)|left|right|upper|lower|mild|severe|acute|nos|remission"
    r"|site|type|eye|hand|foot|mouth|head|neck|ear|nose|throat|muscle|brain|nausea|bone|skin|hair|growth|development|infant|adult)(?:\s+\w+ed|\s+encounter)?"
)
"""What another disease is called by, and no name: "systemic", "left-sided", "type 2"."""
_NO_DISEASE = r"(?i)\bsuch\s+as\b|^\w+ing\s(?!disease|syndrome|spondyl)|\b(?:MRI|CT|x-?ray|ECG|EEG|echo\w*|tests?|testing|panel|cultures?|biopsy|serology|imaging|ultrasound|scan|puncture|consult\w*|referral|therapy|management)\b"


class Unread(Exception):
    """A text that may be understood in several ways, or in none."""


def plain(text: str) -> str:
    """Takes the marks of bold, italics and code away."""
    return _MARKS.sub("", text).strip()


def kind_of(label: str) -> int | None:
    """Gives what stands behind a label: one of all whose words are known; None for any other.

    >>> kind_of("Most likely diagnosis") == LEAD, kind_of("mostLikelyDiagnosis") == LEAD, kind_of("Gout")
    (True, True, None)
    """
    bare = _NO_WORDS.sub(" ", re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", plain(label))).strip()
    words = {*re.findall(r"[^\W\d_]+", bare.casefold())} - _SAY_NOTHING
    if re.search(r"(?i)(?<!not )\b(?:ruled\s+out|excluded|rejected)\b", label):
        return ASIDE
    if words and words <= _ONE | _MANY | _BESIDE:
        if words & _BESIDE or bare.casefold().startswith(("less", "least")):
            return OTHERS
        return LEAD if words <= _ONE and not _SEVERAL.search(bare) else LIST
    return ASIDE if "," not in label and len(bare.split()) <= _MOST_OF_A_LABEL and _ASIDE.match(bare) else None


def says(text: str) -> bool:
    """Tells whether a text says something rather than naming it: it holds a verb, a pronoun, a question or a denial."""
    return _SAYS.search(text) is not None


def names_of(entries: Sequence[str]) -> list[str]:
    """Gives the names in the entries of one list, without what is said of them: likelihoods, codes, reasons.

    What stands behind a colon, a dash, or in brackets at the end is a reason where it has four words or a verb; behind a colon or a dash also where
    more than half of several entries have such ("Gout - red toe", "Sepsis - fever"). Short forms, "lupus (SLE)", and parts of a name,
    "diabetes: type 2", stay.

    Raises
    ------
    Unread
        Where one is no name.

    >>> names_of(["**Gout** (60%): red toe", "Pseudogout - knee of an old man"])
    ['Gout', 'Pseudogout']
    """
    heads = [_head(entry) for entry in entries]
    often = len(heads) > 1 and sum(_cut(head, True) != head for head in heads) * 2 > len(heads)
    names = [_whole(_cut(head, often)) for head in heads]
    if len(names) > 1 and any(" " not in name and _HALF.fullmatch(name) for name in names):
        raise Unread
    return names


def names_or_none(entries: Sequence[str]) -> list[str]:
    """As `names_of`; [] where one is no name."""
    try:
        return names_of(entries)
    except Unread:
        return []


def enumerated(text: str) -> list[str]:
    """Gives the names in a sentence's list: "gout, sepsis and flu". Errors: `Unread` where a part is only half of a name, or a test.

    >>> enumerated("gout, lupus (mild, or not) and giant cell arteritis")
    ['gout', 'lupus (mild, or not)', 'giant cell arteritis']
    """
    parts = [part for part in _COMMA.split(_CUT[-2].sub("", text).strip(" .")) if part]
    closed = len(parts) > 1 and re.search(r",\s*(?:and|or)\b", text) is not None
    parts = parts if closed else [*parts[:-1], *_AND.split(parts[-1])] if parts else []
    if any(re.search(_NO_DISEASE, part) or (len(parts) > 1 and _HALF.fullmatch(part)) for part in parts):
        raise Unread
    return [name for part in parts for name in names_of([part])]


def is_one(text: str, commas: int) -> bool:
    """Whether a text with more than so many commas names one disease: behind the first are parts of its name."""
    _, *behind = _COMMA.split(text)
    return len(behind) <= commas or all(map(_HALF.fullmatch, behind))


def _head(entry: str) -> str:
    """An entry without marks, and without a label before it or what stands behind its bold name."""
    text, label = entry.strip(), _LABEL.match(plain(entry))
    if label and kind_of(label[1]) is not None:
        return plain(entry)[label.end() :]
    bold = _BOLD.match(text)
    return plain(bold[1] if bold is not None and not text[bold.end() :].startswith("(") else text)


def _cut(text: str, often: bool) -> str:
    """A text without the remark at its end. often : most entries have one. Errors: `Unread` where that denies what stands before it."""
    for mark in _REMARK_MARK.finditer(text):
        before, behind = text[: mark.start()], text[mark.end() :].strip(" )")
        in_brackets = len(re.findall(r"[(\[]", before)) > len(re.findall(r"[)\]]", before))
        if not before.strip() or in_brackets or re.match(_OF_NAME, behind):
            continue
        if re.match(DENIES, behind):
            raise Unread
        if len(behind.split()) >= _REMARK or says(behind) or (often and "(" not in mark[0]):
            return _cut(before, often)
    return text


def _whole(text: str) -> str:
    """The name itself. Errors: `Unread` where it is too long for one, says or denies something, or is no name by its letters."""
    name = text
    for beside in (*_CUT[:4], *_CUT):  # a likelihood may stand before a code
        name = beside.sub("", name).strip() or name
    name = name.strip(" .,;:!*_–-→★☆⭐")
    if re.fullmatch(r"[\"'“‘«][^\"“”]*[\"'”’»]", name):
        name = name[1:-1].strip(" .,;")
    no_name = sum(map(str.isalnum, name)) < 2 or not any(map(str.isalpha, name)) or _NO_NAME.search(name)
    if no_name or len(name.split()) > _MOST_WORDS or says(name) or is_sentence(name, name):
        raise Unread
    return name
