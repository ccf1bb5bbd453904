"""Metrics of ranked answers on names: lists of diagnoses and right answers in, one number out. M decides which name which.

`recall_at_k([["heart attack", "asthma"]], ["myocardial infarction"], k=5)`

Each function also takes what its namesake in the registry takes, arrays of which diagnosis is right (bool, or 0 and 1).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, wraps
from inspect import cleandoc, getdoc
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError, quoted
from ..matcher.protocol import Matcher, loaded, tells_relations
from .match.pairs import asked, distances
from .score.declare import REGISTRY, all_metrics, check_k, truths
from .score.weighted import relevance

Predictions = Sequence[Sequence[str] | str] | Mapping[Any, Sequence[str] | str]
AnyMatcher = Matcher | str | os.PathLike[str] | None
_Function = TypeVar("_Function", bound=Callable[..., float])
OF_NAMES: dict[str, Callable[..., float]] = {}
"""By name."""
all_metrics()  # fills the registry

_ALLOWED = "a list of names for each case, likeliest first"


def _of_names(function: _Function) -> _Function:
    """Registers the function, and lets arrays through to its namesake in the registry."""
    name = function.__name__

    @wraps(function)
    def either(*arguments: Any, **options: Any) -> Any:
        first = arguments[0] if arguments else options.get("predictions")
        if name not in REGISTRY or (first is not None and _holds_names(first)):
            return function(*arguments, **options)
        told = {key: truths(value) if key in ("hits", "given") else value for key, value in options.items()}
        of_truths = name in ("top_k_accuracy", "mrr")
        return REGISTRY[name].function(
            *(truths(v) if of_truths and not i else v for i, v in enumerate(arguments)), **told
        )

    if name in REGISTRY and either.__doc__:
        either.__doc__ = f"{cleandoc(either.__doc__)}\n\nOf arrays it is:\n\n{getdoc(REGISTRY[name].function)}"
    OF_NAMES[name] = either
    return either  # type: ignore[return-value]


def _holds_names(value: Any) -> bool:
    """Whether it is no array of numbers: names, or something that is to be refused as such."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "OUS"
    while isinstance(value, Iterable) and not isinstance(value, str | Mapping | np.ndarray):
        inside = list(value)
        value = next((one for one in inside if not (isinstance(one, list | tuple) and not one)), "")
    return not isinstance(value, np.ndarray | np.number | bool | int | float)


@_of_names
def recall_at_k(predictions: Predictions, references: Predictions, k: int = 5, matcher: AnyMatcher = None) -> float:
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
    found = _found(predictions, references, check_k(k), matcher)
    return float(REGISTRY["disease_recall"].function(found.hits, found.given, k))


@_of_names
def patient_recall_at_k(
    predictions: Predictions, references: Predictions, k: int = 5, matcher: AnyMatcher = None
) -> float:
    """The share of cases of which the first k diagnoses name every right answer (ClinBench-HPB's patient-level recall).

    Parameters and errors are those of `recall_at_k`.
    """
    found = _found(predictions, references, check_k(k), matcher)
    return float(REGISTRY["patient_recall"].function(found.hits, found.given, k))


@_of_names
def top_k_accuracy(predictions: Predictions, references: Predictions, k: int = 5, matcher: AnyMatcher = None) -> float:
    """The share of cases in which one of the first k diagnoses names a right answer.

    Parameters and errors are those of `recall_at_k`; or `top_k_accuracy(hits, k)`.
    """
    found = _found(predictions, references, check_k(k), matcher)
    return float(REGISTRY["top_k_accuracy"].function(found.hits.any(-1), k))


@_of_names
def mrr(predictions: Predictions, references: Predictions, k: int = 10, matcher: AnyMatcher = None) -> float:
    """Mean reciprocal rank of the first diagnosis, among the first k, that names a right answer; 0 where none does.

    Parameters and errors are those of `recall_at_k`; or `mrr(hits, k)`.
    """
    found = _found(predictions, references, check_k(k), matcher)
    return float(REGISTRY["mrr"].function(found.hits.any(-1), k))


@_of_names
def ndcg(predictions: Predictions, references: Predictions, k: int = 10, matcher: AnyMatcher = None) -> float:
    """nDCG of the first k diagnoses, each worth how near it comes to a right answer: by M's relation, else by its verdict.

    Parameters and errors are those of `recall_at_k`; or `ndcg(gains, given, k)`.
    """
    found = _found(predictions, references, check_k(k), matcher, graded=True)
    return float(REGISTRY["ndcg"].function(found.gains, found.given, k))


class _Found:
    """hits : bool [n, K, D], the diagnosis at a rank names a right answer. given : bool [n, D]. gains : float [n, K, D]."""

    def __init__(self, n: int, ranks: int, references: int) -> None:
        self.hits: NDArray[np.bool_] = np.zeros((n, ranks, references), bool)
        self.given: NDArray[np.bool_] = np.zeros((n, references), bool)
        self.gains: NDArray[np.float64] = np.zeros((n, ranks, references))


def _found(predictions: Any, references: Any, k: int, matcher: AnyMatcher, graded: bool = False) -> _Found:
    """Asks M about each pair of a right answer and a diagnosis of its case once, in this order."""
    said, true = _paired(predictions, references)
    found = _Found(len(true), max(1, *(len(names[:k]) for names in said)), max(map(len, true)))
    place: dict[tuple[str, str], int] = {}
    at: list[tuple[int, int, int, int]] = []
    for i, (names, right) in enumerate(zip(said, true, strict=True)):
        found.given[i, : len(right)] = True
        for rank, name in enumerate(names[:k]):
            for j, reference in enumerate(right):
                if name:
                    at.append((i, rank, j, place.setdefault((reference, name), len(place))))
    if not at:
        return found
    m = _matcher(matcher)
    a, b = (list(texts) for texts in zip(*place, strict=True))
    matched = asked(m, a, b) >= m.threshold
    i, rank, j, pair = np.array(at).T
    found.hits[i, rank, j] = matched[pair]
    if graded:
        found.gains[i, rank, j] = _gains(m, a, b, matched)[pair]
    return found


def _gains(m: Matcher, a: list[str], b: list[str], matched: NDArray[np.bool_]) -> NDArray[np.float64]:
    """1 for a match; of the rest `relevance` by M's relations, 0 where it tells none."""
    if not tells_relations(m):
        return matched.astype(float)
    distance = distances(m, a, b)
    return np.where(matched, 1.0, np.where(distance > 0, relevance(distance), 0.0))


def _paired(predictions: Any, references: Any) -> tuple[list[list[str]], list[list[str]]]:
    """The diagnoses and the right answers of each case, in one order."""
    if isinstance(predictions, Mapping) and isinstance(references, Mapping):
        if stray := [case for case in predictions if case not in references]:
            raise OptionError("predictions", "lists for cases that have right answers", stray[0])
        said = [_names(predictions.get(case), "predictions", case) for case in references]
        true = [_names(right, "references", case) for case, right in references.items()]
    else:
        both = [(name, value) for name, value in (("predictions", predictions), ("references", references))]
        for name, value in both:
            if isinstance(value, str | Mapping) or not hasattr(value, "__len__"):
                raise OptionError(name, f"{_ALLOWED}; or both by case", value)
        if len(predictions) != len(references):
            raise OptionError("predictions", f"as long as references: {len(references):,} cases", len(predictions))
        said, true = ([_names(one, name, i) for i, one in enumerate(value)] for name, value in both)
    right = [list(dict.fromkeys(name for name in names if name)) for names in true]
    if not right:
        raise OptionError("references", "the right answers of at least one case", references)
    for case, names in enumerate(right):
        if not names:
            raise OptionError("references", "at least one right answer for each case", f"none for case {case}")
    return said, right


def _names(value: Any, what: str, case: Any) -> list[str]:
    """The names of one case; "" for a blank."""
    if value is None:
        return []
    values = [value] if isinstance(value, str) else value
    if (
        isinstance(values, Mapping)
        or not hasattr(values, "__iter__")
        or not all(v is None or isinstance(v, str) for v in values)
    ):
        raise OptionError(what, _ALLOWED, f"{quoted(value)} for case {case}")
    return [(v or "").strip() for v in values]


def _matcher(matcher: AnyMatcher) -> Matcher:
    """`matcher`, or the one in a folder, each loaded once."""
    return (
        _loaded(None if matcher is None else os.fspath(matcher))
        if matcher is None or isinstance(matcher, str | os.PathLike)
        else matcher
    )


@lru_cache(maxsize=4)
def _loaded(folder: str | None) -> Matcher:
    return loaded(folder)
