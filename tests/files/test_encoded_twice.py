"""Text that was encoded twice is told, with what was meant; letters with accents, other scripts and quotes are not."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

import pytest

from dxmatch.errors import ReadingWarning
from dxmatch.files.encoded_twice import read_as_meant
from dxmatch.files.tables import read_table

MEANT = [
    "Ménière's disease",
    "Sjögren’s syndrome",
    "10 °C",
    "болезнь",
    "Behçet – oral",
    "肺炎",
    "Guillain–Barré",
    "Möbius “plus”",
]


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
@pytest.mark.parametrize("meant", MEANT)
def test_twice_encoded_text_is_read_as_meant(meant: str, encoding: str) -> None:
    raw = meant.encode("utf-8")
    twice = "".join(chr(b) if encoding == "latin-1" else bytes([b]).decode("cp1252", "ignore") or chr(b) for b in raw)
    assert twice != meant
    assert read_as_meant(twice) == meant


@pytest.mark.parametrize("text", [*MEANT, "SÃO PAULO", "café”…", "ÀÉÎ", "Ñandú", "à «b»", "gout"])
def test_sound_text_stays(text: str) -> None:
    assert read_as_meant(text) == text


def test_a_table_tells_it_and_keeps_the_cell(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text("a,b\nMÃ©niÃ¨re,gout\nSjögren,gout\n", "utf-8")
    with pytest.warns(ReadingWarning, match=r"1 text in 'a' looks as if encoded twice: 'MÃ©niÃ¨re' for 'Ménière'"):
        table = read_table(file)
    assert table.data["a"].to_pylist() == ["MÃ©niÃ¨re", "Sjögren"]


def test_real_names_are_not_called_so(shared_data: Path) -> None:
    with (shared_data / "disease_names.csv").open(encoding="utf-8") as handle:
        assert [name for row in csv.DictReader(handle) if read_as_meant(name := row["name"]) != name] == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_table(shared_data / "orphadata_synonyms.csv")
