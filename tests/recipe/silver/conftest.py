from __future__ import annotations

from pathlib import Path

import pytest

from dxmatch.recipe.encoder import data
from dxmatch.recipe.encoder.data import Synonyms
from dxmatch.recipe.silver import vocabulary as module
from dxmatch.recipe.silver.pool import Pool
from dxmatch.recipe.silver.vocabulary import Vocabulary
from dxmatch.terms.icd import open_tree
from dxmatch.terms.text.normalizer import Normalizer

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


def _icd() -> Synonyms:
    rows = [row.rsplit(",", 1)[0].split(",", 1) for row in TREE.splitlines()[4:]]
    names = [name.strip('"') for _, name in rows]
    return Synonyms("ICD-10-CM", names, names, [f"ICD10CM:{code}" for code, _ in rows])


def _common() -> Synonyms:
    return Synonyms("common", ["heart attack", "acute renal failure"], ["myocardial infarction", "aki"], [None] * 2)


def _replace_the_large_sources(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """A tree of twenty codes in place of ICD-10-CM, one pair of common synonyms."""
    (folder / "tree.csv").write_text(TREE)
    for name, text in FILES.items():
        (folder / name).write_text(text)
    patch.setattr(module, "open_tree", lambda source: open_tree(folder / "tree.csv"))
    patch.setattr(data, "icd_synonyms", _icd)
    patch.setattr(data, "common_synonyms", _common)


@pytest.fixture
def toy_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of made-up sources, which `silver_pairs` reads beside a small tree."""
    _replace_the_large_sources(monkeypatch, tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def toy_pool(tmp_path_factory: pytest.TempPathFactory) -> Pool:
    folder = tmp_path_factory.mktemp("sources")
    with pytest.MonkeyPatch.context() as patch:
        _replace_the_large_sources(patch, folder)
        return Pool(Vocabulary(folder, Normalizer()))


@pytest.fixture(scope="session")
def toy_vocabulary(toy_pool: Pool) -> Vocabulary:
    return toy_pool.vocabulary
