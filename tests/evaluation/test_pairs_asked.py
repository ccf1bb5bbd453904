from __future__ import annotations

from pathlib import Path

import numpy as np

from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.pairs_asked import pairs_asked


class Counting:
    threshold = 0.5
    rests_on_votes = True

    def __init__(self) -> None:
        self.asked: set[tuple[str, str]] = set()

    def probabilities(self, a: list[str], b: list[str]) -> np.ndarray:
        self.asked |= set(zip(a, b, strict=True))
        return np.ones(len(a))


def test_what_an_evaluation_asks_is_what_was_told(example: Path) -> None:
    """Also where every pair matches, so what is asked does not hang on the answers."""
    m = Counting()
    evaluate(example / "lists.csv", m, k=2, no_diagnosis=["none"], bootstrap=0)
    told = pairs_asked(example / "lists.csv", k=2, no_diagnosis=["none"])
    assert set(zip(told["a"].to_pylist(), told["b"].to_pylist(), strict=True)) == m.asked
    assert told.num_rows == len(m.asked) > 100
