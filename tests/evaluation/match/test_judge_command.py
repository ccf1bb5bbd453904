"""`dxmatch evaluate` with a judge of whole answers, its check, people, and models that classify; against a server on loopback."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dxmatch
from dxmatch.files.tables import read_table

pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")

Command = Callable[..., Any]
LONG = "The stomach is inflamed.\n\n1. Gastritis, since it hurts after meals and the endoscopy shows it.\n2. Anemia: the hemoglobin is low."
TALK = "I would rather not name anything before the next visit, as nothing here is clear to me."
ANSWERS = [
    {"case_id": "1", "reference": "chronic gastritis; iron deficiency anemia", "gpt": LONG, "claude": "1. Gout\n2. Sepsis"},
    {"case_id": "2", "reference": "gout", "gpt": "1. Podagra\n2. Sepsis", "claude": TALK},
]  # fmt: skip
YES, NO = '{"verdict": "included", "basis": "it stands there"}', '{"verdict": "not included", "basis": "it does not"}'
JUDGE = ("evaluate", "answers.json", "--endpoints", "e.toml", "--resamples", "20", "--judge.model", "lab:strict")


@pytest.fixture
def here(tmp_path: Path, loopback: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("e.toml").write_text(f'[endpoint.lab]\nurl = "{loopback.url}"\ntries = 1\n')
    Path("answers.json").write_text(json.dumps(ANSWERS))
    return tmp_path


def test_judgements_and_reports_as_files(here: Path, command: Command, loopback: Any) -> None:
    """The basis comes out; the same from Python, of the store."""
    loopback.rules({"model": "strict", "contains": "Podagra", "text": YES}, {"model": "strict", "text": NO}, {"text": "Correct. Nothing of it is said."})  # fmt: skip
    done = command(*JUDGE, "--judge.check", "lab:checker", "--judgements", "j.csv", "-o", "r.json", "-o", "r.html")
    assert done.code == 0 and [f"Written: r.{kind}" in done.out for kind in ("json", "html")] == [True] * 2
    rows = read_table(here / "j.csv").data.to_pylist()
    (gout,) = [row for row in rows if row["reference"] == "gout" and row["algorithm"] == "claude"]
    names = ("answer", "judge", "judge_basis", "check", "check_basis", "included")
    said = [TALK, "not included", "it does not", "correct", "Nothing of it is said.", "false"]
    assert len(rows) == 6 and [gout[name] for name in names] == said
    report = json.loads(Path("r.json").read_text("utf-8"))
    page = Path("r.html").read_text("utf-8")
    assert "gout: not included. judge: not included (it does not); check: correct (Nothing of it is said.)." in page
    calls, asking = loopback.log()["calls"], dxmatch.Asking(endpoints="e.toml", max_calls=0)
    judge = dxmatch.Judge(model="lab:strict", check="lab:checker")
    resampling = dxmatch.Resampling(resamples=20)
    again = dxmatch.evaluate("answers.json", judge=judge, asking=asking, resampling=resampling)
    assert json.loads(again.to_json())["table"] == report["table"] and loopback.log()["calls"] == calls


def test_where_all_calls_fail_the_figures_are_there_all_the_same(here: Path, command: Command, loopback: Any) -> None:
    loopback.rules({"status": 400})
    options = ("--graded.relation", "lab:m", "--graded.severity", "lab:m", "--endpoints", "e.toml")
    failed = command("evaluate", "answers.json", *options, "--resamples", "0", "-o", "r.json")
    assert failed.code == 1 and failed.out.count("questions failed") == 2 and Path("r.json").exists()


def test_prompts_that_lack_something(here: Path, command: Command) -> None:
    Path("bad.txt").write_text("Is it there?")
    assert "{reference}, {answer}" in command(*JUDGE, "--judge.prompt", "bad.txt").err


def test_an_endpoint_that_is_down_is_named_at_once(here: Path, command: Command) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    Path("e.toml").write_text(f'[endpoint.lab]\nurl = "{url}"\n')
    start = time.monotonic()
    said = command(*JUDGE).err
    assert time.monotonic() - start < 10
    assert url in said and "onnect" in said and "the judge strict answered none of" in said and "first failure" in said


def test_a_judge_reads_answers_that_no_list_could_be_read_from(here: Path, command: Command, loopback: Any) -> None:
    rows = [
        {"case_id": str(i), "reference": "gout", "gpt": f"{TALK} {i}", "claude": f"{TALK} Visit {i}."} for i in "ab"
    ]
    Path("answers.json").write_text(json.dumps(rows))
    loopback.rules({"contains": "Visit", "text": NO}, {"text": YES})
    assert "no diagnosis could be read from any answer" in command("evaluate", "answers.json").err
    assert command(*JUDGE, "--judge.check", "none", "-o", "w.json").code == 0
    report = json.loads(Path("w.json").read_text("utf-8"))
    value = {(row["algorithm"], row["metric"], row["of"]): row["value"] for row in report["table"]}
    assert value["gpt", "R_disease", "judge"] == 1 and value["claude", "R_disease", "judge"] == 0
    assert value["gpt", "R_disease", ""] == 0
