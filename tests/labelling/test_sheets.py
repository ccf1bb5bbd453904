"""What the experts get, and what comes back from filled sheets."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from dxmatch.errors import DxmatchError, InputError, OptionError
from dxmatch.files.pairs import read_pairs
from dxmatch.labelling.read_back import read_labels
from dxmatch.labelling.suggestion import Suggestion

YES = {"p1", "p3", "p6"}


def lines_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as handle:
        return list(csv.reader(handle))


def fill(path: Path, answers: dict[str, str]) -> None:
    head, *lines = lines_of(path)
    with path.open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle).writerows([head, *([i, a, b, answers.get(i, ""), said] for i, a, b, _, said in lines)])


def all_yes_or_no() -> dict[str, str]:
    return {f"p{i}": "yes" if f"p{i}" in YES else "no" for i in range(1, 7)}


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


def test_the_sheets_are_blind(folder: Path) -> None:
    assert {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()} == {
        "key.csv", "suggestion.json", "sheets/INSTRUCTIONS.md", "sheets/anna.csv", "sheets/ben.csv",
        "label_studio/config.xml", "label_studio/anna.json", "label_studio/ben.json",
    }  # fmt: skip
    head, *lines = lines_of(folder / "sheets" / "anna.csv")
    assert head == ["id", "a", "b", "answer", "comment"]
    assert all(line[3:] == ["", ""] for line in lines)
    for name in ("sheets/anna.csv", "label_studio/anna.json"):
        text = (folder / name).read_text("utf-8")
        assert "uncertain" not in text and "random" not in text and "0.9" not in text


def test_each_expert_has_an_order_and_sides_of_their_own(suggestion: Suggestion, tmp_path: Path) -> None:
    names = [f"expert{i}" for i in range(20)]
    folder = suggestion.save(tmp_path / "many", names)
    asked = {row["id"]: {row["a"], row["b"]} for row in suggestion.key.to_pylist()}
    orders, sides = set(), {identity: set() for identity in asked}
    for name in names:
        tasks = [task["data"] for task in json.loads((folder / "label_studio" / f"{name}.json").read_text("utf-8"))]
        assert {task["dxmatch_id"]: {task["a"], task["b"]} for task in tasks} == asked
        orders.add(tuple(task["dxmatch_id"] for task in tasks))
        for task in tasks:
            sides[task["dxmatch_id"]].add(task["a"])
    assert len(orders) > 15
    assert sides == asked  # either diagnosis stood first for someone


def test_a_spreadsheet_runs_nothing(folder: Path) -> None:
    cells = [cell for line in lines_of(folder / "sheets" / "anna.csv") for cell in line]
    assert "'=1+1 syndrome" in cells and "'-ve arthritis" in cells and "café-au-lait spots" in cells
    assert (folder / "sheets" / "anna.csv").read_bytes().startswith(b"\xef\xbb\xbf")


def test_there_and_back(folder: Path, tmp_path: Path) -> None:
    fill(folder / "sheets" / "anna.csv", {**all_yes_or_no(), "p5": "unsure"})
    fill(folder / "sheets" / "ben.csv", {**all_yes_or_no(), "p1": "0", "p6": " YES ", "p2": ""})
    labels = read_labels(folder)
    assert labels.table.to_pydict() == {
        "id": ["p1", "p2", "p3", "p4", "p5", "p6"],
        "a": ["heart attack", "=1+1 syndrome", "flu", "gout", "asthma", "sepsis"],
        "b": ["acute MI", "café-au-lait spots", "influenza", "-ve arthritis", "COPD", "septic\nshock"],
        "chosen": ["random", "uncertain", "random", "uncertain", "random", "random"],
        "label_anna": [1, 0, 1, 0, None, 1],
        "label_ben": [0, None, 1, 0, 0, 1],
        "adjudicated": [None] * 6,
    }
    assert labels.open["id"].to_pylist() == ["p1", "p2", "p5"]
    words = "\n".join(labels.words())
    assert "anna  5 of 6 answered, 1 unsure, 0 blank." in words
    assert "ben   5 of 6 answered, 0 unsure, 1 blank." in words
    assert "3 pairs decided, 2 of them matches." in words
    assert "3 without a majority" in words
    # Of the random p1, p3, p5, p6 two are decided, both matches; M said (0.8 + 0.2) / 2. Wilson, 2 of 2: from 2 / (2 + 1.96^2) = 0.34.
    assert (
        "Of 2 pairs drawn at random 2 match: 100 % of the pool [34 %, 100 %]; the model expected 50 %. 2 more are undecided."
        in words
    )

    labels.write_open(tmp_path / "open.csv")
    assert sorted(line[0] for line in lines_of(tmp_path / "open.csv")[1:]) == ["p1", "p2", "p5"]
    fill(tmp_path / "open.csv", {"p1": "1", "p2": "no", "p5": "unsure"})
    settled = read_labels(folder, adjudicated=tmp_path / "open.csv")
    assert settled.table["adjudicated"].to_pylist() == [1, 0, None, None, None, None]
    assert settled.open["id"].to_pylist() == ["p5"]
    read = read_pairs(settled.table, label="label", rejects=tmp_path / "rejects.csv")
    assert read.label is not None and read.label.tolist() == [1, 0, 1, 0, 1]
    assert read.n_rejected == 1


KEY_IDS = ["p1", "p2", "p3", "p4", "p5", "p6"]


def test_a_review_goes_before_the_panel(folder: Path, tmp_path: Path) -> None:
    """One more expert goes over every pair, those on which the panel is of one mind too; what is left blank stays as it was."""
    fill(folder / "sheets" / "anna.csv", {**all_yes_or_no(), "p5": "unsure"})
    fill(folder / "sheets" / "ben.csv", {**all_yes_or_no(), "p1": "0", "p6": " YES ", "p2": ""})
    read_labels(folder).write_review(tmp_path / "review.csv")
    assert sorted(line[0] for line in lines_of(tmp_path / "review.csv")[1:]) == KEY_IDS
    assert {line[3] for line in lines_of(tmp_path / "review.csv")[1:]} == {""}, "blind: no answer of the panel is shown"
    fill(tmp_path / "review.csv", {"p1": "1", "p3": "no", "p4": "no", "p6": "unsure"})
    labels = read_labels(folder, reviewed=tmp_path / "review.csv")
    assert labels.before_review.tolist() == [-1, -1, 1, 0, -1, 1]
    assert labels.table["label"].to_pylist() == [1, None, 0, 0, None, 1]
    assert labels.table["reviewed"].to_pylist() == [1, None, 0, 0, None, None]
    assert labels.open["id"].to_pylist() == ["p2", "p5"]
    words = "\n".join(labels.words())
    assert (
        "The review answers 3 of 6 pairs and goes before the panel: 0 labels become a match, 1 no match, 1 stay."
        in words
    )
    read = read_pairs(labels.table, label="label", rejects=tmp_path / "rejects.csv")
    assert read.label is not None and read.label.tolist() == [1, 0, 0, 1] and read.n_rejected == 2


def test_train_and_read_back_agree_on_every_ballot(folder: Path, tmp_path: Path) -> None:
    fill(
        folder / "sheets" / "anna.csv", {f"p{i}": word for i, word in enumerate(("1", "0", "1", "0", "unsure", ""), 1)}
    )
    fill(folder / "sheets" / "ben.csv", {f"p{i}": word for i, word in enumerate(("1", "0", "0", "", "yes", "no"), 1)})
    labels = read_labels(folder)
    assert labels.label.tolist() == [1, 0, -1, -1, -1, -1]
    read = read_pairs(labels.table, label="label", rejects=tmp_path / "rejects.csv")
    assert read.label is not None and read.label.tolist() == [1, 0]


def test_a_spreadsheet_in_europe_saves_semicolons(folder: Path) -> None:
    path = folder / "sheets" / "anna.csv"
    lines = lines_of(path)
    with path.open("w", encoding="utf-8-sig", newline="") as handle:
        csv.writer(handle, delimiter=";").writerows([*lines[:1], *([*line[:3], "yes", "so"] for line in lines[1:])])
    assert set(read_labels(folder).table["label_anna"].to_pylist()) == {1}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("p4,", "p9,", "an id that was not asked about"),
        ("p4,", "p3,", "an id twice|the diagnoses were changed"),
        ("influenza", "influenza A", "the diagnoses were changed"),
        ("answer,comment", "verdict,comment", "column 'answer' is missing"),
    ],
)
def test_a_sheet_that_cannot_be_right(folder: Path, old: str, new: str, says: str) -> None:
    change(folder / "sheets" / "ben.csv", old, new)
    with pytest.raises(InputError, match=says) as caught:
        read_labels(folder)
    assert "ben.csv" in str(caught.value)


def test_a_line_twice_or_lost(folder: Path) -> None:
    path = folder / "sheets" / "ben.csv"
    head, *lines = lines_of(path)

    def write(some: list[list[str]]) -> None:
        with path.open("w", encoding="utf-8", newline="") as handle:
            csv.writer(handle).writerows([head, *some])

    write([*lines, lines[0]])
    with pytest.raises(InputError, match="row 8, column 'id': an id twice"):
        read_labels(folder)
    write(lines[1:])
    with pytest.raises(InputError, match="1 of 6 pairs are missing"):
        read_labels(folder)


def test_an_unknown_answer_names_the_row_and_what_is_allowed(folder: Path) -> None:
    path = folder / "sheets" / "ben.csv"
    fill(path, {"p3": "maybe"})
    row = [line[0] for line in lines_of(path)].index("p3") + 1
    with pytest.raises(InputError, match=rf"row {row}, column 'answer'.*Allowed: unsure, 0 or 1, yes or no.*'maybe'"):
        read_labels(folder)


def test_a_missing_sheet_and_a_smaller_panel(folder: Path) -> None:
    (folder / "sheets" / "ben.csv").unlink()
    with pytest.raises(InputError, match="the sheet of ben is missing"):
        read_labels(folder)
    assert "label_ben" not in read_labels(folder, experts=["anna"]).table.column_names
    with pytest.raises(OptionError, match="anna, ben"):
        read_labels(folder, experts=["carl"])


def test_filled_sheets_are_never_replaced(suggestion: Suggestion, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DxmatchError, match="holds something already"):
        suggestion.save(folder)
    (tmp_path / "empty").mkdir()
    suggestion.save(tmp_path / "empty")
    assert (tmp_path / "empty" / "key.csv").is_file()
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


@pytest.mark.parametrize("experts", [[], ["anna", "Anna"], ["a/b"], ["../x"], [""], ["a" * 41]])
def test_names_that_cannot_be_columns_and_files(suggestion: Suggestion, tmp_path: Path, experts: list[str]) -> None:
    with pytest.raises(OptionError, match="experts"):
        suggestion.save(tmp_path / "round", experts)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_no_suggestion(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(DxmatchError, match="not a folder that 'dxmatch suggest' made"):
        read_labels(tmp_path)
    change(folder / "key.csv", "p2", "p1")
    with pytest.raises(InputError, match="key.csv, row 3, column 'id': an id twice"):
        read_labels(folder)
