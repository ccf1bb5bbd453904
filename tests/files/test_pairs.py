"""Pairs: what is read, who decides of a panel, which row cannot be right, and what is set aside."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from dxmatch.errors import InputError
from dxmatch.files.pairs import read_pairs, refused_texts
from dxmatch.files.tables import read_table
from dxmatch.files.wording import shown_threshold

from ..case_table import rows_of

CASES = rows_of(Path(__file__).parents[1] / "cases" / "pairs.csv")
"""text: a line ends in "\\n"; read: of each pair both names and its label, or what the refusal says after "refused: "."""


def pairs_file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "pairs.csv"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("case", CASES, ids=[one["why"] or one["text"] for one in CASES])
def test_pairs_with_labels(tmp_path: Path, case: dict[str, str]) -> None:
    path, read = pairs_file(tmp_path, case["text"].replace("\\n", "\n")), case["read"]
    if read.startswith("refused: "):
        with pytest.raises(InputError, match=read.removeprefix("refused: ")):
            read_pairs(path, label="label")
        return
    found = read_pairs(path, label="label")
    assert found.label is not None
    pairs = zip(found.a.to_pylist(), found.b.to_pylist(), found.label.tolist(), strict=True)
    assert [*map(list, pairs)] == json.loads(read)


def test_rejects_are_written_with_their_reason(tmp_path: Path) -> None:
    """Of the real pairs: tests/training."""
    path = pairs_file(tmp_path, "a,b,label\nx,y,1\n,y,1\nu,v,3\np,q,0\ng,h,1\nh,g,0\n")
    pairs = read_pairs(path, label="label", rejects=tmp_path / "rejects.csv")
    assert (pairs.a.to_pylist(), pairs.n_rejected) == (["x", "p"], 4)
    rejected = read_table(tmp_path / "rejects.csv")
    assert rejected.column("rejected_row") == ["3", "4", "6", "7"] and "blank" in rejected.column("rejected_because")[0]
    with pytest.raises(InputError, match=r"every row \(1\) was refused; see .*rejects.csv"):
        read_pairs(pairs_file(tmp_path, "a,b,label\n,y,1\n"), label="label", rejects=tmp_path / "rejects.csv")


FAILED = "#N/A #REF! #NAME? #DIV/0! #VALUE! #NUM! #NULL! #SPILL! #NV #BEZUG! #WERT! #ÜBERLAUF! #NOM? #¡REF! #¿NOMBRE? #N/D #ЗНАЧ! #Н/Д"


def test_which_texts_are_no_diagnosis() -> None:
    refused = [None, "", "?", "...", "x" * 10_001, "#", *FAILED.split()]
    read = ["x", "7", "ИБС", "心", "#NOF?", "# of femur!", "#1", "x" * 10_000]
    found = refused_texts(pa.array([*refused, *read], pa.large_string())).tolist()
    assert found == [True] * len(refused) + [False] * len(read)


def test_the_reference_diagnosis_and_the_row_numbers_come_with_the_pairs(tmp_path: Path) -> None:
    path = pairs_file(tmp_path, "a,b,reference\nx,y,gout\nu,v, \n,y,gout\np,q, mumps \n")
    with pytest.raises(InputError, match=r"row 3, column 'reference': the diagnosis is blank"):
        read_pairs(path, group="reference")
    pairs = read_pairs(path, group="reference", rejects=tmp_path / "rejects.csv")
    assert pairs.group is not None
    assert (pairs.group.to_pylist(), pairs.row.tolist()) == (["gout", "mumps"], [2, 5])
    with pytest.raises(InputError, match=r"the column 'group' \(the reference diagnosis\) is missing"):
        read_pairs(path, group="group")


def test_a_threshold_is_not_rounded_to_what_it_is_not() -> None:
    values = [0.25134, 0.5, 0.999999, 0.0001, 0.0, 1.0]
    assert [*map(shown_threshold, values)] == ["0.251", "0.500", "0.999999", "0.0001", "0.000", "1.000"]
