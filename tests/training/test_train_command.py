"""`dxmatch train`: its options reach the training, and what is doubtful reaches the terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import dxmatch
from dxmatch.files.pairs import read_pairs
from dxmatch.training.engines import autogluon_engine
from dxmatch.training.engines.autogluon_engine import AutoGluon

pytestmark = pytest.mark.usefixtures("few_rounds")


@pytest.fixture
def training(toy_pairs: pd.DataFrame, strings_only: Path, tmp_path: Path, command: Any) -> Callable[..., Any]:
    """The command, on pairs of which the first has two labels."""
    against = toy_pairs[:1].assign(label=1 - toy_pairs["label"][:1])
    pairs = pd.concat([toy_pairs, against, against])
    pairs.assign(share=pairs["label"] * 0.9).to_csv(tmp_path / "pairs.csv", index=False)
    given = ["train", tmp_path / "pairs.csv", "-o", tmp_path / "m", "--features", strings_only]
    return lambda *options: command(*given, *options)


def test_two_labels_and_what_is_held_out(training: Callable[..., Any], tmp_path: Path) -> None:
    held = tmp_path / "held.csv"
    refused = training()
    assert refused.code == 1 and "(row 2: " in refused.err and "row 302: " in refused.err
    assert "Or: --on-conflict majority keeps the rows that say what most do." in refused.err
    done = training("--on-conflict", "majority", "--held-out", held)
    assert done.code == 0 and "or 'match' in --contained." in done.err, done.err
    said = "1 pair has two labels: 1 decided by the majority of its rows, 0 left out; 1 row not learned from."
    assert said in " ".join(done.out.split()) and said in (tmp_path / "m" / "CARD.md").read_text("utf-8")
    m = dxmatch.load(tmp_path / "m")
    assert (m.data["rows"], m.data["source"], m.data["split"]) == (301, "pairs.csv", {"seed": 0, "test_share": 0.2})
    # The held-out rows are pairs with one label each.
    assert len(read_pairs(held, label="label")) == m.metrics["held_out"]["pairs"]
    again = training("--on-conflict", "majority")
    assert again.code == 1 and "a model is there. Allowed: a new path. Or: --overwrite replaces it." in again.err


def test_options(training: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "silver.csv").write_text("a,b,label\nmumps,parotitis,1\nmumps,measles,0\n")
    pd.read_csv(tmp_path / "pairs.csv")[1:300].to_csv(tmp_path / "again.csv", index=False)
    options = (
        "--on-conflict drop --extra silver.csv --extra again.csv --extra-weight 0.25 --soft share --contained set-aside"
        " --threshold.prevalence 0.3 --threshold.rule recall=0.9"
    )
    monkeypatch.chdir(tmp_path)
    done = training(*options.split())
    assert done.code == 0, done.err
    m = dxmatch.load(tmp_path / "m")
    assert (m.data["soft"], m.data["contained"]["rule"], m.data["prevalence"]) == ("share", "set-aside", 0.3)
    silver, again = m.data["extra"]
    assert (silver["pairs"], silver["matches"], silver["weight"]) == (2, 1, 0.25)
    assert (again["matches"], again["pairs"]) == (0, 17), "what is no expert's pair any more: those that were set aside"
    assert "recall of 0.9 or more, where 30 % of the pairs match" in m.parts.manifest.decision.rule
    assert m.metrics["cross_validated"]["recall"]["value"] >= 0.9
    for said in (
        "Extra pairs from silver.csv: 2 of weight 0.25, 1 of them matches",
        "are for pairs of which 30 % match",
    ):
        assert said in done.out


def test_what_a_search_takes_and_gains_is_said_first(
    training: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the hour, not after it: here the search itself fails."""

    def begins(*_: Any, **__: Any) -> None:
        raise dxmatch.DxmatchError("the search begins")

    monkeypatch.setattr(autogluon_engine, "check_installed", lambda: None)
    monkeypatch.setattr(AutoGluon, "fit", begins)
    done = training("--on-conflict", "drop", "--engine", "autogluon", "--refit")
    assert done.code == 1 and "expect little" in done.err
    assert done.err.index("about 125 min in all") < done.err.index("the search begins")
