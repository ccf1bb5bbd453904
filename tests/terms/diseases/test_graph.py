"""The graph of diseases: its arrays, each damage to them, what it knows against a plain walk in Python, and the diseases of a string."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import ModelError
from dxmatch.terms.diseases.graph import LINKS, DiseaseGraph, DiseaseIndex
from dxmatch.terms.icd.cache import text_array

from ...small_graph import graph_of
from ..conftest import HashingEncoder

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


LEUKEMIA, MYELOID, RODS, BLASTS = range(4)
SIGNS_OF: dict[str, tuple[str, list[str], list[str]]] = {
    "T:0": ("leukemia", ["leukemia"], []), "T:1": ("myeloid leukemia", ["myeloid leukemia"], ["T:0"]),
    "T:2": ("auer rods", ["auer rods"], ["T:1"]), "T:3": ("blasts", ["blasts"], ["T:0", "T:1"]),
}  # fmt: skip


def with_signs(*signs: bool) -> DiseaseGraph:
    """signs : of each link upwards, whether it is that of a sign."""
    return DiseaseGraph.from_arrays({**graph_of(SIGNS_OF, frozenset()).arrays(), "signs": np.array(signs)})


def test_signs_are_no_kinds_and_in_line_with_their_disease_and_the_classes_above() -> None:
    graph = with_signs(False, True, True, True)
    assert graph.in_line(RODS, MYELOID) and graph.in_line(LEUKEMIA, RODS) and not graph.in_line(RODS, BLASTS)
    assert graph.is_sign_of(RODS, MYELOID) and graph.is_sign_of(BLASTS, LEUKEMIA)
    assert not graph.is_sign_of(MYELOID, LEUKEMIA) and not graph.is_sign_of(RODS, LEUKEMIA)
    assert graph.kinds.tolist() == [2, 1, 1, 1] and graph.only_signs.tolist() == [False, False, True, True]
    assert with_signs(*[False] * 4).kinds.tolist() == [4, 3, 1, 1]
    assert with_signs(False, True, True, False).only_signs.tolist() == [False, False, True, False]  # one is also a kind


def test_strings_are_linked_by_name_else_by_the_nearest_names(own_cache: Path) -> None:
    """Against plain cosines, alone as in a batch."""
    encoder = HashingEncoder()
    index, of_names = DiseaseIndex(GRAPH, encoder), encoder.encode(GRAPH.names)
    nodes, cosines, _ = index.find(GRAPH.names, of_names)
    assert nodes[:, 0].tolist() == GRAPH.name_disease.tolist() and (cosines[:, 0] == 1).all()
    assert (nodes[:, 1:] == -1).all() and np.isnan(cosines[:, 1:]).all()
    asked = ["anterior infarction", "heart failure", "giant cell arteritis", "lung", "vessel"]
    of_asked = encoder.encode(asked)
    found = index.find(asked, of_asked)
    for row, vector in enumerate(of_asked):
        nearest: dict[int, float] = {}
        for disease, cosine in zip(GRAPH.name_disease.tolist(), (of_names @ vector).tolist(), strict=True):
            nearest[disease] = max(nearest.get(disease, -1.0), cosine)
        best = sorted(nearest, key=lambda each: -nearest[each])[:LINKS]
        assert found.nodes[row].tolist() == best
        np.testing.assert_allclose(found.scores[row], [nearest[each] for each in best], atol=1e-6)
        alone = index.find(asked[row : row + 1], of_asked[row : row + 1])
        assert alone.scores.tobytes() == found.scores[row : row + 1].tobytes()
