"""Silver pairs: what each kind gives, folds, and what holds of every pair."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from random import Random

import pytest

from dxmatch.recipe.silver import diseases, neighbours, specification, synonymy
from dxmatch.recipe.silver.pairs import SILVER, Generator, silver_pairs
from dxmatch.recipe.silver.pool import Pool
from dxmatch.recipe.silver.vocabulary import Vocabulary
from dxmatch.terms.text.normalizer import Normalizer


@pytest.mark.parametrize(
    ("kind", "pairs"),
    [
        (synonymy.synonyms, [("Foo disease type 1", "Smith syndrome")]),
        (synonymy.phrasings, [("carcinoma of foo", "foo carcinoma"), ("Acute bronchitis", "bronchitis, acute"), ("acute renal failure", "acute kidney failure")]),
        (specification.tree, [("Adenoviral pneumonia", "Viral pneumonia")]), (specification.everyday, [("acute kidney injury", "acute tubular necrosis")]),
        (specification.qualifiers, [("Allergic asthma", "asthma"), ("Asthma, left lung", "Asthma")]),
        (neighbours.siblings, [("Adenoviral pneumonia", "Respiratory syncytial virus pneumonia")]),
        (neighbours.contrasts, [("Staphylococcal pneumonia", "Streptococcal pneumonia"), ("Foo disease type 1", "Foo disease type 2"), ("Hyperfooemia", "Hypofooemia"), ("Acute bronchitis", "Chronic bronchitis")]),
        (diseases.kinds, [("exercise bronchospasm", "bronchial narrowing")]), (diseases.siblings, [("bronchospasm", "bronchial collapse")]),
    ],
)  # fmt: skip
def test_what_a_kind_gives(toy_pool: Pool, kind: Generator, pairs: list[tuple[str, str]]) -> None:
    """Drawn twice, as a name is at times drawn under another of its disease."""
    drawn = [c for seed in (0, 1) for c in islice(kind(toy_pool, Random(seed)), 10_000)]
    found = {frozenset((c.a.casefold(), c.b.casefold())) for c in drawn}
    assert {frozenset(name.casefold() for name in pair) for pair in pairs} <= found


def test_another_seed_gives_others(toy_pool: Pool) -> None:
    assert not silver_pairs(toy_pool, 300, 1).equals(silver_pairs(toy_pool, 300, 2))


def test_a_fold_has_names_of_that_fold_alone(toy_sources: Path, toy_vocabulary: Vocabulary) -> None:
    """No pair stands twice or is one name; what is called apart may be."""
    apart, normalizer = {kind.name: kind.apart for kind in SILVER}, Normalizer()
    folds = [Pool(Vocabulary(toy_sources, normalizer, fold)) for fold in range(5)]
    names = list[set[str]]()
    for pool in folds:
        rows = silver_pairs(pool, 200).to_pylist()
        keys = [frozenset((normalizer(row["a"]), normalizer(row["b"]))) for row in rows]
        assert 0 < len({*keys}) == len(keys) and all(len(key) == 2 and "" not in key for key in keys)
        for row in rows:
            assert apart[row["kind"]] == (row["label"] == 0)
            assert row["label"] or toy_vocabulary.may_differ((row["a"],), (row["b"],))
        known = {name for key in keys for name in key if (toy_vocabulary.disease(name) or -1) >= 0}
        assert all(pool.vocabulary.in_fold([name]) for name in known)
        assert not any(known & others for others in names)
        names.append(known)
