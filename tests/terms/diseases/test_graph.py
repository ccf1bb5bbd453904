"""The graph of diseases: its arrays, each damage to them, what it knows against a plain walk in Python, and the diseases of a string."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save as save_tensors

from dxmatch.errors import ModelError
from dxmatch.recipe.encoder.quantize import quantized
from dxmatch.terms.diseases import graph as module
from dxmatch.terms.diseases.graph import LINKS, DiseaseGraph, DiseaseIndex, shipped_graph
from dxmatch.terms.encoders.static import Shape, StaticEncoder
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


def test_its_arrays_give_the_same_graph_and_the_same_bytes() -> None:
    again = DiseaseGraph.from_arrays(GRAPH.arrays())
    assert save_tensors(GRAPH.arrays()) == save_tensors(again.arrays()) == save_tensors(graph_of().arrays())
    assert GRAPH.identity == again.identity != graph_of(vague=frozenset()).identity


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


@settings(deadline=None, max_examples=100)
@given(hierarchies())
def test_what_stands_above_against_a_plain_walk(parents: dict[int, list[int]]) -> None:
    graph = of_parents(parents)
    above, below = graph.above, dict.fromkeys(parents, 0)
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


def test_many_steps_are_counted_up_to_a_byte() -> None:
    graph = of_parents({i: [i - 1] if i else [] for i in range(300)})
    assert [graph.steps_up(*pair) for pair in ((299, 45), (299, 0), (0, 299))] == [254, 255, -1]


def test_too_broad_and_in_line(monkeypatch: pytest.MonkeyPatch) -> None:
    at = {each: i for i, each in enumerate(GRAPH.ids)}
    heart, ischemic, infarction, wall = (at[f"DOID:0{i}"] for i in (1, 2, 3, 4))
    assert np.flatnonzero(GRAPH.too_broad).tolist() == [heart]
    assert GRAPH.in_line(wall, ischemic) and GRAPH.in_line(ischemic, wall) and GRAPH.in_line(heart, heart)
    assert not GRAPH.in_line(wall, heart) and not GRAPH.in_line(heart, wall), "a class that names no disease"
    assert not GRAPH.in_line(infarction, at["DOID:05"])
    monkeypatch.setattr(module, "MOST_KINDS", 4)
    by_size = graph_of(vague=frozenset())
    assert np.flatnonzero(by_size.too_broad).tolist() == [heart, ischemic] and by_size.kinds[heart] == 6


def test_the_shipped_graph() -> None:
    shipped = shipped_graph()
    assert len(shipped) > 20_000 and len(shipped.names) > 80_000
    takayasu, large = (shipped.disease_of[name] for name in ("takayasu arteritis", "large vessel vasculitis"))
    assert shipped.in_line(takayasu, large) and shipped.steps_up(takayasu, large) > 0
    assert shipped.too_broad[shipped.disease_of["lung disorder"]]
    assert not shipped.too_broad[shipped.disease_of["movement disorder"]]


LEUKEMIA, MYELOID, RODS, BLASTS = range(4)


def made(*signs: bool) -> DiseaseGraph:
    """Leukemia, myeloid leukemia as a kind of it, and two more that are below the latter."""
    names = ["leukemia", "myeloid leukemia", "auer rods", "blasts"]
    return DiseaseGraph(
        [f"T:{i}" for i in range(4)], names, names, ["auer", "blasts", "leukemia", "myeloid", "rods"], name_disease=np.arange(4, dtype=np.int32),
        parent_starts=np.array([0, 0, 1, 2, 4], np.int32), parents=np.array([LEUKEMIA, MYELOID, LEUKEMIA, MYELOID], np.int32),
        vague=np.zeros(4, np.bool_), signs=np.array(signs), word_counts=np.array([1, 1, 2, 1, 1], np.int32),
    )  # fmt: skip


def test_signs_are_no_kinds_and_in_line_with_their_disease_and_the_classes_above() -> None:
    graph = made(False, True, True, True)
    assert graph.in_line(RODS, MYELOID) and graph.in_line(LEUKEMIA, RODS) and not graph.in_line(RODS, BLASTS)
    assert graph.is_sign_of(RODS, MYELOID) and graph.is_sign_of(BLASTS, LEUKEMIA)
    assert not graph.is_sign_of(MYELOID, LEUKEMIA) and not graph.is_sign_of(RODS, LEUKEMIA)
    assert graph.kinds.tolist() == [2, 1, 1, 1] and graph.only_signs.tolist() == [False, False, True, True]
    assert made(*[False] * 4).kinds.tolist() == [4, 3, 1, 1]
    assert made(False, True, True, False).only_signs.tolist() == [False, False, True, False]  # one is also a kind


def test_strings_are_linked_by_name_else_by_the_nearest_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """Against plain cosines; the names are embedded once."""
    monkeypatch.setenv("DXMATCH_CACHE", str(tmp_path))
    vectors = np.random.default_rng(3).standard_normal((512, 16)).astype(np.float32)
    encoder = quantized(Shape(buckets=512, word_buckets=128, dimensions=16), vectors)
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
    monkeypatch.setattr(StaticEncoder, "encode", None)
    np.testing.assert_array_equal(DiseaseIndex(graph_of(), encoder).find(asked, of_asked).nodes, found.nodes)
    with pytest.raises(TypeError):
        DiseaseIndex(graph_of(vague=frozenset()), encoder)
