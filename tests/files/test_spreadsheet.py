"""No cell and no name of a column runs as a formula."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

import openpyxl
import pyarrow as pa
import pytest

from dxmatch.files.spreadsheet import without_formulas
from dxmatch.files.tables import write_table, write_tables

RUNS = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\tx", "\rx", "-ve culture", "-", "++"]
SAFE = ["gout", "", "a=b", "'=1", "-1.5", "+3e-4", "é=1", "(=1)", "1-2", "٣"]


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
)
def test_every_kind_of_text(kind: pa.DataType) -> None:
    column = (
        pa.array([*RUNS, *SAFE, None]).cast(kind)
        if not pa.types.is_dictionary(kind)
        else pa.array([*RUNS, *SAFE, None]).dictionary_encode()
    )
    marked = without_formulas(pa.table({"x": column})).column("x").to_pylist()
    assert marked == [f"'{text}" for text in RUNS] + SAFE + [None]


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
@pytest.mark.parametrize("way", ["parameter", "variable"])
def test_a_text_file(suffix: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if way == "variable":
        monkeypatch.setenv("DXMATCH_SPREADSHEET", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = write_tables(
            iter([pa.table({"=h": ["=1"]}), pa.table({"=h": ["gout"]})]),
            tmp_path / f"t{suffix}",
            spreadsheet=True if way == "parameter" else None,
        )
    with path.open(newline="") as handle:
        assert list(csv.reader(handle)) == [["'=h"], ["'=1"], ["gout"]]


def test_what_is_not_marked_is_told_once(tmp_path: Path) -> None:
    two = [pa.table({"=h": ["=1", "gout"], "n": [1, -2]}), pa.table({"=h": ["@x", None], "n": [1, 2]})]
    with pytest.warns(UserWarning, match=r"t\.csv: 2 cells begin like a formula .* the option 'spreadsheet'") as told:
        write_tables(two, tmp_path / "t.csv")
    assert len(told) == 1 and (tmp_path / "t.csv").read_text().startswith('"=h"')


@pytest.mark.parametrize(
    ("suffix", "spreadsheet"), [(".jsonl", None), (".parquet", None), (".xlsx", None), (".csv", False)]
)
def test_nothing_is_told_where_nothing_would_run(suffix: str, spreadsheet: bool | None, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        write_table(pa.table({"=h": ["=1"]}), tmp_path / f"t{suffix}", spreadsheet=spreadsheet)


def test_a_workbook_holds_texts(tmp_path: Path) -> None:
    texts = [text for text in RUNS if "\x00" not in text]
    write_table(pa.table({"=1+1": texts}), tmp_path / "t.xlsx")
    cells = [row[0] for row in openpyxl.load_workbook(tmp_path / "t.xlsx").active.iter_rows()]
    assert {cell.data_type for cell in cells} == {"s"} and [cell.value for cell in cells][:2] == ["=1+1", "=1+1"]
