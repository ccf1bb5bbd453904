"""Tables as commands read and write them, and how errors name the options."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from dxmatch.files.tables import read_table

Command = Callable[..., Any]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("content", "arguments", "said"),
    [
        ("A,B\nflu,gout\n", "score t.csv -o o.csv", "Or: --a A --b B names the columns."),
        ("Expert,b\nflu,gout\n", "score t.csv -o o.csv", "Or: --a COLUMN names the column."),
        ("a,b\nflu,\n", "score t.csv -o o.csv", "row 2, column 'b': the diagnosis is blank. Allowed: a diagnosis in words. Or: --rejects FILE sets such rows aside."),
        ("a,b\nflu,#N/A\n", "score t.csv -o o.csv", "row 2, column 'b'"),
        ("a,b\nflu,gout\n", "score t.csv -o o.csv --min-coverage 2", "--min-coverage"),
        ("a,b\nflu,gout\n", "score t.csv -o o.csv --encoding klingon", "--encoding"),
        ("a,b\nflu,gout\n", "score . -o o.csv", ".: a folder without a .parquet file"),
        ("Dx\nflu\n", "icd t.csv -o o.csv --column dx", "Or: --column Dx names the column."),
        ("diagnosis\nflu\n", "icd t.csv --k 0", "--k"),
        ("diagnosis\nflu\n", "icd ./folder", "folder: a folder"),
        ("case_id,rater,rank,diagnosis,reference\n1,m,1,flu,gout\n", "evaluate t.csv --k 0", "--k"),
        ("case_id,rater,rank,diagnosis,reference\n1,m,1,flu,gout\n", "evaluate t.csv --columns rater=who", "--columns"),
    ],
)  # fmt: skip
def test_errors_name_the_options_of_the_command(
    here: Path, command: Command, content: str, arguments: str, said: str
) -> None:
    (here / "t.csv").write_text(content, "utf-8")
    (here / "folder").mkdir()
    done = command(*arguments.split())
    assert done.code == 1 and said in done.err, done.err
    assert (here / "t.csv").read_text("utf-8") == content and not (here / "o.csv").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        "score x.csv -o o.csv --rejects o.csv",
        "score x.csv -o x.csv",
        "icd x.csv --column a -o x.csv",
        "icd x.csv --column a -o o.csv --gold x.csv --figures x.csv",
        "link x.csv y.csv -o y.csv",
        "dedupe x.csv -o x.csv",
        "evaluate x.csv --matches o.csv --rejects ./o.csv",
        "evaluate x.csv --references y.csv --pairs y.csv",
        "evaluate x.csv -o x.csv",
        "ask x.csv y.csv -m lab:big --endpoints e.toml -o o.csv --rejects y.csv",
        "ask x.csv -m lab:big --endpoints e.toml --store o.csv -o o.csv",
        "ask x.csv -m lab:big --endpoints e.toml -o e.toml",
        "choice x.csv y.csv -o y.csv",
        "choice x.csv y.csv -o o.csv --per-answer o.csv",
        "audit x.csv -o folder --rejects x.csv",
        "explain gout flu --store y.csv -o y.csv",
        "suggest x.csv -o folder --labelled y.csv --rejects y.csv",
        "labels x.csv y.csv -o x.csv",
        "labels folder -o o.csv --review o.csv",
        "reasoning folder folder folder --human x.csv --per-note x.csv",
        "reasoning folder folder me=x.csv -o x.csv",
        "ddxplus x.csv -o x.csv",
        "train x.csv -o m --held-out x.csv",
        "train x.csv -o m --extra y.csv --held-out y.csv",
        "train x.csv -o m --rejects o.csv --held-out o.csv",
        "votes ask x.csv --rejects x.csv",
        "votes export x.csv -o b --store o.csv --rejects o.csv",
        "votes import x.csv y.csv --rejects y.csv",
        "votes import x.csv --store x.csv",
        "votes check --store x.csv --repair x.csv",
    ],
)
def test_no_file_is_both_read_and_written_or_written_twice(here: Path, command: Command, arguments: str) -> None:
    for name in ("x.csv", "y.csv", "e.toml"):
        (here / name).write_text("a,b\n", "utf-8")
    (here / "folder").mkdir()
    done = command(*arguments.split())
    assert done.code == 1, done
    assert "the output is the input" in done.err or "one file for two outputs" in done.err, done.err
    assert {each.name for each in here.rglob("*")} == {"x.csv", "y.csv", "e.toml", "folder"}
    assert (here / "x.csv").read_text("utf-8") == (here / "y.csv").read_text("utf-8") == "a,b\n"


BROKEN = '{{"a": "heart attack", "b": "acute MI"{0}}}\n{{"a": "gout",\n["flu"]\n{{"a": "gout", "b": "flu"{1}}}\n{{"a": "", "b": "flu"{0}}}\n'


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("score t.jsonl -o o.csv", "3 rows rejected; they are in x.csv."),
        ("votes ask t.jsonl --dry-run --only vote_phi4", "3 rows set aside in x.csv."),
        ("votes export t.jsonl -o b --only vote_phi4", "3 rows set aside in x.csv."),
        ("votes import t.jsonl --verdict label --model-name me", "5 rows, 2 new votes; votes by model: me 2; 3 rows set aside."),
        ("ask t.jsonl --dry-run -m lab:big --endpoints e.toml --columns text=a", "3 rows set aside in x.csv."),
        ("suggest t.jsonl -n 1 -o round", "without 3 set aside"),
        ("train t.jsonl -o m", ""),
        ("audit t.jsonl -o audit", ""),
    ],
)  # fmt: skip
def test_broken_lines_are_set_aside_with_the_rows_that_cannot_be_right(
    here: Path, command: Command, arguments: str, said: str
) -> None:
    """`train` and `audit` refuse the two rows that are left, after they were told of the others."""
    (here / "t.jsonl").write_text(BROKEN.format(', "label": 1', ', "label": 0'), "utf-8")
    (here / "e.toml").write_text('[endpoint.lab]\nurl = "http://127.0.0.1:9"\n', "utf-8")
    refused = command(*arguments.split())
    assert refused.code == 1 and "t.jsonl, row 2" in refused.err, refused.err
    done = command(*arguments.split(), "--rejects", "x.csv")
    assert said in done.out and done.code == (not said), done
    aside = read_table(here / "x.csv")
    assert sorted(aside.column("rejected_row")) == ["2", "3", "5"]
    assert sum("JSON" in why or "object" in why for why in aside.column("rejected_because")) == 2


def test_rows_of_another_width_are_set_aside(here: Path, command: Command) -> None:
    (here / "t.csv").write_text("a,b\nflu,influenza\ngout\nasthma,bronchial asthma,x\nheart attack,MI\n", "utf-8")
    done = command("score", "t.csv", "-o", "o.csv", "--rejects", "x.csv")
    assert "2 pairs" in done.out and "2 rows rejected" in done.out, done.err
    assert read_table(here / "o.csv").column("a") == ["flu", "heart attack"]
    assert read_table(here / "x.csv").column("rejected_row") == ["3", "4"]
    rows = "case_id,rater,rank,diagnosis,reference\n1,gpt,1,influenza,flu\n2,gpt\n2,claude,1,gout,gout\n1,claude,1,flu,flu\n"
    (here / "l.csv").write_text(rows, "utf-8")
    done = command("evaluate", "l.csv", "--rejects", "x.csv", "--metrics", "top-1")
    assert "set aside: 1 line; the first is l.csv, row 3: 2 values in a table of 5 columns" in " ".join(
        done.out.split()
    )
    assert read_table(here / "x.csv").column("rejected_row") == ["3"]


def test_a_workbook_in_and_out(here: Path, command: Command) -> None:
    book = openpyxl.Workbook()
    for sheet, rows in (
        (book.worksheets[0], [["a", "b"], ["flu", "influenza"]]),
        (book.create_sheet("More"), [["a", "b"], ["gout", "flu"], ["RA", "flu"]]),
    ):
        for row in rows:
            sheet.append(row)
    book.save(here / "p.xlsx")
    done = command("score", "p.xlsx", "-o", "o.xlsx")
    assert done.code == 0, done.err
    assert "Read the first sheet of p.xlsx, 'Sheet'; others hold values too: More." in done.out
    assert "o.xlsx: 1 pair, 1 match at" in done.out
    sheet = openpyxl.load_workbook(here / "o.xlsx").active
    assert sheet is not None and (sheet["C2"].data_type, sheet["D2"].value) == ("n", True)
    done = command("score", "p.xlsx#More", "-o", "o.xlsx")
    assert "2 pairs, 0 matches" in done.out and "Read the first sheet" not in done.out
    done = command("icd", "p.xlsx#More", "-o", "i.xlsx", "--column", "a", "--k", 2)
    assert "i.xlsx: 2 diagnoses mapped." in done.out, done.err
    assert read_table(here / "i.xlsx").column("candidates")[0].count(";") == 1


@pytest.mark.parametrize("arguments", ["score t.csv -o o.csv", "icd t.csv -o o.csv --column a"])
def test_another_encoding(here: Path, command: Command, arguments: str) -> None:
    (here / "t.csv").write_bytes("a;b\nMénière;gout\n".encode("cp1252"))
    refused = command(*arguments.split())
    assert refused.code == 1 and refused.err.endswith(" Or: --encoding cp1252 reads the file.\n"), refused.err
    assert command(*arguments.split(), "--encoding", "cp1252").code == 0
    assert "Ménière" in (here / "o.csv").read_text("utf-8")


def test_features_that_are_blank_are_told_where_they_are_shown(here: Path, command: Command) -> None:
    (here / "t.csv").write_text("a,b\nflu,gout\n")
    assert "blank" not in command("score", "t.csv", "-o", "o.csv").out
    assert "ratio_bigram for 0.0 % of the pairs" in command("score", "t.csv", "-o", "o.csv", "--add", "features").out


def test_rejected_rows_have_the_numbers_of_the_sheet(here: Path, command: Command) -> None:
    (here / "t.csv").write_text("a,b\n\nflu,influenza\n\nflu,\n")
    done = command("score", "t.csv", "-o", "o.csv", "--rejects", "r.xlsx")
    assert done.code == 0 and "1 row rejected; it is in r.xlsx." in done.out, done.err
    assert read_table(here / "r.xlsx").data.to_pylist() == [{
        "a": "flu", "b": None, "rejected_row": "5",
        "rejected_because": "t.csv, row 5, column 'b': the diagnosis is blank. Allowed: a diagnosis in words.",
    }]  # fmt: skip
