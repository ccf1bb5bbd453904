"""A user's own codes, a tree or a list of terms: what is read, and the error for each kind of row that cannot be right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import dxmatch
from dxmatch.errors import InputError, OptionError
from dxmatch.terms.icd import IcdTree, open_tree
from dxmatch.terms.icd.tree import BLOCK, CATEGORY, CHAPTER, SUBCATEGORY


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DXMATCH_CACHE", str(tmp_path / "cache"))


def tree_of(tmp_path: Path, text: str) -> IcdTree:
    (tmp_path / "own.csv").write_text(text, "utf-8")
    return open_tree(tmp_path / "own.csv")


def test_a_tree_of_icd_in_any_order_of_rows(small: Path) -> None:
    tree = open_tree(small)
    assert tree.codes == ["IX", "I20-I25", "I21", "I21.9", "I21.0", "I20", "I10"]
    assert tree.kinds.tolist() == [CHAPTER, BLOCK, CATEGORY, SUBCATEGORY, SUBCATEGORY, CATEGORY, CATEGORY]
    assert tree.source.startswith("small.csv sha256:")
    header, *rows = small.read_text().splitlines()
    small.write_text("\n".join([header, *reversed(rows)]), encoding="utf-8-sig")
    for one in (tree, open_tree(small)):
        assert (one.parents < range(len(one))).all()
        assert [one.codes[node] for node in one.ancestors(one.find("i210"))] == ["I21", "I20-I25", "IX"]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("note,parent,name,code\nx,,Asthma,J45\n,J45,Mild asthma,J45.2\n", ["J45", "J45.2"]),
        ("term\nHeart attack\n\nOtitis media\nHeart attack\n", ["Heart attack", "Otitis media"]),
        ("what we call it\ngout\n", ["gout"]),
        ("code,name\nI21,AMI\n", ["I21"]),
        ("Code,Term,Parent\nA,angina,C\nC,cardiac disease,C\n", ["C", "A"]),
        # without a category it is no tree of ICD-10's
        ("code,name,parent\n1234,thing,\n", ["1234"]),
        # what lies below a term stands behind it
        ("term,code,parent\nheart,H,\nlung,L,\nangina,A,H\nasthma,B,L\n", ["H", "A", "L", "B"]),
    ],
)
def test_what_is_read(tmp_path: Path, text: str, codes: list[str]) -> None:
    assert tree_of(tmp_path, text).codes == codes


@pytest.mark.parametrize(
    "text",
    [
        "code,term,parent\nA,angina,C\nA,angina pectoris,\nC,cardiac disease,\n",
        "code,name,parent\nI20,angina,9\ni20,angina pectoris,\n9,Circulation,\n",
    ],
)
def test_rows_of_one_code_are_synonyms(tmp_path: Path, text: str) -> None:
    tree = tree_of(tmp_path, text)
    assert tree.parents.tolist() == [-1, 0] and tree.ancestors(1) == [0]
    assert tree.names[1] == "angina" and tree.inclusion_terms(1) == ["angina pectoris"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("code,name,parent\nI21,AMI,\n ,Angina,\n", "row 3, column 'code'"),
        ("code,name,parent\nI21,AMI,\nI20, ,\n", "row 3, column 'name'"),
        ("code,name,parent\nI21,AMI,\nI21.0,x,I22\n", "row 3, column 'parent'.* I21.*Got: 'I22'"),
        ("code,name,parent\nI21,AMI,I20\nI20,x,I21\n", "row 2, column 'parent': .*cycle. Got: 'I21 -> I20 -> I21'"),
        ("code,name,parent\nI20,ok,\nI21.0,AMI,I20\n", "row 3, column 'parent'.*under I21"),
        ("x,y\n1,2\n", "which column holds the terms"),
        ("term\n\n", "no terms"),
    ],
)
def test_rows_that_cannot_be_right(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        tree_of(tmp_path, text)
    assert str(caught.value).startswith(str(tmp_path / "own.csv")) and "\n" not in str(caught.value)


@pytest.mark.parametrize("source", ["icd11", "", Path("nowhere.csv"), "/"])
def test_no_such_source(source: Any) -> None:
    with pytest.raises(OptionError, match="tree.*'icd10cm', 'icd10' or the path of a CSV file"):
        open_tree(source)


def test_texts_are_mapped_to_ones_own_terms(tmp_path: Path) -> None:
    terms = ["Myocardial infarction", "Otitis media", "Zoster", "Type 2 diabetes mellitus"]
    texts = ["heart attack", "middle ear infection", "T2DM", "gout"]
    (tmp_path / "terms.csv").write_text("\n".join(["term", *terms]))
    for source in (tmp_path / "terms.csv", terms, pd.Series(terms), pd.DataFrame({"term": terms})):
        found = dxmatch.icd(pd.Series(texts), tree=source)
        assert found["icd10"].tolist()[:3] == [terms[0], terms[1], terms[3]], source
        assert found["how"][3] == "unmapped" and found["icd10"].isna()[3]
    coded = dxmatch.icd(texts[:1], tree={"code": ["C-1", "C-1"], "term": ["MI", "cardiac infarct"]})
    assert coded["icd10"].to_pylist() == ["C-1"] and coded["name"].to_pylist() == ["MI"]


def test_hierarchical_metrics_take_a_tree_of_ones_own_and_no_list(tmp_path: Path) -> None:
    tree_of(tmp_path, "term,code,parent\nheart,H,\nlung,L,\nangina,A,H\nasthma,B,L\n")
    assert dxmatch.metrics.hdf1([["H", "L", "A"]], [["A", "L"]], source=str(tmp_path / "own.csv")) == 1
    tree_of(tmp_path, "code,name\nI21,AMI\nI20,angina\n")
    with pytest.raises(InputError, match="a list of terms, and no tree"):
        dxmatch.metrics.hdf1([["I21"]], [["I20"]], source=str(tmp_path / "own.csv"))
