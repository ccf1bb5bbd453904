"""What is read of a text file, with the numbers of its rows, and what is refused: `tests/cases/files.csv`, a case a line."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from dxmatch.errors import InputError
from dxmatch.files.tables import read_table

from ..case_table import rows_of

CASES = rows_of(Path(__file__).parents[1] / "cases" / "files.csv")


@pytest.mark.parametrize("case", CASES, ids=[f"{one['file']}-{one['encoding']}-{one['content'][:40]}" for one in CASES])
def test_a_file(case: dict[str, str], tmp_path: Path) -> None:
    """written : the encoding of the file. encoding : what is told of it."""
    content = case["content"].encode("latin-1", "backslashreplace").decode("unicode_escape").encode(case["written"])
    path = tmp_path / case["file"]
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    try:
        table = read_table(path, case["encoding"] or None)
    except InputError as error:
        assert case["error"] and re.search(case["error"], str(error)), error
    else:
        assert [list(row.values()) for row in table.data.to_pylist()] == json.loads(case["rows"])
        assert table.row_numbers().tolist() == json.loads(case["numbers"])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "a" * 140_000 + ',b\nx,"y""', "row 1: a quote that is not closed.*field limit"),
        ("t.csv", 'a,b\nx,say "' + "y" * 140_000, "row 2: a quote that is not closed.*field limit"),
        ("t.jsonl", '{"a": ' + "[" * 100_000, "row 1: a line that is not JSON"),
        ("t.csv.gz", "\x1f\x8b", "could not be read"),
    ],
)
def test_what_is_too_long_or_damaged(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content, "latin-1")
    with pytest.raises(InputError, match=message):
        read_table(tmp_path / name)
