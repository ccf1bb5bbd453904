"""Labels by people: read by case, rater and right answer, and what a table gets that cannot be right."""

from __future__ import annotations

from typing import Any

import pytest

from dxmatch.errors import InputError
from dxmatch.evaluation.match.judge import read_human

from ..made import lists_of

CASES = {
    "one": {"A": ["angina", "gout"], "B": ["asthma"], "truth": ["myocardial infarction", "gout"]},
    "two": {"A": ["asthma"], "B": ["none"], "truth": ["asthma"]},
}


def labels(*rows: tuple[Any, ...]) -> dict[str, list[Any]]:
    return {name: [row[i] for row in rows] for i, name in enumerate(("case_id", "rater", "reference", "label"))}


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
    human = read_human({"Case": ["one"], "label_ann": [1], "label_bob": [0], "Label_cy": [""]}, one)
    assert {who: of.item() for who, of in human.items()} == {"ann": 1, "bob": 0, "cy": -1}


@pytest.mark.parametrize(
    ("table", "names"),
    [
        (labels(("one", "A", "gout", 1), ("three", "A", "gout", 1)), "row 1.*case_id"),
        (labels(("one", "C", "gout", 1)), "row 0.*rater"),
        (labels(("one", "A", "measles", 1)), "row 0, column 'reference'"),
        (labels(("one", "A", "", 1)), "row 0, column 'reference'"),
        (labels(("one", "A", "gout", 1), ("one", "A", "gout", 0)), "row 1.*twice.*row 0"),
        (labels(("one", "A", "gout", "perhaps")), "row 0.*label"),
        ({"case_id": ["one"], "rater": ["A"], "reference": ["gout"]}, "'label'"),
        ({"case_id": ["two"], "label": [1]}, "'rater'"),
        ({"rater": ["A"], "label": [1]}, "'case_id'"),
        (labels(("three", "A", "", 1)), "row 0, column 'case_id'"),
    ],
)
def test_labels_that_cannot_be_right(table: dict[str, list[Any]], names: str):
    with pytest.raises(InputError, match=f"(?s){names}"):
        read_human(table, lists_of(CASES))


@pytest.mark.parametrize(
    ("yes", "no"),
    [(1, 0), ("1", "0"), (1.0, 0.0), (True, False), ("yes", "No"), (" TRUE ", "false"), ("ja", "Nein"), ("included", "Not included"), ("y", "n")],
)  # fmt: skip
def test_words_of_a_label(yes: Any, no: Any):
    human = read_human(labels(("two", "A", "asthma", yes), ("two", "B", "asthma", no)), lists_of(CASES))
    assert human["human"][1].tolist() == [[1, -1], [0, -1]]
