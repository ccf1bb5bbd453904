"""The engine `ray`: the chunks of a job as tasks on the machines of a Ray cluster. Its parts are those of one machine.

Ray hands out descriptions of chunks, not rows: a worker reads its rows from the Parquet file and writes its part itself. So a
chunk is the same rows in every engine, nothing but a few hundred bytes a chunk travels, and what is done is done whatever
becomes of the cluster.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..errors import DxmatchError, MissingExtra, OptionError
from ..features.names import Names
from ..matcher.match_function import MatchFunction
from ..models.releases import installed_releases
from .chunk import ChunkResult, Scorer
from .local import run_chunks
from .plan import ABOUT, LIBRARIES, Chunk, Plan

ATTEMPTS = 5
"""So often a chunk is begun, where it takes its worker down each time, before the job gives up."""
CONNECT_SECONDS = 10
_WITH_TOKENS = (2, 59)
_LIBRARIES = ("numpy", "numba", "lightgbm", *LIBRARIES)


def run(
    plan: Plan,
    m: MatchFunction,
    names: Names | None,
    texts: pa.Array | None,
    todo: Sequence[Chunk],
    report: Callable[[ChunkResult], None],
) -> None:
    """`run_chunks` on the Ray cluster that RAY_ADDRESS names, else on one that is started on this machine.

    A worker or a machine that dies costs the chunks it had: Ray does them again elsewhere.

    Raises
    ------
    MissingExtra
        Without Ray.
    OptionError
        For a cluster that does not answer.
    DxmatchError
        For a chunk that fails, as on one machine; for a machine that cannot work on the job; for a chunk that goes on taking its
        workers down.
    """
    with _ray() as ray:
        if not (cores := int(ray.cluster_resources().get("CPU", 0))):
            raise DxmatchError("The Ray cluster has no CPU to work on.")
        task = ray.remote(num_cpus=1, max_retries=ATTEMPTS - 1)(_score)
        # In a list, the reference travels as it is: each process that works for the job fetches what it stands for once.
        shared = [ray.put((plan, pickle.dumps(m), names, texts, Path.cwd(), versions()))]
        started: list[Any] = []

        def start(chunk: Chunk) -> Any:
            started.append(task.remote(shared, chunk))
            return started[-1].future()

        try:
            run_chunks(todo, plan.job.workers or cores, start, report, partial(_cause, ray))
        except BaseException:
            for reference in started:
                ray.cancel(reference, force=True)
            raise


def _cause(ray: Any, chunk: Chunk, error: Any) -> BaseException:
    """Why a task failed: what it raised, or what befell its workers."""
    words = str(error).strip()
    if "No module named 'dxmatch" in words:
        return DxmatchError("A machine of the Ray cluster has no dxmatch of this version. Install it there as here.")
    if isinstance(error, ray.exceptions.RayTaskError):
        return error.cause if isinstance(error.cause, Exception) else error
    if isinstance(error, ray.exceptions.WorkerCrashedError | ray.exceptions.OutOfMemoryError):
        return DxmatchError(
            f"{chunk.place}: chunk {chunk.number} was begun {ATTEMPTS} times, and each time its worker died. "
            "Memory is the usual reason: give the machines more of it, or the job fewer workers or smaller chunks."
        )
    return DxmatchError(f"The Ray cluster failed ({type(error).__name__}: {words.splitlines()[-1] if words else ''}).")


_scorers: dict[str, Scorer] = {}
"""The one of the job that this process works for, by the reference that its tasks come with."""


def _score(shared: list[Any], chunk: Chunk) -> ChunkResult:
    """The task, on a worker. The match function is loaded once in a process."""
    key = shared[0].hex()
    if key not in _scorers:
        import ray

        _scorers.clear()
        _scorers[key] = begin(*ray.get(shared[0]))
    if not chunk.path.exists():
        raise _unseen(f"the input {chunk.path}")
    return _scorers[key](chunk)


def versions() -> dict[str, str]:
    """What is here of what shapes the bits of a result."""
    libraries = installed_releases(dict.fromkeys(_LIBRARIES))
    return {"dxmatch": metadata.version("dxmatch"), "Python": "{}.{}".format(*sys.version_info), **libraries}


def begin(
    plan: Plan, m: bytes, names: Names | None, texts: pa.Array | None, place: Path, there: Mapping[str, str]
) -> Scorer:
    """A scorer on a machine that fits the job.

    Parameters
    ----------
    m
        The match function, pickled: one that this machine can take is known once the versions are.
    place
        What relative paths are relative to on the machine that starts the job.
    there
        Its `versions`.

    Raises
    ------
    DxmatchError
        Where this machine has other versions, or does not see or may not write what it must.
    """
    here = versions()
    if differing := [f"{name} {here[name]}, not {other}" for name, other in there.items() if here[name] != other]:
        raise DxmatchError(
            f"{_machine()} has {'; '.join(differing)}. Every machine of the cluster needs the versions of the one that starts the job."
        )
    if not place.is_dir():
        raise _unseen(f"the folder {place}")
    os.chdir(place)
    if not os.access(plan.folder / ABOUT, os.R_OK | os.W_OK):
        raise _unseen(str(plan.folder / ABOUT))
    try:
        return Scorer(plan, pickle.loads(m), names, texts)
    except Exception as error:
        raise DxmatchError(f"{_machine()} could not begin: {error or type(error).__name__}") from error


def _unseen(what: str) -> DxmatchError:
    return DxmatchError(
        f"{_machine()} does not see, or may not write, {what} of the job. "
        "Every machine of the cluster needs the input and the output folder under the same paths (a shared file system)."
    )


def _machine() -> str:
    return f"A worker on {socket.gethostname()} (process {os.getpid()})"


@contextlib.contextmanager
def _ray() -> Iterator[Any]:
    """Ray, connected: to the cluster that this process is connected to, to the one that RAY_ADDRESS names, or to one of its own."""
    try:
        ray: Any = import_module("ray")
    except ImportError as error:
        raise MissingExtra("The engine 'ray'", "ray") from error
    if ray.is_initialized():
        yield ray
        return
    # Asked for nothing, Ray would take any cluster that runs on this machine, whosever it is.
    address = os.environ.get("RAY_ADDRESS") or "local"
    # The ports of a cluster of its own are open to the network, behind a token that Ray makes and asks for since then.
    if address == "local" and tuple(map(int, ray.__version__.split(".")[:2])) < _WITH_TOKENS:
        raise DxmatchError(
            f"The engine 'ray' needs Ray 2.59 or later, whose own cluster asks for a token; here is {ray.__version__}, as AutoGluon "
            "wants it: take an environment of its own, with pip install 'dxmatch[ray]'."
        )
    # Without a limit of its own, Ray goes on for ever with a task that takes more memory than there is.
    settings = {"RAY_BACKEND_LOG_LEVEL": "fatal", "RAY_USAGE_STATS_ENABLED": "0", "RAY_task_oom_retries": str(ATTEMPTS - 1)}  # fmt: skip
    for name, value in settings.items():
        os.environ.setdefault(name, value)
    own = {"include_dashboard": False} if address == "local" else {}
    try:
        _check_answers(address)
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **own)
    except (ConnectionError, OSError, OverflowError) as error:
        allowed = "the address of a Ray cluster that answers (ray start --head shows it)"
        raise OptionError("RAY_ADDRESS", allowed, address) from error
    except (RuntimeError, ray.exceptions.RayError) as error:
        raise DxmatchError(f"The Ray cluster cannot be used: {' '.join(str(error).split())}") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _check_answers(address: str) -> None:
    """Ray itself waits for minutes. Raises `OSError` where nobody answers."""
    if address in ("auto", "local"):
        return
    host, _, port = address.rpartition(":")
    if "://" in address or not host or not port.isdigit():
        raise OptionError("RAY_ADDRESS", "host:port of the head of a Ray cluster, 'auto' or 'local'", address)
    socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
