"""Parquet files in which bytes were changed, by several writers' layouts, through score, evaluate, train and jobs.

Each mutant is read in a forked process: none may end by a signal, or in anything but the same result as before, another result
where pages have no checksums, or dxmatch's own error, which names the file.
"""

from __future__ import annotations

import io
import os
import pickle
import random
import resource
import signal
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import dxmatch
from dxmatch.errors import DxmatchError
from dxmatch.jobs.plan import Job

from ..jobs.conftest import _KINDS, diagnoses, make_model

BATCH = 50
SECONDS, BYTES = 120, 6 << 30
ROWS = 240
LAYOUTS: dict[str, dict[str, Any]] = {
    "dictionary": {},
    "plain": {"use_dictionary": False},
    "pages v2": {"data_page_version": "2.0"},
    "plain v2, zstd": {"data_page_version": "2.0", "use_dictionary": False, "compression": "zstd"},
    "not compressed": {"compression": "none", "use_dictionary": False},
    "delta": {"use_dictionary": False, "column_encoding": {"a": "DELTA_BYTE_ARRAY", "b": "DELTA_LENGTH_BYTE_ARRAY"}},
    "small pages and groups": {"data_page_size": 400, "write_batch_size": 40, "row_group_size": 90},
    "page index, no statistics": {"write_page_index": True, "write_statistics": False, "compression": "gzip"},
    "large_string": {"kind": pa.large_string()},
    "string_view": {"kind": pa.string_view()},
    "category": {"kind": pa.dictionary(pa.int8(), pa.string())},
    "polars": {"polars": True},
}
COMMANDS = ("score", "job", "evaluate") * 8 + ("train",)


def run(number: int, seed: int) -> list[str]:
    counts = {"the same": 0, "another result": 0, "refused": 0}
    found: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        for i in range(number):
            one = random.Random(f"{seed} {i}")
            layout, checksums, command = one.choice(list(LAYOUTS)), one.random() < 0.5, one.choice(COMMANDS)
            content = made(layout, checksums and layout != "polars", command)
            bad = changed(content, one)
            kind, said = outcome(command, bad, Path(name))
            if kind == "done":
                same = said == expected(layout, checksums and layout != "polars", command)
                kind = "the same" if same else "another result"
                # The kinds of columns and values' names stand in the footer, which nothing guards.
                in_footer = first_difference(content, bad) >= len(content) - 8 - int.from_bytes(content[-8:-4], "little")  # fmt: skip
                if not same and checksums and layout != "polars" and not in_footer:
                    kind, said = "finding", "another result of a file with checksums"
            if kind in counts:
                counts[kind] += 1
            else:
                at = first_difference(content, bad)
                found.append(f"{kind}: {said}\n{command}, {layout}, {checksums=}, {seed=}, input {i}, first changed byte {at} of {len(content)}")  # fmt: skip
            if i % 50 == 49:
                print(f"{i + 1} tried: {counts}", flush=True)
    return found


def changed(content: bytes, one: random.Random) -> bytes:
    """One bit, one byte, some bytes, or the end gone; half of them in the footer and the page headers, where lengths are."""
    bad, footer = bytearray(content), len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    at = one.randrange(footer if one.random() < 0.5 else 4, len(content))
    how = one.randrange(10)
    if how < 5:
        bad[at] ^= 1 << one.randrange(8)
    elif how < 7:
        bad[at] = one.choice((0, 1, 0x7F, 0x80, 0xFF, one.randrange(256)))
    elif how < 9:
        for place in range(at, min(at + one.randrange(1, 9), len(bad))):
            bad[place] = one.randrange(256)
    else:
        cut = one.randrange(1, 40)
        del bad[at : at + cut]
    return bytes(bad)


def first_difference(content: bytes, bad: bytes) -> int:
    return next((i for i, (x, y) in enumerate(zip(content, bad, strict=False)) if x != y), min(len(content), len(bad)))


@cache
def made(layout: str, checksums: bool, command: str) -> bytes:
    """The file before it is damaged."""
    options = dict(LAYOUTS[layout])
    kind, polars = options.pop("kind", pa.string()), options.pop("polars", False)
    draw, names = np.random.default_rng(1), diagnoses(60)
    a, b = ([names[i] for i in draw.integers(0, 60, ROWS)] for _ in "ab")
    table = pa.table({"a": pa.array(a).cast(kind), "b": pa.array(b).cast(kind)})
    if command == "train":
        table = table.append_column("label", pa.array([int(x[-3:] == y[-3:]) for x, y in zip(a, b, strict=True)]))
    if command == "evaluate":
        listed = pa.array([[names[i] for i in draw.integers(0, 60, 3)] for _ in range(ROWS)])
        table = pa.table({"case": pa.array(map(str, range(ROWS))), "reference": table["a"], "m": listed})
        options.pop("column_encoding", None)
    sink = io.BytesIO()
    if polars:
        from polars import from_arrow

        from_arrow(table).write_parquet(sink)  # type: ignore[union-attr]
    else:
        pq.write_table(table, sink, write_page_checksum=checksums, **options)
    return sink.getvalue()


@cache
def expected(layout: str, checksums: bool, command: str) -> Any:
    with tempfile.TemporaryDirectory() as name:
        kind, said = outcome(command, made(layout, checksums, command), Path(name))
    assert kind == "done", (layout, command, said)
    return said


@cache
def model() -> Path:
    """A cheap one, used once, so that the forked processes find everything loaded."""
    from dxmatch.evaluation import evaluate as evaluate_module
    from dxmatch.jobs import job
    from dxmatch.training import train

    del evaluate_module, job, train
    path = make_model(Path(tempfile.mkdtemp(prefix="fuzz-")) / "cheap", _KINDS)
    _matcher(path).probabilities(diagnoses(9), diagnoses(9)[::-1])
    return path


@cache
def _matcher(path: Path) -> Any:
    from dxmatch.matcher.match_function import load

    return load(path)


def outcome(command: str, content: bytes, folder: Path) -> tuple[str, Any]:
    """("done", what came), ("refused", the error), or what must not be and why, of one command in a forked process."""
    path = folder / "mutant.parquet"
    path.write_bytes(content)
    work, where = {"score": _score, "job": _job, "evaluate": _evaluate, "train": _train}[command], model()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _child(work, path, where, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as said:
        answer = said.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "ended by a signal", signal.Signals(os.WTERMSIG(status)).name
    return pickle.loads(answer)


def _child(work: Callable[[Path, Path], Any], path: Path, model_: Path, writing: int) -> None:
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
        signal.alarm(SECONDS)
        warnings.simplefilter("ignore")
        try:
            answer = "done", work(path, model_)
        except DxmatchError as error:
            plain = path.name in str(error) and "\n" not in str(error)
            answer = ("refused" if plain else "an error that does not name the file"), str(error)
        except BaseException as error:
            answer = f"{type(error).__name__}", str(error)[:300]
        os.write(writing, pickle.dumps(answer))
    finally:
        os._exit(0)


def _score(path: Path, model_: Path) -> Any:
    return _matcher(model_).score(path).column("probability").to_pylist()


def _job(path: Path, model_: Path) -> Any:
    from dxmatch.jobs.job import score_files

    output = path.with_name("o.parquet")
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        output = Path(folder) / "o.parquet"
        score_files(path, output, matcher=model_, job=Job(chunk_rows=100, workers=1))
        return pq.read_table(output).to_pylist()


def _evaluate(path: Path, model_: Path) -> Any:
    from dxmatch.evaluation.evaluate import evaluate

    return str(evaluate(path, matcher=_matcher(model_), metrics="top-1", resampling=dxmatch.Resampling(resamples=0)))


def _train(path: Path, model_: Path) -> Any:
    from dxmatch.training.train import train

    features = model_.parent / "cheap.toml"
    if not features.exists():
        rows = ["[[feature]]\n" + "".join(f'{key} = "{value}"\n' for key, value in kind.items()) for kind in _KINDS]
        features.write_text('name = "cheap"\nlanguage = "en"\n' + "".join(rows))
    return train(path, features=features).metrics
