"""The table of everyday and classic names with their ICD-10-CM codes."""

from __future__ import annotations

import csv
from pathlib import Path

import simple_icd_10_cm as cm

from dxmatch.recipe.disease_codes import MIN_LETTERS, OWN_NAMES
from dxmatch.recipe.word_lists.reading import rows
from dxmatch.terms.icd import open_tree
from dxmatch.terms.icd.index import entries
from dxmatch.terms.icd.tree import CATEGORY, EXTENSION
from dxmatch.terms.text.normalizer import Normalizer

MEASURED = Path(__file__).parents[1] / "data" / "everyday_icd.csv"
"""Measures the mapping, so no name of the table stands in it."""


def test_every_code_exists_and_can_be_found() -> None:
    tree = open_tree("icd10cm")
    for row in rows(OWN_NAMES):
        assert cm.is_valid_item(row["code"]), row
        assert CATEGORY <= tree.kinds[tree.find(row["code"])] < EXTENSION, row


def test_no_name_twice_none_that_icd_has_and_none_that_is_measured() -> None:
    normalizer = Normalizer()
    names = [normalizer(row["name"]) for row in rows(OWN_NAMES)]
    assert len(names) >= 500 and sorted(set(names)) == sorted(names)
    assert all(sum(map(str.isalpha, name)) >= MIN_LETTERS for name in names)
    assert set(names).isdisjoint(entries(open_tree("icd10cm"), normalizer)[0])
    measured = csv.DictReader(MEASURED.read_text("utf-8").splitlines())
    assert set(names).isdisjoint(normalizer(row["diagnosis"]) for row in measured)
