"""Metrics on lists of names, M given by hand; and on arrays of 0 and 1."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch.errors import ModelError, OptionError

from .made import By, SetMatcher
from .test_evaluate import rows_in

M = SetMatcher(("MI", "heart attack"), ("T2DM", "diabetes"))
SAID = [["asthma", "MI"], ["diabetes", "gout", "MI"], []]
RIGHT: list[Any] = ["heart attack", ["T2DM", "flu"], "gout"]


@pytest.mark.parametrize("row", rows_in("metrics_of_names.csv"), ids=lambda row: f"{row['metric']}@{row['k']}")
def test_by_hand(row: dict[str, str]) -> None:
    """cases/metrics_of_names.csv: MI is right at rank 2 of the first case, diabetes at rank 1 of the second, the third says nothing."""
    metric, k, value = getattr(dxmatch.metrics, row["metric"]), int(row["k"]), pytest.approx(float(row["value"]))
    assert metric(SAID, RIGHT, k=k, matcher=M) == metric(SAID, RIGHT, k, M) == value
    by_case = {"b": SAID[1], "a": SAID[0]}, {"a": RIGHT[0], "b": RIGHT[1], "c": RIGHT[2]}
    assert metric(*by_case, k=k, matcher=M) == metric(pd.Series(SAID), pd.Series(RIGHT), k=k, matcher=M) == value
    if row["metric"] != "ndcg":
        one = metric(["MI", None], ["heart attack", "gout"], matcher=M)
        assert one == metric([["MI"], ["", None]], [["heart attack"] * 2, ["gout"]], matcher=M) == 1 / 2


def test_gains_are_m_s_relations_and_each_pair_is_asked_once_the_right_answer_first() -> None:
    m = SetMatcher()
    m.relations = lambda a, b: SimpleNamespace(semantic_distance=np.array([3 if y == "angina" else 5 for y in b]))  # pyright: ignore
    assert dxmatch.metrics.ndcg([["angina"]], ["heart attack"], matcher=m) == pytest.approx(0.25)
    m.relations = lambda a, b: SimpleNamespace(semantic_distance=np.array([1, 2]))  # pyright: ignore
    with pytest.raises(ModelError, match="relations for 1 pairs"):
        dxmatch.metrics.ndcg([["angina"]], ["heart attack"], matcher=m)
    one_way = By(lambda a, b: float(a == "right"))
    assert dxmatch.metrics.recall_at_k([["x", "y"], ["x"]], ["right", "right"], k=2, matcher=one_way) == 1
    assert one_way.asked == [{"right", "x"}, {"right", "y"}]
    folder = Path(dxmatch.__file__ or "").parent / "models" / "offline-en"
    for matcher in (None, str(folder)):
        assert dxmatch.metrics.recall_at_k([["heart attack"]], ["myocardial infarction"], matcher=matcher) == 1


@pytest.mark.parametrize(
    ("predictions", "references", "option", "names"),
    [
        ([["MI"]], ["a", "b"], "predictions", "2 cases"), ([["MI"]], [[]], "references", "case 0"), ([], [], "predictions", ""),
        ("MI", ["MI"], "predictions", ""), ([["MI"]], "MI", "references", ""), ([["MI", 7]], ["MI"], "predictions", "case 0"),
        ([{"MI": 1}], ["MI"], "predictions", ""), ({"a": ["MI"]}, ["MI"], "predictions", ""), ({"z": ["MI"]}, {"a": "MI"}, "predictions", "'z'"),
    ],
)  # fmt: skip
def test_what_is_refused(predictions: Any, references: Any, option: str, names: str) -> None:
    with pytest.raises(OptionError, match=f"'{option}' parameter") as error:
        dxmatch.metrics.recall_at_k(predictions, references, matcher=M)
    assert names in str(error.value)
    for k in (0, 1.5, True):
        with pytest.raises(OptionError, match="'k'"):
            dxmatch.metrics.top_k_accuracy([["MI"]], ["MI"], k=k, matcher=M)


def test_arrays_of_what_is_right_are_taken_too() -> None:
    """0 and 1 stand for False and True."""
    m = dxmatch.metrics
    assert (
        m.top_k_accuracy([[0, 1], [1, 0]], 1) == m.top_k_accuracy(np.array([[False, True], [True, False]]), k=1) == 0.5
    )
    assert m.top_k_accuracy(hits=[[1, 0]], k=1) == 1 and m.mrr([[0, 1]]) == 0.5
    assert m.recall_at_k([[0, 2], [1, 0]]).tolist() == [0.5, 0.5]
    assert float(m.disease_recall([[[1, 0]], [[1, 0]]], [[1, 1], [1, 0]])) == pytest.approx(2 / 3)
    for name, arrays in (("hits", ([[0, 2]], 1)), ("given", ([[[1]]], [[2]]))):
        with pytest.raises(OptionError, match=f"'{name}'"):
            (m.top_k_accuracy if name == "hits" else m.disease_recall)(*arrays)
