"""Trainings on pairs with two labels, and on references that an earlier training held out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import dxmatch
from dxmatch.errors import InputError
from dxmatch.files.pairs import Pairs, read_pairs
from dxmatch.files.tables import Table
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.training.engines import autogluon_engine
from dxmatch.training.engines.autogluon_engine import AutoGluon
from dxmatch.training.labelled import decide_conflicts
from dxmatch.training.options import Split
from dxmatch.training.statistics.split import Groups, held_out
from dxmatch.training.train import train

from .seen import seen

pytestmark = pytest.mark.usefixtures("few_rounds")
NAMING = Naming(Normalizer())


@pytest.mark.parametrize(
    ("rule", "labels", "kept", "facts"),
    [
        ("majority", "110", [0, 1], {"pairs": 1, "decided": 1, "rows": 1}),
        ("majority", "100", [1, 2], {"pairs": 1, "decided": 1, "rows": 1}),
        ("majority", "10", [], {"pairs": 1, "decided": 0, "rows": 2}),
        ("drop", "110", [], {"pairs": 1, "decided": 0, "rows": 3}),
        ("majority", "11", [0, 1], {"pairs": 0, "decided": 0, "rows": 0}),
        ("drop", "00", [0, 1], {"pairs": 0, "decided": 0, "rows": 0}),
    ],
)
def test_rules(rule: str, labels: str, kept: list[int], facts: dict[str, int]) -> None:
    """The same pair in either order, in another spelling of the same words; and one that is not divided."""
    sides = [("Heart-attack", "MI"), ("mi", "heart attack"), ("HEART  ATTACK", "(MI)")][: len(labels)]
    rows = [*sides, ("gout", "flu")]
    text = [pa.chunked_array([pa.array(side, pa.large_string())]) for side in zip(*rows, strict=True)]
    label = np.array([*map(int, labels), 0], np.int8)
    read = Pairs(Table(pa.table({"row": list(range(len(rows)))}), "t", 1), *text, np.arange(len(rows)), label)
    out, _, found, _ = decide_conflicts(read, seen(read, NAMING), rule)
    assert out.table.column("row") == [*kept, len(labels)] and found == {"rule": rule, **facts}


def test_two_labels_that_the_normaliser_finds() -> None:
    rows = [("gout", "asthma", 1), ("Asthma!", "(gout)", 0), ("mumps", "Mumps", 1), ("mumps!", "mumps", 0)]
    read = read_pairs(pd.DataFrame(rows, columns=["a", "b", "label"]), label="label")
    *_, told = decide_conflicts(read, seen(read, NAMING), "refuse")
    assert told == ["Pairs that have two labels once their writing is normalised: 1 ('gout' and 'asthma')."]


def test_command(toy_pairs: pd.DataFrame, strings_only: Path, tmp_path: Path, command: Any) -> None:
    out, held, path = tmp_path / "m", tmp_path / "held.csv", tmp_path / "pairs.csv"
    against = toy_pairs[:1].assign(label=1 - toy_pairs["label"][:1])
    pd.concat([toy_pairs, against, against]).to_csv(path, index=False)
    given = ["train", path, "-o", out, "--features", strings_only, "--held-out", held]
    refused = command(*given)
    assert refused.code == 1 and "(row 2: " in refused.err and "row 302: " in refused.err
    assert "Or: --on-conflict majority keeps the rows that say what most do." in refused.err
    done = command(*given, "--on-conflict", "majority")
    assert "or 'match' in the option --contained." in done.err
    assert done.code == 0, done.err
    said = "1 pair has two labels: 1 decided by the majority of its rows, 0 left out; 1 row not learned from."
    assert said in " ".join(done.out.split()) and said in (out / "CARD.md").read_text("utf-8")
    m = dxmatch.load(out)
    assert m.data["rows"] == 301 and m.data["source"] == "pairs.csv"
    assert m.data["split"] == {"seed": 0, "test_share": 0.2}
    # The held-out rows are pairs with one label each.
    read = read_pairs(held, label="label")
    assert len(read) == m.metrics["held_out"]["pairs"]
    again = command(*given)
    assert again.code == 1 and "a model is there. Allowed: a new path. Or: --overwrite replaces it." in again.err


def test_rows_that_nobody_labelled_are_left_out_and_said(toy_pairs: pd.DataFrame, strings_only: Path) -> None:
    pairs = toy_pairs.rename(columns={"label": "label_anna"}).astype({"label_anna": "Int64"})
    pairs.loc[[3, 4], "label_anna"] = None
    data = train(pairs, features=strings_only).data
    assert "Rows without a label, left out: 2 of 300." in data["warnings"] and data["rows"] == 298


def held(pairs: pd.DataFrame, seed: int = 0) -> np.ndarray:
    return held_out(Groups.of(NAMING(pairs["a"].tolist())), 0.2, seed)


def test_all_references_held_out(toy_pairs: pd.DataFrame, strings_only: Path) -> None:
    """A pool of what an earlier training held out: the reason is said, and another seed or no test share mends it."""
    pool = pd.concat([toy_pairs, toy_pairs.assign(a="other " + toy_pairs["a"], b="other " + toy_pairs["b"])])
    rows = pool[held(pool)]
    number = rows["a"].nunique()
    assert number >= 10
    with pytest.raises(
        InputError,
        match=f"{number} of {number} reference diagnoses are held out .*Split\\(test_share=0\\) holds none out",
    ):
        train(rows, features=strings_only)
    nearly = pd.concat([rows, pool[~held(pool)][:30]])
    with pytest.raises(InputError, match=f"{number} of {number + 3} reference diagnoses are held out"):
        train(nearly, features=strings_only)
    with pytest.warns(UserWarning):
        assert train(rows, features=strings_only, split=Split(test_share=0)).data["groups"] == number
    few = toy_pairs[toy_pairs["a"].isin(toy_pairs["a"].unique()[:5])]
    with pytest.raises(InputError, match="too few for 5 folds"):
        train(few, features=strings_only, split=Split(test_share=0))


def test_what_a_search_takes_and_gains_is_said_first(
    toy_pairs: pd.DataFrame, strings_only: Path, tmp_path: Path, command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the hour, not after it: here the search itself fails."""

    class Begun(dxmatch.DxmatchError):
        pass

    def begins(*_: Any, **__: Any) -> None:
        raise Begun("the search begins")

    monkeypatch.setattr(autogluon_engine, "check_installed", lambda: None)
    monkeypatch.setattr(AutoGluon, "fit", begins)
    toy_pairs.to_csv(tmp_path / "p.csv", index=False)
    done = command(
        "train",
        tmp_path / "p.csv",
        "-o",
        tmp_path / "m",
        "--features",
        strings_only,
        "--engine",
        "autogluon",
        "--refit",
    )
    forecast, end = done.err.index("about 125 min in all"), done.err.index("the search begins")
    assert done.code == 1 and forecast < end and "expect little" in done.err
    with pytest.warns(UserWarning, match="about 7 min in all"), pytest.raises(Begun):
        train(toy_pairs, features=strings_only, engine=AutoGluon(time_limit=120))
