"""A small real model: LightGBM trained here, with missing values, a lone leaf and splits on "is missing"."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import pytest

from dxmatch.models.ensemble import Sigmoid, TreeEnsemble
from dxmatch.models.folder import ModelFolder, save
from dxmatch.models.manifest import Column, Decision, Made, Manifest
from dxmatch.recipe.encoder.quantize import quantized
from dxmatch.terms.encoders.static import Shape
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.training.engines.fitted import trees_of

FEATURES = ("icd_nearest", "cosine_static", "ratio_unigram", "ratio_stem", "levenshtein")
DECISION_TYPES = (2, 8, 10)
"""LightGBM's, of `TreeEnsemble.missing` 0, 2, 1: NaN counts as 0, goes right, goes left."""


def _sample(rows: int, seed: int = 0) -> np.ndarray:
    """float32[rows, 5] in [0, 1], a fifth of it NaN."""
    random = np.random.default_rng(seed)
    table = random.random((rows, len(FEATURES))).astype(np.float32)
    table[random.random(table.shape) < 0.2] = np.nan
    return table


def _train(seed: int, rounds: int = 12, **parameters: object) -> lightgbm.Booster:
    table = _sample(400, seed)
    label = (np.nan_to_num(table[:, 1], nan=0.9) + 0.3 * np.nan_to_num(table[:, 4]) > 0.7).astype(int)
    data = lightgbm.Dataset(table, label, feature_name=list(FEATURES))
    settings = {"objective": "binary", "num_leaves": 7, "verbosity": -1, "num_threads": 1, "seed": seed, **parameters}
    return lightgbm.train(settings, data, num_boost_round=rounds)


@pytest.fixture(scope="session")
def boosters():
    lone_leaf = _train(3, rounds=1, min_data_in_leaf=399, boost_from_average=True)
    return [_train(1, monotone_constraints=[0, 1, 0, 0, -1]), _train(2, boosting="dart"), lone_leaf]


def small_manifest(names: Sequence[str] = FEATURES, **change: Any) -> Manifest:
    facts = {
        "name": "small",
        "made": Made("2025-01-31", "0.1.0", {"lightgbm": "4.7.0"}),
        "features": tuple(map(Column, names)),
        "feature_set": {"name": "small", "feature": [{"name": name} for name in names]},
        "normalizer": {"version": "2", "language": "en", "abbreviations": {"NASH": "nonalcoholic steatohepatitis"}},
        "encoders": {},
        "decision": Decision(Sigmoid(1.25, -0.5), 0.5, "the least threshold of the highest F1 out of fold"),
        "data": {"sha256": "0" * 64, "rows": 400, "groups": 40, "columns": ["a", "b"]},
        "metrics": {"average_precision": {"value": 0.75, "low": None}, "café": [1, 2.5, True]},
    }
    return Manifest(**facts | change)


@pytest.fixture(scope="session")
def parts(boosters) -> ModelFolder:
    """Two members of some trees and one of a lone leaf, a small encoder, a card."""
    vectors = np.random.default_rng(5).normal(size=(64, 8)).astype(np.float32)
    encoder = quantized(Shape(buckets=64, word_buckets=16, dimensions=8), vectors).arrays()
    return ModelFolder(small_manifest(), trees_of(boosters), encoder=encoder, card="# small\n\nFor tests.\n")


@pytest.fixture
def folder(parts, tmp_path):
    return save(tmp_path / "model", parts)


def fitted(folder: Path, **change: Any) -> Path:
    """Makes the hashes of model.json fit the other files, after `change` of its top-level keys."""
    facts = json.loads((folder / "model.json").read_text("utf-8")) | change
    facts["files"] = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in facts["files"]}
    (folder / "model.json").write_text(json.dumps(facts), "utf-8")
    return folder


STRINGS = [
    {"name": "levenshtein", "kind": "levenshtein"}, {"name": "ratio_unigram", "kind": "ratio", "view": "unigram"},
    {"name": "ratio_bigram", "kind": "ratio", "view": "bigram"}, {"name": "contrast", "kind": "contrast"},
]  # fmt: skip
"""Four cheap columns; bigrams are missing for names of one word."""


def model_of(folder: Path, columns: Sequence[Mapping[str, str]] = STRINGS, **facts: Any) -> Path:
    """The folder of a small model of these columns: two members that look at the first two. facts : further ones of its feature set."""
    random, names = np.random.default_rng(3), [column["name"] for column in columns]
    table = random.random((600, len(names))).astype(np.float32)
    table[random.random(table.shape) < 0.1] = np.nan
    label = (np.nan_to_num(table[:, 0], nan=0.5) - np.nan_to_num(table[:, 1], nan=0.5) < 0.1).astype(int)
    data = lightgbm.Dataset(table, label, feature_name=names)
    settings = {"objective": "binary", "num_leaves": 7, "verbosity": -1, "num_threads": 1}
    trees = trees_of([lightgbm.train({**settings, "seed": seed}, data, num_boost_round=20) for seed in (1, 2)])
    manifest = small_manifest(
        names, name=folder.name, feature_set={"name": folder.name, "language": "en", "feature": columns, **facts},
        normalizer=Normalizer().spec(), decision=Decision(Sigmoid(1.0, 0.0), 0.5, "half"), made=Made("2025-01-31", "0.1.0", {}),
    )  # fmt: skip
    return save(folder, ModelFolder(manifest, trees))


ODD_THRESHOLDS = (
    0.0, 1e-30, -1e-30, 0.1, 0.5, 0.30000001192092896, -0.5, 1.0, 255.0, 3.4028235677973366e38, 1e300, -1e300, 1e39, float("inf"),
)  # fmt: skip


def _grown(random: np.random.Generator, leaves: int, features: int) -> dict[str, list]:
    """A tree as LightGBM numbers it: a random leaf is split, time and again. Each leaf holds 1 to 50 training rows."""
    left, right = [], []
    parent_of: dict[int, tuple[list, int]] = {}
    for split in range(leaves - 1):
        leaf = int(random.integers(split + 1)) if split else 0
        if leaf in parent_of:
            side, at = parent_of[leaf]
            side[at] = split
        left.append(~leaf)
        right.append(~(split + 1))
        parent_of[leaf], parent_of[split + 1] = (left, split), (right, split)
    count = random.integers(1, 51, leaves).tolist()
    common = random.choice([*ODD_THRESHOLDS, *random.random(12).tolist()], leaves - 1)
    scale = 10.0 ** random.choice([0, -3, -38, 3], leaves)
    return {
        "split_feature": random.integers(0, features, leaves - 1).tolist(),
        "threshold": np.where(random.random(leaves - 1) < 0.5, common, random.normal(0.4, 0.5, leaves - 1)).tolist(),
        "decision_type": random.choice(DECISION_TYPES, leaves - 1).tolist(),
        "left_child": left,
        "right_child": right,
        "leaf_value": (random.normal(0, 1, leaves) * scale).tolist(),
        "leaf_count": count,
    }


def booster_of(trees: Sequence[Mapping[str, Sequence[float]]], n_features: int) -> lightgbm.Booster:
    """Trees as LightGBM reads them."""
    names = [f"x{f}" for f in range(n_features)]
    text = (
        "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\n"
        f"max_feature_idx={len(names) - 1}\nobjective=binary sigmoid:1\n"
        f"feature_names={' '.join(names)}\nfeature_infos={' '.join(['none'] * len(names))}\n"
    )
    for number, tree in enumerate(trees):
        left, right, count = tree["left_child"], tree["right_child"], tree["leaf_count"]
        inside = [0] * len(left)
        for split in range(len(left) - 1, -1, -1):
            inside[split] = sum(inside[c] if c >= 0 else count[~c] for c in (left[split], right[split]))
        text += f"\nTree={number}\nnum_leaves={len(count)}\nnum_cat=0\nis_linear=0\nshrinkage=1.0\n"
        text += "".join(
            f"{key}={' '.join(map(repr, values))}\n" for key, values in {**tree, "internal_count": inside}.items()
        )
    return lightgbm.Booster(model_str=text + "\n\nend of trees\n")


def boosters_of(trees: TreeEnsemble) -> list[lightgbm.Booster]:
    """The members of an ensemble, for LightGBM to say what they give."""
    found = []
    for first, end in pairwise(trees.first_tree.tolist()):
        each = []
        for tree in range(first, end):
            splits = slice(*trees.first_split[tree : tree + 2].tolist())
            leaves = slice(splits.start + tree, splits.stop + tree + 1)
            kinds = [(2, 10, 8)[way] for way in trees.missing[splits]]
            each.append({
                "split_feature": trees.feature[splits].tolist(), "threshold": trees.threshold[splits].tolist(), "decision_type": kinds,
                "left_child": trees.left[splits].tolist(), "right_child": trees.right[splits].tolist(),
                "leaf_value": trees.leaf_value[leaves].tolist(), "leaf_count": trees.leaf_count[leaves].tolist(),
            })  # fmt: skip
        found.append(booster_of(each, trees.n_features))
    return found


@pytest.fixture(scope="session")
def random_trees():
    """Makes a member: trees of at most so many leaves (a lone leaf and a stump among them) over odd thresholds."""

    def make(seed: int, trees: int, most_leaves: int, features: int) -> lightgbm.Booster:
        random = np.random.default_rng(seed)
        sizes = [1, 2, most_leaves, *random.integers(1, most_leaves + 1, max(trees - 3, 0)).tolist()][-trees:]
        return booster_of([_grown(random, leaves, features) for leaves in sizes], features)

    return make


@pytest.fixture(scope="session")
def odd_rows():
    """Rows of float32 about the odd thresholds: on them, beside them, missing."""

    def make(seed: int, rows: int, features: int) -> np.ndarray:
        random = np.random.default_rng(seed)
        with np.errstate(over="ignore"):
            edges = np.array(ODD_THRESHOLDS, np.float32)
        edges = edges[np.isfinite(edges) & (edges != 0)]
        beside = [np.nextafter(edges, np.float32(side)) for side in (np.inf, -np.inf)]
        odd = np.concatenate([edges, *beside, np.array([0, np.nan, np.nan, np.nan], np.float32)])
        table = random.normal(0.4, 0.5, (rows, features)).astype(np.float32)
        table = np.where(random.random(table.shape) < 0.6, random.choice(odd, table.shape), table)
        return np.where(np.isinf(table), np.float32(1), table)

    return make
