"""Parquet files that are damaged, hold texts that are not UTF-8, or have no checksums."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dxmatch.errors import InputError, ReadingWarning
from dxmatch.files.parquet_file import read_parquet
from dxmatch.files.parquet_footer import has_page_checksums, read_footer
from dxmatch.files.tables import read_table

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
def test_a_text_that_is_not_utf8_is_named_with_its_row(kind: pa.DataType, dictionary: bool, tmp_path: Path) -> None:
    texts: list[Any] = [b"flu", "Löfgren syndrome".encode(), BAD, b"gout", BAD]
    values = [[b"x", text] for text in texts] if pa.types.is_list(kind) else texts
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"n": range(5), "dx": binary_as(kind, values)}), path, use_dictionary=dictionary)
    with pytest.raises(InputError, match=r"t\.parquet, row 3, column 'dx': a text that is not UTF-8\. .*Got: b'caf\\xe9"):  # fmt: skip
        read_table(path)


def test_a_category_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"n": [1], "dx": binary_as(pa.dictionary(pa.int8(), pa.string()), [BAD])}), path)
    with pytest.raises(InputError, match=r"t\.parquet, column 'dx': a text that is not UTF-8"):
        read_table(path)


def test_no_wrong_length_in_a_footer_ends_the_process(tmp_path: Path) -> None:
    """pyarrow 26 aborts where a histogram of levels has another length than the levels allow."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": ["x", None], "b": [["y"], []]}), path, write_page_checksum=True)
    content, refused = path.read_bytes(), 0
    begin = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    lists = [at for at in range(begin, len(content) - 8) if content[at] & 15 == 6 and content[at] >> 4]
    assert len(lists) > 5
    for at in lists:
        for count in {1, 2, 3, 4} - {content[at] >> 4}:
            path.write_bytes(content[:at] + bytes([count << 4 | 6]) + content[at + 1 :])
            try:
                read_parquet(path)
            except InputError as error:
                assert "the Parquet file is damaged" in str(error)
                refused += 1
    assert refused


@pytest.mark.parametrize("number", range(0, 300, 40))
def test_a_footer_that_is_cut_or_endless(number: int, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": ["x"]}), path)
    content = path.read_bytes()
    begin = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    for bad in (content[begin : begin + number], b"\xff" * 5000, b"\x1c" * 5000, b"\x19\xfc" + b"\xff" * 9 + b"\x01"):
        path.write_bytes(b"PAR1" + bad + len(bad).to_bytes(4, "little") + b"PAR1")
        with pytest.raises(ValueError, match="its footer cannot be read"):
            read_footer(path)
        with pytest.raises(InputError, match="the Parquet file is damaged"):
            read_parquet(path)


@pytest.mark.parametrize(
    "options", [{}, {"use_dictionary": False}, {"data_page_version": "2.0"}, {"write_statistics": False}, {"row_group_size": 2}]
)  # fmt: skip
def test_the_footer_is_read_as_pyarrow_reads_it(options: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": ["x", None, "y"], "b": [[{"c": 1}], [], None]}), path, **options)
    metadata, groups = pq.read_metadata(path), read_footer(path).groups
    assert len(groups) == metadata.num_row_groups
    for number, group in enumerate(groups):
        theirs = metadata.row_group(number)
        assert group.rows == theirs.num_rows
        for index, ours in enumerate(group.columns):
            column = theirs.column(index)
            page = column.dictionary_page_offset if column.has_dictionary_page else column.data_page_offset
            assert (ours.path, ours.values, ours.bytes, ours.page, ours.has_dictionary) == (
                column.path_in_schema, column.num_values, column.total_uncompressed_size, page, column.has_dictionary_page,
            )  # fmt: skip


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [True, False])
@pytest.mark.parametrize("checksums", [True, False])
def test_missing_checksums_are_said(version: str, dictionary: bool, checksums: bool, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table = pa.table({"a": ["x" * 300, "y"], "b": [1, 2]})
    pq.write_table(table, path, write_page_checksum=checksums, data_page_version=version, use_dictionary=dictionary)
    assert has_page_checksums(path, read_footer(path)) == checksums
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        read_table(path)
    assert [w.category for w in said] == [] if checksums else [ReadingWarning]
    assert checksums or "write_page_checksum=True" in str(said[0].message)


def test_missing_checksums_are_said_once_for_all_files(tmp_path: Path) -> None:
    import subprocess
    import sys

    for name in "xyz":
        pq.write_table(pa.table({"a": [name]}), tmp_path / f"{name}.parquet")
    code = "import sys\nfrom dxmatch.files.tables import read_table\nfor one in sys.argv[1:]: read_table(one)"
    root = str(Path(__file__).resolve().parents[3])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, "-c", code, *sorted(tmp_path.iterdir())], capture_output=True, text=True, env=environment)  # fmt: skip
    assert (done.returncode, done.stderr.count("no checksums")) == (0, 1), done.stderr


def test_string_views_are_read_as_strings(tmp_path: Path) -> None:
    """Found by tests/fuzz/parquet.py: `evaluate` takes rows, which Arrow cannot of views."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": pa.array(["x", None], pa.string_view())}), path, write_page_checksum=True)
    read = read_table(path).data
    assert read.schema.field("a").type == pa.large_string()
    assert read.column("a").take(pa.array([1, 0])).to_pylist() == [None, "x"]
