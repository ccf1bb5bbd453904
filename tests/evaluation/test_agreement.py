from __future__ import annotations

import math
import warnings
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

import dxmatch
from dxmatch.errors import OptionError
from dxmatch.evaluation.families import agreement
from dxmatch.evaluation.families.group_agreement import cross_case_pairs
from dxmatch.evaluation.lists.reading import read_lists
from dxmatch.evaluation.matches.case_matches import match_cases
from dxmatch.evaluation.matches.categories import top_categories
from dxmatch.evaluation.metrics.agreement import kappa_of_pairs
from dxmatch.evaluation.relative.rates import CaseCounts
from dxmatch.evaluation.statistics.section import Context

answers = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30)


@settings(deadline=None)
@given(answers)
def test_equal_to_scikit_learn(pairs):
    a, b = zip(*pairs, strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        oracle = cohen_kappa_score(a, b)
    assert dxmatch.metrics.cohen_kappa(a, b) == pytest.approx(oracle, abs=1e-12, nan_ok=True)
    assert dxmatch.metrics.cohen_kappa(b, a) == pytest.approx(oracle, abs=1e-12, nan_ok=True)


def table_of(*rows):
    """Raters in rows, a digit or letter for each case, "." where one says nothing -> [cases, raters]."""
    return np.transpose([[-1 if mark == "." else ord(mark) for mark in row] for row in rows])


@pytest.mark.parametrize(
    ("metric", "arguments", "value"),
    [
        # p_o = 3/4; p_e = 2/4 * 3/4 + 2/4 * 1/4 = 1/2
        ("cohen_kappa", ([0, 0, 1, 1], [0, 0, 1, 0]), (1 / 4) / (1 / 2)),
        ("cohen_kappa", ([7, 7], [7, 7]), math.nan),
        # no diagnosis agrees with nothing, like four categories of their own: p_o = 1/3, p_e = 1/9
        ("cohen_kappa", ([0, -1, -1], [0, -1, -1]), (2 / 9) / (8 / 9)),
        ("cohen_kappa", ([-1, -1], [-1, -1]), 0),
        # pairs that agree: 3 of 3, 1 of 3, so P = 2/3; the categories 4/6 and 2/6, so P_e = 20/36
        ("fleiss_kappa", ([[0, 0, 0], [0, 1, 1]],), (24 - 20) / (36 - 20)),
        # three raters who never agree on six categories: P = 0, P_e = 6 * (1/6)^2
        ("fleiss_kappa", ([[0, 1, 2], [3, 4, 5]],), (0 - 1 / 6) / (5 / 6)),
        ("fleiss_kappa", ([[3, 3], [3, 3]],), math.nan),
        # no diagnosis: P = (1 + 0) / 2; P_e = (2/4)^2, to which the two that say nothing add nothing
        ("fleiss_kappa", ([[0, 0], [-1, -1]],), (1 / 2 - 1 / 4) / (3 / 4)),
        # Krippendorff 2011, its three examples: 0.095, 0.692, 0.743.
        # N = 20, 14 zeros and 6 ones; 4 cases of disagreement give o_01 = 4
        ("krippendorff_alpha", (table_of("0100000010", "1110010000"),), 1 - 19 * 4 / (14 * 6)),
        # N = 24: a 4, b 6, c 6, d 6, e 2, so sum n (n - 1) = 104; 9 of 12 agree
        ("krippendorff_alpha", (table_of("aabbdcccedda", "babbbccceddd"),), (23 * 18 - 104) / (24 * 23 - 104)),
        # N = 40 in 11 cases (the last holds one value): 9, 13, 10, 5 and 3 of each, so sum n (n - 1) = 344;
        # values beside their like, over the others of the case: 7 + 10 + 8 + 4 + 3
        ("krippendorff_alpha", (table_of("123321412...", "1233224125.3", ".3332342251.", "12332441251."),),
         (39 * 32 - 344) / (40 * 39 - 344)),
        # cases (a, b) and (b, c), M matches a and b alone: D_o = 1/2; of 6 pairs a-c, b-c, b-c are apart, so D_e = 1/2
        ("krippendorff_alpha_by_distance", ([[0, 1], [1, 2]], [[0, 0, 1], [0, 0, 1], [1, 1, 0]]), 0),
        ("krippendorff_alpha_by_distance", ([[0, 1]], [[0, 0], [0, 0]]), math.nan),
    ],
)  # fmt: skip
def test_by_hand(metric, arguments, value):
    assert getattr(dxmatch.metrics, metric)(*arguments) == pytest.approx(value, nan_ok=True)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 12), st.integers(2, 4), st.integers(0, 10**6))
def test_weights_are_repeated_cases(n, raters, seed):
    generator = np.random.default_rng(seed)
    categories = generator.integers(-1, 4, (n, raters))
    weights = np.bincount(generator.integers(0, n, n), minlength=n).astype(float)
    first, second = np.triu_indices(raters, 1)
    again = np.repeat(categories, weights.astype(int), axis=0)
    expected = [dxmatch.metrics.cohen_kappa(again[:, i], again[:, j]) for i, j in zip(first, second, strict=True)]
    assert kappa_of_pairs(categories, first, second, weights)[0].tolist() == pytest.approx(expected, nan_ok=True)
    mu = np.zeros((1, n, len(first)), np.uint8)
    rates = CaseCounts(mu, None, categories, first, second).rates(weights)
    assert rates.kappa.tolist() == pytest.approx(expected, nan_ok=True)


panels = st.tuples(st.integers(1, 8), st.integers(2, 5), st.integers(1, 5), st.integers(0, 10**6))


def drawn(shape, lowest=0):
    n, raters, count, seed = shape
    return np.random.default_rng(seed).integers(lowest, count, (n, raters))


@settings(deadline=None, max_examples=60)
@given(panels)
def test_fleiss_equals_statsmodels(shape):
    oracle = pytest.importorskip("statsmodels.stats.inter_rater")
    categories = drawn(shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = oracle.fleiss_kappa(oracle.aggregate_raters(categories)[0])
    assert dxmatch.metrics.fleiss_kappa(categories) == pytest.approx(float(expected), abs=1e-12, nan_ok=True)


def naive_alpha(values, distance):
    units = [[v for v in row if v >= 0] for row in values]
    units = [unit for unit in units if len(unit) > 1]
    everything = [v for unit in units for v in unit]
    total = len(everything)
    if total < 2:
        return math.nan
    observed = sum(
        distance(unit[i], unit[j]) / (len(unit) - 1) for unit in units for i in range(len(unit)) for j in range(len(unit)) if i != j
    )  # fmt: skip
    expected = sum(2 * distance(a, b) for a, b in combinations(everything, 2))
    return 1 - (observed / total) / (expected / (total * (total - 1))) if expected else math.nan


@settings(deadline=None, max_examples=60)
@given(panels)
def test_alpha_equals_the_loops(shape):
    values = drawn(shape, -1)
    m = dxmatch.metrics
    alpha = m.krippendorff_alpha(values)
    assert alpha == pytest.approx(naive_alpha(values, lambda a, b: a != b), abs=1e-12, nan_ok=True)
    assert m.krippendorff_alpha_by_distance(values, 1 - np.eye(5)) == pytest.approx(alpha, abs=1e-12, nan_ok=True)
    half = np.triu(np.random.default_rng(shape[3]).random((5, 5)), 1)
    distance = half + half.T
    expected = naive_alpha(values, lambda a, b: distance[a, b])
    assert m.krippendorff_alpha_by_distance(values, distance) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(
    ("metric", "arguments", "words"),
    [
        *(("cohen_kappa", a, "must be") for a in (([], []), ([0.5], [1]), ([[0]], [[0]]), ([-2], [0]), ([0], [0, 1]))),
        ("fleiss_kappa", ([[0]],), "at least one case and two raters"),
        ("fleiss_kappa", ([[0.5, 1]],), "whole numbers"),
        ("krippendorff_alpha", ([[-2, 0]],), "-1 or more"),
        ("krippendorff_alpha", (np.zeros((0, 2), int),), "at least one case"),
        ("krippendorff_alpha_by_distance", ([[0, 2]], np.zeros((2, 2))), "s above 2"),
        ("krippendorff_alpha_by_distance", ([[0, 1]], [[0, 1], [0, 0]]), "symmetric"),
        ("krippendorff_alpha_by_distance", ([[0, 1]], [[1, 1], [1, 0]]), "0 on the diagonal"),
    ],
)
def test_refused(metric, arguments, words):
    with pytest.raises(OptionError, match=words):
        getattr(dxmatch.metrics, metric)(*arguments)


def test_categories_join_what_matches_within_a_case(set_matcher):
    # a~b in case 0, b~c in case 1: one category. a and c meet in case 2 and agree by that chain alone.
    # d~e, but they never meet in a case, so nobody asks: two categories. "D" is "d" by its letters.
    strings = ["D", "a", "b", "c", "d", "e"]
    entries = np.array([[1, 2], [2, 3], [1, 3], [4, 4], [0, -1], [5, 1]], np.int32)
    matcher = set_matcher(("a", "b"), ("b", "c"), ("d", "e"))
    first, second = np.array([0]), np.array([1])
    matches = match_cases(entries[:, :, None], first, second, strings, matcher)
    found = top_categories(matches)
    abc, d, e = found.of[0, 0], found.of[3, 0], found.of[5, 0]
    assert found.of.tolist() == [[abc, abc], [abc, abc], [abc, abc], [d, d], [d, -1], [e, abc]]
    assert len({abc, d, e}) == found.count == 3
    assert (found.agreements, found.chained) == (4, 1)
    assert frozenset(("d", "e")) not in matcher.asked


WORDS = [f"disease {letter}" for letter in "abcdef"]


@pytest.fixture
def panel_lists(to_frame):
    """40 cases, an algorithm A and three experts who mostly follow a common list; some say nothing."""
    generator = np.random.default_rng(7)
    cases = {}
    for i in range(40):
        right = generator.integers(0, 6)
        said = {r: WORDS[right if generator.random() < 0.6 else generator.integers(0, 6)] for r in "AXYZ"}
        cases[f"c{i:02}"] = {r: [word if generator.random() < 0.9 else "none"] for r, word in said.items()}
    return read_lists(to_frame(cases, {"A": "algorithm"}), no_diagnosis=["none"])


def test_section(panel_lists, set_matcher):
    """Every value is that of the declared metric on the same first diagnoses."""
    matcher = set_matcher((WORDS[0], WORDS[1]), (WORDS[2], WORDS[3]))
    section = agreement.compute(panel_lists, Context(matcher, repeats=200))
    rows = {row["name"]: row for row in section.rows}
    assert len(rows) == 12 and {row["algorithm"] for row in section.rows} == {"A"}
    said, category = panel_lists.top(1)[:, :, 0], np.array([0, 0, 2, 2, 4, 5, -1])
    m, joined, distance = dxmatch.metrics, category[said], category[:6, None] != category[:6]
    for of, raters in (("experts", [1, 2, 3]), ("with the algorithm", [0, 1, 2, 3])):
        kappas = [m.cohen_kappa(joined[:, i], joined[:, j]) for i, j in combinations(raters, 2)]
        for name, expected in (
            ("kappa", np.mean(kappas)),
            ("kappa_F", m.fleiss_kappa(joined[:, raters])),
            ("alpha", m.krippendorff_alpha(joined[:, raters])),
            ("alpha_M", m.krippendorff_alpha_by_distance(said[:, raters].clip(-1), distance.astype(float))),
        ):
            row = rows[f"{name}({of})"]
            assert row["value"] == pytest.approx(expected) and row["n_pairs"] == len(kappas)
    for metric in ("kappa", "kappa_F", "alpha", "alpha_M"):
        among, together, change = (rows[f"{metric}({of})"] for of in agreement.GROUPS)
        assert change["value"] == pytest.approx(together["value"] - among["value"])
        assert change["low"] <= change["value"] <= change["high"] and among["low"] < among["value"] < among["high"]
    assert section.words[0].startswith("Counted as one more expert, A ") and "among the 3 experts" in section.words[0]
    assert not section.notes


def test_resamples_are_the_cases_taken_so_often(panel_lists, set_matcher):
    from dxmatch.evaluation.families.group_agreement import FirstDiagnoses, group_agreement, non_matches
    from dxmatch.evaluation.statistics.bootstrap import case_weights

    matcher = set_matcher((WORDS[0], WORDS[1]))
    entries = panel_lists.top(1)[:, :, 0]
    first, second = np.triu_indices(4, 1)

    def parts(rows):
        taken = entries[rows]
        matches = match_cases(taken[:, :, None], first, second, panel_lists.strings, matcher)
        categories = top_categories(matches).of
        said = FirstDiagnoses(taken, categories, non_matches(matches))
        return said, cross_case_pairs(taken, panel_lists.strings, matcher, 0)

    groups = [np.array([1, 2, 3]), np.arange(4)]
    _, repeats = group_agreement(*parts(np.arange(40)), groups, 5, 3)
    for again, weight in zip(repeats, next(case_weights(40, 5, 3)), strict=True):
        plain, _ = group_agreement(*parts(np.repeat(np.arange(40), weight.astype(int))), groups, 0, 0)
        assert again.tolist() == [pytest.approx(row, abs=1e-12) for row in plain.tolist()]


def test_strangers_are_drawn_where_there_are_too_many(monkeypatch, panel_lists, set_matcher):
    entries = panel_lists.top(1)[:, :, 0]
    every = cross_case_pairs(entries, panel_lists.strings, set_matcher(), 0)
    said = int((entries >= 0).sum())
    assert every.asked == every.all == said * (said - 1) // 2
    share = len(every.one) / every.asked
    monkeypatch.setattr("dxmatch.evaluation.families.group_agreement.MAX_PAIRS", 5000)
    some = cross_case_pairs(entries, panel_lists.strings, set_matcher(), 0)
    assert (some.asked, some.all) == (5000, every.all)
    assert len(some.one) / 5000 == pytest.approx(share, abs=0.02)
    assert (some.one != some.other).all()
    exact = agreement.compute(panel_lists, Context(set_matcher(), repeats=0))
    monkeypatch.undo()
    whole = agreement.compute(panel_lists, Context(set_matcher(), repeats=0))
    for row, other in zip(exact.rows, whole.rows, strict=True):
        assert row["value"] == pytest.approx(other["value"], abs=0.02)
    assert "estimated from 5,000 pairs of first diagnoses" in exact.notes[0] and not whole.notes


def test_each_in_turn_where_nobody_is_an_algorithm(panel, to_frame, hand_matcher):
    lists, context = read_lists(to_frame(panel)), Context(hand_matcher, repeats=0)
    section = agreement.compute(lists, context)
    assert [row["algorithm"] for row in section.rows[::12]] == list("AXYZ")
    together = [row["value"] for row in section.rows if row["name"] == "alpha(with the algorithm)"]
    assert len(set(together)) == 1 and not section.words
    assert {row["of"] for row in section.rows} == {"other models", "with the algorithm", "change"}
    assert agreement.missing(lists, context) is None
    assert agreement.missing(read_lists(to_frame(panel), algorithms=["A", "X", "Y"]), context) == "a second expert"


def test_models_among_themselves_are_no_experts(panel_lists, set_matcher):
    section = agreement.compute(replace(panel_lists, roles=None), Context(set_matcher(), repeats=100))
    assert section.words[0].startswith("Counted as one more model, ") and "among the 3 other models" in section.words[0]
    assert "expert" not in " ".join([*section.words, *(row["name"] for row in section.rows)])
    two = replace(panel_lists, roles=None).of_raters([0, 1])
    assert agreement.missing(two, Context(set_matcher())) == "a third model"


def test_nobody_says_anything(to_frame, set_matcher):
    frame = to_frame({c: {r: ["none"] for r in "AXY"} for c in ("one", "two")}, {"A": "algorithm"})
    lists = read_lists(frame, no_diagnosis=["none"])
    rows = agreement.compute(lists, Context(set_matcher(), repeats=20)).rows
    by_name = {row["name"]: row for row in rows}
    assert by_name["alpha(experts)"]["value"] is None and by_name["alpha_M(change)"]["value"] is None
    assert "hardly any gives one" in by_name["alpha(experts)"]["reason"]
