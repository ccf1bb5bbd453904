"""The only place where the golden runs of tables call dxmatch: one table of awkward rows in every form, through every door.

What was there comes back, or what happens today is as frozen.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import dxmatch
from dxmatch.tests.command_line import typed

from ..commands.adapter import named
from .containers import Cells, made, taken_apart, variant

RUNS = [*json.loads(Path(__file__).with_name("expected.json").read_text("utf-8"))]
"""Each a variant of the table, a form, and a door; "written" goes by the command line, from file to file."""
_LONGEST = 60
matcher = cache(dxmatch.load)


def find(name: str, folder: Path, seed: int = 0) -> dict[str, Any]:
    kind, form, door = name.split()
    table = made(form, *variant(kind), folder)
    given = taken_apart(table)
    return outcome(table, given, through(door, table, matcher(), kind == "written"))


def differences(expected: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    return [f"{expected}\nwas expected, found is\n{found}"] * (expected != found)


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
_LINES = {
    "score": "score {table} -o {out} --a diagnosis --b reference",
    "dedupe": "dedupe {table} -o {out}",
}


def through(door: str, table: Any, m: Any, by_command: bool = False) -> Came | str:
    """What comes back of a file or frame through a door, or the message that refuses it. by_command : goes by the command line, from file to file."""
    if by_command:
        out = table.with_name(f"o{table.suffix}")
        done = typed(*_LINES[door].format(table=table, out=out).split())
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


def outcome(table: Any, given: Cells, came: Came | str) -> dict[str, Any]:
    """The container, its rows and new columns; under "today" what is not as it went in, or what a refusal names. Rows count from 0."""
    if isinstance(came, str):
        return {"today": {"refused": named(came)}}
    back = taken_apart(came.container)
    alike = type(came.container) is type(table)
    rows = _rows(given, back, came.key)
    found: dict[str, Any] = {"type": type(came.container).__name__.replace("PosixPath", "file"), "rows": "all, in order" if rows == [*range(len(given.rows))] else rows}  # fmt: skip
    today: dict[str, Any] = {}
    ours: set[int] = set()
    for at, name in enumerate(given.names):
        sought = came.terms if name == "diagnosis" else f"{came.prefix}{name}" if name else name
        twice = given.names[:at].count(name)
        places = [place for place, other in enumerate(back.names) if other == sought]
        if len(places) <= twice:
            today.setdefault("lost", []).append(name)
            continue
        place = places[twice]
        ours.add(place)
        cells = [(row, given.rows[row][at], line[place]) for row, line in zip(rows, back.rows, strict=True) if row is not None]  # fmt: skip
        changed: dict[str, list[int]] = {}
        for row, old, new in cells:
            if old != str(new):
                changed.setdefault(f"{_short(old)} → {_short(str(new))}", []).append(row)
        if changed:
            today.setdefault("changed", {})[name] = changed
        if alike and given.kinds[at] != back.kinds[place]:
            today.setdefault("kinds", {})[name] = [given.kinds[at], back.kinds[place]]
    found["added"] = [name for at, name in enumerate(back.names) if at not in ours]
    return {key: value for key, value in found.items() if value} | ({"today": today} if today else {})


def _rows(given: Cells, back: Cells, key: str) -> list[int | None]:
    """The row of `given` that each row of `back` is of."""
    if not key:
        return [*range(len(back.rows))]
    values = [str(row[back.names.index(key)]) for row in back.rows]
    if key not in given.names:
        return [int(value) for value in values]
    own = [row[given.names.index(key)] for row in given.rows]
    return [own.index(value) if value in own else None for value in values]


def _short(cell: str) -> str:
    return cell if len(cell) <= _LONGEST else f"{cell[:_LONGEST]}… {len(cell)}"
