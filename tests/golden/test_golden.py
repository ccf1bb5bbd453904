"""Every golden run finds what was frozen of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from .compare import differences
from .frozen import FAMILIES, expected


def marks(family: str, name: str) -> list[pytest.MarkDecorator]:
    """A command and a door warn of awkward rows; one that takes seconds is slow."""
    quiet = [] if family in ("evaluation", "asked") else [pytest.mark.filterwarnings("ignore")]
    return [*quiet, *([pytest.mark.slow] if name in getattr(FAMILIES[family], "SLOW", ()) else [])]


@pytest.mark.parametrize(("family", "name"), [
    pytest.param(family, name, marks=marks(family, name)) for family, adapter in FAMILIES.items() for name in adapter.RUNS
])  # fmt: skip
def test_a_run_finds_what_was_frozen(family: str, name: str, tmp_path: Path) -> None:
    if family == "asked":
        pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
    for library, release in (("pandas", "3"), ("polars", "2")):
        if family == "tables" and library in name:
            pytest.importorskip(
                library, release, reason="the kinds of a frame's columns are frozen as this release has them"
            )
    adapter = FAMILIES[family]
    told = adapter.differences(expected(family)[name], adapter.find(name, tmp_path))
    assert not told, "\n".join(told[:20])


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_is_frozen_that_no_run_finds(family: str) -> None:
    assert expected(family).keys() == {*FAMILIES[family].RUNS}


def test_another_seed_is_no_difference(tmp_path: Path) -> None:
    found = FAMILIES["evaluation"].find("models_differences", tmp_path, seed=77)
    assert not differences(expected("evaluation")["models_differences"], found)


@pytest.mark.parametrize(("name", "table", "column", "by"), [
    ("panel_nk2", "table", "value", 3e-9), ("example_models", "table", "low", -0.3), ("rows_set_aside", "counts", "n", 1),
])  # fmt: skip
def test_a_cell_beyond_its_tolerance_is_found(name: str, table: str, column: str, by: float) -> None:
    tables = expected("evaluation")[name]
    moved = [
        row | {column: row[column] + by} if isinstance(row.get(column), int | float) else row for row in tables[table]
    ]
    assert differences(tables, tables | {table: moved})
