"""Files that are damaged; Parquet that is not UTF-8, or written by others."""

from __future__ import annotations

import warnings
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dxmatch.errors import InputError
from dxmatch.files.tables import read_table, write_table

TEXTS = pa.array([b"flu", "Löfgren".encode(), b"caf\xe9 au lait spot"], pa.binary()).view(pa.string())


@pytest.mark.parametrize("column", [TEXTS, pa.ListArray.from_arrays([0, 1, 2, 3], TEXTS)], ids=["text", "list"])
def test_a_text_that_is_not_utf8_is_named_with_its_column(column: pa.Array, tmp_path: Path) -> None:
    pq.write_table(pa.table({"n": range(3), "dx": column}), tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"t\.parquet: the Parquet file is damaged \(column 'dx'.*UTF8"):
        read_table(tmp_path / "t.parquet")


@pytest.mark.parametrize(
    ("name", "told"), [("t.parquet", "Parquet file is damaged"), ("t.xlsx", "workbook is damaged")]
)
def test_damage_is_told(name: str, told: str, tmp_path: Path) -> None:
    """A flipped byte in a page is caught by the page's checksum, one in the footer is refused or means nothing."""
    path = write_table(pa.table({"a": [f"diagnosis {i}" for i in range(2000)]}), tmp_path / name)
    whole, expected, refused = path.read_bytes(), read_table(path).data, 0
    for at in range(10, len(whole), max(1, len(whole) // 80)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        try:
            assert read_table(path).data.equals(expected)
        except InputError as error:
            assert told in str(error)
            refused += 1
    assert refused > 40


def test_foreign_files_are_read(tmp_path: Path) -> None:
    pq.write_table(
        pa.table({"a": pa.array(["x", None], pa.string_view())}), path := tmp_path / "t.parquet"
    )  # without checksums, with views
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_table(path).data.column("a").take(pa.array([1, 0])).to_pylist() == [None, "x"]
