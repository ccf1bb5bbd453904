"""Every reader beside the reader of the standard library, or openpyxl, and what each refuses or tells."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import strategies as st

import dxmatch
from dxmatch.errors import InputError
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.files.pairs import read_pairs
from dxmatch.files.tables import check_apart, read_table

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.fuzz.tables import difference, mutant

CELLS = st.text(st.sampled_from('ab",;\t\n\r é\u2028\u00a0'), max_size=6)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", range(0, 1000, 100))
def test_damaged_tables_are_read_as_their_reference_readers_do(tmp_path: Path, first: int) -> None:
    """Without the models, which `make fuzz` asks, too."""
    wrong = {seed: difference(mutant(seed), tmp_path, through=False) for seed in range(first, first + 100)}
    assert {seed: said for seed, said in wrong.items() if said} == {}


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.fixture
def models(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    folder.mkdir()
    case = '{"case_id": "c%d", "diagnosis": ["flu"]}\n'
    written(folder, "gpt.jsonl", case % 1 + '{"case_id": "c2", \n' + case % 3)
    written(folder, "llama.jsonl", "".join(case % i for i in (1, 2, 3)))
    written(folder, "empty.jsonl", "")
    return folder


def test_a_broken_line_is_set_aside_and_an_empty_file_is_none(models: Path, tmp_path: Path) -> None:
    for reading in (dxmatch.Reading(), dxmatch.Reading(rejects=tmp_path / "rejects.csv")):
        with pytest.raises(InputError, match="empty.jsonl: the file is empty"):
            read_lists(models, reading=reading)
    (models / "empty.jsonl").unlink()
    lists = read_lists(models, reading=dxmatch.Reading(rejects=tmp_path / "rejects.csv"))
    assert sorted(lists.raters) == ["gpt", "llama"] and sorted(lists.cases) == ["c1", "c2", "c3"]
    assert lists.origin.rejected.rows == 1
    assert any("set aside: 1 line; the first is" in text for text in lists.origin.warnings)
    rejected = read_table(tmp_path / "rejects.csv").data.to_pylist()
    assert [(row["rejected_row"], Path(row["rejected_file"]).name) for row in rejected] == [("2", "gpt.jsonl")]  # fmt: skip


def test_an_output_that_would_replace_what_is_there(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", "a,b\nx,\nx,y\n")
    with pytest.raises(InputError, match="the output is the input"):
        read_pairs(path, rejects=path)
    with pytest.raises(InputError, match="one file for two outputs"):
        check_apart([path, None, tmp_path / "." / "t.csv"])
    assert path.read_text() == "a,b\nx,\nx,y\n"
