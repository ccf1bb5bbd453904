"""Labels from a console and from the page: what each key does, what is appended, and that nothing is lost however a session ends."""

from __future__ import annotations

import csv
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import dxmatch
from dxmatch.errors import DxmatchError, InputError, OptionError
from dxmatch.files.pairs import read_pairs
from dxmatch.files.tables import read_table
from dxmatch.labelling import label_file
from dxmatch.labelling.console import CRITERIA
from dxmatch.labelling.label_file import LabelFile

PAIRS = {"a": ["heart attack", "Grippe\u200b à Köln", "asthma"], "b": ["MI", "flu\x1b[2J", "COPD"], "label": [9, 9, 9]}


def typing(*words: str | type[BaseException]) -> Callable[[str], str]:
    answers: Iterator[str | type[BaseException]] = iter(words)

    def ask(prompt: str) -> str:
        word = next(answers, EOFError)
        if isinstance(word, str):
            return word
        raise word

    return ask


def said(path: Path, expert: str = "anna") -> list[str]:
    """The last word on each pair, in the order in which they were said first."""
    rows = csv.DictReader(path.read_text("utf-8").splitlines())
    return [*{frozenset((row["a"], row["b"])): row[f"label_{expert}"] for row in rows}.values()]


KEYS = """
y n u             1 0 unsure  1 1 1 0
YES no Unsure     1 0 unsure  1 1 1 0
1 nein true       1 0 1       2 1 0 0
y q y             1           1 0 0 2
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


def test_later_sessions_go_on_and_each_expert_has_a_file(tmp_path: Path) -> None:
    out, turned = tmp_path / "anna.csv", {"a": ["COPD", "gout"], "b": ["Asthma", "podagra"]}
    with pytest.raises(KeyboardInterrupt, match=r"1 of 3 pairs are answered and kept in .*anna\.csv\."):
        dxmatch.label(PAIRS, out, "anna", ask=typing("s", "u", KeyboardInterrupt))
    first = out.read_bytes()
    for pairs, typed in ((PAIRS, "yn"), (PAIRS, ""), (turned, "y")):
        dxmatch.label(pairs, out, "anna", ask=typing(*typed))
    assert said(out) == ["unsure", "1", "0", "1"] and out.read_bytes().startswith(first), "appended, never rewritten"
    with pytest.raises(InputError, match="not the file of these labels.*label_ben"):
        dxmatch.label(PAIRS, out, "ben", ask=typing("y"))
    dxmatch.label(turned, tmp_path / "ben.csv", "ben", ask=typing("n", "y"))
    found = dxmatch.labels([out, tmp_path / "ben.csv"]).table.to_pydict()
    assert found["label_anna"] == [None, 1, 0, 1] and found["label_ben"] == [None, None, 0, 1]
    read = read_pairs(out, label="label", unlabelled=True)
    assert read.label is not None and (read.label.tolist(), read.n_unlabelled) == ([1, 0, 1], 1), "what train takes"


def test_a_suggestion_is_asked_as_its_sheets_are(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "l.csv"
    dxmatch.label(folder, out, "ben", ask=typing(*["y"] * 3, "q"))
    dxmatch.label(folder / "sheets" / "ben.xlsx", out, "ben", ask=typing(*["n"] * 3))
    asked, answered = read_table(folder / "sheets" / "ben.xlsx"), read_table(out)
    assert answered.data.select(["a", "b"]).equals(asked.data.select(["a", "b"])) and said(out, "ben") == [*"111000"]
    back = dxmatch.labels([folder, out], experts=["ben"])
    assert sorted(map(str, back.answers["ben"])) == ["no"] * 3 + ["yes"] * 3
    for pairs, expert, match in (
        (folder, None, "one of anna, ben"), (folder, "carl", "one of anna, ben"), (PAIRS, "anna b", "names of letters"),
    ):  # fmt: skip
        with pytest.raises(OptionError, match=match):
            dxmatch.label(pairs, out, expert)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b,label\ngout,flu,1\n", "not the file of these labels"),
        ("\ufeffa;b;label_anna;labelled_at\ngout;flu;1;\n", "not the file of these labels"),
        ("a,b,label_anna,labelled_at\ngout,flu,maybe,\n", "row 2, column 'label_anna': a label that is not 0 or 1"),
        ("a,b,label_anna,labelled_at\ngout,,1,\n", "row 2, column 'b': the diagnosis is blank"),
        ("a,b,label_anna,labelled_at\ngout,flu,1", "row 2: 3 values in a table of 4 columns"),
    ],
)
def test_a_file_of_another_kind_is_not_touched(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text(text, "utf-8")
    with pytest.raises(DxmatchError, match=says):
        LabelFile(tmp_path / "l.csv", "anna").say("gout", "flu", "yes")
    assert (tmp_path / "l.csv").read_text("utf-8") == text
    with pytest.raises(DxmatchError, match=r"\.csv"):
        LabelFile(tmp_path / "l.xlsx", "anna")


def test_the_last_word_on_a_pair_stands_in_either_order(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    labels = LabelFile(path, "anna")
    assert len(labels) == 0 and not path.exists()
    for a, b, answer in [
        ("gout", "podagra", "no"), ("a, \"quoted\"\nname", "=1+1", "yes"), ("gout", "podagra", "no"), (" Podagra", "GOUT ", "yes"),
        ("asthma", "gout", "yes"), ("asthma", "gout", None), ("never said", "gout", None),
    ]:  # fmt: skip
        labels.say(a, b, answer)
    assert len(read_table(path)) == 5, "said twice in a row is said once"
    for read in (labels, LabelFile(path, "anna")):
        assert (read.of("gout", "podagra"), read.of("asthma", "gout"), len(read)) == ("yes", None, 2)
        assert [one[:3] for one in read.last(1)] == [("Podagra", "GOUT", "yes")]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", read.last(1)[0].when)


def test_two_who_write_at_once_lose_no_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = label_file._line
    monkeypatch.setattr(label_file, "_line", lambda cells: time.sleep(0.01) or line(cells))
    files = {f"disease {n}": LabelFile(tmp_path / "l.csv", "anna") for n in range(3)}
    with ThreadPoolExecutor(3) as pool:
        for i in range(5):
            pool.map(lambda name, i=i: files[name].say(f"{name}-{i}", "gout", "yes"), files)
    assert sorted(read_table(tmp_path / "l.csv").column("a")) == [f"{name}-{i}" for name in files for i in range(5)]
