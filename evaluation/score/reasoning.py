"""Diagnostic reasoning over a clinical note: the diagnosis reached, the observations it stands on, and why they matter.

A note has annotated observations O and predicted ones O^. Some of them correspond, one to one; of a correspondence that is
*explained* rationale and diagnosis match too. The inputs are these counts, one for each of n notes.

Source of all: DiReCT. Its published script adds 1 to the denominators of precision and recall; the formulas here do not. As in the
script, a note with nothing to divide by counts as 0, so that nobody gains by silence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import OptionError
from .declare import declare
from .scores import Values, mean_of_defined


def same_name(name: str) -> str:
    """Folds a diagnosis as names of a graph are compared: case and blanks do not matter."""
    return " ".join(name.split()).casefold()


_OF_NAMES: dict[str, Any] = {"axes": {"annotated": "note", "predicted": "note"}, "repeat_free": ("note",)}


@declare("Acc_cat", **_OF_NAMES)
def category_accuracy(annotated: Sequence[str], predicted: Sequence[str | None]) -> float:
    """Tells how often the disease category of a note is right.

    Parameters
    ----------
    annotated, predicted : [n], the name of each note's disease category, such as "Stroke"; None where none is
        predicted.

    Returns
    -------
    float, in [0, 1].

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    category accuracy, Acc.cat

    Formula
    -------
    Acc_cat = sum_i [category^_i = category_i] / n

    Denominator
    -----------
    n, the number of notes

    Good values
    -----------
    1 is every note; a category is broader than the diagnosis.

    When to use
    -----------
    reasoning over notes, the broad answer

    When not
    --------
    the final diagnosis matters: then Acc_diag

    Edge cases
    ----------
    no note : refused
    nothing is predicted for a note (None) : not right
    blanks and case : do not matter

    References
    ----------
    DiReCT
    Wang B, Chang J, Qian Y, Chen G, Chen J, Jiang Z, Zhang J, Nakashima Y, Nagahara H. DiReCT: Diagnostic Reasoning
        for Clinical Notes via Large Language Models. 2024. arXiv:2408.01933.
        <https://doi.org/10.48550/arXiv.2408.01933>
    """
    return _accuracy(annotated, predicted)


@declare("Acc_diag", **_OF_NAMES)
def diagnosis_accuracy(annotated: Sequence[str], predicted: Sequence[str | None]) -> float:
    """Tells how often the discharge diagnosis of a note is right.

    Parameters
    ----------
    annotated, predicted : [n], the name of each note's final diagnosis, at the end of the path, such as "Ischemic
        Stroke"; None where none is predicted.

    Returns
    -------
    float, in [0, 1].

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    diagnosis accuracy, Acc.diag, PDD, primary discharge diagnosis

    Formula
    -------
    Acc_diag = sum_i [diagnosis^_i = diagnosis_i] / n

    Denominator
    -----------
    n, the number of notes

    Good values
    -----------
    1 is every note. A right category with a wrong diagnosis counts as wrong.

    When to use
    -----------
    reasoning over notes, the final answer

    When not
    --------
    reasons matter too: then Exp_all

    Edge cases
    ----------
    no note : refused
    nothing is predicted for a note (None) : not right
    blanks and case : do not matter

    References
    ----------
    DiReCT
    Wang B, Chang J, Qian Y, Chen G, Chen J, Jiang Z, Zhang J, Nakashima Y, Nagahara H. DiReCT: Diagnostic Reasoning
        for Clinical Notes via Large Language Models. 2024. arXiv:2408.01933.
        <https://doi.org/10.48550/arXiv.2408.01933>
    """
    return _accuracy(annotated, predicted)


def _accuracy(annotated: Sequence[str], predicted: Sequence[str | None]) -> float:
    if isinstance(annotated, str) or not len(annotated):
        raise OptionError("annotated", "a list of at least one name", annotated)
    if isinstance(predicted, str) or len(predicted) != len(annotated):
        raise OptionError("predicted", f"a list as long as annotated ({len(annotated)})", predicted)
    pairs = zip(annotated, predicted, strict=True)
    return float(np.mean([said is not None and same_name(said) == same_name(true) for true, said in pairs]))


def _of_notes(*names: str) -> dict[str, Any]:
    return {"axes": dict.fromkeys(names, "note"), "repeat_free": ("note",)}


@declare("Obs_pre", **_of_notes("paired", "predicted"))
def observation_precision(paired: ArrayLike, predicted: ArrayLike, *, nothing: float | None = 0.0) -> float:
    """Tells how much of what a model cites from a note the annotators cite too.

    Parameters
    ----------
    paired : [n], observations that correspond.
    predicted : [n], observations that were predicted.
    nothing : the value of a note with nothing to divide by; None leaves it out.

    Returns
    -------
    float, in [0, 1].

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    Obs.pre

    Formula
    -------
    Obs_pre = mean over notes of |O & O^| / |O^|

    Denominator
    -----------
    |O^|, the predicted observations of a note; then n, the number of notes

    Good values
    -----------
    1: it cites nothing needless; citing little makes it high, so read it with Obs_rec.

    When to use
    -----------
    checking that findings are not made up

    When not
    --------
    read alone

    Edge cases
    ----------
    no note : refused
    a note has no predicted observation : 0, as in the source's program; `nothing=None` leaves the note out of the
        mean

    References
    ----------
    DiReCT
    Wang B, Chang J, Qian Y, Chen G, Chen J, Jiang Z, Zhang J, Nakashima Y, Nagahara H. DiReCT: Diagnostic Reasoning
        for Clinical Notes via Large Language Models. 2024. arXiv:2408.01933.
        <https://doi.org/10.48550/arXiv.2408.01933>
    """
    return _mean(nothing, *_counts(paired=paired, predicted=predicted))


@declare("Obs_rec", **_of_notes("paired", "annotated"))
def observation_recall(paired: ArrayLike, annotated: ArrayLike, *, nothing: float | None = 0.0) -> float:
    """Tells how much of what the annotators cite from a note the model cites too.

    Parameters
    ----------
    paired : [n], observations that correspond.
    annotated : [n], observations that were annotated.
    nothing : the value of a note with nothing to divide by; None leaves it out.

    Returns
    -------
    float, in [0, 1].

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    Obs.rec

    Formula
    -------
    Obs_rec = mean over notes of |O & O^| / |O|

    Denominator
    -----------
    |O|, the annotated observations of a note; then n, the number of notes

    Good values
    -----------
    1: it leaves out nothing; citing everything makes it high, so read it with Obs_pre.

    When to use
    -----------
    checking that findings are not missed

    When not
    --------
    read alone

    Edge cases
    ----------
    no note : refused
    a note has no annotated observation : 0, as in the source's program; `nothing=None` leaves the note out of the
        mean

    References
    ----------
    DiReCT
    Wang B, Chang J, Qian Y, Chen G, Chen J, Jiang Z, Zhang J, Nakashima Y, Nagahara H. DiReCT: Diagnostic Reasoning
        for Clinical Notes via Large Language Models. 2024. arXiv:2408.01933.
        <https://doi.org/10.48550/arXiv.2408.01933>
    """
    return _mean(nothing, *_counts(paired=paired, annotated=annotated))


@declare("Obs_comp", symmetric=("annotated", "predicted"), **_of_notes("paired", "annotated", "predicted"))
def observation_completeness(
    paired: ArrayLike, annotated: ArrayLike, predicted: ArrayLike, *, nothing: float | None = 0.0
) -> float:
    """Tells how far the model and the annotators cite the same findings.

    Parameters
    ----------
    paired : [n], observations that correspond.
    annotated : [n], observations that were annotated.
    predicted : [n], observations that were predicted.
    nothing : the value of a note with nothing to divide by; None leaves it out.

    Returns
    -------
    float, in [0, 1].

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    completeness, Obs.comp

    Formula
    -------
    Obs_comp = mean over notes of |O & O^| / |O | O^|, |O | O^| = |O| + |O^| - |O & O^|

    Denominator
    -----------
    |O | O^|, the observations of either side of a note; then n, the number of notes

    Good values
    -----------
    1: the same set. In a note it is never above precision or recall.

    When to use
    -----------
    one figure for the findings is wanted

    When not
    --------
    one needs to know which side errs

    Edge cases
    ----------
    no note : refused
    a note has no observation on either side : 0, as in the source's program; `nothing=None` leaves the note out of
        the mean

    References
    ----------
    DiReCT
    Wang B, Chang J, Qian Y, Chen G, Chen J, Jiang Z, Zhang J, Nakashima Y, Nagahara H. DiReCT: Diagnostic Reasoning
        for Clinical Notes via Large Language Models. 2024. arXiv:2408.01933.
        <https://doi.org/10.48550/arXiv.2408.01933>

    Examples
    --------
    >>> observation_completeness(paired=[2], annotated=[3], predicted=[4])  # 2 / (3 + 4 - 2)
    0.4
    """
    both, one, other = _counts(paired=paired, annotated=annotated, predicted=predicted)
    return _mean(nothing, both, one + other - both)


@declare("Exp_com", **_of_notes("explained", "paired"))
def explanation_of_common(explained: ArrayLike, paired: ArrayLike, *, nothing: float | None = 0.0) -> float:
    """Tells, of the findings that both cite, how many are given the same reason for the same diagnosis.

    Parameters
    ----------
    explained : [n], correspondences of which rationale and diagnosis match.
    paired : [n], observations that correspond.
    nothing : the value of a note with nothing to divide by; None leaves it out.

    Returns
    -------
    float, in [0, 1].

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    faithfulness, Exp.com

    Formula
    -------
    Exp_com = mean over notes of |explained| / |O & O^|

    Denominator
    -----------
    |O & O^|, the observations of a note that correspond; then n, the number of notes

    Good values
    -----------
    1 is all; a model that cites little may still reach it.

    When to use
    -----------
    asking whether the reasoning is right where the findings are

    When not
    --------
    read alone

    Edge cases
    ----------
    no note : refused
    a note has no observation that corresponds : 0, as in the source's program; `nothing=None` leaves the note out
        of the mean

    References
    ----------
    DiReCT
    Wang B, Chang J, Qian Y, Chen G, Chen J, Jiang Z, Zhang J, Nakashima Y, Nagahara H. DiReCT: Diagnostic Reasoning
        for Clinical Notes via Large Language Models. 2024. arXiv:2408.01933.
        <https://doi.org/10.48550/arXiv.2408.01933>
    """
    return _mean(nothing, *_counts(explained=explained, paired=paired))


@declare("Exp_all", symmetric=("annotated", "predicted"), **_of_notes("explained", "paired", "annotated", "predicted"))
def explanation_of_all(
    explained: ArrayLike, paired: ArrayLike, annotated: ArrayLike, predicted: ArrayLike, *, nothing: float | None = 0.0
) -> float:
    """Tells, of all findings that either cites, how many correspond and carry the right reason.

    Parameters
    ----------
    explained : [n], correspondences of which rationale and diagnosis match.
    paired : [n], observations that correspond.
    annotated : [n], observations that were annotated.
    predicted : [n], observations that were predicted.
    nothing : the value of a note with nothing to divide by; None leaves it out.

    Returns
    -------
    float, in [0, 1].

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    faithfulness, Exp.all

    Formula
    -------
    Exp_all = mean over notes of |explained| / |O | O^|

    Denominator
    -----------
    |O | O^|, the observations of either side of a note; then n, the number of notes

    Good values
    -----------
    1 is all; in a note it is never above Obs_comp.

    When to use
    -----------
    one figure for findings and reasons is wanted

    When not
    --------
    one needs to know where it fails

    Edge cases
    ----------
    no note : refused
    a note has no observation on either side : 0, as in the source's program; `nothing=None` leaves the note out of
        the mean

    References
    ----------
    DiReCT
    Wang B, Chang J, Qian Y, Chen G, Chen J, Jiang Z, Zhang J, Nakashima Y, Nagahara H. DiReCT: Diagnostic Reasoning
        for Clinical Notes via Large Language Models. 2024. arXiv:2408.01933.
        <https://doi.org/10.48550/arXiv.2408.01933>
    """
    right, both, one, other = _counts(explained=explained, paired=paired, annotated=annotated, predicted=predicted)
    return _mean(nothing, right, one + other - both)


@declare("Prem", **_of_notes("premised", "predicted"))
def premise_share(premised: ArrayLike, predicted: ArrayLike, *, nothing: float | None = 0.0) -> float:
    """Tells how often a model gives a reason that the guidelines give for the diagnosis it names.

    Parameters
    ----------
    premised : [n], predicted deductions whose rationale matches a premise.
    predicted : [n], observations that were predicted.
    nothing : the value of a note with nothing to divide by; None leaves it out.

    Returns
    -------
    float, in [0, 1].

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Formula
    -------
    Prem = mean over notes of |deductions whose rationale matches a premise of their diagnosis| / |O^|

    Denominator
    -----------
    |O^|, the predicted observations of a note; then n, the number of notes

    Good values
    -----------
    Read it beside the same share of the annotators' own deductions, which the report gives.

    When to use
    -----------
    asking whether a model uses the graph that it was given

    When not
    --------
    rationales are paraphrased freely: M was trained on names, not on sentences

    Edge cases
    ----------
    no note : refused
    a note has no predicted observation : 0, as in the source's program; `nothing=None` leaves the note out of the
        mean

    References
    ----------
    own, on the graph of DiReCT
    Wang B, Chang J, Qian Y, Chen G, Chen J, Jiang Z, Zhang J, Nakashima Y, Nagahara H. DiReCT: Diagnostic Reasoning
        for Clinical Notes via Large Language Models. 2024. arXiv:2408.01933.
        <https://doi.org/10.48550/arXiv.2408.01933>
    """
    return _mean(nothing, *_counts(premised=premised, predicted=predicted))


def _counts(**named: ArrayLike) -> list[NDArray[np.int64]]:
    """Checks whole numbers from 0, one for each note; what corresponds is no more than what there is of it."""
    arrays = {name: np.asarray(value) for name, value in named.items()}
    n = len(next(iter(arrays.values()))) if all(array.ndim for array in arrays.values()) else 0
    for name, array in arrays.items():
        if array.shape != (n,) or not n or array.dtype.kind not in "iu" or (array < 0).any():
            raise OptionError(name, "whole numbers from 0, one for each of at least one note", named[name])
    for less, more in (
        ("explained", "paired"),
        ("paired", "annotated"),
        ("paired", "predicted"),
        ("premised", "predicted"),
    ):
        if less in arrays and more in arrays and (arrays[less] > arrays[more]).any():
            raise OptionError(less, f"nowhere more than {more}", named[less])
    return list(arrays.values())


def shares(above: NDArray[np.integer], below: NDArray[np.integer], nothing: float | None = 0.0) -> Values:
    """Divides note by note; `nothing` where `below` is 0, NaN for None."""
    filled = np.full(below.shape, np.nan if nothing is None else nothing)
    return np.divide(above, below, out=filled, where=below > 0)


def _mean(nothing: float | None, above: NDArray[np.integer], below: NDArray[np.integer]) -> float:
    return float(mean_of_defined(shares(above, below, nothing)))
