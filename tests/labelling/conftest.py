"""A match function of three features, and a suggestion of six pairs for two experts."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from dxmatch.labelling.suggestion import Suggestion
from dxmatch.matcher.match_function import MatchFunction
from dxmatch.training.engines import lightgbm_engine
from dxmatch.training.options import LabelRules, Split
from dxmatch.training.train import train

from ..toy_pairs import *  # noqa: F403

KEY = {
    "row": [2, 3, 5, 8, 13, 21],
    "a": ["heart attack", "=1+1 syndrome", "flu", "gout", "asthma", "sepsis"],
    "b": ["acute MI", "café-au-lait spots", "influenza", "-ve arthritis", "COPD", "septic\nshock"],
    "chosen": ["random", "uncertain", "random", "uncertain", "random", "random"],
    "probability": [0.9, 0.5, 0.8, 0.4, 0.1, 0.2],
}


@pytest.fixture
def suggestion() -> Suggestion:
    return Suggestion(pa.table(KEY), ("anna", "ben"), {"seed": 0})


@pytest.fixture
def folder(suggestion: Suggestion, tmp_path: Path) -> Path:
    return suggestion.save(tmp_path / "round")


@pytest.fixture(scope="session")
def matcher(toy_rows: pd.DataFrame, strings_only: Path) -> MatchFunction:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lightgbm_engine, "MAX_ROUNDS", 40)
        return train(
            toy_rows.copy(),
            features=strings_only,
            split=Split(test_share=0, folds=2),
            labels=LabelRules(contained="set-aside"),
        )
