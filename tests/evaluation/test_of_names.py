"""Metrics on lists of names, M given by hand; and on arrays of 0 and 1. What is refused: score/refused.csv."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch.errors import ModelError

from .made import By, SetMatcher, rows_in

M = SetMatcher(("MI", "heart attack"), ("T2DM", "diabetes"))
SAID = [["asthma", "MI"], ["diabetes", "gout", "MI"], []]
RIGHT: list[Any] = ["heart attack", ["T2DM", "flu"], "gout"]


@pytest.mark.parametrize("row", rows_in("cases/metrics_of_names"), ids=lambda row: f"{row['metric']}@{row['k']}")
def test_by_hand(row: dict[str, str]) -> None:
    """cases/metrics_of_names.csv: MI is right at rank 2 of the first case, diabetes at rank 1 of the second, the third says nothing."""
    metric, k, value = getattr(dxmatch.metrics, row["metric"]), int(row["k"]), pytest.approx(float(row["value"]))
    by_case = {"b": SAID[1], "a": SAID[0]}, {"a": RIGHT[0], "b": RIGHT[1], "c": RIGHT[2]}
    for given in ((SAID, RIGHT), by_case, (pd.Series(SAID), pd.Series(RIGHT))):
        assert metric(*given, k=k, matcher=M) == value


def test_gains_are_m_s_relations_and_each_pair_is_asked_once_the_right_answer_first() -> None:
    m = SetMatcher(relations=lambda a, b: SimpleNamespace(kinds=b, semantic_distance=np.array([3 if y == "angina" else 5 for y in b])))  # fmt: skip
    assert dxmatch.metrics.ndcg([["angina"]], ["heart attack"], matcher=m) == pytest.approx(0.25)
    m = SetMatcher(relations=lambda a, b: SimpleNamespace(kinds=["same"] * 2, semantic_distance=np.array([1, 2])))
    with pytest.raises(ModelError, match="relations for 1 pairs"):
        dxmatch.metrics.ndcg([["angina"]], ["heart attack"], matcher=m)
    one_way = By(lambda a, b: float(a == "right"))
    assert dxmatch.metrics.recall_at_k([["x", "y"], ["x"]], ["right", "right"], k=2, matcher=one_way) == 1
    assert one_way.asked == [("right", "x"), ("right", "y")]
    assert dxmatch.metrics.recall_at_k([["heart attack"]], ["myocardial infarction"]) == 1


def test_arrays_of_what_is_right_are_taken_too() -> None:
    """0 and 1 stand for False and True."""
    m = dxmatch.metrics
    for hits in ([[0, 1], [1, 0]], np.array([[False, True], [True, False]])):
        assert m.top_k_accuracy(hits, 1) == m.top_k_accuracy(hits=hits, k=1) == 0.5
    assert m.recall_at_k([[0, 2], [1, 0]]).tolist() == [0.5, 0.5]
    assert m.disease_recall([[[1, 0]], [[1, 0]]], [[1, 1], [1, 0]]) == pytest.approx(2 / 3)
