"""A user's own tree: what is read, and the error for each kind of row that cannot be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from dxmatch.errors import InputError, OptionError
from dxmatch.terms.icd import IcdIndex, open_tree


def test_a_users_tree(small):
    tree = open_tree(small, False)
    assert list(tree.codes) == ["IX", "I20-I25", "I21", "I21.9", "I21.0", "I20", "I10"]
    kinds = ["chapter", "block", "category", "subcategory", "subcategory", "category", "category"]
    assert [tree.kind(node) for node in range(len(tree))] == kinds
    assert [tree.code(node) for node in tree.ancestors("i210")] == ["I21", "I20-I25", "IX"]
    assert tree.source.startswith("small.csv sha256:")


def test_children_may_stand_before_their_parents(small):
    header, *rows = small.read_text().splitlines()
    small.write_text("\n".join([header, *reversed(rows)]), encoding="utf-8-sig")
    tree = open_tree(small, False)
    assert (tree.parents < range(len(tree))).all()
    assert [tree.code(node) for node in tree.ancestors("I21.0")] == ["I21", "I20-I25", "IX"]


def test_extra_columns_and_other_order(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("note,parent,name,code\nx,,Asthma,J45\n,J45,Mild asthma,J45.2\n")
    tree = open_tree(path, False)
    assert [tree.kind("J45"), tree.kind("J45.2")] == ["category", "subcategory"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("code,name,parent\n", "the table has no rows"),
        ("code,code,name,parent\nI21,x,AMI,\n", "two columns of one name"),
        ("code,name,parent\nI21,AMI,\n ,Angina,\n", "row 3, column 'code': a blank code"),
        ("code,name,parent\nI21,AMI,\nI20, ,\n", "row 3, column 'name': a blank name"),
        ("code,name,parent\nI21,AMI\n", "row 2: 2 values in a table of 3 columns"),
        ("code,name,parent\nI21,AMI,,\n", "row 2: 4 values in a table of 3 columns"),
        ("code,name,parent\nI21,AMI,\nI20,x,\ni21,AMI again,\n", "row 4, .*a code given twice, first in row 2"),
        ("code,name,parent\nI21,AMI,\nI210,x,I21\nI21.0,y,I21\n", "row 4, .*a code given twice, first in row 3"),
        ("code,name,parent\nI21,AMI,\nI21.0,x,I22\n", "row 3, column 'parent': an unknown parent.* I21.*Got: 'I22'"),
        ("code,name,parent\nI21,AMI,I20\nI20,x,I21\n", "row 2, column 'parent': .*cycle. Got: 'I21 -> I20 -> I21'"),
        ("code,name,parent\nI20,ok,\nI21,AMI,I21\n", "row 3, column 'parent': .*cycle. Got: 'I21 -> I21'"),
        ("code,name,parent\nI20,ok,\nI21.0,AMI,I20\n", "row 3, column 'parent': a subcategory that does not lie.*I21"),
        ("code,name,parent\nI21.0,AMI,\n", "without categories"),
        ("code,name,parent\n1234,thing,\n", "without categories"),
        ('code,name,parent\nI21,"AMI,\n', "row 2: a quote that is not closed"),
        ("code,name,parent\nI21,a\0b,\n", "a NUL character"),
        ("code,name,parent\nI21," + "x" * 5_000 + "\0,\n", "row 2: a NUL character"),
        ("code,name,parent\nI21," + "x" * 20_000 + ",\n", "row 2, column 'name': a name of 20,000 characters"),
        ("code,name,parent\nI21," + "x" * 1_000_000 + ",\n", "row 2, column 'name'"),
    ],
)  # fmt: skip
def test_rows_that_cannot_be_right(tmp_path, text, message):
    path = tmp_path / "tree.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        open_tree(path, False)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_not_utf8(tmp_path):
    path = tmp_path / "tree.csv"
    path.write_bytes("code,name,parent\nI21,AMI,\nI20,Angine \xe9,\n".encode("latin-1"))
    with pytest.raises(InputError, match="row 3: text that is not UTF-8"):
        open_tree(path, False)


@pytest.mark.parametrize("source", ["icd11", "", Path("nowhere.csv"), "/"])
def test_no_such_source(source):
    with pytest.raises(OptionError, match="'icd10cm', 'icd10' or the path of a CSV file"):
        open_tree(source, False)


def test_an_index_over_it(small, encoder, normalizer):
    index = IcdIndex.open(small, encoder, normalizer, False)
    # "unspecified" says nothing, so I21 and I21.9 share a name, and the first in tree order has it.
    found = index.direct(["acute myocardial infarction", "anterior wall infarction", "i21 9"])
    assert [index.tree.code(node) for node in found.nodes] == ["I21", "I21.0", "I21.9"]
    assert list(index.tree.codes) == ["IX", "I20-I25", "I21", "I21.9", "I21.0", "I20", "I10"]
    everything = index.candidates(["angina"]).nodes[0]
    assert {index.tree.code(node) for node in everything[everything >= 0]} == {"I21", "I21.0", "I20", "I10"}
