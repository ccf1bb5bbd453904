"""The pairs of an audit as M sees them, and where it errs: by what it takes the two diagnoses to be to each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, NotUnderstoodWarning, warn
from ..files.pairs import read_pairs
from ..files.reading import PairColumns, Reading
from ..matcher.match_function import MatchFunction
from ..matcher.policy import RELATIONS
from ..pages.rows import Row
from ..progress import Progress
from ..training.examples import groups_of
from ..training.labelled import understood_pairs
from ..training.statistics.split import Groups

MIN_PAIRS = 20
MISSED, FALSE = "missed", "false"
"""The two errors: a match that M does not find, a non-match that it takes for one."""
ERRORS = {MISSED: "Matches that M misses", FALSE: "Non-matches that M takes for matches"}
_EXAMPLES = 5


@dataclass(frozen=True)
class ScoredPairs:
    """Holds n pairs with what M makes of them.

    a, b : object [n], as they came. pair : int64 [n]; the same number for the same two diagnoses, in either order.
    table : float32 [n, f], NaN where unknown. identical : bool [n]; equal after normalisation, so that no tree is asked.
    probability : float64 [n]. relation, why : object [n], as of `Relation`; the relation is "" for an M without a relation model.
    label : int8 [n]. groups : by reference diagnosis.
    """

    a: NDArray[np.object_]
    b: NDArray[np.object_]
    pair: NDArray[np.int64]
    table: NDArray[np.float32]
    identical: NDArray[np.bool_]
    probability: NDArray[np.float64]
    relation: NDArray[np.object_]
    why: NDArray[np.object_]
    label: NDArray[np.int8]
    groups: Groups
    source: str
    n_rejected: int

    @property
    def match(self) -> NDArray[np.bool_]:
        """Gives the pairs labelled as matches: bool [n]."""
        return self.label == 1

    def take(self, rows: NDArray[np.bool_]) -> ScoredPairs:
        """Keeps the rows of bool [n]."""
        arrays = {name: value[rows] for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return replace(self, groups=self.groups.take(rows), **arrays)


def score_pairs(
    matcher: MatchFunction, pairs: Any, columns: PairColumns, reading: Reading, progress: Progress
) -> ScoredPairs:
    """Reads, checks and scores the pairs; those with a diagnosis that is not understood are set aside with a warning.

    Raises
    ------
    InputError
        For pairs without labels, fewer than 20 pairs that differ after normalisation, or one label only among these.
    """
    chosen = {"a": columns.a, "b": columns.b, "label": columns.label, "group": columns.group}
    read = read_pairs(pairs, **chosen, rejects=reading.rejects, encoding=reading.encoding, visible=True)
    batch = matcher.model.batch(read.a, read.b, progress=progress)
    if not matcher.judge_all:
        read, batch, set_aside = understood_pairs(read, batch)
        for warning in set_aside:
            warn(warning, NotUnderstoodWarning)
    row = batch.pair_of_row
    differ = ~batch.equal[row]
    if differ.sum() < MIN_PAIRS:
        enough = f"at least {MIN_PAIRS} that differ after normalisation"
        raise InputError("too few pairs to audit", source=read.source, allowed=enough, got=int(differ.sum()))
    assert read.label is not None
    if len(set(read.label[differ].tolist())) < 2:
        both = "both matches (1) and non-matches (0)"
        problem = "only one label among the pairs that differ after normalisation"
        raise InputError(problem, source=read.source, allowed=both, got=int(read.label[differ][0]))
    relation = batch.relations().kinds if matcher.has_relation_model else [""] * len(row)
    first, second = (np.array(side.to_pylist(), object) for side in (read.a, read.b))
    return ScoredPairs(
        first, second, row, batch.features[row], batch.equal[row], batch.decided[row], np.array(relation, object),
        np.array(batch.reasons(), object), read.label,
        groups_of(read, batch), read.source, read.n_rejected,
    )  # fmt: skip


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
