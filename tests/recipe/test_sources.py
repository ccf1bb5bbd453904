"""What the recipe makes of the sources. Silver pairs: what may be called different, what each kind gives, folds, and what holds of every pair; names of codes."""

from __future__ import annotations

import math
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from dxmatch.recipe.disease_codes import OWN_COST, agreed_names, coded_names, more_names
from dxmatch.recipe.encoder import data
from dxmatch.recipe.encoder.data import Synonyms
from dxmatch.recipe.silver import diseases, specification, synonymy, vocabulary
from dxmatch.recipe.silver.pairs import SILVER, Generator, silver_pairs
from dxmatch.recipe.silver.pool import Pool
from dxmatch.recipe.silver.titles import title
from dxmatch.recipe.silver.vocabulary import Vocabulary
from dxmatch.terms.icd import IcdIndex, open_tree
from dxmatch.terms.text.normalizer import Normalizer

from ..case_table import cases
from ..terms.conftest import HashingEncoder

SOURCES = Path(__file__).with_name("sources")
"""Made up: a tree of twenty codes in place of ICD-10-CM, a few diseases and names."""
normal = Normalizer()


@pytest.fixture(scope="module")
def pools() -> dict[int | None, Pool]:
    """By fold, and of all, the names of the sources and two common synonyms."""
    tree = open_tree(SOURCES / "tree.csv")
    icd = Synonyms("ICD-10-CM", tree.names[2:], tree.names[2:], [f"ICD10CM:{code}" for code in tree.codes[2:]])
    common = Synonyms("common", ["heart attack", "acute renal failure"], ["myocardial infarction", "aki"], [None] * 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vocabulary, "open_tree", lambda source: tree)
        patch.setattr(data, "icd_synonyms", lambda: icd)
        patch.setattr(data, "common_synonyms", lambda: common)
        return {fold: Pool(Vocabulary(SOURCES, normal, fold)) for fold in (None, *range(5))}


@pytest.mark.parametrize(("official", "written", "residual", "why"), cases("silver", "title"))
def test_titles_as_they_are_written(official: str, written: str, residual: str, why: str) -> None:
    found = title(official)
    assert found is not None and (found.words, found.residual) == (written, bool(residual)), why


@pytest.mark.parametrize(("a", "b", "may", "why"), cases("silver", "differ"))
def test_what_may_be_called_different(pools: dict[int | None, Pool], a: str, b: str, may: str, why: str) -> None:
    for one, other in (((a,), (b,)), ((b,), (a,)), (("nothing else", a), ("other thing", b))):
        assert pools[None].vocabulary.may_differ(one, other) == (may == "yes"), why


@pytest.mark.parametrize(
    ("kind", "pairs"),
    [
        (synonymy.synonyms, [("Foo disease type 1", "Smith syndrome")]),
        (synonymy.phrasings, [("carcinoma of foo", "foo carcinoma"), ("Acute bronchitis", "bronchitis, acute"), ("acute renal failure", "acute kidney failure")]),
        (specification.everyday, [("acute kidney injury", "acute tubular necrosis")]),
        (specification.stages, [("mild persistent asthma", "asthma")]), (specification.qualifiers, [("Allergic asthma", "asthma"), ("Asthma, left lung", "Asthma")]),
        (diseases.contrasts, [("Staphylococcal pneumonia", "Streptococcal pneumonia"), ("Foo disease type 1", "Foo disease type 2"), ("Hyperfooemia", "Hypofooemia"), ("Acute bronchitis", "Chronic bronchitis")]),
        (diseases.kinds, [("exercise bronchospasm", "bronchial narrowing")]), (diseases.siblings, [("bronchospasm", "bronchial collapse")]),
    ],
)  # fmt: skip
def test_what_a_kind_gives(pools: dict[int | None, Pool], kind: Generator, pairs: list[tuple[str, str]]) -> None:
    """Drawn twice, as a name is at times drawn under another of its disease."""
    drawn = [c for seed in (0, 1) for c in islice(kind(pools[None], Random(seed)), 10_000)]
    found = {frozenset((c.a.casefold(), c.b.casefold())) for c in drawn}
    assert {frozenset(name.casefold() for name in pair) for pair in pairs} <= found


def test_a_fold_has_names_of_that_fold_alone(pools: dict[int | None, Pool]) -> None:
    """No pair stands twice or is one name; what is called apart may be. Another seed gives others."""
    apart, every, names = {kind.name: kind.apart for kind in SILVER}, pools[None], list[set[str]]()
    assert not silver_pairs(every, 300, 1).equals(silver_pairs(every, 300, 2))
    for fold in range(5):
        rows = silver_pairs(pools[fold], 200).to_pylist()
        keys = [frozenset((normal(row["a"]), normal(row["b"]))) for row in rows]
        assert 0 < len({*keys}) == len(keys) and all(len(key) == 2 and "" not in key for key in keys)
        for row in rows:
            assert apart[row["kind"]] == (row["label"] == 0)
            assert row["label"] or every.vocabulary.may_differ((row["a"],), (row["b"],))
        known = {name for key in keys for name in key if (every.vocabulary.disease(name) or -1) >= 0}
        assert not any(known & others for others in names)
        names.append(known)


def test_names_and_codes() -> None:
    """Names of the graph's diseases as names of ICD-10-CM codes: what is taken and what is left out."""
    tree, encoder = open_tree("icd10cm"), HashingEncoder()
    coded = coded_names(SOURCES, tree, normal, encoder)
    found = {one.name: one.code for one in coded if one.cost != OWN_COST}
    # no short form, no name that ICD-10 has, none of two categories; the graph before Orphadata; WHO's code as its category
    of_orphadata = {"widget syndrome", "disease of widgets", "rare adenoviral lung inflammation", "wheezing disorder"}
    assert found.keys() == {"gadget fever", "fever of gadgets", *of_orphadata}
    assert found["gadget fever"][:3] == "A92" and found["widget syndrome"] == "G11"
    index = IcdIndex.open("icd10cm", encoder, normal, more_names(coded))
    agreed = agreed_names(SOURCES, index, normal, coded)
    assert {(one.name, one.code) for one in agreed} == {("blue gadget fever", "A92"), ("indigo fever", "A92")}
    assert all(math.isinf(one.cost) for one in agreed)
