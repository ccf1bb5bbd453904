"""Pairs of two diseases that differ in one point: organism, number, course, side, site, mechanism, or a word and its opposite."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from random import Random
from typing import Any, TypeVar

from ..word_lists.reading import rows, word_set
from .pool import OWN, Candidate, Everyday, Name, Pool, in_turn, round_robin, shuffled

T = TypeVar("T")
PER_TEMPLATE = 4
_SLOT = "_"


@dataclass(frozen=True)
class Term:
    """Words that stand for one value on an axis, and the values above it: a pneumococcus is a streptococcus."""

    words: tuple[str, ...]
    axis: str
    value: str
    above: frozenset[str]

    def excludes(self, other: Term) -> bool:
        return self.value != other.value and self.value not in other.above and other.value not in self.above


@lru_cache
def terms(kind: str) -> dict[str, tuple[Term, ...]]:
    """The terms of a kind by their first word, longest first. Kind "site" comes from the table of places."""
    if kind == "site":
        listed = [
            {"axis": "site", "term": r["term"], "value": r["site"], "within": r["within"]}
            for r in rows("places_en.csv")
        ]
    else:
        listed = [row for row in rows("silver_contrasts_en.csv") if row["kind"] == kind]
    within = {row["value"]: row["within"] for row in listed}
    out: dict[str, list[Term]] = defaultdict(list)
    for row in listed:
        above, here = set(), row["within"]
        while here:
            above.add(here)
            here = within.get(here, "")
        words = tuple(row["term"].split())
        out[words[0]].append(Term(words, row["axis"], row["value"], frozenset(above)))
    return {first: tuple(sorted(found, key=lambda term: -len(term.words))) for first, found in out.items()}


def found_in(words: Sequence[str], kind: str) -> list[tuple[int, Term]]:
    """Where the terms of a kind stand in a name; a longer term covers those inside it."""
    out, at = [], 0
    by_first = terms(kind)
    while at < len(words):
        term = next((t for t in by_first.get(words[at], ()) if tuple(words[at : at + len(t.words)]) == t.words), None)
        if term is not None:
            out.append((at, term))
        at += len(term.words) if term else 1
    return out


def _with_slot(words: Sequence[str], at: int, length: int) -> str:
    return " ".join((*words[:at], _SLOT, *words[at + length :]))


def _templates(pool: Pool, kind: str) -> dict[tuple[str, str], list[tuple[Term, Name]]]:
    """Names that are alike but for one term: (axis, name with a slot) -> the terms and names."""
    out: dict[tuple[str, str], list[tuple[Term, Name]]] = defaultdict(list)
    # Sides stand only in the rows that ICD-10-CM makes of them.
    for name in pool.every if kind == "side" else pool.all:
        words = name.words
        found = found_in(words, kind)
        for at, term in found:
            if sum(other.axis == term.axis for _, other in found) == 1 and len(words) > len(term.words):
                out[term.axis, _with_slot(words, at, len(term.words))].append((term, name))
    return out


def _opposed(pool: Pool, kind: str, random: Random) -> Iterator[Candidate]:
    return _apart(pool, _templates(pool, kind), Term.excludes, random)


def _apart(
    pool: Pool, templates: Mapping[Any, list[tuple[T, Name]]], differ: Callable[[T, T], bool], random: Random
) -> Iterator[Candidate]:
    """Pairs of names of one template whose slots differ; one of them at times under another name of the same disease."""
    pairs = []
    for _, group in sorted(templates.items()):
        if len(group) > 1:
            drawn = shuffled(list(combinations(group, 2)), random)
            pairs.append([(a, b) for (s, a), (t, b) in drawn if differ(s, t)][:PER_TEMPLATE])
    return (
        Candidate(a.text, pool.drawn_name(b.text, random, 0.7), a.source, from_b=(b.text,))
        for a, b in round_robin(pairs, random)
    )


_INFECTIONS = (
    "pneumonia", "meningitis", "endocarditis", "sepsis", "gastroenteritis", "urinary tract infection", "keratitis", "conjunctivitis",
    "osteomyelitis", "septic arthritis", "cellulitis", "pharyngitis", "hepatitis", "encephalitis", "myocarditis", "esophagitis",
    "pericarditis", "sinusitis", "skin infection", "lung abscess", "brain abscess", "pyelonephritis", "endophthalmitis", "colitis",
)  # fmt: skip
_ORGANISMS = (
    "bacterial", "viral", "fungal", "staphylococcal", "streptococcal", "pneumococcal", "meningococcal", "gonococcal", "chlamydial",
    "tuberculous", "candidal", "cryptococcal", "cytomegaloviral", "adenoviral", "enteroviral", "parasitic",
)  # fmt: skip


def other_organism(pool: Pool, random: Random) -> Iterator[Candidate]:
    """One infection by two organisms, of which neither is a kind of the other."""
    adjectives = [terms("organism")[word][-1] for word in _ORGANISMS]

    def made() -> Iterator[Candidate]:
        for infection in shuffled(_INFECTIONS * 40, random):
            a, b = random.sample(adjectives, 2)
            if a.excludes(b):
                yield Candidate(f"{a.words[0]} {infection}", f"{b.words[0]} {infection}", OWN)

    return in_turn([(0.6, _opposed(pool, "organism", random)), (0.4, made())], random)


def opposites(pool: Pool, random: Random) -> Iterator[Candidate]:
    """Two names that differ in one word and its opposite: hyper- and hypo-, benign and malignant, with and without."""
    swapped = in_turn([(0.5, _swapped(pool, kind, random)) for kind in ("prefix", "suffix")], random)
    return in_turn([(0.5, _opposed(pool, "opposite", random)), (0.5, swapped)], random)


def _swapped(pool: Pool, kind: str, random: Random) -> Iterator[Candidate]:
    axes: dict[str, list[str]] = defaultdict(list)
    for row in rows("silver_contrasts_en.csv"):
        if row["kind"] == kind:
            axes[row["axis"]].append(row["term"])
    known = pool.vocabulary.known_words
    for name in shuffled(pool.all, random):
        for old, new in ((x, y) for parts in axes.values() for x in parts for y in parts if x != y):
            for word in name.words:
                turned = _turned(word, old, new, kind)
                written = " ".join(turned if w == word else w for w in name.words)
                if written in pool.names:
                    yield Candidate(name.text, pool.names[written].text, name.source)
                elif turned in known and len(name.words) < 3:
                    yield Candidate(name.text, written, f"{name.source}, turned")


def _turned(word: str, old: str, new: str, kind: str) -> str:
    if kind == "prefix":
        return new + word[len(old) :] if word.startswith(old) else ""
    return word[: -len(old)] + new if word.endswith(old) else ""


_NUMBER = re.compile(r"(\d+|[ivx]+)?([a-h]?)")
_STAGED = word_set(
    "stage grade class gravida week weeks degree phase level trimester day days months years age figo nyha harris category"
)


def other_number(pool: Pool, random: Random) -> Iterator[Candidate]:
    """Two types, factors, chromosomes or groups; stages of one disease are no other disease."""
    groups: dict[str, list[tuple[str, Name]]] = defaultdict(list)
    for name in pool.all:
        words = name.words
        for at in range(1, len(words)):
            if _number(words[at]) and words[at - 1] not in _STAGED:
                groups[_with_slot(words, at, 1)].append((words[at], name))
    named = _apart(pool, groups, numbers_differ, random)

    def made() -> Iterator[Candidate]:
        numbered = [
            (row["form"], *pair) for row in rows("numbered_en.csv") for pair in combinations(row["numbers"].split(), 2)
        ]
        for form, m, n in shuffled(numbered, random):
            yield Candidate(form.format(m), form.format(n), OWN)

    return in_turn([(0.75, named), (0.25, made())], random)


_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "x": "10", "xi": "11",
          "xii": "12", "xiii": "13"}  # fmt: skip


def _number(word: str) -> tuple[str, str] | None:
    """(number, letter) of "2", "2b", "ii", "b"; None for another word."""
    found = _NUMBER.fullmatch(word)
    if found is None or not word:
        return None
    digits, letter = found[1] or "", found[2]
    return _ROMAN.get(digits, digits), letter


def numbers_differ(a: str, b: str) -> bool:
    """Not so for "2" and "2b", of which one is a kind of the other."""
    first, second = _number(a), _number(b)
    assert first and second
    if first[0] != second[0]:
        return bool(first[0]) == bool(second[0])
    return bool(first[1] and second[1]) and first[1] != second[1]


def other_site(pool: Pool, random: Random) -> Iterator[Candidate]:
    """One mechanism at two sites: carcinoma of the lung and of the colon."""
    return in_turn([(0.65, _opposed(pool, "site", random)), (0.35, _crossed(pool, random))], random)


def _crossed(pool: Pool, random: Random) -> Iterator[Candidate]:
    groups: dict[str, list[Everyday]] = defaultdict(list)
    for row in pool.everyday:
        groups[row.mechanism].append(row)
    pairs = [(a.disease, b.disease) for group in groups.values() for a, b in combinations(group, 2) if a.site != b.site]
    return pool.drawn_pairs(pairs * 2, OWN, random)
