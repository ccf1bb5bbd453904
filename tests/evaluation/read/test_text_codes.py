"""A table of codes: {diagnosis: code}, records or a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from dxmatch.errors import InputError
from dxmatch.evaluation.match.text_codes import read_codes


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


def test_names_that_differ_only_in_capitals() -> None:
    """Each has its own code; a third spelling is not guessed between them."""
    table = read_codes({"AML": "C92.0", "aml": "D30.0", "flu": "J11", "Flu": "J11"})
    assert [table.cell(text) for text in ("AML", "aml", "Aml", "FLU")] == ["C92.0", "D30.0", None, "J11"]
