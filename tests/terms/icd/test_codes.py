"""Codes of a table as nodes of a tree: what is accepted, mapped and refused."""

from __future__ import annotations

import doctest

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch import Asking, Codes
from dxmatch.errors import InputError
from dxmatch.evaluation.match.codes import TextCodes
from dxmatch.evaluation.match.matches import match
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.terms.icd import codes as icd_codes
from dxmatch.terms.icd import open_tree
from dxmatch.terms.icd.codes import Place, nodes_of_cells, padded


class NoMapping:
    threshold = 0.5

    def probabilities(self, a, b):
        return np.zeros(len(a))


@pytest.fixture(scope="module")
def tree():
    return open_tree("icd10cm")


@pytest.fixture(scope="module")
def shipped():
    return dxmatch.load()


def codes_of(tree, nodes):
    return [tree.codes[node] for node in nodes.ravel().tolist() if node >= 0]


def test_cells(tree):
    assert not doctest.testmod(icd_codes).failed
    cells = {"J40": Place(2, "icd10"), " i10-i1a ;C349| J40": Place(3, "icd10"), ";": Place(4, "icd10")}
    nodes = nodes_of_cells(cells, tree, "icd10cm")
    assert [[tree.codes[node] for node in row] for row in nodes.values()] == [["J40"], ["I10-I1A", "C34.9", "J40"], []]
    # a block that holds one category of its name: the category is meant
    (node,) = nodes_of_cells({"B20": Place(2, "icd10")}, tree, "icd10cm")["B20"]
    assert tree.kinds[node] == "category"
    assert padded([(1, 2), (), (3,)]).tolist() == [[1, 2], [-1, -1], [3, -1]]
    assert padded([]).shape == (0, 1) and padded([()]).tolist() == [[-1]]


@pytest.mark.parametrize(
    ("source", "cells", "message"),
    [
        (
            "icd10cm", [("Z99.999", 9), ("J40|J4O", 7)],
            "lists.csv, row 7, column 'icd10': an unknown ICD-10 code, the first of 2. Allowed: a code of "
            "simple_icd_10_cm 1.5.0, such as J40, J41, J42; several apart by ; or |. Got: 'J4O'.",
        ),
        (
            "icd10cm", [("J40;A15.1", 3), ("B20.0", 7), ("C34.90", 2)],
            "lists.csv, row 3, column 'icd10': codes of two revisions: 'A15.1' is in WHO's ICD-10 only, 'C34.90' (row 2, "
            "column 'icd10') in ICD-10-CM only. Allowed: codes of one revision.",
        ),
        (
            "icd10", [("J40;A15.1", 3), ("B20.0", 7), ("C34.90", 2)],
            "lists.csv, row 2, column 'icd10': codes of two revisions: 'C34.90' is in ICD-10-CM only, 'A15.1' (row 3, "
            "column 'icd10') in WHO's ICD-10 only. Allowed: codes of one revision.",
        ),
        (
            "icd10cm", [("B20.0", 7), ("J40", 2)],
            "lists.csv, row 7, column 'icd10': the code is in WHO's ICD-10 only. Allowed: codes of ICD-10-CM. "
            "Got: 'B20.0'. Or: tree='icd10' reads it.",
        ),
        ("icd10", [("B20.0", 7), ("J40", 2)], None),
    ],
)  # fmt: skip
def test_codes_that_are_refused(source, cells, message):
    """B20.0 and A15.1 are WHO's, C34.90 is of ICD-10-CM, J40 of both. The first place is reported, with the nearest codes."""
    try:
        nodes_of_cells({text: Place(row, "icd10") for text, row in cells}, open_tree(source), source, "lists.csv")
        assert message is None
    except InputError as error:
        assert str(error) == message


def lists_of(rows, columns="case_id,rater,role,rank,diagnosis,icd10", **options):
    table = pd.DataFrame([dict(zip(columns.split(","), row, strict=True)) for row in rows])
    return read_lists(table, reading=dxmatch.Reading(no_diagnosis=["none"]), **options)


ROWS = [
    ("c1", "A", "algorithm", 1, "asthma", "J45.909;J40"),
    ("c1", "A", "algorithm", 2, "heart attack", None),
    ("c1", "T", "reference", 1, "bronchitis", "J40"),
    ("c2", "A", "algorithm", 1, "none", "I21"),
    ("c2", "A", "algorithm", 2, "I21.9", ""),
    ("c2", "T", "reference", 1, "acute myocardial infarction", None),
]


def coded(lists, k, m):
    return match(lists, m, ["hierarchical"], k, codes=TextCodes(Codes(), m, Asking())).codes


def test_lists_by_code_and_by_text(tree, shipped):
    found = coded(lists_of(ROWS), 2, shipped)
    assert codes_of(tree, found.predicted[0, 0, 0]) == ["J45.909", "J40"]
    assert codes_of(tree, found.predicted[1, 0]) == ["I21.9"]  # a word for no diagnosis has no code
    for nodes, text in (
        (found.predicted[0, 0, 1], "heart attack"),
        (found.reference[1], "acute myocardial infarction"),
    ):
        assert codes_of(tree, nodes) == list(map(str, dxmatch.icd([text])["icd10"]))


def test_the_column_of_the_references_codes_and_where_a_wrong_one_stands(tree, shipped):
    columns = "case_id,rater,role,rank,diagnosis,reference,reference_icd10"
    rows = [("c1", "A", "algorithm", 1, "asthma", "bronchitis", "J40;J41"), ("c2", "A", "algorithm", 1, "asthma", "asthma", None)]  # fmt: skip
    found = coded(lists_of(rows, columns), 1, shipped)
    assert codes_of(tree, found.reference[0]) == ["J40", "J41"]
    assert codes_of(tree, found.reference[1]) == codes_of(tree, found.predicted[1])
    further = [*ROWS[:3], ("c1", "A", "algorithm", 3, "gout", "M1O")]  # beyond k
    with pytest.raises(InputError, match=r"data frame, row 3, column 'icd10': an unknown ICD-10 code.*'M1O'"):
        coded(lists_of(further), 2, shipped)
    wrong = [*ROWS[:2], ("c1", "T", "reference", 1, "bronchitis", "J4O")]
    with pytest.raises(InputError, match=r"row 2, column 'icd10 of the reference': an unknown ICD-10 code"):
        coded(lists_of(wrong), 1, shipped)
