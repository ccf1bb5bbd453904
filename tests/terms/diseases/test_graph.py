"""The graph of diseases: its file, each damage to it, and what it knows against a plain walk in Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save as save_tensors

from dxmatch.errors import ModelError
from dxmatch.terms.diseases import graph as module
from dxmatch.terms.diseases.graph import DiseaseGraph
from dxmatch.terms.icd.cache import text_array

from ...small_graph import graph_of


def walked(parents: Mapping[int, list[int]], start: int) -> dict[int, int]:
    """Breadth first: each class above `start`, itself included, and the fewest steps up to it."""
    steps, queue = {start: 0}, [start]
    for here in queue:
        for parent in parents[here]:
            if parent not in steps:
                steps[parent] = steps[here] + 1
                queue.append(parent)
    return steps


def of_parents(parents: Mapping[int, list[int]]) -> DiseaseGraph:
    return graph_of({f"X:{i}": (f"disease {i}", [f"disease {i}"], [f"X:{p}" for p in up]) for i, up in parents.items()})


def test_its_arrays_give_the_same_graph_and_the_same_bytes() -> None:
    graph = graph_of()
    again = DiseaseGraph.from_arrays(graph.arrays())
    assert save_tensors(graph.arrays()) == save_tensors(again.arrays()) == save_tensors(graph_of().arrays())
    assert graph.identity == again.identity and len(graph.identity) == 12
    for name, array in graph.arrays().items():
        np.testing.assert_array_equal(again.arrays()[name], array)
    other = graph_of(vague=frozenset())
    assert other.identity != graph.identity


def _with(**change: Callable[[np.ndarray], np.ndarray]) -> dict[str, np.ndarray]:
    arrays = graph_of().arrays()
    return arrays | {name: make(arrays[name].copy()) for name, make in change.items()}


def _at(place: int, value: int) -> Callable[[np.ndarray], np.ndarray]:
    def changed(array: np.ndarray) -> np.ndarray:
        array[place] = value
        return array

    return changed


def _less(array: np.ndarray) -> np.ndarray:
    return array[:-1].copy()


DAMAGES: dict[str, tuple[dict[str, np.ndarray], str]] = {
    "nothing": ({}, "not a graph of diseases"),
    "an array is missing": ({k: v for k, v in graph_of().arrays().items() if k != "vague"}, "not a graph of diseases"),
    "texts that are no UTF-8": (_with(labels=lambda a: np.full_like(a, 0xFF)), "not a graph of diseases"),
    "numbers of another type": (_with(parents=lambda a: a.astype(np.int64)), "parents of another type"),
    "a label too few": (_with(labels=lambda a: text_array(["x"])), "columns of different lengths"),
    "a name too few": (_with(name_disease=_less), "columns of different lengths"),
    "starts too few": (_with(parent_starts=_less), "parents that are no rows"),
    "signs too few": (_with(signs=_less), "damaged graph"),
    "starts that fall": (_with(parent_starts=_at(2, 9)), "parents that are no rows"),
    "starts that end early": (_with(parents=lambda a: np.append(a, a[:1])), "parents that are no rows"),
    "a name of no disease": (_with(name_disease=_at(0, 12)), "a disease that is not there"),
    "a parent before the first": (_with(parents=_at(0, -1)), "a disease that is not there"),
    "a name twice": (_with(names=lambda a: text_array(["vasculitis"] * len(graph_of().names))), "a name that stands twice"),
    "a loop of two": (_with(parents=_at(0, 2)), "a loop"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_arrays_are_refused_with_their_place(damage: str) -> None:
    arrays, told = DAMAGES[damage]
    with pytest.raises(ModelError, match=f"^m/diseases: .*{told}"):
        DiseaseGraph.from_arrays(arrays, "m/diseases")


@st.composite
def hierarchies(draw: st.DrawFn) -> dict[int, list[int]]:
    count = draw(st.integers(1, 14))
    return {i: sorted(draw(st.sets(st.integers(0, i - 1), max_size=3))) if i else [] for i in range(count)}


@settings(deadline=None, max_examples=100)
@given(hierarchies())
def test_what_stands_above_against_a_plain_walk(parents: dict[int, list[int]]) -> None:
    graph = of_parents(parents)
    above = graph.above
    below = dict.fromkeys(parents, 0)
    for disease in parents:
        steps = walked(parents, disease)
        some = slice(above.starts[disease], above.starts[disease + 1])
        assert above.diseases[some].tolist() == sorted(steps)
        assert above.steps[some].tolist() == [steps[each] for each in sorted(steps)]
        for other in parents:
            assert graph.steps_up(disease, other) == steps.get(other, -1)
            below[other] += other in steps
    assert graph.kinds.tolist() == list(below.values())
    expected = [1 - math.log(kinds) / math.log(max(len(parents), 2)) for kinds in below.values()]
    np.testing.assert_allclose(graph.information, expected, atol=1e-6)
    assert ((graph.information >= 0) & (graph.information <= 1)).all()
    assert DiseaseGraph.from_arrays(graph.arrays()).above.steps.tolist() == above.steps.tolist()


def test_many_steps_are_counted_up_to_a_byte() -> None:
    graph = of_parents({i: [i - 1] if i else [] for i in range(300)})
    assert graph.steps_up(299, 45) == 254
    assert graph.steps_up(299, 0) == 255, "299 steps and more than a byte holds"
    assert graph.steps_up(0, 299) == -1


def test_too_broad_and_in_line(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graph_of()
    at = {each: i for i, each in enumerate(graph.ids)}
    heart, ischemic, infarction, wall = (at[f"DOID:0{i}"] for i in (1, 2, 3, 4))
    assert np.flatnonzero(graph.too_broad).tolist() == [heart]
    assert graph.in_line(wall, ischemic) and graph.in_line(ischemic, wall) and graph.in_line(heart, heart)
    assert not graph.in_line(wall, heart) and not graph.in_line(heart, wall), "a class that names no disease"
    assert not graph.in_line(infarction, at["DOID:05"])
    monkeypatch.setattr(module, "MOST_KINDS", 4)
    by_size = graph_of(vague=frozenset())
    assert by_size.kinds[[heart, ischemic]].tolist() == [6, 5]
    assert np.flatnonzero(by_size.too_broad).tolist() == [heart, ischemic]


def test_the_shipped_graph(shipped: Any) -> None:
    assert len(shipped) > 20_000 and len(shipped.names) > 80_000
    assert DiseaseGraph.from_arrays(shipped.arrays()).identity == shipped.identity
    takayasu, large = (shipped.disease_of[name] for name in ("takayasu arteritis", "large vessel vasculitis"))
    assert shipped.in_line(takayasu, large) and shipped.steps_up(takayasu, large) > 0
    assert shipped.too_broad[shipped.disease_of["lung disorder"]]
    assert not shipped.too_broad[shipped.disease_of["movement disorder"]]


@pytest.fixture(scope="module")
def shipped() -> DiseaseGraph:
    from dxmatch.terms.diseases.graph import shipped_graph

    return shipped_graph()


LEUKEMIA, MYELOID, RODS, BLASTS = range(4)


def made(signs: list[bool] | None = None) -> DiseaseGraph:
    """Leukemia, myeloid leukemia as a kind of it, and two more that are below the latter: by default as its signs."""
    names = ["leukemia", "myeloid leukemia", "auer rods", "blasts"]
    return DiseaseGraph(
        [f"T:{i}" for i in range(4)],
        names,
        names,
        ["auer", "blasts", "leukemia", "myeloid", "rods"],
        name_disease=np.arange(4, dtype=np.int32),
        parent_starts=np.array([0, 0, 1, 2, 4], np.int32),
        parents=np.array([LEUKEMIA, MYELOID, LEUKEMIA, MYELOID], np.int32),
        vague=np.zeros(4, np.bool_),
        signs=np.array([False, True, True, True] if signs is None else signs),
        word_counts=np.array([1, 1, 2, 1, 1], np.int32),
    )


def test_a_sign_is_in_line_with_its_disease_and_the_classes_above() -> None:
    graph = made()
    assert graph.in_line(RODS, MYELOID) and graph.in_line(LEUKEMIA, RODS) and not graph.in_line(RODS, BLASTS)
    assert graph.is_sign_of(RODS, MYELOID) and graph.is_sign_of(BLASTS, LEUKEMIA)
    assert not graph.is_sign_of(MYELOID, LEUKEMIA) and not graph.is_sign_of(RODS, LEUKEMIA)


def test_signs_are_no_kinds() -> None:
    assert made().kinds.tolist() == [2, 1, 1, 1] and made().only_signs.tolist() == [False, False, True, True]
    assert made([False] * 4).kinds.tolist() == [4, 3, 1, 1]
    assert made([False, True, True, False]).only_signs.tolist() == [False, False, True, False]  # one is also a kind
