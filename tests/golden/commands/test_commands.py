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
TRAINING = "train and audit"
EXPECTED = HERE / "expected.json"


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
            pq.write_table(pa.table(columns), path, write_page_checksum=True)
        elif isinstance(content, dict) and "example" in content:
            lines = (example / content["example"]).read_text("utf-8").splitlines(keepends=True)
            path.write_text("".join(lines[: content.get("rows", len(lines)) + 1]), "utf-8")
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, command: Callable[..., Any], example: Path) -> tuple[Path, dict[str, Any]]:  # fmt: skip
    """The model of two string measures that most runs use, as they take only a moment with it; and what its training left."""
    case, folder = CASES[TRAINING], tmp_path_factory.mktemp("own")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        prepare(case["files"], example)
        before = _files()
        done = done_by(case["runs"][0], command, Path("m"))
        return folder / "m", found(case["runs"][0], before, done)


def done_by(run: dict[str, Any], command: Callable[..., Any], model: Path) -> adapter.Done:
    arguments, given = shlex.split(run["run"].replace("{model}", str(model))), run.get("given", "")
    if run.get("process"):
        return adapter.in_its_own(arguments, given, run.get("interrupt", ""))
    return command(*adapter.renamed(arguments), given=given)


def found(run: dict[str, Any], before: set[str], done: adapter.Done) -> dict[str, Any]:
    """What a run left. before : the files that were there."""
    arguments = shlex.split(run["run"])
    names = sorted({word for word in (*arguments, *_files()) if "." in word and not word.startswith(("-", "{"))})
    one: dict[str, Any] = {"run": run["run"], "exit": done.code, "new": sorted(_files() - before)}
    one |= {"out": adapter.stream(done.out, names), "err": adapter.stream(done.err, names)}
    if "figures" in run:  # the others hang on the moment
        for stream in (one["out"], one["err"]):
            stream["figures"] = [figure for figure in stream["figures"] if figure in run["figures"]]
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
            all(any(same(one, other) for other in new[key]) for one in old[key])
            if key == "figures"
            else same(old[key], new[key])
            for key in old
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
def test_commands(name: str, here: Path, command: Callable[..., Any], example: Path, trained: Any) -> None:
    model, training = trained
    prepare(CASES[name]["files"], example)
    runs = [training] if name == TRAINING else []
    for run in CASES[name]["runs"][len(runs) :]:
        before = _files()
        runs.append(found(run, before, done_by(run, command, model)))
    if os.environ.get("DXMATCH_FREEZE"):
        frozen = (json.loads(EXPECTED.read_text("utf-8")) if EXPECTED.exists() else {}) | {name: runs}
        parts = (f"{json.dumps(one)}: [\n{_lines(frozen[one])}\n]" for one in CASES if one in frozen)
        EXPECTED.write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")
    expected = json.loads(EXPECTED.read_text("utf-8"))[name]
    for old, new in zip(expected, json.loads(json.dumps(runs)), strict=True):
        assert same(old, new), f"{old}\nwas expected, found is\n{new}"


def _lines(runs: list[dict[str, Any]]) -> str:
    return ",\n".join(json.dumps(run, ensure_ascii=False) for run in runs)
