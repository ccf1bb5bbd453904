"""The parts of a result: one Parquet file a chunk, whole or absent, each with the hash that says it is right."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import DxmatchError
from .plan import Chunk, Job

FOOTER_KEY = b"dxmatch"
"""Where the footer of a part says which chunk of which job it is, and what is in it."""

_DICTIONARY_BYTES = 64 << 20
_TEXT = pa.dictionary(pa.int32(), pa.large_string())


@dataclass(frozen=True)
class ChunkResult:
    """What came of a chunk; its part is written.

    rows : of the input. matches : of the rows that were scored. rejected : rows that were set aside.
    known : for how many scored rows each feature has a value.
    size, sha256 : of the part. rejects_sha256 : of the file of rows set aside, where there are some.
    """

    number: int
    rows: int
    matches: int
    rejected: int
    known: tuple[int, ...]
    size: int
    sha256: str
    rejects_sha256: str | None = None


@contextmanager
def part_writer(path: Path, job: Job, about: Mapping[str, Any] | None = None) -> Iterator[pq.ParquetWriter]:
    """A Parquet file with the columns of the job's result, complete when the block ends well and absent when it does not.

    The diagnoses are written from dictionary arrays, and read as what they came as. Two workers that write the same part
    do not meet: each has a temporary name of its own, and their bytes are the same.

    Errors: `DxmatchError` where it cannot be written.
    """
    fields = [field.with_type(_TEXT) if field.name in (job.options.a, job.options.b) else field for field in job.schema]
    kind = job.schema.serialize().to_pybytes()
    metadata = {**(job.schema.metadata or {}), b"ARROW:schema": base64.b64encode(kind)}
    if about is not None:
        metadata[FOOTER_KEY] = json.dumps(about, sort_keys=True).encode()
    temporary = path.with_name(f"_{path.name}.{uuid.uuid4().hex[:12]}.part")
    try:
        with pq.ParquetWriter(temporary, pa.schema(fields), **_storage(job)) as writer:
            yield writer
            writer.add_key_value_metadata(metadata)
        temporary.replace(path)
    except (OSError, pa.ArrowException) as error:
        if isinstance(error, pa.ArrowException) and not isinstance(error, OSError):
            raise
        why = os.strerror(error.errno) if error.errno else error
        raise DxmatchError(f"{path} could not be written: {why}.") from error
    finally:
        temporary.unlink(missing_ok=True)


def _storage(job: Job) -> dict[str, Any]:
    texts = (job.options.a, job.options.b)
    return {
        # Numbers hardly repeat, and a dictionary of them is larger than they are.
        "use_dictionary": [field.name for field in job.schema if not pa.types.is_primitive(field.type)],
        "dictionary_pagesize_limit": _DICTIONARY_BYTES,
        # The least and the greatest diagnosis of a part serve no one, and finding them takes longer than writing.
        "write_statistics": [name for name in job.schema.names if name not in texts],
        "write_page_checksum": True,
        "store_schema": False,  # it would say dictionaries; what came is said in the metadata
    }


def write_part(
    job: Job, chunk: Chunk, table: pa.Table, matches: int, known: tuple[int, ...], rejects: pa.Table | None
) -> ChunkResult:
    """Writes the scored rows of a chunk and, beside them, those that were set aside."""
    rejects_sha256, rejected = None, 0
    if rejects is not None:
        rejected = len(rejects)
        rejects_sha256 = _write_rejects(job.rejects(chunk), rejects)
    counts = {"matches": matches, "rejected": rejected, "known": list(known)}
    with part_writer(job.part(chunk), job, {"job": job.identity, "chunk": chunk.number, "rows": chunk.rows, **counts}) as writer:  # fmt: skip
        if len(table):
            writer.write_table(table, row_group_size=len(table))
    size, sha256 = _size_and_hash(job.part(chunk))
    return ChunkResult(chunk.number, chunk.rows, matches, rejected, known, size, sha256, rejects_sha256)


def part_is_whole(job: Job, chunk: Chunk, result: ChunkResult) -> bool:
    """Whether the files of a chunk are to the byte what was written."""
    try:
        if result.rejects_sha256 is not None and _size_and_hash(job.rejects(chunk))[1] != result.rejects_sha256:
            return False
        return _size_and_hash(job.part(chunk)) == (result.size, result.sha256)
    except OSError:
        return False


def ledger_line(result: ChunkResult) -> str:
    return json.dumps(asdict(result)) + "\n"


def from_ledger(line: str) -> ChunkResult | None:
    """None for a line that was not written to its end."""
    try:
        fields = json.loads(line)
        return ChunkResult(**{**fields, "known": tuple(fields["known"])})
    except (ValueError, TypeError, KeyError):
        return None


def _write_rejects(path: Path, rejects: pa.Table) -> str:
    temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex[:12]}.part")
    try:
        pq.write_table(rejects, temporary, write_page_checksum=True)
        temporary.replace(path)
    except OSError as error:
        raise DxmatchError(f"{path} could not be written: {error.strerror or error}.") from error
    finally:
        temporary.unlink(missing_ok=True)
    return _size_and_hash(path)[1]


def _size_and_hash(path: Path) -> tuple[int, str]:
    with path.open("rb") as handle:
        return path.stat().st_size, hashlib.file_digest(handle, "sha256").hexdigest()
