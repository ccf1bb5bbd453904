"""Pairs: what is read, who decides of a panel, which row cannot be right, and what is set aside."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from dxmatch.errors import InputError
from dxmatch.files.pairs import read_pairs, refused_texts
from dxmatch.files.tables import read_table
from dxmatch.files.wording import shown_threshold


def csv(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "pairs.csv"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,c,label\nx,y,1\n", r"the column 'b' \(a diagnosis\) is missing"),
        ("a,b,label\nx,?,1\nu,?,0\n", r"row 2, column 'b': a diagnosis without a letter or digit.*Got: '\?'"),
        ("a,b,label\n?,,1\n", r"row 2, column 'a': a diagnosis without a letter or digit"),
        ("a,b,lable\nx,y,1\n", r"the column 'label' \(0 or 1\) is missing; did you mean 'lable'"),
        ("a,b,label\nx,y,1\n,y,1\n", r"pairs\.csv, row 3, column 'a': the diagnosis is blank"),
        ("a,b,label\nx,y,2\n", r"row 2, column 'label': a label that is not 0 or 1.*yes or no.*Got: '2'"),
        ("a,b,label\nx,y,\n", r"row 2, column 'label': the label is blank"),
        ("a,b,label\nx,y,1\nu,v,0\nY,X,0\n", r"row 2, column 'a': the pair 'x', 'y' has two labels \(row 2: 1, row 4: 0\)"),
        (f"a,b,label\nx,{'y' * 1_000_000},1\n", r"row 2, column 'b': a diagnosis of 1,000,000 characters. Allowed: at most 10,000"),
        ("a,b,label_x,label_y,label_z\nd,e,1,0,\n", r"row 2, column 'adjudicated': no majority among 3 experts"),
    ],
)  # fmt: skip
def test_rows_that_cannot_be_right(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_pairs(csv(tmp_path, text), label="label")
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("a,b,label\nx,y,1\nu,v,no\np,q,included\nr,s,Nein\n", [1, 0, 1, 0]),
        # three experts: two votes decide; one vote and two blanks do not, nor does a tie; then `adjudicated` does
        ("a,b,label_x,label_y,label_z,adjudicated\nd1,e,1,1,0,\nd2,e,0,,0,\nd3,e,1,,,0\nd4,e,1,0,,1\n", [1, 0, 0, 1]),
        # a file that answers are appended to: the last word on a pair stands, in either order
        ("a,b,label_x,labelled_at\nd1,e,1,t\nd2,e,0,t\nE,D1,0,t\n", [0, 0]),
    ],
)
def test_labels(tmp_path: Path, text: str, labels: list[int]) -> None:
    found = read_pairs(csv(tmp_path, text), label="label").label
    assert found is not None and sorted(found.tolist()) == sorted(labels)


def test_rejects_are_written_with_their_reason(tmp_path: Path) -> None:
    path = csv(tmp_path, "a,b,label\nx,y,1\n,y,1\nu,v,3\np,q,0\n")
    pairs = read_pairs(path, label="label", rejects=tmp_path / "rejects.csv")
    assert (pairs.a.to_pylist(), pairs.n_rejected) == (["x", "p"], 2)
    rejected = read_table(tmp_path / "rejects.csv")
    assert rejected.column("rejected_row") == ["3", "4"] and "blank" in rejected.column("rejected_because")[0]
    with pytest.raises(InputError, match=r"every row \(1\) was refused; see .*rejects.csv"):
        read_pairs(csv(tmp_path, "a,b,label\n,y,1\n"), label="label", rejects=tmp_path / "rejects.csv")


def test_tuples() -> None:
    assert read_pairs([("x", "y")]).b.to_pylist() == ["y"]
    with pytest.raises(InputError, match="pairs, row 1: not a pair"):
        read_pairs([("x", "y"), ("x",)])
    with pytest.raises(InputError, match="no pairs"):
        read_pairs([])


def test_real_pairs(shared_data: Path, tmp_path: Path) -> None:
    """The same pair stands there in both orders with two labels: told, or set aside."""
    source = shared_data / "craft_md_pairs.csv"
    with pytest.raises(InputError, match="has two labels"):
        read_pairs(source, a="expert", b="algorithm", label="label")
    pairs = read_pairs(source, a="expert", b="algorithm", label="label", rejects=tmp_path / "r.csv")
    assert (len(pairs) + pairs.n_rejected, pairs.n_rejected) == (21_199, 12)


FAILED = "#N/A #REF! #NAME? #DIV/0! #VALUE! #NUM! #NULL! #SPILL! #NV #BEZUG! #WERT! #ÜBERLAUF! #NOM? #¡REF! #¿NOMBRE? #N/D #ЗНАЧ! #Н/Д"


def test_which_texts_are_no_diagnosis() -> None:
    refused = [None, "", "?", "...", "x" * 10_001, "#", *FAILED.split()]
    read = ["x", "7", "ИБС", "心", "#NOF?", "# of femur!", "#1", "x" * 10_000]
    assert refused_texts(pa.array([*refused, *read], pa.large_string())).tolist() == [True] * len(refused) + [
        False
    ] * len(read)


def test_the_reference_diagnosis_and_the_row_numbers_come_with_the_pairs(tmp_path: Path) -> None:
    path = csv(tmp_path, "a,b,reference\nx,y,gout\nu,v, \n,y,gout\np,q, mumps \n")
    with pytest.raises(InputError, match=r"row 3, column 'reference': the diagnosis is blank"):
        read_pairs(path, group="reference")
    pairs = read_pairs(path, group="reference", rejects=tmp_path / "rejects.csv")
    assert pairs.group is not None
    assert (pairs.group.to_pylist(), pairs.row.tolist()) == (["gout", "mumps"], [2, 5])
    with pytest.raises(InputError, match=r"the column 'group' \(the reference diagnosis\) is missing"):
        read_pairs(path, group="group")


def test_a_threshold_is_not_rounded_to_what_it_is_not() -> None:
    for value, said in (
        (0.25134, "0.251"),
        (0.5, "0.500"),
        (0.999999, "0.999999"),
        (0.0001, "0.0001"),
        (0.0, "0.000"),
        (1.0, "1.000"),
    ):
        assert shown_threshold(value) == said
