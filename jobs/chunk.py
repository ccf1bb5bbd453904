"""A chunk, as every engine does it: its rows read and checked, one Batch, one part written, which says of which job it is."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..errors import SET_ASIDE, DxmatchError, InputError
from ..features.names import Names
from ..files.atomic import whole_file
from ..files.pairs import check_text
from ..files.parquet_file import damaged, read_parquet
from ..files.tables import Table, with_columns
from ..matcher.batch import Batch, PairModel
from ..matcher.match_function import MatchFunction
from .plan import TEXT, Chunk, Plan, compact, read_rows

OWN_ROWS = 1 << 16
"""Rows that share texts where the job does not hold them all: at most twice as many names, some 300 MB."""
_FOOTER_KEY = b"dxmatch"
_DICTIONARY_BYTES = 64 << 20


@dataclass(frozen=True)
class ChunkResult:
    """What came of a chunk; its part is written.

    number : of the chunk. rows : of the input. matches : of the rows that were scored. rejected : rows left out.
    known : for how many rows that were not left out each feature has a value. unscored : rows with a diagnosis that is not
        understood; their probability is null.
    """

    number: int
    rows: int
    matches: int
    rejected: int
    known: tuple[int, ...]
    unscored: int = 0


class CheckedRows:
    """n rows of a chunk, whose two diagnoses are one dictionary array each, checked as those of any table.

    table : as they came. sides : the two diagnoses, trimmed. problems : what is wrong with some of them, by place in the table.
    """

    def __init__(self, plan: Plan, data: pa.Table, source: str, first_row: int) -> None:
        self._plan, self.table = plan, Table(data, source, first_row)
        self.problems: dict[int, InputError] = {}
        self.sides: list[pa.DictionaryArray] = []
        for name in plan.texts:
            side = data.column(name).chunk(0)
            side = pa.DictionaryArray.from_arrays(side.indices, pc.utf8_trim_whitespace(side.dictionary))
            check_text(self.table, name, pa.chunked_array([side]), self.problems)
            self.sides.append(side)
        self.refuse()

    @classmethod
    def read(cls, plan: Plan, chunk: Chunk) -> CheckedRows:
        """The two diagnoses of the rows of a chunk. Raises `InputError` for a damaged file, and as of `refuse`."""
        return cls(plan, read_rows(chunk, plan.texts, plan.texts), str(chunk.path), chunk.first + 1)

    def refuse(self) -> None:
        """Raises `InputError` for the first row that cannot be right, where none may be rejected."""
        if self.problems and not self._plan.rejecting:
            raise self.problems[min(self.problems)].with_remedy(SET_ASIDE)

    @property
    def texts(self) -> pa.Array:
        """The different diagnoses of the rows."""
        return pc.unique(pa.concat_arrays([side.dictionary for side in self.sides]))

    def batch(self, model: PairModel, names: Names, texts: pa.Array, **options: Any) -> tuple[Batch, NDArray[np.bool_]]:
        """The rows without a problem as pairs, and bool[n], which rows these are. A diagnosis without a name is one problem more.

        names : that were read from `texts`.

        Raises
        ------
        InputError
            Where a diagnosis is not among the texts, since the file changed after the first pass; and as of `refuse`.
        """
        good, places = np.ones(len(self.table), bool), list[NDArray[np.int32]]()
        good[list(self.problems)] = False
        for side, name in zip(self.sides, self._plan.texts, strict=True):
            at = pc.index_in(side.dictionary, texts)
            if at.null_count:
                raise damaged(self.table.source, "it changed while it was read")
            none = len(names.texts)  # of blanks
            of_row = np.append(at.to_numpy(), np.int32(none))[
                side.indices.fill_null(len(at)).to_numpy(zero_copy_only=False)
            ]
            nameless = np.append(names.name_of, np.int32(-1))[of_row] < 0
            for row in np.flatnonzero(good & nameless).tolist():
                problem, got = "a diagnosis without a letter or digit", self.table.column(name)[row]
                self.problems[row] = self.table.error(problem, row, name, allowed="a diagnosis in words", got=got)
                good[row] = False
            places.append(of_row.astype(np.int32))
        self.refuse()
        return Batch.of_texts(model, names, places[0][good], places[1][good], threads=1, **options), good

    def rejected(self) -> pa.Table:
        """The rows with a problem, with their numbers and reasons."""
        places = sorted(self.problems)
        table = self.table.data.take(pa.array(places, pa.int64())).cast(self._plan.input_schema)
        numbers = [self.table.row_number(place) for place in places]
        why = pa.array([str(self.problems[place]) for place in places], pa.string())
        return with_columns(table, {"rejected_row": pa.array(numbers), "rejected_because": why})


class Scorer:
    """Scores chunks of a job and writes their parts. Threads may share it; it works on the thread that calls it.

    Parameters
    ----------
    names, texts : of the whole job, and what they were read from; None where a chunk reads its own, some rows at a time.
    """

    def __init__(self, plan: Plan, m: MatchFunction, names: Names | None, texts: pa.Array | None) -> None:
        self.plan, self.m, self._names, self._texts = plan, m, names, texts
        self._model = replace(m.model, min_coverage=0)  # the job holds the share of all rows against the limit
        self.leave = threading.Event()
        """Set it, and chunks under way are given up soon."""

    def __call__(self, chunk: Chunk) -> ChunkResult:
        """Writes the part of the chunk.

        Raises
        ------
        InputError
            Where the file is damaged, or a row cannot be right and none may be rejected.
        """
        plan = self.plan
        table = read_rows(chunk, plan.input_schema.names, plan.texts)
        plan.check_input(chunk.path)
        step = OWN_ROWS if self._names is None else chunk.rows
        scored, rejected, known = [], [], np.zeros(len(self.m.features.names))
        for start in range(0, chunk.rows, step):
            rows = table.slice(start, step)
            for name in plan.texts if len(rows) < len(table) else ():
                at = rows.schema.get_field_index(name)
                rows = rows.set_column(at, name, pa.chunked_array([compact(rows.column(at).chunk(0))]))
            checked = CheckedRows(plan, rows, str(chunk.path), chunk.first + start + 1)
            texts = checked.texts if self._texts is None else self._texts
            names = self._names or Names.read(texts.to_pylist(), self.m.providers, strict=False)
            batch, good = checked.batch(self._model, names, texts, progress=self._check)
            columns = batch.columns(self.m.threshold, plan.add, all_readings=True)
            self._check()
            kept = checked.table.data if good.all() else checked.table.data.filter(pa.array(good))
            scored.append(with_columns(kept, columns))
            known += np.array(list(batch.coverage.values())) * len(kept)
            if checked.problems:
                rejected.append(checked.rejected())
        whole = pa.concat_tables(scored).unify_dictionaries().combine_chunks()
        matches, counts = pc.sum(whole.column("match")).as_py() or 0, tuple(np.rint(known).astype(int).tolist())
        unscored = whole.column("match").null_count
        result = ChunkResult(chunk.number, chunk.rows, matches, chunk.rows - len(whole), counts, unscored)
        return write_part(plan, result, whole, pa.concat_tables(rejected) if rejected else None)

    def _check(self, *_: int) -> None:
        if self.leave.is_set():
            raise DxmatchError("The job was interrupted.")


def write_part(plan: Plan, result: ChunkResult, scored: pa.Table, rejected: pa.Table | None) -> ChunkResult:
    """Writes the scored rows of a chunk and, before they have their name, those that were rejected."""
    chunk = plan.chunks[result.number]
    if rejected is not None:
        with whole_file(plan.rejects(chunk)) as temporary:
            pq.write_table(rejected, temporary, write_page_checksum=True)
    with (
        whole_file(plan.part(chunk)) as temporary,
        writer(temporary, plan, {"job": plan.identity, **asdict(result)}) as file,
    ):
        if len(scored):
            file.write_table(scored, row_group_size=len(scored))
    return result


def finished_part(plan: Plan, chunk: Chunk, path: Path, rejects: Sequence[Path] = ()) -> ChunkResult | None:
    """What came of a chunk whose part is there, of this job, and whole: each page by its checksum, the counts by the rows; else None."""
    try:
        part = read_parquet(path)
        about = json.loads((part.schema.metadata or {})[_FOOTER_KEY])
        identity, result = about.pop("job"), ChunkResult(**{**about, "known": tuple(about["known"])})
        left_out = sum(len(read_parquet(file)) for file in rejects if result.rejected)
    except (InputError, KeyError, ValueError, TypeError, AttributeError):
        return None
    counted = (
        chunk.number,
        chunk.rows,
        pc.sum(part["match"]).as_py() or 0,
        chunk.rows - len(part),
        part["match"].null_count,
    )
    told = result.number, result.rows, result.matches, result.rejected, result.unscored
    return (
        result
        if identity == plan.identity and told == counted and (not rejects or left_out == result.rejected)
        else None
    )


@contextmanager
def writer(path: Path, plan: Plan, about: Mapping[str, Any] | None = None) -> Iterator[pq.ParquetWriter]:
    """A Parquet file with the columns of the job's result. The diagnoses are written from dictionary arrays, and read as what they came as.

    about : for the footer of a part: the job, and what is in it.
    """
    fields = [field.with_type(TEXT) if field.name in plan.texts else field for field in plan.schema]
    # The schema that pyarrow would store itself says dictionaries.
    metadata = {**(plan.schema.metadata or {}), b"ARROW:schema": base64.b64encode(plan.schema.serialize().to_pybytes())}
    if about is not None:
        metadata[_FOOTER_KEY] = json.dumps(about, sort_keys=True).encode()
    storage: dict[str, Any] = {
        # Numbers hardly repeat, and a dictionary of them is larger than they are.
        "use_dictionary": [field.name for field in plan.schema if not pa.types.is_primitive(field.type)],
        "dictionary_pagesize_limit": _DICTIONARY_BYTES,
        # The least and the greatest diagnosis of a part serve no one, and finding them takes longer than writing.
        "write_statistics": [name for name in plan.schema.names if name not in plan.texts],
        "write_page_checksum": True,
        "store_schema": False,
    }
    with pq.ParquetWriter(path, pa.schema(fields), **storage) as file:
        yield file
        file.add_key_value_metadata(metadata)
