"""Texts that name nothing: those that are said rather than named, and those that say that there is nothing."""

from __future__ import annotations

import re

from ...files.limits import FORMULA_ERROR
from .vocabulary import rows_in, words_in

MOST_WORDS = 25
"""Words of the longest name that is no sentence."""

_NOTHING_SAID = frozenset(row["text"] for row in rows_in("no_diagnosis", "en"))
_FAULT = re.compile(
    r"#(?:name\?|ref!|n/a|value!|div/0!|num!|null!|spill!|calc!|field!|blocked!|connect!|getting_data)"
    r"|[<\[{(]*(?:[\w.]*error|\w*exception|timeout|timed out|request timed out|connection timed out|refused|refusal|rate limit(?:ed| exceeded| reached)?|no response)[>\]})]*"
    r"|[<\[]?[\w.]*(?:error|exception)\s*(?:code\s*)?(?:[:=]|\s[45]\d\d\b|\([45]\d\d\)).*"
    r"|(?:http(?:/[\d.]+)?\s*)?(?:status(?:\s*code)?\s*:?\s*)?[45]\d\d\s*[-:]?\s*(?:bad request|unauthorized|forbidden|not found|request timeout|too many requests|"
    r"internal server error|bad gateway|service unavailable|gateway timeout|overloaded|rate limit\w*)?",
    re.DOTALL,
)
"""A value of Excel for a formula that failed; a program's message in the place of an answer."""
_NO_NAME = re.compile(
    r"\S+\.(?:txt|csv|tsv|pdf|docx?|xlsx?|json|jsonl|parquet|html?|xml|py|md|png|jpe?g)|(?:https?://|www\.)\S+|[^\s@]+@[^\s@]+\.\w+"
    r"|[a-z]\d[\da-z]\.[\da-z]{1,4}|(?:(\w)\1{2,}+\s*+)++|(\w+)(?:\s+\2){2,}",
    re.IGNORECASE,
)
"""A file, an address, the form of a code; one letter, or one word, three times and more: "xxxx", "blah blah blah". Possessive, for a
run of letters has many ways to be cut."""

_MEASURED = re.compile(r"(?: of|:| =| is)? ?\d[\d.,/]{0,9}+(?: ?(?:%|k|\w{1,9}/\w{1,9}))?$")
"""A number behind what is measured ("potassium #"), with its unit; bounded, for a row of digits has many ways to be cut."""


def says_nothing(raw: str) -> bool:
    """Whether a text is a word for no diagnosis ("none", "N/A", "unknown"), in any case, or an error in its place; or has neither
    letter nor digit.

    >>> says_nothing("N/A."), says_nothing("-"), says_nothing("non-diabetic")
    (True, True, False)
    """
    text = raw.casefold().strip(" .!-()[]")
    return (
        " ".join(text.split()) in _NOTHING_SAID
        or not any(map(str.isalnum, text))
        or _FAULT.fullmatch(raw.casefold().strip(" .")) is not None
        or re.match(FORMULA_ERROR, raw.strip()) is not None
    )


def is_nothing(raw: str) -> bool:
    """Whether a text says that there is none, or is a number, also with what it measures ("Na 122": too low, to who knows), one letter or word again and again, a file's name, or of the form of a code and none."""
    text = raw.strip()
    measured = _MEASURED.sub(" #", " ".join(text.casefold().split())) in _NOTHING_SAID
    return measured or says_nothing(text) or not any(map(str.isalpha, text)) or _NO_NAME.fullmatch(text) is not None


_SPEAKS = words_in(
    "i we you she he they my your our their please think thinks believe believes should would could cannot must let because therefore "
    "however although recommend recommends recommended want wants know don't doesn't isn't i'm it's what why how whether needs "
    "suggests suggest indicates warrants requires explains"
)
"""Words of one who speaks; none is in a name. Two are asked for, or one beside another sign."""
_SAYS = re.compile(
    r"\b(?:it is|this is|there is|there are|that is|it could|it may|it might|may be|might be|should be|must be|"
    r"can be|will be|has been|have been|most likely|less likely|more likely|(?:the|this|a) patient (?:is|has|was|had|will|can|does|did|may)|"
    r"i think|i believe|i suspect|i would|we suspect|would be|could be|does not|do not|did not|is most|is likely|is not)\b",
    re.IGNORECASE,
)
_ORDERS = words_in(
    "request order administer give prescribe refer obtain perform recommend start stop continue discontinue initiate schedule arrange "
    "send admit discharge monitor measure take reassure advise ask offer provide begin switch avoid treat observe increase decrease "
    "repeat conduct call see visit check evaluate proceed counsel consult transfer withhold add use"
)
_FINITE = words_in("is are was were has have had will does do did may might can")
_AFTER_AN_ORDER = words_in("a an the for with to your")
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?")


def is_sentence(raw: str, name: str) -> bool:
    """Whether a text is said rather than named: a question, an order, what one thinks of a case, or too long for a name."""
    text = raw.strip()
    if len(name.split(" ")) > MOST_WORDS:
        return True
    shouted = text.isupper()
    tokens = [token.casefold() for token in _TOKEN.findall(text) if shouted or len(token) == 1 or not token.isupper()]
    if len(tokens) < 3:
        return False
    if text.endswith("?") and (tokens[0] in _SPEAKS or tokens[0] in _FINITE or len(tokens) > 6):
        return True
    if tokens[0] == "i" and tokens[1] in _FINITE | _SPEAKS:
        return True
    orders = tokens[0] in _ORDERS and tokens[1] not in ("of", "in")
    orders &= not _AFTER_AN_ORDER.isdisjoint(tokens[1:]) or any(token in _ORDERS for token in tokens[2:])
    speaks = sum(token in _SPEAKS for token in tokens if token != "i")
    finite = sum(token in _FINITE for token in tokens)
    of_the_patient = tokens[0] in ("patient", "pt") and (tokens[1] in _FINITE or tokens[1] in _SPEAKS)
    return (
        orders
        or of_the_patient
        or speaks > 1
        or (speaks > 0 and (len(tokens) > 5 or finite > 0 or tokens[0] in _SPEAKS))
        or (_SAYS.search(text) is not None and len(tokens) > 4)
        or (finite > 0 and len(tokens) > 9)
    )
