"""An object of names with the reason for each, as ClinBench-HPB's fourth prompt asks for: {"Gout": "The toe is red and swollen."}.

It is all form, as elsewhere: a key that may be a heading ("plan", "Heart", "most likely"), or a text behind it that may be a name,
a code or a degree, makes it none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ....terms.text.vocabulary import words_in
from .headings import Kind, kind_of, stands_alone
from .names import is_degree, says
from .qualifiers import qualifies
from .reasons import is_reason_label

_SECTION = words_in(
    "analysis answer answers approach assessment background case cause causes chart clue clues code codes comment comments comorbidity "
    "comorbidities complaint complaints conclusion conclusions confidence consideration considerations context data description "
    "details diagnosis diagnoses diagnostics differential differentials discussion disclaimer evaluation evidence exam examination "
    "exclusion exclusions explanation explanations factor factors feature features finding findings flag flags follow-up followup history imaging "
    "impression impressions info information interpretation introduction investigation investigations justification key lab laboratory "
    "labs limitation limitations list management mechanism medication medications message name next note notes observation observations outcome "
    "output overview pathophysiology patient plan point points presentation problem problems process prognosis question rationale "
    "rationales reason reasons reasoning recommendation recommendations reference references remark remarks report response result results "
    "review score section sign signs source sources statement step steps summary support symptom symptoms test tests text therapy thinking "
    "thought thoughts title treatment treatments type urgency vital vitals warning workup work-up"
)
"""Words that a heading begins or ends with, and no name of a disease."""
_LABELS = words_in(
    "a also alternative alternatives and another b best c category common condition conditions confirmed considered definitive "
    "disease diseases dx ddx excluded final first group id label last leading least less likeliest likely main may more most must-not-miss not "
    "number of option or other others out possible presumptive primary principal probable provisional rank rare ranked ranking "
    "rejected remaining ruled second secondary severity single stage status suspected the these third this three top two uncommon unlikely very working"
)
_PARTS_OF_THE_BODY = words_in(
    "abdomen abdominal airway back blood bone bones bowel brain breast cardiac cardiovascular chest circulation dermatologic dermatological ear ears ecg "
    "ekg endocrine ent extremities eye eyes gallbladder gastrointestinal general genitourinary gi head heart heent hematologic "
    "hepatic hepatobiliary immune infectious inflammatory integument intestine joints kidney kidneys limbs liver lung lungs lymphatic metabolic muscle "
    "musculoskeletal neck neoplastic nervous neurologic neurological nose organ organs other pancreas pelvis psychiatric pulmonary pulse renal respiratory "
    "skin spine spleen stomach system throat toxic traumatic urinary urine vascular x-ray xray ct mri ultrasound"
)
_WORDS = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_CHINESE = re.compile(r"[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]")
_CODE = re.compile(r"\b[A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?\b")
_REASONS = re.compile(
    r"\b(?:is|are|was|were|has|have|had|no|not|the|this|these|because|since|given|with|due|based|shows?|showed|shown|showing|suggests?|suggesting|suggested|suggestive|"
    r"indicates?|indicating|indicated|supports?|supporting|supported|points?|reveals?|revealed|confirms?|confirmed|presents?|presenting|reports?|reported|"
    r"explains?|consistent|compatible|typical|classic|elevated|raised|increased|decreased|reduced|positive|negative|normal|abnormal|history|findings?|"
    r"symptoms?|signs?|patient|imaging|ultrasound|ct|mri|x-ray|ecg|biopsy)\b|\d\s*(?:%|mm|cm|mg|g|u|iu|mmol|μmol|umol|×|x)\b|[<>≥≤=]\s*\d",
    re.IGNORECASE,
)
_RULED_OUT = re.compile(
    r"^(?:(?:is|was|has been|already|now|been)\s+)*(?:ruled out|excluded|rejected)\b", re.IGNORECASE
)
_FEWEST_WORDS, _FEWEST_CHINESE = 4, 8


def names_with_reasons(value: Mapping[str, Any]) -> list[str] | None:
    """The names in their order, without those that their reason rules out; None where the object is no such thing.

    Half of the reasons must be more than a name could be; the others may be short ("swollen toe"), but no single word.
    """
    texts = [_texts(one) for one in value.values()]
    if not value or not all(texts) or not all(map(_may_be_name, value)):
        return None
    if not all(map(_may_be_reason, texts)) or 2 * sum(map(_is_reason, texts)) < len(texts):
        return None
    return [name for name, (first, *_) in zip(value, texts, strict=True) if not _RULED_OUT.match(first)]


def _texts(value: Any) -> list[str]:
    """A text, or the texts of a list; [] for anything else."""
    held = value if isinstance(value, list) else [value]
    return [] if not all(isinstance(one, str) and one.strip() for one in held) else [one.strip() for one in held]


def _may_be_name(key: str) -> bool:
    if "_" in key or stands_alone(key) or says(key) or is_reason_label(key):
        return False
    if _CHINESE.search(key) and kind_of(key) != Kind.UNKNOWN:
        return False
    words = [word.casefold() for word in _WORDS.findall(key)]
    if not words or words[-1] in _SECTION or words[0] in _SECTION - {"history"} or "present" in words:
        return False
    free = [word for word in words if word not in _LABELS | _PARTS_OF_THE_BODY and not word.isdigit()]
    return bool(free) and not qualifies(key)


def _may_be_reason(texts: list[str]) -> bool:
    whole = " ".join(texts)
    long = len(_CHINESE.findall(whole)) >= _FEWEST_CHINESE // 2 or len(whole.split()) > 1
    return long and not any(map(is_degree, texts)) and not (_CODE.search(whole) and len(whole.split()) < _FEWEST_WORDS)


def _is_reason(texts: list[str]) -> bool:
    """Whether texts are more than names: of four words and more, with a full stop or what tells of a finding."""
    whole = " ".join(texts)
    if len(_CHINESE.findall(whole)) >= _FEWEST_CHINESE:
        return True
    return len(whole.split()) >= _FEWEST_WORDS and (
        whole.endswith((".", "!", "。")) or _REASONS.search(whole) is not None
    )
