"""Features that say nearly the same: which goes, and that M is trained, saved and loaded without it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch.errors import OptionError
from dxmatch.features.feature_set import FeatureSet
from dxmatch.training.card import data_words
from dxmatch.training.engines import lightgbm_engine
from dxmatch.training.engines.lightgbm_engine import LightGBM
from dxmatch.training.options import Split
from dxmatch.training.statistics.correlation import correlated, dropped_words
from dxmatch.training.train import train

VIEWS = FeatureSet.from_dict(
    {
        "feature": [
            {"name": "worse", "kind": "ratio", "view": "stem"},
            {"name": "better", "kind": "ratio", "view": "unigram"},
            {"name": "turned", "kind": "levenshtein"},
            {"name": "other", "kind": "ratio", "view": "lemma"},
            {"name": "decides", "kind": "exclusion"},
        ]
    }
)


def table() -> tuple[np.ndarray, np.ndarray]:
    """`better` is best; `worse` is the same with noise, `turned` the same with its sign turned, `other` is independent."""
    random = np.random.default_rng(0)
    label = random.integers(0, 2, 400).astype(np.int8)
    better = np.clip(0.5 + 0.25 * (label - 0.5) + 0.12 * random.standard_normal(400), 0, 1)
    worse = np.clip(better + 0.03 * random.standard_normal(400), 0, 1)
    columns = [
        worse,
        better,
        1 - np.clip(better + 0.02 * random.standard_normal(400), 0, 1),
        random.random(400),
        1.0 * (better > 0.5),
    ]
    return np.stack(columns, axis=1).astype(np.float32), label


def test_the_less_important_goes() -> None:
    gone = correlated(*table(), VIEWS, 0.9)
    assert [(one["feature"], one["like"]) for one in gone] == [("worse", "better"), ("turned", "better")]
    assert gone[0]["rho"] > 0.9 and gone[1]["rho"] < -0.9


def test_a_few_pairs_that_know_both_are_no_evidence() -> None:
    values, label = table()
    values[15:, 0] = np.nan
    assert [one["feature"] for one in correlated(values, label, VIEWS, 0.9)] == ["turned"]


@pytest.mark.parametrize("limit", [0, -0.5, 1.01, float("nan")])
def test_refused(limit: float) -> None:
    with pytest.raises(OptionError, match="'drop_correlated' parameter must be a number from 0.01 to 1"):
        LightGBM(drop_correlated=limit)


def test_trained_saved_and_loaded_without_it(
    toy_pairs: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words, stems and dictionary forms of these pairs are nearly the same; one of them stays."""
    monkeypatch.setattr(lightgbm_engine, "MAX_ROUNDS", 40)
    views = ("unigram", "stem", "lemma")
    text = "".join(f'[[feature]]\nname = "of_{view}"\nkind = "ratio"\nview = "{view}"\n' for view in views)
    (tmp_path / "views.toml").write_text(text + '[[feature]]\nname = "levenshtein"\nkind = "levenshtein"\n')
    whole, m = (
        train(toy_pairs, features=tmp_path / "views.toml", split=Split(folds=3), engine=engine)
        for engine in (LightGBM(), LightGBM(drop_correlated=0.9))
    )
    facts = m.data["dropped"]
    gone = {one["feature"] for one in facts["features"]}
    assert gone and set(m.features.names) == set(whole.features.names) - gone
    m.save(tmp_path / "m")
    card = (tmp_path / "m" / "CARD.md").read_text("utf-8")
    assert dropped_words(0.9, facts["features"]) in data_words(m.data)
    assert all(f"{one['feature']} ({one['rho']:.2f} with {one['like']})" in card for one in facts["features"])
    again = dxmatch.load(tmp_path / "m")
    assert again.probability("acute gastritis", "gastritis") == m.probability("acute gastritis", "gastritis")
    scored = again.score(toy_pairs.head(3), add=["features"])
    assert not gone & set(scored.columns)
