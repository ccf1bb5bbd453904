"""Top-k accuracy, MRR and nDCG: worked by hand, beside ranx and scikit-learn, and of lists."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from dxmatch.evaluation.score.ranking import mrr, ndcg, top_k_accuracy

from ..made import By, SetMatcher, framed, scored, told, value

SECOND, THIRD = 1 / np.log2(3), 1 / 2  # the discounts of ranks two and three


def test_equal_to_ranx():
    ranx = pytest.importorskip("ranx", reason="the oracle ranx is not installed (extra 'bench')")
    generator = np.random.default_rng(1)
    hits = generator.permuted(np.tile(np.arange(6) == 0, (40, 1)), axis=1)
    gains = np.zeros((40, 6, 2))
    gains[..., 0] = hits
    gains[np.arange(40), generator.integers(0, 6, 40), 1] = generator.random(40) < 0.5
    gains[..., 1] *= ~hits
    names = [[f"right {of[rank].argmax()}" if of[rank].any() else f"wrong {rank}" for rank in range(6)] for of in gains]
    qrels = ranx.Qrels({f"q{i}": {"right 0": 1, "right 1": 1} for i in range(40)})
    run = ranx.Run({f"q{i}": {name: 6.0 - j for j, name in enumerate(of)} for i, of in enumerate(names)})
    found = ranx.evaluate(qrels, run, ["mrr@10", "ndcg@10", "hit_rate@3"])
    named = gains.any(-1)
    ours = [mrr(named), ndcg(gains, np.ones((40, 2), bool)), top_k_accuracy(named, 3)]
    assert ours == pytest.approx(list(found.values()))


def test_equal_to_scikit_learn():
    from sklearn.metrics import ndcg_score, top_k_accuracy_score

    generator = np.random.default_rng(2)
    # one reference in degrees, at the third rank; its ideal is to name it exactly and first: 1
    degrees = generator.integers(0, 4, (30, 5)) / 4 * (np.arange(5) == 2)
    truth, ranked = np.hstack([degrees, np.ones((30, 1))]), np.tile(np.arange(6.0, 0, -1), (30, 1))
    ideal = np.sort(truth, 1)[:, ::-1][:, :5] @ (1 / np.log2(np.arange(2, 7)))
    gained = [ndcg_score(t[None], r[None], k=5) for t, r in zip(truth, ranked, strict=True)] * ideal
    assert ndcg(degrees[..., None], np.ones((30, 1), bool), k=5) == pytest.approx(gained.mean())
    scores, truth = generator.random((50, 6)), generator.integers(0, 6, 50)
    hits = np.argsort(-scores, 1) == truth[:, None]
    for k in (1, 2, 5):
        assert top_k_accuracy(hits, k) == pytest.approx(top_k_accuracy_score(truth, scores, k=k, labels=range(6)))


# Of lists

CASES = {
    "one": {"A": ["copd", "heart attack", "mi"], "B": ["mi"], "truth": ["mi"]},
    "two": {"A": ["asthma"], "B": ["gout", "none", "asthma"], "truth": ["asthma", "copd"]},
}


def test_by_hand():
    found = scored(CASES, "ranking", SetMatcher(("heart attack", "mi")), k=3)
    for rater, name, expected in (
        ("A", "Acc(M)@1", 1 / 2), ("A", "Acc(M)@3", 1), ("B", "Acc(M)@1", 1 / 2), ("B", "Acc(M)@3", 1),
        ("A", "MRR", (1 / 2 + 1) / 2), ("B", "MRR", (1 + 1 / 3) / 2),
        ("A", "nDCG@10", (SECOND + 1 / (1 + SECOND)) / 2), ("B", "nDCG@10", (1 + THIRD / (1 + SECOND)) / 2),
    ):  # fmt: skip
        assert value(found, rater, name) == pytest.approx(expected), (rater, name)
    assert found.per_case_columns["MRR"] == pytest.approx([1 / 2, 1, 1, 1 / 3])
    assert "M's verdict" in told(found, "origin")


class Telling(By):
    """Tells relations: the answer's last letter is D, to a reference that it names otherwise; 0 cannot be said."""

    def relations(self, a, b, why=False):
        distance = [1 if x == y else int(y[-1]) if y[-1].isdigit() else 0 for x, y in zip(a, b, strict=True)]
        return SimpleNamespace(semantic_distance=np.array(distance, np.int8), kinds=["related"] * len(a))


def test_degrees_come_from_the_relation_model():
    lists = {
        "one": {"A": ["x3", "right"], "B": ["x5", "x2"], "truth": ["right"]},
        "two": {"A": ["x3", "x0"], "B": ["none", "x2"], "truth": ["right"]},
    }
    found = scored(lists, "ranking", Telling())
    assert value(found, "A", "nDCG@10") == pytest.approx((1 / 4 + 3 / 4 * SECOND + 1 / 4) / 2)
    assert value(found, "B", "nDCG@10") == pytest.approx(9 / 16 * SECOND)
    assert "its relation model" in told(found, "origin")


@pytest.mark.parametrize(
    ("said", "relation", "gained"),
    [
        # x3 by its cell (D = 3) to the first; x4 by M (D = 4) to both, which adds to the second; right by its cell
        (["x3", "x4", "right"], ["exact disease group", None, "exact synonym"], 1 / 4 + SECOND / 16 + THIRD * 15 / 16),
        # M matches both, the cell speaks of the likelier alone, which is the first
        (["left right"], ["exact disease group"], 1 / 4),
    ],
)
def test_the_column_relation_comes_first(said, relation, gained):
    frame = framed({"one": {"A": said, "truth": ["left", "right"]}}, relation=[*relation, None, None])
    m = Telling(lambda x, y: " " in x + y)
    assert value(scored(frame, "ranking", m), "A", "nDCG@10") == pytest.approx(gained / (1 + SECOND))
    frame.loc[0, "relation"] = "kin"
    assert "1 words of the column relation" in told(scored(frame, "ranking", m), "origin")


def test_category_is_wider_than_code():
    frame = framed({"one": {"A": ["a", "b"], "truth": ["c"]}}, icd10=["C34.91", "J40", "C34.90"])
    found = scored(frame, "ranking")
    assert [value(found, "A", f"Acc({judge})@1") for judge in ("M", "code", "category")] == [0, 0, 1]
