"""A model written once and kept: every later release loads it and scores the same. It is never written anew."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

import dxmatch
from dxmatch.models.folder import load
from dxmatch.models.manifest import SHAPE_FEATURES, warn_of_other_releases

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


def test_another_release_than_at_training_is_told(recwarn) -> None:
    library = SHAPE_FEATURES[0]
    warn_of_other_releases("mine", {library: version(library), "numpy": "0"})
    assert not recwarn.list
    with pytest.warns(UserWarning, match=rf"^Model mine: .*{library} .* \(trained with 0\)"):
        warn_of_other_releases("mine", {library: "0"})


SLOW = {"pyarrow", "narwhals", "lightgbm", "pandas", "torch", "sklearn", "simple_icd_10_cm"}


def test_a_pair_is_matched_without_what_is_slow_to_import() -> None:
    """Nor is a tree of codes parsed again that is in the cache."""
    code = f'import sys, dxmatch; dxmatch.load().match("heart attack", "acute MI"); print({SLOW} & set(sys.modules))'
    dxmatch.load().match("heart attack", "acute MI")
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "set()\n"
