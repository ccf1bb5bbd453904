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
from ..files.invisible import read_visible
from ..files.pair_labels import experts_of
from ..files.pairs import Pairs, read_pairs
from ..files.tables import Table
from ..matcher.match_function import MatchFunction
from ..training.statistics.split import Groups
from ..training.understood import understood_pairs

MIN_PAIRS = 20


@dataclass(frozen=True)
class ScoredPairs:
    """Holds n pairs with what M makes of them.

    a, b : object [n], as they came. names : object [n, 2], the two diagnoses normalised, in the order of a and b.
    table : float32 [n, f], NaN where unknown. identical : bool [n]; equal after normalisation, so that no tree is asked.
    raw, probability : float64 [n]. label : int8 [n], or None. groups : by reference diagnosis.
    coverage : the share of pairs that each feature is known for.
    """

    a: NDArray[np.object_]
    b: NDArray[np.object_]
    names: NDArray[np.object_]
    table: NDArray[np.float32]
    identical: NDArray[np.bool_]
    raw: NDArray[np.float64]
    probability: NDArray[np.float64]
    label: NDArray[np.int8] | None
    groups: Groups
    coverage: dict[str, float]
    source: str
    n_rejected: int

    @property
    def match(self) -> NDArray[np.bool_]:
        """Gives the pairs labelled as matches: bool [n]; they need labels."""
        assert self.label is not None
        return self.label == 1

    def take(self, rows: NDArray[np.bool_]) -> ScoredPairs:
        """Keeps the rows of bool [n]."""
        of_rows = ("a", "b", "names", "table", "identical", "raw", "probability", "label")
        values = {name: value[rows] for name in of_rows if (value := getattr(self, name)) is not None}
        return replace(self, groups=self.groups.take(rows), **values)

    def sampled(self, strata: NDArray[np.bool_], most: int, seed: int) -> NDArray[np.int64]:
        """Draws the rows of a random sample, in order: at most `most`, of both strata in the share that they have, and 1 at least."""
        rows = np.arange(len(strata))
        if len(rows) <= most:
            return rows
        generator = np.random.default_rng(seed)
        few = min(max(round(most * float(strata.mean())), 1), most - 1) if strata.any() and not strata.all() else 0
        counts = {True: few, False: most - few} if few else {bool(strata[0]): most}
        drawn = [
            generator.choice(rows[strata == of], min(n, int((strata == of).sum())), False) for of, n in counts.items()
        ]
        return np.sort(np.concatenate(drawn))


def score_pairs(
    matcher: MatchFunction, pairs: Any, *, a: str, b: str, label: str | None, group: str | None, rejects: str | os.PathLike[str] | None,
    progress: Callable[[int, int], None] | None = None,
) -> ScoredPairs:  # fmt: skip
    """Reads, checks and scores the pairs; those with a diagnosis that is not understood are set aside with a warning.

    label : as in `read_pairs`; None takes `label` (or `label_<expert>`) where it is there, and does without where it is not.

    Raises
    ------
    InputError
        For one label only, or fewer than 20 pairs that differ after normalisation.
    """
    read = _read(pairs, a, b, label, group, rejects)
    source = read.table.source
    if read.label is not None and len(set(read.label.tolist())) < 2:
        both = "both matches (1) and non-matches (0), or no label at all"
        raise InputError("only one label among the pairs", source=source, allowed=both, got=int(read.label[0]))
    naming = matcher.providers.naming
    if not matcher.judge_all:
        read, set_aside = understood_pairs(read, naming)
        for warning in set_aside:
            warnings.warn(warning, NotUnderstoodWarning, stacklevel=3)
    unique = intern_pairs(read.a, read.b, naming)
    table, known = covered_table(unique, matcher.features, matcher.providers, matcher.min_coverage, progress)
    row = unique.pair_of_row
    differ = int((~unique.equal[row]).sum())
    if differ < MIN_PAIRS:
        enough = f"at least {MIN_PAIRS} that differ after normalisation"
        raise InputError("too few pairs to audit", source=source, allowed=enough, got=differ)
    first, second = read.a.to_pylist(), read.b.to_pylist()
    references = first if read.group is None else read.group.to_pylist()
    return ScoredPairs(
        np.array(first, object), np.array(second, object),
        np.stack([np.array(naming(side), object) for side in (first, second)], axis=1),
        table[row], unique.equal[row], matcher.raw(table)[row], matcher.decided(table, unique.equal)[row], read.label,
        Groups.of(naming(references)), known, source, read.n_rejected,
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
