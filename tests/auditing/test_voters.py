"""Each feature alone, and which voters decide best together: on votes whose errors are known, then from the store to the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score

import dxmatch
from dxmatch.auditing import voters
from dxmatch.auditing.alone import Decisions, alone_rows, yes_by_folds
from dxmatch.auditing.scored_pairs import ScoredPairs, score_pairs
from dxmatch.auditing.voters import voter_rows
from dxmatch.errors import OptionError
from dxmatch.features.feature_set import FeatureSet
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.training.engines import lightgbm_engine
from dxmatch.training.recipe import Recipe
from dxmatch.training.statistics.measure import group_draws
from dxmatch.training.statistics.split import Groups, grouped_folds
from dxmatch.training.train import fit
from dxmatch.votes.answer_tables import import_table
from dxmatch.votes.store.store import VoteStore

REFERENCES, PER = 60, 4
OF = np.repeat(np.arange(REFERENCES), PER)
LABEL = np.tile([1, 1, 0, 0], REFERENCES).astype(np.int8)
WRONG = {
    "third_a": OF % 3 == 0, "third_b": OF % 3 == 1, "third_c": OF % 3 == 2, "tenth": OF % 10 == 0, "tenth_again": OF % 10 == 0,
}  # fmt: skip
"""Of three that err on other thirds two are always right; two err on the same tenth."""
VOTES = {name: np.where(wrong, 1 - LABEL, LABEL).astype(float) for name, wrong in WRONG.items()}
SET = {
    "name": "voters",
    "feature": [
        *({"name": name, "kind": "vote", "model": name, "prompt": "imported"} for name in (*VOTES, "silent")),
        {"name": "levenshtein", "kind": "levenshtein"},
    ],
}


@pytest.fixture(scope="module")
def features() -> FeatureSet:
    return FeatureSet.from_dict(SET)


@pytest.fixture(scope="module")
def of() -> Decisions:
    n = len(LABEL)
    table = np.column_stack([*VOTES.values(), np.full(n, np.nan), 1 - 0.5 * LABEL]).astype(np.float32)
    groups = Groups.of([f"reference {i}" for i in OF])
    text = np.array(["x"] * n, object)
    pairs = ScoredPairs(
        text, text, np.stack([text, text], 1), table, np.zeros(n, bool), LABEL.astype(float), LABEL.astype(float), LABEL, groups, {}, "x", 0
    )  # fmt: skip
    return Decisions(pairs, grouped_folds(groups, LABEL, 5, 0), group_draws(REFERENCES, 40, 0))


def by_way(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["way"]: row for row in rows}


def test_measures_are_those_of_scikit_learn(of: Decisions) -> None:
    said = VOTES["third_a"] == 1
    row = of.measured(said)
    for name, score in (
        ("precision", precision_score), ("recall", recall_score), ("f1", f1_score), ("accuracy", accuracy_score),
    ):  # fmt: skip
        assert row[name] == pytest.approx(score(LABEL, said))
        assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
    weight = of.draws[3][of.pairs.groups.code]
    only = of.measured(np.zeros(len(LABEL), bool))
    assert np.isnan(only["precision"]) and only["recall"] == only["f1"] == 0
    assert f1_score(LABEL, said, sample_weight=weight) <= row["f1_high"] + 0.2


def test_those_that_are_best_together_are_not_those_that_are_best_alone(features: FeatureSet, of: Decisions) -> None:
    ways = by_way(voter_rows(features, of, 3))
    assert ways["together"]["voters"] == "third_a, third_b, third_c"
    assert (ways["together"]["yes"], ways["together"]["f1"], ways["together"]["folds"]) == (2, 1.0, 5)
    alone = ways["highest F1 alone"]
    assert alone["voters"].startswith("tenth, tenth_again") and alone["f1"] == pytest.approx(0.9)
    assert ways["all"]["n"] == ways["all"]["of"] == 5, "the one without an answer is no voter"


def test_one_voter_is_the_best_alone(features: FeatureSet, of: Decisions) -> None:
    ways = by_way(voter_rows(features, of, 1))
    assert ways["together"]["voters"] == ways["highest F1 alone"]["voters"] == "tenth"


def test_no_pair_chooses_and_measures(features: FeatureSet, of: Decisions) -> None:
    """Voters that are noise: on the pairs that choose them they look better than they are elsewhere."""
    noise = np.random.default_rng(0).integers(0, 2, (len(LABEL), 12)).astype(np.float32)
    many = FeatureSet.from_dict(
        {"feature": [{"name": f"v{i}", "kind": "vote", "model": f"v{i}", "prompt": "imported"} for i in range(12)]}
    )
    from dataclasses import replace

    rows = by_way(voter_rows(many, replace(of, pairs=replace(of.pairs, table=noise)), 4))
    assert rows["together"]["f1_same_pairs"] >= rows["highest F1 alone"]["f1_same_pairs"]
    assert rows["together"]["f1_same_pairs"] > rows["together"]["f1"]


def test_of_very_many_one_is_added_after_the_other(
    features: FeatureSet, of: Decisions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(voters, "MOST_SUBSETS", 3)
    ways = by_way(voter_rows(features, of, 3))
    found = ways["together, one after the other"]
    assert found["voters"].startswith("tenth") and found["f1"] >= 0.9


def test_a_vote_that_is_unknown_is_no_yes(features: FeatureSet, of: Decisions) -> None:
    from dataclasses import replace

    table = of.pairs.table.copy()
    table[:, 0] = np.where(LABEL == 1, np.nan, table[:, 0])
    row = by_way(voter_rows(features, replace(of, pairs=replace(of.pairs, table=table)), 5))["together"]
    assert "third_a" in row["voters"]


@pytest.mark.parametrize(
    ("count", "says"),
    [
        (6, "from 1 to 5, the voters that have an answer; no answer at all of silent"),
        (7, "from 1 to 6, the voters"),
        (0, "from 1 to 6"),
    ],
)
def test_refused(features: FeatureSet, of: Decisions, count: int, says: str) -> None:
    with pytest.raises(OptionError, match=says):
        voters.check_voters(count, features)
        voter_rows(features, of, count)


def test_refused_without_votes(matcher, rows) -> None:
    with pytest.raises(OptionError, match="where the feature set 'two' has features of kind 'vote'"):
        dxmatch.audit(matcher, rows, voters=2, bootstrap=20, repeats=1)


def test_a_threshold_comes_from_the_other_folds(of: Decisions) -> None:
    """In one fold the score is turned round: thresholds of the others call its non-matches matches, and its own would not."""
    score = np.where(LABEL == 1, 0.9, 0.6)
    odd = of.fold == 2
    score[odd] = np.where(LABEL[odd] == 1, 0.6, 0.9)
    said = yes_by_folds(score, of)
    assert (said[~odd] == (LABEL[~odd] == 1)).mean() > 0.99
    assert (said[odd] == (LABEL[odd] == 0)).all()


def test_each_feature_alone_by_hand(matcher, rows) -> None:
    """Of 20 references: a specification, a synonym without a shared word, a sibling that shares one of two words, a stranger."""
    pairs = score_pairs(matcher, rows, a="a", b="b", label=None, group=None, rejects=None)
    of = Decisions(pairs, grouped_folds(pairs.groups, pairs.label, 5, 0), group_draws(20, 30, 0))
    m, *alone = alone_rows(matcher, of)
    assert m["feature"] == "M" and m["recall"] == 0.5 and m["pairs"] == 80 and m["matches"] == 40
    by = {row["feature"]: row for row in alone}
    assert by["ratio_unigram"]["rule"] == "from" and by["levenshtein"]["rule"] == "up to"
    said = yes_by_folds(0.5 + 0.5 * pairs.table[:, 0].astype(float), of)
    assert by["ratio_unigram"]["precision"] == pytest.approx(precision_score(pairs.label, said))
    assert by["ratio_unigram"]["f1"] == pytest.approx(f1_score(pairs.label, said))
    assert [row["f1"] for row in alone] == sorted((row["f1"] for row in alone), reverse=True)


@pytest.fixture(scope="module")
def voted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, pd.DataFrame]:
    """A folder with a set and a store of the votes above, and the pairs."""
    folder = tmp_path_factory.mktemp("voted")
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = [f"{letters[i % 26] * 3}{letters[i // 26]}itis" for i in range(REFERENCES)]
    others = ["acute {}", "sore {} thing", "x{}y", "unlike {}"]
    frame = pd.DataFrame(
        {"a": [names[i] for i in OF], "b": [others[j % PER].format(names[i]) for j, i in enumerate(OF)], "label": LABEL}
    )
    toml = "\n".join(
        "\n".join(["[[feature]]", *(f'{key} = "{value}"' for key, value in one.items())]) for one in SET["feature"]
    )
    (folder / "set.toml").write_text(toml)
    naming = FeatureSet.read(folder / "set.toml").open(Normalizer()).naming
    with VoteStore(folder / "votes.sqlite") as store:
        for name, votes in VOTES.items():
            frame.assign(verdict=votes.astype(int)).to_csv(folder / "one.csv", index=False)
            import_table(folder / "one.csv", store, naming=naming, a="a", b="b", verdict="verdict", model=name)
    frame.to_csv(folder / "pairs.csv", index=False)
    return folder, frame


def test_from_the_store_to_the_page(voted, command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, frame = voted
    monkeypatch.setattr(lightgbm_engine, "MAX_ROUNDS", 20)
    store = folder / "votes.sqlite"
    m = fit(frame, Recipe(folder / "set.toml", store=store, min_coverage=0)).matcher
    m.save(tmp_path / "m")
    done = command(
        "audit", folder / "pairs.csv", "-o", tmp_path / "audit", "--model", tmp_path / "m", "--store", store, "--min-coverage", 0,
        "--voters", 3, "--repeats", 1, "--bootstrap", 20,
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "Which voters to ask" in done.out and "Each feature alone" in done.out
    assert "No answer for any pair: silent." in done.out
    found = json.loads((tmp_path / "audit" / "audit.json").read_text("utf-8"))["tables"]
    assert found["voters"][0]["voters"] == "third_a, third_b, third_c"
    alone = {row["feature"]: row for row in found["alone"]}
    assert alone["tenth"]["rule"] == "as it is" and alone["tenth"]["f1"] == pytest.approx(0.9, abs=0.05)
    assert alone["silent"]["f1"] is None and alone["silent"]["reason"] == "it is unknown for every pair"
    page = (tmp_path / "audit" / "audit.html").read_text("utf-8")
    assert "Which voters to ask" in page and "F1 on the pairs that chose" in page
    refused = command(
        "audit", folder / "pairs.csv", "-o", tmp_path / "no", "--model", tmp_path / "m", "--store", store, "--min-coverage", 0,
        "--voters", 9,
    )  # fmt: skip
    assert refused.code == 1 and "--voters must be from 1 to 6" in refused.err
