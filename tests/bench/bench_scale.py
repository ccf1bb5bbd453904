"""What a job costs around its features and trees: reading, looking up, unique pairs, writing, gathering.

    python -m tests.bench.bench_scale [PAIRS]

The peers: numpy's `unique` for the unique pairs; for the files, pyarrow reading the rows, adding two columns and writing them.
The whole job is in `growth`, its stages in `stages`.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dxmatch.features.interning import unordered_pairs
from dxmatch.jobs.chunk import Scorer
from dxmatch.jobs.gathering import Gathering
from dxmatch.jobs.parts import write_part
from dxmatch.jobs.plan import Options, plan_job
from dxmatch.jobs.vocabulary import Vocabulary, find_texts
from dxmatch.matcher.match_function import load
from dxmatch.models.shipped import SHIPPED_MODEL

from .made import made_pairs
from .report import Row, Work, show, versus


def rows(scale: str = "full", pairs: int | None = None) -> Iterator[Row]:
    pairs = pairs or (2_000_000 if scale == "full" else 200_000)
    strings = 50_000 if scale == "full" else 5_000
    yield _unique_pairs(min(pairs, 1 << 19), strings)
    with tempfile.TemporaryDirectory() as folder:
        yield _files(Path(folder), pairs, strings)


def _unique_pairs(n: int, strings: int) -> Row:
    a, b = np.random.default_rng(0).integers(0, strings, (2, n), dtype=np.int32)

    def by_numpy() -> None:
        keys = np.minimum(a, b).astype(np.int64) * strings + np.maximum(a, b)
        unique, _ = np.unique(keys, return_inverse=True)
        np.divmod(unique, strings)

    ours = Work(lambda: unordered_pairs(a, b, strings), n)
    unordered_pairs(a, b, strings)
    return versus("unique unordered pairs", "ns/pair", ours, "numpy.unique", Work(by_numpy, n), mark=2)


def _files(folder: Path, pairs: int, strings: int) -> Row:
    source, m = made_pairs(folder / "pairs.parquet", pairs, strings), load()
    parts = folder / "parts"
    parts.mkdir()
    job = plan_job(source, parts, m, SHIPPED_MODEL, Options())

    def around() -> None:
        found = find_texts(job, job.chunks, 1)
        assert found.texts is not None
        vocabulary = Vocabulary(found.texts, np.arange(len(found.texts), dtype=np.int32), {}, None)  # type: ignore[arg-type]
        scorer = Scorer(job, vocabulary, m, found.held)
        for chunk in job.chunks:
            table = scorer._read(chunk)
            a, b = (
                vocabulary.name_of(side) for side in vocabulary.places(chunk, table["a"].chunk(0), table["b"].chunk(0))
            )
            first, _, pair_of_row = unordered_pairs(a, b, len(found.texts))
            probability = np.zeros(len(first))[pair_of_row]
            table = table.append_column("probability", pa.array(probability))
            table = table.append_column("match", pa.array(probability >= 0.5))
            write_part(job, chunk, table, 0, (), None)
        with Gathering(job) as gathering:
            gathering.add(chunk.number for chunk in job.chunks)
            gathering.publish(folder / "ours.parquet")

    def by_copying() -> None:
        with pq.ParquetFile(source) as file:
            schema = file.schema_arrow
            for name, kind in (("probability", pa.float64()), ("match", pa.bool_())):
                schema = schema.append(pa.field(name, kind))
            with pq.ParquetWriter(folder / "copy.parquet", schema) as writer:
                for group in range(file.num_row_groups):
                    table = file.read_row_group(group, use_threads=False)
                    probability = np.zeros(len(table))
                    table = table.append_column("probability", pa.array(probability))
                    writer.write_table(table.append_column("match", pa.array(probability >= 0.5)))

    around()
    what = f"{pairs:,} pairs read, looked up, made unique, written, gathered"
    return versus(what, "ns/pair", Work(around, pairs), "pyarrow: a copy", Work(by_copying, pairs), mark=0.5, runs=2)


def main() -> None:
    show(rows(pairs=int(sys.argv[1]) if len(sys.argv) > 1 else None))


if __name__ == "__main__":
    main()
