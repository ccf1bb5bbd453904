from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest


class SetMatcher:
    """M given as the set of matching pairs; equal strings match. Counts what it is asked."""

    threshold = 0.5
    identity = "by-hand"

    def __init__(self, *pairs: tuple[str, str]) -> None:
        self.pairs = {frozenset(pair) for pair in pairs}
        self.asked: list[frozenset[str]] = []
        self.calls: list[int] = []

    def probabilities(self, a: Sequence[str], b: Sequence[str]) -> np.ndarray:
        self.calls.append(len(a))
        self.asked += [frozenset(pair) for pair in zip(a, b, strict=True)]
        return np.array([float(x == y or frozenset((x, y)) in self.pairs) for x, y in zip(a, b, strict=True)])


def long_form(cases: dict[str, dict[str, list[str]]], roles: dict[str, str] | None = None) -> pd.DataFrame:
    """{case: {rater: list}} -> the long form."""
    rows: list[dict[str, Any]] = [
        {"case_id": case, "rater": rater, "rank": rank, "diagnosis": diagnosis}
        | ({} if roles is None else {"role": roles.get(rater, "expert")})
        for case, lists in cases.items()
        for rater, diagnoses in lists.items()
        for rank, diagnosis in enumerate(diagnoses, 1)
    ]
    return pd.DataFrame(rows)


@pytest.fixture
def set_matcher() -> type[SetMatcher]:
    return SetMatcher


@pytest.fixture
def to_frame() -> Callable[..., pd.DataFrame]:
    return long_form


@pytest.fixture
def panel() -> dict[str, dict[str, list[str]]]:
    """Two cases, the algorithm A, three experts; by M "heart attack" is "myocardial infarction".

    mu      AX AY AZ   XY XZ YZ        (k = 2)
    one      1  1  0    1  0  1
    two      2  1  1    0  2  1        X says asthma twice: the double sum counts both

    mu      AX AY AZ   XY XZ YZ        (k = 1)
    one      1  1  0    1  0  0
    two      1  0  0    0  0  0
    """
    return {
        "one": {
            "A": ["myocardial infarction", "aortic dissection"],
            "X": ["heart attack", "angina"],
            "Y": ["myocardial infarction", "pulmonary embolism"],
            "Z": ["pneumonia", "pulmonary embolism"],
        },
        "two": {
            "A": ["asthma", "copd"],
            "X": ["asthma", "asthma"],
            "Y": ["copd", "gerd"],
            "Z": ["gerd", "asthma"],
        },
    }


@pytest.fixture
def hand_matcher() -> SetMatcher:
    return SetMatcher(("heart attack", "myocardial infarction"))
