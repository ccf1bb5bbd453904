"""Numbers outside what is allowed end in one clear line; those at its edge are counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dxmatch.errors import InputError, ModelError, OptionError
from dxmatch.evaluation.evaluate import evaluate

from .made import By, SetMatcher, long_form

CASES = {"c1": {"A": ["gout", "flu"], "E": ["gout"], "F": ["flu"]}, "c2": {"A": ["flu"], "E": ["flu"], "F": ["flu"]}}
FRAME = long_form(CASES, {"A": "algorithm"})


@pytest.mark.parametrize("wrong", [float("inf"), -float("inf"), 2.0, -1.0, float("nan")])
def test_a_probability_that_is_none(wrong: float) -> None:
    with pytest.raises(ModelError, match="as the probability that"):
        evaluate(FRAME, By(lambda a, b: wrong), bootstrap=0)


def test_as_many_probabilities_as_pairs() -> None:
    class Short(By):
        def probabilities(self, a: Any, b: Any) -> np.ndarray:
            return super().probabilities(a, b)[:-1]

    with pytest.raises(ModelError, match="probabilities for"):
        evaluate(FRAME, Short(), bootstrap=0)


@pytest.mark.parametrize(
    "options",
    [{"k": 0}, {"k": -1}, {"k": 101}, {"k": 1.5}, {"hardness": 2}, {"hardness": -0.1}, {"level": 0}, {"level": 1}, {"bootstrap": -1}, {"seed": -1}],
)  # fmt: skip
def test_an_option_out_of_range(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=next(iter(options))):
        evaluate(FRAME, SetMatcher(), **{"bootstrap": 20, **options})


@pytest.mark.parametrize("rank", [-1, 1.5, 2**63, "first", 1])
def test_a_rank_that_is_none_or_stands_twice(rank: Any) -> None:
    frame = FRAME.astype({"rank": object})
    frame.loc[1, "rank"] = rank
    with pytest.raises(InputError, match="rank|64 bits"):
        evaluate(frame, SetMatcher(), bootstrap=0)


def test_edges_are_counted() -> None:
    one = long_form({"c1": {"A": ["gout"], "E": ["gout"], "F": ["gout"]}}, {"A": "algorithm"})
    for options in ({"k": 100}, {"k": 1}, {"hardness": 0}, {"hardness": 1}):
        report = evaluate(one, SetMatcher(), bootstrap=0, **options)
        assert report.cases == ["c1"]
