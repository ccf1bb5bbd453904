"""The graph as it ships: names added, classes of our own placed, vague classes marked, half of it hidden."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dxmatch.recipe.diseases import compile as module
from dxmatch.recipe.diseases.compile import compiled_graph
from dxmatch.recipe.encoder.data import Synonyms
from dxmatch.terms.diseases.graph import DiseaseGraph
from dxmatch.terms.icd.ranking import MoreNames
from dxmatch.terms.text.normalizer import Normalizer

NAMES = """disease,name,kind
DOID:1,asthma,label
DOID:1,bronchial asthma,exact
DOID:2,allergic asthma,label
DOID:3,lung disorder,label
DOID:4,gout,label
DOID:5,steroid asthma,label
"""
PARENTS = "disease,parent\nDOID:1,DOID:3\nDOID:2,DOID:1\nDOID:5,DOID:1\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "disease_names.csv").write_text(NAMES, "utf-8")
    (tmp_path / "disease_parents.csv").write_text(PARENTS, "utf-8")
    return tmp_path


def compiled(
    data: Path, kinds: list[Mapping[str, str]], monkeypatch: pytest.MonkeyPatch, **options: Any
) -> DiseaseGraph:
    monkeypatch.setattr(module, "rows_like", lambda start: kinds)
    monkeypatch.setattr(module, "rows", lambda file: [])
    return compiled_graph(data, Normalizer(), **options)


CODED = MoreNames(["wheezing"], ["J45"], np.array([0.5], np.float32))


def parents_of(graph: DiseaseGraph, name: str) -> set[str]:
    disease = graph.disease_of[name]
    return {graph.labels[p] for p in graph.parents[graph.parent_starts[disease] : graph.parent_starts[disease + 1]]}


def test_the_tables_as_a_graph(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = compiled(data, [], monkeypatch, more_names=CODED, other_names=["mumps of something"])
    assert graph.ids == sorted(graph.ids) and len(graph) == 5
    assert graph.disease_of["bronchial asthma"] == graph.disease_of["asthma"]
    assert parents_of(graph, "allergic asthma") == {"asthma"}
    assert graph.more_names == CODED
    counts = dict(zip(graph.words, graph.word_counts.tolist(), strict=True))
    assert counts["asthma"] == 4 and counts["mumps"] == 1 and "mumps of something" not in graph.disease_of
    assert graph.vague.tolist() == [label == "lung disorder" for label in graph.labels]


def test_other_names_join_the_disease_of_the_name_that_is_known(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    more = Synonyms(
        "x", ["Asthma", "podagra", "foo", "wheeze", "wheeze", "gout", "allergic asthma"], ["wheezy chest", "gout", "bar", "asthma", "gout", "asthma", ""], [None] * 7
    )  # fmt: skip
    graph = compiled(data, [], monkeypatch, more=[more])
    assert graph.disease_of["wheezy chest"] == graph.disease_of["asthma"]
    assert graph.disease_of["podagra"] == graph.disease_of["gout"]
    assert "foo" not in graph.disease_of and "wheeze" not in graph.disease_of, "unknown, and of two diseases"
    assert graph.disease_of["gout"] != graph.disease_of["asthma"], "a name that is known stays where it is"


def test_classes_of_our_own(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = [
        {"a": "Airway trouble", "b": "allergic asthma"}, {"a": "Airway trouble", "b": "steroid asthma"},
        {"a": "gout", "b": "gouty tophus"}, {"a": "allergic asthma", "b": "asthma"},
    ]  # fmt: skip
    graph = compiled(data, kinds, monkeypatch)
    own = graph.disease_of["airway trouble"]
    assert (graph.ids[own], graph.labels[own], graph.source(own)) == (
        "dxmatch:airway-trouble",
        "Airway trouble",
        "dxmatch's own table",
    )
    assert parents_of(graph, "allergic asthma") == {"asthma", "Airway trouble"}
    assert parents_of(graph, "airway trouble") == {"asthma"}, "the narrowest class in which all its kinds meet"
    assert parents_of(graph, "gouty tophus") == {"gout"}
    assert parents_of(graph, "asthma") == {"lung disorder"}, "what would close a loop is left out"
