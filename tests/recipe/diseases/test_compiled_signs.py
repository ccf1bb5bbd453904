"""Our own tables in the graph: classes, kinds and signs."""

from __future__ import annotations

import pytest

from dxmatch.recipe.diseases.compile import compiled_graph
from dxmatch.recipe.encoder.data import common_synonyms
from dxmatch.recipe.word_lists.reading import KINDS, SIGNS, WRONG_KINDS, rows, rows_like
from dxmatch.terms.diseases.graph import DiseaseGraph
from dxmatch.terms.text.normalizer import Normalizer


@pytest.fixture(scope="module")
def normalizer() -> Normalizer:
    return Normalizer()


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory, normalizer: Normalizer) -> DiseaseGraph:
    """Two diseases of a source, where Auer rods are a name by themselves; all else is from our own tables."""
    folder = tmp_path_factory.mktemp("diseases")
    (folder / "disease_names.csv").write_text(
        "disease,name,kind\nDOID:1,leukemia,label\nDOID:2,acute myeloid leukemia,label\nDOID:3,Auer rods in blasts,label\n"
    )
    (folder / "disease_parents.csv").write_text("disease,parent\nDOID:2,DOID:1\n")
    return compiled_graph(folder, normalizer, more=[common_synonyms()])


def test_every_sign_is_in_line_with_its_disease(graph: DiseaseGraph, normalizer: Normalizer) -> None:
    for row in rows(SIGNS):
        sign, disease = (graph.disease_of[normalizer(row[side])] for side in ("sign", "disease"))
        assert sign == disease or graph.is_sign_of(sign, disease), row
        assert sign == disease or graph.steps_up(sign, disease) == 1


def test_every_kind_is_below_its_class(graph: DiseaseGraph, normalizer: Normalizer) -> None:
    """A row that closes a loop with the others would be left out."""
    wrong = {
        tuple(graph.disease_of.get(normalizer(row[side])) for side in ("class", "kind")) for row in rows(WRONG_KINDS)
    }
    for row in rows_like(KINDS):
        wide, narrow = (graph.disease_of[normalizer(row[side])] for side in ("a", "b"))
        assert graph.steps_up(narrow, wide) >= 0 or (wide, narrow) in wrong, row


def test_what_is_no_kind_is_not_below_the_class(graph: DiseaseGraph, normalizer: Normalizer) -> None:
    both = [[graph.disease_of.get(normalizer(row[side])) for side in ("kind", "class")] for row in rows(WRONG_KINDS)]
    known = [(narrow, wide) for narrow, wide in both if narrow is not None and wide is not None]
    assert len(known) > 10 and all(graph.steps_up(narrow, wide) < 0 for narrow, wide in known)


def test_the_tables_of_signs(normalizer: Normalizer) -> None:
    """A sign is no other way to write its disease, and stands once with each."""
    pairs = [(normalizer(row["sign"]), normalizer(row["disease"])) for row in rows(SIGNS)]
    assert len(pairs) == len(set(pairs)) >= 1_000
    assert not [pair for pair in pairs if pair[0] == pair[1] or not all(pair)]
