"""Where M errs: by kind of pair, the worst examples, the references with most errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..pages.rows import Row
from .kinds import MATCHES, NON_MATCHES, kind_of
from .scored_pairs import ScoredPairs

MISSED, FALSE = "missed", "false"
"""The two errors: a match that M does not find, a non-match that it takes for one."""
ERRORS = {MISSED: "Matches that M misses", FALSE: "Non-matches that M takes for matches"}
_EXAMPLES = 5
_REFERENCES = 20


def mistakes(pairs: ScoredPairs, threshold: float, language: str) -> dict[str, list[Row]]:
    """Finds the errors of M on labelled pairs.

    Returns
    -------
    dict of rows
        kinds : `error` ("missed" or "false"), `kind`, `says`, `pairs` of this kind, `wrong`, `share`, in the order of the kinds.
        worst : `error`, `kind`, `a`, `b`, `reference`, `probability`, the surest errors of each kind first.
        references : `reference`, `pairs`, `matches`, `missed`, `false`, `wrong`, `share`, those with most errors first.
    """
    match = pairs.match
    wrong = (pairs.probability >= threshold) != match
    kinds = np.array([kind_of(a, b, one, language) for (a, b), one in zip(pairs.names, match, strict=True)], object)
    by_kind: list[Row] = []
    worst: list[Row] = []
    for error, those, every in ((MISSED, match, MATCHES), (FALSE, ~match, NON_MATCHES)):
        for kind in every:
            own = (kinds == kind.name) & those
            count, missed = int(own.sum()), int((own & wrong).sum())
            if count:
                row = {"error": error, "kind": kind.name, "says": kind.says}
                by_kind.append({**row, "pairs": count, "wrong": missed, "share": missed / count})
                worst += _examples(pairs, np.flatnonzero(own & wrong), error, kind.name)
    return {"kinds": by_kind, "worst": worst, "references": _references(pairs, wrong)}


def _examples(pairs: ScoredPairs, found: NDArray[np.intp], error: str, kind: str) -> list[Row]:
    """The surest errors, each pair once."""
    surest = found[np.argsort(pairs.probability[found] * (1 if error == MISSED else -1), kind="stable")]
    once = {frozenset(pairs.names[i]): i for i in surest[::-1].tolist()}
    return [
        {"error": error, "kind": kind, "a": pairs.a[i], "b": pairs.b[i], "reference": pairs.groups.names[pairs.groups.code[i]],
         "probability": float(pairs.probability[i])}
        for i in list(once.values())[::-1][:_EXAMPLES]
    ]  # fmt: skip


def _references(pairs: ScoredPairs, wrong: NDArray[np.bool_]) -> list[Row]:
    match, code, names = pairs.match, pairs.groups.code, pairs.groups.names
    rows = {
        "pairs": np.ones_like(wrong),
        "matches": match,
        MISSED: match & wrong,
        FALSE: ~match & wrong,
        "wrong": wrong,
    }
    of = {name: np.bincount(code[own], minlength=len(names)) for name, own in rows.items()}
    most = [place for place in np.argsort(-of["wrong"], kind="stable")[:_REFERENCES].tolist() if of["wrong"][place]]
    counts = [{name: int(own[place]) for name, own in of.items()} for place in most]
    return [
        {"reference": names[place], **row, "share": row["wrong"] / row["pairs"]}
        for place, row in zip(most, counts, strict=True)
    ]
