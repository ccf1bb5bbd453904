"""How far M agrees with humans: beside scikit-learn, with intervals over cases."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, cohen_kappa_score, f1_score, precision_score, recall_score

import dxmatch
from dxmatch.errors import InputError
from dxmatch.evaluation.score.human import of_labels

from ..made import By, find, scored


def test_the_figures_are_those_of_scikit_learn():
    random, n = np.random.default_rng(0), 40
    truth = random.random((n, 2)) < 0.6
    said = np.where(random.random(truth.shape) < 0.85, truth, ~truth)
    cases, raters = [f"c{i:02}" for i in range(n)], ["A", "B"]
    lists = {
        case: {"truth": ["gout"], **{rater: [f"{mark} {case} {rater}"] for rater, mark in zip(raters, marks, strict=True)}}
        for case, marks in zip(cases, said, strict=True)
    }  # fmt: skip
    human = {"case_id": np.repeat(cases, 2), "rater": raters * n, "label": truth.ravel().astype(int)}
    m, judge = By(lambda x, y: "True" in x + y), dxmatch.Judge(human=human)
    report = scored(lists, "recall", m, resamples=200, judge=judge)
    y, by_m = truth.ravel(), said.ravel()
    for metric, expected in (
        ("accuracy", accuracy_score(y, by_m)),
        ("precision", precision_score(y, by_m)),
        ("recall", recall_score(y, by_m)),
        ("F1", f1_score(y, by_m)),
        ("kappa", cohen_kappa_score(y, by_m)),
    ):
        row = find(report.rows_of("human.agreement"), metric=metric)
        assert row["value"] == pytest.approx(expected) and row["low"] < expected < row["high"]
        # whole cases are resampled: the two items of a case come together
        assert (row["items"], row["n_cases"], row["included"]) == (80, 40, int(y.sum()))
    (words,) = report.family("human").sentences
    assert words.startswith(f"M agrees with the human labels on {accuracy_score(y, by_m):.1%} (")


def test_no_item_with_a_verdict_is_refused():
    with pytest.raises(InputError, match="no labelled item has a verdict of every judge"):
        of_labels({"ann": np.array([1])}, {"M": np.array([1]), "judge": np.array([-1])}, [0], "labels.csv")
