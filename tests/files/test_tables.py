"""Tables in and out: what is read of frames and Python objects, what comes back, and what is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dxmatch.errors import DxmatchError, InputError
from dxmatch.files.table import Table
from dxmatch.files.tables import read_table, write_rejects, write_table, write_tables

DATA = pa.table({"a": ["heart attack", 'say "x", y\nz', "ИБС"], "b": ["MI", None, "007"]})


def test_rows_and_files_of_a_table_put_together(tmp_path: Path) -> None:
    data = pa.table({"a": ["x", None, "y"]})
    table = Table(data, "two files", 2, rows=np.array([2, 5, 2]), sources=["one.csv", "one.csv", "two.csv"])
    with pytest.raises(InputError, match=r"^one\.csv, row 5, column 'a': the diagnosis is blank"):
        table.required_text("a")
    write_rejects(table, {2: "odd", 1: "odder"}, tmp_path / "r.csv")
    rejected = read_table(tmp_path / "r.csv").data.select(["rejected_row", "rejected_file", "rejected_because"])
    assert [*map(tuple, map(dict.values, rejected.to_pylist()))] == [("5", "one.csv", "odder"), ("2", "two.csv", "odd")]


@pytest.mark.parametrize(
    ("source", "columns"),
    [
        ([{"a": "x", "b": 1}, {"a": "y"}], {"a": ["x", "y"], "b": [1, None]}),
        ({"a": ("x", "y"), "b": np.array([1, 2])}, {"a": ["x", "y"], "b": [1, 2]}),
        ({"a": pd.Series(["x", None]), "b": [["y"], []]}, {"a": ["x", None], "b": [["y"], []]}),
        ({"a": [["x"], 1.5, None], 1: [float("nan"), True, "y"]}, {"a": ['["x"]', "1.5", None], "1": [None, "true", "y"]}),
    ],
)  # fmt: skip
def test_lists_of_dicts_and_dicts_of_columns(source: object, columns: dict[str, list[object]]) -> None:
    table = read_table(source)
    assert table.data.to_pydict() == columns and table.row_number(1) == 1
    assert isinstance(table.native(table.data), pa.Table)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([], r"records: the table has no rows"),
        (pd.DataFrame([["x", "y"]], columns=["a", "a"]), r"data frame: two columns of one name"),
        (pa.table({"a": [None, 3]}), r"data frame, row 1, column 'a': a value that is not text.*Got: 3"),
    ],
)
def test_what_is_no_table(source: object, message: str) -> None:
    """Beside what tests/cases/refused.csv holds."""
    with pytest.raises(InputError, match=message):
        read_table(source).text("a")


def test_nothing_half_written(tmp_path: Path) -> None:
    target = tmp_path / "t.csv"
    target.write_text("kept")
    with pytest.raises(Exception, match="list"):
        write_table(pa.table({"a": [[1]]}), target)  # CSV cannot hold a list
    assert target.read_text() == "kept" and [p.name for p in tmp_path.iterdir()] == ["t.csv"]
    with pytest.raises(DxmatchError, match="folder"):
        write_table(DATA, tmp_path / "absent" / "t.csv")


@pytest.mark.parametrize("made", [pa.array, lambda texts: pa.array(texts).dictionary_encode()])
def test_no_text_runs_as_a_formula(made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs, safe = ["=1+1", "-1+1", "@SUM(A1)", "\tx", "\rx", "-ve culture"], ["a=b", "'=1", "-1.5", "+3e-4", "(=1)"]
    column = made([*runs, *safe])
    monkeypatch.setenv("DXMATCH_SPREADSHEET", "1")
    for options, mark in (({}, "'"), ({"spreadsheet": False}, "")):
        table = read_table(write_table(pa.table({"=h": column}), tmp_path / "t.csv", **options))
        assert (table.names, table.column(table.names[0])) == ([f"{mark}=h"], [f"{mark}{text}" for text in runs] + safe)


TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=6))
@example([("\x07", "_x0041_"), ("a\r\nb", "\r"), ("=1", '"'), (",", "\ufeff")])
@settings(max_examples=60, deadline=None)
def test_any_text_comes_back(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]) -> None:
    """What is written, whole or in pieces, is read, whatever it holds; blank texts are null, and rows of nothing else are left out."""
    data = pa.table({"a": [a for a, _ in rows], "b": [b for _, b in rows]})
    folder = tmp_path_factory.mktemp("t")
    for suffix in (".csv", ".tsv", ".xlsx", ".jsonl", ".parquet"):
        blank = {".xlsx": str.strip, ".jsonl": lambda text: True, ".parquet": lambda text: True}.get(suffix, bool)
        expected = [tuple(text if blank(text) else None for text in row) for row in rows if any(map(blank, row))]
        write_tables([data.slice(0, 1), data.slice(1, 0), data.slice(1)], folder / f"t{suffix}")
        assert [*folder.iterdir()] == [folder / f"t{suffix}"], "a temporary file is left"
        if expected:
            back = read_table(folder / f"t{suffix}")
            assert list(zip(back.column("a"), back.column("b"), strict=True)) == expected, suffix
        (folder / f"t{suffix}").unlink()
