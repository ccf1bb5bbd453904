"""What a label of an answer says that it holds: a heading, a word before a colon, a key of JSON, a tag, the head of a column."""

from __future__ import annotations

import re

LEAD, LIST, OTHERS, ASIDE = range(4)
"""One diagnosis, a list of them, those beside a leading one, what is no answer."""
_ONE = "first diagnosis dx answer impression condition disease most likely likeliest probable leading primary principal main working provisional presumptive top single final definitive confirmed name st"
_MANY = (
    "diagnoses conditions diseases differential differentials ddx possible possibly possibilities considerations potential relevant more ranked ranking revised updated refined"
    " other others alternative alternatives also still additional remaining secondary less least unlikely next second third fourth fifth tertiary nd rd th"
)
_SMALL = (
    "the my a an of in by to this patient case is are would be and but with include includes from here d s tier rank key important list consider considered order"
    " likelihood probability decreasing descending"
)
_OF_ONE, _OF_MANY, _SAY_NOTHING = (frozenset(words.split()) for words in (_ONE, f"{_ONE} {_MANY}", _SMALL))
_BESIDE = re.compile(
    r"other|alternative|also|additional|remaining|secondary|next|second|third|fourth|fifth|tertiary|\d(?:nd|rd|th)|unlikely|^(?:less|least)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"(?:\w+\s+){0,2}(?:basis|reason(?:s|ing)?|rationale|explanation|justification|evidence|findings|features|symptoms|presentation|history|complaint|summar(?:y|ize)|analysis|assessment"
    r"|discussion|plan|management|treatment|therapy|tests?|testing|work-?up|investigations?|recommendations?|recommended|steps?|actions?|notes?|disclaimer|confidence|likelihood|prob(?:ability)?"
    r"|follow-?up|labs?|imaging|medications?|comorbidities|patient|question|code|icd\s?-?(?:10)?|severity|urgen\w+|ruled\s+out|red\s+flags|caveats?|clues?|supporting|against|why|hypotheses|rank|orpha\w*"
    r"|problems?|factors|thinking|thoughts?|scratchpad|reflection)\b(?!.*\b(?:diagnoses|ddx|exclude|miss|concern\w*)\b)",
    re.IGNORECASE,
)
_LONGEST = 7
"""Words; what is longer is a sentence."""
_MARKS = re.compile(r"\*\*|__|`|~~|(?<!\w)[*_](?=\w)|(?<=[\w)])[*_](?!\w)")
_NO_WORDS = re.compile(r"\([^()]*\)|\bfor\s.*|^\W*\d+[.)]|[^\w\s'’/-]", re.IGNORECASE)


def plain(text: str) -> str:
    """Takes the marks of bold, italics and code away."""
    return _MARKS.sub("", text).strip()


def kind_of(label: str) -> int | None:
    """Gives what stands behind a label: one of all whose words are known; None for any other.

    >>> kind_of("Most likely diagnosis") == LEAD, kind_of("mostLikelyDiagnosis") == LEAD, kind_of("Gout")
    (True, True, None)
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", plain(label))
    bare = _NO_WORDS.sub(" ", spaced).strip()
    words = {word for word in re.findall(r"[^\W\d_]+", bare.casefold()) if word not in _SAY_NOTHING}
    if words and words <= _OF_MANY:
        return LEAD if words <= _OF_ONE else OTHERS if _BESIDE.search(bare) else LIST
    return ASIDE if "," not in label and len(bare.split()) <= _LONGEST and _ASIDE.match(bare) else None
