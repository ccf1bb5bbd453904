"""Parquet files that were cut or in which bytes were changed: an error that names the file, or the same result."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import dxmatch
from dxmatch.errors import InputError
from dxmatch.files.tables import read_table

from .conftest import Write, random_pairs, run

HOW_MANY = 100


def outcomes(path: Path, read: Callable[[], pa.Table], seed: int) -> tuple[int, list[pa.Table]]:
    """How many damaged copies are refused, and what is read of the others: cut, a bit turned anywhere or in the footer, or
    up to sixteen bytes overwritten."""
    content, random, refused, got = path.read_bytes(), np.random.default_rng(seed), 0, []
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    for number in range(HOW_MANY):
        bad, kind = bytearray(content), number % 4
        at = int(random.integers(footer if kind == 2 else 0, len(content)))
        if kind == 0:
            bad = bad[:at]
        elif kind < 3:
            bad[at] ^= 1 << random.integers(0, 8)
        else:
            bad[at : at + 16] = random.bytes(random.integers(1, len(bad[at : at + 16]) + 1))
        path.write_bytes(bad)
        try:
            got.append(read())
        except InputError as error:
            assert "pairs.parquet" in str(error)
            assert len(str(error)) < 600
            refused += 1
    return refused, got


def test_damaged_files(write: Write, model: Path, tmp_path: Path) -> None:
    """A name of a column that is no diagnosis stands twice in the footer, its
    kind only once and without a checksum: the file holds the two diagnoses alone."""
    table = random_pairs(300).select(["a", "b"])
    path = write(table, group=120, data_page_size=600, write_batch_size=50)
    m = dxmatch.load(model)

    def score() -> pa.Table:
        run(path, tmp_path / "o.parquet", m, chunk_rows=120, restart=True)
        return pq.read_table(tmp_path / "o.parquet")

    expected = score()
    assert len(expected) == 300
    refused, got = outcomes(path, score, seed=0)
    assert refused > HOW_MANY // 2
    assert got and all(one.equals(expected) for one in got)


def test_damage_is_found_in_memory_too(write: Write) -> None:
    path = write(random_pairs(300), group=120)
    refused, got = outcomes(path, lambda: read_table(path).data, seed=5)
    assert refused > HOW_MANY // 2
    # A kind of column can change unseen, as the footer has no checksum; no row is lost.
    assert all(len(one) == 300 for one in got)
