"""Labels of several experts from the console, each in a file of their own: brought together, and their agreement."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dxmatch.errors import InputError, OptionError
from dxmatch.files.tables import read_table
from dxmatch.labelling.read_back import read_labels
from dxmatch.labelling.suggestion import Suggestion


def labelled(path: Path, **columns: Any) -> Path:
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """anna 1 1 0 1, ben 1 0 unsure -; the second of ben's is turned and in another case."""
    return [
        labelled(
            tmp_path / "anna.csv", a=["gout", "MI", "flu", "UTI"], b=["gouty arthritis", "heart attack", "asthma", "cystitis"],
            label_anna=[1, 1, 0, 1],
        ),
        labelled(
            tmp_path / "ben.csv", a=["gout", "Heart attack", "flu"], b=["gouty arthritis", "mi", "asthma"],
            label_ben=[1, 0, None], unsure=[None, None, "ben"],
        ),
    ]  # fmt: skip


def test_files_of_several_experts(files: list[Path], tmp_path: Path, command: Any) -> None:
    done = command("labels", *files, "-o", tmp_path / "both.csv", "--open", tmp_path / "ties.csv")
    assert done.code == 0 and not done.err
    assert "anna  4 of 4 answered" in done.out and "ben   2 of 4 answered, 1 unsure, 1 blank." in done.out
    # of two pairs with two votes one is unanimous; 2 experts' N = 4, N1 = 3: alpha = 1 - (2 / 4) / (2 * 3 * 1 / (4 * 3)) = 0
    assert "unanimous on 50 % of 2 pairs, Krippendorff's alpha 0.00." in done.out
    assert "1 pair decided, 1 of them matches." in done.out and "3 without a majority: they need" in done.out
    both = read_table(tmp_path / "both.csv")
    assert both.names == ["id", "a", "b", "label_anna", "label_ben", "adjudicated"]
    assert both.column("label_anna") == ["1", "1", "0", "1"] and both.column("label_ben") == ["1", "0", None, None]
    assert sorted(read_table(tmp_path / "ties.csv").column("id")) == ["2", "3", "4"]


def test_a_suggestion_that_was_labelled_in_the_console(
    suggestion: Suggestion, folder: Path, tmp_path: Path, command: Any
) -> None:
    first, *others = experts = Suggestion.read(folder).experts
    pairs = suggestion.key.select(["b", "a"]).to_pylist()
    for number, expert in enumerate(experts):
        labelled(
            tmp_path / f"{expert}.csv", a=[p["b"] for p in pairs], b=[p["a"] for p in pairs],
            **{f"label_{expert}": [int(row < 2 or number == 0) for row in range(len(pairs))]},
        )  # fmt: skip
    nothing = command("labels", folder, "-o", tmp_path / "none.csv")
    assert f"dxmatch labels {folder} FILE -o" in nothing.out
    done = command(
        "labels", folder, *(tmp_path / f"{each}.csv" for each in (first, *others)), "-o", tmp_path / "out.csv"
    )
    assert (
        done.code == 0
        and f"{len(pairs)} of {len(pairs)} answered" in done.out
        and "labels " + str(folder) not in done.out
    )
    assert read_table(tmp_path / "out.csv").column(f"label_{first}") == ["1"] * len(pairs)
    stranger = labelled(tmp_path / "zoe.csv", a=["x"], b=["y"], label_zoe=[1])
    with pytest.raises(OptionError, match="zoe"):
        read_labels(folder, console=[stranger])
    other = labelled(tmp_path / "other.csv", a=["x"], b=["y"], **{f"label_{first}": [1]})
    with pytest.warns(UserWarning, match="1 pair labelled in the console is not of the suggestion, and is left out"):
        found = read_labels(folder, console=[other])
    assert found.answered[first].blank == len(pairs)


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"a": ["x"], "b": ["y"]}, "no expert's labels"),
        ({"a": ["x"], "b": ["y"], "label_zoe": [2]}, "row 2, column 'label_zoe': a label that is not 0 or 1"),
        ({"a": ["x", "Y"], "b": ["y", "x"], "label_zoe": [1, 1]}, "row 3, column 'a': a pair twice"),
        ({"a": ["x"], "b": ["y"], "label_anna": [1]}, "labels of anna in two files"),
    ],
)
def test_what_cannot_be_right(files: list[Path], tmp_path: Path, columns: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_labels(None, console=[files[0], labelled(tmp_path / "wrong.csv", **columns)])
