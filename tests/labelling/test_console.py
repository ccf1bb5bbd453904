"""Labels from a console: what each key does, what is kept, and that nothing is lost however a session ends."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import dxmatch
from dxmatch.errors import DxmatchError, InputError, OptionError
from dxmatch.files.pairs import read_pairs
from dxmatch.files.tables import read_table
from dxmatch.labelling.console import CRITERIA

PAIRS = {"a": ["heart attack", "Grippe\u200b à Köln", "asthma"], "b": ["MI", "flu\x1b[2J", "COPD"], "label": [9, 9, 9]}


def typing(*words: str | type[BaseException]) -> Callable[[str], str]:
    answers: Iterator[str | type[BaseException]] = iter(words)

    def ask(prompt: str) -> str:
        word = next(answers, EOFError)
        if isinstance(word, str):
            return word
        raise word

    return ask


def said(path: Path, column: str = "label_anna") -> list[str]:
    return [row[column] or "" for row in csv.DictReader(path.read_text("utf-8").splitlines())]


KEYS = """
y n u             1 0 unsure  1 1 1 0
YES no Unsure     1 0 unsure  1 1 1 0
1 nein true       1 0 1       2 1 0 0
y q y             1           1 0 0 2
y                 1           1 0 0 2
s skip n          0           0 1 0 2
b y b n q         0           0 1 0 2
y y b back n s y . 0 1 1      2 1 0 0
y n y b u .       1 0 unsure  1 1 1 0
? . what y yy n q 1 0         1 1 0 1
"""
"""What is typed, a dot for Enter alone; what is kept; and how many match, do not, are unsure, are open."""


@pytest.mark.parametrize("line", KEYS.strip().splitlines())
def test_keys(line: str, tmp_path: Path) -> None:
    *words, matches, others, unsure, still = line.split()
    kept = int(matches) + int(others) + int(unsure)
    done = dxmatch.label(PAIRS, tmp_path / "l.csv", "anna", ask=typing(*(w.replace(".", "") for w in words[:-kept])))
    assert said(tmp_path / "l.csv") == words[-kept:]
    assert [done.matches, done.others, done.unsure, done.open] == [*map(int, (matches, others, unsure, still))]


def test_what_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dxmatch.label(PAIRS, tmp_path / "l.csv", "anna", ask=typing("?", "y", "b", "s", "y", "q"))
    shown = capsys.readouterr().out
    assert "1 of 3\n  heart attack\n  MI\n" in shown and "2 of 3\n  Grippe à Köln\n  flu\ufffd[2J\n" in shown
    assert "1 of 3 (you said yes; skip leaves it so)" in shown
    assert CRITERIA in shown and CRITERIA.startswith("1. Identical") and "6. One is the laboratory sign" in CRITERIA
    assert "**" not in shown and "Please" not in shown


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".parquet", ".jsonl", ".tsv"])
def test_later_sessions_go_on_and_others_are_added(suffix: str, tmp_path: Path) -> None:
    out = tmp_path / f"l{suffix}"
    turned = {"a": ["COPD", "gout"], "b": ["Asthma", "podagra"]}
    for pairs, expert, typed in (
        (PAIRS, "anna", "su"),
        (PAIRS, "anna", "yn"),
        (PAIRS, "anna", ""),
        (turned, "jürgen", "uy"),
    ):
        dxmatch.label(pairs, out, expert, ask=typing(*typed))
    rows = read_table(out).data.to_pylist()
    assert [(row["label_anna"], row["label_jürgen"]) for row in rows] == [
        ("unsure", None),
        ("1", None),
        ("0", "unsure"),
        (None, "1"),
    ]
    read = read_pairs(out, label="label_anna", rejects=tmp_path / "r.csv")
    assert read.label is not None and read.label.tolist() == [1, 0], "what train takes"


def test_two_sessions_at_once_keep_each_other_s_answers(tmp_path: Path) -> None:
    def both(prompt: str) -> str:
        dxmatch.label(PAIRS, tmp_path / "l.csv", "ben", ask=typing("n"))
        return "y"

    dxmatch.label(PAIRS, tmp_path / "l.csv", "anna", ask=both)
    assert (said(tmp_path / "l.csv"), said(tmp_path / "l.csv", "label_ben")) == (["1", "1", "1"], ["0", "0", "0"])


def test_an_interruption_loses_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt, match=r"2 of 3 pairs are answered and kept in .*l\.csv\."):
        dxmatch.label(PAIRS, tmp_path / "l.csv", "anna", ask=typing("y", "n", KeyboardInterrupt))
    assert said(tmp_path / "l.csv") == ["1", "0"]


def test_a_suggestion_is_asked_as_its_sheets_are(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "l.csv"
    dxmatch.label(folder, out, "ben", ask=typing(*["y"] * 3, "q"))
    dxmatch.label(folder / "sheets" / "ben.xlsx", out, "ben", ask=typing(*["n"] * 3))
    asked, answered = read_table(folder / "sheets" / "ben.xlsx"), read_table(out)
    assert answered.data.select(["a", "b"]).equals(asked.data.select(["a", "b"])) and said(out, "label_ben") == [
        *"111000"
    ]
    back = dxmatch.labels([folder, out], experts=["ben"])
    assert sorted(back.answers["ben"]) == ["no"] * 3 + ["yes"] * 3
    for pairs, expert, match in (
        (folder, None, "one of anna, ben"),
        (folder, "carl", "one of anna, ben"),
        (PAIRS, "anna b", "names of letters"),
    ):
        with pytest.raises(OptionError, match=match):
            dxmatch.label(pairs, out, expert)


@pytest.mark.parametrize("text", ["a,b,label\ngout,flu,1\n", "a,b,label_anna\ngout,flu,maybe\n", "x,y\n1,2\n"])
def test_a_table_of_another_kind_is_not_touched(text: str, tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text(text)
    with pytest.raises(DxmatchError, match="row 2, column 'label_anna'|a column 'label' is there|'a' .* is missing"):
        dxmatch.label(PAIRS, tmp_path / "l.csv", "anna", ask=typing("y"))
    assert (tmp_path / "l.csv").read_text() == text


def test_answers_from_a_pipe_stop_at_one_that_is_none(tmp_path: Path) -> None:
    pairs, out = tmp_path / "p.csv", tmp_path / "l.csv"
    pairs.write_text("x;y\nheart attack;MI\nGrippe à Köln;flu\n;gout\nasthma;COPD\n", "utf-8")
    given = {"a": "x", "b": "y", "reading": {"rejects": tmp_path / "r.csv"}, "ask_again": False}
    with pytest.raises(InputError, match="'maybe'"):
        dxmatch.label(pairs, out, "Jürgen", ask=typing("y", "maybe", "n"), **given)
    done = dxmatch.label(pairs, out, "Jürgen", ask=typing("n", "u"), **given)
    assert done.words() == "3 pairs: 1 yes, 1 no, 1 unsure." and done.rejected == 1
    assert said(out, "label_Jürgen") == ["1", "0", "unsure"]
