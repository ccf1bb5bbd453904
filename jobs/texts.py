"""The diagnoses of a job, each once: found in a first pass over two columns, checked, named, prepared for every feature."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..errors import SET_ASIDE, InputError
from ..features.compute import feature_table, prepare
from ..features.coverage import check_coverage, coverage
from ..features.interning import InternedPairs, numbered, unordered_pairs
from ..features.providers import Providers
from ..features.readings import RowReadings, TextReadings
from ..features.representations import Representations
from ..files.pairs import check_text
from ..files.parquet_file import damaged
from ..files.tables import Table
from ..matcher.match_function import MatchFunction
from ..terms.icd.naming import Naming
from ..terms.text.understood import Reading
from .parts import ChunkResult
from .plan import Plan
from .source import Chunk, read_rows

T = TypeVar("T")

MAX_TEXTS = 1_000_000
"""With more different texts than that, which would take some 2.5 GB, the job does not hold them all."""
MAX_BYTES = 1 << 30

Progress = Callable[[int, int], None]
"""Called with the rows done and the rows in all."""


@dataclass(frozen=True)
class CheckedRows:
    """n rows of a chunk.

    table : as they came. a, b : their diagnoses, trimmed. problems : what is wrong with some of them, by place in the table.
    """

    table: Table
    a: pa.DictionaryArray
    b: pa.DictionaryArray
    problems: dict[int, InputError]

    @classmethod
    def of(cls, data: pa.Table, source: str, first_row: int, sides: tuple[str, str]) -> CheckedRows:
        """Checks rows, whose two diagnoses are one dictionary array each, as those of any table are checked."""
        table, problems, trimmed = Table(data, source, first_row), dict[int, InputError](), []
        for name in sides:
            side = data.column(name).chunk(0)
            side = pa.DictionaryArray.from_arrays(side.indices, pc.utf8_trim_whitespace(side.dictionary))
            check_text(table, name, pa.chunked_array([side]), problems)
            trimmed.append(side)
        return cls(table, trimmed[0], trimmed[1], problems)

    @property
    def texts(self) -> pa.Array:
        """The different diagnoses of the rows and, where they are slices of others, of those."""
        return pc.unique(pa.concat_arrays([self.a.dictionary, self.b.dictionary]))


@dataclass(frozen=True)
class Texts:
    """r different diagnoses, u different names, and what every feature needs of them. Picklable; threads may share it.

    diagnoses : trimmed. name_of : int32[r], indices into `names.names`, -1 for what is no diagnosis.
    said : what was made of them; None where all are understood as they are.
    """

    diagnoses: pa.Array
    name_of: NDArray[np.int32]
    names: Representations
    said: TextReadings | None = None

    @classmethod
    def of(cls, diagnoses: pa.Array, providers: Providers) -> Texts:
        """Names different diagnoses; nothing is prepared yet."""
        texts = diagnoses.to_pylist()
        read = [_reading(text, providers.naming) for text in texts]
        names, index = numbered([reading.name for reading in read if reading is not None])
        name_of = np.full(len(read), -1, np.int32)
        name_of[[reading is not None for reading in read]] = index
        said = TextReadings.of(texts, read)
        return cls(diagnoses, name_of, Representations(names, providers), said if said else None)

    def pairs(self, rows: CheckedRows, sides: tuple[str, str]) -> tuple[InternedPairs, NDArray[np.bool_]]:
        """The unique pairs of the rows without a problem, and bool[n], which rows these are.

        A diagnosis of which the normaliser leaves nothing is one problem more.

        Raises
        ------
        InputError
            Where a diagnosis is not among the texts, since the file changed after the first pass.
        """
        good = np.ones(len(rows.table), bool)
        good[list(rows.problems)] = False
        codes, places = [], []
        for side, name in zip((rows.a, rows.b), sides, strict=True):
            at = pc.index_in(side.dictionary, self.diagnoses)
            if at.null_count:
                raise damaged(rows.table.source, "it changed while it was read")
            name_of = np.append(self.name_of[at.to_numpy()], np.int32(-1))
            of_rows = name_of[side.indices.fill_null(len(name_of) - 1).to_numpy(zero_copy_only=False)]
            for row in np.flatnonzero(good & (of_rows < 0)).tolist():
                got, good[row] = rows.table.column(name)[row], False
                problem = "a diagnosis without a letter or digit"
                rows.problems[row] = rows.table.error(problem, row, name, allowed="a diagnosis in words", got=got)
            codes.append(of_rows)
            places.append((at, side.indices))
        names = list(self.names.names)
        said = None
        if self.said is not None:
            said = RowReadings(self.said, *(_taken(at, indices, good) for at, indices in places))
        a, b = codes[0][good], codes[1][good]
        return InternedPairs(names, *unordered_pairs(a, b, len(names)), a > b, said), good


def read_checked(plan: Plan, chunk: Chunk) -> CheckedRows:
    """The two diagnoses of the rows of a chunk.

    Raises
    ------
    InputError
        For a damaged file, and for the first row that cannot be right where none may be rejected.
    """
    sides = plan.texts
    rows = CheckedRows.of(read_rows(chunk, sides, sides), str(chunk.path), chunk.first + 1, sides)
    if rows.problems and not plan.rejecting:
        raise rows.problems[min(rows.problems)].with_remedy(SET_ASIDE)
    return rows


def find_texts(plan: Plan, todo: Sequence[Chunk], progress: Progress) -> pa.Array | None:
    """The different diagnoses of the chunks, in the order of the chunks; None where there are too many to hold.

    Raises
    ------
    InputError
        As of `read_checked`.
    """
    found, waiting = pa.array([], pa.large_string()), list[pa.Array]()
    for number, texts in enumerate(
        _each(todo, lambda chunk: read_checked(plan, chunk).texts, plan.threads, progress), 1
    ):
        waiting.append(texts)
        # Merged when as much is waiting as was found: each text is then hashed a few times at most.
        if sum(map(len, waiting)) >= len(found) or number == len(todo):
            found, waiting = pc.unique(pa.concat_arrays([found, *waiting])), []
            if len(found) > MAX_TEXTS or found.nbytes > MAX_BYTES:
                return None
    return found


def check_votes(
    plan: Plan,
    m: MatchFunction,
    texts: Texts,
    todo: Sequence[Chunk],
    finished: Sequence[ChunkResult],
    progress: Progress,
) -> None:
    """Looks votes and picks up for all pairs before the first is scored: what is refused for want of them is refused in seconds.

    Raises
    ------
    InputError
        Where a vote or a pick is known for a smaller share of the rows, finished ones too, than `m.min_coverage`.
    """
    asked = replace(m.features, features=m.features.asked)
    columns = [m.features.names.index(name) for name in asked.names]
    known = sum((np.array(result.known)[columns] for result in finished), np.zeros(len(columns)))
    rows = sum(result.rows - result.rejected for result in finished)
    prepare(texts.names, asked)

    def look_up(chunk: Chunk) -> tuple[NDArray[np.float64], int]:
        pairs, good = texts.pairs(read_checked(plan, chunk), plan.texts)
        table = feature_table(pairs, asked, m.providers, texts=texts.names, threads=1)
        shares = coverage(table, pairs.pair_of_row, asked)
        return np.array(list(shares.values())) * good.sum(), int(good.sum())

    for known_here, rows_here in _each(todo, look_up, plan.threads, progress):
        known, rows = known + known_here, rows + rows_here
    check_coverage(
        dict(zip(asked.names, (known / max(rows, 1)).tolist(), strict=True)),
        m.features,
        m.min_coverage,
        m.providers.store,
    )


def _each(todo: Sequence[Chunk], work: Callable[[Chunk], T], threads: int, progress: Progress) -> Iterator[T]:
    """What `work` gives for each chunk, in their order."""
    total, done = sum(chunk.rows for chunk in todo), 0
    pool = ThreadPoolExecutor(threads)
    try:
        for chunk, result in zip(todo, pool.map(work, todo), strict=True):
            yield result
            done += chunk.rows
            progress(done, total)
    finally:
        pool.shutdown(cancel_futures=True)


def _reading(text: str, naming: Naming) -> Reading | None:
    """None for what is no diagnosis, or is none after normalisation."""
    try:
        return naming.read([text])[0]
    except InputError:
        return None


def _taken(at: pa.Array, indices: pa.Array, good: NDArray[np.bool_]) -> NDArray[np.int32]:
    """int32: the places, among the texts of the job, of the rows that are good."""
    return at.to_numpy().astype(np.int32)[indices.filter(pa.array(good)).to_numpy(zero_copy_only=False)]
