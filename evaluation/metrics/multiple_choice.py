"""Multiple choice, asked with the options in several orders: what a model knows, apart from the letters it likes.

The way of a question: `shifted(options, by)` for each of `shifts(len(options))` → the model → `letter_of(answer, n)` → `option_at`
(the place in the original order) → a column of `correct`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import OptionError
from .declaration import declare
from .recall import CLINBENCH_HPB

T = TypeVar("T")

MAX_SHIFTS = 4
_INPUTS = (
    "correct [s, n]: 1 or 0 (True or False), whether question n is answered rightly under shift s; "
    "NaN where a question has too few options for the shift"
)

_OPEN, _SHUT = r"(?:[\s*_`\"'“‘(\[{<$]|\\\w+)*+", r"[*_`\"'”’)\]}>$]*+"
_SECOND = r"\s*(?:,|/|&|\band\b|\bor\b)\s*(?:(?:and|or)\s+)?\W?[A-Za-z](?![^\W_])(?!\s+\w)"


def _letter(name: str, letters: str) -> str:
    """A letter with a mark or the end of the line behind it ("a stroke" names none), and no second ("B and C" names two)."""
    return rf"(?:option\s++)?{_OPEN}(?P<{name}>(?-i:{letters}))(?![^\W_]){_SHUT}(?!{_SECOND})(?:(?<=[)\]}}*])|\s*?(?:[.,;:\-–—]|$))"


_LABELLED = re.compile(
    rf"\banswer{_OPEN}(?:is)?{_SHUT}\s*[:=]{_SHUT}{_OPEN}{_letter('letter', '[A-Za-z]')}"
    rf"|\banswer\s+is\s++{_OPEN}{_letter('capital', '[A-Z]')}",
    re.IGNORECASE | re.MULTILINE,
)
_ALONE = re.compile(rf"{_OPEN}(?:option\s++)?{_OPEN}(?P<letter>[A-Za-z])[\W_]*", re.IGNORECASE)
_THOUGHTS = re.compile(r"(?:\s*<think>.*?</think>)+", re.DOTALL)


def _example(generator: np.random.Generator) -> dict[str, Any]:
    asked, n = int(generator.integers(1, MAX_SHIFTS + 1)), int(generator.integers(1, 7))
    correct = (generator.random((asked, n)) < 0.6).astype(float)
    # of a question with few options the last shifts are missing
    for question in range(1, n):
        correct[int(generator.integers(1, asked + 1)) :, question] = np.nan
    return {"correct": correct}


_OF_SHIFTS: dict[str, Any] = {
    "source": f"{CLINBENCH_HPB}, multiple-choice questions",
    "inputs": _INPUTS,
    "example": _example,
    "axes": {"correct": "shift, question"},
    "order_free": ("shift", "question"),
}
_NO_LETTER = ("an answer without a letter", "not right: the model was asked for one")


@declare(
    symbol="Acc_choice",
    description="The share of multiple-choice questions answered rightly, averaged over the orders of the options.",
    meaning="How often the right option is chosen, however the options are ordered.",
    good="Guessing gives one over the number of options, 0.25 of four; 1 is every question.",
    use="multiple choice",
    avoid="answers are free text",
    formula="Acc_choice = 1/s sum_j Acc_j, Acc_j = sum_i correct_ji / n_j",
    range="[0, 1]",
    denominator="n_j, the questions that have the shift j; s, the number of shifts, min(4, options - 1)",
    degenerate=(("no question", "refused"), _NO_LETTER),
    repeat_free=("shift", "question"),
    grows_with=("correct",),
    **_OF_SHIFTS,
)
def choice_accuracy(correct: ArrayLike) -> float:
    """The mean over the shifts.

    >>> choice_accuracy([[True, True], [True, False]])  # (2/2 + 1/2) / 2
    0.75
    """
    return float(_by_shift(correct).mean())


@declare(
    symbol="sd_choice",
    description="How much the accuracy differs from one order of the options to the next.",
    meaning="How much the accuracy hangs on the order in which options are shown.",
    good="0 is not at all; a model that prefers a letter has more.",
    use="multiple choice in several orders",
    avoid="there is one order",
    formula="sd = sqrt(1/(s-1) sum_j (Acc_j - mean)^2)",
    range="[0, 1]",
    denominator="s - 1, one less than the number of shifts",
    degenerate=(("one shift", "NaN; one value has no spread"), ("no question", "refused"), _NO_LETTER),
    repeat_free=("question",),
    **_OF_SHIFTS,
)
def choice_spread(correct: ArrayLike) -> float:
    """The standard deviation over the shifts."""
    accuracies = _by_shift(correct)
    return float(accuracies.std(ddof=1)) if len(accuracies) > 1 else float("nan")


def _by_shift(correct: ArrayLike) -> NDArray[np.float64]:
    """float64 [s]: the accuracy under each shift."""
    right = np.asarray(correct, float)
    if right.ndim != 2 or not right.size or not np.isin(right[~np.isnan(right)], (0, 1)).all():
        raise OptionError("correct", "1, 0 or NaN, [shifts, questions], with at least one question", correct)
    asked = ~np.isnan(right)
    if not asked.any(1).all():
        raise OptionError("correct", "an array in which each shift has a question", correct)
    return np.where(asked, right, 0).sum(1) / asked.sum(1)


def shifts(n_options: int) -> range:
    """The circular right shifts of a question: 1 … min(4, n - 1). Errors: `OptionError` for fewer than 2 options."""
    if isinstance(n_options, bool) or not isinstance(n_options, int) or not 2 <= n_options <= len(ascii_uppercase):
        raise OptionError("n_options", "a whole number from 2 to 26", n_options)
    return range(1, min(MAX_SHIFTS, n_options - 1) + 1)


def shifted(options: Sequence[T], by: int) -> list[T]:
    """The options moved to the right, those that fall off put in front.

    >>> shifted(["asthma", "copd", "angina"], 1)
    ['angina', 'asthma', 'copd']
    """
    return [options[option_at(place, by, len(options))] for place in range(len(options))]


def option_at(place: int, by: int, n_options: int) -> int:
    """Which of the original options, from 0, stands at `place`, from 0, after a shift."""
    return (place - by) % n_options


def letter_of(answer: str, n_options: int) -> int | None:
    """The place, from 0, of the option whose letter an answer gives; None where it gives none, or more than one.

    The letter stands behind "Answer:", in either case and with marks about it ("**Answer:** (b)"), or is all of the answer.
    "The answer is C" counts with a capital letter, and nothing but a mark behind it: "the answer is a stroke" names none.
    All such places of an answer must agree. Letters in running text, and what stands in `<think>` tags, do not count.

    >>> letter_of("It is sudden and sharp, so … **Answer: (B)**", 4)
    1
    """
    if thoughts := _THOUGHTS.match(answer):
        answer = answer[thoughts.end() :]
    letters = {(found["letter"] or found["capital"]).upper() for found in _LABELLED.finditer(answer)}
    if not letters and (alone := _ALONE.fullmatch(answer)):
        letters = {alone["letter"].upper()}
    if len(letters) != 1:
        return None
    place = ascii_uppercase.index(letters.pop())
    return place if place < n_options else None
