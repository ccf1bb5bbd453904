"""A small real model: LightGBM trained here, with missing values, a lone leaf and splits on "is missing"."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from dxmatch.models.calibration import Sigmoid
from dxmatch.models.folder import ModelFolder, save
from dxmatch.models.manifest import Manifest
from dxmatch.terms.encoders.static import Shape, StaticEncoder

FEATURES = ("icd_nearest", "cosine_static", "ratio_unigram", "ratio_stem", "levenshtein")


def _sample(rows: int, seed: int = 0) -> np.ndarray:
    """float32[rows, 5] in [0, 1], a fifth of it NaN."""
    random = np.random.default_rng(seed)
    table = random.random((rows, len(FEATURES))).astype(np.float32)
    table[random.random(table.shape) < 0.2] = np.nan
    return table


def _train(seed: int, rounds: int = 12, **parameters: object):
    import lightgbm

    table = _sample(400, seed)
    label = (np.nan_to_num(table[:, 1], nan=0.9) + 0.3 * np.nan_to_num(table[:, 4]) > 0.7).astype(int)
    data = lightgbm.Dataset(table, label, feature_name=list(FEATURES))
    settings = {"objective": "binary", "num_leaves": 7, "verbosity": -1, "num_threads": 1, "seed": seed, **parameters}
    return lightgbm.train(settings, data, num_boost_round=rounds)


def signed(content: bytes) -> bytes:
    """The bytes of a model.json with its own hash made to fit, where it has one."""
    before, key, after = content.rpartition(b'"sha256": "')
    if not key or len(after) < 64:
        return content
    digest = hashlib.sha256(before + key + b"0" * 64 + after[64:]).hexdigest()
    return before + key + digest.encode() + after[64:]


@pytest.fixture(scope="session")
def sample():
    return _sample


@pytest.fixture(scope="session")
def boosters():
    lone_leaf = _train(3, rounds=1, min_data_in_leaf=399, boost_from_average=True)
    return [_train(1, monotone_constraints=[0, 1, 0, 0, -1]), _train(2, boosting="dart"), lone_leaf]


def small_manifest(**change: Any) -> Manifest:
    facts = {
        "name": "small",
        "created": "2025-01-31",
        "dxmatch": "0.1.0",
        "feature_names": FEATURES,
        "feature_set": {"name": "small", "feature": [{"name": name} for name in FEATURES]},
        "normalizer": {"version": "1", "language": "en", "abbreviations": {"NASH": "nonalcoholic steatohepatitis"}},
        "calibration": Sigmoid(1.25, -0.5),
        "threshold": 0.5,
        "threshold_rule": "the least threshold of the highest F1 out of fold",
        "encoders": {},
        "libraries": {"lightgbm": "4.7.0"},
        "data": {"sha256": "0" * 64, "rows": 400, "groups": 40, "columns": ["a", "b"]},
        "metrics": {"average_precision": {"value": 0.75, "low": None}, "café": [1, 2.5, True]},
    }
    return Manifest(**facts | change)


@pytest.fixture(scope="session")
def manifest() -> Manifest:
    return small_manifest()


@pytest.fixture(scope="session")
def parts(manifest, boosters) -> ModelFolder:
    """Two members of some trees and one of a lone leaf, a small encoder, a card."""
    vectors = np.random.default_rng(5).normal(size=(64, 8)).astype(np.float32)
    encoder = StaticEncoder.quantized(Shape(buckets=64, word_buckets=16, dimensions=8), vectors).files()
    return ModelFolder(manifest, tuple(b.model_to_string() for b in boosters), encoder, "# small\n\nFor tests.\n")


@pytest.fixture
def folder(parts, tmp_path):
    return save(tmp_path / "model", parts)


ODD_THRESHOLDS = (
    0.0, -0.0, 1e-35, 1.0000000180025095e-35, -1e-35, 1e-36, 1e-38, 1e-45, 4e-46, 0.1, 0.5, 0.30000001192092896, -0.5, 1.0, 255.0,
    3.4028234663852886e38, 3.4028235677973366e38, 1e300, -1e300, 1e39, float("inf"),
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
    inside = [0] * (leaves - 1)
    for split in range(leaves - 2, -1, -1):
        inside[split] = sum(inside[c] if c >= 0 else count[~c] for c in (left[split], right[split]))
    common = random.choice([*ODD_THRESHOLDS, *random.random(12).tolist()], leaves - 1)
    scale = 10.0 ** random.choice([0, -3, -38, 3], leaves)
    return {
        "split_feature": random.integers(0, features, leaves - 1).tolist(),
        "threshold": np.where(random.random(leaves - 1) < 0.5, common, random.normal(0.4, 0.5, leaves - 1)).tolist(),
        "decision_type": random.choice([0, 2, 4, 6, 8, 10], leaves - 1).tolist(),
        "left_child": left,
        "right_child": right,
        "leaf_value": (random.normal(0, 1, leaves) * scale).tolist(),
        "leaf_count": count,
        "internal_count": inside,
    }


def text_of(trees: list[dict[str, list]], names: Sequence[str]) -> str:
    """Trees in LightGBM's format."""
    text = (
        "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\n"
        f"max_feature_idx={len(names) - 1}\nobjective=binary sigmoid:1\n"
        f"feature_names={' '.join(names)}\nfeature_infos={' '.join(['none'] * len(names))}\n"
    )
    for number, tree in enumerate(trees):
        text += f"\nTree={number}\nnum_leaves={len(tree['leaf_value'])}\nnum_cat=0\nis_linear=0\nshrinkage=1.0\n"
        text += "".join(f"{key}={' '.join(map(repr, values))}\n" for key, values in tree.items())
    return text + "\n\nend of trees\n"


@pytest.fixture(scope="session")
def random_trees():
    """Makes the text of a member: trees of at most so many leaves (a lone leaf and a stump among them) over odd thresholds."""

    def make(seed: int, trees: int, most_leaves: int, features: int) -> str:
        random = np.random.default_rng(seed)
        sizes = [1, 2, most_leaves, *random.integers(1, most_leaves + 1, max(trees - 3, 0)).tolist()][-trees:]
        return text_of([_grown(random, leaves, features) for leaves in sizes], [f"x{f}" for f in range(features)])

    return make


@pytest.fixture(scope="session")
def odd_rows():
    """Rows of float32 about the odd thresholds: on them, beside them, missing, infinite, near zero."""

    def make(seed: int, rows: int, features: int) -> np.ndarray:
        random = np.random.default_rng(seed)
        with np.errstate(over="ignore"):
            edges = np.array([*ODD_THRESHOLDS, 1e-36, -1e-36, 1.1e-35], np.float32)
            beside = np.nextafter(edges, np.float32(np.inf)), np.nextafter(edges, np.float32(-np.inf))
        odd = np.concatenate([edges, *beside, np.array([np.nan, np.nan, np.nan, -np.inf], np.float32)])
        table = random.normal(0.4, 0.5, (rows, features)).astype(np.float32)
        return np.where(random.random(table.shape) < 0.6, random.choice(odd, table.shape), table)

    return make
