"""The engine `ray` on a cluster of several nodes on this machine: the bytes of `local`, whatever dies on the way."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread, main_thread
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

import dxmatch
from dxmatch.errors import DxmatchError, InputError, MissingExtra, OptionError
from dxmatch.jobs import ray_engine
from dxmatch.jobs.plan import plan_job

from .conftest import Write, random_pairs, run

ROWS, CHUNK_ROWS = 1200, 40


def test_a_machine_that_cannot_work_on_the_job(tmp_path: Path, source: Path, model: Path) -> None:
    """The task, in this process: other versions, and files that it does not see."""
    chunk, versions = plan_job(source, tmp_path, dxmatch.load(model)).chunks[0], ray_engine.versions()
    for what in ("dxmatch", "numpy"):
        with pytest.raises(DxmatchError, match=rf"has {what} [^;]*, not 0\.0\.1\. Every"):
            ray_engine.score({**versions, what: "0.0.1"}, tmp_path, [], chunk)
    with pytest.raises(DxmatchError, match=f"A worker on .* does not see {tmp_path / 'absent'}"):
        ray_engine.score(versions, tmp_path / "absent", [], chunk)
    source.unlink()
    with pytest.raises(DxmatchError, match=f"does not see {source}"):
        ray_engine.score(versions, tmp_path, [], chunk)


OLD = SimpleNamespace(__version__="2.58.1", is_initialized=lambda: False)


@pytest.mark.parametrize(
    ("ray", "address", "error", "told"),
    [
        (None, "", MissingExtra, r"\[ray\]"),
        # its own cluster would be open to the network
        (OLD, "", DxmatchError, r"needs Ray 2.59 or later.* here is 2\.58\.1.*\[ray\]"),
        *(("ray", address, OptionError, f"RAY_ADDRESS.*host:port.*{address}") for address in ("head", "head:x", "127.0.0.1:1")),
    ],
)  # fmt: skip
def test_a_ray_that_cannot_be_used(ray: Any, address: str, error: Any, told: str, source: Path, model: Path, monkeypatch: Any) -> None:  # fmt: skip
    if ray == "ray":
        ray = pytest.importorskip("ray", reason="the engine 'ray' needs the extra 'ray'")
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setenv("RAY_ADDRESS", address)
    with pytest.raises(error, match=told):
        run(source, source.with_name("o.parquet"), model, engine="ray")


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A head without a CPU and two nodes with one each, every one with processes of its own."""
    pytest.importorskip("ray", reason="the engine 'ray' needs the extra 'ray'")
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    size = {"object_store_memory": 100 * 2**20}
    made = Cluster(True, head_node_args={"num_cpus": 0, "include_dashboard": False, **size})
    for _ in range(2):
        made.add_node(num_cpus=1, wait=False, **size)
    made.wait_for_nodes()
    monkeypatch.setenv("RAY_ADDRESS", made.address)
    yield made
    made.shutdown()


@contextlib.contextmanager
def when_done(output: Path, parts: int, action: Callable[[], Any]) -> Iterator[None]:
    """What is to happen when so many parts of a job lie there."""

    def watch() -> None:
        while len([*output.parent.glob(f"{output.name}.parts/part-*")]) < parts:
            if ended.wait(0.002):
                return
        happened.append(action())

    happened, ended, watching = list[Any](), Event(), Thread(target=watch)
    watching.start()
    try:
        yield
    finally:
        ended.set()
        watching.join()
        assert happened, "it happened in the middle"


@pytest.mark.nightly
def test_the_bytes_of_one_machine_though_another_dies(
    cluster: Any, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One test for all that needs a cluster, because starting one takes seconds."""
    import ray

    table = random_pairs(ROWS)
    blank = pa.array([" " if row == 776 else text for row, text in enumerate(table["a"].to_pylist())])
    source, bad = write(table), write(table.set_column(1, "a", blank), "bad.parquet")
    output, local = tmp_path / "ray.parquet", tmp_path / "local.parquet"
    options: dict[str, Any] = {"chunk_rows": CHUNK_ROWS, "add": ["features"]}
    run(source, local, **options)

    kept = pytest.raises(KeyboardInterrupt, match=rf"\d of {ROWS // CHUNK_ROWS} chunks are kept")
    with when_done(output, 4, lambda: signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)), kept:
        run(source, output, engine="ray", **options)
    assert not ray.is_initialized()

    (_, lost) = cluster.worker_nodes
    with when_done(output, 9, lambda: cluster.remove_node(lost, allow_graceful=False)):
        summary = run(source, output, engine="ray", **options)
    assert summary.pairs == ROWS and summary.resumed >= 4, "those under way may have been finished"
    assert output.read_bytes() == local.read_bytes()
    assert {*tmp_path.iterdir()} == {source, bad, output, local}

    # With more texts than the job holds, the chunk finds the row in its turn, or the first pass before.
    monkeypatch.setattr("dxmatch.jobs.job.MAX_TEXTS", 0)
    for engine in ("local", "ray"):
        with pytest.raises(InputError, match="row 777, column 'a'"):
            run(bad, tmp_path / f"bad-{engine}", engine=engine, **options)
