from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from .made import By, SetMatcher, long_form


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


_CODES = {"pneumonia": "J18.9", "pulmonary embolism": "I26.99", "asthma": "J45.909", "gout": "M10.9", "sepsis": "A41.9"}
_RELATIONS = ("exact synonym", "broad synonym", "exact disease group", "broad disease group", "not related")
_SEVERITIES = ("mild", "moderate", "severe", "critical", "rare")


def lists_of_everything(n: int = 14, rename: dict[str, str] | None = None) -> pd.DataFrame:
    """Lists with every column, so that no family of metrics is left out: A and B judged by X, Y and Z, three each.

    rename : other names for cases, raters and diagnoses.
    """
    generator = np.random.default_rng(5)
    names = rename or {}
    words = list(_CODES)
    rows: list[dict[str, Any]] = []
    for case in range(n):
        reference, severity = words[case % 5], case % 5
        for skill, rater in enumerate("XYAZB"):
            others = [word for word in words if word != reference]
            said = list(generator.permutation(others)[:3])
            if generator.random() < 0.9 - 0.15 * skill:
                said[int(generator.integers(0, 3))] = reference
            for rank, word in enumerate(said, 1):
                off = int(generator.integers(-1, 2))
                rows.append(
                    {
                        "case_id": names.get(f"c{case:02}", f"c{case:02}"),
                        "rater": names.get(rater, rater),
                        "role": "algorithm" if rater in "AB" else "expert",
                        "rank": rank,
                        "diagnosis": names.get(word, word),
                        "icd10": _CODES[word],
                        "severity": _SEVERITIES[int(np.clip(severity + off, 0, 4))],
                        "relation": _RELATIONS[0 if word == reference else int(generator.integers(1, 5))],
                        "reference": names.get(reference, reference),
                        "reference_icd10": _CODES[reference],
                        "reference_severity": _SEVERITIES[severity],
                    }
                )
    return pd.DataFrame(rows)


@pytest.fixture(scope="session")
def everything() -> Callable[..., pd.DataFrame]:
    return lists_of_everything


@pytest.fixture(scope="session")
def same_text() -> By:
    """Equal strings match, in any case; strings that begin alike nearly do."""
    m = By(lambda x, y: 1.0 if x.casefold() == y.casefold() else 0.3 * (x[:2] == y[:2]))
    m.identity = "same text"
    return m


@pytest.fixture(scope="session")
def full_report(same_text: By) -> Any:
    """An evaluation in which every family has its section, and every chart its data."""
    from dxmatch import Resampling
    from dxmatch.evaluation.evaluate import evaluate

    return evaluate(lists_of_everything(), matcher=same_text, k=3, resampling=Resampling(resamples=60))
