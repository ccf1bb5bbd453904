"""Multiple choice, asked with the options in several orders: what a model knows, apart from the letters it likes.

The way of a question: `shifted(options, by)` for each of `shifts(len(options))` → the model → `votes.prompts.replies.letters_of(answer, options)` →
`option_at` (the place in the original order) → a column of `correct`. `evaluation.choice.choice` goes all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ...errors import OptionError
from .declare import declare
from .scores import Values, mean_of_defined

T = TypeVar("T")

MAX_SHIFTS = 4


_OF_SHIFTS: dict[str, Any] = {"axes": {"correct": "shift, question"}, "repeat_free": ("shift", "question")}


@declare("Acc_choice", grows_with=("correct",), **_OF_SHIFTS)
def choice_accuracy(correct: ArrayLike) -> float:
    """Tells how often the right options are chosen, however the options are ordered.

    Parameters
    ----------
    correct : [s, n], 1 or 0 (True or False), whether question n is answered rightly under shift s; NaN where a
        question has too few options for the shift.

    Returns
    -------
    float, in [0, 1].

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Formula
    -------
    Acc_choice = 1/n sum_i mean_i, mean_i = sum_j correct_ji / s_i

    Denominator
    -----------
    n questions; s_i, the answers to question i: orders of its options x repeats

    Good values
    -----------
    Guessing gives one over the number of options, 0.25 of four; 1 is every question.

    When to use
    -----------
    multiple choice

    When not
    --------
    answers are free text

    Edge cases
    ----------
    a question without an answer : refused
    an answer without a letter : not right: the model was asked for one

    References
    ----------
    ClinBench-HPB, multiple-choice questions
    Li Y, Zeng X, Fang C, Yang J, Jia F, Zhang L. ClinBench-HPB: A Clinical Benchmark for Evaluating LLMs in
        Hepato-Pancreato-Biliary Diseases. 2025. arXiv:2506.00095. <https://doi.org/10.48550/arXiv.2506.00095>

    Examples
    --------
    >>> choice_accuracy([[True, True], [True, False]])  # (2/2 + 1/2) / 2
    0.75
    """
    return float(question_means(correct).mean())


@declare("sd_choice", lower_is_better=True, **_OF_SHIFTS)
def choice_spread(correct: ArrayLike) -> float:
    """Tells how much it hangs on the order in which options are shown whether a question is answered rightly.

    Parameters
    ----------
    correct : [s, n], 1 or 0 (True or False), whether question n is answered rightly under shift s; NaN where a
        question has too few options for the shift.

    Returns
    -------
    float, in [0, 0.5].

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Formula
    -------
    sd = 1/n sum_i sqrt(mean_i (1 - mean_i))

    Denominator
    -----------
    n questions; within a question all of its answers (the population's)

    Good values
    -----------
    0 is not at all; 0.5, the most, is every question right half of the time.

    When to use
    -----------
    multiple choice in several orders

    When not
    --------
    there is one order

    Edge cases
    ----------
    one answer to a question : 0, as in the source
    a question without an answer : refused
    an answer without a letter : not right: the model was asked for one

    References
    ----------
    ClinBench-HPB, multiple-choice questions
    Li Y, Zeng X, Fang C, Yang J, Jia F, Zhang L. ClinBench-HPB: A Clinical Benchmark for Evaluating LLMs in
        Hepato-Pancreato-Biliary Diseases. 2025. arXiv:2506.00095. <https://doi.org/10.48550/arXiv.2506.00095>

    Examples
    --------
    >>> choice_spread([[True, True], [True, False]])  # (0 + 1/2) / 2
    0.25
    """
    means = question_means(correct)
    return float(np.sqrt(means * (1 - means)).mean())


@declare("all_right", grows_with=("correct",), **_OF_SHIFTS)
def choice_all_right(correct: ArrayLike) -> float:
    """Tells how many questions are answered rightly whatever the order, so hardly by chance.

    Parameters
    ----------
    correct : [s, n], 1 or 0 (True or False), whether question n is answered rightly under shift s; NaN where a
        question has too few options for the shift.

    Returns
    -------
    float, in [0, 1].

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Formula
    -------
    all_right = |{i : mean_i = 1}| / n

    Denominator
    -----------
    n questions

    Good values
    -----------
    1 is every question; guessing one of four options in four orders gives 0.004.

    When to use
    -----------
    multiple choice in several orders

    When not
    --------
    questions have different numbers of orders and are to be compared with each other

    Edge cases
    ----------
    a question without an answer : refused
    an answer without a letter : not right: the model was asked for one

    References
    ----------
    ClinBench-HPB, multiple-choice questions
    Li Y, Zeng X, Fang C, Yang J, Jia F, Zhang L. ClinBench-HPB: A Clinical Benchmark for Evaluating LLMs in
        Hepato-Pancreato-Biliary Diseases. 2025. arXiv:2506.00095. <https://doi.org/10.48550/arXiv.2506.00095>
    """
    return float((question_means(correct) == 1).mean())


@declare("any_right", grows_with=("correct",), **_OF_SHIFTS)
def choice_any_right(correct: ArrayLike) -> float:
    """Tells how many questions are answered rightly at least once.

    Parameters
    ----------
    correct : [s, n], 1 or 0 (True or False), whether question n is answered rightly under shift s; NaN where a
        question has too few options for the shift.

    Returns
    -------
    float, in [0, 1].

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Formula
    -------
    any_right = |{i : mean_i > 0}| / n

    Denominator
    -----------
    n questions

    Good values
    -----------
    1 is every question; guessing one of four options in four orders gives 0.68 already.

    When to use
    -----------
    multiple choice in several orders

    When not
    --------
    knowledge is to be measured: luck counts

    Edge cases
    ----------
    a question without an answer : refused
    an answer without a letter : not right: the model was asked for one

    References
    ----------
    ClinBench-HPB, multiple-choice questions
    Li Y, Zeng X, Fang C, Yang J, Jia F, Zhang L. ClinBench-HPB: A Clinical Benchmark for Evaluating LLMs in
        Hepato-Pancreato-Biliary Diseases. 2025. arXiv:2506.00095. <https://doi.org/10.48550/arXiv.2506.00095>
    """
    return float((question_means(correct) > 0).mean())


def question_means(correct: ArrayLike) -> Values:
    """Computes the share of right answers to each question: float64 [n]. correct : [s, n], 1, 0, or NaN where it has fewer answers.

    Raises
    ------
    OptionError
        For other values, and a question without an answer.
    """
    right = np.asarray(correct, float)
    if right.ndim != 2 or not right.size or not np.isin(right[~np.isnan(right)], (0, 1)).all():
        raise OptionError("correct", "1, 0 or NaN, [shifts, questions], with at least one question", correct)
    if np.isnan(right).all(0).any():
        raise OptionError("correct", "an array in which each question has an answer", correct)
    return mean_of_defined(right)


def shifts(n_options: int, full_circle: bool) -> range:
    """Lists the circular right shifts of a question: 1 … min(4, n - 1), as ClinBench-HPB's equation has them.

    full_circle : 1 … min(4, n), as its program has them: of four options all four orders. Errors: `OptionError` for fewer than 2 options.
    """
    if isinstance(n_options, bool) or not isinstance(n_options, int) or not 2 <= n_options <= len(ascii_uppercase):
        raise OptionError("n_options", "a whole number from 2 to 26", n_options)
    return range(1, min(MAX_SHIFTS, n_options if full_circle else n_options - 1) + 1)


def shifted(options: Sequence[T], by: int) -> list[T]:
    """Moves the options to the right, those that fall off put in front.

    >>> shifted(["asthma", "copd", "angina"], 1)
    ['angina', 'asthma', 'copd']
    """
    return [options[option_at(place, by, len(options))] for place in range(len(options))]


def option_at(place: int, by: int, n_options: int) -> int:
    """Finds which of the original options, from 0, stands at `place`, from 0, after a shift."""
    return (place - by) % n_options
