"""From labelled pairs to a saved model, on the bundled example and on the real pairs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch import AutoGluon, LightGBM, MatchFunction, PairColumns, Reading, Split, Threshold, train
from dxmatch.files.pairs import read_pairs
from dxmatch.files.tables import read_table
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.training.engines import autogluon_engine, lightgbm_engine
from dxmatch.training.engines.fitted import Ensemble, Rows
from dxmatch.training.statistics.split import Groups, held_out

pytestmark = pytest.mark.usefixtures("few_rounds")


@pytest.fixture(scope="module")
def plain(toy_rows: pd.DataFrame, strings_only: Path) -> MatchFunction:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dxmatch.training.engines.lightgbm_engine.MAX_ROUNDS", 40)
        return train(toy_rows.copy(), features=strings_only)


def test_example(example: Path, tmp_path: Path) -> None:
    """What the card says can be computed again from the held-out rows and the saved model alone."""
    held = tmp_path / "held.csv"
    m = train(example / "pairs.csv", split=Split(seed=3, held_out=held))
    of_held = m.metrics["held_out"]
    assert of_held["average_precision"]["value"] > 0.6 and of_held["pairs"] == len(read_table(held))
    loaded = dxmatch.load(m.save(tmp_path / "m"))
    assert loaded.identity == m.identity
    right = loaded.score(held)["match"].to_numpy() == (read_pairs(held, label="label").label == 1)
    assert right.mean() == pytest.approx(of_held["accuracy"]["value"])
    card = (tmp_path / "m" / "CARD.md").read_text("utf-8")
    assert all(part in card for part in ("Held-out references", "Threshold", "average precision", "disease_line"))


def test_each_text_is_read_once(toy_pairs: pd.DataFrame, strings_only: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it is: a side, a reference of its own; and after a feature was dropped."""
    read = Counter[str]()
    usual = Naming._reading
    monkeypatch.setattr(Naming, "_reading", lambda self, text, name: read.update([text]) or usual(self, text, name))
    pairs = toy_pairs.assign(of=[f"system {i % 12}" if i % 2 else a for i, a in enumerate(toy_pairs["a"])])
    columns, engine = PairColumns(group="of"), LightGBM(drop_correlated=0.5)
    train(pairs, features=strings_only, columns=columns, engine=engine, split=Split(refit=True))
    assert set(read) == {*pairs["a"], *pairs["b"], *pairs["of"]} and set(read.values()) == {1}


def test_refit_keeps_the_measurement(plain: MatchFunction, toy_pairs: pd.DataFrame, strings_only: Path) -> None:
    refitted = train(toy_pairs, features=strings_only, split=Split(refit=True))
    assert refitted.metrics == plain.metrics and refitted.identity != plain.identity
    audits = [dxmatch.audit(refitted, some, resampling={"resamples": 20}) for some in (toy_pairs, toy_pairs[1:])]  # type: ignore[arg-type]  # fmt: skip
    assert ["trained on these very pairs" in " ".join(one.words) for one in audits] == [True, False]


def test_for_another_prevalence(
    plain: MatchFunction, toy_pairs: pd.DataFrame, strings_only: Path, tmp_path: Path
) -> None:
    """The odds of every probability are multiplied by one number, the one that the two shares of matches give."""
    rare = train(
        toy_pairs,
        features=strings_only,
        threshold=Threshold(prevalence=0.05),
        split=Split(held_out=tmp_path / "held.csv"),
    )
    a, b = ["organ pain", "mild flu"], ["pain of organs", "flu"]
    odds = [p / (1 - p) for p in (plain.probabilities(a, b), rare.probabilities(a, b))]
    held = pd.read_csv(tmp_path / "held.csv")["label"]
    share = (toy_pairs["label"].sum() - held.sum()) / (len(toy_pairs) - len(held))
    np.testing.assert_allclose(odds[1] / odds[0], (0.05 / 0.95) / (share / (1 - share)), rtol=1e-6)
    assert rare.data["prevalence"] == 0.05 and "prevalence" not in plain.data
    assert "the highest F1, where 5 % of the pairs match" in rare.parts.manifest.decision.rule


def test_what_an_engine_gains_over_the_plain_one(
    plain: MatchFunction, toy_pairs: pd.DataFrame, strings_only: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here it loses, since in the place of a search stands a single split a tree."""

    def stumps(_: AutoGluon, rows: Rows, *, seed: int, progress: Any = None) -> Ensemble:
        return lightgbm_engine.fit(rows, seed=seed, candidates=({"num_leaves": 2, "min_data_in_leaf": 60},))

    monkeypatch.setattr(autogluon_engine, "check_installed", lambda: None)
    monkeypatch.setattr(AutoGluon, "fit", stumps)
    m = train(toy_pairs, features=strings_only, engine=AutoGluon())
    found, part = m.metrics["gain_over_plain"], "held_out_not_identical"
    own, of_plain = (each.metrics[part]["average_precision"]["value"] for each in (m, plain))
    assert (found["measured_on"], found["pairs"], found["groups"]) == (
        part,
        m.metrics[part]["pairs"],
        m.metrics[part]["groups"],
    )
    assert (found["average_precision"], found["plain_average_precision"]) == (own, of_plain) and own < of_plain
    gain = found["gain"]
    assert gain["value"] == own - of_plain and gain["low"] < gain["value"] < gain["high"]
    whole = train(toy_pairs, features=strings_only, engine=AutoGluon(), split=Split(test_share=0)).metrics
    found = whole["gain_over_plain"]
    assert found["measured_on"] == "cross_validated" and found["pairs"] == len(toy_pairs)
    assert found["average_precision"] == whole["cross_validated"]["average_precision"]["value"]
    card = (m.save(tmp_path / "m") / "CARD.md").read_text("utf-8")
    assert f"Average precision {own:.3f}, plain LightGBM {of_plain:.3f}: {gain['value']:+.3f}" in card


def test_the_rule_for_contained_pairs(plain: MatchFunction, toy_pairs: pd.DataFrame, strings_only: Path) -> None:
    """103 of 120 pairs whose one side holds the other's words are labelled 1."""
    aside, match = (train(toy_pairs, features=strings_only, labels={"contained": how}).data for how in ("set-aside", "match"))  # type: ignore[arg-type]  # fmt: skip
    kept = plain.data
    assert (aside["rows"], match["rows"]) == (300 - 17, 300)
    assert (match["matches"], aside["matches"]) == (kept["matches"] + 17, kept["matches"])
    assert [len(data["warnings"]) for data in (kept, aside, match)] == [1, 0, 0]
    assert kept["contained"] == {"rule": "keep", "pairs": 120, "matches": 103}


@pytest.mark.parametrize(
    ("rule", "against", "decided", "rows"), [("majority", 2, 1, 301), ("majority", 1, 0, 299), ("drop", 2, 0, 299)]
)
def test_a_pair_with_two_labels(
    rule: Any, against: int, decided: int, rows: int, toy_pairs: pd.DataFrame, strings_only: Path
) -> None:
    """In either order, and in another spelling of the same words."""
    first = toy_pairs.iloc[0]
    said = pd.DataFrame([{"a": f"({first.b.upper()})", "b": first.a, "label": 1 - first.label}] * against)
    m = train(pd.concat([toy_pairs, said]), features=strings_only, labels={"on_conflict": rule})
    found = m.data["conflicts"]
    assert (m.data["rows"], found["pairs"], found["decided"]) == (rows, 1, decided)


def test_all_references_held_out(toy_pairs: pd.DataFrame, strings_only: Path) -> None:
    """A pool of what an earlier training held out: the reason is said, and no test share mends it."""
    pool = pd.concat([toy_pairs, toy_pairs.assign(a="other " + toy_pairs["a"], b="other " + toy_pairs["b"])])
    rows = pool[held_out(Groups.of(Naming(Normalizer())(pool["a"].tolist())), 0.2, 0)]
    number = rows["a"].nunique()
    said = rf"{number} of {number} reference diagnoses are held out .*test_share. .0. holds none out"
    with pytest.raises(dxmatch.InputError, match=said):
        train(rows, features=strings_only)
    assert train(rows, features=strings_only, split=Split(test_share=0)).data["groups"] == number >= 10
    with pytest.raises(
        dxmatch.InputError, match=r"5 reference diagnoses are too few for 5 folds.*folds. .2. takes fewer"
    ):
        train(toy_pairs[:50], features=strings_only, split=Split(test_share=0))


@pytest.mark.nightly
def test_real_pairs(shared_data: Path, tmp_path: Path) -> None:
    """21,187 pairs: the rows held out are all rows of some references, of the pairs that are understood; how good, well above chance."""
    source, held = shared_data / "craft_md_pairs.csv", tmp_path / "held.csv"
    columns, reading = PairColumns(a="expert", b="algorithm"), Reading(rejects=tmp_path / "rejects.csv")
    m = train(source, columns=columns, split=Split(held_out=held), reading=reading)
    assert len(read_table(tmp_path / "rejects.csv")) == 12 == m.data["set_aside"]
    references = m.providers.naming(read_table(held).column("expert"))
    every = m.providers.naming(text for text in read_table(source).column("expert") if any(map(str.isalnum, text)))
    left_out = sum(name in {*references} for name in every) - len(references)
    assert 0 <= left_out < 60 and 0.15 < len(references) / m.data["rows"] < 0.25
    assert m.metrics["held_out"]["average_precision"]["value"] > 0.85
