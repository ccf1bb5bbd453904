from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch.matcher.match_function import MatchFunction
from dxmatch.training.engines import lightgbm_engine
from dxmatch.training.options import LabelRules, Split
from dxmatch.training.train import train


def keys(m: MatchFunction, table: pd.DataFrame) -> list[frozenset[str]]:
    names = (m.providers.naming(table[side].tolist()) for side in ("a", "b"))
    return [frozenset(pair) for pair in zip(*names, strict=True)]


def test_picks_uncertain_pairs_and_some_at_random(matcher: MatchFunction, toy_rows: pd.DataFrame) -> None:
    pool = toy_rows[["a", "b"]]
    found = dxmatch.suggest(pool, 40, matcher=matcher, random_share=0.25, per_diagnosis=100)
    key = found.key.to_pandas()
    assert len(key) == 40 and found.experts == ("expert_1", "expert_2", "expert_3")
    assert key["chosen"].value_counts().to_dict() == {"uncertain": 30, "random": 10}
    assert (key["a"] == pool["a"].to_numpy()[key["row"]]).all()  # a data frame's rows begin at 0
    assert (key["b"] == pool["b"].to_numpy()[key["row"]]).all()
    assert key["probability"].to_numpy() == pytest.approx(matcher.probabilities(key["a"].tolist(), key["b"].tolist()))
    # The uncertain ones are of the 150 nearest to the threshold, the random ones apart.
    logit = np.log(key["probability"] / (1 - key["probability"])) - np.log(matcher.threshold / (1 - matcher.threshold))
    p = matcher.probabilities(pool["a"].tolist(), pool["b"].tolist())
    all_logits = np.abs(np.log(p / (1 - p)) - np.log(matcher.threshold / (1 - matcher.threshold)))
    farthest = np.sort(all_logits)[5 * 30 + 10 - 1]
    assert np.abs(logit[key["chosen"] == "uncertain"]).max() <= farthest + 1e-9


def test_the_same_seed_gives_the_same_pairs(matcher: MatchFunction, toy_rows: pd.DataFrame) -> None:
    first, again, other = (dxmatch.suggest(toy_rows, 20, matcher=matcher, seed=seed).key for seed in (3, 3, 4))
    assert first.equals(again)
    assert set(first["row"].to_pylist()) != set(other["row"].to_pylist())


def test_no_pair_twice_equal_or_labelled(matcher: MatchFunction, tmp_path: Path) -> None:
    pool = pd.DataFrame(
        [
            ("Gout", "Gouty arthritis"),
            ("gouty arthritis", "GOUT"),
            ("Flu", "flu"),
            ("Asthma", "COPD"),
            ("Sepsis", "Shock"),
        ],
        columns=["x", "y"],
    )
    done = tmp_path / "done.csv"
    done.write_text("a,b,label\ncopd,asthma,1\n")
    found = dxmatch.suggest(pool, 10, matcher=matcher, a="x", b="y", labelled=[done])
    key = found.key.to_pandas()
    assert key[["row", "a", "b"]].to_numpy().tolist() == [[0, "Gout", "Gouty arthritis"], [4, "Sepsis", "Shock"]]
    assert found.made_with["counts"] == {
        "rows": 5, "set_aside": 0, "repeated": 1, "equal": 1, "labelled": 1, "not_understood": 0, "free": 2, "held_out": 0,
    }  # fmt: skip
    assert "2 pairs to choose from (without 1 the same pair again, 1 equal" in found.words()[0]
    with pytest.raises(dxmatch.InputError, match="no pair is left to suggest"):
        dxmatch.suggest(
            pool, 10, matcher=matcher, a="x", b="y", labelled=[done, pool.rename(columns={"x": "a", "y": "b"})]
        )


def test_one_diagnosis_cannot_fill_the_sheet(matcher: MatchFunction) -> None:
    pool = pd.DataFrame({"a": "gout", "b": [f"illness{i}" for i in range(50)]})
    found = dxmatch.suggest(pool, 20, matcher=matcher, random_share=0.0, per_diagnosis=4)
    assert len(found) == 4
    assert "More would put one diagnosis into over 4" in found.words()[-1]


def test_nothing_of_a_pair_comes_back_in_a_second_round(
    matcher: MatchFunction, toy_rows: pd.DataFrame, tmp_path
) -> None:
    first = dxmatch.suggest(toy_rows, 30, matcher=matcher)
    folder = first.save(tmp_path / "round-1")
    second = dxmatch.suggest(toy_rows, 30, matcher=matcher, labelled=[folder / "key.csv"])
    assert not set(keys(matcher, first.key.to_pandas())) & set(keys(matcher, second.key.to_pandas()))


def test_row_numbers_hold_where_rows_are_set_aside(matcher: MatchFunction, tmp_path: Path) -> None:
    pool = tmp_path / "pool.csv"
    pool.write_text("a,b\ngout,\nsepsis,shingles\n,\nasthma,COPD\n")
    with pytest.raises(dxmatch.InputError, match="row 2"):
        dxmatch.suggest(pool, 2, matcher=matcher)
    found = dxmatch.suggest(pool, 2, matcher=matcher, reading=dxmatch.Reading(rejects=tmp_path / "rejects.csv"))
    assert found.key.select(["row", "a"]).to_pylist() == [{"row": 3, "a": "sepsis"}, {"row": 5, "a": "asthma"}]
    assert found.made_with["counts"]["set_aside"] == 1, "the row without any value is no row"


@pytest.mark.parametrize(
    "option",
    [{"n": 0}, {"random_share": 1.5}, {"per_diagnosis": 0}, {"seed": -1}]
    + [{"experts": experts} for experts in ([], ["anna", "Anna"], ["a/b"], ["../x"], [""], ["a" * 41])],
)
def test_refused(matcher: MatchFunction, option: dict) -> None:
    with pytest.raises(dxmatch.OptionError, match=next(iter(option))):
        dxmatch.suggest([("gout", "flu")], matcher=matcher, **option)


def test_references_that_the_model_held_out_are_told(
    toy_rows: pd.DataFrame, strings_only: Path, tmp_path: Path
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lightgbm_engine, "MAX_ROUNDS", 40)
        split = Split(folds=2, seed=5, test_share=0.3, held_out=tmp_path / "held.csv")
        m = train(toy_rows.copy(), features=strings_only, labels=LabelRules(contained="set-aside"), split=split)
    found = dxmatch.suggest(pd.read_csv(tmp_path / "held.csv")[["a", "b"]], 10, matcher=m)
    assert found.made_with["counts"]["held_out"] == 10
    assert "10 of them are of references that a training with seed 5 holds out" in found.words()[-1]


def test_names_are_written_as_they_look(matcher: MatchFunction) -> None:
    """What a spreadsheet may drop of a name would make it another when the sheet is read back."""
    with pytest.warns(UserWarning, match="characters that cannot be seen"):
        found = dxmatch.suggest({"a": ["he\u200bart attack"], "b": ["angina\u00a0pectoris"]}, 1, matcher=matcher)
    assert found.key.select(["a", "b"]).to_pylist() == [{"a": "heart attack", "b": "angina pectoris"}]
