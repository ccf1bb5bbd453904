"""Two lists of terms: for each of the one the best of the other, found by candidates and judged by M."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .. import progress
from ..errors import warn
from ..features.compute import prepare
from ..features.names import Names, Progress
from ..files.wording import counted
from .batch import WHY, Batch, PairModel
from .candidates import CANDIDATES, CandidateSearch, check_can_search
from .kept_blocks import Block, KeptBlocks
from .terms import Listed, Terms, listed

NAMES_AT_ONCE = 10_000
"""Names of the first list that are searched, judged and kept together; fewer where each has more candidates than usual."""
NO_MATCH = "no match"
_WORTH_NAMING = 0.01
"""A nearest term of a lower probability is not named."""


class _Found(NamedTuple):
    """Links as rows of the two lists; and of names of the first list of which no candidate matches, which is nearest."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    probability: NDArray[np.float64]
    unmatched: NDArray[np.int32]
    nearest: NDArray[np.int32]
    nearest_probability: NDArray[np.float64]


_NOTHING = _Found(*(np.zeros(0, kind) for kind in ("i8", "i8", "f8", "i4", "i4", "f8")))


def link(
    model: PairModel,
    read: Terms,
    read_b: Terms,
    k: int | None = 1,
    *,
    least: float,
    candidates: int = CANDIDATES,
    add: Sequence[str] = (),
    kept: KeptBlocks | None = None,
) -> pa.Table:
    """See `MatchFunction.link`. least : of a match. kept : keeps the blocks of the work, and has those of an earlier run."""
    with progress.shown("Linking terms") as report:
        naming, preparing, judging = phases(report, len(read) + len(read_b), 1, 2, 1)
        names, (of_a, of_b) = listed(model, naming, a=read.texts, b=read_b.texts)
        check_can_search(names)
        wanted = np.unique(of_a.name[of_a.name >= 0])
        at_once = names_at_once(candidates)
        blocks = [wanted[start : start + at_once] for start in range(0, len(wanted), at_once)]
        there: dict[int, Block] = {}
        if kept is not None:
            there = kept.open(len(blocks), k, least, candidates, at_once, of_a.texts, of_b.texts)
        search = None
        if len(there) < len(blocks):
            prepare(names, model.features, progress=preparing)
            search = _Search(model, names, of_a, of_b, candidates)
        parts = [_NOTHING]
        for number, block in enumerate(blocks):
            if search is None or number in there:
                parts.append(_Found(**there[number]))
            else:
                parts.append(search(block, k, least))
                if kept is not None:
                    kept.add(number, parts[-1]._asdict())
            judging(number + 1, len(blocks))
        found = _Found(*map(np.concatenate, zip(*parts, strict=True)))
    if k is None or k >= candidates:
        _warn_of_limits(found, of_b, candidates)
    return _links(model, names, read, read_b, of_a, of_b, found, add)


class _Search:
    """Finds the links of names of the first list."""

    def __init__(self, model: PairModel, names: Names, a: Listed, b: Listed, candidates: int) -> None:
        self._model, self._names, self._a, self._b = model, names, a, b
        among = np.unique(b.name[b.understood])
        self._find = CandidateSearch(names, among, candidates) if len(among) else None
        self._understood = np.zeros(len(names), bool)
        self._understood[a.name[a.understood]] = True
        # What is written alike has the same links: they are looked for once, in the first such row.
        first = np.unique(a.text, return_index=True)[1]
        written = np.full(len(a), -1, np.int32)
        written[first] = a.name[first]
        self._rows_a, self._rows_b = _Rows(written, len(names)), _Rows(b.name, len(names))
        self._written_alike = _Rows(a.text, len(a))

    def __call__(self, names: NDArray[np.int32], k: int | None, least: float) -> _Found:
        asked, place, other = np.flatnonzero(self._understood[names]).astype(np.int32), *(np.zeros(0, np.int32),) * 2
        if self._find is not None:
            place, other = self._find(names[asked])
            differ = names[asked[place]] != other
            place, other = asked[place[differ]], other[differ]
        probability = self._model.probabilities(self._names, names[place], other)
        # A name is a candidate of itself, whether it is understood or not.
        own = np.arange(len(names), dtype=np.int32)
        place, other = np.concatenate([own, place]), np.concatenate([names, other])
        probability = np.concatenate([np.ones(len(names)), probability])
        there = self._rows_b.count(other) > 0
        place, other, probability = place[there], other[there], probability[there]
        order = np.lexsort((other, -probability, place))
        place, other, probability = place[order], other[order], probability[order]
        _, best = np.unique(place, return_index=True)
        best = best[(probability[best] < least) & (probability[best] >= _WORTH_NAMING)]
        keep = probability >= least
        if k is not None:
            keep &= np.arange(len(place)) - np.searchsorted(place, place) < k
        rows = self._rows(names[place[keep]], other[keep], probability[keep], k)
        return _Found(*rows, names[place[best]], other[best], probability[best])

    def _rows(
        self, of_a: NDArray[np.int32], of_b: NDArray[np.int32], probability: NDArray[np.float64], k: int | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """The rows that have matching names: of each row of the first list the k best, in this order: first those written as it is, then the first."""
        a, b = self._a, self._b
        place, row_b = self._rows_b.of(of_b)
        again, row_a = self._rows_a.of(of_a[place])
        place, row_b = place[again], row_b[again]
        known = (of_a[place] == of_b[place]) | (a.understood[row_a] & b.understood[row_b])
        place, row_a, row_b = place[known], row_a[known], row_b[known]
        same = a.text[row_a] == b.text[row_b]
        order = np.lexsort((row_b, ~same, -probability[place], row_a))
        if k is not None:
            sorted_a = row_a[order]
            order = order[np.arange(len(order)) - np.searchsorted(sorted_a, sorted_a) < k]
        which, row_a = self._written_alike.of(a.text[row_a[order]])
        return row_a, row_b[order][which], probability[place[order]][which]


class _Rows:
    """The rows of each of u names, or of what else is numbered."""

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


def _links(
    model: PairModel,
    names: Names,
    read: Terms,
    read_b: Terms,
    a: Listed,
    b: Listed,
    found: _Found,
    add: Sequence[str],
) -> pa.Table:
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
    reasons = _reasons(a, b, left, found)
    columns: dict[str, Any] = {
        "a": texts_a.take(take_a),
        "b": texts_b.take(take_b),
        "probability": pa.array(probability, mask=none),
        "match": pa.array(~none),
    }
    if add:
        batch = Batch(model, names, a.name[rows_a[~none]], b.name[rows_b[~none]])
        at = pa.array(np.cumsum(~none) - 1, mask=none)
        if "relation" in add:
            columns["relation"] = pa.array(batch.relations().kinds, pa.string()).take(at)
        if "reasons" in add:
            columns[WHY] = pa.array([why or None for why in batch.reasons()], pa.string()).take(at)
    columns |= {"index_a": take_a, "index_b": take_b}
    columns["note"] = pa.array(
        [reasons.get(row) if blank else None for row, blank in zip(rows_a.tolist(), none.tolist(), strict=True)],
        pa.string(),
    )
    others = {name: values.take(take_a) for name, values in read.others("a_").items()}
    others |= {name: values.take(take_b) for name, values in read_b.others("b_", index=True).items()}
    columns |= {name: values for name, values in others.items() if name not in columns}
    return pa.table(columns)


def _reasons(a: Listed, b: Listed, left: NDArray[np.int64], found: _Found) -> dict[int, str]:
    """Of each row without a link, why it has none."""
    rows = np.flatnonzero(np.isin(b.name, found.nearest))[::-1]
    first_b = dict(zip(b.name[rows].tolist(), rows.tolist(), strict=True))
    near = zip(found.unmatched.tolist(), found.nearest.tolist(), found.nearest_probability.tolist(), strict=True)
    nearest = {name: f"{NO_MATCH}; the nearest is {b.texts[first_b[other]]!r} ({p:.2f})" for name, other, p in near}
    return {row: a.problems.get(row) or nearest.get(int(a.name[row]), NO_MATCH) for row in left.tolist()}


def _warn_of_limits(found: _Found, b: Listed, candidates: int) -> None:
    """Says that there may be more links than were found, where not all of the second list were candidates."""
    different = len(np.unique(b.name[b.understood]))
    if different <= candidates:
        return
    full = int((np.bincount(found.a) >= candidates).sum())
    warn(
        f"For each term at most 3 x {candidates:,} of {different:,} different ones were judged, so that these are not all matches there are: "
        f"{counted(full, 'term')} {'has' if full == 1 else 'have'} {candidates:,} links or more. The option 'candidates' finds more."
    )


def names_at_once(candidates: int) -> int:
    return max(1, min(NAMES_AT_ONCE, NAMES_AT_ONCE * CANDIDATES // candidates))


def phases(progress: Progress | None, rows: int, *shares: int) -> list[Progress]:
    """What reports each part of a job of some rows, by its share of the work, to one `progress`."""
    reports: list[Progress] = []
    for i, share in enumerate(shares):
        before = sum(shares[:i]) * rows

        def report(done: int, total: int, before: int = before, share: int = share) -> None:
            if progress is not None:
                progress((before + share * rows * done // max(total, 1)) // sum(shares), rows)

        reports.append(report)
    return reports
