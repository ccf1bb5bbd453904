from __future__ import annotations

import re

import lightgbm
import numpy as np
import pytest

from dxmatch.errors import ModelError
from dxmatch.models.trees import text as trees
from dxmatch.models.trees.text import validate

# Two features. Tree 0: x0 <= 0.5 ? (x1 <= 0.25 ? 1 : 2) : -4, where a missing x0 goes left and a missing x1 right.
# Tree 1: a lone leaf, 0.125.
HEADER = """tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=binary sigmoid:1
feature_names=cosine ratio
feature_infos=[0:1] [0:1]
tree_sizes=400 200
"""
TREE_0 = """
Tree=0
num_leaves=3
num_cat=0
split_feature=0 1
split_gain=12.5 3
threshold=0.5 0.25
decision_type=10 8
left_child=1 -1
right_child=-2 -3
leaf_value=1 -4 2
leaf_weight=1.5 2.5 3.5
leaf_count=10 20 30
internal_value=0 1
internal_weight=9 8
internal_count=60 40
is_linear=0
shrinkage=1

"""
TREE_1 = """
Tree=1
num_leaves=1
num_cat=0
split_feature=
split_gain=
threshold=
decision_type=
left_child=
right_child=
leaf_value=0.125
leaf_weight=
leaf_count=60
internal_value=
internal_weight=
internal_count=
is_linear=0
shrinkage=0.1


"""
END = """end of trees

feature_importances:
cosine=1
ratio=1

parameters:
[boosting: gbdt]
[data: ]

end of parameters

pandas_categorical:null
"""
TEXT = HEADER + TREE_0 + TREE_1 + END


def raw(text, table):
    return lightgbm.Booster(model_str=text).predict(table, raw_score=True, num_threads=1)


def test_scores_worked_by_hand():
    table = np.array([[0.5, 0.25], [0.5, 0.26], [0.51, 0.0], [np.nan, 0.0], [0.0, np.nan], [np.nan, np.nan]])
    expected = [1 + 0.125, 2 + 0.125, -4 + 0.125, 1 + 0.125, 2 + 0.125, 2 + 0.125]
    assert raw(validate(TEXT, 2, "t"), table).tolist() == expected


def test_written_anew_in_one_form():
    text = validate(TEXT, 2, "t")
    assert validate(text, 2, "t") == text
    assert validate(HEADER + TREE_0 + TREE_1 + "end of trees\n", 2, "t") == text
    assert "tree_sizes" not in text and "parameters" not in text and "leaf_weight" not in text
    assert text.endswith("\nshrinkage=0.1\n\n\nend of trees\n")


def test_same_bits_as_the_original(boosters, manifest, sample):
    names = manifest.feature_names

    table = sample(3_000, seed=9)
    for booster in boosters:
        again = lightgbm.Booster(model_str=validate(booster.model_to_string(), 5, "t", names))
        for kind in ({"raw_score": True}, {"pred_leaf": True}, {"pred_contrib": True}):
            assert np.array_equal(booster.predict(table, **kind), again.predict(table, **kind))
        alone = [again.predict(table[i : i + 1], raw_score=True)[0] for i in range(300)]
        assert alone == booster.predict(table[:300], raw_score=True).tolist()
        assert again.feature_name() == list(names)
        for kind in ("split", "gain"):
            assert np.array_equal(booster.feature_importance(kind), again.feature_importance(kind))


def test_a_split_between_present_and_missing():
    # LightGBM writes threshold=inf for it.
    table = np.full((200, 1), np.nan)
    table[::2, 0] = np.arange(100) / 100
    label = np.isnan(table[:, 0]).astype(int)
    settings = {"objective": "binary", "verbosity": -1, "num_threads": 1, "min_data_in_bin": 1}
    booster = lightgbm.train(settings, lightgbm.Dataset(table, label), 3)
    text = booster.model_to_string()
    new = validate(text, 1, "t")
    assert "threshold=inf" in text and "threshold=inf" in new
    assert np.array_equal(raw(new, table), booster.predict(table, raw_score=True))
    assert (raw(new, table) > 0).tolist() == np.isnan(table[:, 0]).tolist()


def test_feature_names():
    assert "feature_names=cosine ratio\n" in validate(TEXT, 2, "t", ["cosine", "ratio"])
    unnamed = TEXT.replace("=cosine ratio", "=Column_0 Column_1")
    assert "feature_names=a b\n" in validate(unnamed, 2, "t", ["a", "b"])
    with pytest.raises(
        ModelError, match=r"t, feature_names: other features than the model's\. Allowed: ratio cosine\."
    ):
        validate(TEXT, 2, "t", ["ratio", "cosine"])


CASES = [
    # header
    ("tree\nversion", "forest\nversion", "no LightGBM model text"),
    ("version=v4", "version=v3", "t, version: not a model that dxmatch scores with. Allowed: 'v4'. Got: 'v3'."),
    ("num_class=1", "num_class=3", "t, num_class: not a model"),
    ("num_tree_per_iteration=1", "num_tree_per_iteration=0", "t, num_tree_per_iteration: not a model"),
    ("max_feature_idx=1", "max_feature_idx=2147483647", "t, max_feature_idx: not a model"),
    (
        "binary sigmoid:1",
        "regression",
        "t, objective: not a model that dxmatch scores with. Allowed: 'binary sigmoid:1'",
    ),
    ("label_index=0\n", "", "t: no line 'label_index'"),
    ("label_index=0\n", "label_index=0\nlabel_index=0\n", "t: two lines 'label_index'"),
    ("label_index=0\n", "label_index=0\naverage_output\n", "t: unknown line"),
    ("feature_names=cosine ratio", "feature_names=cosine", "t, feature_names: wrong number of entries. Allowed: 2."),
    ("feature_names=cosine ratio", "feature_names=cosine cosine", "t, feature_names: not usable"),
    ("feature_names=cosine ratio", "feature_names=cosine r\x1b[0m", "characters that are in no LightGBM model"),
    ("feature_names=cosine ratio", "feature_names=cosine rätio", "characters that are in no LightGBM model"),
    ("feature_infos=[0:1] [0:1]", "feature_infos=[0:1]", "t, feature_infos: wrong number of entries"),
    # trees
    ("Tree=1", "Tree=2", "t, tree 1: no start of a tree where one must be. Allowed: 'Tree=1'"),
    ("Tree=0\n", "Tree=0\n\n", "t, tree 0: no line"),
    (TREE_0 + TREE_1, "\n", "t: wrong number of trees. Allowed: 1 to 20,000. Got: 0."),
    ("num_leaves=3", "num_leaves=0", "t, tree 0, num_leaves: out of range. Allowed: 1 to 4,096. Got: 0."),
    ("num_leaves=3", "num_leaves=2000000000", "t, tree 0, num_leaves: out of range"),
    ("num_leaves=3", "num_leaves=" + "9" * 5000, "t, tree 0, num_leaves: not a number"),
    ("left_child=1 -1", "left_child=1 " + "9" * 400, "t, tree 0: the children do not make a tree"),
    ("num_leaves=3", "num_leaves=4", "t, tree 0, split_feature: 2 entries. Allowed: 3 whole numbers"),
    ("num_cat=0\nsplit_feature=0", "num_cat=1\nsplit_feature=0", "t, tree 0, num_cat: out of range"),
    ("is_linear=0\nshrinkage=1\n", "is_linear=1\nshrinkage=1\n", "t, tree 0, is_linear: out of range"),
    ("shrinkage=1\n\n", "shrinkage=1\nleaf_const=0 0 0\n\n", "t, tree 0: unknown line"),
    ("split_feature=0 1", "split_feature=0 2", "t, tree 0, split_feature: out of range. Allowed: 0 to 1. Got: 2."),
    ("split_feature=0 1", "split_feature=0 -1", "t, tree 0, split_feature: out of range"),
    ("split_feature=0 1", "split_feature=0 1_0", "t, tree 0, split_feature: not a number"),
    ("split_feature=0 1", "split_feature=0  1", "t, tree 0, split_feature: 3 entries"),
    ("split_feature=0 1", "split_feature=0 1.0", "t, tree 0, split_feature: not a number"),
    ("threshold=0.5 0.25", "threshold=0.5 nan", "t, tree 0, threshold: not a number. Allowed: 2 finite numbers"),
    ("threshold=0.5 0.25", "threshold=0.5 -inf", "t, tree 0, threshold: not a number"),
    ("threshold=0.5 0.25", "threshold=0.5 infinity", "t, tree 0, threshold: not a number"),
    ("threshold=0.5 0.25", "threshold=0.5 1e999", "t, tree 0, threshold: a number that is not finite"),
    ("threshold=0.5 0.25", "threshold=0.5 1e", "t, tree 0, threshold: not a number"),
    ("threshold=0.5 0.25", "threshold=0.5", "t, tree 0, threshold: 1 entries"),
    ("threshold=0.5 0.25\n", "", "t, tree 0: no line 'threshold'"),
    ("decision_type=10 8", "decision_type=10 9", "t, tree 0, decision_type: no numerical split"),
    ("decision_type=10 8", "decision_type=10 12", "t, tree 0, decision_type: no numerical split"),
    ("left_child=1 -1", "left_child=0 -1", "t, tree 0: the children do not make a tree"),
    ("left_child=1 -1", "left_child=1 1", "t, tree 0: the children do not make a tree"),
    ("left_child=1 -1", "left_child=1 -4", "t, tree 0: the children do not make a tree"),
    ("left_child=1 -1", "left_child=-1 1", "t, tree 0: a child before its parent. Allowed: a number above 1. Got: 1."),
    ("left_child=1 -1", "left_child=1 -2147483648", "t, tree 0: the children do not make a tree"),
    ("leaf_value=1 -4 2", "leaf_value=1 -4 inf", "t, tree 0, leaf_value: not a number"),
    ("leaf_value=1 -4 2", "leaf_value=1 -4 1e7", "t, tree 0, leaf_value: out of range"),
    ("leaf_value=0.125", "leaf_value=", "t, tree 1, leaf_value: 0 entries"),
    ("leaf_count=10 20 30", "leaf_count=10 20 -30", "t, tree 0, leaf_count: out of range"),
    ("leaf_count=10 20 30", "leaf_count=10 20 2147483648", "t, tree 0, leaf_count: out of range"),
    ("internal_value=0 1", "internal_value=0 nan", "t, tree 0, internal_value: not a number"),
    ("leaf_weight=1.5 2.5 3.5", "leaf_weight=", "t, tree 0, leaf_weight: 0 entries"),
    ("shrinkage=0.1", "shrinkage=nan", "t, tree 1, shrinkage: not a number"),
    # the end
    ("end of trees", "end of", "t: cut off. Allowed: a LightGBM model text up to its line 'end of trees'"),
    ("pandas_categorical:null", "pandas_categorical:[[1]]", "t: unexpected text after 'end of trees'"),
    ("end of trees\n", "end of trees\n" + TREE_0, "t: unexpected text after 'end of trees'"),
    ("end of trees\n", "end of trees\r\n", "t: characters that are in no LightGBM model"),
]


@pytest.mark.parametrize(("old", "new", "message"), CASES, ids=[c[2][:60] for c in CASES])
def test_what_is_refused(old, new, message):
    assert TEXT.count(old) >= 1
    with pytest.raises(ModelError, match=re.escape(message)):
        validate(TEXT.replace(old, new, 1), 2, "t")


def test_every_cut_is_refused():
    text = validate(TEXT, 2, "t")
    for length in range(len(text)):
        with pytest.raises(ModelError):
            validate(text[:length], 2, "t")


def test_a_chain_deeper_than_the_limit(monkeypatch):
    validate(TEXT, 2, "t")
    monkeypatch.setattr(trees, "MAX_DEPTH", 1)
    with pytest.raises(ModelError, match="t, tree 0: too deep"):
        validate(TEXT, 2, "t")


def test_longer_than_the_limit(monkeypatch):
    monkeypatch.setattr(trees, "MAX_CHARACTERS", 100)
    with pytest.raises(ModelError, match="t: too long. Allowed: at most 100 characters"):
        validate(TEXT, 2, "t")
