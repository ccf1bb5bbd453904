"""Top-k accuracy, MRR and nDCG: worked by hand, beside ranx and scikit-learn, and as a section of a report."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dxmatch
from dxmatch.errors import OptionError
from dxmatch.evaluation.families import ranking
from dxmatch.evaluation.metrics.ranking import mrr, ndcg, normalised_gains, top_k_accuracy
from dxmatch.evaluation.statistics.section import Context

from .made import By, SetMatcher, lists_of

SECOND, THIRD = 1 / np.log2(3), 1 / 2  # the discounts of ranks two and three


@pytest.mark.parametrize(
    ("gains", "expected"),
    [
        ([[1]], 1),
        ([[0], [1]], SECOND),
        ([[0.25], [0.75], [1]], 0.25 + 0.5 * SECOND + 0.25 * THIRD),  # a rank gains what it adds to the best so far
        ([[1], [1]], 1),
        ([[1, 0], [0, 1]], 1),
        ([[0, 1], [0, 0], [0.5, 0]], (1 + 0.5 * THIRD) / (1 + SECOND)),
        ([[1, 1]], 1),  # one diagnosis that names both
        ([[0, 0]], 0),
    ],
)
def test_ndcg_by_hand(gains, expected):
    assert ndcg([gains], [[True] * len(gains[0])]) == pytest.approx(expected)


def test_ndcg_looks_at_the_first_k_and_at_references_that_are_given():
    gains = np.zeros((1, 3, 2))
    gains[0, 2, 0] = gains[0, 0, 1] = 1
    assert ndcg(gains, [[True, False]]) == THIRD and ndcg(gains, [[True, False]], k=2) == 0
    # three references and k = 2: a list that names two of them first is as good as one can be
    assert ndcg(np.eye(3)[None], [[True] * 3], k=2) == 1
    many = np.stack([np.eye(3)[:, :2], np.zeros((3, 2))])[None]
    assert normalised_gains(many, np.array([[True, True]]), 10).tolist() == [[1, 0]]


def drawn(seed, n=40, ranks=6):
    return np.random.default_rng(seed).permuted(np.tile(np.arange(ranks) == 0, (n, 1)), axis=1)


def test_equal_to_ranx():
    ranx = pytest.importorskip("ranx", reason="the oracle ranx is not installed (extra 'bench')")
    generator = np.random.default_rng(1)
    hits = drawn(0)
    # two right answers in each case; one is found at most
    given = np.ones((len(hits), 2), bool)
    gains = np.zeros((*hits.shape, 2))
    gains[..., 0] = hits
    gains[np.arange(len(hits)), generator.integers(0, 6, len(hits)), 1] = generator.random(len(hits)) < 0.5
    gains[..., 1] *= ~hits
    names = [[f"right {d}" if (d := gains[i, j].argmax()) >= 0 and gains[i, j].any() else f"wrong {j}" for j in range(6)] for i in range(len(hits))]  # fmt: skip
    qrels = ranx.Qrels({f"q{i}": {"right 0": 1, "right 1": 1} for i in range(len(hits))})
    run = ranx.Run({f"q{i}": {name: 6.0 - j for j, name in enumerate(of)} for i, of in enumerate(names)})
    found = ranx.evaluate(qrels, run, ["mrr@10", "ndcg@10", "hit_rate@3"])
    named = gains.any(-1)
    assert [mrr(named), ndcg(gains, given), top_k_accuracy(named, 3)] == pytest.approx(list(found.values()))


def test_equal_to_scikit_learn():
    from sklearn.metrics import ndcg_score, top_k_accuracy_score

    generator = np.random.default_rng(2)
    # one reference, degrees of relevance, and beside the list a right answer that it does not hold: the ideal
    degrees = np.sort(generator.integers(0, 4, (30, 5)) / 4, axis=1)[:, ::-1] * (np.arange(5) == 2)
    truth = np.hstack([degrees, np.ones((30, 1))])
    ranked = np.tile(np.arange(6, 0, -1), (30, 1)).astype(float)
    ideal = np.sort(truth, 1)[:, ::-1] @ (1 / np.log2(np.arange(2, 8)))
    gained = [ndcg_score(t[None], r[None], k=5) for t, r in zip(truth, ranked, strict=True)] * ideal_at(truth, 5)
    assert ndcg(degrees[..., None], np.ones((30, 1), bool), k=5) == pytest.approx(gained.mean()) and (ideal >= 1).all()

    scores, truth = generator.random((50, 6)), generator.integers(0, 6, 50)
    order = np.argsort(-scores, 1)
    for k in (1, 2, 5):
        ours = top_k_accuracy(order == truth[:, None], k)
        assert ours == pytest.approx(top_k_accuracy_score(truth, scores, k=k, labels=range(6)))


def ideal_at(truth, k):
    """scikit-learn's own ideal gain, of the degrees that are there; ours is of naming the reference first: 1."""
    return np.sort(truth, 1)[:, ::-1][:, :k] @ (1 / np.log2(np.arange(2, k + 2)))


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_equal_to_a_plain_loop(seed):
    generator = np.random.default_rng(seed)
    n, ranks, references, k = generator.integers(1, 6, 4)
    gains = generator.integers(0, 5, (n, ranks, references)) / 4
    given = generator.random((n, references)) < 0.6
    given[:, 0] = True
    values = []
    for i in range(n):
        best, total = dict.fromkeys(np.flatnonzero(given[i]).tolist(), 0.0), 0.0
        for j in range(min(k, ranks)):
            for d in best:
                total += max(0, gains[i, j, d] - best[d]) / np.log2(j + 2)
                best[d] = max(best[d], gains[i, j, d])
        values.append(min(1, total / sum(1 / np.log2(j + 2) for j in range(min(k, len(best))))))
    assert ndcg(gains, given, int(k)) == pytest.approx(np.mean(values))


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: top_k_accuracy([[0, 1]], 1), "True and False"),
        (lambda: mrr([[0, 1]]), "True and False"), (lambda: mrr(np.zeros((0, 2), bool)), "at least one case"),
        (lambda: mrr([[True]], k=0), "'k' parameter"),
        (lambda: ndcg([[[2.0]]], [[True]]), "numbers from 0 to 1"), (lambda: ndcg([[[1.0]]], [[False]]), "'given' parameter"),
        (lambda: ndcg([[1.0]], [[True]]), "'gains' parameter"),
    ],
)  # fmt: skip
def test_refused(call, match):
    with pytest.raises(OptionError, match=match):
        call()


# The section of a report

CASES = {
    "one": {"A": ["copd", "heart attack", "mi"], "B": ["mi"], "truth": ["mi"]},
    "two": {"A": ["asthma"], "B": ["gout", "none", "asthma"], "truth": ["asthma", "copd"]},
}


def section_of(lists, matcher=None, k=3, **options):
    context = Context(matcher or SetMatcher(("heart attack", "mi")), k=k, repeats=options.pop("repeats", 20), **options)
    assert ranking.missing(lists, context) is None
    return ranking.compute(lists, context)


def values_of(section):
    return {(row["algorithm"], row["name"]): row["value"] for row in section.rows}


def test_the_section_by_hand():
    section = section_of(lists_of(CASES))
    found = values_of(section)
    for rater, name, expected in (
        ("A", "Acc(M)@1", 1 / 2), ("A", "Acc(M)@3", 1), ("B", "Acc(M)@1", 1 / 2), ("B", "Acc(M)@3", 1),
        ("A", "MRR", (1 / 2 + 1) / 2), ("B", "MRR", (1 + 1 / 3) / 2),
        ("A", "nDCG@10", (SECOND + 1 / (1 + SECOND)) / 2), ("B", "nDCG@10", (1 + THIRD / (1 + SECOND)) / 2),
    ):  # fmt: skip
        assert found[rater, name] == pytest.approx(expected), (rater, name)
    assert section.per_case["MRR"] == pytest.approx([1 / 2, 1, 1, 1 / 3])
    assert section.words == ["The first diagnosis is right: A 50%, B 50% of cases."]
    assert "M's verdict" in section.notes[0]
    assert {row["n_cases"] for row in section.rows} == {2}


@pytest.mark.parametrize(
    ("longest", "k", "ranks"), [(1, 1, [1]), (3, 2, [1, 2, 3]), (5, 3, [1, 3, 5]), (12, 3, [1, 3, 5, 10]), (12, 20, [1, 3, 5, 10, 20])]
)  # fmt: skip
def test_top_k_goes_as_far_as_lists_do(longest, k, ranks):
    lists = lists_of({"one": {"A": [f"d{i}" for i in range(longest)], "truth": [f"d{longest - 1}"]}})
    rows = section_of(lists, By(), k=k, repeats=0).rows
    assert [row["k"] for row in rows if row["metric"] == "Acc"] == ranks
    reached = {row["k"]: row["value"] for row in rows if row["metric"] == "Acc"}
    assert all(value == (rank >= longest) for rank, value in reached.items())


class Telling(By):
    """Tells relations: the answer's last letter is D, to a reference that it names otherwise; 0 cannot be said."""

    def __init__(self):
        super().__init__()
        self.related = []

    def relations(self, a, b):
        self.related += zip(a, b, strict=True)
        return SimpleNamespace(semantic_distance=np.array([1 if x == y else int(y[-1]) for x, y in zip(a, b, strict=True)], np.int8))  # fmt: skip


def test_degrees_come_from_the_relation_model_asked_reference_first_and_once():
    m = Telling()
    lists = lists_of({
        "one": {"A": ["x3", "right"], "B": ["x5", "x2"], "truth": ["right"]},
        "two": {"A": ["x3", "x0"], "B": ["none", "x2"], "truth": ["right"]},
    })  # fmt: skip
    section = section_of(lists, m)
    assert values_of(section)["A", "nDCG@10"] == pytest.approx((1 / 4 + 3 / 4 * SECOND + 1 / 4) / 2)
    assert values_of(section)["B", "nDCG@10"] == pytest.approx(9 / 16 * SECOND)
    assert len(m.related) == len(set(m.related)) == 5 and {a for a, _ in m.related} == {"right"}
    assert section.notes == ["The degrees of relevance in nDCG come from M (a match, else its relation model)."]


def test_the_column_relation_comes_first():
    lists = lists_of(
        {"one": {"A": ["x3", "x4", "right"], "truth": ["left", "right"]}},
        relation=["exact disease group", None, "exact synonym", None, None],
    )
    m = Telling()
    section = section_of(lists, m, repeats=0)
    # x3 by its cell (D = 3) to the first; x4 by M (D = 4) to both, which adds to the second; right by its cell
    gained = 1 / 4 + 1 / 16 * SECOND + 15 / 16 * THIRD
    assert values_of(section)["A", "nDCG@10"] == pytest.approx(gained / (1 + SECOND))
    assert set(m.related) == {("left", "x4"), ("right", "x4")}
    assert "the column relation, and where it is blank from M (a match" in section.notes[0]
    wrong = replace(lists, more={"relation": ["kin", None, "exact synonym"]})
    assert "1 words of the column relation are outside its scale" in section_of(wrong, Telling(), repeats=0).notes[1]


def test_codes_alone(everything):
    from dxmatch.evaluation.lists.reading import read_lists

    frame = everything()
    whole = section_of(read_lists(frame), By())
    codes = section_of(read_lists(frame.drop(columns="reference")), By())
    by_m, by_code = values_of(whole), values_of(codes)
    assert {name for _, name in by_code} == {
        "Acc(code)@1",
        "Acc(code)@3",
        "Acc(category)@1",
        "Acc(category)@3",
        "MRR(code)",
    }
    for rater in "ABXYZ":
        assert by_m[rater, "Acc(code)@3"] == by_code[rater, "Acc(code)@3"] == by_m[rater, "Acc(M)@3"]
        assert by_m[rater, "MRR"] == by_code[rater, "MRR(code)"]
    frame = frame.drop(columns=["reference", "reference_icd10"])
    assert "the column reference" in ranking.missing(read_lists(frame), Context(By()))


def test_lists_that_are_not_there_and_empty_ones():
    lists = lists_of(CASES)
    shorter = lists.lengths.copy()
    shorter[1, 0] = 0
    empty = section_of(replace(lists, lengths=shorter), repeats=0)
    assert values_of(empty)["A", "Acc(M)@3"] == 1 / 2 and values_of(empty)["A", "MRR"] == 1 / 4 and not empty.warnings
    absent = section_of(replace(lists, lengths=shorter, absent=shorter == 0), repeats=0)
    assert values_of(absent)["A", "Acc(M)@3"] == 1 and values_of(absent)["A", "MRR"] == 1 / 2
    assert values_of(absent)["B", "MRR"] == pytest.approx(2 / 3)
    assert [row["n_cases"] for row in absent.rows if row["name"] == "MRR"] == [1, 2]
    assert absent.per_case["MRR"] == [1 / 2, 1, None, pytest.approx(1 / 3)]
    assert absent.warnings[0].startswith("Without a list, of 2 cases: A in 1.")


def test_callable_by_name():
    assert dxmatch.metrics.mrr([[False, True]]) == 0.5
