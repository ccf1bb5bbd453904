"""Silver pairs: what may be called different, what each kind gives, folds, and what holds of every pair."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from dxmatch.recipe.encoder import data
from dxmatch.recipe.encoder.data import Synonyms
from dxmatch.recipe.silver import diseases, neighbours, specification, synonymy, vocabulary
from dxmatch.recipe.silver.pairs import SILVER, Generator, silver_pairs
from dxmatch.recipe.silver.pool import Pool
from dxmatch.recipe.silver.titles import title
from dxmatch.recipe.silver.vocabulary import Vocabulary
from dxmatch.terms.icd import open_tree
from dxmatch.terms.text.normalizer import Normalizer

from ..case_table import cases

TREE = """code,name,parent
X,Diseases of the respiratory system,
J09-J18,Influenza and pneumonia,X
J12,Viral pneumonia,J09-J18
J12.0,Adenoviral pneumonia,J12
J12.1,Respiratory syncytial virus pneumonia,J12
J12.8,Other viral pneumonia,J12
J12.9,"Viral pneumonia, unspecified",J12
J13,Pneumonia due to Streptococcus pneumoniae,J09-J18
J15,Bacterial pneumonia,J09-J18
J15.2,Staphylococcal pneumonia,J15
J15.3,Streptococcal pneumonia,J15
J40-J47,Chronic lower respiratory diseases,X
J40,Chronic bronchitis,J40-J47
J41,Acute bronchitis,J40-J47
J45,Asthma,J40-J47
J45.0,Allergic asthma,J45
J45.1,"Asthma, left lung",J45
J45.2,"Asthma, right lung",J45
Z00,Encounter for examination,X
Z00.0,General adult medical examination,Z00
"""
FILES = {
    "disease_names.csv": "disease,name,kind,source\n"
    "DOID:1,airway disorder,label,DOID\nDOID:2,bronchial narrowing,label,DOID\nDOID:3,bronchial collapse,label,DOID\n"
    "DOID:4,exercise bronchospasm,label,DOID\nDOID:5,bronchospasm,label,DOID\n",
    "disease_parents.csv": "disease,parent\nDOID:2,DOID:1\nDOID:3,DOID:2\nDOID:4,DOID:2\nDOID:5,DOID:2\n",
    "orphadata_synonyms.csv": "orpha,name,synonym\n1,Foo disease type 1,Smith syndrome\n2,Foo disease type 2,Jones syndrome\n"
    "3,NON RARE IN EUROPE: Asthma,Wheezing disorder\n4,Hyperfooemia,Raised serum foo\n5,Hypofooemia,Lowered serum foo\n",
    "orphadata_icd10.csv": "orpha,name,icd10,relation\n6,Rare adenoviral lung inflammation,J12.0,NTBT\n3,Asthma,J45,E\n",
    "mondo_exact.csv": "mondo,other,source,other_id\nFoo disease type 1,Smith-Foo syndrome,orphanet,Orphanet:1\n"
    "carcinoma of foo,foo carcinoma variant,ncit,NCIT:1\n",
}


normal = Normalizer()


@pytest.fixture(scope="module")
def pools(tmp_path_factory: pytest.TempPathFactory) -> dict[int | None, Pool]:
    """By fold, and of all, the names of made-up sources, a tree of twenty codes in place of ICD-10-CM and two common synonyms."""
    folder = tmp_path_factory.mktemp("sources")
    for name, text in {"tree.csv": TREE, **FILES}.items():
        (folder / name).write_text(text)
    rows = [row.rsplit(",", 1)[0].split(",", 1) for row in TREE.splitlines()[4:]]
    names = [name.strip('"') for _, name in rows]
    icd = Synonyms("ICD-10-CM", names, names, [f"ICD10CM:{code}" for code, _ in rows])
    common = Synonyms("common", ["heart attack", "acute renal failure"], ["myocardial infarction", "aki"], [None] * 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vocabulary, "open_tree", lambda source: open_tree(folder / "tree.csv"))
        patch.setattr(data, "icd_synonyms", lambda: icd)
        patch.setattr(data, "common_synonyms", lambda: common)
        return {fold: Pool(Vocabulary(folder, normal, fold)) for fold in (None, *range(5))}


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
        (specification.tree, [("Adenoviral pneumonia", "Viral pneumonia")]), (specification.everyday, [("acute kidney injury", "acute tubular necrosis")]),
        (specification.qualifiers, [("Allergic asthma", "asthma"), ("Asthma, left lung", "Asthma")]),
        (neighbours.siblings, [("Adenoviral pneumonia", "Respiratory syncytial virus pneumonia")]),
        (neighbours.contrasts, [("Staphylococcal pneumonia", "Streptococcal pneumonia"), ("Foo disease type 1", "Foo disease type 2"), ("Hyperfooemia", "Hypofooemia"), ("Acute bronchitis", "Chronic bronchitis")]),
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
