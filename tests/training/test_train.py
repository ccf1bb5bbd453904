"""From labelled pairs to a saved model, on the bundled example and on the real pairs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch.files.pairs import read_pairs
from dxmatch.files.reading import PairColumns, Reading
from dxmatch.files.tables import read_table
from dxmatch.terms.icd.naming import Naming
from dxmatch.training.engines.lightgbm_engine import LightGBM
from dxmatch.training.options import Split
from dxmatch.training.statistics.threshold import Threshold
from dxmatch.training.train import train


def test_example(example: Path, tmp_path: Path) -> None:
    """What the card says can be computed again from the held-out rows and the saved model alone."""
    held = tmp_path / "held.csv"
    m = train(example / "pairs.csv", split=Split(seed=3, held_out=held))
    held_out = m.metrics["held_out"]
    assert held_out["average_precision"]["value"] > 0.6
    assert held_out["pairs"] == len(read_table(held))
    folder = m.save(tmp_path / "m")
    loaded = dxmatch.load(folder)
    assert loaded.identity == m.identity
    right = loaded.score(held)["match"].to_numpy() == (read_pairs(held, label="label").label == 1)
    assert right.mean() == pytest.approx(held_out["accuracy"]["value"])
    card = (folder / "CARD.md").read_text("utf-8")
    for part in ("Held-out references", "Threshold", "average precision", "disease_line"):
        assert part in card


@pytest.mark.usefixtures("few_rounds")
def test_each_text_is_read_once(toy_pairs: pd.DataFrame, strings_only: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it is: a side, a reference of its own; and after a feature was dropped."""
    read = Counter[str]()
    usual = Naming._reading
    monkeypatch.setattr(Naming, "_reading", lambda self, text, name: read.update([text]) or usual(self, text, name))
    pairs = toy_pairs.assign(of=[f"system {i % 12}" if i % 2 else a for i, a in enumerate(toy_pairs["a"])])
    columns, engine = PairColumns(group="of"), LightGBM(drop_correlated=0.5)
    train(pairs, features=strings_only, columns=columns, engine=engine, split=Split(refit=True))
    assert set(read) == {*pairs["a"], *pairs["b"], *pairs["of"]} and set(read.values()) == {1}


@pytest.mark.usefixtures("few_rounds")
def test_refit_keeps_the_measurement(toy_pairs: pd.DataFrame, strings_only: Path) -> None:
    plain, refitted = (train(toy_pairs, features=strings_only, split=Split(refit=refit)) for refit in (False, True))
    assert refitted.metrics["held_out"] == plain.metrics["held_out"]
    assert refitted.identity != plain.identity


@pytest.mark.usefixtures("few_rounds")
def test_for_another_prevalence(toy_pairs: pd.DataFrame, strings_only: Path, tmp_path: Path) -> None:
    """The odds of every probability are multiplied by one number, the one that the two shares of matches give."""
    plain = train(toy_pairs, features=strings_only, split=Split(held_out=tmp_path / "held.csv"))
    rare = train(toy_pairs, features=strings_only, threshold=Threshold(prevalence=0.05))
    a, b = ["organ pain", "mild flu"], ["pain of organs", "flu"]
    odds = [p / (1 - p) for p in (plain.probabilities(a, b), rare.probabilities(a, b))]
    held = pd.read_csv(tmp_path / "held.csv")["label"]
    share = (toy_pairs["label"].sum() - held.sum()) / (len(toy_pairs) - len(held))
    np.testing.assert_allclose(odds[1] / odds[0], (0.05 / 0.95) / (share / (1 - share)), rtol=1e-6)
    assert rare.data["prevalence"] == 0.05 and "prevalence" not in plain.data
    assert "the highest F1, where 5 % of the pairs match" in rare.parts.manifest.decision.rule


@pytest.mark.usefixtures("few_rounds")
def test_the_rule_for_contained_pairs(toy_pairs: pd.DataFrame, strings_only: Path) -> None:
    """103 of 120 pairs whose one side holds the other's words are labelled 1."""
    kept, aside, match = (
        train(toy_pairs, features=strings_only, labels={"contained": how}).data
        for how in ("keep", "set-aside", "match")  # type: ignore[arg-type]
    )
    assert (aside["rows"], match["rows"]) == (300 - 17, 300)
    assert (match["matches"], aside["matches"]) == (kept["matches"] + 17, kept["matches"])
    assert [len(data["warnings"]) for data in (kept, aside, match)] == [1, 0, 0]
    assert kept["contained"] == {"rule": "keep", "pairs": 120, "matches": 103}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "magic"}, "one of lightgbm, autogluon"),
        ({"engine": {"time_limit": 0}}, "'time_limit' parameter must be a number above 0"),
        ({"engine": {"trees": 60}}, "AutoGluon has no such field. Allowed: drop_correlated, time_limit, models"),
        ({"split": {"folds": 1}}, "'folds' parameter must be a whole number 2 or more"),
        ({"split": {"test_share": 1.0}}, "'test_share' parameter"),
        ({"split": {"seed": -1}}, "'seed' parameter"),
        ({"threshold": "best"}, "'threshold' parameter"),
        ({"threshold": {"prevalence": 40}}, "'prevalence' parameter"),
        ({"labels": {"contained": "drop"}}, "'contained' parameter must be one of keep, set-aside, match"),
        ({"labels": {"on_conflict": "mean"}}, "'on_conflict' parameter must be one of refuse, majority, drop"),
        ({"reading": {"format": "x"}}, "without format"),
        ({"time_limit": 60}, r"engine=dxmatch.AutoGluon\(time_limit=…\)"),
        ({"prevalence": 0.4}, r"threshold=dxmatch.Threshold\(prevalence=…\)"),
        ({"seed": 1}, r"split=dxmatch.Split\(seed=…\)"),
        ({"features": "online"}, "no such feature set"),
        ({"columns": {"label": "truth"}}, "the column 'truth'"),
        ({"columns": {"group": "reference"}}, "the column 'reference'"),
    ],
)
def test_wrong_options(example: Path, options: dict, message: str) -> None:
    with pytest.raises(dxmatch.DxmatchError, match=message):
        train(example / "pairs.csv", **options)


@pytest.mark.nightly
def test_real_pairs(shared_data: Path, tmp_path: Path) -> None:
    """21,187 pairs: of those that are understood, the rows held out are all rows of some references and no others; how good, well above chance."""
    source = shared_data / "craft_md_pairs.csv"
    m = train(
        source,
        columns=PairColumns(a="expert", b="algorithm"),
        split=Split(held_out=tmp_path / "held.csv"),
        reading=Reading(rejects=tmp_path / "rejects.csv"),
    )
    name = m.providers.naming
    set_aside = {int(row) - 2 for row in read_table(tmp_path / "rejects.csv").column("rejected_row")}
    assert len(set_aside) == 12
    sides = (read_table(source).column(side) for side in ("expert", "algorithm"))
    rows = [pair for i, pair in enumerate(zip(*sides, strict=True)) if i not in set_aside]
    unknown = m.not_understood(sorted({text for pair in rows for text in pair}))
    experts = [a for a, b in rows if name([a]) == name([b]) or (a not in unknown and b not in unknown)]
    assert 0 < len(rows) - len(experts) < 300
    held = name(list(read_table(tmp_path / "held.csv").column("expert")))
    of_held = [x for x in name(experts) if x in set(held)]
    assert of_held == held and 0.15 < len(held) / len(experts) < 0.25
    assert m.metrics["held_out"]["average_precision"]["value"] > 0.85
