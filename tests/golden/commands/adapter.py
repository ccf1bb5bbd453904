"""The only place where the golden runs of tables and commands call dxmatch: its public names and its command line.

What is frozen has the names of the day it was frozen; where dxmatch now has another, it stands in `RENAMED`.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from subprocess import PIPE
from typing import Any, NamedTuple

import dxmatch
from dxmatch.tests.command_line import Done

RENAMED: Mapping[str, str] = {
    "--model": "--matcher", "--bootstrap": "--resamples", "--judge": "--judge.model", "--relation": "--graded.relation",
    "--severity": "--graded.severity", "--codes": "--codes.table", "--source": "--tree", "--open": "--open-pairs",
}  # fmt: skip
"""{a name as frozen: dxmatch's today}, of commands, options, columns and keys of JSON."""
SAID_ANEW: Mapping[str, str] = {
    "score p.csv --features": "score p.csv --add features", "-o - --format jsonl": "-o -.jsonl", "GPT=good poor": "GPT=good poor=poor",
}  # fmt: skip
"""{words as frozen: those that say it today}, where one name does not stand for another."""
_FROZEN = {today: name for name, today in RENAMED.items()}
_FIGURE = re.compile(r"(?<![\w.@/-])\d+(?:,\d{3})*(?:\.\d+)?(?![.,]?[\w@])(?! s\b)")
_MODEL = re.compile(r"@[0-9a-f]{12}\b")
COMMAND = (sys.executable, "-m", "dxmatch.cli")


class Came(NamedTuple):
    """What came back through a door.

    container : a file, a frame, an Arrow table, or a list of dicts (`rank`). prefix : what stands before the names of its columns. terms : the column that holds the diagnoses.
    key : the column that says which row of the input a row is of: its number, or its case_id; "" where they stand in order.
    """

    container: Any
    prefix: str = ""
    terms: str = "diagnosis"
    key: str = ""


_CAME = {"link": ("a_", "a", "index_a"), "rank": ("", "term", "index"), "dedupe": ("", "term", "index"), "evaluate": ("", "diagnosis", "case_id")}  # fmt: skip
DOORS = ("score", "icd", "link", "rank", "dedupe", "evaluate")
_LINES = {
    "score": "score {table} -o {out} --a diagnosis --b reference",
    "dedupe": "dedupe {table} -o {out}",
}


def through(door: str, table: Any, m: Any, command: Callable[..., Any] | None = None) -> Came | str:
    """What comes back of a file or frame through a door, or the message that refuses it. command : goes by the command line, from file to file."""
    if command is not None:
        out = table.with_name(f"o{table.suffix}")
        done = command(*renamed(_LINES[door].format(table=table, out=out).split()))
        return Came(out, *_CAME.get(door, ())) if done.code == 0 else done.err
    ways: dict[str, Callable[[], Any]] = {
        "score": lambda: m.score(table, a="diagnosis", b="reference"),
        "icd": lambda: dxmatch.icd(table, matcher=m, k=1),
        "link": lambda: m.link(table, table),
        "rank": lambda: [{"term": one.term, "index": one.index} for one in m.rank("influenza", table, k=None)],
        "dedupe": lambda: m.dedupe(table),
        "evaluate": lambda: (
            dxmatch.evaluate(
                table, matcher=m, metrics="top-1", by="remark", resampling=dxmatch.Resampling(resamples=0)
            ).matches
        ),
    }
    try:
        return Came(ways[door](), *_CAME.get(door, ()))
    except dxmatch.DxmatchError as error:
        return str(error)


def named(message: str) -> dict[str, Any]:
    """Which rows, columns and options a message names, sorted."""
    options = re.findall(r"(?<![\w-])--[a-z][a-z-]*", message) + re.findall(
        r"\bOr: (?:\w+=dxmatch\.\w+\()?([a-z_]+)=", message
    )
    return {
        "rows": sorted({int(row.replace(",", "")) for row in re.findall(r"\brow (\d[\d,]*)", message)}),
        "columns": sorted(set(re.findall(r"\bcolumn '([^']*)'", message))),
        "options": sorted({_FROZEN.get(option, option) for option in options}),
    }


def stream(text: str, names: Sequence[str]) -> dict[str, Any]:
    """What a stream says but for its prose: figures, the `names` that stand in it, rows, columns and options."""
    words = " ".join(text.split())
    figures = sorted(set(_FIGURE.findall(words)))
    return {"empty": not words, "figures": figures, "names": [name for name in names if name in words], **named(words)}


def neutral(value: Any) -> Any:
    """A JSON document with the names of the day it was frozen, and the model without its digits."""
    if isinstance(value, dict):
        return {_FROZEN.get(key, key): neutral(one) for key, one in value.items()}
    if isinstance(value, list):
        return [neutral(one) for one in value]
    return _MODEL.sub("", value) if isinstance(value, str) else value


def renamed(arguments: Sequence[str]) -> list[str]:
    line = "\0".join(RENAMED.get(argument, argument) for argument in arguments)
    for frozen, today in SAID_ANEW.items():
        line = line.replace(frozen.replace(" ", "\0"), today.replace(" ", "\0"))
    return line.split("\0")


def in_its_own(arguments: Sequence[str], given: str, interrupt: str = "") -> Done:
    """A process in this folder. interrupt : Ctrl-C comes as soon as a file of such a name is there."""
    process = subprocess.Popen([*COMMAND, *renamed(arguments)], stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True, start_new_session=True)  # fmt: skip
    try:
        while interrupt and process.poll() is None and not any(Path.cwd().glob(interrupt)):
            time.sleep(0.005)
        if interrupt:
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(given, timeout=120)
    finally:
        process.kill()
    return Done(process.returncode, out, err)
