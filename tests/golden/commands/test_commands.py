"""Runs of the command line as data: exit codes, what stands on both streams, what is written, and Ctrl-C.

`DXMATCH_FREEZE=1 pytest -n 0 tests/golden/commands` writes what is expected.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from ..compare import alike
from ..tables.containers import taken_apart
from . import adapter

HERE = Path(__file__).parent
CASES = {case["case"]: case for case in json.loads((HERE / "runs.json").read_text("utf-8"))}
EXPECTED = HERE / "expected.json"
Fault = Callable[[adapter.Done], adapter.Done]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def prepare(files: dict[str, Any], example: Path) -> None:
    """Writes text as it is, other JSON as JSON, and rows of the bundled example."""
    for name, content in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, dict) and "parquet of" in content:
            read = pa_csv.read_csv(example / content["parquet of"]).to_pydict()
            a, b, n = read["a"], read["b"], len(read["a"])
            rows = range(content["rows"])
            columns = {"a": [a[i % n] for i in rows], "b": [b[(i + i // n * 7) % n] for i in rows]}
            pq.write_table(pa.table(columns), path)
        elif isinstance(content, dict) and "example" in content:
            lines = (example / content["example"]).read_text("utf-8").splitlines(keepends=True)
            path.write_text("".join(lines[: content.get("rows", len(lines)) + 1]), "utf-8")
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")


def found(case: dict[str, Any], command: Callable[..., Any], fault: Fault = lambda done: done) -> list[dict[str, Any]]:
    """What each run of a case left, one after another in one folder."""
    return [_found(run, command, fault) for run in case["runs"]]


def _found(run: dict[str, Any], command: Callable[..., Any], fault: Fault) -> dict[str, Any]:
    before = _files()
    arguments, given = shlex.split(run["run"]), run.get("given", "")
    if run.get("process"):
        done = fault(adapter.in_its_own(arguments, given, run.get("interrupt", "")))
    else:
        done = fault(adapter.in_process(arguments, given, command))
    names = sorted({word for word in (*arguments, *_files()) if "." in word and not word.startswith("-")})
    one: dict[str, Any] = {"run": run["run"], "exit": done.code, "new": sorted(_files() - before)}
    one |= {"out": adapter.stream(done.out, names), "err": adapter.stream(done.err, names)}
    if not run.get("figures", True):
        del one["out"]["figures"], one["err"]["figures"]
    if "--json" in arguments:
        one["json"] = _kept(adapter.neutral(json.loads(done.out)), run.get("keys"))
        one["out"] = {"empty": False}
    if "tables" in run:
        one["tables"] = {name: [(cells := taken_apart(Path(name))).names, *cells.rows] for name in run["tables"]}
    if "same" in run:
        one["same bytes"] = len({Path(name).read_bytes() for name in run["same"]}) == 1
    return one


def _files() -> set[str]:
    """All but those of an unfinished job, whose number hangs on the moment."""
    return {path.as_posix() for path in Path().rglob("*") if path.is_file() and ".parts" not in path.as_posix()}


def _kept(document: Any, keys: list[str] | None) -> Any:
    if keys is None:
        return document
    if isinstance(document, list):
        return [_kept(one, keys) for one in document]
    return {key: document[key] for key in keys if key in document}


def same(old: Any, new: Any) -> bool:
    """Equal, numbers within the tolerance, also where they are text; a stream may say more figures than it did."""
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(
            {*old[key]} <= {*new[key]} if key == "figures" else same(old[key], new[key]) for key in old
        )
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(same, old, new))
    if isinstance(old, str) and isinstance(new, str) and old != new:
        try:
            return alike(float(old), float(new))
        except ValueError:
            return False
    return alike(old, new)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", CASES)
def test_commands(name: str, here: Path, command: Callable[..., Any], example: Path) -> None:
    prepare(CASES[name]["files"], example)
    runs = found(CASES[name], command)
    if os.environ.get("DXMATCH_FREEZE"):
        frozen = (json.loads(EXPECTED.read_text("utf-8")) if EXPECTED.exists() else {}) | {name: runs}
        parts = (f"{json.dumps(one)}: [\n{_lines(frozen[one])}\n]" for one in CASES if one in frozen)
        EXPECTED.write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")
    expected = json.loads(EXPECTED.read_text("utf-8"))[name]
    for old, new in zip(expected, json.loads(json.dumps(runs)), strict=True):
        assert same(old, new), f"{old}\nwas expected, found is\n{new}"


def _lines(runs: list[dict[str, Any]]) -> str:
    return ",\n".join(json.dumps(run, ensure_ascii=False) for run in runs)


def _a_row_is_lost(done: adapter.Done) -> adapter.Done:
    if Path("o.csv").exists():
        Path("o.csv").write_text("".join(Path("o.csv").read_text("utf-8").splitlines(keepends=True)[:-1]), "utf-8")
    return done


FAULTS: dict[str, Fault] = {
    "streams swapped": lambda done: done._replace(out=done.err, err=done.out),
    "another exit code": lambda done: done._replace(code=1 - done.code),
    "a figure changed": lambda done: done._replace(out=done.out.replace("3 pairs", "4 pairs")),
    "words in spite of --quiet": lambda done: done._replace(err=done.err + "Read p.csv."),
    "a row is lost": _a_row_is_lost,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_turn_it_red(fault: str, here: Path, command: Callable[..., Any], example: Path) -> None:
    case = {**CASES["score"], "runs": [run for run in CASES["score"]["runs"] if run["run"] in ("score p.csv -o o.csv", "score p.csv -o o.csv --quiet")]}  # fmt: skip
    prepare(case["files"], example)
    expected = [run for run in json.loads(EXPECTED.read_text("utf-8"))["score"] if run["run"] in {one["run"] for one in case["runs"]}]  # fmt: skip
    assert same(expected, found(case, command))
    Path("o.csv").unlink()
    assert not same(expected, found(case, command, FAULTS[fault]))
