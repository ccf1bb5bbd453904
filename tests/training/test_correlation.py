"""Features that say nearly the same: how they correlate, which goes, and that M is trained, saved and loaded without it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch.features.feature_set import FeatureSet
from dxmatch.training.statistics.correlation import correlated, correlations


@pytest.fixture(scope="module")
def table() -> np.ndarray:
    rng = np.random.default_rng(0)
    base = rng.random(200)
    near = 1 - base + 0.02 * rng.random(200)
    columns = [base, np.exp(3 * base), rng.random(200), np.full(200, 0.5), near, rng.random(200)]
    out = np.stack(columns, axis=1).astype(np.float32)
    out[rng.random(out.shape) < 0.1] = np.nan
    out[:, 5] = np.nan
    out[:2, 5] = 0.1, 0.2
    return out


@pytest.mark.parametrize("method", ["spearman", "pearson"])
def test_pairwise_complete_as_pandas_says(table: np.ndarray, method: str) -> None:
    wanted = pd.DataFrame(table.astype(float)).corr(method=method, min_periods=3).to_numpy()  # type: ignore[arg-type]
    found = getattr(correlations(table), method)
    assert found == pytest.approx(wanted, nan_ok=True)
    assert np.isnan(found[3]).all() and np.isnan(found[5]).all()


def test_the_less_important_goes() -> None:
    """`better` is best; `worse` is the same with noise, `turned` the same with its sign turned, `other` is independent."""
    kinds = [("worse", "ratio", "stem"), ("better", "ratio", "unigram"), ("other", "ratio", "lemma")]
    features = [{"name": name, "kind": kind, "view": view} for name, kind, view in kinds]
    features += [{"name": "turned", "kind": "levenshtein"}, {"name": "decides", "kind": "exclusion"}]
    random = np.random.default_rng(0)
    label = random.integers(0, 2, 400).astype(np.int8)
    better = np.clip(0.5 + 0.25 * (label - 0.5) + 0.12 * random.standard_normal(400), 0, 1)
    worse, turned = (np.clip(better + noise * random.standard_normal(400), 0, 1) for noise in (0.03, 0.02))
    columns = [worse, better, random.random(400), 1 - turned, 1.0 * (better > 0.5)]
    values, views = np.stack(columns, axis=1).astype(np.float32), FeatureSet.from_dict({"feature": features})
    gone = correlated(values, label, views, 0.9)
    assert [(one["feature"], one["like"]) for one in gone] == [("worse", "better"), ("turned", "better")]
    assert gone[0]["rho"] > 0.9 and gone[1]["rho"] < -0.9
    values[15:, 0] = np.nan
    assert [one["feature"] for one in correlated(values, label, views, 0.9)] == ["turned"], (
        "a few pairs are no evidence"
    )


@pytest.mark.usefixtures("few_rounds")
def test_trained_saved_and_loaded_without_it(toy_pairs: pd.DataFrame, tmp_path: Path) -> None:
    """Words, stems and dictionary forms of these pairs are nearly the same; one of them stays."""
    views = ("unigram", "stem", "lemma")
    text = "".join(f'[[feature]]\nname = "of_{view}"\nkind = "ratio"\nview = "{view}"\n' for view in views)
    (tmp_path / "views.toml").write_text(text + '[[feature]]\nname = "levenshtein"\nkind = "levenshtein"\n')
    m = dxmatch.train(toy_pairs, features=tmp_path / "views.toml", engine=dxmatch.LightGBM(drop_correlated=0.9))
    gone = {one["feature"]: one for one in m.data["dropped"]["features"]}
    assert gone and {*m.features.names} == {*m.data["coverage"]} == {*(f"of_{v}" for v in views), "levenshtein"} - {
        *gone
    }
    card = (m.save(tmp_path / "m") / "CARD.md").read_text("utf-8")
    assert all(f"{name} ({one['rho']:.2f} with {one['like']})" in card for name, one in gone.items())
    scored = dxmatch.load(tmp_path / "m").score(toy_pairs.head(3), add=["features"])
    assert (
        not {*gone} & {*scored.columns}
        and scored["probability"].tolist() == m.score(toy_pairs.head(3))["probability"].tolist()
    )
