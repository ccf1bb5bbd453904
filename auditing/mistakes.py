"""Where M errs: by kind of pair, the worst examples, the references with most errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..pages.figure import Row
from .kinds import MATCHES, NON_MATCHES, kind_of
from .results.audit_tables import FALSE, MISSED
from .scored_pairs import ScoredPairs

_EXAMPLES = 5
_REFERENCES = 20


def mistakes(pairs: ScoredPairs, threshold: float, language: str) -> dict[str, list[Row]]:
    """The errors of M on labelled pairs.

    Returns
    -------
    dict of rows
        kinds : `error` ("missed" or "false"), `kind`, `says`, `pairs` of this kind, `wrong`, `share`, in the order of the kinds.
        worst : `error`, `kind`, `a`, `b`, `reference`, `probability`, the surest errors of each kind first.
        references : `reference`, `pairs`, `matches`, `missed`, `false`, `wrong`, `share`, those with most errors first.
    """
    assert pairs.label is not None
    wrong = (pairs.probability >= threshold) != (pairs.label == 1)
    kinds = np.array(
        [
            kind_of(a, b, label, language)
            for (a, b), label in zip(pairs.names.tolist(), pairs.label.tolist(), strict=True)
        ],
        object,
    )
    by_kind: list[Row] = []
    worst: list[Row] = []
    for error, label, known in ((MISSED, 1, MATCHES), (FALSE, 0, NON_MATCHES)):
        for kind in known:
            own = (kinds == kind.name) & (pairs.label == label)
            count, missed = int(own.sum()), int((own & wrong).sum())
            if count:
                row = {"error": error, "kind": kind.name, "says": kind.says}
                by_kind.append({**row, "pairs": count, "wrong": missed, "share": missed / count})
                worst += _examples(pairs, own & wrong, error, kind.name)
    return {"kinds": by_kind, "worst": worst, "references": _references(pairs, wrong)}


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
