"""What is left out is told, and costs what it is worth."""

from __future__ import annotations

import numpy as np
import pytest

from dxmatch.recipe.ablation import Ablation, ablate
from dxmatch.training.examples import Examples, ExtraExamples

from ..training import made

pytestmark = pytest.mark.usefixtures("few_rounds")


def examples(n: int = 600) -> Examples:
    """Column 0 tells matches apart, column 1 hardly; the last ten are equal names, which the trees do not see."""
    rng = np.random.default_rng(0)
    label = (rng.random(n) < 0.3).astype(np.int8)
    table = np.stack([label + rng.normal(0, 0.6, n), 0.3 * label + rng.normal(0, 1, n)], axis=1).astype(np.float32)
    identical = np.arange(n) >= n - 10
    label[identical] = 1
    return made.examples(table, label, [(f"r{i % 60}", f"x{i}") for i in range(n)], identical)


def silver(n: int, seed: int, right: bool, first: str = "s") -> ExtraExamples:
    """right : whether column 0 tells their labels, or the opposite of them."""
    rng = np.random.default_rng(seed)
    label = (np.arange(n) % 2).astype(np.int8)
    told = label if right else 1 - label
    features = np.stack([told + rng.normal(0, 0.6, n), 0.3 * label + rng.normal(0, 1, n)], axis=1).astype(np.float32)
    names = np.array([[f"{first}{i}", f"t{i}"] for i in range(n)], object)
    return ExtraExamples(features, label, np.full(n, 2.0), names, {})


@pytest.fixture
def found() -> Ablation:
    kinds = {"right": silver(200, 1, True), "wrong": silver(400, 2, False), "held out": silver(50, 3, True, "gone")}
    unseen = frozenset(f"gone{i}" for i in range(20))
    return ablate(examples(), kinds, {"told": [0], "hardly": [1]}, [0, 0], repeats=200, unseen=unseen)


def test_a_change_has_the_sign_and_the_size_of_what_is_lost(found: Ablation) -> None:
    rows = {row.name: row for row in found.rows}
    for row in found.rows[1:]:
        for change, value, whole in (
            (row.average_precision_change, row.average_precision, found.rows[0].average_precision),
            (row.f1_change, row.f1, found.rows[0].f1),
        ):
            assert change is not None and change.low is not None and change.high is not None
            assert change.value == pytest.approx(value - whole)
            assert change.low <= change.value + 0.05 and change.high >= change.value - 0.05
    told, wrong = rows["told"].average_precision_change, rows["wrong"].average_precision_change
    assert told is not None and told.high is not None and told.high < 0
    assert wrong is not None and wrong.low is not None and wrong.low > 0
