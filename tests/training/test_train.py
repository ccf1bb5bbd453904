"""From labelled pairs to a saved model, on the bundled example and on the real pairs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch.features.tables import read_table
from dxmatch.training.train import fit, train


def test_example(example: Path, tmp_path: Path) -> None:
    result = fit(example / "pairs.csv")
    held_out = result.matcher.metrics["held_out"]
    assert held_out["average_precision"]["value"] > 0.6
    assert held_out["pairs"] == int(result.held_out.sum()) == result.held_out_rows.num_rows
    folder = result.matcher.save(tmp_path / "m")
    assert dxmatch.load(folder).identity == result.matcher.identity
    card = (folder / "CARD.md").read_text("utf-8")
    for part in ("Held-out references", "Threshold", "average precision", "levenshtein"):
        assert part in card


def test_held_out_metrics_are_those_of_the_saved_model(example: Path) -> None:
    """What the card says can be computed again from the held-out rows and the model alone."""
    result = fit(example / "pairs.csv", seed=3)
    scored = result.matcher.score(result.held_out_rows)
    label = [
        row["adjudicated"]
        or max(
            (row[f"label_expert_{i}"] for i in (1, 2, 3)),
            key=lambda v: [row[f"label_expert_{j}"] for j in (1, 2, 3)].count(v),
        )
        for row in result.held_out_rows.to_pylist()
    ]
    right = np.mean([(m == (y == "1")) for m, y in zip(scored.column("match").to_pylist(), label, strict=True)])
    assert right == pytest.approx(result.matcher.metrics["held_out"]["accuracy"]["value"])


def test_deterministic(example: Path) -> None:
    assert train(example / "pairs.csv").identity == train(example / "pairs.csv").identity


def test_refit_keeps_the_measurement(example: Path) -> None:
    plain, refitted = train(example / "pairs.csv"), train(example / "pairs.csv", refit=True)
    assert refitted.metrics["held_out"] == plain.metrics["held_out"]
    assert refitted.identity != plain.identity


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "magic"}, "'engine' parameter must be one of lightgbm. Got 'magic'"),
        ({"folds": 1}, "'folds' parameter must be 2 or more"),
        ({"test_share": 1.5}, "'test_share' parameter"),
        ({"threshold_rule": "best"}, "'threshold_rule' parameter"),
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
    """21,187 pairs: the rows held out are all rows of some references and no others; how good, well above chance."""
    source = shared_data / "craft_md_pairs.csv"
    result = fit(source, a="expert", b="algorithm", rejects=tmp_path / "rejects.csv")
    name = result.matcher.providers.naming
    set_aside = {int(row) - 2 for row in read_table(tmp_path / "rejects.csv").column("rejected_row")}
    experts = [x for i, x in enumerate(read_table(source).column("expert")) if i not in set_aside]
    assert len(set_aside) == 12
    held_out = set(name(result.held_out_rows.column("expert").to_pylist()))
    assert [x in held_out for x in name(experts)] == result.held_out.tolist()
    assert 0.15 < result.held_out.mean() < 0.25
    assert result.matcher.metrics["held_out"]["average_precision"]["value"] > 0.85
