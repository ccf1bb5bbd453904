"""Each feature alone, and which voters decide best together: on votes whose errors are known, from the store to the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score

import dxmatch
from dxmatch import Asking, OptionError, train
from dxmatch.features.feature_set import FeatureSet
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.training.engines import lightgbm_engine
from dxmatch.votes.answer_tables import import_table
from dxmatch.votes.store.store import VoteStore

REFERENCES, PER = 60, 4
OF = np.repeat(np.arange(REFERENCES), PER)
LABEL = np.tile([1, 1, 0, 0], REFERENCES).astype(np.int8)
WRONG = {
    "third_a": OF % 3 == 0, "third_b": OF % 3 == 1, "third_c": OF % 3 == 2, "tenth": OF % 10 == 0, "tenth_again": OF % 10 == 0,
}  # fmt: skip
"""Of three that err on other thirds two are always right; two err on the same tenth."""
KNOWN = {name: np.where(wrong, 1 - LABEL, LABEL) for name, wrong in WRONG.items()}
GENERATOR = np.random.default_rng(0)
NOISE = {f"noise_{i}": GENERATOR.integers(0, 2, len(LABEL)) for i in range(9)}
FEW = {"repeats": 1, "resampling": dxmatch.Resampling(resamples=20)}


def letters(i: int) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[i % 26] * 3 + "abc"[i // 26]


@pytest.fixture(scope="module")
def pairs() -> pd.DataFrame:
    others = ["acute {}", "sore {} thing", "x{}y", "unlike {}"]
    names = [f"{letters(i)}itis" for i in OF]
    return pd.DataFrame(
        {"a": names, "b": [others[j % PER].format(name) for j, name in enumerate(names)], "label": LABEL}
    )


def voted(folder: Path, pairs: pd.DataFrame, votes: dict[str, Any]) -> dxmatch.MatchFunction:
    """An M on these votes, one voter without an answer, and a feature of the words."""
    sets = [{"name": name, "kind": "vote", "model": name, "prompt": "imported"} for name in (*votes, "silent")]
    sets.append({"name": "levenshtein", "kind": "levenshtein"})
    lines = ["\n".join(["[[feature]]", *(f'{key} = "{value}"' for key, value in one.items())]) for one in sets]
    (folder / "set.toml").write_text("\n".join(lines))
    naming = FeatureSet.read(folder / "set.toml").open(Normalizer()).naming
    with VoteStore(folder / "votes.sqlite") as store:
        for name, said in votes.items():
            pairs.assign(verdict=said)[~pd.isna(said)].to_csv(folder / "one.csv", index=False)
            import_table(folder / "one.csv", store, naming=naming, a="a", b="b", verdict="verdict", model=name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lightgbm_engine, "MAX_ROUNDS", 20)
        m = train(pairs, features=folder / "set.toml", asking=Asking(store=folder / "votes.sqlite"), min_coverage=0)
    m.save(folder / "m")
    return m


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory, pairs: pd.DataFrame) -> tuple[Path, dxmatch.MatchFunction]:
    folder = tmp_path_factory.mktemp("known")
    return folder, voted(folder, pairs, KNOWN)


def by_way(found: dxmatch.Audit) -> dict[str, dict[str, Any]]:
    return {row["way"]: row for row in found.voters.to_pylist()}


def test_those_that_are_best_together_are_not_those_that_are_best_alone(known, pairs, capsys) -> None:
    found = dxmatch.audit(known[1], pairs, voters=3, **FEW)
    found.print()
    assert "highest F1 alone" in capsys.readouterr().out and "what the feature silent is worth" in found.left_out
    ways = by_way(found)
    assert ways["together"]["voters"] == "third_a, third_b, third_c"
    assert (ways["together"]["yes"], ways["together"]["f1"], ways["together"]["folds"]) == (2, 1.0, 5)
    alone = ways["highest F1 alone"]
    assert alone["voters"].startswith("tenth, tenth_again") and alone["f1"] == pytest.approx(0.9)
    assert ways["all"]["n"] == ways["all"]["of"] == 5, "the one without an answer is no voter"
    one = by_way(dxmatch.audit(known[1], pairs, voters=1, **FEW))
    assert one["together"]["voters"] == one["highest F1 alone"]["voters"] == "tenth"
    for count in (6, 0):
        with pytest.raises(OptionError, match="'voters'"):
            dxmatch.audit(known[1], pairs, voters=count, **FEW)


def test_each_feature_alone(known, pairs) -> None:
    rows = {row["feature"]: row for row in dxmatch.audit(known[1], pairs, **FEW).alone.to_pylist()}
    for name, votes in KNOWN.items():
        assert rows[name]["rule"] == "as it is" and rows[name]["f1"] == pytest.approx(f1_score(LABEL, votes))
        assert rows[name]["f1_low"] <= rows[name]["f1"] <= rows[name]["f1_high"]
    assert rows["silent"]["f1"] == rows["silent"]["known"] == 0 and rows["silent"]["precision"] is None
    assert rows["levenshtein"]["rule"] == "up to" and next(iter(rows)) == "M"


def test_no_pair_chooses_and_measures(tmp_path: Path, pairs: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    """Voters that are noise: on the pairs that choose them they look better than they are elsewhere. Very many choices are refused;
    an unknown vote is no yes."""
    votes = NOISE | {"half": np.where(LABEL == 1, np.nan, 0.0), "true": LABEL}
    m = voted(tmp_path, pairs, votes)
    ways = by_way(dxmatch.audit(m, pairs[["a", "b"]].assign(label=np.roll(LABEL, 1)), voters=4, **FEW))
    assert ways["together"]["f1_same_pairs"] >= ways["highest F1 alone"]["f1_same_pairs"]
    assert ways["together"]["f1_same_pairs"] > ways["together"]["f1"]
    assert by_way(dxmatch.audit(m, pairs, voters=1, **FEW))["together"]["voters"] == "true"
    monkeypatch.setattr("dxmatch.auditing.voters.MOST_SUBSETS", 3)
    with pytest.raises(OptionError, match="of the 11 features of kind 'vote' with an answer.*at most 3 choices"):
        dxmatch.audit(m, pairs, voters=2, **FEW)
