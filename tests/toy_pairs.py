"""Labelled pairs that strings can tell apart, and a training of a moment: fixtures for the tests of training and labelling."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dxmatch.training.engines import lightgbm_engine

SET = """
[[feature]]
name = "ratio_unigram"
kind = "ratio"
view = "unigram"
[[feature]]
name = "levenshtein"
kind = "levenshtein"
"""


@pytest.fixture(scope="session")
def strings_only(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A feature set of two string measures: nothing is opened or encoded, so a training takes a moment."""
    path = tmp_path_factory.mktemp("set") / "strings.toml"
    path.write_text(SET)
    return path


@pytest.fixture
def few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Boosters of 40 rounds."""
    monkeypatch.setattr(lightgbm_engine, "MAX_ROUNDS", 40)


@pytest.fixture(scope="session")
def toy_rows() -> pd.DataFrame:
    """300 pairs of 30 references that strings can tell apart, one in ten with the other label; 40 % are matches."""
    rng = np.random.default_rng(0)
    rows = []
    for i in range(30):
        reference = f"disease{chr(97 + i % 26)}{i} of organ{i * 7 % 11}"
        for j in range(10):
            same = j < 4
            other = (
                f"{('chronic', 'acute', 'mild', 'severe')[j]} {reference}" if same else f"illness{i * 10 + j} site{j}"
            )
            rows.append((reference, other, int(same != (rng.random() < 0.1))))
    return pd.DataFrame(rows, columns=["a", "b", "label"])


@pytest.fixture
def toy_pairs(toy_rows: pd.DataFrame) -> pd.DataFrame:
    return toy_rows.copy()
