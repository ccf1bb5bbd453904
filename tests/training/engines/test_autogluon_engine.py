"""AutoGluon's bags, exported: the same predictions from the trees alone."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import dxmatch
from dxmatch import AutoGluon, Split, train
from dxmatch.errors import MissingExtra
from dxmatch.training.engines import autogluon_engine
from dxmatch.training.engines.fitted import Ensemble, Rows
from dxmatch.training.statistics.measure import average_precision

FOLDS, NAMES = 3, [f"Column_{column}" for column in range(5)]
QUICK = (
    {"num_boost_round": 40, "num_leaves": 7, "ag_args": {"name_suffix": "Small"}},
    {"num_boost_round": 40, "num_leaves": 15, "extra_trees": True, "ag_args": {"name_suffix": "XT"}},
)


pytestmark = pytest.mark.nightly
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
    of_unseen: NDArray[np.float64]
    out_of_fold: NDArray[np.float64]
    progress: list[tuple[int, int]]
    left_behind: list[Path]


def quick(families: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    return {"GBM": [*QUICK]}


def run(folder: Path) -> Run:
    told: list[Any] = []
    export = autogluon_engine._exported

    def export_and_ask(predictor: Any, *arguments: Any) -> Ensemble:
        ensemble = export(predictor, *arguments)
        model = ensemble.facts["chosen"]["model"]
        unseen = predictor.predict_proba(pd.DataFrame(UNSEEN, columns=pd.Index(NAMES)), model=model)[1]
        told.extend([unseen.to_numpy(), np.asarray(predictor._trainer.get_model_oof(model))])
        return ensemble

    progress: list[tuple[int, int]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(autogluon_engine, "_exported", export_and_ask)
        patch.setattr(tempfile, "tempdir", str(folder))
        patch.setattr(autogluon_engine, "_settings", quick)
        rows = Rows(FEATURES, LABEL, np.ones(600), FOLD, [1, 0, 0, 0, 0])
        ensemble = AutoGluon(time_limit=600).fit(rows, seed=0, progress=lambda *done: progress.append(done))
    return Run(ensemble, *told, progress, list(folder.iterdir()))


def check(trained: Run) -> None:
    """The trees predict what AutoGluon predicts, each row out of fold by members that did not see it; no file is left."""
    of_trees = [1 / (1 + np.exp(-trained.ensemble.trees.raw(table))) for table in (UNSEEN, FEATURES)]
    probability = 1 / (1 + np.exp(-trained.ensemble.out_of_fold))
    assert np.abs(of_trees[0] - trained.of_unseen).max() < 1e-6 and trained.of_unseen.std() > 0.1
    assert np.abs(probability - trained.out_of_fold[: len(LABEL)])[: len(LABEL)].max() < 1e-6
    assert np.abs(probability - of_trees[1]).max() > 0.01
    assert trained.left_behind == []


@needs_autogluon
def test_the_export_is_the_model_that_won_and_the_leaderboard_is_kept(tmp_path: Path) -> None:
    plain = run(tmp_path)
    check(plain)
    board, chosen = plain.ensemble.facts["leaderboard"], plain.ensemble.facts["chosen"]
    scores = [row["out_of_fold_average_precision"] for row in board]
    assert scores == sorted(scores, reverse=True)
    assert [row["model"] for row in board if row["exported"]] == [chosen["model"]]
    assert chosen["out_of_fold_average_precision"] == average_precision(plain.ensemble.out_of_fold, LABEL)[0]
    assert len(plain.ensemble.trees) == FOLDS * len(chosen["bags"])
    json.dumps([board, chosen], allow_nan=False)
    assert plain.progress[-1] == (4, 4) and plain.progress == sorted(plain.progress)
    rising = np.repeat(FEATURES[:20], 11, axis=0)
    rising[:, 0] = np.tile(np.linspace(0, 1, 11, dtype=np.float32), 20)
    steps = np.diff(plain.ensemble.trees.raw(rising).reshape(20, 11), axis=1)
    assert steps.min() >= -1e-12 and steps.max() > 0.05, "the first feature never lowers the score"


@needs_autogluon
def test_too_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autogluon_engine, "_settings", quick)
    with pytest.raises(dxmatch.DxmatchError, match="option 'time_limit' must be time enough for one model"):
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


def test_without_autogluon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"engine 'autogluon' needs .* pip install .*\[automl\]'"):
        AutoGluon()
