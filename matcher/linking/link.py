"""Two lists of terms: for each of the one the best of the other, found by candidates and judged by M."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...errors import OptionError
from ...progress import Progress
from .candidates import CANDIDATES, CandidateSearch
from .listed import NOT_UNDERSTOOD, Listed, listed
from .ranking import check_k
from .scorer import NamedPairs, Scorer, check_can_search, phases
from .tables import Terms, read_terms

NAMES_AT_ONCE = 10_000
"""Names of the first list that are searched, judged and written down together."""
NO_MATCH = "no match"
_WORTH_NAMING = 0.01
"""A nearest term of a lower probability is not named."""


@dataclass(frozen=True)
class Links:
    """What `link` made.

    Attributes
    ----------
    table : one row for each link, and one for each term without any, in the order of the first list.
    a, b : how many terms each list has.
    linked : terms of the first list with a link. unlinked : with none, though they are understood.
    not_understood : those of the first list. blank : those that are missing, blank, or no diagnosis.
    unknown_b : terms of the second list that are blank or not understood.
    doubtful : links whose probability is below one half, so that each is more likely wrong than right.
    """

    table: pa.Table
    read: Terms
    read_b: Terms
    a: int
    b: int
    linked: int
    unlinked: int
    not_understood: int
    blank: int
    unknown_b: int
    doubtful: int


@dataclass(frozen=True)
class _Found:
    """Links as rows of the two lists; `nearest`, by name of the first list, the best name and its probability where none matched."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    probability: NDArray[np.float64]


def link(
    m: Scorer,
    a_terms: Any,
    b_terms: Any,
    k: int | None = 1,
    *,
    a: str | None = None,
    b: str | None = None,
    threshold: float | None = None,
    candidates: int = CANDIDATES,
    relation: bool = False,
    encoding: str | None = None,
    progress: Progress | None = None,
) -> Links:
    """See `MatchFunction.link`."""
    check_k(k)
    least = m.threshold_or(threshold)
    check_candidates(candidates)
    check_can_search(m)
    read, read_b = read_terms(a_terms, a, "a", encoding), read_terms(b_terms, b, "b", encoding)
    reading, preparing, judging = phases(progress, len(read) + len(read_b), 1, 2, 1)
    names, (of_a, of_b) = listed(m, read.texts, read_b.texts, progress=reading)
    pairs = NamedPairs(m, names, preparing)
    found, nearest = _search(pairs, of_a, of_b, k, least, candidates, judging)
    return _told(m, read, read_b, of_a, of_b, found, nearest, relation)


def _search(
    pairs: NamedPairs, a: Listed, b: Listed, k: int | None, least: float, count: int, report: Progress
) -> tuple[_Found, dict[int, tuple[int, float]]]:
    """The links, sorted by row of `a`, best first; and by name of `a` the best name that does not match."""
    wanted = np.unique(a.name[a.name >= 0])
    among = np.unique(b.name[b.understood])
    rows_a, rows_b = _Rows(a.name, len(pairs.names)), _Rows(b.name, len(pairs.names))
    graph = pairs.m.providers.graph
    search = CandidateSearch(pairs.texts, among, count, graph) if len(among) else None
    parts: list[_Found] = []
    nearest: dict[int, tuple[int, float]] = {}
    for start in range(0, len(wanted), NAMES_AT_ONCE):
        some = wanted[start : start + NAMES_AT_ONCE]
        place, other = (np.zeros(0, np.int32),) * 2 if search is None else search(some)
        differ = some[place] != other
        place, other = place[differ], other[differ]
        probability = pairs.probabilities(some[place], other)
        # A name is a candidate of itself, whether it is understood or not.
        own = np.arange(len(some), dtype=np.int32)
        place, other = np.concatenate([own, place]), np.concatenate([some, other])
        probability = np.concatenate([np.ones(len(some)), probability])
        there = rows_b.count(other) > 0
        place, other, probability = place[there], other[there], probability[there]
        order = np.lexsort((other, -probability, place))
        place, other, probability = place[order], other[order], probability[order]
        first = np.searchsorted(place, np.arange(len(some) + 1))
        for i in np.flatnonzero(first[1:] > first[:-1]).tolist():
            if probability[first[i]] < least:
                nearest[int(some[i])] = int(other[first[i]]), float(probability[first[i]])
        keep = probability >= least
        if k is not None:
            keep &= np.arange(len(place)) - first[place] < k
        parts.append(_rows_of(some[place[keep]], other[keep], probability[keep], rows_a, rows_b, a, b, k))
        report(min(start + NAMES_AT_ONCE, len(wanted)), len(wanted))
    found = [
        np.concatenate([getattr(part, of) for part in parts]) if parts else np.zeros(0)
        for of in ("a", "b", "probability")
    ]
    order = np.argsort(found[0], kind="stable")
    return _Found(found[0][order].astype(np.int64), found[1][order].astype(np.int64), found[2][order]), nearest


class _Rows:
    """The rows of each of u names."""

    def __init__(self, name_of_row: NDArray[np.int32], names: int) -> None:
        named = np.flatnonzero(name_of_row >= 0)
        self._rows = named[np.argsort(name_of_row[named], kind="stable")]
        self._starts = np.searchsorted(name_of_row[self._rows], np.arange(names + 1))

    def count(self, names: NDArray[np.int32]) -> NDArray[np.int64]:
        return self._starts[names + 1] - self._starts[names]

    def of(self, names: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(place in `names`, row) of every row of each of `names`."""
        count = self.count(names)
        place = np.repeat(np.arange(len(names)), count)
        within = np.arange(len(place)) - np.repeat(np.cumsum(count) - count, count)
        return place, self._rows[self._starts[names][place] + within]


def _rows_of(
    of_a: NDArray[np.int32],
    of_b: NDArray[np.int32],
    probability: NDArray[np.float64],
    rows_a: _Rows,
    rows_b: _Rows,
    a: Listed,
    b: Listed,
    k: int | None,
) -> _Found:
    """The rows that have matching names: of each row of `a` the k best, first those written as it is, then the first in the list."""
    place, row_b = rows_b.of(of_b)
    again, row_a = rows_a.of(of_a[place])
    place, row_b = place[again], row_b[again]
    known = (of_a[place] == of_b[place]) | (a.understood[row_a] & b.understood[row_b])
    place, row_a, row_b = place[known], row_a[known], row_b[known]
    same = np.fromiter(
        (a.texts[i] == b.texts[j] for i, j in zip(row_a.tolist(), row_b.tolist(), strict=True)), bool, len(row_a)
    )
    order = np.lexsort((row_b, ~same, -probability[place], row_a))
    if k is not None and len(order):
        sorted_a = row_a[order]
        first = np.searchsorted(sorted_a, sorted_a)
        order = order[np.arange(len(order)) - first < k]
    return _Found(row_a[order], row_b[order], probability[place[order]])


def _told(
    m: Scorer,
    read: Terms,
    read_b: Terms,
    a: Listed,
    b: Listed,
    found: _Found,
    nearest: dict[int, tuple[int, float]],
    relation: bool,
) -> Links:
    """The table: a row for each link, and one for each term without, which says why."""
    linked = np.zeros(len(a), bool)
    linked[found.a] = True
    left = np.flatnonzero(~linked)
    rows_a = np.concatenate([found.a, left])
    rows_b = np.concatenate([found.b, np.full(len(left), -1, np.int64)])
    probability = np.concatenate([found.probability, np.full(len(left), np.nan)])
    order = np.argsort(rows_a, kind="stable")
    rows_a, rows_b, probability = rows_a[order], rows_b[order], probability[order]
    none = rows_b < 0
    take_a, take_b = pa.array(rows_a), pa.array(rows_b, mask=none)
    texts_a, texts_b = (pa.array(of.texts, pa.large_string()) for of in (a, b))
    reasons = _reasons(a, b, left, nearest)
    columns: dict[str, Any] = {
        "a": texts_a.take(take_a),
        "b": texts_b.take(take_b),
        "probability": pa.array(probability, mask=none),
        "match": pa.array(~none),
    }
    if relation:
        kinds: Sequence[str | None] = m.relations(
            [a.texts[i] for i in rows_a[~none].tolist()], [b.texts[i] for i in rows_b[~none].tolist()]
        ).kinds
        at = np.cumsum(~none) - 1
        columns["relation"] = pa.array(kinds, pa.string()).take(pa.array(at, mask=none))
    columns |= {"index_a": take_a, "index_b": take_b}
    columns["note"] = pa.array(
        [reasons.get(row) if blank else None for row, blank in zip(rows_a.tolist(), none.tolist(), strict=True)],
        pa.string(),
    )
    others = {name: values.take(take_a) for name, values in read.others("a_").items()}
    others |= {name: values.take(take_b) for name, values in read_b.others("b_", index=True).items()}
    columns |= {name: values for name, values in others.items() if name not in columns}
    blank = int(sum(not problem.startswith(NOT_UNDERSTOOD) for problem in a.problems.values()))
    unlinked = [row for row in left.tolist() if row not in a.problems]
    return Links(
        pa.table(columns), read, read_b, len(a), len(b), int(linked.sum()), len(unlinked),
        len([row for row in left.tolist() if a.problems.get(row, "").startswith(NOT_UNDERSTOOD)]), blank, len(b.problems),
        int((found.probability < 0.5).sum()),
    )  # fmt: skip


def _reasons(a: Listed, b: Listed, left: NDArray[np.int64], nearest: dict[int, tuple[int, float]]) -> dict[int, str]:
    """Of each row without a link, why it has none."""
    first_b: dict[int, int] = {}
    for _, (name, _) in nearest.items():
        first_b.setdefault(name, -1)
    if first_b:
        rows = np.flatnonzero(np.isin(b.name, np.fromiter(first_b, np.int32, len(first_b))))
        for row in rows[::-1].tolist():
            first_b[int(b.name[row])] = row
    out = {}
    for row in left.tolist():
        if row in a.problems:
            out[row] = a.problems[row]
        elif (near := nearest.get(int(a.name[row]))) is not None and near[1] >= _WORTH_NAMING:
            out[row] = f"{NO_MATCH}; the nearest is {b.texts[first_b[near[0]]]!r} ({near[1]:.2f})"
        else:
            out[row] = NO_MATCH
    return out


def check_candidates(candidates: Any) -> None:
    if isinstance(candidates, bool) or not isinstance(candidates, int) or candidates < 1:
        raise OptionError("candidates", "a whole number from 1", candidates)
