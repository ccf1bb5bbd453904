"""Two lists of terms: for each of the one the best of the other, found by candidates and judged by M.

The blocks of a long job are kept beside its output until that is written: an interrupted one goes on with them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .. import progress
from ..errors import warn
from ..features.names import Names
from ..files.atomic import make_folder, whole_file
from ..files.tables import check_output, write_table
from ..models.manifest import SHAPE_FEATURES, installed_releases
from ..progress import say
from .batch import WHY, Batch, PairModel
from .candidates import CANDIDATES, CandidateSearch, names_at_once
from .doubtful import is_doubtful
from .terms import Listed, Terms, prepared

NO_MATCH = "no match"
_WORTH_NAMING = 0.01
"""A nearest term of a lower probability is not named."""
_LIBRARIES = ("numpy", "pyarrow", "faiss-cpu", *SHAPE_FEATURES)

Block = Mapping[str, NDArray[Any]]
"""What came of a block, by name; numbers alone."""


def link(
    model: PairModel,
    read: Terms,
    read_b: Terms,
    k: int | None = 1,
    *,
    least: float,
    candidates: int = CANDIDATES,
    add: Sequence[str] = (),
    output: str | os.PathLike[str] | None = None,
) -> pa.Table:
    """See `MatchFunction.link`. least : of a link."""
    if output is not None:
        check_output(output)
    names, (a, b) = prepared(model, a=read.texts, b=read_b.texts)
    among = np.unique(b.name[b.understood])
    search = CandidateSearch(names, among, candidates)
    understood, there = np.zeros((2, len(names)), bool)
    understood[a.name[a.understood]] = there[b.name[b.name >= 0]] = True
    wanted, at_once = np.unique(a.name[a.name >= 0]), names_at_once(candidates)
    blocks = [wanted[start : start + at_once] for start in range(0, len(wanted), at_once)]
    model = model.with_votes(names, (search(block[understood[block]]) for block in blocks))
    parts, store = model.trained, model.providers.store
    judged_by = parts.manifest.name, parts.sha256, model.policy.name, model.judge_all, store and store.status()
    job = (*judged_by, k, least, candidates, at_once, a.texts, b.texts)
    # where a language model decides, what was asked is kept in its store, and what was not is asked by the next call
    keeps = None if output is None or model.verdicts is not None else _kept_blocks(output, len(blocks), *job)
    with keeps or contextlib.nullcontext(lambda number, make: make()) as block_of:
        found: list[Block] = [dict.fromkeys(("a", "b"), np.zeros(0, np.int32)) | {"probability": np.zeros(0)}]
        with progress.shown("Linking terms") as report:
            for number, block in enumerate(blocks):
                judged = partial(_judged, model, names, block, understood, there, search, k, least)
                found.append(block_of(number, judged))
                report(min((number + 1) * at_once, len(wanted)), len(wanted))
        of_a, of_b, probability = (np.concatenate([one[name] for one in found]) for name in found[0])
        made = _links(model, names, (read, a), (read_b, b), of_a, of_b, probability, k, least, add)
        if len(among) > candidates and (k is None or k >= candidates):
            warn(
                f"For each term at most 3 x {candidates:,} of {len(among):,} different ones were judged, so that these may not be all matches "
                "there are. The option 'candidates' finds more."
            )
        if output is not None:
            write_table(made, output)
    return made


def _judged(
    model: PairModel, names: Names, block: NDArray[np.int32], understood: NDArray[np.bool_], there: NDArray[np.bool_],
    search: CandidateSearch, k: int | None, least: float,
) -> Block:  # fmt: skip
    """For some names of the first list the k best of the second that match, best first; where none does, the nearest.

    understood, there : bool[names], of the first list those that are understood, and those that are in the second.
    """
    first, second = search(block[understood[block]])
    probability = model.probabilities(names, first, second)
    # A name is a candidate of itself, whether it is understood or not.
    first, second = np.concatenate([block, first]), np.concatenate([block, second])
    probability = np.concatenate([np.ones(len(block)), probability])
    order = np.lexsort((second, -probability, first))
    order = order[there[second[order]]]
    first, second, probability = first[order], second[order], probability[order]
    place = np.arange(len(first)) - np.searchsorted(first, first)
    keep = (probability >= least) & (True if k is None else place < k)
    keep |= (place == 0) & (probability >= _WORTH_NAMING)
    return {"a": first[keep], "b": second[keep], "probability": probability[keep]}


def _of_rows(
    a: Listed, b: Listed, of_a: NDArray[np.int32], of_b: NDArray[np.int32], probability: NDArray[np.float64], k: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:  # fmt: skip
    """The rows that have matching names: of each row of the first list the k best, in this order: first those written as it is, then the first."""
    # What is written alike has the same links: they are looked for once, in the first such row.
    first = np.unique(a.text, return_index=True)[1]
    written = np.full(len(a), -1, np.int32)
    written[first] = a.name[first]
    place, row_b = rows_with(of_b, b.name)
    again, row_a = rows_with(of_a[place], written)
    place, row_b = place[again], row_b[again]
    known = (of_a[place] == of_b[place]) | (a.understood[row_a] & b.understood[row_b])
    place, row_a, row_b = place[known], row_a[known], row_b[known]
    order = np.lexsort((row_b, a.text[row_a] != b.text[row_b], -probability[place], row_a))
    if k is not None:
        sorted_a = row_a[order]
        order = order[np.arange(len(order)) - np.searchsorted(sorted_a, sorted_a) < k]
    which, row_a = rows_with(a.text[row_a[order]], a.text)
    return row_a, row_b[order][which], probability[place[order]][which]


def rows_with(
    wanted: NDArray[np.int32], number_of_row: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(place in `wanted`, row) of every row that has each of these numbers."""
    rows = np.argsort(number_of_row, kind="stable")
    starts = np.searchsorted(number_of_row[rows], wanted)
    count = np.searchsorted(number_of_row[rows], wanted, side="right") - starts
    place = np.repeat(np.arange(len(wanted)), count)
    within = np.arange(len(place)) - np.repeat(np.cumsum(count) - count, count)
    return place, rows[starts[place] + within]


def _links(
    model: PairModel, names: Names, read_a: tuple[Terms, Listed], read_b: tuple[Terms, Listed], of_a: NDArray[np.int32], of_b: NDArray[np.int32],
    probability: NDArray[np.float64], k: int | None, least: float, add: Sequence[str],
) -> pa.Table:  # fmt: skip
    """The table: a row for each link, and one for each term without, which says why."""
    (terms_a, a), (terms_b, b), matches = read_a, read_b, probability >= least
    rows_a, rows_b, p = _of_rows(a, b, of_a[matches], of_b[matches], probability[matches], k)
    left = np.setdiff1d(np.arange(len(a)), rows_a)
    rows_a, rows_b = np.concatenate([rows_a, left]), np.concatenate([rows_b, np.full(len(left), -1)])
    order = np.argsort(rows_a, kind="stable")
    rows_a, rows_b, p = rows_a[order], rows_b[order], np.concatenate([p, np.full(len(left), np.nan)])[order]
    none = rows_b < 0
    take_a, take_b = pa.array(rows_a), pa.array(rows_b, mask=none)
    columns: dict[str, Any] = {
        "a": pa.array(a.texts, pa.large_string()).take(take_a),
        "b": pa.array(b.texts, pa.large_string()).take(take_b),
        "probability": pa.array(p, mask=none),
        "match": pa.array(~none),
        "doubtful": pa.array(is_doubtful(p), mask=none),
    }
    if add:
        batch = Batch(model, names, a.name[rows_a[~none]], b.name[rows_b[~none]])
        at = pa.array(np.cumsum(~none) - 1, mask=none)
        columns |= {name: said.take(at) for name, said in batch.columns(add).items() if name in ("relation", WHY)}
    named_b, first_b = np.unique(b.name, return_index=True)
    nearest_b = first_b[np.searchsorted(named_b, of_b[~matches])]
    near = zip(of_a[~matches].tolist(), nearest_b.tolist(), probability[~matches].tolist(), strict=True)
    nearest = {name: f"{NO_MATCH}; the nearest is {b.texts[row]!r} ({p:.2f})" for name, row, p in near}
    notes = [a.problems.get(row) or nearest.get(int(a.name[row]), NO_MATCH) for row in left.tolist()]
    columns |= {"index_a": pa.array(terms_a.places).take(take_a), "index_b": pa.array(terms_b.places).take(take_b)}
    columns["note"] = pa.array(notes, pa.string()).take(pa.array(np.cumsum(none) - 1, mask=~none))
    others = {name: values.take(take_a) for name, values in terms_a.others("a_").items()}
    others |= {name: values.take(take_b) for name, values in terms_b.others("b_", index=True).items()}
    return pa.table(columns | {name: values for name, values in others.items() if name not in columns})


@contextlib.contextmanager
def _kept_blocks(
    output: str | os.PathLike[str], blocks: int, *job: Any
) -> Iterator[Callable[[int, Callable[[], Block]], Block]]:
    """Gives a block of one job by its number, kept as it is made, in a folder named like the output with ".parts".

    Another input, model or option finds none of them. A block is there as soon as its file has its name; one that is damaged is made
    again. Left without an error, they are removed.

    Parameters
    ----------
    blocks : how many the job has; a single one is not kept. job : all that the result depends on, as JSON can hold it.
    """
    libraries = installed_releases(_LIBRARIES)
    about = json.dumps([metadata.version("dxmatch"), libraries, blocks, *job], sort_keys=True, default=str)
    name = f"links-{hashlib.sha256(about.encode()).hexdigest()[:16]}"
    folder, there = Path(f"{os.fspath(output)}.parts"), dict[int, Block]()
    damaged = OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile
    paths = [folder / f"{name}-{number:05}.npz" for number in range(blocks)]
    for number, path in enumerate(paths):
        with contextlib.suppress(*damaged), np.load(path, allow_pickle=False) as file:
            there[number] = dict(file)
    if there:
        say(f"{len(there):,} of {blocks:,} blocks were there already.")

    def block_of(number: int, make: Callable[[], Block]) -> Block:
        if number in there:
            return there[number]
        block = make()
        if blocks > 1:
            make_folder(folder)
            with whole_file(paths[number]) as part, part.open("wb") as file:
                np.savez(file, **dict[str, Any](block))
            there[number] = block
        return block

    try:
        yield block_of
    except KeyboardInterrupt:
        if not there:
            raise
        raise KeyboardInterrupt(
            f"interrupted; {len(there):,} of {blocks:,} blocks are kept in {folder}. Run the same command again to go on."
        ) from None
    for path in folder.glob(f"*{name}-*"):  # also what a killed process was about to write
        path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        folder.rmdir()
