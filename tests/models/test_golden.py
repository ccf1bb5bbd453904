"""A model written once and kept: every later release loads it and scores the same. It is never written anew."""

from __future__ import annotations

import json
from pathlib import Path

import lightgbm
import numpy as np
import pytest

from dxmatch.models.ensemble import MEAN_RAW, Members
from dxmatch.models.folder import load

GOLDEN = Path(__file__).parent / "golden"


def test_same_scores_as_when_it_was_written():
    model = load(GOLDEN / "model")
    rows = json.loads((GOLDEN / "scores.json").read_text())
    table = np.array([row["features"] for row in rows], dtype=np.float32)
    assert np.isnan(table).any() and len(rows) == 40
    boosters = [lightgbm.Booster(model_str=text) for text in model.trees]
    raw = sum(booster.predict(table, raw_score=True, num_threads=1) for booster in boosters) / len(boosters)
    assert raw.tolist() == [row["raw"] for row in rows]
    assert MEAN_RAW(Members(model.trees)(table)).tolist() == raw.tolist()
    # The exponential is the C library's, which may differ in its last bit.
    assert model.manifest.calibration(raw).tolist() == pytest.approx([row["probability"] for row in rows], rel=1e-14)
