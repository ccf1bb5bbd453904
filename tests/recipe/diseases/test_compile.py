"""The graph as it ships: tables cleaned, names added, classes of our own placed, vague classes marked; our own tables in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dxmatch.recipe.diseases import compile as module
from dxmatch.recipe.diseases.compile import compiled_graph, in_other_words
from dxmatch.recipe.diseases.tables import Disease, read_diseases
from dxmatch.recipe.encoder.data import common_synonyms
from dxmatch.recipe.word_lists.reading import KINDS, SIGNS, WRONG_KINDS, rows, rows_like
from dxmatch.terms.diseases.graph import DiseaseGraph
from dxmatch.terms.icd.ranking import MoreNames
from dxmatch.terms.text.normalizer import Normalizer

NAMES = """DOID:1,asthma,label
DOID:1,bronchial asthma,exact
DOID:2,allergic asthma,label
DOID:3,lung disorder,label
DOID:4,gout,label
DOID:5,steroid asthma,label
"""
PARENTS = "DOID:1,DOID:3\nDOID:2,DOID:1\nDOID:5,DOID:1\n"
# Auer rods are a name by themselves; all else is from our own tables.
OWN = "DOID:1,leukemia,label\nDOID:2,acute myeloid leukemia,label\nDOID:3,Auer rods in blasts,label\n"
normal = Normalizer()


def written(folder: Path, names: str, parents: str) -> Path:
    (folder / "disease_names.csv").write_text("disease,name,kind\n" + names, "utf-8")
    (folder / "disease_parents.csv").write_text("disease,parent\n" + parents, "utf-8")
    return folder


def cleaned(folder: Path, names: str, parents: str = "X,Y\n") -> dict[str, Disease]:
    return {each.id: each for each in read_diseases(written(folder, names, parents), normal)}


def test_a_name_at_two_diseases(tmp_path: Path) -> None:
    names = "A,asthma,label\nA,wheeze,exact\nB,asthma foo,label\nB,asthma,exact\nB,wheeze,exact\nC,gout,label\nC,wheeze,exact\n"
    found = cleaned(tmp_path, names)
    assert "asthma" in found["A"].names and "asthma" not in found["B"].names, "it is the main name of one"
    assert not any("wheeze" in each.names for each in found.values()), "it cannot be told whose it is"
    in_line = cleaned(tmp_path, names, "B,A\nC,B\n")
    assert [key for key, each in in_line.items() if "wheeze" in each.names] == ["A"], "the one above all others"


def of_few(folder: Path, patch: pytest.MonkeyPatch, kinds: list[Mapping[str, str]] = [], **options: Any) -> DiseaseGraph:  # fmt: skip # noqa: B006
    """Five diseases, with these kinds in place of our own tables."""
    patch.setattr(module, "rows_like", lambda start: kinds)
    patch.setattr(module, "rows", lambda file: [])
    return compiled_graph(written(folder, NAMES, PARENTS), normal, **options)


def parents_of(graph: DiseaseGraph, name: str) -> set[str]:
    disease = graph.disease_of[name]
    return {graph.labels[p] for p in graph.parents[graph.parent_starts[disease] : graph.parent_starts[disease + 1]]}


def test_the_tables_as_a_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    coded = MoreNames(["wheezing"], ["J45"], np.array([0.5], np.float32))
    graph = of_few(tmp_path, monkeypatch, more_names=coded, other_names=["mumps of something"])
    assert graph.ids == sorted(graph.ids) and len(graph) == 5 and graph.more_names == coded
    assert graph.disease_of["bronchial asthma"] == graph.disease_of["asthma"]
    assert parents_of(graph, "allergic asthma") == {"asthma"}
    counts = dict(zip(graph.words, graph.word_counts.tolist(), strict=True))
    assert counts["asthma"] == 4 and counts["mumps"] == 1 and "mumps of something" not in graph.disease_of
    assert graph.vague.tolist() == [label == "lung disorder" for label in graph.labels]


def test_classes_of_our_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [("Airway trouble", "allergic asthma"), ("Airway trouble", "steroid asthma"), ("gout", "gouty tophus"), ("allergic asthma", "asthma")]  # fmt: skip
    graph = of_few(tmp_path, monkeypatch, [{"a": a, "b": b} for a, b in pairs])
    own = graph.disease_of["airway trouble"]
    told = "dxmatch:airway-trouble", "Airway trouble", "dxmatch's own table"
    assert (graph.ids[own], graph.labels[own], graph.source(own)) == told
    assert parents_of(graph, "allergic asthma") == {"asthma", "Airway trouble"}
    assert parents_of(graph, "airway trouble") == {"asthma"}, "the narrowest class in which all its kinds meet"
    assert parents_of(graph, "gouty tophus") == {"gout"}
    assert parents_of(graph, "asthma") == {"lung disorder"}, "what would close a loop is left out"


def test_our_own_tables(tmp_path: Path) -> None:
    """Every sign is in line with its disease, every kind below its class, and what is no kind is not; a row that closes a loop would be left out."""
    graph = compiled_graph(written(tmp_path, OWN, "DOID:2,DOID:1\n"), normal, more=[common_synonyms()])

    def both(row: Mapping[str, str], *sides: str) -> tuple[Any, ...]:
        return tuple(graph.disease_of.get(normal(row[side])) for side in sides)

    signs = [tuple(normal(row[side]) for side in ("sign", "disease")) for row in rows(SIGNS)]
    assert len(signs) == len({*signs}) >= 1_700 and not [pair for pair in signs if pair[0] == pair[1] or not all(pair)]
    for sign, disease in (both(row, "sign", "disease") for row in rows(SIGNS)):
        assert sign == disease or (graph.is_sign_of(sign, disease) and graph.steps_up(sign, disease) == 1)
    said = [(name, row["disease"]) for row in rows(SIGNS) for name in map(normal, in_other_words(row["sign"]))]
    assert all(normal.assertion(name).core == name != normal(disease) for name, disease in said), "cores are looked up"
    wrong = [both(row, "kind", "class") for row in rows(WRONG_KINDS)]
    known = [pair for pair in wrong if None not in pair]
    assert len(known) > 10 and all(graph.steps_up(*pair) < 0 for pair in known)
    kinds = [both(row, "b", "a") for row in rows_like(KINDS)]
    assert not [pair for pair in kinds if graph.steps_up(*pair) < 0 and pair not in wrong]
