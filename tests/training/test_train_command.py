"""`dxmatch train`: its options reach the training, and what is doubtful reaches the terminal."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import dxmatch
from dxmatch.tests.command_line import invoke

pytestmark = pytest.mark.usefixtures("few_rounds")


@pytest.fixture
def command(toy_pairs: pd.DataFrame, strings_only: Path, tmp_path: Path) -> list[str]:
    toy_pairs.assign(share=toy_pairs["label"] * 0.9).to_csv(tmp_path / "pairs.csv", index=False)
    pairs, model = str(tmp_path / "pairs.csv"), str(tmp_path / "m")
    return ["train", pairs, "-o", model, "--features", str(strings_only)]


def test_options(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "silver.csv").write_text("a,b,label\nmumps,parotitis,1\nmumps,measles,0\n")
    given = ["--extra", str(tmp_path / "silver.csv"), "--extra", str(tmp_path / "pairs.csv"), "--extra-weight", "0.25"]
    given += [
        "--soft",
        "share",
        "--contained",
        "set-aside",
        "--threshold.prevalence",
        "0.3",
        "--threshold.rule",
        "recall=0.9",
    ]
    done = invoke([*command, *given])
    assert done.code == 0
    m = dxmatch.load(tmp_path / "m")
    assert (m.data["soft"], m.data["contained"]["rule"], m.data["prevalence"]) == ("share", "set-aside", 0.3)
    silver, again = m.data["extra"]
    assert (silver["pairs"], silver["matches"], silver["weight"]) == (2, 1, 0.25)
    assert (
        again["matches"] == 0 and again["pairs"] == 17
    )  # what is no expert's pair any more: those that were set aside
    assert "recall of 0.9 or more, where 30 % of the pairs match" in m.parts.manifest.decision.rule
    assert m.metrics["cross_validated"]["recall"]["value"] >= 0.9
    for words in (
        "Extra pairs from silver.csv: 2 of weight 0.25, 1 of them matches",
        "are for pairs of which 30 % match",
    ):
        assert words in done.out
