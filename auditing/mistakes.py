"""Where M errs: by kind of pair, the worst examples, the references with most errors."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..pages.figure import Row
from .kinds import MATCHES, NON_MATCHES, kind_of
from .results.audit_tables import FALSE, MISSED
from .scored_pairs import ScoredPairs

_EXAMPLES = 5
_REFERENCES = 20


@dataclass(frozen=True)
class Mistakes:
    """by_kind : `error` ("missed" or "false"), `kind`, `says`, `pairs` of this kind, `wrong`, `share`, in the order of the kinds.

    worst : `error`, `kind`, `a`, `b`, `reference`, `probability`, the surest errors of each kind first.
    references : `reference`, `pairs`, `matches`, `missed`, `false`, `wrong`, `share`, those with most errors first.
    """

    by_kind: list[Row]
    worst: list[Row]
    references: list[Row]


def mistakes(pairs: ScoredPairs, threshold: float, language: str) -> Mistakes:
    """The errors of M on labelled pairs."""
    assert pairs.label is not None
    predicted = pairs.probability >= threshold
    wrong = predicted != (pairs.label == 1)
    kinds = [
        kind_of(a, b, label, language) for (a, b), label in zip(pairs.names.tolist(), pairs.label.tolist(), strict=True)
    ]
    by_kind: list[Row] = []
    worst: list[Row] = []
    for error, label, known in ((MISSED, 1, MATCHES), (FALSE, 0, NON_MATCHES)):
        own = pairs.label == label
        all_of, wrong_of = (Counter(np.array(kinds, object)[rows].tolist()) for rows in (own, own & wrong))
        for kind in known:
            if not all_of[kind.name]:
                continue
            by_kind.append(
                {"error": error, "kind": kind.name, "says": kind.says, "pairs": all_of[kind.name],
                 "wrong": wrong_of[kind.name], "share": wrong_of[kind.name] / all_of[kind.name]}
            )  # fmt: skip
            of_kind = np.array([name == kind.name for name in kinds]) & own & wrong
            worst += _examples(pairs, of_kind, error, kind.name)
    return Mistakes(by_kind, worst, _references(pairs, wrong))


def _examples(pairs: ScoredPairs, rows: NDArray[np.bool_], error: str, kind: str) -> list[Row]:
    """The surest errors, each pair once."""
    found = np.flatnonzero(rows)
    surest = found[np.argsort(pairs.probability[found] * (1 if error == MISSED else -1), kind="stable")]
    out: dict[frozenset[str], Row] = {}
    for i in surest.tolist():
        key = frozenset(pairs.names[i].tolist())
        if key not in out and len(out) < _EXAMPLES:
            reference = pairs.groups.names[pairs.groups.code[i]]
            out[key] = {"error": error, "kind": kind, "a": pairs.a[i], "b": pairs.b[i], "reference": reference,
                        "probability": float(pairs.probability[i])}  # fmt: skip
    return list(out.values())


def _references(pairs: ScoredPairs, wrong: NDArray[np.bool_]) -> list[Row]:
    assert pairs.label is not None
    match = pairs.label == 1
    count = len(pairs.groups.names)
    of = {
        name: np.bincount(pairs.groups.code[rows], minlength=count)
        for name, rows in {
            "pairs": np.ones(len(wrong), bool), "matches": match, MISSED: match & wrong, FALSE: ~match & wrong,
        }.items()
    }  # fmt: skip
    total = of[MISSED] + of[FALSE]
    most = [code for code in np.argsort(-total, kind="stable")[:_REFERENCES].tolist() if total[code]]
    return [
        {"reference": pairs.groups.names[code], **{name: int(counts[code]) for name, counts in of.items()},
         "wrong": int(total[code]), "share": float(total[code] / of["pairs"][code])}
        for code in most
    ]  # fmt: skip
