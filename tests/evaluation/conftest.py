from __future__ import annotations

from typing import Any

import pytest

from .made import By, SetMatcher, lists_of_everything, scored


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


@pytest.fixture(scope="session")
def same_text() -> By:
    """Equal strings match, in any case; strings that begin alike nearly do."""
    m = By(lambda x, y: 1.0 if x.casefold() == y.casefold() else 0.3 * (x[:2] == y[:2]))
    m.identity = "same text"
    return m


@pytest.fixture(scope="session")
def full_report(same_text: By) -> Any:
    """An evaluation in which every family has its section, every chart its data, and the cases a column of groups."""
    frame = lists_of_everything()
    frame["ward"] = frame["case_id"].map(lambda case: ["heart", "lungs", None][int(case[1:]) % 3])
    return scored(frame, None, same_text, k=3, resamples=60, by="ward")
