"""Codes of a table as nodes of a tree: what is accepted, mapped and refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch import Asking, Codes
from dxmatch.errors import InputError
from dxmatch.evaluation.match.codes import TextCodes
from dxmatch.evaluation.match.matches import match
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.terms.icd import open_tree
from dxmatch.terms.icd.ancestor_sets import overlap
from dxmatch.terms.icd.codes import Place, nodes_of_cells, padded
from dxmatch.terms.icd.tree import CATEGORY


def codes_of(tree, nodes):
    return [tree.codes[node] for node in nodes.ravel().tolist() if node >= 0]


def test_cells(cm):
    cells = {"J40": Place(2, "icd10"), " i10-i1a ;C349| J40": Place(3, "icd10"), ";": Place(4, "icd10"), "B20": Place(5, "icd10")}  # fmt: skip
    nodes = nodes_of_cells(cells, cm, "icd10cm")
    found = [[cm.codes[node] for node in row] for row in nodes.values()]
    assert found == [["J40"], ["I10-I1A", "C34.9", "J40"], [], ["B20"]]
    assert cm.kinds[nodes["B20"][0]] == CATEGORY, "of a block that holds one category of its name the category is meant"
    assert padded([(1, 2), (), (3,)]).tolist() == [[1, 2], [-1, -1], [3, -1]]
    assert padded([]).shape == (0, 1) and padded([()]).tolist() == [[-1]]


@pytest.mark.parametrize(
    ("source", "cells", "message"),
    [
        ("icd10cm", [("Z99.999", 9), ("J40|J4O", 7)], ["lists.csv, row 7, column 'icd10'", "first of 2", "J40, J41, J42", "Got: 'J4O'"]),
        ("icd10cm", [("J40;A15.1", 3), ("B20.0", 7), ("C34.90", 2)], ["lists.csv, row 3", "'A15.1' is in WHO's", "'C34.90' (row 2, "]),
        ("icd10", [("J40;A15.1", 3), ("B20.0", 7), ("C34.90", 2)], ["lists.csv, row 2", "'C34.90' is in ICD-10-CM", "'A15.1' (row 3"]),
        ("icd10cm", [("B20.0", 7), ("J40", 2)], ["lists.csv, row 7", "WHO's ICD-10 only", "Got: 'B20.0'", "tree='icd10'"]),
        ("icd10", [("B20.0", 7), ("J40", 2)], []),
    ],
)  # fmt: skip
def test_codes_that_are_refused(source, cells, message):
    """B20.0 and A15.1 are WHO's, C34.90 is of ICD-10-CM, J40 of both. The first place is reported, with the nearest codes."""
    try:
        nodes_of_cells({text: Place(row, "icd10") for text, row in cells}, open_tree(source), source, "lists.csv")
        assert not message
    except InputError as error:
        assert message and all(part in str(error) for part in message), error


def test_what_sets_share_against_plain_sets(cm, monkeypatch):
    """In one block and in several."""
    monkeypatch.setattr("dxmatch.terms.icd.ancestor_sets._NODES_PER_BLOCK", 60)
    rng = np.random.default_rng(0)
    predicted, reference = (rng.integers(-1, len(cm), shape).astype(np.int32) for shape in ((20, 3, 4), (20, 2)))
    reference[0] = -1

    def augmented(nodes):
        return {above for node in nodes.tolist() if node >= 0 for above in (node, *cm.ancestors(node))}

    def counts(nodes):
        levels = [min(cm.kinds[node], 3) for node in nodes]
        return [len(levels), *(levels.count(level) for level in range(4))]

    found = overlap(predicted, reference, cm)
    for case, rater in np.ndindex(20, 3):
        said, true = augmented(predicted[case, rater]), augmented(reference[case])
        for part, nodes in ((found.shared, said & true), (found.predicted, said), (found.reference, true)):
            assert part[case, rater].tolist() == counts(nodes)
    assert np.isnan(found.recall[0]).all()


def lists_of(rows, columns="case_id,rater,role,rank,diagnosis,icd10"):
    table = pd.DataFrame([dict(zip(columns.split(","), row, strict=True)) for row in rows])
    return read_lists(table, reading=dxmatch.Reading(no_diagnosis=["none"]))


ROWS = [
    ("c1", "A", "algorithm", 1, "asthma", "J45.909;J40"),
    ("c1", "A", "algorithm", 2, "heart attack", None),
    ("c1", "T", "reference", 1, "bronchitis", "J40"),
    ("c2", "A", "algorithm", 1, "none", "I21"),
    ("c2", "A", "algorithm", 2, "I21.9", ""),
    ("c2", "T", "reference", 1, "acute myocardial infarction", None),
]


@pytest.fixture(scope="module")
def coded():
    m = dxmatch.load()
    return lambda lists, k: match(lists, m, ["hierarchical"], k, codes=TextCodes(Codes(), m, Asking())).codes


def test_lists_by_code_and_by_text(cm, coded):
    found = coded(lists_of(ROWS), 2)
    assert codes_of(cm, found.predicted[0, 0, 0]) == ["J45.909", "J40"]
    assert codes_of(cm, found.predicted[1, 0]) == ["I21.9"]  # a word for no diagnosis has no code
    said = {"heart attack": found.predicted[0, 0, 1], "acute myocardial infarction": found.reference[1]}
    for text, nodes in said.items():
        assert codes_of(cm, nodes) == list(map(str, dxmatch.icd([text])["icd10"]))


def test_the_column_of_the_references_codes_and_where_a_wrong_one_stands(cm, coded):
    columns = "case_id,rater,role,rank,diagnosis,reference,reference_icd10"
    rows = [("c1", "A", "algorithm", 1, "asthma", "bronchitis", "J40;J41"), ("c2", "A", "algorithm", 1, "asthma", "asthma", None)]  # fmt: skip
    found = coded(lists_of(rows, columns), 1)
    assert codes_of(cm, found.reference[0]) == ["J40", "J41"]
    assert codes_of(cm, found.reference[1]) == codes_of(cm, found.predicted[1])
    with pytest.raises(InputError, match=r"data frame, row 3, column 'icd10'.*'M1O'"):  # beyond k
        coded(lists_of([*ROWS[:3], ("c1", "A", "algorithm", 3, "gout", "M1O")]), 2)
    with pytest.raises(InputError, match=r"row 2, column 'icd10 of the reference'"):
        coded(lists_of([*ROWS[:2], ("c1", "T", "reference", 1, "bronchitis", "J4O")]), 1)
