from __future__ import annotations

import numpy as np
import pytest

from dxmatch.training.engines import lightgbm_engine
from dxmatch.training.engines.fitted import Rows

CANDIDATES = ({"num_leaves": 4, "min_data_in_leaf": 5}, {"num_leaves": 15, "min_data_in_leaf": 5})


def chosen() -> dict[str, float]:
    rng = np.random.default_rng(0)
    table = rng.random((400, 3)).astype(np.float32)
    label = ((table[:, 0] > 0.5) ^ (table[:, 1] > 0.5)).astype(np.int8)  # what few splits do not see
    rows = Rows(table, label, np.ones(400), np.arange(400) % 4, [0, 0, 0])
    return dict(lightgbm_engine.fit(rows, candidates=CANDIDATES).facts["chosen"])


def splits(of: dict[str, float]) -> float:
    return of["rounds"] * (of["num_leaves"] - 1)


def test_the_fewest_splits_within_the_tolerance_of_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lightgbm_engine, "MAX_ROUNDS", 100)
    monkeypatch.setattr(lightgbm_engine, "TOLERANCE", 0.0)
    best = chosen()
    monkeypatch.setattr(lightgbm_engine, "TOLERANCE", 0.02)
    near = chosen()
    assert near["out_of_fold_average_precision"] >= best["out_of_fold_average_precision"] - 0.02
    assert splits(near) < splits(best)
    monkeypatch.setattr(lightgbm_engine, "TOLERANCE", 1.0)
    assert chosen()["rounds"] == lightgbm_engine.STEP and chosen()["num_leaves"] == 4
