"""Names of the graph's diseases as names of ICD-10-CM codes: what is taken and what is left out."""

from __future__ import annotations

import math
from pathlib import Path

from dxmatch.recipe.disease_codes import OWN_COST, agreed_names, coded_names, more_names
from dxmatch.terms.icd import IcdIndex, open_tree
from dxmatch.terms.text.normalizer import Normalizer

from ..terms.conftest import HashingEncoder

FILES = {
    "disease_names.csv": """disease,name,kind,source
D1,gadget fever,label,X
D1,GF1,exact,X
D1,fever of gadgets,exact,X
D2,pneumonia,label,X
D3,shared name,label,X
D4,shared name,label,X
D5,blue gadget fever,label,X
D5,indigo fever,exact,X
""",
    "disease_icd10.csv": "disease,icd10cm\nD1,A92\nD1,A92.8\nD2,J15.9\nD3,K50\nD4,L40\n",
    "disease_parents.csv": "disease,parent\nD5,D1\n",
    "orphadata_icd10.csv": "orpha,name,icd10,relation\n7,Widget syndrome,G11.3,NTBT\n8,Broad one,G11,BTNT\n9,gadget fever,G11,E\n",
    "orphadata_synonyms.csv": "orpha,name,synonym\n7,Widget syndrome,WGT syndrome\n7,Widget syndrome,Disease of widgets\n",
}


def test_names_and_codes(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    tree, normalizer, encoder = open_tree("icd10cm"), Normalizer(), HashingEncoder()
    coded = coded_names(tmp_path, tree, normalizer, encoder)
    found = {one.name: one.code for one in coded if one.cost != OWN_COST}
    # no short form, no name that ICD-10 has, none of two categories; the graph before Orphadata; WHO's code as its category
    assert found.keys() == {"gadget fever", "fever of gadgets", "widget syndrome", "disease of widgets"}
    assert found["gadget fever"][:3] == "A92" and found["widget syndrome"] == "G11"
    index = IcdIndex.open("icd10cm", encoder, normalizer, more_names(coded))
    agreed = agreed_names(tmp_path, index, normalizer, coded)
    assert {(one.name, one.code) for one in agreed} == {("blue gadget fever", "A92"), ("indigo fever", "A92")}
    assert all(math.isinf(one.cost) for one in agreed)
