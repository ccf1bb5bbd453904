"""Edges of the graph that say "is a sign of" and not "is a kind of"."""

from __future__ import annotations

import numpy as np
import pytest

from dxmatch.errors import ModelError
from dxmatch.terms.diseases.graph import DiseaseGraph

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


def test_signs_are_stored() -> None:
    again = DiseaseGraph.from_arrays(made().arrays())
    assert again.signs.tolist() == made().signs.tolist() and again.identity == made().identity
    assert made().identity != made([False] * 4).identity


@pytest.mark.parametrize("signs", [np.ones(3, np.bool_), np.ones(4, np.int32), np.ones((2, 2), np.bool_)])
def test_damaged_signs_are_refused(signs: np.ndarray) -> None:
    with pytest.raises(ModelError, match="damaged graph of diseases"):
        DiseaseGraph.from_arrays({**made().arrays(), "signs": signs})
