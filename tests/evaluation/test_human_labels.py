"""How far M, a judge and a check agree with humans: by hand, with intervals, and what a table of labels gets that cannot be right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, cohen_kappa_score, f1_score, precision_score, recall_score

from dxmatch.errors import InputError
from dxmatch.evaluation.judges.agreement import BOTH, JUDGE, M, agreement_section, verdicts_of
from dxmatch.evaluation.judges.human import HumanLabels, read_human
from dxmatch.evaluation.judges.judged import Judgements
from dxmatch.evaluation.statistics.section import Context

from .made import lists_of

CASES = {
    "one": {"A": ["angina", "gout"], "B": ["asthma"], "truth": ["myocardial infarction", "gout"]},
    "two": {"A": ["asthma"], "B": ["none"], "truth": ["asthma"]},
}


def labels(
    *rows: tuple[Any, ...], names: tuple[str, ...] = ("case_id", "rater", "reference", "label")
) -> dict[str, list[Any]]:
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def context(repeats: int = 200) -> Context:
    return Context(None, repeats=repeats)  # type: ignore[arg-type]


def value_of(section: Any, who: str, metric: str, against: str = "human") -> Any:
    (row,) = [r for r in section.tables["agreement"] if (r["who"], r["against"], r["metric"]) == (who, against, metric)]
    return row


def test_labels_are_read_by_case_rater_and_reference():
    rows = [
        ("one", "A", "Gout ", "1"),
        ("one", "B", "myocardial infarction", "no"),
        ("two", "A", "", "Included"),
        ("two", "B", None, None),
    ]
    human = read_human(labels(*rows), lists_of(CASES))
    assert human.items == [(0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 0)]
    assert human.labels.tolist() == [[1], [0], [1], [-1]] and human.humans == ["human"]
    # other names of the columns, several humans, one rater who need not be named
    one = lists_of({"one": {"A": ["gout"], "truth": ["gout"]}})
    several = labels(("one", 1, 0, ""), names=("Case", "label_ann", "label_bob", "Label_cy"))
    human = read_human(several, one)
    assert (
        human.humans == ["ann", "bob", "cy"]
        and human.labels.tolist() == [[1, 0, -1]]
        and human.majority.tolist() == [-1]
    )


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([("one", "A", "gout", 1), ("three", "A", "gout", 1)], r"row 1.*no case of the lists.*one, two"),
        ([("one", "C", "gout", 1)], r"row 0.*no rater of the lists.*A, B"),
        ([("one", "A", "measles", 1)], r"row 0.*no reference diagnosis of the case 'one'.*myocardial infarction, gout"),
        ([("one", "A", "", 1)], r"row 0.*has 2 reference diagnoses, and the label does not say which"),
        ([("one", "A", "gout", 1), ("one", "A", "gout", 0)], r"row 1.*labelled twice \(first in row 0\)"),
        ([("one", "A", "gout", "perhaps")], r"row 0.*a label of no known kind.*0 or 1"),
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
    with pytest.raises(InputError, match="'case_id' is missing"):
        read_human({"rater": ["A"], "label": [1]}, lists)
    absent = lists_of({"one": {"A": ["gout"], "truth": ["gout"]}, "two": {"A": ["gout"]}})
    with pytest.raises(InputError, match="the case 'two' has no reference diagnosis"):
        read_human({"case_id": ["two"], "label": [1]}, absent)


def test_agreement_is_that_of_scikit_learn():
    random = np.random.default_rng(0)
    n = 40
    lists = lists_of({f"c{i:02}": {"A": ["gout"], "B": ["gout"], "truth": ["gout"]} for i in range(n)})
    truth = (random.random((n, 2, 1)) < 0.6).astype(np.int8)
    judge = np.where(random.random(truth.shape) < 0.85, truth, 1 - truth).astype(np.int8)
    items = [(i, j, 0) for i in range(n) for j in range(2)]
    human = HumanLabels(items, truth.reshape(-1, 1), ["human"])
    section = agreement_section(lists, human, {JUDGE: judge}, context(300))
    y, said = truth.ravel(), judge.ravel()
    by_hand = {
        "accuracy": accuracy_score(y, said), "precision": precision_score(y, said), "recall": recall_score(y, said),
        "F1": f1_score(y, said), "kappa": cohen_kappa_score(y, said),
    }  # fmt: skip
    for metric, value in by_hand.items():
        row = value_of(section, JUDGE, metric)
        assert row["value"] == pytest.approx(value) and row["low"] < value < row["high"]
        assert (row["items"], row["n_cases"], row["included"]) == (80, 40, int(y.sum()))
    # whole cases are resampled: the two items of a case come together
    alone = agreement_section(lists, HumanLabels(items[::2], truth[:, :1, 0], ["human"]), {JUDGE: judge}, context(300))
    assert value_of(alone, JUDGE, "accuracy")["items"] == 40
    assert section.words == [
        f"The judge agrees with the human labels on {by_hand['accuracy']:.1%} "
        f"({value_of(section, JUDGE, 'accuracy')['low']:.1%} to {value_of(section, JUDGE, 'accuracy')['high']:.1%}) of 80 items."
    ]


def test_all_judges_are_compared_on_the_same_items_and_humans_with_each_other():
    lists = lists_of(CASES)
    items = [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0)]
    ann, bob, cy = [1, 1, 0, 1], [1, 0, 0, 1], [0, 1, -1, 1]
    human = HumanLabels(items, np.array([ann, bob, cy], np.int8).T, ["ann", "bob", "cy"])
    assert human.majority.tolist() == [1, 1, 0, 1]
    m = np.zeros((2, 2, 2), np.int8)
    judge = np.ones((2, 2, 2), np.int8)
    judge[0, 0, 1] = -1  # no verdict: out for M, too
    section = agreement_section(lists, human, {M: m, JUDGE: judge}, context())
    assert {(row["who"], row["against"]) for row in section.tables["agreement"]} == {
        *((who, of) for who in (M, JUDGE) for of in ("majority", "ann", "bob", "cy")),
        ("ann", "bob"), ("ann", "cy"), ("bob", "cy"),
    }  # fmt: skip
    assert value_of(section, M, "accuracy", "majority")["value"] == pytest.approx(1 / 3)
    assert value_of(section, JUDGE, "accuracy", "majority")["value"] == pytest.approx(2 / 3)
    assert value_of(section, M, "accuracy", "cy")["items"] == 2
    precision = value_of(section, M, "precision", "majority")
    assert precision["value"] is None and precision["reason"] == "it includes nothing"
    assert value_of(section, "ann", "accuracy", "bob")["value"] == 0.75
    assert value_of(section, "bob", "accuracy", "cy")["items"] == 3
    assert section.notes == ["1 of 4 labelled items are left out for all: one of the judges gave no verdict on them."]
    with pytest.raises(InputError, match="no labelled item has a verdict of every judge"):
        agreement_section(lists, human, {JUDGE: np.full((2, 2, 2), -1, np.int8)}, context())


def test_the_judge_alone_and_with_the_check():
    judge = np.array([[[0, -2]], [[1, -1]]], np.int8)
    included = np.array([[[1, 1]], [[1, -1]]], np.int8)
    check = np.array([[[1, -2]], [[-2, -2]]], np.int8)
    found = Judgements(
        judge, check, included, np.zeros_like(included, np.int16), {}, {}, np.ones((2, 2), bool), {}, "m", "m"
    )  # type: ignore[arg-type]
    alone, both = verdicts_of(found)[JUDGE], verdicts_of(found)[BOTH]
    assert alone.tolist() == [[[0, 1]], [[1, -1]]] and both.tolist() == included.tolist()


@pytest.mark.parametrize(
    ("yes", "no"),
    [(1, 0), ("1", "0"), (1.0, 0.0), (True, False), ("yes", "No"), (" TRUE ", "false"), ("ja", "Nein"), ("included", "Not included"), ("y", "n")],
)  # fmt: skip
def test_words_of_a_label(yes: Any, no: Any):
    human = read_human(labels(("two", "A", "asthma", yes), ("two", "B", "asthma", no)), lists_of(CASES))
    assert human.labels.tolist() == [[1], [0]]
