"""A match function of four features, and a suggestion of six pairs for two experts."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from dxmatch import MatchFunction, Suggestion, load

from ..small_model import model_of
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
def matcher(tmp_path_factory: pytest.TempPathFactory) -> MatchFunction:
    return load(model_of(tmp_path_factory.mktemp("model") / "small"))
