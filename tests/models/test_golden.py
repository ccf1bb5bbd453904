"""A model written once and kept: every later release loads it and scores the same. It is never written anew."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dxmatch.models.folder import load

GOLDEN = Path(__file__).parent / "golden"


def test_same_scores_as_when_it_was_written():
    model = load(GOLDEN / "model")
    rows = json.loads((GOLDEN / "scores.json").read_text())
    table = np.array([row["features"] for row in rows], dtype=np.float32)
    assert np.isnan(table).any() and len(rows) == 40
    raw = model.trees.raw(table)
    assert raw.tolist() == [row["raw"] for row in rows]
    # The exponential is the C library's, which may differ in its last bit.
    expected = [row["probability"] for row in rows]
    assert model.manifest.decision.calibration(raw).tolist() == pytest.approx(expected, rel=1e-14)
