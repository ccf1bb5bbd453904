"""HDP, HDR and HDF1: hiclass as an oracle, and what is said of lists."""

from __future__ import annotations

import numpy as np
import pytest

from dxmatch.metrics import hdf1, hdp, hdr
from dxmatch.terms.icd.codes import hierarchy

from ..made import find, framed, scored, told

POOL = ["J40", "J44.9", "J47", "C34", "C34.90", "I26", "A15-A19", "B20", "S22.3", "S22.31XA", "2", "I10-I1A", "C50"]


def test_equals_hiclass():
    """Its macro average is HDP and HDR; its own F1 is of each case, so the harmonic mean is taken of the two."""
    hiclass = pytest.importorskip("hiclass.metrics", reason="the oracle hiclass is not installed (extra 'bench')")
    tree = hierarchy("icd10cm")
    true, said = np.random.default_rng(1).choice(POOL, (2, 30, 3)).tolist()

    def levels(case):
        paths = [[*(str(a) for a in reversed(tree.ancestors(tree.find(code)))), str(tree.find(code))] for code in case]
        return [path + [""] * (7 - len(path)) for path in paths]

    nodes = [np.array([levels(case) for case in cases]) for cases in (true, said)]
    precision, recall = (metric(*nodes, average="macro") for metric in (hiclass.precision, hiclass.recall))
    f1 = 2 * precision * recall / (precision + recall)
    assert [hdp(true, said), hdr(true, said), hdf1(true, said)] == pytest.approx([precision, recall, f1])


def of_codes(lists, k=None):
    """The report of lists of codes, the diagnoses being called after them; "none" is a word for no diagnosis."""
    frame = framed(lists)
    return scored(frame.assign(icd10=frame["diagnosis"].replace({"none": None})), "hierarchical", k=k)


def test_a_chapter_and_a_level_that_nobody_names():
    found = of_codes({"c2": {"A": ["C34"], "B": ["I26"], "truth": ["C34.9"]}, "c3": {"A": ["C34"], "truth": ["C34"]}})
    # B says I26 of chapter 2's C34.9: nothing there, so no HDP, an HDR of 0, and 0 whatever its HDP might be
    row = find(found.rows_of("hierarchical.chapters"), chapter="2", algorithm="B")
    assert [row[name] for name in ("HDP", "HDR", "HDF1")] == [None, 0, 0]
    row = find(found.rows, name="HDF1(subcategory)", algorithm="A")
    assert row["value"] is None and row["reason"].startswith("A gives no subcategory in any case")
    assert "1 of 2 cases B gives no code" in told(found, "origin")


def test_whole_lists_of_unlike_lengths_are_told():
    lists = {case: {"A": ["J40", "J47", "I26"], "B": ["J40"], "truth": ["J40"]} for case in ("c1", "c2")}
    said = told(of_codes(lists), "unlike_lengths")
    assert "A names 3.0" in said and "B 1.0" in said and not told(of_codes(lists, 2), "unlike_lengths")
