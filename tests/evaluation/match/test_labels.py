"""Labels by people: read by case, rater and right answer, and what a table gets that cannot be right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dxmatch.errors import InputError
from dxmatch.evaluation.match.judge import read_human
from dxmatch.files.pair_labels import majority_of

from ..made import lists_of

CASES = {
    "one": {"A": ["angina", "gout"], "B": ["asthma"], "truth": ["myocardial infarction", "gout"]},
    "two": {"A": ["asthma"], "B": ["none"], "truth": ["asthma"]},
}


def labels(
    *rows: tuple[Any, ...], names: tuple[str, ...] = ("case_id", "rater", "reference", "label")
) -> dict[str, list[Any]]:
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def test_labels_are_read_by_case_rater_and_reference():
    rows = [
        ("one", "A", "Gout ", "1"),
        ("one", "B", "myocardial infarction", "no"),
        ("two", "A", "", "Included"),
        ("two", "B", None, None),
    ]
    human = read_human(labels(*rows), lists_of(CASES))
    assert {who: of.tolist() for who, of in human.items()} == {"human": [[[-1, 1], [0, -1]], [[1, -1], [-1, -1]]]}
    # other names of the columns, several humans, one rater who need not be named
    one = lists_of({"one": {"A": ["gout"], "truth": ["gout"]}})
    several = labels(("one", 1, 0, ""), names=("Case", "label_ann", "label_bob", "Label_cy"))
    human = read_human(several, one)
    assert {who: of.item() for who, of in human.items()} == {"ann": 1, "bob": 0, "cy": -1}
    assert majority_of(np.array([[1, 0, -1]]), of_all=False).tolist() == [-1]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([("one", "A", "gout", 1), ("three", "A", "gout", 1)], r"row 1.*no such case_id.*one, two"),
        ([("one", "C", "gout", 1)], r"row 0.*no such rater.*A, B"),
        ([("one", "A", "measles", 1)], r"row 0, column 'reference'.*myocardial infarction, gout"),
        ([("one", "A", "", 1)], r"row 0, column 'reference'.*myocardial infarction, gout"),
        ([("one", "A", "gout", 1), ("one", "A", "gout", 0)], r"row 1.*labelled twice \(first in row 0\)"),
        ([("one", "A", "gout", "perhaps")], r"row 0.*a label that is not 0 or 1"),
        ([("one", "A", "gout", None)], "no item is labelled"),
    ],
)
def test_labels_that_cannot_be_right(rows: list[tuple[Any, ...]], problem: str):
    with pytest.raises(InputError, match=f"(?s){problem}"):
        read_human(labels(*rows), lists_of(CASES))


def test_columns_that_are_missing():
    lists = lists_of(CASES)
    with pytest.raises(InputError, match="no column of labels"):
        read_human({"case_id": ["one"], "rater": ["A"], "reference": ["gout"]}, lists)
    with pytest.raises(InputError, match="'rater'.*whose answer was labelled.*is missing"):
        read_human({"case_id": ["two"], "label": [1]}, lists)
    with pytest.raises(InputError, match="'case_id'.*is missing"):
        read_human({"rater": ["A"], "label": [1]}, lists)
    absent = lists_of({"one": {"A": ["gout"], "truth": ["gout"]}, "two": {"A": ["gout"]}})
    with pytest.raises(InputError, match="row 0, column 'case_id'"):
        read_human({"case_id": ["two"], "label": [1]}, absent)


@pytest.mark.parametrize(
    ("yes", "no"),
    [(1, 0), ("1", "0"), (1.0, 0.0), (True, False), ("yes", "No"), (" TRUE ", "false"), ("ja", "Nein"), ("included", "Not included"), ("y", "n")],
)  # fmt: skip
def test_words_of_a_label(yes: Any, no: Any):
    human = read_human(labels(("two", "A", "asthma", yes), ("two", "B", "asthma", no)), lists_of(CASES))
    assert human["human"][1].tolist() == [[1, -1], [0, -1]]
