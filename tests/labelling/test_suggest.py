"""Which pairs are suggested: uncertain, unlike one another, some at random, none that is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch.matcher.match_function import MatchFunction


def test_uncertain_pairs_and_some_at_random(matcher: MatchFunction, toy_rows: pd.DataFrame, tmp_path: Path) -> None:
    def away(p: np.ndarray) -> np.ndarray:
        return np.abs(np.log(p / (1 - p)) - np.log(matcher.threshold / (1 - matcher.threshold)))

    pool = toy_rows[["a", "b"]]
    options = {"matcher": matcher, "random_share": 0.25, "per_diagnosis": 100}
    found, again, other = (dxmatch.suggest(pool, 40, seed=seed, **options) for seed in (3, 3, 4))
    assert found.key.equals(again.key) and found.key["row"] != other.key["row"]
    key = found.key.to_pandas()
    assert found.experts == ("expert_1", "expert_2", "expert_3")
    assert key["chosen"].value_counts().to_dict() == {"uncertain": 30, "random": 10}
    assert (key[["a", "b"]].to_numpy() == pool.to_numpy()[key["row"]]).all()  # a data frame's rows begin at 0
    assert key["probability"].to_numpy() == pytest.approx(matcher.probabilities(key["a"].tolist(), key["b"].tolist()))
    # The uncertain ones are of the 150 nearest to the threshold, the random ones apart.
    farthest = np.sort(away(matcher.probabilities(pool["a"].tolist(), pool["b"].tolist())))[5 * 30 + 10 - 1]
    assert away(key["probability"][key["chosen"] == "uncertain"]).max() <= farthest + 1e-9
    folder = found.save(tmp_path / "round-1")
    second = dxmatch.suggest(pool, 40, matcher=matcher, labelled=[folder / "key.csv"]).key.to_pandas()
    one, two = ({frozenset(pair) for pair in table[["a", "b"]].to_numpy().tolist()} for table in (key, second))
    assert two and not one & two


def test_no_pair_twice_equal_or_labelled_and_rows_keep_their_numbers(matcher: MatchFunction, tmp_path: Path) -> None:
    (tmp_path / "done.csv").write_text("a,b,label\ncopd,asthma,1\n")
    pool = "x,y\nGout,Gouty arthritis\ngouty arthritis,GOUT\nFlu,flu\n,\nAsthma,COPD\ngout,\nSepsis,Shock\n"
    (tmp_path / "pool.csv").write_text(pool)
    options = {"matcher": matcher, "a": "x", "b": "y", "labelled": [tmp_path / "done.csv"]}
    with pytest.raises(dxmatch.InputError, match="row 7"):
        dxmatch.suggest(tmp_path / "pool.csv", 10, **options)
    found = dxmatch.suggest(tmp_path / "pool.csv", 10, reading={"rejects": tmp_path / "r.csv"}, **options)
    kept = [tuple(row.values())[:3] for row in found.key.select(["row", "a", "b"]).to_pylist()]
    assert kept == [(2, "Gout", "Gouty arthritis"), (8, "Sepsis", "Shock")]
    without = "1 set aside, 1 the same pair again, 1 equal after normalisation, 1 labelled already"
    assert found.words()[0] == f"2 pairs to choose from (without {without})."
    with pytest.raises(dxmatch.InputError, match="no pair is left to suggest"):
        dxmatch.suggest({"x": ["Flu"], "y": ["flu"]}, 10, **options)
    gout = {"a": ["gout"] * 50, "b": [f"illness{i}" for i in range(50)]}
    found = dxmatch.suggest(gout, 20, matcher=matcher, random_share=0.0, per_diagnosis=4)
    assert len(found) == 4 and "More would put one diagnosis into over 4" in found.words()[-1]
    every = dxmatch.suggest(gout, 50, matcher=matcher, random_share=0.5, per_diagnosis=50).key
    assert every["row"].to_pylist() == [*range(50)], "drawn at random, a pair is not suggested a second time"
