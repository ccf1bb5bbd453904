"""Metrics on lists of names, M given by hand; and on arrays of 0 and 1."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch.errors import InputError, ModelError, OptionError
from dxmatch.evaluation.metrics import REGISTRY, called

from .made import By, SetMatcher

M = SetMatcher(("MI", "heart attack"), ("T2DM", "diabetes"))
SAID = [["asthma", "MI"], ["diabetes", "gout", "MI"], []]
RIGHT: list[Any] = ["heart attack", ["T2DM", "flu"], "gout"]
# by hand: MI is right at rank 2 of case 1, diabetes at rank 1 of case 2 (one of its two), case 3 says nothing
BY_HAND = [
    ("recall_at_k", 1, 1 / 4), ("recall_at_k", 5, 2 / 4), ("patient_recall_at_k", 5, 1 / 3), ("patient_recall_at_k", 1, 0.0),
    ("top_k_accuracy", 1, 1 / 3), ("top_k_accuracy", 2, 2 / 3), ("mrr", 10, (1 / 2 + 1) / 3), ("mrr", 1, 1 / 3),
    ("ndcg", 10, (1 / np.log2(3) + 1 / (1 + 1 / np.log2(3))) / 3),
]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "found"),
    [("rpad", ["rpad"]), ("RPAD", ["rpad"]), ("kappa", ["cohen_kappa"]), ("top-5", ["top_k_accuracy"]), ("e[rrad]", ["expected_rrad"]),
     ("MRR", ["mrr"]), ("disease recall", ["disease_recall"]), ("spread", ["prompt_spread", "choice_spread"])],
)  # fmt: skip
def test_metrics_are_found_by_name_symbol_or_part(word: str, found: list[str]) -> None:
    assert [one.name for one in called([word])] == found
    assert called([word, word]) == called([word])


def test_a_word_of_no_metric_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"no metric has this name or symbol. Allowed: precision_at_k, .*'sensitivity'"
    ):
        called(["rpad", "sensitivity"])


def metric(name: str) -> Any:
    if name in ("mrr", "ndcg") and name not in REGISTRY:
        pytest.skip(f"the registry has no {name} yet")
    return getattr(dxmatch.metrics, name)


@pytest.mark.parametrize(("name", "k", "value"), BY_HAND)
def test_by_hand(name: str, k: int, value: float) -> None:
    assert metric(name)(SAID, RIGHT, k=k, matcher=M) == pytest.approx(value)
    assert metric(name)(SAID, RIGHT, k, M) == pytest.approx(value)
    by_case = {"b": SAID[1], "a": SAID[0]}, {"a": RIGHT[0], "b": RIGHT[1], "c": RIGHT[2]}
    assert metric(name)(*by_case, k=k, matcher=M) == pytest.approx(value)
    assert metric(name)(pd.Series(SAID), pd.Series(RIGHT), k=k, matcher=M) == pytest.approx(value)


@pytest.mark.parametrize("name", ["recall_at_k", "top_k_accuracy", "patient_recall_at_k", "mrr", "ndcg"])
def test_one_name_a_case_and_blanks(name: str) -> None:
    one = metric(name)(["MI", None], ["heart attack", "gout"], matcher=M)
    assert one == metric(name)([["MI"], ["", None]], [["heart attack", "heart attack"], ["gout"]], matcher=M) == 1 / 2
    assert metric(name)([[], []], ["gout", "flu"], matcher=M) == 0


def test_gains_are_m_s_relations() -> None:
    m = SetMatcher()
    m.relations = lambda a, b: SimpleNamespace(semantic_distance=np.array([3 if y == "angina" else 5 for y in b]))  # pyright: ignore
    assert metric("ndcg")([["angina"]], ["heart attack"], matcher=m) == pytest.approx(0.25)
    m.relations = lambda a, b: SimpleNamespace(semantic_distance=np.array([1, 2]))  # pyright: ignore
    with pytest.raises(ModelError, match="relations for 1 pairs"):
        metric("ndcg")([["angina"]], ["heart attack"], matcher=m)


def test_m_is_asked_about_each_pair_once_the_right_answer_first() -> None:
    m = By(lambda a, b: float(a == "right"))
    assert dxmatch.metrics.recall_at_k([["x", "y"], ["x"]], ["right", "right"], k=2, matcher=m) == 1
    assert m.asked == [{"right", "x"}, {"right", "y"}]


def test_the_shipped_m_and_one_in_a_folder() -> None:
    shipped = Path(dxmatch.__file__).parent / "models" / "offline-en"
    for matcher in (None, shipped, str(shipped)):
        assert dxmatch.metrics.recall_at_k([["heart attack"]], ["myocardial infarction"], matcher=matcher) == 1


@pytest.mark.parametrize(
    ("predictions", "references", "error"),
    [
        ([["MI"]], ["a", "b"], "'predictions' parameter must be as long as references: 2 cases. Got 1"),
        (
            [["MI"]],
            [[]],
            "'references' parameter must be at least one right answer for each case. Got 'none for case 0'",
        ),
        ([], [], "'references' parameter must be the right answers of at least one case"),
        ("MI", ["MI"], "'predictions' parameter must be a list of names for each case"),
        ([["MI"]], "MI", "'references' parameter must be a list of names for each case"),
        ([["MI", 7]], ["MI"], "a list of names for each case, likeliest first. Got .*for case 0"),
        ([{"MI": 1}], ["MI"], "a list of names for each case"),
        ({"a": ["MI"]}, ["MI"], "or both by case"),
        ({"z": ["MI"]}, {"a": "MI"}, "lists for cases that have right answers. Got 'z'"),
    ],
)
def test_what_is_refused(predictions: Any, references: Any, error: str) -> None:
    with pytest.raises(OptionError, match=error):
        dxmatch.metrics.recall_at_k(predictions, references, matcher=M)


@pytest.mark.parametrize("k", [0, -1, 1.5, True])
def test_k(k: Any) -> None:
    with pytest.raises(OptionError, match="'k'"):
        dxmatch.metrics.top_k_accuracy([["MI"]], ["MI"], k=k, matcher=M)


def test_arrays_of_what_is_right_go_to_the_registry() -> None:
    """0 and 1 stand for False and True."""
    m = dxmatch.metrics
    assert (
        m.top_k_accuracy([[0, 1], [1, 0]], 1) == m.top_k_accuracy(np.array([[False, True], [True, False]]), k=1) == 0.5
    )
    assert m.top_k_accuracy(hits=[[1, 0]], k=1) == 1
    assert (
        m.recall_at_k([[0, 2], [1, 0]]).tolist()
        == REGISTRY["recall_at_k"].function([[0, 2], [1, 0]]).tolist()
        == [0.5, 0.5]
    )
    assert float(m.disease_recall([[[1, 0]], [[1, 0]]], [[1, 1], [1, 0]])) == pytest.approx(2 / 3)
    assert float(m.patient_recall([[[1, 0]], [[1, 0]]], [[1, 1], [1, 0]])) == 0.5
    if "mrr" in REGISTRY:
        assert m.mrr([[0, 1]]) == 0.5
    with pytest.raises(OptionError, match="'hits'"):
        m.top_k_accuracy([[0, 2]], 1)
    with pytest.raises(OptionError, match="'given'"):
        m.disease_recall([[[1]]], [[2]])
