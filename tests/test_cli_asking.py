"""Commands that ask language models, as a user types them: `ask` and `votes`, against a server on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
ASK = ("ask", "notes", "--endpoints", "e.toml", "-m", "lab:big")


@pytest.fixture
def here(tmp_path: Path, loopback: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("e.toml").write_text(f'[endpoint.lab]\nurl = "{loopback.url}"\ntries = 1\n')
    Path("notes").mkdir()
    Path("notes/7.txt").write_text("Crushing pain in the chest.")
    Path("notes/8.txt").write_text("A red and swollen toe.")
    Path("gold.csv").write_text("case_id,reference\n7,heart attack\n8,gout\n")
    return tmp_path


def test_notes_to_a_report(here: Path, command: Command, loopback: Any) -> None:
    loopback.rules({"contains": "Crushing", "text": "1. Acute myocardial infarction"}, {"text": "1. Gout\n2. Sepsis"})
    asking = (*ASK, "--prompt", "free", "--prompt", "json")
    dry = command(*asking, "--dry-run")
    assert dry.code == 0 and "To ask: 4 questions" in dry.out and loopback.log()["calls"] == 0
    capped = command(*asking, "-o", "lists.csv", "--max-calls", "1")
    assert capped.code == 1 and "3 of 4 lists are missing" in capped.out and "Run this again" in capped.out
    done = command(*asking, "-o", "lists.csv")
    assert done.code == 0 and "Written: lists.csv" in done.out and loopback.log()["calls"] == 4
    assert done.out.index("To ask: 3 questions") < done.out.index("3 answers kept")
    assert "big [json]: 2 lists of 1.5 diagnoses on average." in done.out
    given = ("--references", "gold.csv", "--metrics", "recall", "--resamples", "0", "--full")
    report = command("evaluate", "lists.csv", *given)
    assert report.code == 0 and "big [free]" in report.out and "big [json]" in report.out


VOTE = '[[feature]]\nname = "vote_{}"\nkind = "vote"\nmodel = "{}"\nendpoint = "batches"\n'
SET = '[endpoint.batches]\nurl = "http://localhost:9/v1"\n' + VOTE.format("a", "org/model-a")
SET += (
    VOTE.format("b", "model-b")
    + 'prompt = "same.txt"\nsoft = true\n[[feature]]\nname = "levenshtein"\nkind = "levenshtein"\n'
)
FAR = (
    'kind = "icd_pick"\nmodel = "m"\nendpoint = "batches"\nencoder = "far"\n[encoder.far]\nmodel = "./no-such-folder"\n'
)


def test_votes_by_batch_files(here: Path, command: Command) -> None:
    """Of three different pairs two are equal after normalisation; so one question for each of two models."""
    Path("same.txt").write_text("Same? {data}")
    Path("set.toml").write_text(SET)
    Path("far.toml").write_text(f'{SET}[[feature]]\nname = "p"\n{FAR}')
    Path("pairs.csv").write_text("a,b\nheart attack,myocardial infarction\nAngina,fever\nfever,Angina\nrash,Rash!\n")
    for arguments, said in {
        "check": "no such vote store", "import pairs.csv": "verdict", "ask pairs.csv --features set.toml --only votes_a": "did you mean 'vote_a'",
        "ask pairs.csv --features offline --only contrast": "none: the set asks no language model",
        "ask pairs.csv --features far.toml --dry-run": "the encoder 'far' is at './no-such-folder'",
        "ask pairs.csv --matcher m --abbreviations set.toml": "--abbreviations",
    }.items():  # fmt: skip
        done = command("votes", *arguments.split())
        assert done.code in (1, 2) and said in done.output, done
    exported = command("votes", "export", "pairs.csv", "--features", "set.toml", "-o", "batches")
    assert "2 of these equal on both sides" in exported.out
    requests = [json.loads(file.read_text())["custom_id"] for file in sorted((here / "batches").iterdir())]
    said = [
        {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]} for text in ("Yes, they are.", "No.")
    ]
    lines = (
        {"custom_id": one, "response": {"status_code": 200, "body": of}} for one, of in zip(requests, said, strict=True)
    )
    Path("results.jsonl").write_text("\n".join(map(json.dumps, lines)))
    taken = command("votes", "ask", "pairs.csv", "--results", "results.jsonl", "--features", "set.toml")
    assert taken.code == 0 and "2 answers kept" in taken.out, taken
    status = command("votes", "status").out
    assert "org/model-a, prompt vote-2" in status and status.count("1 answer, 1 match, 0 unscored") == 1
    assert status.count("1 answer, 0 match, 0 unscored") == 1
    assert "Nothing to ask" in command("votes", "ask", "pairs.csv", "--features", "set.toml").out
