"""Parquet files that are damaged, hold texts that are not UTF-8, or were written by others."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dxmatch.errors import InputError
from dxmatch.files.tables import read_table, write_table

BAD = b"caf\xe9 au lait spot"


def binary_as(kind: pa.DataType, values: list[Any]) -> pa.Array:
    """Texts with bytes that are not checked, as what can hold texts."""
    if pa.types.is_list(kind):
        flat = binary_as(kind.value_type, [one for row in values for one in row])
        return pa.ListArray.from_arrays([0, *(sum(map(len, values[: i + 1])) for i in range(len(values)))], flat)
    if pa.types.is_dictionary(kind):
        return pa.DictionaryArray.from_arrays(
            pa.array(range(len(values)), kind.index_type), binary_as(kind.value_type, values)
        )
    big = pa.types.is_large_string(kind)
    return pa.array(values, pa.large_binary() if big else pa.binary()).view(kind if big else pa.string()).cast(kind)


@pytest.mark.parametrize("dictionary", [True, False])
@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string()), pa.list_(pa.string())], ids=str
)
def test_a_text_that_is_not_utf8_is_named_with_its_column(kind: pa.DataType, dictionary: bool, tmp_path: Path) -> None:
    texts: list[Any] = [b"flu", "Löfgren syndrome".encode(), BAD, b"gout", BAD]
    values = [[b"x", text] for text in texts] if pa.types.is_list(kind) else texts
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"n": range(5), "dx": binary_as(kind, values)}), path, use_dictionary=dictionary)
    with pytest.raises(InputError, match=r"t\.parquet: the Parquet file is damaged \(column 'dx'.*UTF8"):  # fmt: skip
        read_table(path)


def test_a_foreign_file_without_checksums_is_read_without_a_word(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": ["x", None]}), tmp_path / "t.parquet")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_table(tmp_path / "t.parquet").column("a") == ["x", None]


def test_damage_is_told(tmp_path: Path) -> None:
    """A flipped byte in a page is caught by the page's checksum, one in the footer is refused or means nothing."""
    path = write_table(pa.table({"a": [f"diagnosis {i}" for i in range(2000)]}), tmp_path / "t.parquet")
    whole, expected, refused = path.read_bytes(), read_table(path).data, 0
    for at in range(10, len(whole), max(1, len(whole) // 80)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        try:
            assert read_table(path).data.equals(expected)
        except InputError as error:
            assert "the Parquet file is damaged" in str(error)
            refused += 1
    assert refused > 40


def test_string_views_are_read_as_strings(tmp_path: Path) -> None:
    """Found by tests/fuzz/parquet.py: `evaluate` takes rows, which Arrow cannot of views."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": pa.array(["x", None], pa.string_view())}), path, write_page_checksum=True)
    read = read_table(path).data
    assert read.schema.field("a").type == pa.large_string()
    assert read.column("a").take(pa.array([1, 0])).to_pylist() == [None, "x"]
