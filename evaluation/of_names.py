"""Metrics of ranked answers on names: lists of diagnoses and right answers in, one number out. M decides which name which.

`recall_at_k([["heart attack", "asthma"]], ["myocardial infarction"], k=5)`

Each function also takes what its namesake in the registry takes, arrays of which diagnosis is right (bool, or 0 and 1).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, wraps
from inspect import cleandoc, getdoc
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError, quoted
from ..matcher.protocol import Matcher, loaded, tells_relations
from ..terms.icd.codes import padded
from .match.pairs import Pairs, ReferenceMatches
from .score.declare import REGISTRY, all_metrics, check_k
from .score.weighted import relevance

Names = Sequence[Sequence[str] | str] | Mapping[Any, Sequence[str] | str]
AnyMatcher = Matcher | str | os.PathLike[str] | None
_Function = TypeVar("_Function", bound=Callable[..., float])
OF_NAMES: dict[str, Callable[..., float]] = {}
"""By name."""
all_metrics()  # fills the registry

_ALLOWED = "a list of names for each case, likeliest first"


def _of_names(function: _Function) -> _Function:
    """Registers the function, and lets arrays through to its namesake in the registry."""
    name = function.__name__
    of_arrays = REGISTRY[name].function if name in REGISTRY else None

    @wraps(function)
    def either(*arguments: Any, **options: Any) -> Any:
        first = arguments[0] if arguments else options.get("predictions", 0)
        return (function if of_arrays is None or _holds_names(first) else of_arrays)(*arguments, **options)

    if of_arrays is not None and either.__doc__:
        either.__doc__ = f"{cleandoc(either.__doc__)}\n\nOf arrays it is:\n\n{getdoc(of_arrays)}"
    OF_NAMES[name] = either
    return either  # type: ignore[return-value]


def _holds_names(value: Any) -> bool:
    """Whether it is no array of numbers: names, or something that is to be refused as such."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "OUS"
    while hasattr(value, "__iter__") and not isinstance(value, str | Mapping | np.ndarray):
        value = next((one for one in value if not (isinstance(one, list | tuple) and not one)), "")
    return not isinstance(value, np.ndarray | np.number | bool | int | float)


@_of_names
def recall_at_k(predictions: Names, references: Names, k: int = 5, matcher: AnyMatcher = None) -> float:
    """The share of all right answers that the first k diagnoses name (ClinBench-HPB's disease-level recall).

    Parameters
    ----------
    predictions : for each case its diagnoses, likeliest first, or a single one; in the order of `references`, or by case.
        A text is one diagnosis, whatever is in it (`ranked_diagnoses` reads answers). A blank names nothing.
    references : for each case its right answer, or a list of several; at least one.
    k : how many diagnoses of each list count, 1 or more.
    matcher : M, or the folder of a trained one; the shipped one if not given, loaded once.

    Returns
    -------
    float from 0 to 1.

    Raises
    ------
    OptionError
        For lists that do not fit each other, and for a case without a right answer.
    """
    return float(REGISTRY["disease_recall"].function(*_found(predictions, references, check_k(k), matcher), k))


@_of_names
def patient_recall_at_k(predictions: Names, references: Names, k: int = 5, matcher: AnyMatcher = None) -> float:
    """The share of cases of which the first k diagnoses name every right answer (ClinBench-HPB's patient-level recall).

    Parameters and errors are those of `recall_at_k`.
    """
    return float(REGISTRY["patient_recall"].function(*_found(predictions, references, check_k(k), matcher), k))


@_of_names
def top_k_accuracy(predictions: Names, references: Names, k: int = 5, matcher: AnyMatcher = None) -> float:
    """The share of cases in which one of the first k diagnoses names a right answer.

    Parameters and errors are those of `recall_at_k`; or `top_k_accuracy(hits, k)`.
    """
    hits, _ = _found(predictions, references, check_k(k), matcher)
    return float(REGISTRY["top_k_accuracy"].function(hits.any(-1), k))


@_of_names
def mrr(predictions: Names, references: Names, k: int | None = None, matcher: AnyMatcher = None) -> float:
    """Mean reciprocal rank of the first diagnosis, among the first k, or all, that names a right answer; 0 where none does.

    Parameters and errors are those of `recall_at_k`; or `mrr(hits, k)`.
    """
    hits, _ = _found(predictions, references, k if k is None else check_k(k), matcher)
    return float(REGISTRY["mrr"].function(hits.any(-1), k))


@_of_names
def ndcg(predictions: Names, references: Names, k: int = 10, matcher: AnyMatcher = None) -> float:
    """nDCG of the first k diagnoses, each worth how near it comes to a right answer: by M's relation, else by its verdict.

    Parameters and errors are those of `recall_at_k`; or `ndcg(gains, given, k)`.
    """
    return float(REGISTRY["ndcg"].function(*_found(predictions, references, check_k(k), matcher, graded=True), k))


def _found(
    predictions: Any, references: Any, k: int | None, matcher: AnyMatcher, graded: bool = False
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Which diagnosis names which right answer, [n, K, D]: bool, or, graded, what it is worth; and where there is one, bool [n, D].

    A match is worth 1; of the rest `relevance` by M's relations, 0 where it tells none.
    """
    said, true = _paired(predictions, references)
    m, said = _loaded(matcher), [names[:k] or [""] for names in said]
    pairs = Pairs((name for names in (*said, *true) for name in names), m)
    right, entries = (padded(tuple(pairs.numbers(names).tolist()) for names in side) for side in (true, said))
    blank = np.array([not name for name in pairs.strings] + [True])
    entries = np.where(blank[entries], -1, entries)[:, None]
    found = ReferenceMatches.of(pairs, right, entries)
    pairs.ask()
    if not graded:
        return found.hits[:, 0], found.given
    gains, distance = found.hits.astype(float), (found.graded(check_k(k)) if tells_relations(m) else found).distance
    gains[:, :, : distance.shape[2]][distance > 0] = relevance(distance[distance > 0])
    return gains[:, 0], found.given


def _paired(predictions: Any, references: Any) -> tuple[list[list[str]], list[list[str]]]:
    """The diagnoses and the right answers of each case, in one order."""
    cases: Sequence[Any] = range(len(references) if hasattr(references, "__len__") else 0)
    if isinstance(predictions, Mapping) and isinstance(references, Mapping):
        cases = list(references)
        if stray := [case for case in predictions if case not in references]:
            raise OptionError("predictions", "lists for cases that have right answers", stray[0])
        predictions, references = ([of.get(case) for case in cases] for of in (predictions, references))
    for name, value in (("predictions", predictions), ("references", references)):
        if isinstance(value, str | Mapping) or not hasattr(value, "__len__") or not len(cases):
            raise OptionError(name, f"{_ALLOWED}, for at least one case; or both by case", value)
    if len(predictions) != len(references):
        raise OptionError("predictions", f"as long as references: {len(references):,} cases", len(predictions))
    said = [_names(one, "predictions", case) for case, one in zip(cases, predictions, strict=True)]
    true = [_names(one, "references", case) for case, one in zip(cases, references, strict=True)]
    right = [list(dict.fromkeys(filter(None, names))) for names in true]
    if [] in right:
        raise OptionError("references", "a right answer for each case", f"none for case {cases[right.index([])]}")
    return said, right


def _names(value: Any, what: str, case: Any) -> list[str]:
    """The names of one case; "" for a blank."""
    if value is None:
        return []
    values = [value] if isinstance(value, str) else value
    listed = hasattr(values, "__iter__") and not isinstance(values, Mapping)
    if not listed or not all(one is None or isinstance(one, str) for one in values):
        raise OptionError(what, _ALLOWED, f"{quoted(value)} for case {case}")
    return [(v or "").strip() for v in values]


_loaded = lru_cache(maxsize=4)(loaded)
"""A matcher as it is, or the one in a folder, each loaded once."""
