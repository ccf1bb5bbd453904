"""The engine `ray` on a cluster of several nodes on this machine: the bytes of `local`, whatever dies on the way."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from threading import Event, Thread, main_thread
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dxmatch
from dxmatch.errors import DxmatchError, InputError, MissingExtra, OptionError
from dxmatch.jobs import ray_engine
from dxmatch.jobs.plan import Done, Plan, plan_job

from .conftest import run

NAMES = ["heart attack", "acute MI", "stroke", "type 1 diabetes", "type 2 diabetes", "asthma", "COPD", "lung cancer", "gout"]  # fmt: skip
ROWS, CHUNK_ROWS = 1200, 40
CHUNKS = ROWS // CHUNK_ROWS


def write_pairs(path: Path, *, blank_row: int | None = None) -> Path:
    a = [NAMES[i % len(NAMES)] for i in range(ROWS)]
    b = [NAMES[i * i % len(NAMES)] for i in range(ROWS)]
    if blank_row is not None:
        a[blank_row - 1] = " "
    pq.write_table(pa.table({"a": a, "b": b}), path, row_group_size=200)
    return path


@pytest.fixture
def job(tmp_path: Path, model: Path) -> Plan:
    (tmp_path / "parts").mkdir()
    return plan_job(write_pairs(tmp_path / "pairs.parquet"), tmp_path / "parts", dxmatch.load(model))


class Reference(str):
    def hex(self) -> str:
        return self


def score(job: Plan, place: Path | None = None, **versions: str) -> Done:
    """The task, in this process, where nothing was fetched before."""
    there = {**ray_engine.versions(), **versions}
    return ray_engine.score(there, place or Path.cwd(), [Reference(job.folder)], job.chunks[0])


@pytest.mark.parametrize("what", ["dxmatch", "numpy"])
def test_other_versions_are_refused(job: Plan, what: str) -> None:
    with pytest.raises(DxmatchError, match=rf"has {what} [^;]*, not 0\.0\.1\. Every"):
        score(job, **{what: "0.0.1"})


def test_a_machine_that_does_not_see_the_files(job: Plan, tmp_path: Path) -> None:
    with pytest.raises(DxmatchError, match=f"A worker on .* does not see {tmp_path / 'absent'}"):
        score(job, tmp_path / "absent")
    job.chunks[0].path.unlink()
    with pytest.raises(DxmatchError, match=f"does not see {job.chunks[0].path}"):
        score(job)


def refuses(job: Plan) -> None:
    with ray_engine.on_ray(job, None):
        pass


def test_without_ray_the_extra_is_named(job: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"\[ray\]"):
        refuses(job)


def test_a_ray_without_tokens_opens_no_cluster(job: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    old = SimpleNamespace(__version__="2.58.1", is_initialized=lambda: False)
    monkeypatch.setitem(sys.modules, "ray", old)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with pytest.raises(DxmatchError, match=r"needs Ray 2.59 or later.* here is 2\.58\.1.*\[ray\]"):
        refuses(job)


@pytest.mark.parametrize("address", ["head", "head:x", "127.0.0.1:1"])
def test_an_address_where_none_answers(job: Plan, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    pytest.importorskip("ray", reason="the engine 'ray' needs the extra 'ray'")
    monkeypatch.setenv("RAY_ADDRESS", address)
    with pytest.raises(OptionError, match=f"RAY_ADDRESS.*host:port.*{address}"):
        refuses(job)


class Nodes:
    """A cluster of a head without a CPU and two nodes with one each, every one with processes of its own."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        size = {"object_store_memory": 100 * 2**20}
        self.cluster = Cluster(True, head_node_args={"num_cpus": 0, "include_dashboard": False, **size})
        self.nodes = [self.cluster.add_node(num_cpus=1, wait=False, **size) for _ in range(2)]
        self.cluster.wait_for_nodes()

    def workers(self) -> list[int]:
        """The processes that score, of the nodes that live."""
        return [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit() and self._is_worker(p)]

    def _is_worker(self, process: Path) -> bool:
        with contextlib.suppress(OSError):
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            raylets = [info.process.pid for node in self.nodes for info in node.all_processes.get("raylet", [])]
            return parent in raylets and b"score" in (process / "cmdline").read_bytes()
        return False


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Nodes]:
    pytest.importorskip("ray", reason="the engine 'ray' needs the extra 'ray'")
    if not sys.platform.startswith("linux"):
        pytest.skip("workers are found in /proc")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    made = Nodes()
    monkeypatch.setenv("RAY_ADDRESS", made.cluster.address)
    yield made
    made.cluster.shutdown()


def interrupt() -> None:
    signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)


@contextlib.contextmanager
def when_done(output: Path, happens: Mapping[int, Callable[[], Any]]) -> Iterator[list[int]]:
    """What is to happen when so many parts of a job lie there; again and again, while it says False. Yields what has happened."""
    happened: list[int] = []

    def watch() -> None:
        for parts, action in happens.items():
            while not ended.is_set() and (
                len([*output.parent.glob(f"{output.name}.parts/part-*")]) < parts or action() is False
            ):
                time.sleep(0.002)
            happened.append(parts)

    ended, watching = Event(), Thread(target=watch)
    watching.start()
    try:
        yield happened
    finally:
        assert len(happened) == len(happens), "it happened in the middle"
        ended.set()
        watching.join()


@pytest.mark.slow
def test_the_bytes_of_one_machine_whatever_dies(nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One test for all that needs a cluster, because starting one takes seconds."""
    import ray

    source, bad = write_pairs(tmp_path / "pairs.parquet"), write_pairs(tmp_path / "bad.parquet", blank_row=777)
    output = tmp_path / "ray.parquet"
    options: dict[str, Any] = {"chunk_rows": CHUNK_ROWS, "add": ["features"]}
    run(source, tmp_path / "local.parquet", **options)

    with (
        when_done(output, {4: interrupt}),
        pytest.raises(KeyboardInterrupt, match=rf"\d of {CHUNKS} chunks are kept"),
    ):
        run(source, output, engine="ray", **options)
    assert not ray.is_initialized()

    killed: list[int] = []

    def kill_a_worker() -> bool:
        killed[:] = nodes.workers()[:1]
        for worker in killed:  # between two chunks none is at work
            os.kill(worker, signal.SIGKILL)
        return bool(killed)

    def lose_a_machine() -> bool:
        if there := killed[0] not in nodes.workers():
            nodes.cluster.remove_node(nodes.nodes.pop(), allow_graceful=False)
        return there

    with when_done(output, {9: kill_a_worker, 14: lose_a_machine}):
        summary = run(source, output, engine="ray", **options)
    assert summary.pairs == ROWS and 4 <= summary.resumed <= 9, "those under way may have been finished"
    assert output.read_bytes() == (tmp_path / "local.parquet").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [source.name, bad.name, output.name, "local.parquet"]
    )

    # With more texts than the job holds, the chunk finds the row in its turn, or the first pass before.
    monkeypatch.setattr("dxmatch.jobs.job.MAX_TEXTS", 0)
    for engine in ("local", "ray"):
        with pytest.raises(InputError, match="row 777, column 'a'"):
            run(bad, tmp_path / f"bad-{engine}", engine=engine, **options)
