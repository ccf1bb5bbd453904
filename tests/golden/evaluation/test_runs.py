"""Every golden run of evaluation finds what was frozen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..compare import Row, Table, differences, read
from .adapter import find

HERE = Path(__file__).parent
RUNS = sorted(path.stem for path in (HERE / "runs").glob("*.json"))


def told(name: str, folder: Path, seed: int = 0) -> list[str]:
    run = json.loads((HERE / "runs" / f"{name}.json").read_text("utf-8"))
    return differences(read(HERE / "expected" / f"{name}.json"), find(run, folder, seed))


@pytest.mark.parametrize("name", RUNS)
def test_a_run_finds_what_was_frozen(name: str, tmp_path: Path) -> None:
    found = told(name, tmp_path)
    assert not found, "\n".join(found[:20])


def test_another_seed_is_no_difference(tmp_path: Path) -> None:
    assert not told("models_differences", tmp_path, seed=77)


@pytest.mark.parametrize(("name", "table", "column", "by"), [
    ("panel_nk2", "values", "value", 3e-9), ("example_models", "values", "low", -0.3), ("rows_set_aside", "counts", "n", 1),
])  # fmt: skip
def test_a_cell_beyond_its_tolerance_is_found(name: str, table: str, column: str, by: float) -> None:
    expected = read(HERE / "expected" / f"{name}.json")

    def changed(row: Row) -> Row:
        return row | {column: row[column] + by} if isinstance(row.get(column), int | float) else row

    found = expected[table]
    assert differences(expected, expected | {table: Table(found.key, [changed(row) for row in found.rows])})
