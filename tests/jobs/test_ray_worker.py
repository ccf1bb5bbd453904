"""A worker of a Ray cluster, in this process: what it checks before it begins, what it gives back, when it stops."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dxmatch.errors import DxmatchError, InputError, OptionError
from dxmatch.jobs import ray_worker
from dxmatch.jobs.chunk import Scorer
from dxmatch.jobs.plan import Job, Options, plan_job
from dxmatch.jobs.ray_worker import (
    ATTEMPTS,
    CHUNK,
    ChunkWorker,
    Terms,
    WorkerError,
    begun_file,
    read_outcomes,
)
from dxmatch.matcher.match_function import load
from dxmatch.models.shipped import SHIPPED_MODEL

NAMES = ["heart attack", "acute MI", "stroke", "gout"]
PAIRS = pa.table({"a": NAMES * 2, "b": [*NAMES[1:], *NAMES, "I21"]})


@pytest.fixture
def job(tmp_path: Path) -> Job:
    pq.write_table(PAIRS, tmp_path / "pairs.parquet")
    folder = tmp_path / "parts"
    folder.mkdir()
    return plan_job(tmp_path / "pairs.parquet", folder, load(), SHIPPED_MODEL, Options(chunk_rows=3))


@pytest.fixture
def terms(job: Job) -> Terms:
    mark = job.folder / "_ray-0123456789abcdef"
    mark.touch()
    return Terms.of(job, mark)


def worker(job: Job, terms: Terms) -> ChunkWorker:
    return ChunkWorker(job, terms, lambda: None)


def why_not(job: Job, terms: Terms) -> str:
    error = worker(job, terms).outcome(job.chunks[0]).error
    assert isinstance(error, WorkerError)
    assert not list(job.folder.glob("part-*")), "nothing was written"
    return str(error)


def test_writes_the_parts_that_a_scorer_writes(job: Job, terms: Terms) -> None:
    scorer = Scorer(job, None)
    expected = [(scorer(chunk), job.part(chunk).read_bytes()) for chunk in job.chunks]
    for chunk in job.chunks:
        job.part(chunk).unlink()
    one = pickle.loads(pickle.dumps(ChunkWorker(job, terms, _none)))
    batch = pa.table({CHUNK: [pickle.dumps(chunk) for chunk in job.chunks]})
    outcomes = read_outcomes(one(batch))
    assert [(outcome.result, job.part(outcome.chunk).read_bytes()) for outcome in outcomes] == expected
    assert len(expected) == 3


def _none() -> None: ...


@pytest.mark.parametrize("what", ["dxmatch", "Python", "numpy", "numba", "pyarrow", "lightgbm", "simplemma"])
def test_other_versions_are_refused(job: Job, terms: Terms, what: str) -> None:
    terms = replace(terms, versions={**terms.versions, what: "0.0.1"})
    told = why_not(job, terms)
    assert f"has {what} " in told and ", not 0.0.1. Every" in told, "that one alone, with both versions"


def test_a_folder_of_another_machine_is_refused(job: Job, terms: Terms) -> None:
    terms.mark.unlink()
    assert f"does not see the folder {job.folder}" in why_not(job, terms)


def test_a_folder_that_it_may_not_write_is_refused(job: Job, terms: Terms, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: path != job.folder or mode != os.W_OK)
    assert f"may not write into {job.folder}" in why_not(job, terms)


def test_a_model_that_it_does_not_see_is_refused(job: Job, terms: Terms, tmp_path: Path) -> None:
    job = replace(job, model=tmp_path / "absent")
    assert f"does not see {tmp_path / 'absent'}" in why_not(job, terms)


def test_another_model_at_the_same_place_is_refused(job: Job, terms: Terms) -> None:
    job = replace(job, about={**job.about, "model": "another"})
    assert f"has another model at {SHIPPED_MODEL}" in why_not(job, terms)


def test_an_input_that_it_does_not_see_is_told(job: Job, terms: Terms) -> None:
    job.chunks[0].path.unlink()
    assert f"does not see the input {job.chunks[0].path}" in why_not(job, terms)


def test_the_shipped_model_may_lie_elsewhere(job: Job, terms: Terms) -> None:
    elsewhere = Path("/opt/elsewhere/dxmatch")
    there = replace(job, model=elsewhere / SHIPPED_MODEL.relative_to(ray_worker.HOME))
    assert worker(there, replace(terms, home=elsewhere)).outcome(job.chunks[0]).result is not None


def test_relative_paths_are_those_of_who_starts_the_job(
    job: Job, terms: Terms, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    chunk = replace(job.chunks[0], path=Path("pairs.parquet"))
    there = replace(job, folder=Path("parts"), chunks=(chunk,))
    terms = replace(terms, mark=Path("parts") / terms.mark.name)
    outcome = worker(there, replace(terms, place=tmp_path)).outcome(chunk)
    assert outcome.error is None and job.part(chunk).is_file()
    told = worker(there, replace(terms, place=tmp_path / "absent")).outcome(chunk).error
    assert f"does not see the folder {tmp_path / 'absent'}" in str(told)


def test_chunks_are_left_when_the_job_is_at_its_end(job: Job, terms: Terms) -> None:
    one = worker(job, terms)
    assert one.outcome(job.chunks[0]).result is not None
    terms.mark.unlink()
    assert one.outcome(job.chunks[1]) == ray_worker.Outcome(job.chunks[1])
    assert not job.part(job.chunks[1]).exists()


def test_a_chunk_that_keeps_killing_workers_is_told(job: Job, terms: Terms) -> None:
    """Each new worker finds one mark more; a chunk beside it is not concerned."""
    chunk = job.chunks[1]
    for _ in range(ATTEMPTS):
        assert worker(job, terms).outcome(chunk).error is None
    assert begun_file(terms.mark, chunk).stat().st_size == ATTEMPTS
    error = worker(job, terms).outcome(chunk).error
    assert isinstance(error, DxmatchError) and not isinstance(error, WorkerError)
    assert str(error).startswith(f"{chunk.place}: chunk 1 was begun {ATTEMPTS} times")
    assert worker(job, terms).outcome(job.chunks[0]).error is None


@pytest.mark.parametrize(
    "make",
    [
        lambda: InputError("the diagnosis is blank", source="x", row=3, column="a", allowed="words", got=" "),
        lambda: OptionError("k", "a number", "x"),
        lambda: WorkerError("A worker ended."),
        lambda: MemoryError(),
        lambda: _Unpicklable("cannot travel"),
    ],
)
def test_an_error_comes_back_as_it_was(
    job: Job, terms: Terms, monkeypatch: pytest.MonkeyPatch, make: Callable[[], Exception]
) -> None:
    def fail(self: Scorer, chunk: object) -> None:
        raise make()

    monkeypatch.setattr(Scorer, "__call__", fail)
    (outcome,) = read_outcomes(worker(job, terms)(pa.table({CHUNK: [pickle.dumps(job.chunks[0])]})))
    expected = make()
    if isinstance(expected, _Unpicklable):
        expected = RuntimeError("_Unpicklable: cannot travel")
    assert type(outcome.error) is type(expected) and str(outcome.error) == str(expected)
    if isinstance(expected, InputError):
        assert isinstance(outcome.error, InputError) and (outcome.error.row, outcome.error.problem) == (3, "the diagnosis is blank")  # fmt: skip


class _Unpicklable(Exception):
    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("no")
