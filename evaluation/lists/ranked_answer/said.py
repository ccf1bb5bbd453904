"""What a sentence says is the diagnosis: "I think it is A, less likely B", "The findings point to A. Also consider B and C."

Only sentences of a known form are read, and only where nothing after them takes it back; a sentence that denies names nothing.
"""

from __future__ import annotations

import re

from ....terms.text.sentences import is_sentence

_SENTENCE = re.compile(r"(?<!\bvs)(?<!\be\.g)(?<!\bi\.e)(?<!\bDr)(?<!\bSt)(?<=[.!?])\s+(?=[\"'“(*]*[A-Z])|\n+")
_SEMICOLON = re.compile(r";\s+")
_START = re.compile(
    r"^(?:(?:so|therefore|thus|hence|overall|altogether|in summary|in conclusion|in short|to summari[sz]e|taken together|yes|ok|okay|sure)\s*,?\s+"
    r"|(?:given|based on|considering|in view of|with|from|because of|in light of)\s[^,]{1,200},\s+)+",
    re.IGNORECASE,
)
_IT = (
    r"(?:it|this|that|he|she|(?:the|this|my|your|these|those|her|his)\s+(?:[\w'’-]+\s+){0,3}?(?:patient|man|woman|boy|girl|child|infant|lady|gentleman|"
    r"presentation|picture|findings?|symptoms?|signs?|history|features?|results?|case|ecg|image|images|x-ray|scan|constellation|combination))"
)
_HEDGE = r"(?:most\s+likely|most\s+probably|very\s+likely|highly\s+likely|likely|probably|presumably)"
_BE = (
    r"(?:is|'s|’s|are|has|have|could be|may be|might be|would be|may have|might have|represents?|indicates?|reflects?)"
)
_OF = r"(?:(?:a\s+)?(?:case|diagnosis|form|type|kind|episode)\s+of\s+|(?:due|secondary)\s+to\s+|caused\s+by\s+|suffering\s+from\s+|experiencing\s+|to\s+(?:be|have)\s+)"
_WHAT = (
    r"(?:(?:single\s+)?(?:most\s+likely|likeliest|most\s+probable|leading|final|working|primary|top|best|overall|provisional|presumptive|"
    r"underlying|likely|probable|main|principal|clinical|differential)\s+)*(?:diagnosis|answer|impression|assessment|cause|explanation|guess|suspicion|concern)"
    r"(?:\s+(?:here|now|in this (?:case|patient)|for this (?:case|patient)|at this (?:point|stage|time)))?"
)
_NAME = r"(?P<name>\S.*)"
_NO_ARTICLE = (
    r"(?!(?:an?|the|all|also|always|because|due|just|less|more|most|not|often|one|only|quite|so|still|too|usually|very|why|what|how|in|at|on|for|to)\b"
    r"|[\w-]+(?:able|ible|al|ant|ary|ed|ent|ful|ic|ing|ive|less|ory|ous)(?:$|\s+(?:about|at|by|for|from|if|in|of|on|that|to|when|with)\b))"
)
"""What follows "this is" is a name: neither "a 40-year-old", nor "concerning", nor "related to"."""
_SURE = [
    re.compile(rf"^{form}$", re.IGNORECASE)
    for form in (
        rf"(?:I|we)(?:'d|’d|\s+would)?\s+(?:strongly\s+|mainly\s+|most\s+)?(?:think|believe|suspect|favou?r|say|go with|diagnose|guess|lean\s+towards?)\s+(?:that\s+)?"
        rf"(?:(?:{_IT}|{_WHAT}|the {_WHAT})\s*{_BE}\s+)?(?:{_HEDGE}\s+)?{_OF}?{_NAME}",
        rf"{_IT}\s+{_HEDGE}\s+{_BE}\s+{_OF}?{_NAME}",
        rf"{_IT}\s*{_BE}\s+{_HEDGE}\s+{_OF}?{_NAME}",
        rf"(?:it|this)\s*(?:is|'s|’s)\s+(?:an?\s+)?(?:classic(?:al)?|typical|textbook)\s+(?:case|presentation|picture|description|example)\s+(?:of|for)\s+{_NAME}",
        rf"(?:(?:my|the|our)\s+)?{_WHAT}\s*(?:is|was|would be|remains|[:：])\s+(?:{_HEDGE}\s+)?(?:that\s+of\s+)?{_OF}?{_NAME}",
        rf"{_HEDGE}\s*[:,]?\s+(?:{_IT}\s*{_BE}\s+)?{_OF}?{_NAME}",
        rf"(?P<name>\S.*?)\s+is\s+(?:the\s+|my\s+)?(?:{_HEDGE}|likeliest|leading|most probable|primary|top|final|working|best)"
        rf"(?:\s+(?:diagnosis|explanation|cause|answer|etiology|aetiology))?(?:\s+(?:here|given|because|in this|based on|due to)\b.*)?",
        rf"(?:it|this)\s*(?:is|'s|’s)\s+{_NO_ARTICLE}{_NAME}",
    )
]
_LEADS = [
    *(
        re.compile(rf"^{form}$", re.IGNORECASE)
        for form in (
            rf"{_IT}\s*(?:is|are|'s|’s)\s+(?:most\s+|highly\s+|strongly\s+|classically\s+|very\s+|also\s+)?(?:consistent with|suggestive of|indicative of|typical (?:of|for)|"
            rf"characteristic of|diagnostic (?:of|for)|compatible with|concerning for|pathognomonic (?:of|for))\s+{_OF}?{_NAME}",
            rf"{_IT}\s+(?:most\s+|strongly\s+|highly\s+|clearly\s+)?(?:suggests?|points?\s+(?:to|towards?))\s+(?:(?:a|the)\s+)?{_OF}?{_NAME}",
        )
    ),
    *_SURE,
]
_FURTHER = [
    re.compile(rf"^{form}$", re.IGNORECASE)
    for form in (
        r"(?:(?:however|but|still|nevertheless|although|though)\b,?\s+)?(?!(?:however|but|still|all|any|every|further|more|other|serious|these|this|it)\b)(?P<name>\S.*?)\s+(?:must|should|needs?\s+to|has\s+to|have\s+to|cannot|can['’]t|could\s+not)\s+(?:also\s+|still\s+)?be\s+"
        r"(?:ruled\s+out|excluded)(?:\s+(?:by|with|without|first|urgently|too)\b.*)?",
        rf"(?:(?:I|we)(?:'d|’d|\s+would)?\s+)?(?:also|then|next)?\s*(?:also\s+)?consider(?:\s+also)?\s+{_NAME}",
        rf"(?:(?:the|my)\s+)?(?:other|alternative|additional|further|less likely|remaining|possible)\s+(?:possibilities|possibility|diagnos[ei]s|differentials?|considerations?|options?|causes?|"
        rf"alternatives?|conditions?)(?:\s+to\s+consider)?\s*(?:includes?|are|is|would be|would include|could be|[:：])\s+{_NAME}",
        rf"(?:(?:the|my)\s+)?(?:differential(?:\s+diagnos[ei]s)?|ddx|alternatives?|possibilities)\s+(?:also\s+)?(?:includes?|is|are|would include|[:：])\s+{_NAME}",
        rf"(?:less\s+(?:likely|probable|commonly)|alternatively|followed\s+by|(?:it|this)\s+(?:could|may|might)\s+also\s+be)\s*(?:is|are|[:,])?\s*{_NAME}",
        r"(?P<name>\S.*?)\s+(?:is|are)\s+(?:also\s+)?(?:less\s+likely|possible|another\s+possibility|other\s+possibilities|an\s+alternative)",
    )
]
_CLAUSE = re.compile(
    r"\s*,?\s+(?:(?:but|and|or)\s+)?(?:(?:it\s+)?(?:could|may|might)\s+(?:also\s+)?be|less\s+likely|less\s+probably|followed\s+by|then|alternatively|"
    r"with\s+(?:an?\s+)?(?:differential|alternatives?)\s+(?:of|including|being)|or\s+possibly|possibly\s+also)\s+",
    re.IGNORECASE,
)
_WHY = re.compile(
    r"(?:\s*,?\s+(?:given|because|since|as\s+(?:evidenced|there|the|she|he|it|shown|suggested|indicated|well)|based\s+on|which|considering|although|"
    r"though|however|while|despite|rather\s+than|instead\s+of|supported\s+by|in\s+view\s+of|in\s+the\s+(?:setting|context)\s+of|in\s+this|here|for\s+now|pending|"
    r"until|so|that|who|where|unless|if|and\s+I|and\s+the|and\s+not|but)\b"
    r"|,\s*not\b|,\s*(?:likely|probably|possibly|most\s+likely|presumably)\s+(?:due|secondary|caused|from)\b).*$",
    re.IGNORECASE | re.DOTALL,
)
_REMARK = re.compile(r"(?:\s+[-–—]\s+|—|[:：]\s|\s[(\[]).*$", re.DOTALL)
_DENIES = re.compile(
    r"\b(?:not|no|never|without|rules?\s+out|ruled\s+out|unlikely|excludes?|excluded|cannot|can['’]t|isn['’]t|aren['’]t|doesn['’]t|don['’]t|against|neither|nor)\b",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"\b(?:however|but|although|though|instead|actually|wait|hmm|on second thought|correction|rather|in fact|retract|revise|wrong|mistake|"
    r"reconsider\w*|change my)\b",
    re.IGNORECASE,
)
_DIFFERENTIAL = re.compile(r"^(?:(?:the|my)\s+)?(?:differential|ddx|possible|possibilities)\b", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:(?:an?|the|either|some|possible|probable)\s+)+(?=\S)", re.IGNORECASE)
_PARTS = re.compile(r"\s*,\s+(?:(?:and|or)\s+)?|\s+(?:and|or|&|versus|vs\.?)\s+", re.IGNORECASE)
_ALTERNATIVES = re.compile(r"\s+(?:or|versus|vs\.?)\s+", re.IGNORECASE)
_NO_NAME = re.compile(
    r"\b(?:is|are|was|were|be|been|being|has|have|had|shows?|showed|presents?|presenting|presented|would|should|could|may(?!-)|might|must|will|can|does|did|"
    r"he|she|it|they|this|these|those|there|here|his|her|my|your|our|we|you|patients?|unclear|unknown|uncertain|difficult|hard|unable|impossible|"
    r"needs?|needed|further|tests?|testing|help|not|nothing|none|never|something|anything|someone|information|diagnos[ei]s|diagnostic|differential|likely|"
    r"unlikely|probably|possibly|important|necessary|better|best|worth|urgent|emergency|refer|see|ask|wait|think|believe|suspect|"
    r"(?:\d+|one|two|three)[\s-]*(?:year|month|week|day)s?)\b",
    re.IGNORECASE,
)
_MERE_ADJECTIVE = re.compile(
    r"(?:(?:an?|very|quite|of|origin|etiology|cause|in|nature|benign|malignant|viral|bacterial|fungal|infectious|inflammatory|cardiac|serious|multifactorial|"
    r"idiopathic|psychogenic|mechanical|functional|systemic|autoimmune|genetic|congenital|acute|chronic|mild|severe|self-limit(?:ing|ed)|right|wrong|correct|"
    r"fine|normal|healthy|stable|true|false|good|great|bad|tricky|tough|rare|common|complex|simple|clear|sure|odd|strange|case|presentation|picture|question)\b\s*)+",
    re.IGNORECASE,
)
_MOST_WORDS = 9
_LONGEST = 4_000
_SPEAKS = re.compile(
    r"^(?:(?:I|we)(?:['’](?:d|m|ll|ve))?\s+\w|(?:it|this|that|he|she|the patient)(?:\s+\w+){0,2}?\s*(?:is|'s|’s|has|could|may|might|would|was)\b|(?:most|very|more|less)\s+(?:likely|probable|probably)\b|"
    r"(?:probably|likely|presumably|possibly|perhaps|maybe)\b|(?:my|the)\s+(?:\w+\s+){0,3}(?:diagnosis|answer|impression|cause|differential|ddx|possibilities)\b\s*(?:is|are|was|remains|would|includes?)\b|also consider|consider\b|"
    r"(?:given|based on|considering)\s)|\b(?:is|are)\s+(?:the\s+|my\s+|also\s+|not\s+|an?\s+)?(?:most|more|less|likely|unlikely|possible|probable|leading|excluded|ruled)\b|"
    r"\b(?:suggests?|points? to|consistent with|rule[sd]? out|less likely|rather than|cannot|because|includes?|confirms?|indicates?|shows?|demonstrates?|reveals?|supports?|requires?)\b|[.!?]\s+[A-Z]|\?$",
    re.IGNORECASE,
)
_A_SECOND_SENTENCE = re.compile(r"(?<!\bvs)(?<!\bSt)(?<!\bDr)[.!?]\s+[A-Z][a-z]*\s+\S")


def speaks(line: str) -> bool:
    """Whether a line says something, where a name would only name: its words are those of a sentence."""
    text = line[:_LONGEST]
    found = _SPEAKS.search(text)
    if found is not None and found[0][:1] in ".!?" and not _A_SECOND_SENTENCE.search(text):
        found = None
    return found is not None or is_sentence(text, text.casefold())


def sentences(text: str, semicolons: bool = True) -> list[str]:
    """The sentences of a text, which semicolons end, too."""
    found = _SENTENCE.split(text.strip())
    if semicolons:
        found = [part for one in found for part in _SEMICOLON.split(one)]
    return [one for one in found if one.strip()]


def without_why(text: str) -> str:
    """A name without the clause behind it that says why, or what it is not."""
    return _WHY.sub("", text)


def names_said(text: str, led_by: list[str] | None = None) -> list[str] | None:
    """The diagnoses that sentences name, the likeliest first; None where no sentence of a known form names any, or it is taken back.

    led_by : what is named before the text begins; it goes first.

    >>> names_said("I think it is ulcerative colitis, less likely Crohn's disease.")
    ['ulcerative colitis', "Crohn's disease"]
    """
    if len(text) > _LONGEST:
        return None
    lead = list(led_by or [])
    further: list[str] = []
    for raw in sentences(text):
        sentence = _START.sub("", raw.strip(' \t*_"“”')).rstrip(" .!*_")
        if not sentence:
            continue
        if (found := _first(_FURTHER, sentence)) is not None:
            names = None if _DENIES.match(found) else _several(found)
            if names is None:
                return None
            if lead or not _DIFFERENTIAL.match(sentence):
                further += names
            else:
                lead = names
        elif (found := _first(_LEADS, sentence)) is not None:
            if _DENIES.match(found):
                continue
            first, *others = _CLAUSE.split(found)
            names = _alternatives(first)
            more = [_several(other) for other in others]
            if names is None or any(one is None for one in more) or (lead and names[0] not in lead):
                return None
            lead = lead or names
            further += [name for one in more for name in one or ()]
        elif lead and _TAKES_BACK.search(sentence):
            return None
    return list(dict.fromkeys([*lead, *further])) if lead else None


_OF_THE_LIST = re.compile(
    r"\b(?:listed|ranked|ordered|following|follows|above|among|one of|in bold)\b|\b(?:first|top|below)$", re.IGNORECASE
)


def leading(text: str) -> list[str]:
    """What the sentences above a list say is the diagnosis: "This is gout. Differential diagnosis:"; [] where they are not so sure.

    What only suggests something is no answer here: "The findings suggest an infection:" speaks of the list below.
    """
    if len(text) > _LONGEST:
        return []
    found: list[str] = []
    for raw in sentences(text):
        sentence = _START.sub("", raw.strip(' \t*_"“”')).rstrip(" .!*_")
        said = _first(_SURE, sentence)
        if said is None or _DENIES.match(said):
            if found and _TAKES_BACK.search(sentence):
                return []
        elif (names := _alternatives(_CLAUSE.split(said)[0])) and not any(map(_OF_THE_LIST.search, names)):
            found = found or names
    return found


def _first(forms: list[re.Pattern[str]], sentence: str) -> str | None:
    return next((found["name"] for form in forms if (found := form.match(sentence))), None)


def _alternatives(text: str) -> list[str] | None:
    """The name that a sentence leads with, or two with "or" between."""
    cut = _REMARK.sub("", _WHY.sub("", text))
    return _all_names(_ALTERNATIVES.split(cut))


def _several(text: str) -> list[str] | None:
    return _all_names(_PARTS.split(_REMARK.sub("", _WHY.sub("", text))))


def _all_names(parts: list[str]) -> list[str] | None:
    names = [_ARTICLE.sub("", part.strip(" ,.;*_\"'“”")) for part in parts]
    names = [name for name in names if name]
    return names if names and all(map(_is_name, names)) else None


def _is_name(name: str) -> bool:
    lower = " ".join(word for word in name.split() if not (word.isupper() and len(word) > 1))
    return (
        any(map(str.isalpha, name))
        and len(name.split()) <= _MOST_WORDS
        and "," not in name
        and _NO_NAME.search(lower) is None
        and _MERE_ADJECTIVE.fullmatch(name) is None
    )
