"""Correction for the match function's own errors: by hand, against the published estimator, and by how often its intervals hold."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import InputError
from dxmatch.evaluation.match.options import Panel
from dxmatch.evaluation.read.lists import panels
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.evaluation.score import correction
from dxmatch.evaluation.score import panels as relative
from dxmatch.evaluation.score.prediction_powered import CorrectedByCases, CorrectedByPairs, power_tuning
from dxmatch.stats.resampling import CaseMeans, Resampling

from ..made import SetMatcher, long_form
from .made import Scored, matched

NONE = Resampling(resamples=0)


def data(statistic, n):
    return statistic(np.ones((1, n)))[0]


def again(statistic, n, resampling):
    return resampling.resampled(statistic, [f"{i:05}" for i in range(n)])


@pytest.mark.parametrize(
    ("tuning", "expected"),
    [
        # P by M = 3/8. Of 5 labelled places M misses 1, so of the 7 places that it could err on 7/5
        (1.0, (3 + 7 / 5) / 8),
        # labels alone: 4 of 5 labelled places match
        (0.0, (1 + 7 * 4 / 5) / 8),
        # half of each
        (0.5, (1 + 2 / 2 + 7 * (4 - 3 / 2) / 5) / 8),
    ],
)
def test_by_pairs_by_hand(tuning, expected):
    """Two cases of four places each; M matches 3 of 8, one of them two equal strings."""
    shared, certain, places = (np.array(rows) / 4 for rows in ([[2.0], [1.0]], [[1.0], [0.0]], [[3.0], [4.0]]))
    held = np.array([[1.0], [1.0], [1.0], [2.0]]) / 4
    labels, verdicts = np.array([1.0, 0, 1, 1]), np.array([1.0, 0, 0, 1])
    found = CorrectedByPairs(shared, certain, places, held, labels, verdicts, NONE, tuning)
    assert data(found, 2).tolist() == pytest.approx([expected])


def test_by_cases_by_hand():
    # by M 1/2, 1/4, 0, 1/4; the experts labelled the first two cases: 1/4 and 1/4
    verdicts, labels = np.array([[0.5], [0.25], [0], [0.25]]), np.array([[0.25], [0.25], [np.nan], [np.nan]])
    assert data(CorrectedByCases(verdicts, labels, 1.0), 4).tolist() == [1 / 4 + (-1 / 4 + 0) / 2]
    assert data(CorrectedByCases(verdicts, labels, 0.0), 4).tolist() == [1 / 4]


@pytest.mark.parametrize(
    ("labels", "verdicts", "expected"),
    [
        # Y - mean = 1/2, -1/2, -1/2, 1/2; f - mean = 1/4, -3/4, 1/4, 1/4: (1/8 + 3/8 - 1/8 + 1/8) / (12/16)
        ([1.0, 0, 0, 1], [1.0, 0, 1, 1], (1 / 2) / (3 / 4)),
        ([1.0, 0], [0.0, 1], 0), ([1.0, 0], [0.0, 0.5], 0), ([0.0, 1], [0.0, 0.5], 1), ([1.0, 0], [1.0, 1], 1),
    ],
)  # fmt: skip
def test_lambda_by_hand(labels, verdicts, expected):
    assert power_tuning(np.array(labels), np.array(verdicts)) == pytest.approx(expected)


def drawn_sample(seed, n=40, rest=200):
    generator = np.random.default_rng(seed)
    truth = generator.random(n + rest) < 0.4
    verdicts = np.where(generator.random(n + rest) < 0.2, ~truth, truth).astype(float)
    return truth[:n].astype(float), verdicts[:n], verdicts[n:], generator.uniform(0.5, 2, n)


def published_mean(labels, verdicts, everything, tuning, weights=None):
    """PPI as published: `lambda mean_N(f) + mean_n(w (Y - lambda f))`, the weights w with mean 1."""
    w = np.ones(len(labels)) if weights is None else weights * len(weights) / weights.sum()
    return tuning * np.mean(everything) + np.mean(w * (labels - tuning * verdicts))


def published_lambda(labels, verdicts, rest):
    """PPI++, eq. 6 for a mean: `cov_n(Y, f) / ((1 + n/N) var_{n+N}(f))`, the second sample being the unlabelled rest."""
    below = (1 + len(labels) / len(rest)) * np.var([*verdicts, *rest], ddof=1)
    return np.mean((labels - labels.mean()) * (verdicts - verdicts.mean())) / below


def published_interval(labels, verdicts, rest, tuning):
    """The normal interval, `var_N(lambda f) / N + var_n(Y - lambda f) / n`."""
    spread = np.var(tuning * rest) / len(rest) + np.var(labels - tuning * verdicts) / len(labels)
    return published_mean(labels, verdicts, rest, tuning) + 1.959964 * np.sqrt(spread) * np.array([-1, 1])


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.4, 1.0]))
def test_equal_to_the_published_mean(seed, tuning):
    """One place in each case and one pair of raters."""
    labels, verdicts, rest, weights = drawn_sample(seed)
    everything = np.concatenate([verdicts, rest])[:, None]
    for weight in (np.ones(len(labels)), weights):
        ours = CorrectedByPairs(
            everything, everything * 0, np.ones_like(everything), weight[:, None], labels, verdicts, NONE, tuning
        )
        assert data(ours, len(everything))[0] == pytest.approx(
            published_mean(labels, verdicts, everything, tuning, weight)
        )
    by_case = np.where(np.arange(len(everything))[:, None] < len(labels), np.resize(labels, everything.shape), np.nan)
    ours = CorrectedByCases(everything, by_case, tuning)
    assert data(ours, len(everything))[0] == pytest.approx(published_mean(labels, verdicts, everything, tuning))


def test_lambda_and_interval_are_the_published_ones():
    """Our second sample is everything, theirs the unlabelled rest: one estimator, whose lambda is ours / (1 + n/N)."""
    labels, verdicts, rest, _ = drawn_sample(3, 2000, 8000)
    everything = np.concatenate([verdicts, rest])[:, None]
    ours = CorrectedByPairs(
        everything,
        everything * 0,
        np.ones_like(everything),
        np.ones((2000, 1)),
        labels,
        verdicts,
        Resampling(resamples=999),
    )
    tuning = published_lambda(labels, verdicts, rest)
    assert ours.tuning / (1 + 2000 / 8000) == pytest.approx(tuning, rel=0.02)
    assert data(ours, 10_000)[0] == pytest.approx(published_mean(labels, verdicts, rest, tuning), abs=1e-3)
    published = published_interval(labels, verdicts, rest, tuning)
    found = again(ours, 10_000, Resampling(resamples=999))
    assert (found == again(ours, 10_000, Resampling(resamples=999))).all(), "asked twice, it says the same"
    assert np.quantile(found[:, 0], [0.025, 0.975]).tolist() == pytest.approx(published.tolist(), abs=3e-3)


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
        for name, statistic, value in (
            ("RPAD by pairs", by_pairs, 2 / 3),
            ("RPAD by cases", CorrectedByCases(mu, labels[:, :2]), 2 / 3),
            ("RRAD by cases", CorrectedByCases(chi, labels[:, 2:]), rrad),
            ("RPAD uncorrected", CaseMeans(mu), 2 / 3),
            ("RRAD uncorrected", CaseMeans(chi), rrad),
        ):
            rates = again(statistic, n, resampling)
            low, high = np.quantile(rates[:, 0] / rates[:, 1], [0.025, 0.975])
            held[name] += low <= value <= high
    share = {name: count / runs for name, count in held.items()}
    for name in ("RPAD by pairs", "RPAD by cases", "RRAD by cases"):
        assert 0.93 <= share[name] <= 0.97, share
    assert share["RPAD uncorrected"] < 0.8 and share["RRAD uncorrected"] < 0.85, share


WORDS = [f"disease {letter}" for letter in "abcdefgh"]
EVERY = [frozenset(pair) for pair in combinations(WORDS, 2)]


@pytest.fixture
def world():
    """30 cases, algorithms A and B, experts X, Y, Z; the truth, and an M that errs."""
    generator = np.random.default_rng(5)
    cases = {
        f"c{i:02}": {r: list(generator.choice(WORDS, generator.integers(1, 4))) for r in "ABXYZ"} for i in range(30)
    }
    truth = {pair for pair in EVERY if generator.random() < 0.25}
    by_m = {pair for pair in EVERY if (pair in truth) != (generator.random() < 0.25)}
    return read_lists(long_form(cases, dict.fromkeys("AB", "algorithm"))), SetMatcher(*truth), SetMatcher(*by_m)


def labels_of(pairs, truth, **columns):
    table = pd.DataFrame([sorted(pair) for pair in pairs], columns=["a", "b"])
    return table.assign(label=[int(pair in truth.pairs) for pair in pairs], **columns)


def of_panels(lists, matcher, k):
    return matched(lists, matcher, k, ["relative"], panels=panels(lists))


def corrected(lists, matcher, labelled, k=2, hardness=1.0, denominator="nk2", repeats=50):
    return Scored(
        correction, of_panels(lists, matcher, k), k=k, repeats=repeats,
        panel=Panel(labelled=labelled, hardness=hardness, denominator=denominator),
    )  # fmt: skip


def compared_pairs(lists, case, k):
    """Pairs of different strings that two lists of one case put face to face."""
    tops = [lists.list_of(case, rater)[:k] for rater in lists.raters]
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
        rows = [(case, pair) for case in lists.cases for pair in compared_pairs(lists, case, k)]
        labelled = labels_of([pair for _, pair in rows], truth, case_id=[case for case, _ in rows])
    panel = Panel(hardness=hardness, denominator=denominator)
    known, plain = (
        {
            (row["algorithm"], row["metric"], row["of"]): row["value"]
            for row in Scored(relative, of_panels(lists, m, k), k=k, panel=panel).rows
            if row["k"] == k
        }
        for m in (truth, by_m)
    )
    made = corrected(lists, by_m, labelled, k, hardness, denominator)
    assert len(made.rows) == (12 if by_case else 6)
    for row, compared in zip(made.rows, made.tables["compared"], strict=True):
        same = row["algorithm"], row["metric"], row["of"].removeprefix("corrected").strip()
        assert row["value"] == pytest.approx(known[same], abs=1e-12), row["name"]
        assert compared["by_the_match_function"] == pytest.approx(plain[same]), row["name"]


def test_weights_experts_and_pairs_of_elsewhere(world):
    lists, truth, by_m = world
    labelled = labels_of(EVERY[::2], truth)
    label = labelled["label"]
    three = labelled.drop(columns="label").assign(label_x=label, label_y=label, label_z=1 - label)
    stranger = pd.concat([labelled, pd.DataFrame({"a": ["gout", "flu"], "b": [WORDS[0]] * 2, "label": [1, 0]})])
    rows = [corrected(lists, by_m, table).rows for table in (labelled, three, stranger)]
    assert rows[0] == rows[1] == rows[2]
    made = corrected(lists, by_m, stranger)
    assert made.tables["errors"][0]["elsewhere"] == 2 and made.told["correction"][-1].endswith("were left out: 2.")
    # a pair of weight 2 stands for two: where all have it, nothing changes
    twice, uneven = (corrected(lists, by_m, labelled.assign(weight=w)).rows for w in ([2.0] * 14, [1.0, 3.0] * 7))
    assert twice[2]["value"] == pytest.approx(rows[0][2]["value"]) != uneven[2]["value"]


def test_a_pair_of_raters_without_labels():
    """Optimistic forms need every pair of raters; means do not."""
    frame = long_form({c: {r: [f"{r} {c}"] for r in "AXY"} for c in ("one", "two")}, {"A": "algorithm"})
    labelled = pd.DataFrame({"a": ["A one", "Y two", "A two"], "b": ["X one", "X two", "X two"], "label": [1, 1, 0]})
    average, optimist = (corrected(read_lists(frame), SetMatcher(), labelled, 1, h).rows for h in (1.0, 0.0))
    # A meets X in one of two labelled places, Y in none that is labelled; X and Y meet in the one that is
    assert [row["value"] for row in average] == [1 / 2, 1, 1 / 2]
    assert optimist[2]["value"] is None and optimist[2]["reason"] == "no labelled pair stands between them"


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"a": ["gout"], "b": ["flu"], "label": [1]}, "no labelled pair is made of two diagnoses of the lists"),
        ({"a": [WORDS[0]], "b": [WORDS[1]], "label": [1]}, "fewer than two labelled pairs stand face to face at k = 2"),
        ({"a": WORDS[:2], "b": WORDS[1:3], "label": [1, 2]}, "row 1, column 'label': a label that is not 0 or 1"),
        ({"a": WORDS[:2], "b": WORDS[1:3], "label": [1, 0], "case_id": ["c00", "c99"]}, "row 1, column 'case_id': the lists have no such case"),
        ({"a": WORDS[:2], "b": WORDS[1:3], "label": [1, 0], "case_id": ["c00", "c01"]}, "is not labelled in full: 'disease"),
        ({"a": WORDS[:2], "b": WORDS[1:3], "label": [1, 0], "case_id": ["c00", "c00"]}, "fewer than two cases"),
        ({"a": WORDS[:1], "b": WORDS[1:2], "label": [1], "case_id": ["c00"], "weight": [1]}, "weights go with a sample of pairs"),
    ],
)  # fmt: skip
def test_refused(world, table, words):
    lists, _, by_m = world
    with pytest.raises(InputError, match=words):
        corrected(lists, by_m, pd.DataFrame(table))
