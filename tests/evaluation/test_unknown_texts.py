"""Diagnoses that M does not understand match nothing but their equal, and stand above the figures."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence

import numpy as np
import pytest
from rich.console import Console

from dxmatch.errors import ModelError, NotUnderstoodWarning
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.matches.case_matches import asked

from .made import SetMatcher, long_form

UNKNOWN = {"Herzinfarkt": "another language, or no words", "none": "no diagnosis"}


class Saying(SetMatcher):
    """M by hand that says what it does not understand, and what it reads as another word."""

    def probabilities(self, a: Sequence[str], b: Sequence[str]) -> np.ndarray:
        found = super().probabilities(a, b)
        for row, (one, other) in enumerate(zip(a, b, strict=True)):
            if one != other and (one in UNKNOWN or other in UNKNOWN):
                found[row] = np.nan
        if np.isnan(found).any():
            warnings.warn("not scored", NotUnderstoodWarning, stacklevel=2)
        return found

    def not_understood(self, texts: Sequence[str]) -> dict[str, str]:
        return {text: UNKNOWN[text] for text in texts if text in UNKNOWN}

    def read_as(self, texts: Sequence[str]) -> dict[str, tuple[tuple[str, str], ...]]:
        return {text: (("astma", "asthma"),) for text in texts if "astma" in text}


CASES = {
    f"case {i}": {"gpt": ["Herzinfarkt", "gout"], "A": ["gout", "astma"], "B": ["none", "gout"], "C": ["gout", "Herzinfarkt"]}
    for i in range(3)
}  # fmt: skip
REPORT_LINE = (
    "6 of 21 diagnoses in the lists and 3 of 3 references could not be understood and match nothing but the same words: "
    "'Herzinfarkt' (another language, or no words, 9)."
)
NONE_LINE = "3 of 24 diagnoses in the lists name none ('none' 3). They keep their rank and match nothing."


@pytest.fixture
def report():
    frame = long_form(CASES).assign(reference="Herzinfarkt")
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotUnderstoodWarning)
        return evaluate(frame, Saying(), k=2, algorithms=["gpt"], bootstrap=20)


def test_they_match_nothing_but_their_equal() -> None:
    assert asked(
        Saying(("Herzinfarkt", "gout")), ["Herzinfarkt", "none", "gout"], ["gout", "none", "gout"]
    ).tolist() == [0, 1, 1]


def test_any_other_nan_is_a_broken_matcher() -> None:
    class Broken(Saying):
        def probabilities(self, a: Sequence[str], b: Sequence[str]) -> np.ndarray:
            return np.full(len(a), np.nan)

    with pytest.raises(ModelError, match="gave nan as the probability that 'gout'"):
        asked(Broken(), ["gout"], ["asthma"])


def test_the_report_says_so_above_its_figures(report, tmp_path) -> None:
    assert report.warnings == [NONE_LINE, REPORT_LINE]
    assert str(report).startswith(NONE_LINE)
    assert report.to_dict()["warnings"] == [NONE_LINE, REPORT_LINE]
    out = io.StringIO()
    report.print(Console(file=out, width=1000))
    assert out.getvalue().index("could not be understood") < out.getvalue().index("RPAD")
    page = report.save(tmp_path / "report.html").read_text("utf-8")
    assert page.index("could not be understood") < page.index("RPAD")


def test_the_notes_say_what_was_read_otherwise(report) -> None:
    note = "1 diagnosis was compared with slips of the pen mended: 'astma' as 'asthma'."
    assert note in report.notes


def test_nothing_is_said_where_all_is_understood(hand_matcher, panel, to_frame) -> None:
    assert evaluate(to_frame(panel), hand_matcher, k=2, algorithms=["A"], bootstrap=0).warnings == []


def test_words_that_mix_scripts_are_told_once_above_the_figures() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = evaluate(
            predictions={"m": {"1": ["\N{CYRILLIC SMALL LETTER A}sthma"], "2": ["gout"]}},
            references={"1": "asthma", "2": "g\N{CYRILLIC SMALL LETTER O}ut"}, bootstrap=0,
        )  # fmt: skip
    (said,) = [one for one in report.warnings if "mix Latin and Cyrillic" in one]
    assert "'\N{CYRILLIC SMALL LETTER A}sthma', 'g\N{CYRILLIC SMALL LETTER O}ut'" in said
