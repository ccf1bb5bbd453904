"""Correction for the match function's own errors: by hand, and by how often its intervals hold."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from dxmatch import Panel
from dxmatch.evaluation.score.prediction_powered import CorrectedByCases, CorrectedByPairs
from dxmatch.stats.resampling import CaseMeans, Resampling

from ..made import SetMatcher, scored, told, value


def sides(values):
    """[n, 6 pairs of raters] -> the mean over the three with the algorithm, and over the three among the experts."""
    return np.stack([values[:, :3].mean(1), values[:, 3:].mean(1)], 1)


@pytest.mark.slow
def test_coverage():
    """Known truth: 95 % intervals of the corrected RPAD and RRAD hold it 93 to 97 times in 100, the others do not.

    n cases differ in difficulty; two lists have 4 places, each a pair of strings of its own. M misses one match in five,
    and errs on six of a hundred others.
    """
    runs, n, pairs, cases, repeats = 400, 150, 500, 70, 200
    chance = np.repeat([0.2, 0.3], 3)[None, :, None]
    difficulty = np.linspace(0.2, 1.8, 20_001)
    rrad = np.divide(*(np.mean(1 - (1 - p * difficulty) ** 4) for p in (0.2, 0.3)))
    held = defaultdict(int)
    for run in range(runs):
        generator = np.random.default_rng(run)
        truth = generator.random((n, 6, 4)) < chance * generator.uniform(0.2, 1.8, (n, 1, 1))
        by_m = np.where(truth, generator.random(truth.shape) > 0.2, generator.random(truth.shape) < 0.06)
        mu, chi = (sides(by_m.mean(2)), sides(by_m.any(2).astype(float)))
        sample = generator.choice(truth.size, pairs, replace=False)
        _, rater_pair, _ = np.unravel_index(sample, truth.shape)
        resampling = Resampling(resamples=repeats, seed=run)
        by_pairs = CorrectedByPairs(
            mu, mu * 0, np.ones_like(mu), sides(np.eye(6)[rater_pair]), truth.ravel()[sample].astype(float),
            by_m.ravel()[sample].astype(float), resampling,
        )  # fmt: skip
        drawn = generator.choice(n, cases, replace=False)
        labels = np.full((n, 4), np.nan)
        labels[drawn] = np.hstack([sides(truth[drawn].mean(2)), sides(truth[drawn].any(2).astype(float))])
        for name, statistic, true in (
            ("RPAD by pairs", by_pairs, 2 / 3), ("RPAD by cases", CorrectedByCases(mu, labels[:, :2]), 2 / 3),
            ("RRAD by cases", CorrectedByCases(chi, labels[:, 2:]), rrad),
            ("RPAD uncorrected", CaseMeans(mu), 2 / 3), ("RRAD uncorrected", CaseMeans(chi), rrad),
        ):  # fmt: skip
            rates = resampling.resampled(statistic, [f"{i:05}" for i in range(n)])
            low, high = np.quantile(rates[:, 0] / rates[:, 1], [0.025, 0.975])
            held[name] += low <= true <= high
    for name, count in held.items():
        assert count / runs < 0.85 if "uncorrected" in name else 0.93 <= count / runs <= 0.97, held


WORDS = [f"disease {letter}" for letter in "abcdefgh"]
EVERY = [frozenset(pair) for pair in combinations(WORDS, 2)]


@pytest.fixture(scope="module")
def world():
    """30 cases, algorithms A and B, experts X, Y, Z; the truth, and an M that errs."""
    generator = np.random.default_rng(5)
    cases = {
        f"c{i:02}": {r: list(generator.choice(WORDS, generator.integers(1, 4))) for r in "ABXYZ"} for i in range(30)
    }
    truth = {pair for pair in EVERY if generator.random() < 0.25}
    by_m = {pair for pair in EVERY if (pair in truth) != (generator.random() < 0.25)}
    return cases, SetMatcher(*truth), SetMatcher(*by_m)


def labels_of(pairs, truth, **columns):
    table = pd.DataFrame([sorted(pair) for pair in pairs], columns=["a", "b"])
    return table.assign(label=[int(pair in truth.pairs) for pair in pairs], **columns)


def of_panel(lists, m, k=2, **panel):
    return scored(lists, "relative", m, k=k, panel=Panel(**panel))


def corrected(lists, m, labelled, k=2, **panel):
    return of_panel(lists, m, k, labelled=labelled, **panel).rows_of("correction.compared")


def compared_pairs(lists, k):
    """Pairs of different strings that two lists of one case put face to face."""
    tops = [diagnoses[:k] for diagnoses in lists.values()]
    return {frozenset((p, q)) for one, other in combinations(tops, 2) for p in one for q in other if p != q}


@pytest.mark.parametrize(
    ("k", "hardness", "denominator"), [(1, 0.0, "nk2"), (1, 1.0, "nk2"), (3, 0.5, "nk2"), (3, 1.0, "observed")]
)
@pytest.mark.parametrize("by_case", [False, True])
def test_all_labelled_is_the_truth(world, k, hardness, denominator, by_case):
    """Where everything is labelled nothing is left of M: the values are those of an M that knows."""
    lists, truth, by_m = world
    labelled = labels_of(EVERY, truth)
    if by_case:
        rows = [(case, pair) for case in lists for pair in compared_pairs(lists[case], k)]
        labelled = labels_of([pair for _, pair in rows], truth, case_id=[case for case, _ in rows])
    panel = {"hardness": hardness, "denominator": denominator}
    known, plain = (of_panel(lists, m, k, **panel) for m in (truth, by_m))
    rows = corrected(lists, by_m, labelled, k, **panel)
    assert len(rows) == (12 if by_case else 6)
    for row in rows:
        same = row["name"].replace("corrected ", "").replace(", corrected", "").replace("(corrected)", "")
        assert row["value"] == pytest.approx(value(known, row["algorithm"], same), abs=1e-12), row["name"]
        assert row["by_the_match_function"] == pytest.approx(value(plain, row["algorithm"], same)), row["name"]


def test_weights_experts_and_pairs_of_elsewhere(world):
    lists, truth, by_m = world
    labelled = labels_of(EVERY[::2], truth)
    label = labelled["label"]
    three = labelled.drop(columns="label").assign(label_x=label, label_y=label, label_z=1 - label)
    stranger = pd.concat([labelled, pd.DataFrame({"a": ["gout", "flu"], "b": [WORDS[0]] * 2, "label": [1, 0]})])
    rows = [corrected(lists, by_m, table) for table in (labelled, three, stranger)]
    assert rows[0] == rows[1] == rows[2]
    assert "were left out: 2." in told(of_panel(lists, by_m, labelled=stranger), "family")
    # a pair of weight 2 stands for two: where all have it, nothing changes
    twice, uneven = (corrected(lists, by_m, labelled.assign(weight=w)) for w in ([2.0] * 14, [1.0, 3.0] * 7))
    assert twice[2]["value"] == pytest.approx(rows[0][2]["value"]) != uneven[2]["value"]


def test_a_pair_of_raters_without_labels():
    """Optimistic forms need every pair of raters; means do not."""
    lists = {case: {rater: [f"{rater} {case}"] for rater in "AXY"} for case in ("one", "two")}
    labelled = pd.DataFrame({"a": ["A one", "Y two", "A two"], "b": ["X one", "X two", "X two"], "label": [1, 1, 0]})
    average, optimist = (corrected(lists, SetMatcher(), labelled, 1, hardness=h) for h in (1.0, 0.0))
    # A meets X in one of two labelled places, Y in none that is labelled; X and Y meet in the one that is
    assert [row["value"] for row in average] == [1 / 2, 1, 1 / 2]
    assert optimist[2]["value"] is None and optimist[2]["reason"] == "no labelled pair stands between them"
