"""ICD-10's titles as a clinician would write them."""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_WORDS = 9
MAX_CHARACTERS = 75

_BRACKETS = re.compile(r"\s*[\[(][^\])]*[\])]")
_SAYS_NOTHING = re.compile(
    r",? \(?(not elsewhere classified|not otherwise specified|so stated|NEC|NOS)\b|,? unspecified( (site|organism|type|part|whether [^,]*))?(?=,|$)",
    re.IGNORECASE,
)
_UNSPECIFIED_PLACE = re.compile(
    r"(,| of| in| at| to) unspecified (?!part of )[^,]+?(?=,|$)| unspecified part of(?= )", re.IGNORECASE
)
_OTHER_IN_FRONT = re.compile(r"^((other|unspecified|other specified|other and unspecified)\s+)+", re.IGNORECASE)
_UNSPECIFIED = re.compile(r"\bunspecified\s+", re.IGNORECASE)
_OTHER = re.compile(r"\b(other|others|nec|not elsewhere classified)\b", re.IGNORECASE)
_RESIDUAL = re.compile(r"\b(unspecified|nos|not otherwise specified)\b", re.IGNORECASE)
_ADMINISTRATIVE = re.compile(
    r"\b(other|others|elsewhere|encounter|sequelae?|status|examination|screening|observation|finding|findings|history"
    r"|conditions?|diseases? classified|complicating|accompanying|specified|so stated|procedures?|postprocedural|intraoperative"
    r"|external cause|underdosing|adverse effect|type of|organisms?|mention|remission|uncertain behavior|unknown|undetermined"
    r"|devices?|graft|prosthe\w+|implants?|causes?|classifiable|affecting|multiple gestation|fetus \d|subsequent|initial"
    r"|intent\w*|assault|self-harm|accidental)\b|/|;|:|\d{2,}|%",
    re.IGNORECASE,
)
_VAGUE_HEADS = re.compile(
    r"^(diseases?|disorders?|symptoms?|signs?|abnormalit\w+|complications?|conditions?|problems?|changes?|failure|injur(y|ies)"
    r"|congenital malformations?|malformations?|syndromes?|deformit\w+|disturbances?|lesions?|effects?|anomal\w+|infections?"
    r"|neoplasms?|malignant neoplasms?|benign neoplasms?|tumors?|cysts?|pain|reactions?|poisoning|viral|bacterial|congenital|acute"
    r"|chronic|secondary|primary|diabetes|deficiency|anemia|contact|foreign body|specific|generalized|localized|focal)$",
    re.IGNORECASE,
)
_VAGUE_STARTS = re.compile(r"(diseases|disorders|symptoms|signs|conditions|problems|changes|lack)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Title:
    """A title in words that are used.

    other : "other X", which stands for all of X that has no code of its own. residual : that, or "X, unspecified", which is X.
    """

    words: str
    other: bool
    residual: bool


def title(text: str) -> Title | None:
    """The title without brackets, "unspecified", "not elsewhere classified"; None where what is left is no diagnosis.

    >>> title("Typhoid fever, unspecified")
    Title(words='Typhoid fever', other=False, residual=True)
    >>> title("Encounter for screening") is None
    True
    """
    words = _BRACKETS.sub("", text)
    other = _OTHER.search(words) is not None
    residual = other or _RESIDUAL.search(words) is not None
    words = _SAYS_NOTHING.sub("", _UNSPECIFIED_PLACE.sub("", words))
    words = _UNSPECIFIED.sub("", _OTHER_IN_FRONT.sub("", words)).strip(" ,")
    if not words or len(words) > MAX_CHARACTERS or len(words.split()) > MAX_WORDS or _ADMINISTRATIVE.search(words):
        return None
    return Title(words, other, residual)


_ENUMERATED = re.compile(
    r"\b(left|right|bilateral|unilateral|trimester|upper eyelid|lower eyelid)\b|, (ankle and foot|(lower|upper) leg|[a-z]* ?(joints?|region|site"
    r"|sites|part of limb)\b.*|hand|hip|knee|elbow|wrist|shoulder|thigh|forearm|upper arm|foot|ankle|vertebrae?|finger\(?s?\)?|toe\(?s?\)?)$",
    re.IGNORECASE,
)


def is_enumerated(words: str) -> bool:
    """Whether a title is one of a row that ICD-10-CM makes by going through sides, joints or trimesters."""
    return _ENUMERATED.search(words) is not None


def is_vague(words: str) -> bool:
    """Whether a name is so wide that nobody gives it as a diagnosis: "disorder", "disorders of iris and lens"."""
    return bool(_VAGUE_HEADS.match(words) or _VAGUE_STARTS.match(words))
