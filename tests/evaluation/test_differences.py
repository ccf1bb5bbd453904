"""Paired differences: p-values of permutations beside scipy, in the shape of rows; who is compared where lists are missing."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.lists.reading import read_lists
from dxmatch.evaluation.metrics.hierarchical import harmonic_mean
from dxmatch.evaluation.statistics import permutation
from dxmatch.evaluation.statistics.differences import difference_rows
from dxmatch.evaluation.statistics.estimates import estimates
from dxmatch.evaluation.statistics.measure import Measure, ratio, the_mean
from dxmatch.evaluation.statistics.section import Context
from dxmatch.evaluation.statistics.significance import holm

from .made import By

CONTEXT = Context(By(), repeats=200, seed=3)


def f1(means):
    return harmonic_mean(means[..., 0], means[..., 1])


def names(n):
    return [f"c{i:04}" for i in range(n)]


def measure(columns, combine=the_mean, raters=None, cases=None):
    n, r = columns[0].shape
    return Measure(
        "mrr", raters or list("ABCDEFGH"[:r]), tuple(columns), np.arange(n) if cases is None else cases, combine
    )  # fmt: skip


def rows_of(*measures, n=None, absent=None):
    cases = names(n or len(measures[0].columns[0]))
    found = estimates(measures, cases, CONTEXT)
    return difference_rows(found, measures[0].raters, cases, CONTEXT, absent)[0]


def every_swap(columns, combine):
    """p of all 2^n swaps of two raters."""
    data = np.stack(columns, -1)  # [n, 2, c]

    def apart(values):
        with np.errstate(invalid="ignore"):
            means = [np.nanmean(values[:, side], axis=0) for side in (0, 1)]
        return abs(float(combine(means[0]) - combine(means[1])))

    found = apart(data)
    beyond = []
    for swap in product([False, True], repeat=len(data)):
        both = data.copy()
        both[list(swap)] = both[list(swap)][:, ::-1]
        beyond.append(apart(both) >= found - 1e-12)
    return np.mean(beyond)


@pytest.mark.parametrize(
    ("combine", "width", "gaps"), [(the_mean, 1, False), (f1, 2, False), (ratio, 2, False), (f1, 2, True)]
)
def test_p_is_that_of_all_permutations(combine, width, gaps):
    generator = np.random.default_rng(width + gaps)
    columns = [generator.random((9, 2)) + np.array([0.25, 0]) for _ in range(width)]
    if gaps:
        columns[0][generator.random((9, 2)) < 0.2] = np.nan
    expected = every_swap(columns, combine)
    (row,) = rows_of(measure(columns, combine))
    assert 0 < expected < 1 and row["p"] == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 9999))


def test_p_is_that_of_scipy():
    generator = np.random.default_rng(0)
    for shift in (0, 0.1, 0.2):
        values = generator.random((60, 2)) + np.array([0, shift])
        theirs = stats.permutation_test(
            (values[:, 0], values[:, 1]), lambda a, b, axis: np.mean(a, axis) - np.mean(b, axis),
            permutation_type="samples", n_resamples=9999, vectorized=True, rng=np.random.default_rng(1),
        ).pvalue  # fmt: skip
        (row,) = rows_of(measure([values]))
        assert row["p"] == pytest.approx(theirs, abs=0.02)


def test_hits_are_the_sign_test():
    """Of cases that only one of two has right, as many as 9 of 10: the exact test of McNemar."""
    values = np.zeros((40, 2))
    values[:9, 0] = values[9, 1] = values[10:30] = 1
    (row,) = rows_of(measure([values]))
    assert row["p"] == pytest.approx(stats.binomtest(1, 10).pvalue, abs=0.006)


@pytest.mark.parametrize("way", ["counted", "normal"])
def test_p_is_right_as_often_as_it_says(way, monkeypatch):
    """Raters of one quality: p is spread evenly from 0 to 1; that of a ratio too."""
    monkeypatch.setattr(permutation, "LEAST_SWAPS", 399)
    monkeypatch.setattr(permutation, "SWAPS_PER_PAIR", 0)
    if way == "normal":
        monkeypatch.setattr(permutation, "_MOST_BITS", 0)
        monkeypatch.setattr(permutation, "_BITS_OF_FEW", 0)
    generator = np.random.default_rng(5)
    found = []
    for _ in range(300):
        above = generator.random((80, 2))
        below = above + generator.random((80, 2))
        case = generator.random((80, 1))
        found.append([row["p"] for row in rows_of(measure([above + case]), measure([above, below], ratio))])
    for p in np.transpose(found):
        assert stats.kstest(p, "uniform").pvalue > 0.01
        assert 0.05 < (p < 0.1).mean() < 0.16


def test_the_normal_approximation_is_near_what_is_counted(monkeypatch):
    generator = np.random.default_rng(7)
    columns = [generator.random((2000, 3)) + np.array([0, 0.01, 0.03]) for _ in range(2)]
    columns[0][generator.random((2000, 3)) < 0.3] = np.nan
    measures = measure(columns[:1]), measure(columns, f1), measure(columns, ratio)
    counted = rows_of(*measures)
    monkeypatch.setattr(permutation, "_MOST_BITS", 0)
    monkeypatch.setattr(permutation, "_BITS_OF_FEW", 0)
    found = estimates(measures, names(2000), CONTEXT)
    approximate, told = difference_rows(found, list("ABC"), names(2000), CONTEXT)
    assert [row["p"] for row in approximate] == pytest.approx([row["p"] for row in counted], abs=0.02)
    assert "for 9 of 9 differences, of the normal approximation" in told[0]


def test_what_differs_in_few_cases_is_counted_however_many_cases_there_are(monkeypatch):
    monkeypatch.setattr(permutation, "_MOST_BITS", 0)
    values = np.ones((3000, 2))
    values[:6, 0] = 0
    found = estimates([measure([values])], names(3000), CONTEXT)
    (row,), told = difference_rows(found, ["A", "B"], names(3000), CONTEXT)
    assert row["p"] == pytest.approx(2 / 2**6, abs=0.007) and "normal" not in told[0]


def test_p_goes_below_a_thousandth_after_correction():
    values = np.random.default_rng(1).random((100, 8)) * 0.1 + np.arange(8)
    rows = rows_of(measure([values]))
    assert len(rows) == 28 and {row["n_comparisons"] for row in rows} == {28}
    assert max(row["p_holm"] for row in rows) < 0.001
    assert [row["p_holm"] for row in rows] == holm([row["p"] for row in rows]).tolist()


def test_blocks_and_the_order_of_cases_change_nothing(monkeypatch):
    generator = np.random.default_rng(2)
    values = generator.random((50, 3))
    whole = rows_of(measure([values]))
    monkeypatch.setattr(permutation, "_BYTES_PER_BLOCK", 8 * 60 * 7)
    assert rows_of(measure([values])) == whole
    shuffled = generator.permutation(50)
    cases = [names(50)[i] for i in shuffled]
    found = estimates([measure([values[shuffled]])], cases, CONTEXT)
    again, _ = difference_rows(found, list("ABC"), cases, CONTEXT)
    for row, other in zip(whole, again, strict=True):
        assert row["p"] == other["p"] and row["low"] == pytest.approx(other["low"])


def test_lists_that_are_missing_leave_the_cases_that_both_have():
    generator = np.random.default_rng(4)
    values = generator.random((30, 3))
    absent = np.zeros((30, 3), bool)
    absent[:10, 0] = True
    gone = np.where(absent, np.nan, values)
    rows = {(row["first"], row["second"]): row for row in rows_of(measure([gone]), absent=absent)}
    assert [rows[pair]["n_cases"] for pair in (("A", "B"), ("A", "C"), ("B", "C"))] == [20, 20, 30]
    assert rows["A", "B"]["value"] == pytest.approx((values[10:, 0] - values[10:, 1]).mean())
    (alone,) = rows_of(measure([values[10:, :2]]))
    assert rows["A", "B"]["p"] == pytest.approx(alone["p"], abs=0.02)
    assert rows["A", "B"]["low"] == pytest.approx(alone["low"], abs=0.05)


def test_metrics_of_other_cases_and_equal_raters():
    values = np.random.default_rng(6).random((20, 1)) * [1, 1]
    rows = rows_of(measure([values]), measure([values[:5]], cases=np.arange(15, 20)), n=20)
    assert [(row["value"], row["low"], row["high"], row["p"], row["n_cases"]) for row in rows] == [(0, None, None, 1, 20), (0, None, None, 1, 5)]  # fmt: skip


def test_of_a_whole_report(everything, same_text):
    report = evaluate(everything(), same_text, bootstrap=50)
    rows = report.difference_rows
    assert {(row["first"], row["second"]) for row in rows} == {("A", "B")}
    symbols = {row["metric"] for row in rows}
    assert symbols == {"RPAD", "RRAD", "P", "R", "Acc", "MRR", "nDCG", "R_disease", "R_patient", "HDP", "HDR", "HDF1",
                       "Semantic", "Severity", "SeverityError", "rescaled", "aggregated"}  # fmt: skip
    chapters = {(row["codes"], row["algorithm"]): row["HDF1"] for row in report.rows_of("hierarchical.chapters")}
    for row in rows:
        if (row["of"], "A") in chapters:
            first, second = (chapters[row["of"], row[side]] for side in ("first", "second"))
            assert row["value"] == pytest.approx(first - second)
            continue
        first, second = (
            report.row(row["metric"], algorithm=row[side], k=row["k"], of=row["of"])["value"] for side in ("first", "second")
        )  # fmt: skip
        assert row["value"] == pytest.approx(first - second) if first is not None else row["value"] is None
    assert list(report.differences.columns)[:7] == ["first", "second", "metric", "of", "k", "name", "value"]
    only = evaluate(everything(), same_text, bootstrap=0, metrics="mrr").difference_rows
    assert {row["metric"] for row in only} == {"MRR"}


@pytest.mark.parametrize(
    "options", [{"hardness": 0.5}, {"hardness": 0.0}, {"denominator": "observed"}, {"in_turn": True}]
)
def test_relative_measures_are_the_ratios_of_the_report(everything, same_text, options):
    """The columns of RPAD and RRAD, put together, are what the rates of the pairs gave."""
    from dxmatch.evaluation.lists.lists import panels
    from dxmatch.evaluation.relative.section import relative_sections

    lists = read_lists(everything())
    own = {name: value for name, value in options.items() if name != "in_turn"}
    context = Context(same_text, k=2, n_cases=14, max_k=3, repeats=30, **own)
    (section,), _ = relative_sections(lists, panels(lists, "in_turn" in options), context, 1000)
    again = estimates([one.measure for one in section.estimates], lists.cases, context)
    for one, other in zip(section.estimates, again, strict=True):
        assert other.value == pytest.approx(one.value) and other.repeats == pytest.approx(one.repeats, nan_ok=True)


@pytest.mark.parametrize("seed", range(3))
def test_p_of_top_k_accuracy_is_that_of_mcnemars_exact_test(seed):
    hits = np.random.default_rng(seed).random((60, 2)) < (0.6, 0.4)
    pairs = permutation.Pairs([hits.astype(float), np.ones((60, 2), bool)], np.array([0]), np.array([1]))
    found = permutation.permutation_test(
        pairs, [permutation.Statistic(np.array([0]), np.array([1]), lambda means: means[..., 0])], seed=0
    )
    one, other = (hits[:, 0] & ~hits[:, 1]).sum(), (hits[:, 1] & ~hits[:, 0]).sum()
    assert found.exact.all()
    assert found.p[0, 0] == pytest.approx(stats.binomtest(int(one), int(one + other)).pvalue)


def test_two_that_are_one_do_not_differ():
    values = np.random.default_rng(0).random((20, 1)).repeat(2, 1)
    pairs = permutation.Pairs([values, np.ones((20, 2), bool)], np.array([0]), np.array([1]))
    found = permutation.permutation_test(
        pairs, [permutation.Statistic(np.array([0]), np.array([1]), lambda means: means[..., 0])], seed=0
    )
    assert found.p.tolist() == [[1.0]] and found.exact.all()
