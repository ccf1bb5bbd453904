"""The engine `ray`: the chunks of a job as tasks on the machines of a Ray cluster. Its parts are those of one machine.

Ray hands out descriptions of chunks, not rows: a worker reads its rows from the Parquet file and writes its part itself. So a
chunk is the same rows in every engine, nothing but a few hundred bytes a chunk travels, and what is done is done whatever
becomes of the cluster.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import DxmatchError, MissingExtra, OptionError
from .plan import Chunk, Done, Plan, versions

ATTEMPTS = 5
"""So often a chunk is begun, where it takes its worker down each time, before the job gives up."""
CONNECT_SECONDS = 10
_WITH_TOKENS = (2, 59)


@contextlib.contextmanager
def on_ray(plan: Plan, workers: int | None) -> Iterator[tuple[Callable[[Chunk], Done], int]]:
    """What does a chunk on the Ray cluster that RAY_ADDRESS names, else on one that is started on this machine; and how many to do at once.

    A worker or a machine that dies costs the chunks it had: Ray does them again elsewhere. Chunks that are under way when the job ends are
    waited for: Ray 2.60 may end this process where a task is cancelled just as it is done.

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
        task = ray.remote(num_cpus=1, max_retries=ATTEMPTS - 1)(score)
        # In a list, the reference travels as it is: each process that works for the job fetches what it stands for once.
        shared = [ray.put(plan)]

        def work(chunk: Chunk) -> Done:
            return ray.get(task.remote(versions(), Path.cwd(), shared, chunk))

        try:
            yield work, workers or cores
        except ray.exceptions.RayError as error:
            cause = getattr(error, "cause", None)
            if isinstance(cause, DxmatchError):
                raise cause from None
            why = (str(cause or error).strip() or "no reason").splitlines()[-1]
            raise DxmatchError(
                f"The Ray cluster failed ({type(cause or error).__name__}: {why}). Where workers die, memory is the usual reason: give "
                "the machines more of it, or the job fewer workers or smaller chunks."
            ) from error


@lru_cache(1)
def _fetched(reference: Any) -> Plan:
    """What this process works for: it loads the match function, and takes in the names, once for a job."""
    import ray

    return ray.get(reference)


def score(there: Mapping[str, str], place: Path, shared: list[Any], chunk: Chunk) -> Done:
    """The task, on a worker.

    Parameters
    ----------
    there, place
        The `versions` of the machine that starts the job, and what relative paths are relative to on it.

    Raises
    ------
    DxmatchError
        Where this machine has other versions, or does not see or may not write what it must.
    """
    here, machine = versions(), f"A worker on {socket.gethostname()} (process {os.getpid()})"
    if differing := [
        f"{name} {here.get(name)}, not {other}" for name, other in there.items() if here.get(name) != other
    ]:
        raise DxmatchError(
            f"{machine} has {'; '.join(differing)}. Every machine of the cluster needs the versions of the one that starts the job."
        )
    for needed in (place, place / chunk.path):
        if not needed.exists():
            raise DxmatchError(
                f"{machine} does not see {needed}. Every machine of the cluster needs the input and the output folder under the same "
                "paths (a shared file system)."
            )
    os.chdir(place)
    return _fetched(shared[0]).write_part(chunk)


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
            "wants it: take an environment of its own, with pip install '.[ray]'."
        )
    # Without a limit of its own, Ray goes on for ever with a task that takes more memory than there is.
    settings = {"RAY_BACKEND_LOG_LEVEL": "fatal", "RAY_USAGE_STATS_ENABLED": "0", "RAY_task_oom_retries": str(ATTEMPTS - 1)}  # fmt: skip
    for name, value in settings.items():
        os.environ.setdefault(name, value)
    own = {"include_dashboard": False} if address == "local" else {}
    try:
        if address not in ("auto", "local"):  # Ray itself waits for two minutes, and then ends the process
            host, _, port = address.rpartition(":")
            socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **own)
    except (ValueError, OSError, OverflowError) as error:
        allowed = "host:port of the head of a Ray cluster that answers (ray start --head shows it), 'auto' or 'local'"
        raise OptionError("RAY_ADDRESS", allowed, address) from error
    except (RuntimeError, ray.exceptions.RayError) as error:
        raise DxmatchError(f"The Ray cluster cannot be used: {' '.join(str(error).split())}") from error
    try:
        yield ray
    finally:
        ray.shutdown()
