"""The kinds of silver pairs, each declared once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from . import contrasts, diseases, neighbours, specification, synonymy
from .pool import Candidate, Pool

SPECIFIES, STAGE, SYNONYMS, SIGN, SPELLING = (
    "one specifies the other", "one gives the stage of the other", "synonyms", "one is the laboratory sign of the other",
    "identical but for spelling",
)  # fmt: skip


@dataclass(frozen=True)
class Generator:
    """One kind of pairs.

    label : 1 match, 0 no match. criterion : the one of the six expert criteria that makes it a match, or why it is none.
    share : of all pairs, by default, before all are scaled to add up to 1. candidates : (names, random) -> candidates in random order; it ends when it has no more.
    """

    name: str
    label: int
    criterion: str
    share: float
    candidates: Callable[[Pool, Random], Iterator[Candidate]]


GENERATORS: dict[str, Generator] = {
    generator.name: generator
    for generator in (
        Generator("synonym", 1, SYNONYMS, 0.1, synonymy.synonyms),
        Generator("phrasing", 1, SYNONYMS, 0.04, synonymy.phrasings),
        Generator("everyday_specification", 1, SPECIFIES, 0.05, specification.everyday),
        Generator("specification", 1, SPECIFIES, 0.04, specification.tree),
        Generator("disease_kind", 1, SPECIFIES, 0.08, diseases.kinds),
        Generator("qualifier", 1, SPECIFIES, 0.04, specification.qualifiers),
        Generator("orphadata_relation", 1, SPECIFIES, 0.02, specification.orphadata_relations),
        Generator("stage", 1, STAGE, 0.03, specification.stages),
        Generator("laboratory_sign", 1, SIGN, 0.03, specification.laboratory_signs),
        Generator("spelling", 1, SPELLING, 0.04, synonymy.typing_errors),
        Generator("look_alike", 0, "taken for each other", 0.03, neighbours.look_alikes),
        Generator("sibling", 0, "neighbours in ICD-10-CM", 0.04, neighbours.siblings),
        Generator("disease_sibling", 0, "two kinds of one disease", 0.06, diseases.siblings),
        Generator("too_broad", 0, "a class that names no disease", 0.02, diseases.too_broad),
        Generator("other_site", 0, "one mechanism, another site", 0.05, contrasts.other_site),
        Generator("other_organism", 0, "another organism", 0.02, contrasts.other_organism),
        Generator("other_number", 0, "another type, factor or group", 0.04, contrasts.other_number),
        Generator("opposite", 0, "a word and its opposite", 0.08, contrasts.opposites),
        Generator("lexical_neighbour", 0, "names alike by their letters, of two diseases", 0.06, neighbours.lexical_neighbours),
        Generator("random", 0, "any two diseases", 0.13, neighbours.random_pairs),
    )
}  # fmt: skip
"""By name, in order; `counts` scales the shares to add up to 1."""
