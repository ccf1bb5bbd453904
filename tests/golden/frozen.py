"""The families of golden runs, and what is frozen of each.

A family is a folder with an `adapter`, which calls dxmatch: RUNS, the names of its runs; `find(name, folder, seed)`, what one finds, in the empty `folder`;
`differences(expected, found)`, a line for each. What is frozen lies beside it: tables in `expected/NAME.json`, a document of each run in `expected.json`, or arrays in `expected.npz`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from . import compare

HERE = Path(__file__).parent
FAMILIES = {name: import_module(f".{name}.adapter", __package__) for name in ("evaluation", "asked", "commands", "tables", "pairs")}  # fmt: skip


@cache
def expected(family: str) -> Mapping[str, Any]:
    """By run."""
    folder = HERE / family
    if (folder / "expected.npz").exists():
        found: dict[str, dict[str, np.ndarray]] = {}
        with np.load(folder / "expected.npz") as arrays:
            for name in arrays.files:
                run, _, column = name.partition(": ")
                found.setdefault(run, {})[column] = arrays[name]
        return found
    if (folder / "expected.json").exists():
        return json.loads((folder / "expected.json").read_text("utf-8"))
    return {path.stem: compare.read(path) for path in (folder / "expected").glob("*.json")}


def keep(family: str, found: Mapping[str, Any]) -> None:
    """Writes what these runs find as what is expected of them; the others stay, as the file has them now."""
    folder = HERE / family
    if (folder / "expected.npz").exists():
        every = {**expected.__wrapped__(family), **found}
        arrays = {f"{run}: {name}": values for run, one in every.items() for name, values in one.items()}
        np.savez_compressed(folder / "expected.npz", **arrays)
    elif (folder / "expected.json").exists():
        parts = (f"{json.dumps(run)}: {_lines(one)}" for run, one in {**expected.__wrapped__(family), **found}.items())
        (folder / "expected.json").write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")
    else:
        for run, tables in found.items():
            compare.write(folder / "expected" / f"{run}.json", tables)


def _lines(document: Any) -> str:
    """A line, or one for each of a list."""
    if isinstance(document, list):
        return "[\n" + ",\n".join(map(_lines, document)) + "\n]"
    return json.dumps(document, ensure_ascii=False)
