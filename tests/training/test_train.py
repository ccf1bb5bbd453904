"""From labelled pairs to a saved model, on the bundled example and on the real pairs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch.files.pairs import read_pairs
from dxmatch.files.tables import read_table
from dxmatch.training.recipe import Recipe
from dxmatch.training.train import fit, train


def test_example(example: Path, tmp_path: Path) -> None:
    result = fit(example / "pairs.csv")
    held_out = result.matcher.metrics["held_out"]
    assert held_out["average_precision"]["value"] > 0.6
    assert held_out["pairs"] == int(result.held_out.sum()) == result.held_out_rows.num_rows
    folder = result.matcher.save(tmp_path / "m")
    assert dxmatch.load(folder).identity == result.matcher.identity
    card = (folder / "CARD.md").read_text("utf-8")
    for part in ("Held-out references", "Threshold", "average precision", "disease_line"):
        assert part in card


def test_held_out_metrics_are_those_of_the_saved_model(example: Path) -> None:
    """What the card says can be computed again from the held-out rows and the model alone."""
    result = fit(example / "pairs.csv", Recipe(seed=3))
    scored = result.matcher.score(result.held_out_rows)
    label = read_pairs(result.held_out_rows, label="label").label
    right = np.mean(np.array(scored.column("match").to_pylist()) == (label == 1))
    assert right == pytest.approx(result.matcher.metrics["held_out"]["accuracy"]["value"])


@pytest.mark.usefixtures("few_rounds")
def test_deterministic(toy_pairs: pd.DataFrame, strings_only: Path) -> None:
    assert (
        fit(toy_pairs, Recipe(strings_only)).matcher.identity == fit(toy_pairs, Recipe(strings_only)).matcher.identity
    )


@pytest.mark.usefixtures("few_rounds")
def test_refit_keeps_the_measurement(toy_pairs: pd.DataFrame, strings_only: Path) -> None:
    plain, refitted = (
        fit(toy_pairs, Recipe(strings_only)).matcher,
        fit(toy_pairs, Recipe(strings_only, refit=True)).matcher,
    )
    assert refitted.metrics["held_out"] == plain.metrics["held_out"]
    assert refitted.identity != plain.identity


@pytest.mark.usefixtures("few_rounds")
def test_for_another_prevalence(toy_pairs: pd.DataFrame, strings_only: Path) -> None:
    """The odds of every probability are multiplied by one number, the one that the two shares of matches give."""
    plain = fit(toy_pairs, Recipe(strings_only)).matcher
    rare = fit(toy_pairs, Recipe(strings_only, prevalence=0.05)).matcher
    a, b = ["organ pain", "mild flu"], ["pain of organs", "flu"]
    odds = [p / (1 - p) for p in (plain.probabilities(a, b), rare.probabilities(a, b))]
    seen = fit(toy_pairs, Recipe(strings_only)).held_out
    share = toy_pairs["label"][~seen].mean()
    np.testing.assert_allclose(odds[1] / odds[0], (0.05 / 0.95) / (share / (1 - share)), rtol=1e-6)
    assert rare.data["prevalence"] == rare.metrics["held_out"]["prevalence"] == 0.05
    assert "the highest F1, where 5 % of the pairs match" in rare.parts.manifest.threshold_rule
    assert "prevalence" not in plain.metrics["held_out"]


@pytest.mark.usefixtures("few_rounds")
def test_the_rule_for_contained_pairs(toy_pairs: pd.DataFrame, strings_only: Path) -> None:
    """103 of 120 pairs whose one side holds the other's words are labelled 1."""
    kept, aside, match = (
        fit(toy_pairs, Recipe(strings_only, contained=how)).matcher.data for how in ("keep", "set-aside", "match")
    )
    assert (aside["rows"], match["rows"]) == (300 - 17, 300)
    assert (match["matches"], aside["matches"]) == (kept["matches"] + 17, kept["matches"])
    assert [len(data["warnings"]) for data in (kept, aside, match)] == [1, 0, 0]
    assert kept["contained"] == {"rule": "keep", "pairs": 120, "matches": 103}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "magic"}, "'engine' parameter must be one of lightgbm, autogluon. Got 'magic'"),
        ({"folds": 1}, "'folds' parameter must be 2 or more"),
        ({"test_share": 1.5}, "'test_share' parameter"),
        ({"threshold_rule": "best"}, "'threshold_rule' parameter"),
        ({"prevalence": 40}, "'prevalence' parameter"),
        ({"contained": "drop"}, "'contained' parameter must be one of keep, set-aside, match"),
        ({"features": "online"}, "no such feature set"),
        ({"label": "truth"}, "the column 'truth'"),
        ({"group": "reference"}, "the column 'reference'"),
    ],
)
def test_wrong_options(example: Path, options: dict, message: str) -> None:
    with pytest.raises(dxmatch.DxmatchError, match=message):
        train(example / "pairs.csv", **options)


def test_labels_that_say_nothing(example: Path) -> None:
    pairs = pd.read_csv(example / "pairs.csv")[["a", "b"]].drop_duplicates("a")
    with pytest.raises(dxmatch.InputError, match="only one label|without both labels"):
        train(pairs.assign(label=1))
    with pytest.raises(dxmatch.InputError, match="too few for 5 folds"):
        train(pairs.head(6).assign(label=[0, 1, 0, 1, 0, 1]), test_share=0)


def test_real_pairs(shared_data: Path, tmp_path: Path) -> None:
    """21,187 pairs: of those that are understood, the rows held out are all rows of some references and no others; how good, well above chance."""
    source = shared_data / "craft_md_pairs.csv"
    result = fit(source, Recipe(a="expert", b="algorithm", rejects=tmp_path / "rejects.csv"))
    name = result.matcher.providers.naming
    set_aside = {int(row) - 2 for row in read_table(tmp_path / "rejects.csv").column("rejected_row")}
    assert len(set_aside) == 12
    sides = (read_table(source).column(side) for side in ("expert", "algorithm"))
    rows = [pair for i, pair in enumerate(zip(*sides, strict=True)) if i not in set_aside]
    unknown = result.matcher.not_understood(sorted({text for pair in rows for text in pair}))
    experts = [a for a, b in rows if name([a]) == name([b]) or (a not in unknown and b not in unknown)]
    assert 0 < len(rows) - len(experts) < 300
    held_out = set(name(result.held_out_rows.column("expert").to_pylist()))
    assert [x in held_out for x in name(experts)] == result.held_out.tolist()
    assert 0.15 < result.held_out.mean() < 0.25
    assert result.matcher.metrics["held_out"]["average_precision"]["value"] > 0.85
