"""The graph of diseases: its arrays, each damage to them, what it knows against a plain walk in Python, and the diseases of a string."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import ModelError
from dxmatch.terms.diseases.graph import DiseaseGraph
from dxmatch.terms.icd.cache import text_array

from ...small_graph import graph_of

GRAPH = graph_of()


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


NAMES = len(GRAPH.names)
DAMAGES: dict[str, Any] = {
    "vague": None, "labels": np.full(9, 0xFF, np.uint8), "parents of another type": GRAPH.parents.astype(np.int64), "one label": text_array(["x"]),
    "name_disease": GRAPH.name_disease[:-1], "parent_starts": GRAPH.parent_starts[:-1], "signs": GRAPH.signs[:-1],
    "parent_starts that fall": np.where(np.arange(len(GRAPH) + 1) == 2, 9, GRAPH.parent_starts).astype(np.int32),
    "parents too many": np.append(GRAPH.parents, GRAPH.parents[:1]), "parents before the first": GRAPH.parents - np.int32(1),
    "name_disease of none": GRAPH.name_disease + np.int32(12), "names twice": text_array(["vasculitis"] * NAMES),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_arrays_are_refused_with_their_place(damage: str) -> None:
    name = "labels" if damage == "one label" else damage.split()[0]
    arrays = {k: v for k, v in (GRAPH.arrays() | {name: DAMAGES[damage]}).items() if v is not None}
    with pytest.raises(ModelError, match=r"^m/diseases: (?:not a|a damaged) graph of diseases"):
        DiseaseGraph.from_arrays(arrays, "m/diseases")


@st.composite
def hierarchies(draw: st.DrawFn) -> dict[int, list[int]]:
    count = draw(st.integers(1, 14))
    return {i: sorted(draw(st.sets(st.integers(0, i - 1), max_size=3))) if i else [] for i in range(count)}


@settings(deadline=None, max_examples=50)
@given(hierarchies())
def test_what_stands_above_against_a_plain_walk(parents: dict[int, list[int]]) -> None:
    graph, steps = of_parents(parents), {disease: walked(parents, disease) for disease in parents}
    pairs = list(product(parents, repeat=2))
    assert [graph.steps_up(*pair) for pair in pairs] == [steps[one].get(other, -1) for one, other in pairs]
    below = [sum(disease in each for each in steps.values()) for disease in parents]
    assert graph.kinds.tolist() == below
    expected = [1 - math.log(kinds) / math.log(max(len(parents), 2)) for kinds in below]
    np.testing.assert_allclose(graph.information, expected, atol=1e-6)


def test_too_broad_and_in_line() -> None:
    """A class that names no disease is in line with itself alone."""
    heart, ischemic, infarction, wall, angina = (GRAPH.ids.index(f"DOID:0{i}") for i in (1, 2, 3, 4, 5))
    assert np.flatnonzero(GRAPH.too_broad).tolist() == [heart]
    told = {(wall, ischemic): True, (heart, heart): True, (wall, heart): False, (infarction, angina): False}
    assert {pair: GRAPH.in_line(*pair) for pair in told} == {pair: GRAPH.in_line(*pair[::-1]) for pair in told} == told
