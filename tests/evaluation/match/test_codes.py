"""ICD-10 codes of answers and right answers: by cell, table, mapping and M, and which way each came."""

from __future__ import annotations

import pandas as pd
import pytest

import dxmatch
from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.match.codes import TextCodes
from dxmatch.evaluation.match.matches import match
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.terms.icd.sources import open_tree

from ..made import By, long_form

ROLES = {"A": "algorithm", "truth": "reference"}
CASES = {
    "c1": {"A": ["lung spots", "TB"], "truth": ["TB", "flu"]},
    "c2": {"A": ["lung  Spots", "chest cold"], "truth": ["chest cold"]},
}
TABLE = {"lung spots": "R91.8", "TB": "A15-A19", "chest cold": "J17; J18", "flu": ""}


def coded(cells=None, table=TABLE, m=None, cases=CASES):
    frame, m = long_form(cases, ROLES).assign(**({} if cells is None else {"icd10": cells})), m or By()
    codes = TextCodes(dxmatch.Codes(table=table), m, dxmatch.Asking())
    return match(read_lists(frame), m, ["hierarchical"], codes=codes)


def codes_of(nodes):
    """By case, rater and rank, the codes as written in the tree."""
    tree = open_tree("icd10cm")
    if nodes.ndim == 1:
        return [tree.code(node) for node in nodes.tolist() if node >= 0]
    return [codes_of(one) for one in nodes]


@pytest.mark.parametrize(
    ("cells", "table", "said", "right", "ways"),
    [
        # the table alone: capitals and blanks apart; sections, and several codes of one diagnosis
        (None, TABLE, [[["R91.8"], ["A15-A19"]], [["R91.8"], ["J17", "J18"]]], [["A15-A19"], ["J17", "J18"]],
         [{"table": 4, "not_in_table": 0}, {"table": 2, "not_in_table": 1}]),
        # a cell that holds a code goes before the table; what neither knows has none
        (["I26", ";", None, None, None, None, "J40|J41"], {"TB": "A15"}, [[["I26"], ["A15"]], [[], []]], [["A15"], ["J40", "J41"]],
         [{"column": 1, "table": 1, "none": 2}, {"column": 1, "table": 1, "none": 1}]),
    ],
)  # fmt: skip
def test_by_cell_and_table(cells, table, said, right, ways):
    made = coded(cells, table)
    assert made.codes is not None
    assert [of_rater[0] for of_rater in codes_of(made.codes.predicted)] == said
    assert codes_of(made.codes.reference) == right
    none = sum(not codes for case in said for codes in case)
    counts = [("A", 4, none, none / 4), ("reference", 3, 1, 1 / 3)]
    named = ("algorithm", "diagnoses", "without_code", "share_without_code")
    assert made.codes.rows == [
        {**dict(zip(named, of, strict=True)), **way} for of, way in zip(counts, ways, strict=True)
    ]


def test_m_maps_what_the_table_lacks_and_that_is_found():
    m = dxmatch.load()
    cases = {"c1": {"A": ["heart attack", "no asthma", "gout"], "truth": ["asthma"]}}
    made = coded(table={"asthma": "J45"}, m=m, cases=cases)
    assert made.codes is not None
    expected = str(dxmatch.icd(["heart attack"])["icd10"][0])
    assert codes_of(made.codes.predicted)[0][0][:2] == [[expected], []], "what is denied has no code"
    (found,) = [one for one in made.findings if one.kind == "codes"]
    assert found.of == found.count + 1 and "by the mapping: 'gout', 'heart attack'" in found.example


@pytest.mark.parametrize("at", [None, 0, 2])
def test_without_codes_on_both_sides_what_is_missing_is_said(at):
    made = coded(None if at is None else ["I26" if row == at else None for row in range(7)], None)
    assert made.codes is None and "the columns icd10 and reference_icd10" in made.lacking["hierarchical"]


def test_what_cannot_be_right_is_refused():
    with pytest.raises(InputError, match="row 1, column 'icd10'.*J99X9"):
        coded(table=pd.DataFrame({"diagnosis": ["TB", "flu"], "icd10": ["A15", "J99X9"]}))
    with pytest.raises(InputError, match="row 0, column 'icd10'"):
        coded(["nonsense", *[None] * 6])
    with pytest.raises(OptionError, match="pick"):
        TextCodes(dxmatch.Codes(preset="h-ddx"), By(), dxmatch.Asking())
