"""Strings linked to diseases: by their name, else by the nearest names, against plain cosines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dxmatch.recipe.encoder.quantize import quantized
from dxmatch.terms.diseases.index import LINKS, DiseaseIndex
from dxmatch.terms.encoders.static import Shape, StaticEncoder

from ...small_graph import graph_of

GRAPH = graph_of()
OTHERS = ["anterior infarction", "heart failure", "giant cell arteritis", "lung", "vessel"]


@pytest.fixture(scope="module")
def encoder() -> StaticEncoder:
    vectors = np.random.default_rng(3).standard_normal((512, 16)).astype(np.float32)
    return quantized(Shape(buckets=512, word_buckets=128, dimensions=16), vectors)


def test_a_name_of_a_disease_is_linked_to_it_alone(encoder: StaticEncoder) -> None:
    index = DiseaseIndex(GRAPH, encoder, cache=False)
    nodes, cosines, _ = index.find(GRAPH.names, encoder.encode(GRAPH.names))
    assert nodes[:, 0].tolist() == GRAPH.name_disease.tolist() and (cosines[:, 0] == 1).all()
    assert (nodes[:, 1:] == -1).all() and np.isnan(cosines[:, 1:]).all()


def test_others_are_linked_to_the_nearest_diseases_each_by_its_nearest_name(encoder: StaticEncoder) -> None:
    index = DiseaseIndex(GRAPH, encoder, cache=False)
    mixed = [OTHERS[0], "heart attack", *OTHERS[1:]]
    nodes, cosines, _ = index.find(mixed, encoder.encode(mixed))
    of_names = encoder.encode(GRAPH.names)
    for row, name in enumerate(mixed):
        if name == "heart attack":
            continue
        nearest: dict[int, float] = {}
        for disease, cosine in zip(
            GRAPH.name_disease.tolist(), (of_names @ encoder.encode([name])[0]).tolist(), strict=True
        ):
            nearest[disease] = max(nearest.get(disease, -1.0), cosine)
        best = sorted(nearest, key=lambda each: -nearest[each])[:LINKS]
        assert nodes[row].tolist() == best
        np.testing.assert_allclose(cosines[row], [nearest[each] for each in best], atol=1e-6)
        alone = index.find([name], encoder.encode([name]))
        np.testing.assert_array_equal(alone.nodes[0], nodes[row])
        np.testing.assert_array_equal(alone.scores[0], cosines[row])


def test_the_names_are_embedded_once(encoder: StaticEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = DiseaseIndex(GRAPH, encoder, cache=tmp_path)
    vectors = encoder.encode(OTHERS)
    monkeypatch.setattr(StaticEncoder, "encode", None)
    again = DiseaseIndex(graph_of(), encoder, cache=tmp_path)
    np.testing.assert_array_equal(first.find(OTHERS, vectors).nodes, again.find(OTHERS, vectors).nodes)
    with pytest.raises(TypeError):
        DiseaseIndex(graph_of(vague=frozenset()), encoder, cache=tmp_path)
