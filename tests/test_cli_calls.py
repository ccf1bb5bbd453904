"""What the command line refuses: a call, the exit code it ends with, and what it must name. Nothing is written then, and nothing overwritten."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dxmatch.files.tables import read_table

Command = Callable[..., Any]
PAIRS = "a,b\nheart attack,acute MI\ngout,asthma\n"
ONE = "case_id,rater,rank,diagnosis,reference\n1,m,1,flu,gout\n"
TWO = ONE + "1,n,1,gout,gout\n"
LISTS = "case_id,rater,role,rank,diagnosis\n"
BROKEN = '{{"a": "heart attack", "b": "acute MI"{0}}}\n{{"a": "gout",\n["flu"]\n{{"a": "gout", "b": "flu"{1}}}\n{{"a": "", "b": "flu"{0}}}\n'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with an endpoint that nobody answers at, and lines that are wide enough for any message."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "500")
    Path("e.toml").write_text('[endpoint.lab]\nurl = "http://127.0.0.1:9"\n')
    Path("folder").mkdir()
    return tmp_path


@pytest.mark.parametrize(("content", "arguments", "code", "words"), [
    # what is in a file
    ("a,b,label\nx,\udce9t\udce9,1\n", "train t.csv -o m", 1, "row 2|'été'|Or: --encoding cp1252"),
    ("A,B\nflu,gout\n", "score t.csv -o o.csv", 1, "t.csv|Or: --a A names the column."),
    ("a,b\nflu,\n", "score t.csv -o o.csv", 1, "row 2, column 'b': the diagnosis is blank. Allowed: a diagnosis in words. Or: --rejects FILE sets such rows aside."),
    (LISTS[:-11] + "\n1,A,expert,1\n", "evaluate t.csv", 1, "Or: --columns diagnosis=COLUMN"),
    (LISTS + "1,A,expert,1,x\n1,A,expert,1,y\n", "evaluate t.csv -o r.html", 1, "t.csv|row 3|rank"),
    # a value outside its rule
    (PAIRS, "score t.csv --threshold 7", 2, "--threshold must be a number from 0 to 1"),
    (PAIRS, "score t.csv --encoding klingon", 2, "--encoding must be the name of a text encoding, as cp1252|'klingon'"),
    (PAIRS, "score . -o o.csv", 1, ".: a folder without a .parquet file"),
    (PAIRS, "score t.csv -o o.pdf", 1, "o.pdf|.csv"),
    (ONE, "evaluate t.csv --columns rater=who", 1, "--columns"),
    (ONE, "evaluate t.csv --metric hdf2", 2, "did you mean 'hdf1'|'hdf2'"),
    (ONE, "evaluate t.csv --judge.check lab:m", 2, "--judge.check|nobody is asked"),
    (TWO, "evaluate t.csv --compare m=C", 2, "--compare|names of raters|'C'"),
    # a call that cannot be meant
    (ONE, "evaluate t.csv --k recall=", 2, "--k recall="),
    (TWO, "ask folder --endpoints e.toml", 2, "--models"),
    ("", "match a.csv b.csv", 1, "the name of a file"),
    ("", "match pairs.csv", 2, "dxmatch help match"),
    ("", "icd x.csv --column a --column b", 2, "--column"),
    ("", "pairs.csv", 2, "dxmatch evaluate pairs.csv|dxmatch score pairs.csv"),
    ("", "heart attack", 2, 'dxmatch match "heart attack"|dxmatch icd "heart attack"'),
    ("", "match heart attack MI --threshold 1", 2, 'needs quotes, as in: dxmatch match "heart attack" "MI"'),
    ("", "'heart attack' gout", 2, 'dxmatch match "heart attack" "gout"'),
    ("", "votes check", 1, "no such vote store"),
    ("", "votes ask x.csv --matcher m --abbreviations e.toml", 2, "--abbreviations must be left out with a model"),
    ("", "score x.csv --matchr m", 2, "--matcher"),
    # a server
    ("", "serve --port 70000", 2, "The option --port must be 0 to 65535. Got 70000 instead."),
    ("", "serve --host 192.0.2.1", 2, "The option --host must be an address of this machine, as 127.0.0.1. Got '192.0.2.1' instead."),
    ("", "serve --host 'no such host'", 2, "The option --host must be an address of this machine, as 127.0.0.1. Got 'no such host' instead."),
    ("", "serve --expert 'a b' --port 0", 2, "The option --expert must be names of letters, digits, _ and -, 40 at most. Got 'a b' instead."),
    ("", "serve --labels labels.xlsx --port 0", 1, "labels are appended to text. Allowed: a .csv file."),
    ("", "serve --policy strickt --port 0", 2, 'Did you mean "strict"?'),
    # an option's old name, or what is said by another
    ("", "score x.csv --model m", 2, "--model is now --matcher"),
    ("", "score x.csv --features", 2, "--features is now --add features"),
    ("", "evaluate x.csv --judge lab:m", 2, "--judge is now --judge.model"),
    ("", "icd gout --features mine.toml", 2, "--features is now --preset"),
    # standard input and output
    (PAIRS, "score - -o -.pdf", 1, ".csv"),
    (PAIRS, "score - -o - --json", 2, "standard output takes one file|--json"),
    (PAIRS, "evaluate - --references -", 2, "given twice"),
    (PAIRS, "demo --output -", 2, "no folder"),
    ("", "score -", 1, "dxmatch: standard input: nothing came. Allowed: a table with a header.\n"),
    ("a,b\ngout,gout\nx,y,z\n", "score -", 1, "dxmatch: standard input, row 3: 3 values|--rejects FILE"),
    ('{"a": "x", "b": "y"}\n{"a"\n', "score -", 1, "standard input|--rejects FILE"),
])  # fmt: skip
def test_what_is_refused_and_how(
    here: Path, command: Command, content: str, arguments: str, code: int, words: str
) -> None:
    if " t.csv" in arguments:
        Path("t.csv").write_bytes(content.encode("utf-8", "surrogateescape"))
    before = {each: each.read_bytes() for each in here.rglob("*") if each.is_file()}
    done = command(*shlex.split(arguments), given=content)
    assert done.code == code and not [word for word in words.split("|") if word not in done.err], done
    assert not done.out and "Traceback" not in done.err and len(done.err) < 1500
    assert {each: each.read_bytes() for each in here.rglob("*") if each.is_file()} == before


@pytest.mark.parametrize("arguments", [
    "score x.csv -o x.csv", "link x.csv y.csv -o y.csv", "evaluate x.csv --matches o.csv --rejects ./o.csv", "labels x.csv y.csv -o x.csv",
    "ask x.csv -m lab:big --endpoints e.toml --store o.csv -o o.csv", "explain gout flu --store y.csv -o y.csv",
    "suggest x.csv -o folder --labelled y.csv --rejects y.csv", "reasoning folder folder me=x.csv -o x.csv",
])  # fmt: skip
def test_no_file_is_both_read_and_written_or_written_twice(here: Path, command: Command, arguments: str) -> None:
    for name in ("x.csv", "y.csv"):
        (here / name).write_text("a,b\n", "utf-8")
    done = command(*arguments.split())
    assert done.code == 1 and ("the output is the input" in done.err or "one file for two outputs" in done.err), done
    assert {each.name for each in here.rglob("*")} == {"x.csv", "y.csv", "e.toml", "folder"}
    assert (here / "x.csv").read_text("utf-8") == (here / "y.csv").read_text("utf-8") == "a,b\n"


@pytest.mark.parametrize(("arguments", "said"), [
    ("score t.jsonl -o o.csv", "3 rows set aside in x.csv."),
    ("votes ask t.jsonl --dry-run --only vote_phi4", "3 rows set aside in x.csv."),
    ("votes import t.jsonl --verdict label --model me", "2 answers kept, 0 of them without a verdict."),
    ("ask t.jsonl --dry-run -m lab:big --endpoints e.toml --columns text=a", "3 rows set aside in x.csv."),
    ("suggest t.jsonl -n 1 -o round", "without 3 set aside"),
    ("train t.jsonl -o m", ""),
])  # fmt: skip
def test_broken_lines_are_set_aside_with_the_rows_that_cannot_be_right(
    here: Path, command: Command, arguments: str, said: str
) -> None:
    """`train` and `audit` refuse the two rows that are left, after they were told of the others."""
    (here / "t.jsonl").write_text(BROKEN.format(', "label": 1', ', "label": 0'), "utf-8")
    refused = command(*arguments.split())
    assert refused.code == 1 and "t.jsonl, row 2" in refused.err, refused.err
    done = command(*arguments.split(), "--rejects", "x.csv")
    assert said in done.out + done.err and done.code == (not said), done
    aside = read_table(here / "x.csv")
    assert sorted(aside.column("rejected_row")) == ["2", "3", "5"]
    assert sum("JSON" in why or "object" in why for why in aside.column("rejected_because")) == 2


def test_debug_shows_the_traceback(command: Command) -> None:
    for debug in ("--debug score none.csv -o o.csv", "votes status --store none --debug"):
        done = command(*debug.split())
        assert (done.code, "Traceback" in done.err) == (1, True)


@pytest.mark.parametrize(("raised", "code", "said"), [
    (KeyboardInterrupt(), 130, "interrupted"), (KeyboardInterrupt("12 chunks are kept"), 130, "12 chunks are kept"),
    (MemoryError(), 1, "out of memory"), (PermissionError(13, "Permission denied", "t.csv"), 1, "t.csv"), (ValueError("Zzyzx"), 70, "--debug"),
])  # fmt: skip
def test_how_a_command_ends_that_was_cut_short(
    raised: BaseException, code: int, said: str, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_short(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr("dxmatch.matcher.icd_mapping.map_terms", cut_short)
    done = command("icd", "heart attack")
    assert done.code == code and said in done.err and len(done.err.splitlines()) == 1 and "Zzyzx" not in done.err
