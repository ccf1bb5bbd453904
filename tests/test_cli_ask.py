"""`dxmatch ask` as a user types it: to lists that `dxmatch evaluate` takes, its exit codes, what it says first."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
pytest.importorskip("stamina", reason="asking a language model needs the extra 'llm'")


@pytest.fixture
def here(tmp_path: Path, loopback: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("my.toml").write_text(f'[endpoint.lab]\nurl = "{loopback.url}"\ntries = 1\n')
    Path("notes").mkdir()
    Path("notes/7.txt").write_text("Crushing pain in the chest.")
    Path("notes/8.txt").write_text("A red and swollen toe.")
    Path("gold.csv").write_text("case_id,reference\n7,heart attack\n8,gout\n")
    loopback.rules({"contains": "Crushing", "text": "1. Acute myocardial infarction"}, {"text": "1. Gout\n2. Sepsis"})
    return tmp_path


def test_notes_to_a_report(here: Path, command: Callable[..., Any], loopback: Any) -> None:
    asking = ("ask", "notes", "--endpoints", "my.toml", "-m", "lab:big", "--prompt", "free", "--prompt", "json")
    dry = command(*asking, "--dry-run")
    assert dry.code == 0 and "To ask: 4 questions" in dry.out and loopback.log()["calls"] == 0
    done = command(*asking, "-o", "lists.csv")
    assert done.code == 0 and "Written: lists.csv" in done.out and loopback.log()["calls"] == 4
    assert done.out.index("To ask: 4 questions") < done.out.index("4 answers kept")
    assert "big [json]: 2 lists of 1.5 diagnoses on average." in done.out
    report = command(
        "evaluate", "lists.csv", "--references", "gold.csv", "--metrics", "recall", "--resamples", "0", "--full"
    )
    assert report.code == 0 and "big [free]" in report.out and "big [json]" in report.out


def test_what_is_missing_ends_with_1(here: Path, command: Callable[..., Any], loopback: Any) -> None:
    asking = ("ask", "notes", "--endpoints", "my.toml", "-m", "lab:big", "-o", "lists.csv")
    capped = command(*asking, "--max-calls", "1")
    assert capped.code == 1 and "1 of 2 lists are missing" in capped.out and "Run this again" in capped.out
    assert Path("lists.csv").read_text().count("[free]") in (1, 2)
    assert command(*asking).code == 0 and loopback.log()["calls"] == 2


def test_batches(here: Path, command: Callable[..., Any], loopback: Any) -> None:
    asking = ("ask", "notes", "--endpoints", "my.toml", "-m", "lab:big")
    exported = command(*asking, "--export", "batches")
    assert exported.code == 0 and "Written: batches" in exported.out
    (file,) = Path("batches").iterdir()
    results = [
        {
            "custom_id": json.loads(line)["custom_id"],
            "response": {
                "status_code": 200,
                "body": {"choices": [{"message": {"content": "1. Gout"}, "finish_reason": "stop"}]},
            },
        }
        for line in file.read_text().splitlines()
    ]
    Path("results.jsonl").write_text("\n".join(map(json.dumps, results)))
    taken = command(*asking, "--import", "results.jsonl", "-o", "lists.csv")
    assert taken.code == 0 and "2 new answers" in taken.out and loopback.log()["calls"] == 0
    assert Path("lists.csv").read_text().count("Gout") == 2


def test_a_batch_of_a_prompt_file_is_taken_in_by_ask_alone(
    here: Path, command: Callable[..., Any], loopback: Any
) -> None:
    Path("mine.txt").write_text("Diagnose this: {case}")
    asking = ("ask", "notes", "--endpoints", "my.toml", "-m", "lab:big", "--prompt", "mine.txt", "--store", "s.sqlite")
    assert command(*asking, "--export", "batches").code == 0
    (file,) = Path("batches").iterdir()
    body = {"choices": [{"message": {"content": "1. Gout"}, "finish_reason": "stop"}]}
    ids = [json.loads(line)["custom_id"] for line in file.read_text().splitlines()]
    results = [{"custom_id": id, "response": {"status_code": 200, "body": body}} for id in ids]
    Path("results.jsonl").write_text("\n".join(map(json.dumps, results)))
    refused = command("votes", "import", "results.jsonl", "--store", "s.sqlite")
    assert refused.code == 1
    assert "results.jsonl, line 1: answers to a prompt file of cases, left out" in refused.err
    assert "dxmatch ask CASES --prompt FILE --results RESULTS" in refused.err
    taken = command(*asking, "--import", "results.jsonl", "-o", "lists.csv")
    assert taken.code == 0 and "2 new answers" in taken.out


def test_parameters_and_columns(here: Path, command: Callable[..., Any], loopback: Any) -> None:
    Path("cases.csv").write_text("who,a,b\n1,Crushing,pain\n")
    done = command(
        "ask", "cases.csv", "--endpoints", "my.toml", "-m", "lab:big", "--columns", "case_id=who", "--columns", "text=a,b",
        "--parameter", "temperature=null", "--parameter", "top_p=0.5", "--parameter", "reasoning_effort=low",
    )  # fmt: skip
    assert done.code == 0, done.err
    body = loopback.log()["requests"][0]["body"]
    assert "temperature" not in body and (body["top_p"], body["reasoning_effort"]) == (0.5, "low")
    assert "a: Crushing" in body["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("-m", "big"), 1, "ENDPOINT:MODEL, such as lab:big"),
        ((), 2, "--model"),
        (("-m", "lab:big", "--parameter", "top_p"), 2, "expected NAME=VALUE"),
        (("-m", "lab:big", "-o", "lists.txt"), 1, "an output of an unknown kind"),
        (("-m", "lab:big", "--repeats", "0"), 1, "--repeats"),
    ],
)
def test_wrong_usage(
    here: Path, command: Callable[..., Any], options: tuple[str, ...], code: int, message: str
) -> None:
    done = command("ask", "notes", "--endpoints", "my.toml", *options)
    assert done.code == code and message in done.err + done.out


def test_published_files_to_a_report_by_subset(here: Path, command: Callable[..., Any], loopback: Any) -> None:
    for name, info in {"Hospital": "Crushing pain in the chest.", "Website": "A red and swollen toe."}.items():
        case = {"patient_id": 1, "patient_info": info, "laboratory_tests": "Urate 9.", "diagnosis": "gout"}
        (here / "hpb").mkdir(exist_ok=True)
        (here / "hpb" / f"{name}.json").write_text(json.dumps([case]))
    asking = ("--endpoints", "my.toml", "-m", "lab:big", "-o", "lists.csv")
    assert command("ask", "hpb/Hospital.json", "hpb/Website.json", *asking).code == 0
    lists = Path("lists.csv").read_text()
    assert command("ask", "hpb", *asking).code == 0 and Path("lists.csv").read_text() == lists
    assert "Hospital/1" in lists and loopback.log()["calls"] == 2
    report = command(
        "evaluate",
        "lists.csv",
        "--references",
        "hpb",
        "--metrics",
        "recall",
        "--by",
        "subset",
        "--resamples",
        "0",
        "--full",
    )
    assert report.code == 0 and "Hospital" in report.out and "Website" in report.out, report.out + report.err
