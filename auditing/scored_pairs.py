"""The pairs of an audit as M sees them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, NotUnderstoodWarning
from ..features.coverage import covered_table
from ..features.interning import intern_pairs
from ..features.representations import Representations
from ..files.invisible import read_visible
from ..files.pair_labels import experts_of
from ..files.pairs import Pairs, read_pairs
from ..files.tables import Table
from ..matcher.match_function import MatchFunction
from ..matcher.relation import reasons_of, relations_of
from ..training.statistics.split import Groups
from ..training.understood import understood_pairs

MIN_PAIRS = 20


@dataclass(frozen=True)
class ScoredPairs:
    """Holds n pairs with what M makes of them.

    a, b : object [n], as they came. pair : int64 [n]; the same number for the same two diagnoses, in either order.
    table : float32 [n, f], NaN where unknown. identical : bool [n]; equal after normalisation, so that no tree is asked.
    probability : float64 [n]. relation, why : object [n], as of `Relation`; the relation is "" for an M without a relation model.
    label : int8 [n], or None. groups : by reference diagnosis.
    """

    a: NDArray[np.object_]
    b: NDArray[np.object_]
    pair: NDArray[np.int64]
    table: NDArray[np.float32]
    identical: NDArray[np.bool_]
    probability: NDArray[np.float64]
    relation: NDArray[np.object_]
    why: NDArray[np.object_]
    label: NDArray[np.int8] | None
    groups: Groups
    source: str
    n_rejected: int

    @property
    def match(self) -> NDArray[np.bool_]:
        """Gives the pairs labelled as matches: bool [n]; they need labels."""
        assert self.label is not None
        return self.label == 1

    def take(self, rows: NDArray[np.bool_]) -> ScoredPairs:
        """Keeps the rows of bool [n]."""
        arrays = {name: value[rows] for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return replace(self, groups=self.groups.take(rows), **arrays)


def score_pairs(
    matcher: MatchFunction, pairs: Any, *, a: str, b: str, label: str | None, group: str | None, rejects: str | os.PathLike[str] | None,
    progress: Callable[[int, int], None] | None = None,
) -> ScoredPairs:  # fmt: skip
    """Reads, checks and scores the pairs; those with a diagnosis that is not understood are set aside with a warning.

    label : as in `read_pairs`; None takes `label` (or `label_<expert>`) where it is there, and does without where it is not.

    Raises
    ------
    InputError
        For fewer than 20 pairs that differ after normalisation, or one label only among these.
    """
    read = _read(pairs, a, b, label, group, rejects)
    naming = matcher.providers.naming
    if not matcher.judge_all:
        read, set_aside = understood_pairs(read, naming)
        for warning in set_aside:
            warnings.warn(warning, NotUnderstoodWarning, stacklevel=3)
    unique = intern_pairs(read.a, read.b, naming)
    texts = Representations(unique.names, matcher.providers)
    table, _ = covered_table(unique, matcher.features, matcher.providers, matcher.min_coverage, progress, texts=texts)
    row = unique.pair_of_row
    differ = ~unique.equal[row]
    if differ.sum() < MIN_PAIRS:
        enough = f"at least {MIN_PAIRS} that differ after normalisation"
        raise InputError("too few pairs to audit", source=read.source, allowed=enough, got=int(differ.sum()))
    if read.label is not None and len(set(read.label[differ].tolist())) < 2:
        both = "both matches (1) and non-matches (0), or no label at all"
        problem = "only one label among the pairs that differ after normalisation"
        raise InputError(problem, source=read.source, allowed=both, got=int(read.label[differ][0]))
    relation = relations_of(matcher, unique, table, texts).kinds if matcher.has_relation_model else [""] * len(row)
    first, second = (np.array(side.to_pylist(), object) for side in (read.a, read.b))
    return ScoredPairs(
        first, second, row, table[row], unique.equal[row], matcher.decided(table, unique.equal)[row], np.array(relation, object),
        np.array(reasons_of(matcher, unique, texts), object), read.label,
        Groups.of(naming((read.a if read.group is None else read.group).to_pylist())), read.source, read.n_rejected,
    )  # fmt: skip


def _read(
    pairs: Any, a: str, b: str, label: str | None, group: str | None, rejects: str | os.PathLike[str] | None
) -> Pairs:
    listed = isinstance(pairs, Sequence) and not isinstance(pairs, str | os.PathLike)
    tuples = listed and not (len(pairs) and isinstance(pairs[0], Mapping))
    table = pairs if tuples else read_visible(pairs, set_aside=rejects is not None)
    if label is None and isinstance(table, Table) and ("label" in table.names or experts_of(table, "label")):
        label = "label"
    return read_pairs(table, a=a, b=b, label=label, group=group, rejects=rejects)
