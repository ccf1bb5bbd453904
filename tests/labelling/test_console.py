"""Labels from a console: what each key does, what is kept, and that nothing is lost however a session ends."""

from __future__ import annotations

import csv
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import dxmatch
from dxmatch.errors import InputError, OptionError
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


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def said(path: Path, column: str = "label_anna") -> list[str]:
    return [row[column] for row in rows(path)]


@pytest.mark.parametrize(
    ("typed", "labels", "counts"),
    [
        (["y", "n", "u"], ["1", "0", "unsure"], (1, 1, 1, 0)),
        (["YES ", "no", "Unsure"], ["1", "0", "unsure"], (1, 1, 1, 0)),
        (["1", "0", "1"], ["1", "0", "1"], (2, 1, 0, 0)),
        (["y", "q", "y"], ["1"], (1, 0, 0, 2)),
        (["y"], ["1"], (1, 0, 0, 2)),
        (["s", "s", "n"], ["0"], (0, 1, 0, 2)),
        (["b", "y", "b", "n", "q"], ["0"], (0, 1, 0, 2)),
        (["y", "y", "b", "b", "n", "s", "y", "\n"], ["0", "1", "1"], (2, 1, 0, 0)),
        (["y", "n", "y", "b", "u", ""], ["1", "0", "unsure"], (1, 1, 1, 0)),
        (["?", "", "what", "y", "yy", "n", "q"], ["1", "0"], (1, 1, 0, 1)),
    ],
)
def test_keys(typed: list[str], labels: list[str], counts: tuple[int, ...], tmp_path: Path) -> None:
    out = tmp_path / "labelled.csv"
    done = dxmatch.label(PAIRS, out, "anna", ask=typing(*typed))
    assert said(out) == labels
    assert (done.matches, done.others, done.unsure, done.open) == counts


def test_what_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dxmatch.label(PAIRS, tmp_path / "l.csv", "anna", ask=typing("?", "y", "b", "s", "y", "q"))
    shown = capsys.readouterr().out
    assert "1 of 3\n  heart attack\n  MI\n" in shown and "2 of 3\n  Grippe à Köln\n  flu\ufffd[2J\n" in shown
    assert "1 of 3 (you said yes; skip leaves it so)" in shown
    assert CRITERIA in shown and CRITERIA.startswith("1. Identical") and "6. One is the laboratory sign" in CRITERIA
    assert "**" not in shown and "Please" not in shown


def test_a_later_session_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "l.csv"
    for typed, opened in ((("s", "u"), "1 of 3"), (("y", "n"), "1 of 3"), ((), "")):
        dxmatch.label(PAIRS, out, "anna", ask=typing(*typed))
        assert opened in capsys.readouterr().out
    assert rows(out) == [
        {"a": PAIRS["a"][1], "b": PAIRS["b"][1], "label_anna": "unsure"},
        {"a": "heart attack", "b": "MI", "label_anna": "1"},
        {"a": "asthma", "b": "COPD", "label_anna": "0"},
    ]


def test_another_expert_and_other_pairs_are_added(tmp_path: Path) -> None:
    out = tmp_path / "l.csv"
    dxmatch.label(PAIRS, out, "anna", ask=typing("y", "u", "n"))
    turned = {"a": ["COPD", "gout"], "b": ["Asthma", "podagra"]}
    dxmatch.label(turned, out, "jürgen", ask=typing("u", "y"))
    assert [(row["label_anna"], row["label_jürgen"]) for row in rows(out)] == [
        ("1", ""), ("unsure", ""), ("0", "unsure"), ("", "1"),
    ]  # fmt: skip


def test_two_sessions_at_once_keep_each_other_s_answers(tmp_path: Path) -> None:
    out = tmp_path / "l.csv"

    def both(prompt: str) -> str:
        dxmatch.label(PAIRS, out, "ben", ask=typing("n"))
        return "y"

    dxmatch.label(PAIRS, out, "anna", ask=both)
    assert (said(out), said(out, "label_ben")) == (["1", "1", "1"], ["0", "0", "0"])


@pytest.mark.parametrize("end", [KeyboardInterrupt, EOFError])
def test_nothing_is_lost_however_it_ends(end: type[BaseException], tmp_path: Path) -> None:
    out = tmp_path / "l.csv"
    try:
        dxmatch.label(PAIRS, out, "anna", ask=typing("y", "n", end))
    except KeyboardInterrupt as interrupted:
        assert str(interrupted) == f"2 of 3 pairs are answered and kept in {out}."
    assert said(out) == ["1", "0"]


@pytest.mark.parametrize("suffix", [".xlsx", ".parquet", ".jsonl", ".tsv"])
def test_every_kind_of_table_is_gone_on_with(suffix: str, tmp_path: Path) -> None:
    out = tmp_path / f"l{suffix}"
    dxmatch.label(PAIRS, out, "anna", ask=typing("y"))
    dxmatch.label(PAIRS, out, "anna", ask=typing("n", "y"))
    assert read_pairs(out, label="label").label.tolist() == [1, 0, 1]  # type: ignore[union-attr]


def test_a_suggestion_is_asked_as_its_sheets_are(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "l.csv"
    dxmatch.label(folder, out, "ben", ask=typing(*["y"] * 3, "q"))
    dxmatch.label(folder / "sheets" / "ben.xlsx", out, "ben", ask=typing(*["n"] * 3))
    sheet = read_table(folder / "sheets" / "ben.xlsx")
    assert [(row["a"], row["b"]) for row in rows(out)] == list(zip(sheet.column("a"), sheet.column("b"), strict=True))
    assert said(out, "label_ben") == ["1"] * 3 + ["0"] * 3
    for wrong in (None, "carl"):
        with pytest.raises(OptionError, match="one of anna, ben"):
            dxmatch.label(folder, out, wrong)
    with pytest.raises(OptionError, match="'expert' parameter must be names of letters"):
        dxmatch.label(PAIRS, out, "anna b")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a,b,label\ngout,flu,1\n", "a column 'label' is there"),
        ("x,y\n1,2\n", "the column 'a' .* is missing"),
        ("a,b,label_anna\ngout,flu,maybe\n", "row 2, column 'label_anna': a label that is not 0 or 1"),
        ("a,b,label_anna\ngout,flu,1\nFlu,gout,0\n", "row 3, column 'a': a pair twice"),
    ],
)
def test_a_table_of_another_kind_is_not_touched(text: str, told: str, tmp_path: Path) -> None:
    out = tmp_path / "l.csv"
    out.write_text(text)
    with pytest.raises(InputError, match=told):
        dxmatch.label(PAIRS, out, "anna", ask=typing("y"))
    assert out.read_text() == text


def test_answers_from_a_pipe_stop_at_one_that_is_none(tmp_path: Path) -> None:
    pairs, out = tmp_path / "p.csv", tmp_path / "l.csv"
    pairs.write_text("x;y\nheart attack;MI\nGrippe à Köln;flu\n;gout\nasthma;COPD\n", "utf-8")
    given = {"a": "x", "b": "y", "reading": {"rejects": tmp_path / "r.csv"}, "ask_again": False}
    with pytest.raises(InputError, match="'maybe'"):
        dxmatch.label(pairs, out, "Jürgen", ask=typing("y", "maybe", "n"), **given)
    done = dxmatch.label(pairs, out, "Jürgen", ask=typing("n", "u"), **given)
    assert done.words() == "3 pairs: 1 yes, 1 no, 1 unsure." and done.rejected == 1
    assert said(out, "label_Jürgen") == ["1", "0", "unsure"]


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is of Unix")
def test_on_a_terminal(tmp_path: Path) -> None:
    import pty

    pairs, out = tmp_path / "p.csv", tmp_path / "l.csv"
    pairs.write_text("a,b\nheart attack,MI\nGrippe à Köln,flu\nasthma,COPD\n", "utf-8")
    main, of_child = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-c", f"import dxmatch; dxmatch.label({str(pairs)!r}, {str(out)!r}, 'anna')"],
        stdin=of_child, stdout=of_child, stderr=of_child, start_new_session=True,
    )  # fmt: skip
    os.close(of_child)
    shown = ""

    def until(words: str) -> None:
        nonlocal shown
        end = time.monotonic() + 30
        while words not in shown:
            assert time.monotonic() < end and select.select([main], [], [], 30)[0], shown
            shown += os.read(main, 65536).decode("utf-8", "replace")
        shown = shown.partition(words)[2]

    until("1 of 3")
    until("(q)uit: ")
    os.write(main, b"yeah\n")
    until("Allowed: y, n, u, s, b, ? or q.")
    os.write(main, b"y\n")
    until("Grippe à Köln")
    os.write(main, b"n\n")
    until("3 of 3")
    until("(q)uit: ")
    os.killpg(child.pid, signal.SIGINT)
    for _ in range(30):
        if select.select([main], [], [], 1)[0]:
            break
        # One that comes between the prompt and its read waits for the next.
        os.killpg(child.pid, signal.SIGINT)
    until("2 of 3 pairs are answered and kept")
    assert child.wait(30) != 0
    os.close(main)
    assert said(out) == ["1", "0"]
