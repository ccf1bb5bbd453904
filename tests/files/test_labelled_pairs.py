"""Labelled pairs of several files: each with its own columns, every error with its file and row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

from dxmatch.errors import InputError
from dxmatch.files.pairs import Pairs, read_labelled
from dxmatch.files.reading import Reading


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., list[Path]]:
    def write(*texts: str) -> list[Path]:
        paths = [tmp_path / f"round-{number}.csv" for number in range(1, len(texts) + 1)]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, "utf-8")
        return paths

    return write


PLAIN = "a,b,label\ngout,flu,0\nheart attack,MI,1\n"
ANNA = "a;b;label_anna;unsure\nasthma;COPD;0;\nsepsis;flu;;anna\nTB;tuberculosis;1;\n"
PANEL = "b,label_ben,a,label_anna,label_carl\nAKI,1,acute kidney injury,1,0\n"


def labels(pairs: Pairs) -> list[tuple[str, str, int]]:
    assert pairs.label is not None
    return list(zip(pairs.a.to_pylist(), pairs.b.to_pylist(), pairs.label.tolist(), strict=True))


def test_columns_may_differ(files: Callable[..., list[Path]]) -> None:
    read, unlabelled = read_labelled(files(PLAIN, ANNA, PANEL))
    assert labels(read) == [
        ("gout", "flu", 0), ("heart attack", "MI", 1), ("asthma", "COPD", 0), ("TB", "tuberculosis", 1), ("acute kidney injury", "AKI", 1),
    ]  # fmt: skip
    assert unlabelled == 1
    assert [Path(file).name for file in read.table.sources or ()] == [f"round-{n}.csv" for n in (1, 1, 2, 2, 3)]
    assert read.row.tolist() == [2, 3, 2, 4, 2]
    assert read.ballots is not None and read.ballots.tolist() == [[-1] * 3] * 2 + [[0, -1, -1], [1, -1, -1], [1, 1, 0]]
    # What is written of these rows, such as the held-out ones, is read again as it was decided.
    assert labels(read_labelled(read.table.data)[0]) == labels(read)


@pytest.mark.parametrize("kind", [list, tuple, iter])
def test_frames_and_files_together(kind: Any, files: Callable[..., list[Path]]) -> None:
    more = {"a": ["gout"], "b": ["podagra"], "label": [True]}
    read, _ = read_labelled(kind([*files(PLAIN), pd.DataFrame(more), pl.DataFrame({**more, "a": ["gouty arthritis"]})]))
    assert [label for *_, label in labels(read)] == [0, 1, 1, 1]
    assert read.table.sources is not None and read.table.sources[2:] == ["data frame 2", "data frame 3"]


def test_a_list_of_dicts_is_one_table() -> None:
    read, _ = read_labelled([{"a": "gout", "b": "flu", "label": 0}, {"a": "TB", "b": "tuberculosis", "label": 1}])
    assert [label for *_, label in labels(read)] == [0, 1] and read.table.sources is None


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ((PLAIN, "a,b\ngout,flu\n"), "round-2.csv: the column 'label' .* is missing"),
        ((PLAIN, "a,y,label\ngout,flu,1\n"), "round-2.csv: the column 'b' .* is missing"),
        ((PLAIN, "a,b,label\ngout,flu,perhaps\n"), "round-2.csv, row 2, column 'label': a label that is not 0 or 1"),
        ((PLAIN, "a,b,label\ngout,,1\n"), "round-2.csv, row 2, column 'b': the diagnosis is blank"),
        ((PLAIN, "a,b,label\ngout,TB,\n"), "round-2.csv, row 2, column 'label': the label is blank"),
        (
            (PLAIN, ANNA, "a,b,label_ben\nFlu,Gout,1\n"),
            r"two labels \(.*round-1.csv, row 2: 0, .*round-3.csv, row 2: 1\).*on_conflict='majority'",
        ),
        (("a,b,label_x,label_y\ngout,flu,1,\n", PLAIN), "round-1.csv, row 2, column 'adjudicated': no majority"),
        (("a,b,label_x\ngout,flu,\n",), "no row has a label"),
    ],
)  # fmt: skip
def test_errors_name_file_and_row(texts: tuple[str, ...], told: str, files: Callable[..., list[Path]]) -> None:
    with pytest.raises(InputError, match=told):
        read_labelled(files(*texts))


def test_one_file_twice(files: Callable[..., list[Path]]) -> None:
    [path] = files(PLAIN)
    with pytest.raises(InputError, match=r"round-1.csv: a file is given twice"):
        read_labelled([path, path.parent / "." / path.name])


def test_rejects_say_from_which_file(files: Callable[..., list[Path]], tmp_path: Path) -> None:
    rejects = tmp_path / "rejects.csv"
    paths = files(PLAIN, ANNA + "gout;flu;1;\n", "a,b,label\n,flu,1\nTB,phthisis,1\n")
    read, unlabelled = read_labelled(paths, reading=Reading(rejects=rejects))
    assert (len(read), read.n_rejected, unlabelled) == (4, 3, 1)
    refused = pd.read_csv(rejects)
    assert [(Path(file).name, row) for file, row in zip(refused.rejected_file, refused.rejected_row, strict=True)] == [
        ("round-1.csv", 2), ("round-2.csv", 5), ("round-3.csv", 2),
    ]  # fmt: skip


def test_characters_that_nobody_sees(files: Callable[..., list[Path]]) -> None:
    [path] = files("a,b,label\u200b\nhe\u00adart attack,MI,1\ngout\u00a0attack,flu,0\n")
    with pytest.warns(UserWarning, match="characters that cannot be seen"):
        read, _ = read_labelled(path)
    assert labels(read) == [("heart attack", "MI", 1), ("gout attack", "flu", 0)]
