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

DIRECT = "DiReCT"
_NOTES = ("no note", "refused")


def same_name(name: str) -> str:
    """Folds a diagnosis as names of a graph are compared: case and blanks do not matter."""
    return " ".join(name.split()).casefold()


def _names_example(generator: np.random.Generator) -> dict[str, Any]:
    n = int(generator.integers(1, 7))
    return {name: generator.choice(["Asthma", "asthma", "COPD"], n).tolist() for name in ("annotated", "predicted")}


_OF_NAMES: dict[str, Any] = {
    "source": DIRECT,
    "range": "[0, 1]",
    "denominator": "n, the number of notes",
    "degenerate": (
        _NOTES,
        ("nothing is predicted for a note (None)", "not right"),
        ("blanks and case", "do not matter"),
    ),
    "example": _names_example,
    "axes": {"annotated": "note", "predicted": "note"},
    "repeat_free": ("note",),
}


@declare(
    symbol="Acc_cat",
    meaning="How often the disease category of a note is right.",
    good="1 is every note; a category is broader than the diagnosis.",
    use="reasoning over notes, the broad answer",
    avoid="the final diagnosis matters: then Acc_diag",
    formula="Acc_cat = sum_i [category^_i = category_i] / n",
    inputs="annotated [n], predicted [n]: the name of each note's disease category; None where none is predicted",
    **_OF_NAMES,
)
def category_accuracy(annotated: Sequence[str], predicted: Sequence[str | None]) -> float:
    """Compares categories, such as "Stroke"."""
    return _accuracy(annotated, predicted)


@declare(
    symbol="Acc_diag",
    meaning="How often the discharge diagnosis of a note is right.",
    good="1 is every note. A right category with a wrong diagnosis counts as wrong.",
    use="reasoning over notes, the final answer",
    avoid="reasons matter too: then Exp_all",
    formula="Acc_diag = sum_i [diagnosis^_i = diagnosis_i] / n",
    inputs="annotated [n], predicted [n]: the name of each note's final diagnosis; None where none is predicted",
    **_OF_NAMES,
)
def diagnosis_accuracy(annotated: Sequence[str], predicted: Sequence[str | None]) -> float:
    """Compares the diagnoses at the end of the path, such as "Ischemic Stroke"."""
    return _accuracy(annotated, predicted)


def _accuracy(annotated: Sequence[str], predicted: Sequence[str | None]) -> float:
    if isinstance(annotated, str) or not len(annotated):
        raise OptionError("annotated", "a list of at least one name", annotated)
    if isinstance(predicted, str) or len(predicted) != len(annotated):
        raise OptionError("predicted", f"a list as long as annotated ({len(annotated)})", predicted)
    pairs = zip(annotated, predicted, strict=True)
    return float(np.mean([said is not None and same_name(said) == same_name(true) for true, said in pairs]))


def _counts_example(generator: np.random.Generator, names: Sequence[str]) -> dict[str, Any]:
    n = int(generator.integers(1, 5))
    annotated, predicted = generator.integers(0, 4, n), generator.integers(0, 4, n)
    paired = generator.integers(0, np.minimum(annotated, predicted) + 1)
    explained = generator.integers(0, paired + 1)
    counts = {"explained": explained, "paired": paired, "annotated": annotated, "predicted": predicted}
    counts["premised"] = generator.integers(0, predicted + 1)
    return {name: counts[name] for name in names}


_PREDICTED = ("|O^|, the predicted observations of a note", "predicted observation")
_ANNOTATED = ("|O|, the annotated observations of a note", "annotated observation")
_EITHER = ("|O | O^|, the observations of either side of a note", "observation on either side")
_PAIRED = ("|O & O^|, the observations of a note that correspond", "observation that corresponds")
_ZERO = "0, as in the source's program; `nothing=None` leaves the note out of the mean"


def _of_counts(below: tuple[str, str], *names: str) -> dict[str, Any]:
    """Makes what is declared of all metrics of counts. below : the denominator, and what a note lacks where that is 0."""
    return {
        "source": DIRECT,
        "range": "[0, 1]",
        "denominator": f"{below[0]}; then n, the number of notes",
        "degenerate": (_NOTES, (f"a note has no {below[1]}", _ZERO)),
        "example": lambda generator: _counts_example(generator, names),
        "axes": dict.fromkeys(names, "note"),
        "repeat_free": ("note",),
    }


@declare(
    symbol="Obs_pre",
    meaning="How much of what a model cites from a note the annotators cite too.",
    good="1: it cites nothing needless; citing little makes it high, so read it with Obs_rec.",
    use="checking that findings are not made up",
    avoid="read alone",
    formula="Obs_pre = mean over notes of |O & O^| / |O^|",
    inputs="paired [n]: observations that correspond; predicted [n]: observations that were predicted",
    **_of_counts(_PREDICTED, "paired", "predicted"),
)
def observation_precision(paired: ArrayLike, predicted: ArrayLike, *, nothing: float | None = 0.0) -> float:
    """Averages over the notes. nothing : the value of a note with nothing to divide by; None leaves it out."""
    return _mean(nothing, *_counts(paired=paired, predicted=predicted))


@declare(
    symbol="Obs_rec",
    meaning="How much of what the annotators cite from a note the model cites too.",
    good="1: it leaves out nothing; citing everything makes it high, so read it with Obs_pre.",
    use="checking that findings are not missed",
    avoid="read alone",
    formula="Obs_rec = mean over notes of |O & O^| / |O|",
    inputs="paired [n]: observations that correspond; annotated [n]: observations that were annotated",
    **_of_counts(_ANNOTATED, "paired", "annotated"),
)
def observation_recall(paired: ArrayLike, annotated: ArrayLike, *, nothing: float | None = 0.0) -> float:
    """Averages over the notes. nothing : the value of a note with nothing to divide by; None leaves it out."""
    return _mean(nothing, *_counts(paired=paired, annotated=annotated))


@declare(
    symbol="Obs_comp",
    meaning="How far the model and the annotators cite the same findings.",
    good="1: the same set. In a note it is never above precision or recall.",
    use="one figure for the findings is wanted",
    avoid="one needs to know which side errs",
    formula="Obs_comp = mean over notes of |O & O^| / |O | O^|, |O | O^| = |O| + |O^| - |O & O^|",
    inputs="paired [n]: observations that correspond; annotated [n]; predicted [n]",
    symmetric=("annotated", "predicted"),
    **_of_counts(_EITHER, "paired", "annotated", "predicted"),
)
def observation_completeness(
    paired: ArrayLike, annotated: ArrayLike, predicted: ArrayLike, *, nothing: float | None = 0.0
) -> float:
    """Averages over the notes.

    >>> observation_completeness(paired=[2], annotated=[3], predicted=[4])  # 2 / (3 + 4 - 2)
    0.4
    """
    both, one, other = _counts(paired=paired, annotated=annotated, predicted=predicted)
    return _mean(nothing, both, one + other - both)


@declare(
    symbol="Exp_com",
    meaning="Of the findings that both cite, how many are given the same reason for the same diagnosis.",
    good="1 is all; a model that cites little may still reach it.",
    use="asking whether the reasoning is right where the findings are",
    avoid="read alone",
    formula="Exp_com = mean over notes of |explained| / |O & O^|",
    inputs="explained [n]: correspondences of which rationale and diagnosis match; paired [n]",
    **_of_counts(_PAIRED, "explained", "paired"),
)
def explanation_of_common(explained: ArrayLike, paired: ArrayLike, *, nothing: float | None = 0.0) -> float:
    """Averages over the notes: faithfulness where the observations agree."""
    return _mean(nothing, *_counts(explained=explained, paired=paired))


@declare(
    symbol="Exp_all",
    meaning="Of all findings that either cites, how many correspond and carry the right reason.",
    good="1 is all; in a note it is never above Obs_comp.",
    use="one figure for findings and reasons is wanted",
    avoid="one needs to know where it fails",
    formula="Exp_all = mean over notes of |explained| / |O | O^|",
    inputs="explained [n]: correspondences of which rationale and diagnosis match; paired [n]; annotated [n]; predicted [n]",
    symmetric=("annotated", "predicted"),
    **_of_counts(_EITHER, "explained", "paired", "annotated", "predicted"),
)
def explanation_of_all(
    explained: ArrayLike, paired: ArrayLike, annotated: ArrayLike, predicted: ArrayLike, *, nothing: float | None = 0.0
) -> float:
    """Averages over the notes: faithfulness over everything."""
    right, both, one, other = _counts(explained=explained, paired=paired, annotated=annotated, predicted=predicted)
    return _mean(nothing, right, one + other - both)


@declare(
    symbol="Prem",
    meaning="How often a model gives a reason that the guidelines give for the diagnosis it names.",
    good="Read it beside the same share of the annotators' own deductions, which the report gives.",
    use="asking whether a model uses the graph that it was given",
    avoid="rationales are paraphrased freely: M was trained on names, not on sentences",
    formula="Prem = mean over notes of |deductions whose rationale matches a premise of their diagnosis| / |O^|",
    inputs="premised [n]: predicted deductions whose rationale matches a premise; predicted [n]: predicted observations",
    **(_of_counts(_PREDICTED, "premised", "predicted") | {"source": f"own, on the graph of {DIRECT}"}),
)
def premise_share(premised: ArrayLike, predicted: ArrayLike, *, nothing: float | None = 0.0) -> float:
    """Averages over the notes. nothing : the value of a note with nothing to divide by; None leaves it out."""
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
