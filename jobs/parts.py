"""The parts of a result: one Parquet file a chunk, whole or absent; its footer says of which job and what is in it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import DxmatchError, InputError
from ..files.atomic import whole_file
from ..files.parquet_file import open_parquet, parquet_errors, read_parquet
from .hashes import changed_files, hash_lines, hash_of
from .plan import Plan
from .source import Chunk, as_dictionary

_FOOTER_KEY = b"dxmatch"
_DICTIONARY_BYTES = 64 << 20
_TEXT = pa.dictionary(pa.int32(), pa.large_string())


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


def write_part(plan: Plan, result: ChunkResult, scored: pa.Table, rejected: pa.Table | None) -> ChunkResult:
    """Writes the scored rows of a chunk and, before they have their name, those that were rejected and the hashes of both."""
    chunk, hashes = plan.chunks[result.number], dict[str, str]()
    if rejected is not None:
        path = plan.rejects(chunk)
        with whole_file(path) as temporary:
            pq.write_table(rejected, temporary, write_page_checksum=True)
            hashes[path.name] = hash_of(temporary)
    path = plan.part(chunk)
    with whole_file(path) as temporary:
        with _writer(temporary, plan, {"job": plan.identity, **asdict(result)}) as writer:
            if len(scored):
                writer.write_table(scored, row_group_size=len(scored))
        hashes[path.name] = hash_of(temporary)
        with whole_file(plan.hashes(chunk)) as beside:
            beside.write_text(hash_lines(hashes), "ascii")
    return result


def read_footer(path: Path) -> tuple[str, ChunkResult] | None:
    """The job that a part is of and what is in it; None for a file that is no part."""
    try:
        with parquet_errors(path), open_parquet(path) as file:
            about = json.loads((file.metadata.metadata or {})[_FOOTER_KEY])
        return about.pop("job"), ChunkResult(**{**about, "known": tuple(about["known"])})
    except (InputError, KeyError, ValueError, TypeError):
        return None


def finished_part(plan: Plan, chunk: Chunk, hashes: Mapping[str, str]) -> ChunkResult | None:
    """What came of a chunk whose part is there, of this job, and what was written by the hashes of its files; else None."""
    identity, result = read_footer(plan.part(chunk)) or (None, None)
    if result is None or identity != plan.identity or result.number != chunk.number:
        return None
    names = [plan.part(chunk).name, *([plan.rejects(chunk).name] if result.rejected else [])]
    kept = {name: hashes.get(name, "") for name in names}
    return None if changed_files(plan.folder, kept, 1) else result


class Merge:
    """The parts of a job as one file, in order: each is appended as a row group once it and all before it are finished.

    Used as a context; what was not published when it is left is removed. Checksums of the parts' pages are verified.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan, self._merged, self._finished = plan, 0, set[int]()
        # Made among the parts, where a later run finds what a killed one left.
        self._path = plan.folder / "_merged.parquet"
        self._open = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as opened:
            temporary = opened.enter_context(whole_file(self._path))
            self._writer = opened.enter_context(_writer(temporary, self._plan))
            self._open = opened.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._open.__exit__(*error)

    def add(self, result: ChunkResult) -> None:
        """Says that a chunk is finished.

        Raises
        ------
        DxmatchError
            Where the file can no longer be written.
        InputError
            Where a part is damaged.
        """
        self._finished.add(result.number)
        while self._merged in self._finished:
            part = _read_part(self._plan, self._plan.chunks[self._merged])
            if len(part):
                for name in self._plan.texts:
                    at = part.schema.get_field_index(name)
                    part = part.set_column(at, name, pa.chunked_array([as_dictionary(part.column(at))]))
                self._writer.write_table(part, row_group_size=len(part))
            self._merged += 1

    def publish(self, output: Path) -> None:
        """Gives the file, whose context was left, its final name."""
        rename(self._path, output)


def rename(path: Path, output: Path) -> None:
    """Gives what is finished its final name. Raises `DxmatchError` where that cannot be."""
    try:
        path.replace(output)
    except OSError as error:
        raise DxmatchError(f"{output} could not be written: {error.strerror or error}.") from error


@contextmanager
def _writer(path: Path, plan: Plan, about: Mapping[str, Any] | None = None) -> Iterator[pq.ParquetWriter]:
    """A Parquet file with the columns of the job's result.

    The diagnoses are written from dictionary arrays, and read as what they came as.

    Parameters
    ----------
    about
        For the footer: the job, and what is in the part.
    """
    texts = plan.texts
    fields = [field.with_type(_TEXT) if field.name in texts else field for field in plan.schema]
    # The schema that pyarrow would store itself says dictionaries.
    metadata = {**(plan.schema.metadata or {}), b"ARROW:schema": base64.b64encode(plan.schema.serialize().to_pybytes())}
    if about is not None:
        metadata[_FOOTER_KEY] = json.dumps(about, sort_keys=True).encode()
    storage: dict[str, Any] = {
        # Numbers hardly repeat, and a dictionary of them is larger than they are.
        "use_dictionary": [field.name for field in plan.schema if not pa.types.is_primitive(field.type)],
        "dictionary_pagesize_limit": _DICTIONARY_BYTES,
        # The least and the greatest diagnosis of a part serve no one, and finding them takes longer than writing.
        "write_statistics": [name for name in plan.schema.names if name not in texts],
        "write_page_checksum": True,
        "store_schema": False,
    }
    with pq.ParquetWriter(path, pa.schema(fields), **storage) as writer:
        yield writer
        writer.add_key_value_metadata(metadata)


def _read_part(plan: Plan, chunk: Chunk) -> pa.Table:
    return read_parquet(plan.part(chunk), plan.texts)
