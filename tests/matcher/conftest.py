"""No network for the tests beside this file; a model of one's own."""

from pathlib import Path

import pandas as pd
import pytest

import dxmatch

from ..blocked_network import no_network  # noqa: F401
from ..hub_server import hub  # noqa: F401
from ..toy_pairs import *  # noqa: F403


@pytest.fixture(scope="session")
def own(toy_rows: pd.DataFrame, strings_only: Path) -> dxmatch.MatchFunction:
    """A model of one's own, on two string measures: it has no encoder and opens nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dxmatch.training.engines.lightgbm_engine.MAX_ROUNDS", 40)
        labels, split = dxmatch.LabelRules(abbreviations={"XQZ": "mild flu"}), dxmatch.Split(test_share=0)
        return dxmatch.train(toy_rows, features=strings_only, labels=labels, about=dxmatch.About(name="own"), split=split)  # fmt: skip
