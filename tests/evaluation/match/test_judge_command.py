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
HUMAN = "case_id,model,reference,label\n1,gpt,chronic gastritis,0\n1,gpt,iron deficiency anemia,1\n2,claude,gout,0\n2,gpt,gout,1\n"
LISTS = (
    "case_id,rater,role,rank,diagnosis,severity\n1,gold,reference,1,gout,moderate\n2,gold,reference,1,measles,severe\n"
)
LISTS += "1,model,algorithm,1,arthritis,\n1,model,algorithm,2,gout,\n2,model,algorithm,1,measles,\n2,model,algorithm,2,rubella,\n"
JUDGE = ("evaluate", "answers.json", "--endpoints", "e.toml", "--resamples", "20", "--judge.model", "lab:strict")


@pytest.fixture
def here(tmp_path: Path, loopback: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("e.toml").write_text(f'[endpoint.lab]\nurl = "{loopback.url}"\ntries = 1\n')
    Path("answers.json").write_text(json.dumps(ANSWERS))
    Path("human.csv").write_text(HUMAN)
    Path("lists.csv").write_text(LISTS)
    return tmp_path


def values(path: str) -> dict[tuple[str, str, str], float]:
    rows = json.loads(Path(path).read_text("utf-8"))["table"]
    return {(row["algorithm"], row["metric"], row["of"]): row["value"] for row in rows}


def test_a_judge_and_its_check_and_people(here: Path, command: Command, loopback: Any) -> None:
    """The whole answer goes in and the basis comes out; the same from Python, of the store."""
    loopback.rules(
        {"model": "strict", "contains": '\\"reference\\": \\"gout\\",\\n\\"answer\\": \\"1. Podagra', "text": YES},
        {"model": "strict", "text": NO},
        {"model": "checker", "contains": "iron deficiency", "text": '{"verdict": "incorrect", "basis": "too strict"}'},
        {"model": "checker", "text": "Correct. Nothing of it is said."},
    )
    asked = (*JUDGE, "--judge.check", "lab:checker", "--judge.ask-equal", "--judge.human", "human.csv")
    done = command(*asked, "--judgements", "j.csv", "-o", "r.json", "-o", "r.html", "-o", "r.csv")
    assert done.code == 0 and [f"Written: r.{kind}" in done.out for kind in ("json", "html", "csv")] == [True] * 3
    requests = [request["body"] for request in loopback.log()["requests"]]
    seen = [body["messages"][0]["content"] for body in requests if body["model"] == "strict"]
    # six questions: two references and one, of two models; the answer is given as it was written, an unreadable one, too
    assert len(seen) == 6
    assert sum(json.dumps(LONG)[1:-1] in text for text in seen) == 2 and sum(TALK in text for text in seen) == 1
    rows = read_table(here / "j.csv").data.to_pylist()
    told = {(str(row["case_id"]), row["algorithm"], row["reference"]): row for row in rows}
    said = lambda row: tuple(row[name] for name in ("judge", "judge_basis", "check", "check_basis", "included"))  # noqa: E731
    anemia, gout = told["1", "gpt", "iron deficiency anemia"], told["2", "claude", "gout"]
    assert len(told) == 6 and gout["answer"] == TALK
    assert said(anemia) == ("not included", "it does not", "incorrect", "too strict", "true")
    assert said(gout) == ("not included", "it does not", "correct", "Nothing of it is said.", "false")
    value = values("r.json")
    assert value["gpt", "R_disease", "judge"] == pytest.approx(2 / 3) and value["gpt", "R_patient", "judge"] == 0.5
    report = json.loads(Path("r.json").read_text("utf-8"))
    agreement = {(row["who"], row["metric"]): row["value"] for row in report["tables"]["human.agreement"]}
    # by hand: the judge misses the anemia, the check finds it
    assert agreement["judge", "accuracy"] == 0.75 and agreement["judge and check", "accuracy"] == 1
    assert read_table(here / "r.csv").data.num_rows == len(report["table"])
    page = Path("r.html").read_text("utf-8")
    assert "iron deficiency anemia: included. judge: not included (it does not); check: incorrect (too strict)." in page
    calls, asking = loopback.log()["calls"], dxmatch.Asking(endpoints="e.toml", max_calls=0)
    judge = dxmatch.Judge(model="lab:strict", check="lab:checker", ask_equal=True, human="human.csv")
    resampling = dxmatch.Resampling(resamples=20)
    again = dxmatch.evaluate("answers.json", judge=judge, asking=asking, resampling=resampling)
    assert json.loads(again.to_json())["table"] == report["table"] and loopback.log()["calls"] == calls


def test_relation_and_severity_of_a_language_model(here: Path, command: Command, loopback: Any) -> None:
    """The classes are the first ones: an exact synonym, mild. Where all calls fail, the figures are there all the same."""
    asked = ("evaluate", "lists.csv", "--k", "2", "--resamples", "0", "--endpoints", "e.toml", "-o", "r.json")
    asked += ("--graded.relation", "lab:m", "--graded.severity", "lab:m")
    loopback.rules({"status": 400})
    failed = command(*asked)
    assert failed.code == 1 and failed.out.count("questions failed") == 2 and Path("r.json").exists()
    loopback.rules({"text": "1"})
    assert command(*asked).code == 0 and values("r.json")["model", "Semantic", ""] == 16.0


def test_prompts_from_files(here: Path, command: Command, loopback: Any) -> None:
    Path("mine.txt").write_text("Enthält die Antwort {answer} die Krankheit {reference}? Yes or No, and why.")
    loopback.rules({"text": "No. It does not."})
    given = (*JUDGE, "--judge.check", "none", "--judge.prompt")
    assert command(*given, "mine.txt", "--judgements", "j.jsonl").code == 0
    assert all("Enthält die Antwort" in r["body"]["messages"][0]["content"] for r in loopback.log()["requests"])
    rows = [json.loads(line) for line in Path("j.jsonl").read_text("utf-8").splitlines()]
    assert "It does not." in {row["judge_basis"] for row in rows}
    Path("bad.txt").write_text("Is it there?")
    assert "{reference}, {answer} is missing" in command(*given, "bad.txt").err
    assert "verdict and its basis" in command(*given, "judge-strict-1").err


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
        {"case_id": str(i), "reference": "gout", "gpt": f"{TALK} Visit {i}.", "claude": f"{TALK} {i}"} for i in range(4)
    ]
    Path("words.json").write_text(json.dumps(rows))
    loopback.rules({"contains": "Visit", "text": YES}, {"text": NO})
    assert "no diagnosis could be read from any answer" in command("evaluate", "words.json").err
    done = command("evaluate", "words.json", *JUDGE[2:], "--judge.check", "none", "-o", "w.json")
    assert done.code == 0, done.output
    told = " ".join(one["sentence"] for one in json.loads(Path("w.json").read_text("utf-8"))["findings"])
    assert "every metric of the match function counts them as empty lists" in told
    value = values("w.json")
    assert value["gpt", "R_disease", "judge"] == 1 and value["claude", "R_disease", "judge"] == 0
    assert value["gpt", "R_disease", ""] == 0
