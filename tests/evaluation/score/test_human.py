"""How far M, a judge and a check agree with humans: by hand, with intervals over cases."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, cohen_kappa_score, f1_score, precision_score, recall_score

from dxmatch.errors import InputError
from dxmatch.evaluation.match.judge import BOTH, BY_M, JUDGE
from dxmatch.evaluation.score import human

from ..made import By, lists_of
from .made import Scored, judgements, matched


class Agreement(Scored):
    """`by_m`, `judged` and `labels` in the place of what match finds out."""

    def __init__(self, lists, labels, by_m, judged=None, repeats=200):
        found = matched(lists, By())
        assert found.references is not None
        references = SimpleNamespace(hits=np.asarray(by_m, bool)[:, :, None])
        made = replace(found, references=references, judged=judged, humans=labels)
        super().__init__(human, made, repeats=repeats)
        self.words = self.scores.sentences(self.tables["agreement"])

    def of(self, who, metric, against="human"):
        rows = self.tables["agreement"]
        (row,) = [r for r in rows if (r["who"], r["against"], r["metric"]) == (who, against, metric)]
        return row


def test_the_figures_are_those_of_scikit_learn():
    random, n = np.random.default_rng(0), 40
    lists = lists_of({f"c{i:02}": {"A": ["gout"], "B": ["gout"], "truth": ["gout"]} for i in range(n)})
    truth = (random.random((n, 2, 1)) < 0.6).astype(np.int8)
    judge = np.where(random.random(truth.shape) < 0.85, truth, 1 - truth).astype(np.int8)
    found = Agreement(lists, {"human": truth}, truth, judgements(judge))
    y, said = truth.ravel(), judge.ravel()
    by_hand = {
        "accuracy": accuracy_score(y, said), "precision": precision_score(y, said), "recall": recall_score(y, said),
        "F1": f1_score(y, said), "kappa": cohen_kappa_score(y, said),
    }  # fmt: skip
    for metric, value in by_hand.items():
        row = found.of(JUDGE, metric)
        assert row["value"] == pytest.approx(value) and row["low"] < value < row["high"]
        # whole cases are resampled: the two items of a case come together
        assert (row["items"], row["n_cases"], row["included"]) == (80, 40, int(y.sum()))
    low, high = (found.of(JUDGE, "accuracy")[end] for end in ("low", "high"))
    assert found.words == [
        "M agrees with the human labels on 100.0% of 80 items.",
        f"The judge agrees with the human labels on {by_hand['accuracy']:.1%} ({low:.1%} to {high:.1%}) of 80 items.",
    ]


CASES = {
    "one": {"A": ["angina", "gout"], "B": ["asthma"], "truth": ["myocardial infarction", "gout"]},
    "two": {"A": ["asthma"], "B": ["none"], "truth": ["asthma"]},
}
ITEMS = [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0)]


def labels_of(**said):
    """Of the first of `ITEMS`, by each human."""
    out = {who: np.full((2, 2, 2), -1, np.int8) for who in said}
    for who, labels in said.items():
        for item, label in zip(ITEMS, labels, strict=False):
            out[who][item] = label
    return out


def test_all_are_compared_on_the_same_items_and_humans_with_each_other():
    ann, bob, cy = [1, 1, 0, 1], [1, 0, 0, 1], [0, 1, -1, 1]
    labels = labels_of(ann=ann, bob=bob, cy=cy)
    judge = np.ones((2, 2, 2), np.int8)
    judge[0, 0, 1] = -1  # no verdict: out for M, too
    found = Agreement(lists_of(CASES), labels, np.zeros((2, 2, 2)), judgements(judge))
    assert {(row["who"], row["against"]) for row in found.tables["agreement"]} == {
        *((who, of) for who in (BY_M, JUDGE) for of in ("majority", "ann", "bob", "cy")),
        ("ann", "bob"), ("ann", "cy"), ("bob", "cy"),
    }  # fmt: skip
    # ann, bob and cy: by majority 1, 1, 0, 1, of which the second is out
    assert found.of(BY_M, "accuracy", "majority")["value"] == pytest.approx(1 / 3)
    assert found.of(JUDGE, "accuracy", "majority")["value"] == pytest.approx(2 / 3)
    assert found.of(BY_M, "accuracy", "cy")["items"] == 2
    precision = found.of(BY_M, "precision", "majority")
    assert precision["value"] is None and precision["reason"] == "it includes nothing"
    assert found.of("ann", "accuracy", "bob")["value"] == 0.75 and found.of("bob", "accuracy", "cy")["items"] == 3
    assert found.told["labels"] == [
        "1 of 4 labelled items are left out for all: one of the judges gave no verdict on them."
    ]


def test_a_check_stands_beside_the_judge_alone_and_two_who_share_no_item_have_no_value():
    judge, check = np.zeros((2, 2, 2), np.int8), np.full((2, 2, 2), -2, np.int8)
    check[0, 0, 0] = 1
    included = np.where(check == 1, 1, judge)
    labels = labels_of(ann=[1, -1], bob=[-1, 1])
    found = Agreement(lists_of(CASES), labels, judge, judgements(judge, check, included))
    assert [found.of(who, "accuracy", "ann")["value"] for who in (JUDGE, BOTH)] == [0, 1]
    row = found.of("ann", "accuracy", "bob")
    assert row["value"] is None and (row["items"], row["n_cases"], row["reason"]) == (0, 0, "no item")


def test_no_item_with_a_verdict_is_refused():
    labels = labels_of(human=[1, 1, 1, 1])
    with pytest.raises(InputError, match="no labelled item has a verdict of every judge"):
        Agreement(lists_of(CASES), labels, np.zeros((2, 2, 2)), judgements(np.full((2, 2, 2), -1)))
