"""Pairs to score in jobs, a cheap model to score them with, and what may happen on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dxmatch
from dxmatch.jobs.job import Summary
from dxmatch.jobs.plan import Plan

from ..small_model import model_of

ROWS, CHUNK = 1000, 100


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return model_of(tmp_path_factory.mktemp("model") / "cheap")


def diagnoses(count: int) -> list[str]:
    """Different names of one to four words."""
    first, second = ("acute", "chronic", "left", "type 2", "Severe"), ("renal", "cardiac", "hepatic", "lung", "eye")
    third = ("failure", "abscess", "injury", "tumour", "pain")
    names = [*third, *second, *(f"{a} {b} {c}" for a in first for b in second for c in third)]
    return [f"{name} {number // len(names)}" if number >= len(names) else name for number, name in enumerate((names * (count // len(names) + 1))[:count])]  # fmt: skip


def random_pairs(rows: int, names: int = 100, seed: int = 0) -> pa.Table:
    random = np.random.default_rng(seed)
    pool = np.array(diagnoses(names), object)
    sides = {side: pa.array(pool[random.integers(0, names, rows)], pa.string()) for side in "ab"}
    return pa.table({"id": pa.array(np.arange(rows)), **sides, "note": pa.array([f"n{i % 7}" for i in range(rows)])})


Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes pairs as a Parquet file with checksums and returns its path."""

    def write_(table: pa.Table, name: str = "pairs.parquet", group: int = 250, **options: object) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        pq.write_table(table, path, row_group_size=group, write_page_checksum=True, **options)
        return path

    return write_


@pytest.fixture
def source(write: Write) -> Path:
    return write(random_pairs(ROWS))


def run(source: Path, output: Path, matcher: Any = None, *, rejects: Path | None = None, a: str = "a", b: str = "b", add: Sequence[Any] = (), **job: Any) -> Summary:  # fmt: skip
    """job : the fields of `dxmatch.Job`."""
    reading = dxmatch.Reading(rejects=rejects)
    return dxmatch.score_files(
        source, output, matcher=matcher, a=a, b=b, add=add, reading=reading, job=dxmatch.Job(**job)
    )


@pytest.fixture
def score(source: Path, model: Path) -> Callable[..., Summary]:
    def score_(name: str = "o.parquet", **options: Any) -> Summary:
        return run(source, source.parent / name, **{"matcher": model, "chunk_rows": CHUNK, "workers": 2} | options)

    return score_


def fail() -> None:
    raise RuntimeError("no luck")


@contextmanager
def at_chunk(number: int, before: Callable[[], object] = lambda: None, after: Callable[[Path], object] | None = None) -> Iterator[None]:  # fmt: skip
    """Meanwhile something happens before a chunk is scored, or to its part after."""
    write = Plan._write_part

    def writing(plan: Any, chunk: Any, ended: Any) -> Any:
        if chunk.number == number:
            before()
        result = write(plan, chunk, ended)
        if after is not None and chunk.number == number:
            after(plan.part(chunk))
        return result

    with mock.patch.object(Plan, "_write_part", writing):
        yield


def turn_a_bit(path: Path, at: int = 40) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)
