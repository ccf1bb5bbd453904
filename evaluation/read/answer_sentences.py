"""The diagnoses that the sentences of an answer name, by a table of the forms in which one is said."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from ...terms.text.sentences import is_nothing
from .answer_words import ASIDE, LEAD, LIST, OTHERS, Unread, enumerated, kind_of, names_of, plain

HINT = 20  # points to a diagnosis; a sentence that says which it is, or a list, goes before
_LONGEST = 400  # characters
_LIKELY = r"(?:(?:most )?(?:likely|probably)|almost certainly|therefore|thus)"
_SEEN = r".{0,200}?\b(?:findings|presentation|picture|symptoms|features|history|case|constellation|combination|results|everything)\b.{0,200}?"
_FRAMES = tuple(
    (kind, re.compile(f"(?:(?P<clause>(?:(?!but |considered).){{0,200}}?)[,:] )??{form}".replace(" ", r"\s+"), re.IGNORECASE | re.DOTALL))
    for kind, form in (
        (None, rf"(?P<label>[^,:]{{3,70}}?) (?:is|are|remains|includes?|would (?:be|include))(?: {_LIKELY})?:? (?P<name>.+)"),
        (None, r"(?P<name>[^,:]+?) (?:is|are|would be|remains) (?:by far )?(?P<label>(?:the|my) [^,:]{3,50}?|most (?:likely|probable))(?: (?:that |I would |given |in this |\().+)?"),
        (LEAD, rf"(?:this|the|he|she) ?(?:\d+-year-old )?(?:patient|man|woman|boy|girl|child|infant)? ?(?:{_LIKELY} has|has most likely|is (?:most likely )?suffering from) (?P<name>.+)"),
        (LEAD, rf"(?:(?:this|it) is (?:{_LIKELY}|most consistent with|highly suggestive of)|(?:(?:this|it|that) )?(?:sounds|looks) (?:most |very much )?like|most likely,?(?: (?:(?:this|it) is|(?:this|the) patient has))?)(?: that (?:this|the) patient has)? (?P<name>.+)"),
        (LEAD, rf"{_SEEN} (?:(?:is|are) (?:most|highly|very|strongly) (?:consistent with|suggestive of|concerning for)|(?:is|are) best explained by|fits? best with|points? to(?:wards?)?) (?P<name>.+)"),
        (LEAD, r".+? (?:strongly (?:suggests?|indicates?)|(?:is|are)(?=.* until proven otherwise)) (?P<name>.+)"),
        (HINT, rf"(?:{_SEEN}|this|it) (?:(?:is|are) (?:consistent with|compatible with|suggestive of|typical of|(?:classic|diagnostic|pathognomonic) (?:for|of)|an? (?:classic |typical |textbook )?(?:case|presentation|picture|example) (?:of|for))|suggests?|supports?) (?P<name>.+)"),
        (LEAD, rf"(?:in my (?:opinion|view),? (?=this|it)|I (?:think|believe|suspect|(?:would |am )?(?:favou?r|lean(?:ing)? towards?)|would (?:say|diagnose|go (?:with|for))|am confident|(?:am|would be) most concerned (?:about|for)))(?: that)?(?: (?:(?:this|it|the(?: \w+){{0,2}} diagnosis) (?:is|to be)|(?:this|the) patient has))?(?: {_LIKELY}| most consistent with)? (?P<name>.+)"),
        (OTHERS, r"(?<!\s)(?:also consider|less likely),? (?P<name>.+)"),
    )
)  # fmt: skip
"""Sentences that name one diagnosis and no other, or several in one order. None : their label tells which."""
_SAYS = re.compile(
    r"(?i)\b(?:is|are|has|remains|includes?|would|suggests?|indicates?|supports?|points?|fits?|sounds|looks|I|likely|consider|opinion|view)\b"
)
_OF_A_LABEL = r"(?i)diagnos|differential|like|probabl|possib|consideration|alternatives|leading|top|answer"
_UNSETTLED = (
    r"(?i)\b(?:however|instead|rather\s+than|alternativ\w+|differential|also\s+(?:consider|possible|likely)|other\s+(?:possib\w+|diagnos\w+|causes?|conditions?|considerations?)"
    r"|rule\s+out|lean|(?:cannot|can't|must)\s+be\s+(?:considered|excluded|ruled)|(?:less|more|most|second|equally)\s+(?:likely|probable)|likeliest|final\s+(?:diagnosis|answer)"
    r"|diagnosis\s+(?:is(?!\s+(?:supported|based|confirmed|suggested))|would|of)|(?:is|are|remains?)\s+possible|suspect|favou?r(?:ed(?=\s*:))?|on\s+reflection|wait|actually|versus|vs|(?:could|might|may)\s+(?:also\s+)?be|consistent\s+with|suggestive\s+of|I\s+think|(?:goes|moves|rises|jumps)\s+(?:up|to))\b"
)
"""Beside an answer: another diagnosis may be meant, or another order."""
_OPEN = r"[;|](?![^()]*\))|\s>\s|(?i:,\s+with\b.*\b(?:second|next|possib|close))"
_NO_NAME = (
    r"(?i)(?:very |quite |fairly |rather )?(?:broad|wide|clinical|clear|unclear|uncertain|difficult|challenging|complex|straightforward|confirmed|based|made|supported|established|not|key|as follows"
    r"|it|this|that|these|he|she|they|there|here|below|\w+ed (?:by|on|in|with|as|to))\b"
)
_BEFORE_A_NAME = r"(?i)^(?:(?:an?|the)\s+)?(?:(?:\w+\s+)?(?:case|attack|episode|diagnosis)\s+of\s+)?(?:an?\s+|the\s+)?"
_LESS_LIKELY = r"(?is),?\s+(?:but|(?:al)?though)\s+(?:these|they|both|all|it|this)\b(?:\s+\w+){0,3}\s+less\s+likely\b.*|\s*\((?:most|more|less|least)\s+likely[^()]*\)"
_BEHIND_A_NAME = r"(?i),\s+(?:with|(?:al)?though|while|likely\s+(?:due|related|secondary)\s+to)\b.*|\s+until\s+proven\s+otherwise|\s+to\s+me\b.*|\s+as\s+the\s.*diagnosis|\s+and\s+(?:refer|start|treat|admit|recommend|would)\b.*"
_THEN = re.compile(r",?\s+(?:(?:closely\s+)?followed\s+by|(?:and\s+)?then)\s+")
SEVERAL = re.compile(r"\b(?<!with )(?<!/)(?:or|over|vs\.?|versus)\b(?![-\s]host)")  # names, of which one may be meant
SENTENCE_END = re.compile(r"(?<=[\w)\]*\"”])(?:[.!?](?:\*\*)?\s+(?=[\"“*]*[A-Z])|;\s+(?![^()]*\)))|\n+")


def unsettled_in(sentence: str) -> bool:
    """Whether a sentence beside an answer may mean another diagnosis, or another order."""
    return re.search(_UNSETTLED, sentence) is not None


def said_in(lines: Iterable[str]) -> tuple[dict[int, list[str]], list[str]]:
    """Reads sentences: the names by the kind of the sentence, and the sentences that name none in a known form.

    >>> names, rest = said_in(["The most likely diagnosis is gout. Other possibilities include sepsis and flu."])
    >>> names[LEAD], names[OTHERS], rest
    (['gout'], ['sepsis', 'flu'], [])
    """
    names, rest = defaultdict[int, list[str]](list), list[str]()
    for sentence in (part for line in lines for part in SENTENCE_END.split(line) if part and part.strip()):
        bare = plain(sentence).rstrip(" :.")
        found = (
            (kind, frame.fullmatch(bare)) for kind, frame in _FRAMES if len(bare) < _LONGEST and _SAYS.search(bare)
        )
        told = next(filter(None, (_told(one, kind) for kind, one in found if one)), None)
        rest += [] if told else [sentence]
        for kind, one in told or ():
            names[kind] += one
    return names, rest


def _told(found: re.Match[str], kind: int | None) -> list[tuple[int, list[str]]]:
    """The names in one sentence, by their kind; [] where it names nothing for certain."""
    label, clause = (found.groupdict().get(group) or "" for group in ("label", "clause"))
    text = re.sub(_BEFORE_A_NAME, "", re.sub(_LESS_LIKELY, "", found["name"]))
    kind = kind_of(label) if re.search(_OF_A_LABEL, label) else kind
    if kind in (None, ASIDE) or re.match(_NO_NAME, text) or re.search(_OPEN, text) or unsettled_in(f"{clause} {text}"):
        return []
    name, *then = _THEN.split(re.sub(_BEHIND_A_NAME, "", text))
    try:
        names = enumerated(name) if kind in (LIST, OTHERS) else [_one(name)]
        return [(kind, names), *((OTHERS, enumerated(part)) for part in then)]
    except Unread:
        return []


def _one(text: str) -> str:
    (name,) = names_of([text])
    if "," in name or kind_of(name) is not None or SEVERAL.search(name) or is_nothing(name):
        raise Unread
    return name
