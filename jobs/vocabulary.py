"""The texts of a job, each once: found in a first pass over two columns, checked, named, and prepared for every feature."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..errors import InputError
from ..features.interning import InternedPairs, unique_names, unordered_pairs
from ..features.providers import Providers
from ..features.representations import Representations
from ..files.pairs import refused_texts, why_refused
from ..terms.icd.naming import Naming
from .order import in_order
from .plan import Chunk, Job
from .source import damaged, read_rows

MAX_TEXTS = 1_000_000
"""With more different texts than that, which would take some 2.5 GB, each chunk has a vocabulary of its own."""
MAX_BYTES = 1 << 30
HELD_BYTES = 1 << 28
"""How much of the two columns the first pass keeps for the second."""
SLICES_AT_ONCE = 4

Sides = tuple[pa.DictionaryArray, pa.DictionaryArray]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Vocabulary:
    """r different raw texts, u different names, and what every feature needs of them. Picklable; threads may share it.

    raw : the texts as they came. name_of_raw : int32[r], indices into `texts.names`, -1 for a text that is no diagnosis.
    refused : what is wrong with the latter, and what is allowed, by their place in `raw`.
    """

    raw: pa.Array
    name_of_raw: NDArray[np.int32]
    refused: Mapping[int, tuple[str, str]]
    texts: Representations

    @classmethod
    def of(cls, raw: pa.Array, providers: Providers) -> Vocabulary:
        """The vocabulary of different texts; none is prepared yet."""
        stripped = pc.utf8_trim_whitespace(raw)
        bad = refused_texts(stripped)
        refused = {int(i): why_refused(stripped[int(i)].as_py()) for i in np.flatnonzero(bad)}
        good = np.flatnonzero(~bad)
        named = _named(stripped.take(pa.array(good)).to_pylist(), providers.naming)
        for place, name in zip(good.tolist(), named, strict=True):
            if not isinstance(name, str):
                refused[place] = name
        names, index = unique_names([name for name in named if isinstance(name, str)])
        name_of_raw = np.full(len(raw), -1, np.int32)
        name_of_raw[[place for place, name in zip(good.tolist(), named, strict=True) if isinstance(name, str)]] = index
        return cls(raw, name_of_raw, refused, Representations(names, providers))

    def places(
        self, chunk: Chunk, a: pa.DictionaryArray, b: pa.DictionaryArray
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """int32[n] each: where the texts of two columns of a chunk are in `raw`, -1 for null.

        Errors: `InputError` where one is not there, since the file changed after the first pass.
        """
        at = pc.index_in(pa.concat_arrays([a.dictionary, b.dictionary]), self.raw)
        if at.null_count:
            raise damaged(chunk.path, "it changed while it was read")
        places = at.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
        cut = len(a.dictionary)
        sides = [np.append(part, np.int32(-1)) for part in (places[:cut], places[cut:])]
        codes = [side.indices.fill_null(len(of) - 1).to_numpy(zero_copy_only=False) for side, of in zip((a, b), sides, strict=True)]  # fmt: skip
        return sides[0][codes[0]], sides[1][codes[1]]

    def name_of(self, places: NDArray[np.int32]) -> NDArray[np.int32]:
        """int32[n]: the name of each place, -1 for a text that is no diagnosis and for null."""
        return np.append(self.name_of_raw, np.int32(-1))[places]

    def unique_pairs(self, a: NDArray[np.int32], b: NDArray[np.int32]) -> InternedPairs:
        """Of names, int32[n] each."""
        names = list(self.texts.names)
        return InternedPairs(names, *unordered_pairs(a, b, len(names)))

    def reason(self, place: int) -> tuple[str, str]:
        return why_refused(None) if place < 0 else self.refused[place]


@dataclass(frozen=True)
class Found:
    """What the first pass saw: the different texts of both columns, in the order of the chunks.

    texts : None where there are too many to hold. nulls : whether some value is null.
    held : both columns of as many chunks as are kept in memory, by number, so that they are not read again.
    """

    texts: pa.Array | None
    nulls: bool
    held: dict[int, Sides]


def find_texts(job: Job, todo: Sequence[Chunk], workers: int, progress: Progress | None = None) -> Found:
    """Reads both columns of the chunks."""
    names = (job.options.a, job.options.b)

    def read(chunks: list[Chunk]) -> list[Sides]:
        whole = replace(chunks[0], rows=sum(chunk.rows for chunk in chunks))
        table = read_rows(whole, names, names)
        a, b = (table.column(name).chunk(0) for name in names)
        starts = [chunk.first - whole.first for chunk in chunks]
        return [
            (a.slice(start, chunk.rows), b.slice(start, chunk.rows))
            for chunk, start in zip(chunks, starts, strict=True)
        ]

    found, nulls, held, free = pa.array([], pa.large_string()), False, {}, HELD_BYTES
    total, done = sum(chunk.rows for chunk in todo), 0
    waiting: list[pa.Array] = []
    with ThreadPoolExecutor(workers) as pool:
        for chunks, read_sides in in_order(pool, read, _of_one_group(todo), workers):
            waiting += [side.dictionary for side in read_sides[0]]
            for chunk, sides in zip(chunks, read_sides, strict=True):
                nulls |= any(side.null_count for side in sides)
                if (size := sum(side.nbytes for side in sides)) <= free:
                    held[chunk.number], free = sides, free - size
                done += chunk.rows
            # Merged when as much is waiting as was found: each text is then hashed a few times at most.
            if sum(map(len, waiting)) >= len(found):
                found, waiting = pc.unique(pa.concat_arrays([found, *waiting])), []
                if _too_many(found):
                    return Found(None, nulls, {})
            if progress is not None:
                progress(done, total)
    found = pc.unique(pa.concat_arrays([found, *waiting]))
    return Found(None, nulls, {}) if _too_many(found) else Found(found, nulls, held)


def _of_one_group(todo: Sequence[Chunk]) -> list[list[Chunk]]:
    """The chunks, those that lie side by side in one row group together: what comes before a slice is then read once."""
    out: list[list[Chunk]] = []
    for chunk in todo:
        last = out[-1][-1] if out else None
        follows = last is not None and (last.path, last.groups, last.first + last.rows) == (chunk.path, chunk.groups, chunk.first)  # fmt: skip
        if follows and len(out[-1]) < SLICES_AT_ONCE:
            out[-1].append(chunk)
        else:
            out.append([chunk])
    return out


def _too_many(texts: pa.Array) -> bool:
    return len(texts) > MAX_TEXTS or texts.nbytes > MAX_BYTES


def first_refused(job: Job, todo: Sequence[Chunk], vocabulary: Vocabulary) -> InputError | None:
    """The error of the first row that cannot be right, in the order of the input."""
    sides = (job.options.a, job.options.b)
    for chunk in todo:
        table = read_rows(chunk, sides, sides)
        places = vocabulary.places(chunk, *(table.column(side).chunk(0) for side in sides))
        bad = [vocabulary.name_of(side) < 0 for side in places]
        rows = np.flatnonzero(bad[0] | bad[1])
        if len(rows):
            return row_error(job, chunk, vocabulary, int(rows[0]), [int(side[rows[0]]) for side in places])
    return None


def row_error(job: Job, chunk: Chunk, vocabulary: Vocabulary, row: int, places: Sequence[int]) -> InputError:
    """What is wrong with a row of a chunk; of two diagnoses that are none, the first is told."""
    name_of_raw = vocabulary.name_of_raw
    side = 0 if places[0] < 0 or name_of_raw[places[0]] < 0 else 1
    problem, allowed = vocabulary.reason(places[side])
    got = None if places[side] < 0 else vocabulary.raw[places[side]].as_py()
    column = (job.options.a, job.options.b)[side]
    return InputError(problem, source=str(chunk.path), row=chunk.first + row + 1, column=column, allowed=allowed, got=got)  # fmt: skip


def _named(texts: list[str], naming: Naming) -> list[str | tuple[str, str]]:
    """The name of each text, or what is wrong with it where the normaliser leaves nothing of it."""
    try:
        return list(naming(texts))
    except InputError:
        return [_named_alone(text, naming) for text in texts]


def _named_alone(text: str, naming: Naming) -> str | tuple[str, str]:
    try:
        return naming([text])[0]
    except InputError as error:
        return error.problem, error.allowed or ""
