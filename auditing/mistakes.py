"""Where M errs: by what it takes the two diagnoses of a pair to be to each other, and the surest errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..matcher.policy import RELATIONS
from ..pages.rows import Row
from .scored_pairs import ScoredPairs

MISSED, FALSE = "missed", "false"
"""The two errors: a match that M does not find, a non-match that it takes for one."""
ERRORS = {MISSED: "Matches that M misses", FALSE: "Non-matches that M takes for matches"}
_EXAMPLES = 5


def mistakes(pairs: ScoredPairs, threshold: float) -> dict[str, list[Row]]:
    """Finds the errors of M on labelled pairs.

    Returns
    -------
    dict of rows
        kinds : `error` ("missed" or "false"), `kind` (M's relation of the two), `pairs` of this kind, `wrong`, `share`; none without relations.
        worst : `error`, `kind`, `a`, `b`, `reference`, `probability`, `why` (as of `Relation`), the surest errors of each kind first.
    """
    wrong = (pairs.probability >= threshold) != pairs.match
    kinds: list[Row] = []
    worst: list[Row] = []
    for error, those in ((MISSED, pairs.match), (FALSE, ~pairs.match)):
        for kind in (*RELATIONS, ""):
            own = (pairs.relation == kind) & those
            count, missed = int(own.sum()), int((own & wrong).sum())
            if count and kind:
                kinds.append({"error": error, "kind": kind, "pairs": count, "wrong": missed, "share": missed / count})
            worst += _examples(pairs, np.flatnonzero(own & wrong), error, kind)
    return {"worst": worst} | ({"kinds": kinds} if kinds else {})


def _examples(pairs: ScoredPairs, found: NDArray[np.intp], error: str, kind: str) -> list[Row]:
    """The surest errors, each pair once."""
    surest = found[np.argsort(pairs.probability[found] * (1 if error == MISSED else -1), kind="stable")]
    once = sorted(np.unique(pairs.pair[surest], return_index=True)[1])[:_EXAMPLES]
    return [
        {"error": error, "kind": kind, "a": pairs.a[i], "b": pairs.b[i], "reference": pairs.groups.names[pairs.groups.code[i]],
         "probability": float(pairs.probability[i]), "why": pairs.why[i]}
        for i in surest[once].tolist()
    ]  # fmt: skip
