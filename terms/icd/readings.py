"""The names of a node as ICD-10 writes them: its title, its inclusion terms, and what else each says by the classification's own conventions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .tree import CATEGORY, IcdTree

_RANGE = re.compile(r"\s*\([A-Z]\d[0-9A-Z](?:-[A-Z]\d[0-9A-Z])?\)$")
_ROUND = re.compile(r"\([^()]*\)")
_SQUARE_AT_THE_END = re.compile(r"([^\[\]()]+?) \[([^\[\]]+)\]")
_SQUARE = re.compile(r"\s*\[[^\[\]]*\]")
_NO_SYNONYM = ("any ", "including ", "from ", "part of", "other", "ventilator", "battery", "conscious ")
# "Pneumonia, unspecified organism", "Peptic ulcer, site unspecified", "Fatty liver, not elsewhere classified"
_NOT_SAID = re.compile(
    r",[^,]*\b(?:unspecified|not specified|not elsewhere classified)\b(?!\s+(?:with|and)\b)[^,]*", re.IGNORECASE
)
_OR_ANY = re.compile(r"^(?:other and unspecified|unspecified)\s+", re.IGNORECASE)
# What a name means that does not say so: "Subarachnoid hemorrhage" is the nontraumatic one.
_BY_DEFAULT = re.compile(r"\b(?:nontraumatic|nonrheumatic|nonpyogenic|noninfective|noninfectious)\s+", re.IGNORECASE)
_RESIDUAL = re.compile(r",?(?<!with or)\s+without\b.*$|\s+of unspecified (?:site|part|organ|organism)\b", re.IGNORECASE)
_COLLECTS = re.compile(r"^other\b(?! and unspecified)", re.IGNORECASE)
_TWO_NOUNS = re.compile(r"([\w-]{5,}) and ([\w-]{5,})")
_POISONING = re.compile(
    r"Poisoning by(?:, adverse effect of and underdosing of| and adverse effect of|,[^,]*of)? "
    r"(?:other and unspecified |other |unspecified )?([^,\[(]+)"
)
_MAX_POISON_WORDS = 3


def other_readings(name: str) -> list[str]:
    """What else an ICD-10 name says by the conventions for brackets (ICD-10-CM guidelines, I.A.7).

    Round brackets hold words that may be absent without a change of the code; square brackets, a synonym of what precedes.

    >>> other_readings("Myocardial infarction (acute) NOS")
    ['Myocardial infarction NOS']
    >>> other_readings("Zoster [herpes zoster]")
    ['Zoster', 'herpes zoster']
    """
    readings = []
    if "(" in name:
        readings.append(_ROUND.sub(" ", name))
    if found := _SQUARE_AT_THE_END.fullmatch(name):
        readings.append(found[1])
        # "[HIV]" after seven words is a synonym of the last three; one of no fewer words, or in small letters, of all
        # that precedes it
        whole = len(found[2].split()) >= len(found[1].split()) or (found[2].islower() and "," not in found[2])
        if whole and not found[2].startswith(_NO_SYNONYM):
            readings.append(found[2])
    return _tidy(readings)


def plain_readings(name: str) -> list[str]:
    """The disease that the title of an unspecified or residual code names, without what it says of being so.

    By the guidelines, "unspecified" and "without ..." stand for what a record does not say (I.A.9), "and" means "and/or"
    (I.A.14); a poisoning is what records call an overdose (I.C.19.e.5.b).

    >>> plain_readings("Pneumonia, unspecified organism")
    ['Pneumonia']
    >>> plain_readings("Nonrheumatic aortic (valve) stenosis")
    ['aortic stenosis']
    >>> plain_readings("Hypo-osmolality and hyponatremia")
    ['Hypo-osmolality', 'hyponatremia']
    >>> plain_readings("Poisoning by and adverse effect of heroin")
    ['heroin overdose', 'heroin poisoning']
    """
    if _COLLECTS.match(name):
        return []
    base = " ".join(_SQUARE.sub("", _ROUND.sub(" ", name)).split())
    if found := _POISONING.match(name):
        what = found[1].strip()
        return [f"{what} overdose", f"{what} poisoning"] if len(what.split()) <= _MAX_POISON_WORDS else []
    readings = []
    for not_meant in (_NOT_SAID, _OR_ANY, _RESIDUAL, _BY_DEFAULT):
        if (shorter := not_meant.sub("", base).strip(" ,")) != base and shorter:
            readings.append(shorter)
            base = shorter
    if found := _TWO_NOUNS.fullmatch(base):
        readings += [found[1], found[2]]
    return _tidy(readings)


def _tidy(readings: Iterable[str]) -> list[str]:
    return [" ".join(reading.split()) for reading in readings if reading.strip()]


def written_names(tree: IcdTree, node: int) -> Iterator[str]:
    """The title, then the inclusion terms, then the other readings of both.

    A chapter's or section's title is given without its codes ("Tuberculosis (A15-A19)"), and without what stands among its
    inclusion terms as a note in whole sentences.
    """
    title, terms = tree.names[node], tree.inclusion_terms(node)
    if tree.kinds[node] < CATEGORY:
        title, terms = _RANGE.sub("", title), [term for term in terms if "." not in term]
    yield from (title, *terms)
    for name in (title, *terms):
        yield from other_readings(name)
    if tree.kinds[node] >= CATEGORY:
        yield from plain_readings(title)
