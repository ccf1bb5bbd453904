from __future__ import annotations

from pathlib import Path

from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.pairs_asked import pairs_asked

from .made import By


def test_what_an_evaluation_asks_is_what_was_told(example: Path) -> None:
    """Also where every pair matches, so what is asked does not hang on the answers."""
    m = By(lambda a, b: 1.0)
    m.rests_on_votes = True
    evaluate(example / "lists.csv", m, k=2, no_diagnosis=["none"], bootstrap=0)
    told = pairs_asked(example / "lists.csv", k=2, no_diagnosis=["none"]).to_pylist()
    assert {frozenset((row["a"], row["b"])) for row in told} == set(m.asked)
    assert len(told) == len(set(m.asked)) > 100
