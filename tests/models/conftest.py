"""A small real model: LightGBM trained here, with missing values, a lone leaf and splits on "is missing"."""

from __future__ import annotations

import numpy as np
import pytest

from dxmatch.features.encoders.static import Shape, StaticEncoder
from dxmatch.models.calibration import Sigmoid
from dxmatch.models.folder import ModelFolder, save
from dxmatch.models.manifest import Manifest

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


@pytest.fixture(scope="session")
def sample():
    return _sample


@pytest.fixture(scope="session")
def boosters():
    lone_leaf = {"min_data_in_leaf": 399, "boost_from_average": True}
    return [
        _train(1, monotone_constraints=[0, 1, 0, 0, -1]),
        _train(2, boosting="dart"),
        _train(3, rounds=1, **lone_leaf),
    ]


@pytest.fixture(scope="session")
def manifest() -> Manifest:
    return Manifest(
        name="small",
        created="2025-01-31",
        dxmatch="0.1.0",
        feature_names=FEATURES,
        feature_set={"name": "small", "feature": [{"name": name} for name in FEATURES]},
        normalizer={"version": "1", "language": "en", "abbreviations": {"NASH": "nonalcoholic steatohepatitis"}},
        calibration=Sigmoid(1.25, -0.5),
        threshold=0.5,
        threshold_rule="the least threshold of the highest F1 out of fold",
        encoders={},
        libraries={"lightgbm": "4.7.0"},
        data={"sha256": "0" * 64, "rows": 400, "groups": 40, "columns": ["a", "b"]},
        metrics={"average_precision": {"value": 0.75, "low": None}, "café": [1, 2.5, True]},
    )


@pytest.fixture(scope="session")
def parts(manifest, boosters) -> ModelFolder:
    """Two members of some trees and one of a lone leaf, a small encoder, a card."""
    vectors = np.random.default_rng(5).normal(size=(64, 8)).astype(np.float32)
    encoder = StaticEncoder.quantized(Shape(buckets=64, word_buckets=16, dimensions=8), vectors).files()
    return ModelFolder(manifest, tuple(b.model_to_string() for b in boosters), encoder, "# small\n\nFor tests.\n")


@pytest.fixture
def folder(parts, tmp_path):
    return save(tmp_path / "model", parts)
