"""What runs on a worker of a Ray cluster: it checks that its machine fits the job, loads M once, and scores the chunks it gets."""

from __future__ import annotations

import os
import pickle
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..errors import DxmatchError
from .chunk import ChunkResult, Scorer
from .plan import Chunk, Job
from .vocabulary import Vocabulary

HOME = Path(__file__).resolve().parents[1]
"""The package; a model that ships with it is somewhere else on a machine that has it elsewhere."""

_LIBRARIES = ("numpy", "numba", "lightgbm", "pyarrow")

CHUNK, OUTCOME = "chunk", "outcome"

ATTEMPTS = 5
"""So often a chunk is begun, where it takes its worker down each time, before the job gives up."""


@dataclass(frozen=True)
class Outcome:
    """What became of a chunk. result : what `Scorer` gave, None where there is none.

    error : why; the job cannot go on. Neither: the chunk was left, because the job is at its end.
    """

    chunk: Chunk
    result: ChunkResult | None = None
    error: Exception | None = None


@dataclass(frozen=True)
class Terms:
    """What a machine must agree with to work on a job.

    mark : a file in the job's folder that is there as long as the job runs.
    place : what relative paths are relative to. home : the package on the machine that starts the job.
    versions : of what shapes the bits of a result, there.
    """

    mark: Path
    place: Path
    home: Path
    versions: Mapping[str, str]

    @classmethod
    def of(cls, job: Job, mark: Path) -> Terms:
        """The terms of the machine that starts the job."""
        return cls(mark, Path.cwd(), HOME, versions(job))


class ChunkWorker:
    """A callable that Ray Data keeps in one process for many chunks.

    vocabulary : fetches it from the machine's object store; its arrays are shared by all workers of the machine.

    An error is a value, so that Ray neither repeats the chunk nor wraps what the user shall read.
    """

    def __init__(self, job: Job, terms: Terms, vocabulary: Callable[[], Vocabulary | None]) -> None:
        self._job, self._terms, self._vocabulary = job, terms, vocabulary
        self._here: Job | None = None
        self._scorer: Scorer | None = None

    def __call__(self, batch: pa.Table) -> pa.Table:
        """The column `outcome`, one pickled `Outcome` for each pickled `Chunk` of the column `chunk`."""
        chunks = [pickle.loads(chunk) for chunk in batch.column(CHUNK).to_pylist()]
        return pa.table({OUTCOME: [_pickled(self.outcome(chunk)) for chunk in chunks]})

    def outcome(self, chunk: Chunk) -> Outcome:
        """Scores a chunk and writes its part. Raises nothing."""
        try:
            if self._here is None:
                self._here = _fitting(self._job, self._terms)
            if not _there(self._terms.mark):
                return Outcome(chunk)
            self._count(chunk)
            if self._scorer is None:
                self._scorer = self._begin(self._here)
            if not chunk.path.exists():
                raise _unseen(f"the input {chunk.path}")
            return Outcome(chunk, self._scorer(chunk))
        except Exception as error:
            return Outcome(chunk, error=error)

    def _count(self, chunk: Chunk) -> None:
        """Counts how often the chunk was begun, where all machines see it. Errors: `DxmatchError` where that is too often."""
        with begun_file(self._terms.mark, chunk).open("ab") as file:
            file.write(b".")
            begun = file.tell()
        if begun > ATTEMPTS:
            raise DxmatchError(
                f"{chunk.place}: chunk {chunk.number} was begun {ATTEMPTS} times, and each time its worker died. "
                "Memory is the usual reason: give the machines more of it, or the job fewer workers or smaller chunks."
            )

    def _begin(self, job: Job) -> Scorer:
        try:
            scorer = Scorer(job, self._vocabulary())
        except Exception as error:
            raise WorkerError(f"{_machine()} could not begin: {error or type(error).__name__}") from error
        if scorer.m.identity != job.about["model"]:
            raise WorkerError(f"{_machine()} has another model at {job.model} than the machine that starts the job.")
        return scorer


class WorkerError(DxmatchError):
    """A machine of the cluster that cannot work on the job."""


def _fitting(job: Job, terms: Terms) -> Job:
    """The job as this machine sees it. Errors: `WorkerError` where it cannot work on it."""
    here = versions(job)
    if differing := [
        f"{name} {here[name]}, not {there}" for name, there in terms.versions.items() if here[name] != there
    ]:
        raise WorkerError(
            f"{_machine()} has {'; '.join(differing)}. Every machine of the cluster needs the versions of the one that starts the job."
        )
    paths = (job.folder, job.model, job.store, job.endpoints, *(chunk.path for chunk in job.chunks))
    if not all(path is None or path.is_absolute() for path in paths):
        try:
            os.chdir(terms.place)
        except OSError:
            raise _unseen(f"the folder {terms.place}") from None
    if not _there(terms.mark):
        raise _unseen(f"the folder {job.folder}")
    if not os.access(job.folder, os.W_OK):
        raise WorkerError(f"{_machine()} may not write into {job.folder}.")
    if job.model.is_relative_to(terms.home):
        job = replace(job, model=HOME / job.model.relative_to(terms.home))
    for path in (job.model, job.store, job.endpoints):
        if path is not None and not path.exists():
            raise _unseen(str(path))
    return job


def versions(job: Job) -> dict[str, str]:
    """What is here of what shapes the bits of a result."""
    named = [entry.split(" ")[0] for entry in str(job.about["libraries"]).split(", ")]
    libraries = {name: metadata.version(name) for name in dict.fromkeys((*_LIBRARIES, *named))}
    return {"dxmatch": metadata.version("dxmatch"), "Python": "{}.{}".format(*sys.version_info), **libraries}


def begun_file(mark: Path, chunk: Chunk) -> Path:
    return mark.with_name(f"{mark.name}.{chunk.number}")


def _there(mark: Path) -> bool:
    """Opened, not looked up: a network file system answers a look-up from memory."""
    try:
        mark.open("rb").close()
    except OSError:
        return False
    return True


def _unseen(what: str) -> WorkerError:
    return WorkerError(
        f"{_machine()} does not see {what} of the job. "
        "Every machine of the cluster needs the input, the model and the output folder under the same paths (a shared file system)."
    )


def _machine() -> str:
    return f"A worker on {socket.gethostname()} (process {os.getpid()})"


def _pickled(outcome: Outcome) -> bytes:
    """With an error that cannot be pickled, or would come back as another, in its words alone."""
    try:
        data = pickle.dumps(outcome)
        if str(pickle.loads(data).error) == str(outcome.error):
            return data
    except Exception:
        pass
    words = f"{type(outcome.error).__name__}: {outcome.error}"
    return pickle.dumps(replace(outcome, error=RuntimeError(words)))


def read_outcomes(batch: Any) -> list[Outcome]:
    return [pickle.loads(outcome) for outcome in batch.column(OUTCOME).to_pylist()]
