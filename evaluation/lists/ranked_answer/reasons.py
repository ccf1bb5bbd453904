"""What an answer says for a diagnosis: the labels of such reasons ("Basis:", "诊断依据：", "Begründung:"), and how a reason reads."""

from __future__ import annotations

import re

_LABEL = (
    r"(?:(?:main|key|supporting|clinical|diagnostic|diagnosis|brief|the)\s+)*(?:basis|bases|rationale|reason(?:s|ing)?|justification|explanation|grounds|supporting evidence)"
    r"(?:\s+(?:of|for|behind)(?:\s+(?:the|this|my))?\s+diagnos[ei]s)?"
    r"|(?:diagnose)?(?:begründung(?:en)?|grundlage)(?:\s+der\s+diagnosen?)?|diagnosegründe|diagnostische\s+grundlage"
    r"|(?:клиническое\s+)?(?:обосновани[ея]|основани[ея]|пояснени[ея]|объяснени[ея])(?:\s+диагноз(?:а|ов))?"
    r"|(?:主要|临床|具体|支持)?(?:诊断)?(?:的)?(?:依据|根据|理由|原因|分析|证据|解释|说明)"
)
_IS_LABEL = re.compile(rf"(?:{_LABEL})(?:\s*\d{{1,2}})?", re.IGNORECASE)
_BEHIND_A_NAME = re.compile(
    rf"(?<=\S)(?:\s+|[\s,，.。;；、(（\[–—-]+)(?:{_LABEL})\s*[:：].*$", re.IGNORECASE | re.DOTALL
)
_SOURCE = (
    r"(?:imaging|ct|mri|mrcp|ultrasound|ultrasonography|sonography|x-?rays?|ecg|ekg|echo(?:cardiography)?|labs?|laboratory|tests?|results?|"
    r"findings?|history|exam(?:ination)?|symptoms?|signs?|presentation|biopsy|scans?|studies|evidence|features)"
)
_SOURCES_ALONE = re.compile(
    rf"(?:(?:clinical|physical|abdominal|chest|cranial|the|patient's|medical|blood|typical|classic)\s+|{_SOURCE}\s+|and\s+|on\s+|plus\s+)*{_SOURCE}",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    r"(?:(?:is|are|was|well|strongly|clearly|best|highly|also|likely|as)\s+)*(?:supported|suggested|indicated|confirmed|evidenced|demonstrated|explained|"
    r"documented|based|consistent|compatible|in (?:keeping|line))\s+(?:by|on|in|with)\b"
    r"|(?:seen|shown|visible|noted|found|detected|diagnosed)\s+(?:on|by|at|in)\b"
    r"|(?:fits?|matches|explains|accounts for|supports|suggests|indicates)\s+\w|(?:because|given|since)\s+\w|(?:elevated|raised)\s+\w"
    rf"|(?:due to|in view of|according to|as per|by)\s+(?:(?:the|his|her|their|patient's|clinical|physical|medical|abdominal)\s+)*{_SOURCE}\b"
    rf"|(?:typical|classic(?:al)?)\s+{_SOURCE}\b"
    r"|(?:gestützt|belegt|gesichert)\s+(?:durch|mit)\b|(?:passt|passend)\s+zu[mr]?\b|aufgrund\s+(?:de[rs]|von)\b|laut\s+\w"
    r"|по данным\b|на основании\b|подтвержда\w+\b|выявлен\w*\b|соответству\w+\b",
    re.IGNORECASE,
)
_TELLS = re.compile(
    rf"\b{_SOURCE}\s+(?:shows?|showed|showing|reveals?|revealed|suggests?|suggested|indicates?|confirms?|confirmed|demonstrates?|supports?|detects?)\b"
    r"|\b(?:CT|MRT|Sonographie|Labor)\s+zeigt\b|\b(?:КТ|МРТ|УЗИ)\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"提示|显示|表明|可见|证实|支持|符合|根据|基于|患者|查体|体检|检查|化验|超声|影像|B超|CT|MRI|病史|表现为"
)


def is_reason_label(text: str) -> bool:
    """Whether a label, without its marks, announces a reason: "Diagnostic basis", "依据", "Begründung der Diagnose".

    >>> is_reason_label("诊断依据："), is_reason_label("Basis for the diagnosis"), is_reason_label("诊断")
    (True, True, False)
    """
    return _IS_LABEL.fullmatch(text.strip(" \t*_#:：.")) is not None


def begins_with_its_label(line: str) -> bool:
    """Whether an unmarked line is such a label, or begins with one before a colon."""
    label, colon, _ = line.replace("：", ":").partition(":")
    return bool(colon) and is_reason_label(label)


def without_labelled_reason(text: str) -> str:
    """A name without the reason that a label behind it announces: "胆囊结石（依据：CT）", "Gout, basis: urate"."""
    return _BEHIND_A_NAME.sub("", text)


def reads_as_reason(words: str) -> bool:
    """Whether words behind a name and a colon or dash say where it is known from: "supported by imaging", "CT shows stones".

    Such words begin as a clause does, or name a source of findings; "iron deficiency", "type 2" and "due to gallstones" do neither.

    >>> reads_as_reason("fits the findings"), reads_as_reason("imaging"), reads_as_reason("iron deficiency")
    (True, True, False)
    """
    bare = words.strip(" .。;；")
    return (
        _BEGINS.match(bare) is not None
        or _SOURCES_ALONE.fullmatch(bare) is not None
        or _TELLS.search(bare) is not None
        or _CHINESE.search(bare) is not None
    )
