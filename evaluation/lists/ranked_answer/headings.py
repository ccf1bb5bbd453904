"""What the heading of a part of an answer, or the label at the start of a line, says of what follows."""

from __future__ import annotations

import re
from enum import IntEnum

from .reasons import is_reason_label
from .suspicion import keeps_suspicion

_LEADING_CLAUSE = re.compile(
    r"^(?:based on|given|considering|in view of|from|with|in light of|after)\b[^,]{0,200},\s*", re.IGNORECASE
)
_TRAILING_CLAUSE = re.compile(
    r"\s+(?:based on|for|given|in (?:this|order|descending)|ranked|ordered|sorted|from|with|to consider|that|which|are|is|include|includes|would be|of|with)\b.*$",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"^(?:what|which)(?:'s|’s|\s+is|\s+are)\s+", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:ruled?[ -]?out|exclude[ds]?|exclusions?|excluding|rejected|not(?![- ]miss)|unlikely|against|dismissed|eliminated|discarded|no longer)\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(?:tests?|testing|diagnostics?|work-?ups?|evaluation|investigations?|plan|management|treatments?|therapy|next|steps?|recommend\w*|follow-?up|findings?|symptoms?|"
    r"signs?|features?|history|histories|presentation|reason\w*|rationale|explanation|justification|evidence|support\w*|criteria|analysis|discussion|notes?|"
    r"summary|references?|sources?|factors?|complications?|flags?|confidence|disclaimer|exam\w*|labs?|laboratory|imaging|vitals?|clues?|why|how|"
    r"thinking|approach|process|past|previous|prior|known|admission|codes?|points?|comments?|limitations?|prognosis|medications?|allergies|background|causes?|problems?|complaints?|comorbidities)\b|治疗|检查|建议|病史|症状|体征|处理|随访|预后|总结|小结|主诉|注意事项|用药|"
    r"лечени|обследован|рекомендац|анамнез|симптом|behandlung|therapie|empfehlung|\bbefunde?\b",
    re.IGNORECASE,
)
_GROUNDS = re.compile(
    r"(?:based on|given|considering|in view of|in light of|according to)\s(?!.*\b(?:tests?|testing|work-?up|evaluation|investigations?|plan|management|treatments?|"
    r"therapy|next|steps?|recommend\w*|follow-?up)\b)[^,:：]{1,200}[:：]|(?:根据|结合|基于)(?!.*(?:建议|治疗|处理|推荐))[^,，:：]{1,60}[:：]",
    re.IGNORECASE,
)
_DIAGNOSES = re.compile(
    r"\b(?:diagnos[ei]s|differentials?|ddx|dx|possibilities|conditions|diseases|impressions?|answers?|candidates|assessment|conclusion|prediction|alternatives?|"
    r"considerations?)\b|诊断|以下疾病|疾病如下|диагноз|\b(?:differential|verdachts)?diagnosen?\b|\bdiagn[oó]sticos?\b|\bdiagnostics? diff",
    re.IGNORECASE,
)
_FINAL = re.compile(r"\b(?:final|answer|conclusion|definitive|revised|updated)\b|最终|окончательн", re.IGNORECASE)
_LEADING = re.compile(
    r"\b(?:most (?:likely|probable)|likeliest|primary|leading|principal|main|presumptive|probable|likely|single best|best|top diagnosis|no\. 1|number one|working|provisional|preliminary|initial|favou?red)\b"
    r"|最可能|наиболее вероятн|основной",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"\b(?:working|provisional|preliminary|initial|first impression)\b|初步|предварительн", re.IGNORECASE
)
_OTHERS = re.compile(
    r"\b(?:less|least|others?|alternatives?|also|additional|secondary|further|remaining|rarer?|must[- ]not[- ]miss|can(?:'?t|not)[- ]miss|broader|possible|consider|considerations?|second|tertiary)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\b(?:diagnoses|differentials?|ddx|possibilities|conditions|diseases|candidates|impressions|answers|top|list|alternatives|ranking)\b|鉴别诊断|以下疾病|疾病如下|диагнозы|дифференциальн|\b(?:differential|verdachts)?diagnosen\b|\bdiagn[oó]sticos\b|\bdiagnostics diff",
    re.IGNORECASE,
)
_TOP = re.compile(r"\btop[\s-]*(?:\d{1,2}|three|five|ten)\b", re.IGNORECASE)
_NEUTRAL = re.compile(
    r"\b(?:here|list|ranked|ranking|order|following|sure|certainly|course|okay|response|likel\w*|possib\w*|suspect|think|would|consider\w*)\b",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"(?:(?:the )?(?:most likely|most probable|likeliest|less likely|others?|other possibilities|also consider)|top[\s-]*(?:\d{1,2}|three|five|ten)|"
    r"(?:(?:my|the|most likely|less likely|final|primary|leading|working|main|likely|possible|other|alternative|top|ranked|clinical|\d{1,2}|three|five)\s+)*"
    r"(?:diagnos[ei]s|differentials?|differential diagnos[ei]s|impression|final answer|answer|ddx))",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^(?P<label>[^:：=\t]{1,90})[:：=\t]\s*(?P<rest>\S.*)$")
_BEFORE_A_DASH = re.compile(r"^(?P<label>[^:–—-]{3,60}?)\s+[–—-]\s+(?P<rest>\S.*)$")
_LABEL_IS = re.compile(
    r"^(?P<label>(?:so\s+|therefore,?\s+)?(?:the|my)\s+(?:\w+\s+){0,4}?(?:diagnos[ei]s|differentials?|answer))(?:\s+(?:here|in this case|for this patient))?\s+(?:is|are|would be)\s*:?\s+(?P<rest>\S.*)$",
    re.IGNORECASE,
)
_MOST_WORDS = 9
_SPEAKERS = frozenset(("a", "ai", "assistant", "model", "doctor", "response", "output", "reply"))
_ASKERS = frozenset(("q", "question", "user", "human", "prompt", "query"))


class Kind(IntEnum):
    """What stands below a heading. Those up to `OTHERS` are the answer, in this order."""

    FINAL = 0
    LEADING = 1
    EARLIER = 2
    SINGLE = 3
    SEVERAL = 4
    OTHERS = 5
    DENIED = 6
    ELSEWHERE = 7
    NEUTRAL = 8
    """It announces something, without saying what: "Here is my list:"."""
    UNKNOWN = 9

    @property
    def is_answer(self) -> bool:
        return self <= Kind.OTHERS

    @property
    def holds_several(self) -> bool:
        return self in (Kind.SEVERAL, Kind.OTHERS)


def kind_of(heading: str) -> Kind:
    """What a heading announces.

    >>> kind_of("Final diagnosis"), kind_of("Top 5"), kind_of("Diagnostic tests"), kind_of("Ruled out")
    (<Kind.FINAL: 0>, <Kind.SEVERAL: 4>, <Kind.ELSEWHERE: 7>, <Kind.DENIED: 6>)
    """
    if is_reason_label(heading):
        return Kind.ELSEWHERE
    if gives_grounds(heading) and not _DIAGNOSES.search(heading):
        return Kind.NEUTRAL
    text = _LEADING_CLAUSE.sub("", heading.strip(" *_#:：.?!"))
    if text.casefold() in _SPEAKERS | _ASKERS:
        return Kind.SINGLE if text.casefold() in _SPEAKERS else Kind.ELSEWHERE
    asked = heading.rstrip(" *_").endswith("?")
    text = _TRAILING_CLAUSE.sub("", _QUESTION.sub("", text))
    named = list(_DIAGNOSES.finditer(text))
    other = list(_ELSEWHERE.finditer(text))
    if keeps_suspicion(text):
        return Kind.OTHERS
    if _DENIED.search(text):
        return Kind.DENIED
    if other and not (named and named[-1].end() >= other[-1].end()) and not asked:
        return Kind.ELSEWHERE
    if named and _EARLIER.search(text) and not _SEVERAL.search(text):
        return Kind.EARLIER
    if named and _FINAL.search(text):
        return Kind.SEVERAL if _SEVERAL.search(text) else Kind.FINAL
    if _OTHERS.search(text):
        only_possible = (
            named
            and _SEVERAL.search(text)
            and not re.search(
                r"\b(?:less|least|others?|alternatives?|also|additional|secondary|further|remaining|rarer?)\b",
                text,
                re.IGNORECASE,
            )
        )
        return (
            Kind.SEVERAL
            if only_possible
            else Kind.OTHERS
            if named or len(text.split()) <= _MOST_WORDS
            else Kind.UNKNOWN
        )
    if (named and _SEVERAL.search(text)) or _TOP.search(text):
        return Kind.SEVERAL
    if _LEADING.search(text) and (named or len(text.split()) <= 5):
        return Kind.LEADING
    if named:
        return Kind.SINGLE
    return Kind.NEUTRAL if _NEUTRAL.search(heading) else Kind.UNKNOWN


def gives_grounds(heading: str) -> bool:
    """Whether a heading only says what the following rests on: "Based on the history:"."""
    return _GROUNDS.fullmatch(heading.strip(" *_#")) is not None


def label_in(line: str) -> tuple[Kind, str] | None:
    """What the label at the start of an unmarked line says, and what stands behind it; None where there is none, or it is unknown."""
    found = _LABEL_IS.match(line) or _LABEL.match(line)
    if found is None and (dashed := _BEFORE_A_DASH.match(line)) and stands_alone(dashed["label"]):
        found = dashed
    if found is None or len(found["label"].split()) > _MOST_WORDS:
        return None
    kind = kind_of(found["label"])
    return None if kind >= Kind.NEUTRAL else (kind, found["rest"].strip())


def stands_alone(line: str) -> bool:
    """Whether an unmarked line without a colon is nothing but a heading: "Most likely", "Differential diagnosis"."""
    return _ALONE.fullmatch(line.strip(" .!")) is not None
