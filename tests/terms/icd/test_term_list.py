"""A list of one's own terms as a code system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import dxmatch
from dxmatch.terms.icd import open_tree


def tree_of(tmp_path: Path, text: str) -> Any:
    (tmp_path / "terms.csv").write_text(text, "utf-8")
    return open_tree(tmp_path / "terms.csv", False)


def test_a_plain_list_needs_no_codes(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, "term\nHeart attack\n\nOtitis media\nHeart attack\n")
    assert list(tree.codes) == list(tree.names) == ["Heart attack", "Otitis media"] and tree.parents.tolist() == [
        -1,
        -1,
    ]
    assert list(tree_of(tmp_path, "what we call it\ngout\n").codes) == ["gout"]
    assert list(tree_of(tmp_path, "code,name\nI21,AMI\n").codes) == ["I21"]


def test_rows_of_one_code_are_synonyms_and_parents_stand_first(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, "code,term,parent\nA,angina,C\nA,angina pectoris,\nC,cardiac disease,\n")
    assert list(tree.codes) == ["C", "A"] and tree.inclusion_terms("A") == ["angina pectoris"]
    assert tree.ancestors("A") == [0] and tree.name("A") == "angina"


def test_what_lies_below_a_term_stands_behind_it(tmp_path: Path) -> None:
    """Sets of nodes with all above them are counted so: two terms of one parent, apart in the file, share it."""
    rows = "term,code,parent\nheart,H,\nlung,L,\nangina,A,H\nasthma,B,L\n"
    assert list(tree_of(tmp_path, rows).codes) == ["H", "A", "L", "B"]
    hdf1 = dxmatch.metrics.hdf1([["H", "L", "A"]], [["A", "L"]], source=str(tmp_path / "terms.csv"))
    assert hdf1 == 1


def test_an_icd_tree_stays_one(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, "code,name,parent\n9,Circulation,\nI21,Myocardial infarction,9\n")
    assert tree.kind("9") == "chapter"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("code,term\nA,\n", "row 2, column 'term': the diagnosis is blank"),
        ("code,term,parent\nA,gout,Z\n", "row 2, column 'parent': an unknown parent"),
        ("code,term,parent\nA,gout,B\nB,angina,A\n", "in a cycle.*A -> B -> A"),
        ("x,y\n1,2\n", "which column holds the terms"),
        ("term,code\n,\n", "no rows"),
        ("term,parent\n,gout\n", "no terms"),
    ],
)
def test_lists_that_cannot_be_right(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(dxmatch.InputError, match=told):
        tree_of(tmp_path, text)


def test_texts_are_mapped_to_ones_own_terms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DXMATCH_CACHE", str(tmp_path / "cache"))
    terms = ["Myocardial infarction", "Otitis media", "Zoster", "Type 2 diabetes mellitus"]
    texts = ["heart attack", "middle ear infection", "T2DM", "gout"]
    (tmp_path / "terms.csv").write_text("\n".join(["term", *terms]))
    for source in (tmp_path / "terms.csv", terms, pd.Series(terms), pd.DataFrame({"term": terms})):
        found = dxmatch.icd(pd.Series(texts), tree=source)
        assert found["icd10"].tolist()[:3] == [terms[0], terms[1], terms[3]], source
        assert found["how"][3] == "unmapped" and found["icd10"].isna()[3]
    coded = dxmatch.icd(texts[:1], tree={"code": ["C-1", "C-1"], "term": ["MI", "cardiac infarct"]})
    assert coded["icd10"].to_pylist() == ["C-1"] and coded["name"].to_pylist() == ["MI"]


def test_a_list_is_no_tree_for_hierarchical_metrics(tmp_path: Path) -> None:
    (tmp_path / "terms.csv").write_text("code,name\nI21,AMI\nI20,angina\n")
    with pytest.raises(dxmatch.InputError, match="a list of terms, and no tree"):
        dxmatch.metrics.hdf1([["I21"]], [["I20"]], source=str(tmp_path / "terms.csv"))
