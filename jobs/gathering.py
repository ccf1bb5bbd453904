"""The parts of a job as one file, in order, written while later chunks are still scored."""

from __future__ import annotations

import queue
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Self

import pyarrow as pa

from ..errors import DxmatchError
from ..files.parquet_file import damaged, open_parquet
from .parts import part_writer
from .plan import Chunk, Job
from .source import with_dictionaries


class Gathering:
    """Appends each part as a row group as soon as it and all before it are there, on a thread of its own.

    Used as a context; what was not published when it is left is removed. Checksums of the parts' pages are verified.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        # Made among the parts, where a later run finds what a killed one left.
        self._path = job.folder / "_gathered.parquet"
        self._told: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._left = False
        self._pool = ThreadPoolExecutor(1, "dxmatch-gathering")

    def __enter__(self) -> Self:
        self._written = self._pool.submit(self._write)
        return self

    def __exit__(self, *_: object) -> None:
        self._left = True
        self._told.put(None)
        self._pool.shutdown()
        self._path.unlink(missing_ok=True)

    def add(self, numbers: Iterable[int]) -> None:
        """Says which chunks are finished, in any order.

        Errors: `DxmatchError` where the file can no longer be written, or an earlier part is damaged.
        """
        if self._written.done():
            self._written.result()
        for number in numbers:
            self._told.put(number)

    def publish(self, output: Path) -> None:
        """Waits for the last part, and gives the file its final name.

        Errors: as of `add`; and where `output` cannot be written.
        """
        self._written.result()
        try:
            self._path.replace(output)
        except OSError as error:
            raise DxmatchError(f"{output} could not be written: {error.strerror or error}.") from error

    def _write(self) -> None:
        there: set[int] = set()
        with part_writer(self._path, self._job) as writer:
            for chunk in self._job.chunks:
                while not self._left and chunk.number not in there:
                    if (number := self._told.get()) is not None:
                        there.add(number)
                if self._left:
                    raise _Left
                if len(table := self._part(chunk)):
                    writer.write_table(table, row_group_size=len(table))

    def _part(self, chunk: Chunk) -> pa.Table:
        texts = (self._job.options.a, self._job.options.b)
        try:
            with open_parquet(self._job.part(chunk), texts) as part:
                return with_dictionaries(part.read(use_threads=False), texts)
        except (pa.ArrowException, OSError) as error:
            raise damaged(self._job.part(chunk), error) from None


class _Left(Exception):
    """The file was given up because the job was."""
