"""The engine `ray`: the chunks of a job on the machines of a Ray cluster, through Ray Data. Its parts are those of `local`.

Ray Data hands out descriptions of chunks, not rows: a worker reads its rows from the Parquet file and writes its part
itself. So a chunk is the same rows in every engine, nothing but a few hundred bytes a chunk travels, and what is done is done
whatever becomes of the cluster.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import socket
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import DxmatchError, MissingExtra, OptionError
from .chunk import ChunkResult, chunk_error
from .plan import Chunk, Job
from .ray_worker import CHUNK, ChunkWorker, Outcome, Terms, WorkerError, read_outcomes
from .vocabulary import Vocabulary

IN_FLIGHT = 2
"""Chunks that a worker has at most: one that it scores, one that waits at its door."""

FRUITLESS_ROUNDS = 2
"""After so many rounds in a row that finish no chunk and end with a failure of the cluster, the job ends, too."""

CONNECT_SECONDS = 10

_NOISE = "retries remaining|Raylet is terminated"
"""What Ray prints about a worker or a machine that died, beside the line that says so."""


def run(job: Job, vocabulary: Vocabulary | None, todo: Sequence[Chunk], report: Callable[[ChunkResult], None]) -> None:
    """Scores the chunks of `todo` on the Ray cluster that RAY_ADDRESS names, else on one that is started on this machine.

    A worker or a machine that dies costs the chunks it had: they are done again elsewhere. `report` is called in this
    process, once for each finished chunk. After a chunk that fails, those under way are finished and reported.

    Errors: `MissingExtra` without Ray; `OptionError` for a cluster that does not answer; what `local` raises for a chunk that
    fails; `DxmatchError` for a machine that cannot work on the job, or a cluster that goes on failing.
    """
    if not todo:
        return
    left = {chunk.number: chunk for chunk in todo}
    with _ray() as ray, _mark(job.folder) as mark:
        # One reference for all rounds: as long as it is held here, a worker that is started again finds the vocabulary.
        kept = ray.put(vocabulary)
        fetch = partial(_fetch, [kept])
        worker = {"job": job, "terms": Terms.of(job, mark), "vocabulary": fetch}
        fruitless = 0
        failed: list[Outcome] = []
        while left and not failed:
            before, lost = len(left), None
            for outcome in _round(ray, job.workers, list(left.values()), worker):
                if isinstance(outcome, Exception):
                    lost = outcome
                elif outcome.error is not None:
                    failed.append(outcome)
                    mark.unlink(missing_ok=True)
                elif outcome.result is not None and left.pop(outcome.chunk.number, None) is not None:
                    report(outcome.result)
            if left and not failed:
                fruitless = fruitless + 1 if len(left) == before else 0
                if fruitless == FRUITLESS_ROUNDS:
                    raise _gone(lost, left)
    if failed:
        first = min(failed, key=lambda outcome: outcome.chunk.number)
        assert first.error is not None
        raise chunk_error(first.chunk, first.error) from first.error


def _round(ray: ModuleType, workers: int | None, todo: list[Chunk], worker: dict[str, Any]) -> Iterator[Outcome | Exception]:  # fmt: skip
    """The outcomes of the chunks, as they come; at last the failure of the cluster that ended it, if one did."""
    cores = int(ray.cluster_resources().get("CPU", 0))
    if not cores:
        raise DxmatchError("The Ray cluster has no CPU to work on.")
    size = max(1, min(workers or cores, cores, len(todo)))
    try:
        dataset = ray.data.from_items([{CHUNK: pickle.dumps(chunk)} for chunk in todo], override_num_blocks=len(todo))
        scored = dataset.map_batches(
            ChunkWorker,
            fn_constructor_kwargs=worker,
            batch_size=1,
            batch_format="pyarrow",
            compute=ray.data.ActorPoolStrategy(size=size, max_tasks_in_flight_per_actor=IN_FLIGHT),
            num_cpus=1,
        )
        # With nothing fetched ahead, an outcome is seen when it is there, not when the next one is.
        for batch in scored.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
            yield from read_outcomes(batch)
    except Exception as error:
        yield error


def _gone(error: Exception | None, left: dict[int, Chunk]) -> DxmatchError:
    words = str(error).strip().splitlines() if error is not None else []
    if any("No module named 'dxmatch" in line for line in words):
        return WorkerError(
            "A machine of the Ray cluster has no dxmatch of this version. Run there: pip install 'dxmatch[ray]'"
        )
    last = f" ({type(error).__name__}: {words[-1]})" if words else ""
    return DxmatchError(f"The Ray cluster failed{last}; {len(left):,} chunks are not done.")


def _fetch(kept: list[Any]) -> Vocabulary | None:
    """In a list, the reference travels as it is: Ray fetches what it stands for when the worker asks."""
    import ray

    return ray.get(kept[0])


@contextlib.contextmanager
def _mark(folder: Path) -> Iterator[Path]:
    """A file that says that the job runs; without it, workers leave the chunks that they have not begun."""
    mark = folder / f"_ray-{os.urandom(8).hex()}"
    mark.touch()
    try:
        yield mark
    finally:
        for path in folder.glob(f"{mark.name}*"):
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def _ray() -> Iterator[ModuleType]:
    """Ray, connected: to the cluster that this process is connected to, to the one that RAY_ADDRESS names, or to one of its own."""
    try:
        with _environment(RAY_DEDUP_LOGS_SKIP_REGEX=_NOISE):
            import ray
            import ray.data
    except ImportError as error:
        raise MissingExtra("The engine 'ray'", "ray") from error
    connected = ray.is_initialized()
    try:
        if not connected:
            _connect(ray)
        with _quiet(ray):
            yield ray
    finally:
        if not connected:
            ray.shutdown()


def _connect(ray: ModuleType) -> None:
    # Asked for nothing, Ray would take any cluster that runs on this machine, whosever it is.
    address = os.environ.get("RAY_ADDRESS") or "local"
    if address not in ("auto", "local"):
        _check_answers(address)
    # The ports of a cluster of its own are open to the network, behind a token that Ray (2.59 or later) makes and asks for.
    own = {"include_dashboard": False} if address == "local" else {}
    try:
        with _environment(RAY_BACKEND_LOG_LEVEL="fatal", RAY_USAGE_STATS_ENABLED="0"):
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **own)
    except ConnectionError as error:
        raise _no_cluster(address) from error
    except (RuntimeError, ray.exceptions.RayError) as error:
        raise DxmatchError(f"The Ray cluster cannot be used: {' '.join(str(error).split())}") from error


def _check_answers(address: str) -> None:
    """Ray itself waits for minutes."""
    host, _, port = address.rpartition(":")
    if "://" in address or not host or not port.isdigit():
        raise OptionError("RAY_ADDRESS", "host:port of the head of a Ray cluster, 'auto' or 'local'", address)
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise _no_cluster(address) from error


def _no_cluster(address: str) -> OptionError:
    return OptionError("RAY_ADDRESS", "the address of a Ray cluster that answers (ray start --head shows it)", address)


@contextlib.contextmanager
def _environment(**names: str) -> Iterator[None]:
    """Variables that are set for a while, where they are not set already."""
    absent = {name: value for name, value in names.items() if name not in os.environ}
    os.environ.update(absent)
    try:
        yield
    finally:
        for name in absent:
            os.environ.pop(name, None)


@contextlib.contextmanager
def _quiet(ray: ModuleType) -> Iterator[None]:
    """Without Ray Data's own bars and lines: progress is the job's to show."""
    logger, context = logging.getLogger("ray.data"), ray.data.DataContext.get_current()
    level, bars = logger.level, context.enable_progress_bars
    logger.setLevel(logging.CRITICAL)
    context.enable_progress_bars = False
    try:
        yield
    finally:
        logger.setLevel(level)
        context.enable_progress_bars = bars
