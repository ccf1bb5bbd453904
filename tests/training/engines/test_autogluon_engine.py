"""AutoGluon's bags, exported: the same predictions from the trees alone, and what each member may learn from."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import dxmatch
from dxmatch.errors import MissingExtra
from dxmatch.training.engines import autogluon_engine
from dxmatch.training.engines.autogluon_engine import AutoGluon, search_words
from dxmatch.training.engines.fitted import Ensemble, ExtraRows, Rows
from dxmatch.training.options import Split
from dxmatch.training.statistics.measure import average_precision
from dxmatch.training.train import train

FOLDS, NAMES = 3, [f"Column_{column}" for column in range(5)]
QUICK = (
    {"num_boost_round": 40, "num_leaves": 7, "ag_args": {"name_suffix": "Small"}},
    {"num_boost_round": 40, "num_leaves": 15, "extra_trees": True, "ag_args": {"name_suffix": "XT"}},
)

OTHERS = {
    "RF": [{"n_estimators": 30, "max_depth": 8}],
    "CAT": [{"iterations": 30}],
    "XGB": [{"n_estimators": 30}],
    "FASTAI": [{"epochs": 1}],
}

needs_autogluon = pytest.mark.skipif(
    importlib.util.find_spec("autogluon") is None, reason="AutoGluon is not installed (extra 'automl')"
)


def labelled(n: int, seed: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Features with gaps, one that never varies and one that is never known; labels that mostly rise with the first two."""
    random = np.random.default_rng(seed)
    table = random.random((n, len(NAMES))).astype(np.float32)
    table[random.random(table.shape) < 0.2] = np.nan
    table[:, 3], table[:, 4] = 0.5, np.nan
    score = np.nan_to_num(table[:, 0], nan=0.5) + 0.5 * np.nan_to_num(table[:, 1], nan=0.5)
    return table, (score + random.normal(0, 0.2, n) > 1.0).astype(np.int8)


FEATURES, LABEL = labelled(600, seed=0)
FOLD = np.random.default_rng(1).integers(0, FOLDS, len(LABEL))
ROWS = Rows(FEATURES, LABEL, np.ones(600), FOLD, [0] * 5)
UNSEEN, _ = labelled(1500, seed=2)


@dataclass
class Run:
    """One training, and what AutoGluon itself says of the model that was exported."""

    ensemble: Ensemble
    of_unseen: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    out_of_fold: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    progress: list[tuple[int, int]] = field(default_factory=list)
    left_behind: list[Path] = field(default_factory=list)

    def of_trees(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        return 1 / (1 + np.exp(-self.ensemble.trees.raw(table)))


def quick(families: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    return {"GBM": [*QUICK]} | {family: OTHERS[family] for family in families if family != "GBM"}


def run(folder: Path, weight: Any = 1.0, extra: Sequence[ExtraRows] = (), models: str = "GBM") -> Run:
    told: dict[str, Any] = {}
    export = autogluon_engine._exported

    def export_and_ask(predictor: Any, *arguments: Any) -> Ensemble:
        ensemble = export(predictor, *arguments)
        model = ensemble.facts["chosen"]["model"]
        told["of_unseen"] = predictor.predict_proba(pd.DataFrame(UNSEEN, columns=pd.Index(NAMES)), model=model)[1]
        told["out_of_fold"] = predictor._trainer.get_model_oof(model)
        return ensemble

    progress: list[tuple[int, int]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(autogluon_engine, "_exported", export_and_ask)
        patch.setattr(tempfile, "tempdir", str(folder))
        patch.setattr(autogluon_engine, "_settings", quick)
        rows = Rows(FEATURES, LABEL, weight * np.ones(600), FOLD, [1, 0, 0, 0, 0], extra)
        ensemble = AutoGluon(time_limit=600, models=models).fit(
            rows, seed=0, progress=lambda *done: progress.append(done)
        )
    return Run(
        ensemble, told["of_unseen"].to_numpy(), np.asarray(told["out_of_fold"]), progress, list(folder.iterdir())
    )


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def extra_rows() -> ExtraRows:
    features, label = labelled(90, seed=3)
    return ExtraRows(features, label, np.full(90, 0.5), np.repeat([-1, 0, 1], [40, 30, 20]))


@pytest.fixture(scope="module")
def with_extra(tmp_path_factory: pytest.TempPathFactory, extra_rows: ExtraRows) -> Run:
    return run(tmp_path_factory.mktemp("extra"), np.random.default_rng(4).uniform(0.5, 2, len(LABEL)), [extra_rows])


@needs_autogluon
@pytest.mark.parametrize("which", ["plain", "with_extra"])
def test_the_trees_predict_what_autogluon_predicts(which: str, request: pytest.FixtureRequest) -> None:
    trained: Run = request.getfixturevalue(which)
    assert np.isnan(UNSEEN).any(axis=0).sum() >= 3 and trained.of_unseen.std() > 0.1
    assert np.abs(trained.of_trees(UNSEEN) - trained.of_unseen).max() < 1e-6
    assert trained.left_behind == []


@needs_autogluon
@pytest.mark.parametrize("which", ["plain", "with_extra"])
def test_each_row_is_scored_by_members_that_did_not_see_it(which: str, request: pytest.FixtureRequest) -> None:
    trained: Run = request.getfixturevalue(which)
    ensemble, own = trained.ensemble, trained.out_of_fold
    probability = 1 / (1 + np.exp(-ensemble.out_of_fold))
    assert np.abs(probability - own[: len(LABEL)]).max() < 1e-6
    assert np.abs(probability - trained.of_trees(FEATURES)).max() > 0.01
    if which == "plain":
        assert (
            ensemble.facts["chosen"]["out_of_fold_average_precision"]
            == average_precision(ensemble.out_of_fold, LABEL)[0]
        )


@needs_autogluon
def test_the_leaderboard_is_kept(plain: Run) -> None:
    board, chosen = plain.ensemble.facts["leaderboard"], plain.ensemble.facts["chosen"]
    scores = [row["out_of_fold_average_precision"] for row in board]
    assert scores == sorted(scores, reverse=True)
    assert {row["stack_level"] for row in board if "Weighted" not in row["model"]} == {1, 2}
    assert [row["model"] for row in board if row["exported"]] == [chosen["model"]]
    assert chosen["out_of_fold_average_precision"] == pytest.approx(scores[[r["exported"] for r in board].index(True)])
    assert all(name.endswith("_L1") for name in chosen["bags"])
    assert len(plain.ensemble.trees) == FOLDS * len(chosen["bags"])
    json.dumps([board, chosen], allow_nan=False)
    assert plain.progress[-1] == (4, 4) and plain.progress == sorted(plain.progress)


@needs_autogluon
def test_the_first_feature_never_lowers_the_score(plain: Run) -> None:
    rising = np.repeat(FEATURES[:20], 11, axis=0)
    rising[:, 0] = np.tile(np.linspace(0, 1, 11, dtype=np.float32), 20)
    steps = np.diff(plain.of_trees(rising).reshape(20, 11), axis=1)
    assert steps.min() >= -1e-12 and steps.max() > 0.05


@needs_autogluon
def test_extra_rows_are_learned_from_but_in_their_own_fold(with_extra: Run, extra_rows: ExtraRows) -> None:
    """The root of a tree counts the rows that its member has learned from."""
    trees = with_extra.ensemble.trees
    starts = trees.first_split[trees.first_tree] + trees.first_tree
    first = [
        slice(a, a + trees.first_split[t + 1] - trees.first_split[t] + 1)
        for a, t in zip(starts, trees.first_tree[:-1], strict=False)
    ]
    roots = [int(trees.leaf_count[leaves].sum()) for leaves in first]
    learned = [int((fold != FOLD).sum() + (fold != extra_rows.fold).sum()) for fold in range(FOLDS)]
    assert roots == learned * (len(roots) // FOLDS)
    assert np.isnan(with_extra.out_of_fold[len(LABEL) :]).all()
    assert {
        row["stack_level"] for row in with_extra.ensemble.facts["leaderboard"] if "Weighted" not in row["model"]
    } == {1}


@pytest.fixture(scope="module")
def of_families(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run(tmp_path_factory.mktemp("families"), models="GBM,RF,CAT,XGB,FASTAI")


@needs_autogluon
@pytest.mark.skipif(importlib.util.find_spec("catboost") is None, reason="CatBoost is not installed")
@pytest.mark.slow
def test_other_families_are_tried_and_lightgbm_is_exported(of_families: Run) -> None:
    ensemble = of_families.ensemble
    tried = " ".join(row["model"] for row in ensemble.facts["leaderboard"])
    assert all(name in tried for name in ("RandomForest", "CatBoost", "XGBoost", "LightGBM"))
    assert all(bag.startswith("LightGBM") for bag in ensemble.facts["chosen"]["bags"])
    assert np.abs(of_families.of_trees(UNSEEN) - of_families.of_unseen).max() < 1e-6
    search = ensemble.facts["search"]
    assert "FASTAI" in search["not_trained"] or importlib.util.find_spec("fastai")
    assert not {"GBM", "RF", "CAT", "XGB"} & set(search["not_trained"])
    json.dumps(search, allow_nan=False)


@needs_autogluon
def test_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(done: int, total: int) -> None:
        assert list(tmp_path.iterdir())
        raise KeyboardInterrupt

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(autogluon_engine, "_settings", quick)
    with pytest.raises(KeyboardInterrupt):
        AutoGluon().fit(ROWS, seed=0, progress=interrupt)
    assert list(tmp_path.iterdir()) == []


@needs_autogluon
def test_too_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autogluon_engine, "_settings", quick)
    with pytest.raises(dxmatch.DxmatchError, match="'time_limit' parameter must be time enough for one model"):
        AutoGluon(time_limit=0.001).fit(ROWS, seed=0)


@needs_autogluon
def test_scoring_needs_no_autogluon(
    toy_pairs: pd.DataFrame, strings_only: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(autogluon_engine, "_settings", quick)
    m = train(toy_pairs, features=strings_only, engine="autogluon", split=Split(folds=3))
    m.save(tmp_path / "model")
    code = (
        "import sys; sys.modules['autogluon'] = None; import dxmatch; m = dxmatch.load(sys.argv[1]);"
        "print(m.identity, repr(m.probability('chronic gastritis', 'gastritis')))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "model")], capture_output=True, text=True, check=True
    ).stdout.split()  # fmt: skip
    assert loaded == [m.identity, repr(m.probability("chronic gastritis", "gastritis"))]
    facts = json.loads((tmp_path / "model" / "model.json").read_text("utf-8"))
    assert facts["decision"]["averaged"] == "probabilities" and facts["data"]["engine"] == "autogluon"
    assert any(row["exported"] for row in facts["data"]["leaderboard"])
    gain = m.metrics["gain_over_plain"]
    assert gain["measured_on"] == "held_out_not_identical"
    assert gain["average_precision"] == m.metrics["held_out_not_identical"]["average_precision"]["value"]


def test_without_autogluon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"engine 'autogluon' needs .* pip install .*\[automl\]'"):
        AutoGluon()


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan"), float("inf")])
def test_no_time(seconds: float) -> None:
    with pytest.raises(dxmatch.DxmatchError, match="'time_limit' parameter must be a number above 0"):
        AutoGluon(time_limit=seconds)


@pytest.mark.parametrize(
    ("text", "families"),
    [
        ("GBM", ("GBM",)),
        ("gbm, cat,GBM", ("GBM", "CAT")),
        ("XGB,NN_TORCH,GBM,KNN", ("XGB", "NN_TORCH", "GBM", "KNN")),
        ("default", ("GBM", "CAT", "XGB", "RF", "XT", "NN_TORCH", "FASTAI")),
    ],
)
def test_families(text: str, families: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autogluon_engine, "check_installed", lambda: None)
    assert AutoGluon(models=text).families == families


@pytest.mark.parametrize(
    ("models", "says"),
    [
        ("GBM,TREES", "'default', or some of GBM, CAT, XGB, RF, XT, NN_TORCH, FASTAI, KNN, LR"),
        ("CAT,XGB", r"GBM \(LightGBM\) and any others: M can only be made of LightGBM's trees"),
        ("", "GBM"),
    ],
)
def test_families_refused(models: str, says: str) -> None:
    with pytest.raises(dxmatch.DxmatchError, match=f"'models' parameter must be {says}"):
        AutoGluon(models=models)


def _board(won: str, value: float, *absent: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    models = {won: value, "LightGBM_BAG_L1": 0.91}
    board = [
        {"model": model, "out_of_fold_average_precision": score, "exported": model == "LightGBM_BAG_L1"}
        for model, score in models.items()
    ]
    return {"families": ["GBM", "CAT"], "not_trained": list(absent)}, board


@pytest.mark.parametrize(
    ("search", "says"),
    [
        (_board("LightGBM_BAG_L1", 0.91), ["tried GBM, CAT: LightGBM_BAG_L1 won", "0.9100 out of fold, and M is it."]),
        (_board("CatBoost_BAG_L1", 0.93), ["CatBoost_BAG_L1 won", "M is LightGBM_BAG_L1", "0.9100, 0.0200 less."]),
        (_board("LightGBM_BAG_L1", 0.91, "CAT"), ["Without a model: CAT (a library that is absent, or no time)."]),
    ],
)
def test_what_won_is_told(search: tuple[dict[str, Any], list[dict[str, Any]]], says: list[str]) -> None:
    for words in says:
        assert words in search_words(*search)
