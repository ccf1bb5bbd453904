"""One table of awkward rows in every form, through every door: what was there comes back, or what happens today is as frozen.

`DXMATCH_FREEZE=1 pytest -n 0 tests/golden/tables` writes what is expected.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dxmatch

from ..commands import adapter
from .containers import FORMS, MIXED, Cells, made, taken_apart, variant

EXPECTED = Path(__file__).with_name("expected.json")
VARIANTS = {"plain": FORMS, "mixed": MIXED, "index": FORMS, "doubled": FORMS[:-1], "within": FORMS}
"""A polars frame has no two columns of one name."""
WRITTEN = [*((form, "score") for form in ("csv", "xlsx", "jsonl", "parquet")), ("tsv", "dedupe")]
"""By the command line, from file to file of one form."""
_LONGEST = 60


@pytest.fixture(scope="module")
def m() -> Any:
    return dxmatch.load()


def outcome(table: Any, given: Cells, came: adapter.Came | str) -> dict[str, Any]:
    """The container, its rows and new columns; under "today" what is not as it went in, or what a refusal names. Rows count from 0."""
    if isinstance(came, str):
        return {"today": {"refused": adapter.named(came)}}
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


Run = tuple[str, str, str]
RUNS: list[Run] = [(kind, form, door) for kind, forms in VARIANTS.items() for form in forms for door in adapter.DOORS if door != "rank" or form in FORMS[5:]]  # fmt: skip
RUNS += [("written", form, door) for form, door in WRITTEN]


def found(run: Run, folder: Path, command: Callable[..., Any], m: Any) -> dict[str, Any]:
    kind, form, door = run
    table = made(form, *variant(kind), folder)
    given = taken_apart(table)
    return outcome(table, given, adapter.through(door, table, m, command if kind == "written" else None))


@pytest.mark.parametrize("kind", [*VARIANTS, "written"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_was_there_comes_back(kind: str, tmp_path: Path, command: Callable[..., Any], m: Any) -> None:
    runs = {" ".join(run): found(run, tmp_path, command, m) for run in RUNS if run[0] == kind}
    if os.environ.get("DXMATCH_FREEZE"):
        frozen = json.loads(EXPECTED.read_text("utf-8")) if EXPECTED.exists() else {}
        lines = (f"{json.dumps(name)}: {json.dumps(one, ensure_ascii=False)}" for name, one in (frozen | runs).items())
        EXPECTED.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    expected = json.loads(EXPECTED.read_text("utf-8"))
    assert runs == {name: one for name, one in expected.items() if name.startswith(f"{kind} ")}
