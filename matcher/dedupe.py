"""Duplicates in one list of terms: clusters of names of one disease, and why each term is in its own."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .. import progress
from ..features.compute import prepare
from ..features.names import Names, Progress
from .batch import PAIRS_AT_ONCE, Batch, PairModel
from .candidates import CANDIDATES, CandidateSearch, check_can_search
from .clusters import Known, clustered, keys_of, names_of
from .link import names_at_once, phases
from .terms import Listed, Terms, listed

SAME_WORDS = "the same after normalisation"


def dedupe(model: PairModel, read: Terms, *, least: float, candidates: int = CANDIDATES) -> pa.Table:
    """See `MatchFunction.dedupe`. least : of a match."""
    with progress.shown("Finding duplicates") as report:
        naming, preparing, judging = phases(report, len(read), 1, 2, 1)
        names, (of,) = listed(model, naming, terms=read.texts)
        check_can_search(names)
        prepare(names, model.features, progress=preparing)
        known = _candidates(model, names, of, candidates, judging)
        cluster, known = clustered(len(names), known, least, partial(model.probabilities, names))
        return _duplicates(model, names, read, of, cluster, known)


def _candidates(model: PairModel, names: Names, of: Listed, count: int, report: Progress) -> Known:
    among = np.unique(of.name[of.understood])
    found = [np.zeros(0, np.int64)]
    if len(among) > 1:
        search = CandidateSearch(names, among, count)
        at_once = names_at_once(count)
        for start in range(0, len(among), at_once):
            some = among[start : start + at_once]
            place, other = search(some)
            found.append(keys_of(some[place], other)[some[place] != other])
    keys = np.unique(np.concatenate(found))  # each of two names may have found the other
    probability = np.empty(len(keys))
    for start in range(0, len(keys), PAIRS_AT_ONCE):
        block = slice(start, start + PAIRS_AT_ONCE)
        probability[block] = model.probabilities(names, *names_of(keys[block]))
        report(min(start + PAIRS_AT_ONCE, len(keys)), len(keys))
    return Known(keys, probability)


def _duplicates(
    model: PairModel, names: Names, read: Terms, of: Listed, cluster: NDArray[np.int32], known: Known
) -> pa.Table:
    partner = _partners(cluster, known)
    rows_of: dict[int, list[int]] = {}
    for row, name in enumerate(of.name.tolist()):
        if name >= 0:
            rows_of.setdefault(name, []).append(row)
    names_of: dict[int, list[int]] = {}
    for name in rows_of:
        names_of.setdefault(int(cluster[name]), []).append(name)
    number = {place: i for i, place in enumerate(names_of, 1)}
    chosen = {place: _representative(some, rows_of, partner) for place, some in names_of.items()}
    commonest = {name: _commonest(rows, of) for name, rows in rows_of.items()}
    shown = {place: commonest[name] for place, name in chosen.items()}
    columns: dict[str, list[Any]] = {
        name: []
        for name in ("term", "index", "cluster", "size", "representative", "joined_with", "probability", "why", "note")
    }
    size = {place: sum(len(rows_of[name]) for name in some) for place, some in names_of.items()}
    asked: dict[int, tuple[int, int]] = {}
    for row, name in enumerate(of.name.tolist()):
        place = int(cluster[name]) if name >= 0 else None
        joined, probability, why = None, None, None
        if place is not None:
            first = commonest[name]
            if row != first:
                joined, probability, why = of.texts[first], 1.0, SAME_WORDS
            elif name != chosen[place]:
                other, probability = partner[name]
                joined = of.texts[commonest[other]]
                asked[row] = name, other
        values = (
            of.texts[row], row, None if place is None else number[place], None if place is None else size[place],
            None if place is None else of.texts[shown[place]], joined, probability, why, of.problems.get(row),
        )  # fmt: skip
        for column, value in zip(columns.values(), values, strict=True):
            column.append(value)
    for row, why in zip(asked, _why(model, names, list(asked.values())), strict=True):
        columns["why"][row] = why
    kinds = {"index": pa.int64(), "cluster": pa.int64(), "size": pa.int64(), "probability": pa.float64()}
    made = {name: pa.array(values, kinds.get(name, pa.large_string())) for name, values in columns.items()}
    made |= {name: values for name, values in read.others("").items() if name not in made}
    return pa.table(made)


def _partners(cluster: NDArray[np.int32], known: Known) -> dict[int, tuple[int, float]]:
    """Of each name that shares its cluster, the other that it matches best (of equals, the first), and the probability."""
    first, second = names_of(known.keys)
    within = cluster[first] == cluster[second]
    first, second, probability = first[within], second[within], known.probability[within]
    names, others = np.concatenate([first, second]), np.concatenate([second, first])
    probability = np.tile(probability, 2)
    order = np.lexsort((others, -probability, names))
    names, others, probability = names[order], others[order], probability[order]
    _, at = np.unique(names, return_index=True)
    return {
        name: (other, p)
        for name, other, p in zip(names[at].tolist(), others[at].tolist(), probability[at].tolist(), strict=True)
    }


def _representative(names: list[int], rows_of: dict[int, list[int]], partner: dict[int, tuple[int, float]]) -> int:
    """The name that stands in most rows; of equals, the one that matches another best, then the first."""
    return min(names, key=lambda name: (-len(rows_of[name]), -partner.get(name, (0, 0.0))[1], rows_of[name][0]))


def _commonest(rows: list[int], of: Listed) -> int:
    """The first row of the commonest way to write one name; of equals, the first."""
    if len(rows) == 1:
        return rows[0]
    (text, _), *_ = Counter(of.texts[row] for row in rows).most_common(1)
    return next(row for row in rows if of.texts[row] == text)


def _why(model: PairModel, names: Names, pairs: list[tuple[int, int]]) -> list[str]:
    """What the graph or the words say of each pair of names; else what M takes it for."""
    if not pairs or model.trained.parts.relation is None:
        return ["M takes them for a match"] * len(pairs)
    batch = Batch(model, names, *np.array(pairs, np.int32).T)
    found = zip(batch.reasons(), batch.relations().kinds, strict=True)
    return [why or f"M takes them for {kind}" for why, kind in found]
