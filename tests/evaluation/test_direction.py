"""An M that depends on the order of its two diagnoses is told above the figures."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.matches.direction import PAIRS

from .made import By, long_form

CASES = {
    f"case {i}": {"truth": [f"disease {i}"], "A": [f"disease {i}", f"other {i}"], "B": [f"third {i}"]}
    for i in range(300)
}
FRAME = long_form(CASES, {"truth": "reference", "A": "algorithm", "B": "algorithm"})


def told(matcher: By) -> list[str]:
    report = evaluate(FRAME, matcher, k=2, bootstrap=0, metrics="ranking")
    return [text for text in report.warnings if "not symmetric" in text]


@pytest.mark.parametrize(
    ("probability", "said"),
    [
        (lambda a, b: 0.9 if a < b else 0.2, "64 have another probability, and 64 another verdict"),
        (lambda a, b: 0.9 if a < b else 0.8, "64 have another probability, and 0 another verdict"),
        (lambda a, b: 0.5 if a < b else 0.4999, "0 have another probability, and 64 another verdict"),
    ],
)
def test_an_m_that_looks_one_way_is_told_with_an_example(probability: Callable[[str, str], float], said: str) -> None:
    (text,) = told(By(probability))
    assert said in text
    assert "'disease" in text or "'other" in text


@pytest.mark.parametrize("probability", [lambda a, b: 0.3, lambda a, b: 0.3 + (a < b) * 1e-5])
def test_a_symmetric_one_is_not_and_noise_is_none(probability: Callable[[str, str], float]) -> None:
    assert told(By(probability)) == []


def test_the_question_costs_one_bounded_call() -> None:
    matcher = By()
    told(matcher)
    assert PAIRS * 2 in matcher.calls
    both = By()
    both.rests_on_votes = True  # pyright: ignore[reportAttributeAccessIssue]
    told(both)
    assert sum(matcher.calls) == sum(both.calls) + PAIRS * 2


def test_an_example_is_hidden_where_cells_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dxmatch.errors.cells_hidden", lambda: True)
    (text,) = told(By(lambda a, b: float(a < b)))
    assert "disease" not in text and "<hidden:" in text
