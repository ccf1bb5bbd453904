"""Names of the graph's diseases as names of ICD-10-CM codes: what is taken and what is left out."""

from __future__ import annotations

import math
from pathlib import Path

from dxmatch.recipe.disease_codes import OWN_COST, agreed_names, coded_names, more_names
from dxmatch.terms.icd import IcdIndex, open_tree
from dxmatch.terms.text.normalizer import Normalizer

from ..terms.conftest import HashingEncoder

SOURCES = Path(__file__).with_name("sources")


def test_names_and_codes() -> None:
    tree, normalizer, encoder = open_tree("icd10cm"), Normalizer(), HashingEncoder()
    coded = coded_names(SOURCES, tree, normalizer, encoder)
    found = {one.name: one.code for one in coded if one.cost != OWN_COST}
    # no short form, no name that ICD-10 has, none of two categories; the graph before Orphadata; WHO's code as its category
    of_orphadata = {"widget syndrome", "disease of widgets", "rare adenoviral lung inflammation", "wheezing disorder"}
    assert found.keys() == {"gadget fever", "fever of gadgets", *of_orphadata}
    assert found["gadget fever"][:3] == "A92" and found["widget syndrome"] == "G11"
    index = IcdIndex.open("icd10cm", encoder, normalizer, more_names(coded))
    agreed = agreed_names(SOURCES, index, normalizer, coded)
    assert {(one.name, one.code) for one in agreed} == {("blue gadget fever", "A92"), ("indigo fever", "A92")}
    assert all(math.isinf(one.cost) for one in agreed)
