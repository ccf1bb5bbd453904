"""Recall of the reference diagnoses: which of the diseases that a patient has does a list name?

Inputs are one list for each case (and each rater, in the axes between), against the reference diagnoses of the case:

- `hits` : bool [n, ..., K, D], whether the diagnosis at each of K ranks names each of D reference diagnoses;
- `given` : bool [n, D], where a case has a reference diagnosis; at least one in each case.

Who decides on a hit is free: M, or a judge (`judged`). What stands outside `given` is not looked at.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import OptionError
from .declaration import declare
from .relative import check_k
from .truths import truths

CLINBENCH_HPB = "ClinBench-HPB"
_INPUTS = "hits [n, ..., K, D]: the diagnosis at a rank names a reference diagnosis; given [n, D]: the case has it; k"
_REFUSED = (
    ("no case", "refused"),
    ("a case without a reference diagnosis", "refused: it has nothing to find"),
    ("an empty list", "names nothing: none of the case's diseases is found"),
)


def _example(generator: np.random.Generator) -> dict[str, Any]:
    n, ranks, references = (int(generator.integers(1, high)) for high in (7, 5, 4))
    given = generator.random((n, references)) < 0.6
    given[:, 0] |= ~given.any(1)
    return {
        "hits": generator.random((n, ranks, references)) < 0.4,
        "given": given,
        "k": int(generator.integers(1, ranks + 1)),
    }


_OF_HITS: dict[str, Any] = {
    "inputs": _INPUTS,
    "range": "[0, 1]",
    "degenerate": _REFUSED,
    "example": _example,
    "axes": {"hits": "case, rank, reference", "given": "case, reference"},
    "order_free": ("case", "reference"),
    "repeat_free": ("case", "reference"),
    "grows_with": ("hits",),
}


@declare(
    symbol="R_disease",
    description="The share of all reference diagnoses that the lists name.",
    meaning="Of all the diseases that the patients have, how many the lists name.",
    good="1 is all; with several diseases a patient and k below their number it cannot be reached.",
    use="patients have several true diagnoses",
    avoid="every case has one: then it is top-k accuracy",
    formula="R_disease@k = sum_i |found_i| / sum_i |reference_i|",
    source=f"{CLINBENCH_HPB}, disease-level recall",
    denominator="the reference diagnoses of all cases",
    **_OF_HITS,
)
def disease_recall(hits: ArrayLike, given: ArrayLike, k: int | None = None) -> NDArray[np.float64]:
    """Over the cases, within the first k ranks (all by default); one value for each of the axes between.

    >>> float(disease_recall([[[True, False]], [[True, False]]], [[True, True], [True, False]]))  # 2 of 3 diseases
    0.6666666666666666
    """
    found, there = found_in(hits, given, k)
    return found.sum((0, -1)) / there.sum()


@declare(
    symbol="R_patient",
    description="The share of patients of whom the list names every reference diagnosis.",
    meaning="The share of patients of whom the list names every disease.",
    good="1 is all patients; stricter than R_disease, equal to it and to top-k accuracy where each patient has one disease.",
    use="a missed second disease is a missed patient",
    avoid="every case has one: then it is top-k accuracy",
    formula="R_patient@k = sum_i [found_i = reference_i] / n",
    source=f"{CLINBENCH_HPB}, patient-level recall",
    denominator="n, the number of cases",
    **_OF_HITS,
)
def patient_recall(hits: ArrayLike, given: ArrayLike, k: int | None = None) -> NDArray[np.float64]:
    """Over the cases, within the first k ranks (all by default); one value for each of the axes between."""
    found, there = found_in(hits, given, k)
    return (found | ~there).all(-1).mean(0, dtype=np.float64)


@declare(
    symbol="sd_prompts",
    description="How much a value differs from prompt to prompt.",
    meaning="How much a figure moves when the prompt is worded differently.",
    good="0 is not at all; differences between models below it say little.",
    use="a model was asked in several ways",
    avoid="there is one prompt: it is undefined",
    formula="sd = sqrt(1/m sum_j (x_j - mean)^2)",
    source=f"{CLINBENCH_HPB}, SD of Tables 5 to 7: the population standard deviation, over the prompts that were taken",
    inputs="values [..., m]: one metric of one model under each of m prompts",
    range="[0, inf)",
    denominator="m",
    degenerate=(("one prompt", "NaN; one value has no spread"), ("a value is undefined", "NaN")),
    example=lambda generator: {"values": generator.random(int(generator.integers(1, 6)))},
    axes={"values": "prompt"},
    order_free=("prompt",),
)
def prompt_spread(values: ArrayLike) -> NDArray[np.float64]:
    """The population standard deviation over the last axis; the other axes are kept."""
    several = np.asarray(values, float)
    if several.ndim == 0 or several.shape[-1] == 0:
        raise OptionError("values", "an array with at least one value", values)
    return several.std(-1) if several.shape[-1] > 1 else np.full(several.shape[:-1], np.nan)


def found_in(hits: ArrayLike, given: ArrayLike, k: int | None = None) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """bool [n, ..., D], which reference diagnoses the first k ranks name; and `given`, with axes to match.

    Raises
    ------
    OptionError
        For arrays that do not fit each other, and for a case without a reference.
    """
    there, named = np.asarray(truths(given)), np.asarray(truths(hits))
    if there.ndim != 2 or there.dtype != bool or not len(there) or not there.any(1).all():
        raise OptionError("given", "bool [cases, references], at least one case, in each at least one True", given)
    if named.ndim < 3 or named.dtype != bool or (len(named), named.shape[-1]) != there.shape:
        allowed = f"bool [cases, ..., ranks, references] with {there.shape[0]} cases and {there.shape[1]} references"
        raise OptionError("hits", allowed, named.shape if named.dtype == bool else hits)
    first = named if k is None else named[..., : check_k(k), :]
    there = there.reshape(len(there), *[1] * (named.ndim - 3), -1)
    return first.any(-2) & there, there
