"""The command line as a user calls it: help, what commands give, standard input and output, --json, --quiet. None needs the network."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cyclopts import App

from dxmatch.cli.main import app, as_typed
from dxmatch.files.tables import read_table

from .blocked_network import no_network  # noqa: F401
from .toy_pairs import *  # noqa: F403

Command = Callable[..., Any]
EXAMPLE = Path(__file__).parents[1] / "example" / "pairs.csv"
PAIRS = "a,b\nheart attack,acute MI\ngout,asthma\n"
LISTS = "case_id,rater,rank,diagnosis,reference\n1,m,1,gout,gout\n2,m,1,flu,gout\n"


def commands(group: App = app, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name in group:
        if not name.startswith("-"):
            yield from commands(group[name], (*path, name)) if group[name].default_command is None else [(*path, name)]


ALL = list(commands())


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    return tmp_path


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_help_is_in_plain_words_and_its_examples_can_be_typed(path: tuple[str, ...], command: Command) -> None:
    """The examples at its end are parsed by the very command; files in them need not be there."""
    done = command(*path, "-h")
    assert done.code == 0 and command("help", *path).out == command(*path, "--help").out == done.out
    assert "--quiet" in done.out and len(command(*path, "--help-all").out) >= len(done.out)
    group = reduce(lambda group, name: group[name], path, app)
    for argument in group.assemble_argument_collection():
        said = argument.parameter.help or ""
        assert len(said) > 7 and not re.search(r"\b(True|False|None|Sequence|Mapping)\b", said), (argument.name, said)
    examples = re.findall(r"(?:Example|Or): (?:.*? \| )?dxmatch (.+?)(?: > \S+)?$", group.help_epilogue, re.MULTILINE)
    assert examples and "Example: dxmatch" in done.out
    for words in map(shlex.split, examples):
        assert tuple(words[: len(path)]) == path
        files = ["x" if word == "-" else word for word in as_typed(words)]
        app.parse_args(files, exit_on_error=False, print_error=False)


def test_demo(here: Path, command: Command) -> None:
    done, folder = command("demo", "--output", "my demo"), here / "my demo"
    assert done.code == 0, done.err
    made = {"model", "held_out.csv", "scored.csv", "report.html", "matches.csv", "panel.html"}
    assert made <= {each.name for each in folder.iterdir()}
    if os.name != "nt":
        assert not [each for each in (folder, *folder.rglob("*")) if each.stat().st_mode & 0o077], "others can read it"
    assert str(folder.resolve() / "report.html") in done.out.replace("\n", "")
    pages = [(folder / name).read_text("utf-8") for name in ("report.html", "panel.html")]
    assert "top-1" in pages[0] and "RPAD" in pages[1]
    assert read_table(folder / "matches.csv").data.num_rows > 12 * 3


@pytest.mark.parametrize(("arguments", "words"), [
    ("match 'heart attack' 'acute MI'", "Match: probability 0.|\nWhy: |'acute MI' is compared as 'acute myocardial infarction'"),
    ("match 'no pneumonia' pneumonia", "No match|negated"),
    ("match gout GOUT -q", "Match|\nWhy: They are the same after normalisation.\n"),
    ("match 'heart attack' 'acute MI' --json --threshold 1", '"match": false|"threshold": 1.0|"relation": "related"'),
    ("match 'heart attack' 'acute MI' --policy strict", "No match|policy strict"),
    (f"match '{'боль ' * 90}' gout", "another script"),  # longer than any file's name
    ("explain Лихорадка fever", "not understood"), ("explain Лихорадка fever --judge-all", "No match"),
    ("explain 'type 1 diabetes' 'type 2 diabetes' --json", '"opposed": ['),
    ("icd t.csv --column b --k 3 --encoding cp1252 -o o.csv", "1 row mapped|Written: o.csv"),
    (f"icd '{'acute myocardial infarction of the anterior wall ' * 9}'", "acute myocardial infarction of the anterior wall " * 8),
    (f"votes ask {EXAMPLE} --dry-run --only vote_phi4 --only vote_qwen25_7b", "To ask"),
    (f"votes export {EXAMPLE} -o batches --only vote_phi4", "batches|22 of these equal on both sides"),
    (f"votes ask {EXAMPLE} --features offline --only contrast", "none: the set asks no language model"),
    (f"votes import {EXAMPLE} --verdict label_expert_1 --model expert", "answers kept"),
    ("metrics --quiet", "RPAD|chi_i = [mu_i > 0]"), ("version", "dxmatch 0."),
    # brackets are text, never the markup of the library that draws tables
    ("icd 'gout [/b]'", "gout [/b]"), ("explain 'gout [/b]' gout", "gout [/b]"),
    ("score t.csv --a 'a [/x]'", "a [/x]|gout [/b]"), ("evaluate l.csv", "m [/b]"),
    ("evaluate l.csv --columns predictions=m --columns predictions=gold", "predictions=…: given twice"),
])  # fmt: skip
def test_what_is_said(here: Path, command: Command, arguments: str, words: str) -> None:
    """A row of a table is not wrapped where there is no terminal."""
    Path("t.csv").write_text("a [/x],b\ngout [/b],gout\n")
    Path("l.csv").write_text("case,gold,m [/b]\n1,gout,gout [/b]\n2,sepsis,gout\n")
    done = command(*shlex.split(arguments))
    assert not [word for word in words.split("|") if word not in done.output], done
    assert "--json" not in arguments or json.loads(done.out)


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_from_standard_input_to_standard_output(form: str, here: Path) -> None:
    run = [sys.executable, "-m", "dxmatch.cli", "score", "-", "-o", f"-.{form}"]
    done = subprocess.run(
        run, input=PAIRS.encode(), capture_output=True, check=True, env={**os.environ, "TMPDIR": str(here)}
    )
    Path(f"out.{form}").write_bytes(done.stdout)
    assert read_table(here / f"out.{form}").names[:4] == ["a", "b", "probability", "match"]
    assert b"pairs 2, matches 1" in done.stderr
    assert [each.name for each in here.iterdir()] == [f"out.{form}"], "a temporary file is left"


def test_json_is_one_document_with_the_rows_that_no_file_takes(here: Path, command: Command) -> None:
    pq.write_table(pa.table({"a": ["gout"], "b": ["gout"]}), sink := io.BytesIO())
    told = json.loads(command("score", "-", "--json", given=sink.getvalue()).out)
    assert told["matches"] == 1 and [(row["a"], row["match"]) for row in told["rows"]] == [("gout", True)]
    Path("p.csv").write_text("a,b\ngout,gouty arthritis\nqwertz asdf,gout\n")
    assert [row["match"] for row in json.loads(command("score", "p.csv", "--json").out)["rows"]] == [True, None]
    assert "rows" not in json.loads(command("score", "p.csv", "--json", "-o", "s.csv").out)
    Path("t.csv").write_text("Dx,id\ngout,1\ngouty arthritis,2\n")  # a column of diagnoses is found by its usual names
    for asked, rows in (
        (("link", "t.csv", "t.csv"), "rows"),
        (("dedupe", "t.csv"), "rows"),
        (("icd", "t.csv"), "mapped"),
    ):
        assert len(json.loads(command(*asked, "--json").out)[rows]) == 2
    Path("l.csv").write_text(LISTS)
    assert json.loads(command("evaluate", "--json", "l.csv", "--metric", "top_k_accuracy").out)["table"]


def test_a_threshold_and_a_policy_reach_a_table_and_a_job(here: Path, command: Command) -> None:
    pq.write_table(pa.table({"a": ["heart attack"], "b": ["acute MI"]}), "p.parquet")
    for output, *given in (("s.csv", "--threshold", "1"), ("s.parquet", "--policy", "strict")):
        done = command("score", "p.parquet", "-o", output, "--json", *given)
        assert (json.loads(done.out)["matches"], done.code) == (0, 0), done.err
    Path("t.csv").write_text("Dx,id\ndiabetes,1\nT2DM,2\n")
    for policy, clusters in (("strict", 2), ("specification", 1)):
        assert json.loads(command("dedupe", "t.csv", "--policy", policy, "--json").out)["clusters"] == clusters


@pytest.mark.parametrize(("given", "said"), [
    ("--metric hdf1 --metric recall", "HDF1"), ("--k recall=all --k relative=2", "R_disease"), ("--k recall=4 --metrics recall", "R_disease@4"),
    ("--compare m=n --group one=m --group two=n", "group"), ("--metric recall --matches m.csv -o r.md", "Written: m.csv"),
])  # fmt: skip
def test_evaluate(here: Path, command: Command, given: str, said: str) -> None:
    rows = [f"{i},{model},1,{word},gout\n" for i in "12" for model, word in (("m", "gout"), ("n", "influenza"))]
    Path("l.csv").write_text("".join([LISTS.partition("\n")[0], "\n", *rows]))
    done = command("evaluate", "l.csv", "--resamples", "20", *given.split())
    assert done.code == 0 and said in done.out, done
    if "m.csv" in given:
        rows = read_table(here / "m.csv").data.to_pylist()
        told = {(row["algorithm"], row["diagnosis"], row["reference"], row["match"], row["relation"]) for row in rows}
        assert len(rows) == 4 and ("m", "gout", "gout", "true", "same") in told


@pytest.mark.parametrize("content", [
    "a;b\ngout;gout\n", '\ufeff{"a": "gout", "b": "gout"}\n{"a": "x", "b": "y"}',
    '[{"a": "gout",\n "b": "gout"}]', "a\tb\ngout\tgout\n".encode("utf-16"),
])  # fmt: skip
def test_what_comes_in_is_known_by_its_beginning(content: str | bytes, here: Path, command: Command) -> None:
    rows = json.loads(command("score", "-", "--json", given=content).out)["rows"]
    assert (rows[0]["a"], rows[0]["match"]) == ("gout", True)
