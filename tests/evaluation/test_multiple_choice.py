"""Multiple choice: the shifts, the letters, the accuracy over the shifts."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dxmatch
from dxmatch.errors import OptionError
from dxmatch.evaluation.metrics.multiple_choice import letter_of, option_at, shifted, shifts

NAN = float("nan")


@pytest.mark.parametrize(
    ("correct", "accuracy", "spread"),
    [
        # under shifts 1, 2, 3 of 4 questions: 3/4, 2/4, 4/4; mean 3/4; sd sqrt((0 + 1/16 + 1/16) / 2)
        ([[1, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 1]], 3 / 4, (1 / 16) ** 0.5),
        (np.array([[1, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 1]], bool), 3 / 4, (1 / 16) ** 0.5),
        # the second question has two options, so one shift: shift 1 is 1/2, shift 2 is 1/1
        ([[1, 0], [1, NAN]], 3 / 4, (2 * (1 / 4) ** 2) ** 0.5),
        ([[1, 0, 1]], 2 / 3, NAN),
    ],
)
def test_mean_and_spread_by_hand(correct, accuracy, spread):
    assert dxmatch.metrics.choice_accuracy(correct) == pytest.approx(accuracy)
    assert dxmatch.metrics.choice_spread(correct) == pytest.approx(spread, nan_ok=True)


@pytest.mark.parametrize("correct", [[], [[]], [1, 0], [[2, 0]], [[0.5]], [[1], [NAN]]])
def test_refused(correct):
    for metric in (dxmatch.metrics.choice_accuracy, dxmatch.metrics.choice_spread):
        with pytest.raises(OptionError, match="'correct' parameter"):
            metric(correct)


def test_shifts():
    assert [list(shifts(options)) for options in (2, 3, 4, 5, 9)] == [
        [1],
        [1, 2],
        [1, 2, 3],
        [1, 2, 3, 4],
        [1, 2, 3, 4],
    ]
    assert shifted(["a", "b", "c", "d"], 1) == ["d", "a", "b", "c"]
    assert shifted(["a", "b", "c", "d"], 3) == ["b", "c", "d", "a"]


@pytest.mark.parametrize("options", [0, 1, 27, True, 2.0])
def test_too_few_or_too_many_options(options):
    with pytest.raises(OptionError, match="'n_options' parameter must be a whole number from 2 to 26"):
        shifts(options)


@settings(deadline=None)
@given(st.lists(st.text(), min_size=2, max_size=9), st.integers(0, 12))
def test_the_letter_leads_back(options, by):
    moved = shifted(options, by)
    assert sorted(moved) == sorted(options)
    for place, option in enumerate(moved):
        assert options[option_at(place, by, len(options))] == option
    assert shifted(options, len(options)) == options


@pytest.mark.parametrize("text", [
    "Answer: B", "answer: b", "Answer: (B)", "Answer: (b).", "**Answer:** b.", "**Answer**: (B)", "**Answer: B**", "Answer: **B**", "Answer: `B`",
    "Answer: [B]", "Answer: $B$", "Answer: \\boxed{B}", "Answer = B", "Answer:\n\nB", "Answer:B", "Answer: B\n", "Final answer: B", "My answer: option B",
    "Answer is: B", "The answer is: b", "The answer is B", "The answer is B.", "The correct answer is (B).", "The answer is **B**", '{"answer": "B"}',
    "Answer: B) myocardial infarction", "Answer: B. Myocardial infarction", "Answer: B: infarction", "Answer: B - infarction", "Answer: B, since A is rare",
    "First A, then C come to mind.\nAnswer: B", "A is wrong. C is wrong. Answer: B", "Answer: B\n\nI repeat, the answer is B.",
    "<think>Answer: A</think>Answer: B", "B", "b", "(B)", "B.", "**B**", " B \n", "Option B",
])  # fmt: skip
def test_letter(text):
    assert letter_of(text, 4) == 1


@pytest.mark.parametrize("text", [
    "", " ", "Answer:", "Answer: both", "Answer: none of them", "Answer: E", "Answer: Z", "Answer: 2", "Answer: B\nAnswer: C", "Answer: B, C", "Answer: B and C",
    "Answer: B/C", "Answer: A or (B)", "Answer: (A) or (B)", "Answer: A & B", "Answer: a stroke", "The answer is a stroke", "The answer is A fib",
    "the answer is c", "The answer is B because it fits", "B) myocardial infarction", "E. coli infection", "I would say B", "I think it is a stroke",
    "Answers vary: B", "<think>Answer: B</think>", "Answer - B", "AB", "A B", "The patient has vitamin B deficiency",
])  # fmt: skip
def test_no_letter(text):
    assert letter_of(text, 4) is None


def test_a_letter_beyond_the_options_is_none():
    assert letter_of("Answer: D", 4) == 3
    assert letter_of("Answer: D", 3) is None


@settings(deadline=None, max_examples=200)
@given(st.text() | st.text("Answer: is(ABCDor)*\n.,"))
def test_any_text_gives_a_place_or_none(text):
    assert letter_of(text, 4) in (None, 0, 1, 2, 3)


@pytest.mark.parametrize(
    "piece",
    ["answer ", "Answer: ", "answer:(", "answer is ", "*", " ", "A, ", "\\a", "answer: a)", "answer is\n", "option "],
)
def test_no_text_takes_long(piece):
    start = time.process_time()
    letter_of("answer:" + piece * 5_000, 4)
    letter_of(piece * 5_000, 4)
    assert time.process_time() - start < 0.5
