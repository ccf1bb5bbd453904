"""The only place where the golden runs of commands call dxmatch: the command line, its exit codes, both streams, what is written, and Ctrl-C."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import chdir
from functools import cache
from pathlib import Path
from subprocess import PIPE
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

import dxmatch
from dxmatch.tests.command_line import Done, typed

from ..compare import alike
from ..files import lay_out
from ..tables.containers import taken_apart

_FIGURE = re.compile(r"(?<![\w.@/-])\d+(?:,\d{3})*(?:\.\d+)?(?![.,]?[\w@])(?! s\b)")
_KEPT = TemporaryDirectory()
_MODEL = re.compile(r"@[0-9a-f]{12}\b")
"""The digits of a model, which hang on the library that trained it."""
EXAMPLE = Path(dxmatch.__file__ or "").parent / "example"
CASES = {case["case"]: case for case in json.loads(Path(__file__).with_name("runs.json").read_text("utf-8"))}
RUNS = [*CASES]
TRAINING = "train and audit"


def named(message: str) -> dict[str, Any]:
    """Which rows, columns and options a message names, sorted."""
    options = re.findall(r"(?<![\w-])--[a-z][a-z-]*", message) + re.findall(r"\bOr: the option '([a-z_]+)'", message)
    return {
        "rows": sorted({int(row.replace(",", "")) for row in re.findall(r"\brow (\d[\d,]*)", message)}),
        "columns": sorted(set(re.findall(r"\bcolumn '([^']*)'", message))),
        "options": sorted({*options}),
    }


def stream(text: str, names: Sequence[str]) -> dict[str, Any]:
    """What a stream says but for its prose: figures, the `names` that stand in it, rows, columns and options."""
    words = " ".join(text.split())
    figures = sorted(set(_FIGURE.findall(words)))
    return {"empty": not words, "figures": figures, "names": [name for name in names if name in words], **named(words)}


def in_its_own(arguments: Sequence[str], given: str, interrupt: str = "") -> Done:
    """A process in this folder. interrupt : Ctrl-C comes as soon as a file of such a name is there."""
    process = subprocess.Popen([sys.executable, "-m", "dxmatch.cli", *arguments], stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True, start_new_session=True)  # fmt: skip
    try:
        while interrupt and process.poll() is None and not any(Path.cwd().glob(interrupt)):
            time.sleep(0.005)
        if interrupt:
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(given, timeout=120)
    finally:
        process.kill()
    return Done(process.returncode, out, err)


def prepare(files: dict[str, Any]) -> None:
    """In this folder: files as they are given, and those made of the bundled example's."""
    made = {
        name for name, content in files.items() if isinstance(content, dict) and {*content} & {"parquet of", "example"}
    }
    lay_out({name: content for name, content in files.items() if name not in made}, Path())
    for name in made:
        content = files[name]
        if "parquet of" in content:
            read = pa_csv.read_csv(EXAMPLE / content["parquet of"]).to_pydict()
            a, b, n = read["a"], read["b"], len(read["a"])
            rows = range(content["rows"])
            columns = {"a": [a[i % n] for i in rows], "b": [b[(i + i // n * 7) % n] for i in rows]}
            pq.write_table(pa.table(columns), name, write_page_checksum=True)
        else:
            lines = (EXAMPLE / content["example"]).read_text("utf-8").splitlines(keepends=True)
            Path(name).write_text("".join(lines[: content.get("rows", len(lines)) + 1]), "utf-8")


@cache
def trained() -> tuple[Path, dict[str, Any]]:
    """The model of two string measures that most runs use, as they take only a moment with it; and what its training left."""
    case, folder = CASES[TRAINING], Path(_KEPT.name)
    with chdir(folder):
        prepare(case["files"])
        before = _files()
        return folder / "m", left_by(case["runs"][0], before, done_by(case["runs"][0], Path("m")))


def find(name: str, folder: Path, seed: int = 0) -> list[dict[str, Any]]:
    model, training = trained()
    with chdir(folder), patch.dict("os.environ", {"COLUMNS": "200"}):
        prepare(CASES[name]["files"])
        runs = [training] if name == TRAINING else []
        for run in CASES[name]["runs"][len(runs) :]:
            before = _files()
            runs.append(left_by(run, before, done_by(run, model)))
    return json.loads(json.dumps(runs))


def differences(expected: Sequence[Any], found: Sequence[Any]) -> list[str]:
    return [
        f"{old}\nwas expected, found is\n{new}" for old, new in zip(expected, found, strict=True) if not same(old, new)
    ]


def done_by(run: dict[str, Any], model: Path) -> Done:
    arguments, given = shlex.split(run["run"].replace("{model}", str(model))), run.get("given", "")
    if run.get("process"):
        return in_its_own(arguments, given, run.get("interrupt", ""))
    return typed(*arguments, given=given)


def left_by(run: dict[str, Any], before: set[str], done: Done) -> dict[str, Any]:
    """What a run left. before : the files that were there."""
    arguments = shlex.split(run["run"])
    names = sorted({word for word in (*arguments, *_files()) if "." in word and not word.startswith(("-", "{"))})
    one: dict[str, Any] = {"run": run["run"], "exit": done.code, "new": sorted(_files() - before)}
    one |= {"out": stream(done.out, names), "err": stream(done.err, names)}
    if "figures" in run:  # the others hang on the moment
        for said in (one["out"], one["err"]):
            said["figures"] = [figure for figure in said["figures"] if figure in run["figures"]]
    if "--json" in arguments:
        one["json"] = _kept(json.loads(_MODEL.sub("", done.out)), run.get("keys"))
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
