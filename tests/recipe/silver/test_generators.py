"""Each kind by itself, on sources that are made up."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from dxmatch.recipe.silver import diseases, neighbours, specification, synonymy
from dxmatch.recipe.silver.pairs import Generator
from dxmatch.recipe.silver.pool import Pool


def made(pool: Pool, kind: Generator, most: int = 10_000) -> set[tuple[str, str]]:
    """Drawn twice, as a name is at times drawn under another of its disease."""
    return {(c.a, c.b) for seed in (0, 1) for c in islice(kind(pool, Random(seed)), most)}


@pytest.mark.parametrize(
    ("kind", "pair"),
    [
        (synonymy.synonyms, ("Foo disease type 1", "Smith syndrome")),
        *[(synonymy.phrasings, pair) for pair in [("carcinoma of foo", "foo carcinoma"), ("Acute bronchitis", "bronchitis, acute"), ("acute renal failure", "acute kidney failure")]],
        (specification.tree, ("Adenoviral pneumonia", "Viral pneumonia")),
        *[(specification.qualifiers, pair) for pair in [("Allergic asthma", "asthma"), ("Asthma, left lung", "Asthma")]],
        (specification.everyday, ("acute kidney injury", "acute tubular necrosis")),
        (neighbours.siblings, ("Adenoviral pneumonia", "Respiratory syncytial virus pneumonia")),
        *[(neighbours.contrasts, pair) for pair in [("Staphylococcal pneumonia", "Streptococcal pneumonia"), ("Foo disease type 1", "Foo disease type 2"), ("Hyperfooemia", "Hypofooemia"), ("Acute bronchitis", "Chronic bronchitis")]],
        (diseases.kinds, ("exercise bronchospasm", "bronchial narrowing")), (diseases.siblings, ("bronchospasm", "bronchial collapse")),
    ],
)  # fmt: skip
def test_what_a_kind_gives(toy_pool: Pool, kind: Generator, pair: tuple[str, str]) -> None:
    found = {(a.casefold(), b.casefold()) for a, b in made(toy_pool, kind)}
    one, other = (name.casefold() for name in pair)
    assert {(one, other), (other, one)} & found
