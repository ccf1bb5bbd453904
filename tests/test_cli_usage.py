"""The command line's manners: help, `-`, --json, --quiet, completion, and what is answered to what a user types first."""

from __future__ import annotations

import io
import json
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cyclopts import App

from dxmatch.cli.main import app
from dxmatch.cli.streams import Streams, suffix_of
from dxmatch.cli.usage import as_typed
from dxmatch.files.file_names import is_file_name
from dxmatch.files.tables import read_table

Command = Callable[..., Any]
PAIRS = "a,b\nheart attack,acute MI\ngout,asthma\n"


def commands(group: App = app, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name in group:
        if not name.startswith("-"):
            yield from commands(group[name], (*path, name)) if group[name].default_command is None else [(*path, name)]


ALL = list(commands())


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, command: Command) -> Command:
    """`typed(content, *arguments)`: a command with this on its standard input."""

    def run(content: str | bytes, *arguments: object) -> Any:
        raw = content.encode() if isinstance(content, str) else content
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        return command(*arguments)

    return run


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_help_is_in_plain_words_and_ends_with_an_example(path: tuple[str, ...], command: Command) -> None:
    done = command(*path, "-h")
    assert done.code == 0 and command("help", *path).out == command(*path, "--help").out == done.out
    for argument in reduce(lambda group, name: group[name], path, app).assemble_argument_collection():
        said = argument.parameter.help or ""
        assert len(said) > 7 and not re.search(r"\b(True|False|None|Sequence|Mapping)\b", said), (argument.name, said)
    assert "--quiet" in done.out
    assert "Example: dxmatch" in done.out


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_example_has_options_that_there_are(
    path: tuple[str, ...], command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is printed is parsed by the very command; files in it need not be there."""
    monkeypatch.setenv("COLUMNS", "500")
    examples = re.findall(
        r"(?:Example|Or): (.*? \| )?dxmatch (.+?)(?: > \S+)?$", command(*path, "--help").out, re.MULTILINE
    )
    assert examples
    for _, example in examples:
        words = shlex.split(example)
        assert tuple(words[: len(path)]) == path, example
        app.parse_args(as_typed(words), exit_on_error=False, print_error=False)


def test_match(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    done = command("match", "heart attack", "acute MI")
    assert done.code == 0 and done.out.startswith("Match: probability 0."), done
    assert "'acute MI' as 'acute myocardial infarction'" in done.out
    assert len(done.out.splitlines()) == 3
    negated = command("match", "no pneumonia", "pneumonia").out
    assert negated.startswith("No match") and "negated" in negated
    assert command("match", "gout", "GOUT").out.splitlines()[1] == "Why: They are the same after normalisation."


def test_match_as_json_under_a_threshold_and_a_policy(command: Command) -> None:
    told = json.loads(command("match", "heart attack", "acute MI", "--json", "--threshold", "1").out)
    assert (told["match"], told["threshold"], told["relation"]) == (False, 1.0, "broader")
    strict = json.loads(command("match", "heart attack", "acute MI", "--json", "--policy", "strict").out)
    assert strict["policy"] == "strict" and strict["probability"] < told["probability"]
    assert "--threshold must be a number from 0 to 1" in command("match", "gout", "gout", "--threshold", "7").err


@pytest.mark.parametrize(
    "text", ["E. coli", "M.I.", "St. Elmo", "w/ CKD", "and/or gout", "type 2.5", "vitamin B12 def."]
)
def test_a_diagnosis_with_a_point_is_no_file(text: str) -> None:
    assert not is_file_name(text)


@pytest.mark.parametrize(
    "text", ["a.csv", "my lists.XLSX", "book.xlsx#Sheet1", "./x", "../x", "/tmp/x", "~/x", r"C:\x", "d.txt"]
)
def test_a_file_s_name_is_one(text: str) -> None:
    assert is_file_name(text)


@pytest.mark.parametrize(("arguments", "said"), [
    ("match a.csv b.csv", "no such file is there"),
    ("explain x.xlsx gout", "no such file is there"),
    ("match pairs.csv", "dxmatch score pairs.csv"),
    ("icd d.txt", "no such file"),
    ("icd none.csv", "no such file"),
    ("icd gout d.txt", "the name of a file"),
    ("icd x.csv --column a --column b", "--column"),
    ("heart attack", 'dxmatch match "heart attack"'),
    ("pairs.csv", "dxmatch score pairs.csv"),
    ("scor x.csv", "dxmatch score"),
    ("votes sttus", "status"),
    ("score x.csv --matchr m", "--matcher"),
    ("score x.csv --model m", "--model is now --matcher"),
    ("evaluate x.csv --bootstrap 0", "--bootstrap is now --resamples"),
    ("score folder", "no such file"),
    ("score - -o -.pdf", ".csv"),
    ("score - -o - --json", "--json prints to standard output"),
    ("evaluate - --references -", "given twice"),
])  # fmt: skip
def test_what_is_refused_and_how(
    arguments: str, said: str, typed: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "500")
    done = typed(PAIRS, *shlex.split(arguments))
    assert done.code in (1, 2) and said in done.err, done
    assert not done.out and "Traceback" not in done.err and not list(tmp_path.iterdir())


def test_words_for_help_and_version(command: Command) -> None:
    assert command("version").out == command("--version").out
    assert command("help").out == command("-h").out
    assert "dxmatch match" in command().out


def test_a_table_s_name_without_its_suffix_is_doubted(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gout.csv").touch()
    done = command("icd", "gout")
    assert done.code == 0 and "M10" in done.out and "dxmatch icd gout.csv" in done.err


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "xlsx", "parquet"])
def test_from_standard_input_to_standard_output(
    form: str, typed: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kept, places = tmp_path / f"out.{form}", []

    def deliver(streams: Streams) -> None:
        places.append(streams.output)
        kept.write_bytes(streams.output.read_bytes())

    monkeypatch.setattr(Streams, "deliver", deliver)
    done = typed(PAIRS, "score", "-", "-o", f"-.{form}")
    assert done.code == 0 and not done.out and "standard output: 2 pairs, 1 match" in done.err, done
    assert read_table(kept).names[:4] == ["a", "b", "probability", "match"]
    assert not places[0].exists(), "the temporary file is left"


def test_only_data_is_on_standard_output(typed: Command) -> None:
    done = typed(PAIRS, "score", "-", "-o", "-")
    assert done.out.splitlines()[0].startswith('"a","b","probability","match"') and len(done.out.splitlines()) == 3
    quiet = typed(PAIRS, "score", "-", "-o", "-", "-q")
    assert (quiet.out, quiet.err) == (done.out, "")
    codes = typed('{"diagnosis": "gout"}\n', "icd", "-", "-o", "-.jsonl")
    assert json.loads(codes.out)["icd10"] == "M10"


def test_errors_name_the_stream(typed: Command) -> None:
    assert typed("", "score", "-").err == "dxmatch: standard input: nothing came. Allowed: a table with a header.\n"
    broken = typed("a,b\ngout,gout\nx,y,z\n", "score", "-").err
    assert broken.startswith("dxmatch: standard input, row 3: 3 values") and "--rejects FILE" in broken
    assert "--rejects FILE" in typed('{"a": "x", "b": "y"}\n{"a"\n', "score", "-").err


@pytest.mark.parametrize(("head", "suffix"), [
    (b"a,b\n1,2\n", ".csv"), (b"a;b\n", ".csv"), (b"a\tb\n", ".tsv"), (b'{"a": 1}\n{"a": 2}\n', ".jsonl"), (b'\xef\xbb\xbf{"a": 1}', ".jsonl"),
    (b'{\n "a": 1}', ".json"), (b'[{"a": 1}]', ".json"), (b"PAR1...", ".parquet"), (b"PK\x03\x04...", ".xlsx"), ("a\tb\n".encode("utf-16"), ".tsv"),
])  # fmt: skip
def test_what_comes_in_is_known_by_its_beginning(head: bytes, suffix: str) -> None:
    assert suffix_of(head) == suffix


def test_parquet_by_standard_input(typed: Command) -> None:
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": ["gout"], "b": ["gout"]}), sink)
    told = typed(sink.getvalue(), "score", "-", "--json")
    document = json.loads(told.out)
    assert document["matches"] == 1, told
    assert [(row["a"], row["match"]) for row in document["rows"]] == [("gout", True)]


def test_rows_are_in_the_document_where_no_table_is_written(command: Command, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("a,b\ngout,gouty arthritis\nqwertz asdf,gout\n")
    told = json.loads(command("score", tmp_path / "p.csv", "--json", "--add", "features").out)
    assert [row["match"] for row in told["rows"]] == [True, None] and told["rows"][0]["probability"] > 0.5
    written = command("score", tmp_path / "p.csv", "--json", "-o", tmp_path / "s.csv")
    assert "rows" not in json.loads(written.out)
    (tmp_path / "t.csv").write_text("term\ngout\ngouty arthritis\n")
    for asked in (("link", tmp_path / "t.csv", tmp_path / "t.csv"), ("dedupe", tmp_path / "t.csv")):
        assert len(json.loads(command(*asked, "--json").out)["rows"]) == 2


@pytest.mark.parametrize("arguments", [("lists.csv", "--json"), ("--json", "--resamples", "0", "lists.csv")])
def test_evaluate_has_json_as_the_others(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lists.csv").write_text("case_id,rater,rank,diagnosis,reference\n1,m,1,gout,gout\n2,m,1,flu,gout\n")
    done = command("evaluate", *arguments, "--metric", "top_k_accuracy")
    assert done.code == 0 and json.loads(done.out)["table"]


def test_score_without_an_output_shows_the_first_rows(typed: Command) -> None:
    shown = typed(PAIRS, "score", "-")
    assert "heart attack" in shown.out and "-o FILE writes all" in shown.out
    assert "/dxmatch-" not in shown.out + shown.err


def test_quiet_keeps_the_result_and_drops_words_about_it(command: Command, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(PAIRS)
    written = command("score", tmp_path / "p.csv", "-o", tmp_path / "s.csv", "--quiet")
    assert (written.code, written.out, written.err) == (0, "", "") and (tmp_path / "s.csv").is_file()
    assert command("-q", "match", "gout", "gout").out.startswith("Match")
    assert "RPAD" in command("metrics", "-q").out


def test_a_threshold_of_ones_own(command: Command, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": ["heart attack"], "b": ["acute MI"]}), tmp_path / "p.parquet")
    for output in ("s.csv", "s.parquet"):
        for threshold, matches in (("1", 0), ("0.5", 1)):
            done = command("score", tmp_path / "p.parquet", "-o", tmp_path / output, "--threshold", threshold, "--json")
            assert (json.loads(done.out)["matches"], done.code) == (matches, 0), done.err
            (tmp_path / output).unlink()


def test_metrics_as_json(command: Command) -> None:
    told = json.loads(command("metrics", "--json").out)
    assert {"name", "symbol", "formula", "range", "source"} <= told[0].keys()


def test_in_a_pipe_no_row_is_wrapped_but_where_columns_says_so(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    long = "acute myocardial infarction of the anterior wall " * 4
    assert long.strip() in command("icd", long).out
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, command("icd", long).out.splitlines())) <= 60


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str) -> None:
    script = app.generate_completion(shell=shell)  # type: ignore[arg-type]
    assert all(word in script for word in ("score", "narrower-counts", "--judge.model", "status"))


def test_what_python_calls_a_parameter_is_called_by_its_option(command: Command, tmp_path: Path) -> None:
    model = Path(__file__).parents[1] / "models" / "offline-en"
    (tmp_path / "p.csv").write_text("a,b,label\nx,y,1\n")
    assert "--overwrite" in command("train", tmp_path / "p.csv", "-o", model).err
