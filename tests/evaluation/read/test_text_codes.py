"""A table of codes: {diagnosis: code}, records or a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from dxmatch.errors import InputError
from dxmatch.evaluation.match.codes import read_codes


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("diagnosis,icd10\nTB,A15\nTB,A16\n", "row 3, column 'icd10'.*'TB'.*row 2"),
        ("diagnosis,code\nTB,A15\n", "the column 'icd10'"),
        ("name,icd10\nTB,A15\n", "the column 'diagnosis'"),
        ("diagnosis,icd10\nTB,A15\n,A16\n", "row 3"),
    ],
)
def test_a_table_that_cannot_be_right(tmp_path: Path, table: str, told: str) -> None:
    path = tmp_path / "codes.csv"
    path.write_text(table, "utf-8")
    with pytest.raises(InputError, match=told):
        read_codes(path)


def test_capitals_and_blanks_make_no_difference() -> None:
    _, cells = read_codes({"flu": "J11", "Flu": "J11", "lung  spots": "R91.8"})
    assert {text: codes for text, (codes, _) in cells.items()} == {"flu": "J11", "lung spots": "R91.8"}
    with pytest.raises(InputError, match="'aml' has other codes"):
        read_codes({"AML": "C92.0", "aml": "D30.0"})
