"""Top-k accuracy, nDCG and recall: beside scikit-learn and plain loops; the degrees of nDCG in lists."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import ndcg_score, top_k_accuracy_score

from dxmatch import metrics

from ..made import By, framed, scored, told, value

SECOND, THIRD = 1 / np.log2(3), 1 / 2  # the discounts of ranks two and three


def test_equal_to_scikit_learn():
    generator = np.random.default_rng(2)
    # one reference in degrees, at the third rank; its ideal is to name it exactly and first: 1
    degrees = generator.integers(0, 4, (30, 5)) / 4 * (np.arange(5) == 2)
    truth, ranked = np.hstack([degrees, np.ones((30, 1))]), np.tile(np.arange(6.0, 0, -1), (30, 1))
    ideal = np.sort(truth, 1)[:, ::-1][:, :5] @ (1 / np.log2(np.arange(2, 7)))
    gained = [ndcg_score(t[None], r[None], k=5) for t, r in zip(truth, ranked, strict=True)] * ideal
    assert metrics.ndcg(degrees[..., None], np.ones((30, 1), bool), k=5) == pytest.approx(gained.mean())
    scores, truth = generator.random((50, 6)), generator.integers(0, 6, 50)
    hits = np.argsort(-scores, 1) == truth[:, None]
    for k in (1, 2, 5):
        theirs = top_k_accuracy_score(truth, scores, k=k, labels=range(6))
        assert metrics.top_k_accuracy(hits, k) == pytest.approx(theirs)


def telling(probability=lambda x, y: 0.0):
    """Tells relations: the answer's last letter is D, to a reference that it names otherwise; 0 cannot be said."""

    def relations(a, b, why=False):
        distance = [1 if x == y else int(y[-1]) if y[-1].isdigit() else 0 for x, y in zip(a, b, strict=True)]
        return SimpleNamespace(semantic_distance=np.array(distance, np.int8), kinds=["related"] * len(a))

    return By(probability, relations=relations)


def test_degrees_come_from_the_relation_model():
    lists = {
        "one": {"A": ["x3", "right"], "B": ["x5", "x2"], "truth": ["right"]},
        "two": {"A": ["x3", "x0"], "B": ["none", "x2"], "truth": ["right"]},
    }
    found = scored(lists, "ranking", telling())
    assert value(found, "A", "nDCG@10") == pytest.approx((1 / 4 + 3 / 4 * SECOND + 1 / 4) / 2)
    assert value(found, "B", "nDCG@10") == pytest.approx(9 / 16 * SECOND)
    assert "its relation model" in told(found, "origin")
    assert "M's verdict" in told(scored(lists, "ranking"), "origin")


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
    m = telling(lambda x, y: " " in x + y)
    assert value(scored(frame, "ranking", m), "A", "nDCG@10") == pytest.approx(gained / (1 + SECOND))
    frame.loc[0, "relation"] = "kin"
    assert "1 words of the column relation" in told(scored(frame, "ranking", m), "origin")
