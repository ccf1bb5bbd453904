"""HDP, HDR and HDF1: the printed cases, hiclass as an oracle, and of lists."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch.errors import InputError
from dxmatch.evaluation.score.hierarchical import hdf1, hdp, hdr, rank_shift_rows
from dxmatch.terms.icd.ancestor_sets import opened

from ..made import By, find, rows_in, scored, told, value

POOL = ["J40", "J44.9", "J47", "C34", "C34.90", "I26", "A15-A19", "B20", "S22.3", "S22.31XA", "2", "I10-I1A", "C50"]
WORKED = rows_in("score/h_ddx_cases")


@pytest.mark.parametrize("row", WORKED, ids=lambda row: row["predicted"])
def test_the_printed_cases(row):
    """With one case HDF1 = 2 s / (p + t), of the nodes that are shared, predicted and true: 2 3/(16 + 13) = 6/29.

    J01.9 of case 3 has one child, J01.90. Read as that leaf, one node more, all 8 printed values come out; the last two rows have it
    as it is printed.
    """
    codes = [[row["reference"].split()], [row["predicted"].split()]]
    shared, said, true = (int(row[name]) for name in ("shared", "said", "true"))
    assert [hdp(*codes), hdr(*codes)] == pytest.approx([shared / said, shared / true])
    assert hdf1(*codes) == pytest.approx(2 * shared / (said + true)) and round(hdf1(*codes), 4) == float(row["HDF1"])


def test_the_printed_rank_shifts():
    """21 of 22 as printed. The other is a tie: two models share .7630, so the better place; the source gives one of them the worse."""
    accuracy, f1, printed = np.array(
        [[float(cell) for cell in row.values()] for row in rows_in("score/h_ddx_table_2")]
    ).T
    rows = rank_shift_rows([f"m{i}" for i in range(22)], {"M": accuracy}, f1, 5)
    shifts = np.array([row["shift"] for row in rows])
    (other,) = np.flatnonzero(shifts != printed)
    assert accuracy[other] == 0.7630 and (accuracy == 0.7630).sum() == 2 and shifts[other] == printed[other] - 1


def test_equals_hiclass():
    """Its macro average is HDP and HDR; its own F1 is of each case, so the harmonic mean is taken of the two."""
    hiclass = pytest.importorskip("hiclass.metrics", reason="the oracle hiclass is not installed (extra 'bench')")
    tree, _ = opened("icd10cm")
    true, said = np.random.default_rng(1).choice(POOL, (2, 30, 3)).tolist()

    def levels(case):
        paths = [[*(str(a) for a in reversed(tree.ancestors(code))), str(tree.node(code))] for code in case]
        return [path + [""] * (7 - len(path)) for path in paths]

    nodes = [np.array([levels(case) for case in cases]) for cases in (true, said)]
    precision, recall = (metric(*nodes, average="macro") for metric in (hiclass.precision, hiclass.recall))
    f1 = 2 * precision * recall / (precision + recall)
    assert [hdp(true, said), hdr(true, said), hdf1(true, said)] == pytest.approx([precision, recall, f1])


# Of lists

ENDS_ALIKE = By(lambda x, y: x[-2:] == y[-2:])


def frame(references, lists):
    """{case: codes} and {rater: {case: codes}} in long form; "none" is a word for no diagnosis."""
    rows = [
        (case, rater, role, rank, code if code == "none" else f"dx {code}", None if code == "none" else code)
        for rater, role, of in [*((name, "algorithm", of) for name, of in lists.items()), ("truth", "reference", references)]
        for case, codes in of.items()
        for rank, code in enumerate(codes, 1)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["case_id", "rater", "role", "rank", "diagnosis", "icd10"])


REFERENCES = {"c1": ["J40"], "c2": ["C34.9"], "c3": ["I21.9"]}
LISTS = {
    "A": {"c1": ["J40", "J47"], "c2": ["C34.90;I26", "J18"], "c3": ["I21", "I26"]},
    "X": {"c1": ["J44.9"], "c2": ["I26"], "c3": ["none"]},
}


def of_codes(references=REFERENCES, lists=LISTS, k=2):
    return scored(frame(references, lists), "hierarchical", ENDS_ALIKE, k=k)


def test_by_hand():
    """Nodes of A and the reference, shared of predicted and true: c1 3 of 4, 3; c2 4 of 11, 4; c3 3 of 5, 4."""
    found = of_codes()
    precision, recall = (3 / 4 + 4 / 11 + 3 / 5) / 3, (1 + 1 + 3 / 4) / 3
    for rater, name, expected in (
        ("A", "HDP@2", precision), ("A", "HDR@2", recall), ("A", "HDF1@2", 2 * precision * recall / (precision + recall)),
        ("A", "HDP(chapter)@2", 7 / 9),  # 10 of 10; 2 of 2, 9, 10; 9 of 9
        # X: J44.9 shares 2 of its 4 nodes with the 3 of J40, I26 none; nothing is said in c3
        ("X", "HDP@2", 1 / 4), ("X", "HDR@2", 2 / 9),
    ):  # fmt: skip
        assert value(found, rater, name) == pytest.approx(expected), name
    # of the first diagnosis alone: J40 3 of 3 nodes; C34.90 and I26 4 of 8; I21 3 of 3
    assert value(of_codes(k=1), "A", "HDP@1") == pytest.approx((1 + 4 / 8 + 1) / 3)
    assert "1 of 3 cases X gives no code" in told(found, "origin")
    # X says I26 of chapter 2's C34.9: nothing there, so no HDP, an HDR of 0, and 0 whatever its HDP might be
    row = find(found.rows_of("hierarchical.chapters"), chapter="2", algorithm="X")
    assert [row[name] for name in ("HDP", "HDR", "HDF1")] == [None, 0, 0]


def test_references_that_are_missing_and_a_level_that_nobody_names():
    found = of_codes({case: codes for case, codes in REFERENCES.items() if case != "c2"})
    assert value(found, "A", "HDP@2") == pytest.approx((3 / 4 + 3 / 5) / 2)
    assert "1 of 3 cases" in told(found, "no_reference")
    found, nobody = of_codes({"c1": ["J40"]}, {"A": {"c1": ["J47"]}}, k=1), "A gives no subcategory in any case"
    row = find(found.rows, name="HDF1(subcategory)@1")
    assert row["value"] is None and row["reason"].startswith(nobody) and value(found, "A", "HDF1@1") is not None


def test_whole_lists_of_unlike_lengths_are_told():
    lists = {"A": {case: ["J40", "J47", "I26"] for case in REFERENCES}, "B": {case: ["J40"] for case in REFERENCES}}
    said = told(of_codes(REFERENCES, lists, k=None), "unlike_lengths")
    assert "A names 3.0" in said and "B 1.0" in said
    assert not told(of_codes(REFERENCES, lists), "unlike_lengths")


def test_a_code_that_the_tree_lacks_is_named_with_the_file_that_holds_it(tmp_path):
    lists, right = tmp_path / "lists.csv", tmp_path / "right.csv"
    lists.write_text("case_id,model,rank,diagnosis,icd10\n1,g,1,flu,J11\n2,g,1,gout,M10\n")
    right.write_text("case_id,reference,reference_icd10\n1,flu,J11\n2,gout,ZZZ9\n")
    with pytest.raises(InputError, match=r"right\.csv, row 3, column 'icd10 of the reference'.*'ZZZ9'"):
        dxmatch.evaluate(lists, right, matcher=By())
