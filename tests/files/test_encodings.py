from __future__ import annotations

from pathlib import Path

import pytest

from dxmatch.errors import InputError, OptionError
from dxmatch.files.tables import read_table

FRENCH, CHINESE, RUSSIAN = "maladie de Ménière", "急性胰腺炎", "инфаркт миокарда"


def write(folder: Path, words: str, encoding: str, name: str = "t.csv") -> Path:
    text = '{"a": "x"}\n{"a": "%s"}\n' if name.endswith("jsonl") else "a,b\n\nx,%s\n"
    (folder / name).write_bytes((text % words).encode(encoding))
    return folder / name


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
@pytest.mark.parametrize(
    ("words", "written", "told"),
    [
        (FRENCH, "cp1252", "cp1252"),
        (FRENCH, "latin-1", "ISO-8859-1"),
        (FRENCH, "mac_roman", "mac_roman"),
        (FRENCH, "utf-8", None),
        (FRENCH, "utf-8-sig", None),
        (FRENCH, "utf-8", "cp1252"),
        (FRENCH, "utf-8-sig", "cp1252"),
        (FRENCH, "utf-16", None),
        (FRENCH, "utf-16", "cp1252"),
        (FRENCH, "utf-16-le", "utf-16-le"),
        (CHINESE, "gb18030", "gb18030"),
        (CHINESE, "iso2022_jp_2", "iso2022_jp_2"),
        (RUSSIAN, "cp1251", "cp1251"),
        (RUSSIAN, "utf-32", None),
    ],
)
def test_read_as_written(tmp_path: Path, name: str, words: str, written: str, told: str | None) -> None:
    """A file that says itself that it is UTF-8 or UTF-16 is read as that, whatever is told."""
    table = read_table(write(tmp_path, words, written, name), told)
    assert table.data.column(-1).to_pylist()[-1] == words
    assert table.row_number(len(table) - 1) == (2 if name == "t.jsonl" else 3)


@pytest.mark.parametrize(
    ("words", "written", "told", "message"),
    [
        (FRENCH, "cp1252", None, r"row 3: text that is not UTF-8; in cp1252 it reads 'maladie de Ménière'.*Or: encoding='cp1252' reads the file"),
        (CHINESE, "gb18030", None, r"in gb18030 it reads '急性胰腺炎'"),
        (RUSSIAN, "cp1251", None, r"in cp1251 it reads 'инфаркт миокарда'"),
        (FRENCH, "utf-16-le", None, r"not text.*Or: encoding='utf-16-le'"),
        (FRENCH, "utf-16-be", None, r"not text.*Or: encoding='utf-16-be'"),
        (FRENCH, "cp1252", "ascii", r"row 3: text that is not ascii; in cp1252"),
        (FRENCH, "mac_roman", "gb2312", r"row 3: text that is not gb2312"),
    ],
)  # fmt: skip
def test_a_hint_that_reads(tmp_path: Path, words: str, written: str, told: str | None, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_table(write(tmp_path, words, written), told)
    if caught.value.remedy is not None and "cp1252" not in str(caught.value):
        assert read_table(tmp_path / "t.csv", **caught.value.remedy.options).column("b") == [words]


@pytest.mark.parametrize("name", ["klingon", "base64", "", 7])
def test_an_encoding_that_is_none(tmp_path: Path, name: str) -> None:
    with pytest.raises(OptionError, match=r"'encoding' parameter must be the name of a text encoding, as cp1252"):
        read_table(write(tmp_path, "y", "utf-8"), name)


def test_the_row_is_that_of_a_spreadsheet_with_semicolons_and_line_breaks(tmp_path: Path) -> None:
    path = tmp_path / "lists.csv"
    path.write_bytes(
        'sep=;\r\nFall;Antwort\r\n1;"1. a\n2. b, c"\r\n2;"1. a\n2. b"\r\n3;M\u00e9ni\u00e8re\r\n'.encode("cp1252")
    )
    with pytest.raises(InputError, match="row 4: text that is not UTF-8"):
        read_table(path)
