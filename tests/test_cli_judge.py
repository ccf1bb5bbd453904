"""`dxmatch evaluate` with a judge of whole answers, its check, its basis, and labels by humans."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path
from typing import Any

import pytest

import dxmatch
from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.files.tables import read_table
from dxmatch.tests.command_line import Done, invoke

pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")

LONG = "The stomach is inflamed.\n\n1. Gastritis, since it hurts after meals and the endoscopy shows it.\n2. Anemia: the hemoglobin is low."
TALK = "I would rather not name anything before the next visit, as nothing here is clear to me."
ANSWERS = [
    {
        "case_id": "1",
        "reference": "chronic gastritis; iron deficiency anemia",
        "gpt": LONG,
        "claude": "1. Gout\n2. Sepsis",
    },
    {"case_id": "2", "reference": "gout", "gpt": "1. Podagra\n2. Sepsis", "claude": TALK},
]
YES, NO = '{"verdict": "included", "basis": "it stands there"}', '{"verdict": "not included", "basis": "it does not"}'
HUMAN = "case_id,model,reference,label\n1,gpt,chronic gastritis,0\n1,gpt,iron deficiency anemia,1\n2,claude,gout,0\n2,gpt,gout,1\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loopback: Any) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers.json").write_text(json.dumps(ANSWERS))
    (tmp_path / "human.csv").write_text(HUMAN)
    (tmp_path / "e.toml").write_text(f'[endpoint.local]\nurl = "{loopback.url}"\ntries = 1\n')
    loopback.rules(
        {"model": "strict", "contains": '\\"reference\\": \\"gout\\",\\n\\"answer\\": \\"1. Podagra', "text": YES},
        {"model": "strict", "text": NO},
        {"model": "checker", "contains": "iron deficiency", "text": '{"verdict": "incorrect", "basis": "too strict"}'},
        {"model": "checker", "text": "Correct. Nothing of it is said."},
    )
    return tmp_path


def run(*arguments: str) -> Done:
    return invoke([*arguments])


ASKED = (
    "evaluate",
    "answers.json",
    "--endpoints",
    "e.toml",
    "--resamples",
    "50",
    "--judge.model",
    "local:strict",
    "--judge.check",
    "local:checker",
)


def test_the_whole_answer_goes_in_and_the_basis_comes_out(here: Path, loopback: Any) -> None:
    done = run(
        *ASKED, "--judge.ask-equal", "--judgements", "j.csv", "--judge.human", "human.csv", "--json", "r.json", "-o", "r.html"
    )
    assert done.code == 0, done.output
    requests = [request["body"] for request in loopback.log()["requests"]]
    seen = [body["messages"][0]["content"] for body in requests if body["model"] == "strict"]
    # six questions: two references and one, of two models; the answer is given as it was written, an unreadable one, too
    assert len(seen) == 6
    assert sum(json.dumps(LONG)[1:-1] in text for text in seen) == 2
    assert sum(TALK in text for text in seen) == 1
    rows = read_table(here / "j.csv").data.to_pylist()
    told = {(str(row["case_id"]), row["algorithm"], row["reference"]): row for row in rows}
    assert len(told) == 6
    row = told["1", "gpt", "iron deficiency anemia"]
    assert (row["judge"], row["judge_basis"], row["check"], row["check_basis"]) == (
        "not included",
        "it does not",
        "incorrect",
        "too strict",
    )
    assert str(row["included"]).lower() == "true"
    row = told["2", "claude", "gout"]
    assert (row["check"], row["check_basis"], str(row["included"]).lower()) == (
        "correct",
        "Nothing of it is said.",
        "false",
    )
    assert row["answer"] == TALK
    report = json.loads((here / "r.json").read_text("utf-8"))
    value = {(row["algorithm"], row["metric"], row["of"]): row["value"] for row in report["table"]}
    assert value["gpt", "R_disease", "judge"] == pytest.approx(2 / 3) and value["gpt", "R_patient", "judge"] == 0.5
    agreement = {(row["who"], row["metric"]): row["value"] for row in report["tables"]["human.agreement"]}
    # by hand: the judge misses the anemia, the check finds it
    assert agreement["judge", "accuracy"] == 0.75 and agreement["judge and check", "accuracy"] == 1
    assert {who for who, _ in agreement} == {"M", "judge", "judge and check"}
    page = (here / "r.html").read_text("utf-8")
    assert "Agreement with human labels" in page
    assert "iron deficiency anemia: included. judge: not included (it does not); check: incorrect (too strict)." in page


def test_the_same_from_python_and_m_in_either_stage(here: Path) -> None:
    lists = read_lists(here / "answers.json", keep_answers=True)
    assert lists.origin.answers == {("1", "gpt"): LONG, ("2", "claude"): TALK}
    assert read_lists(here / "answers.json").origin.answers == {}
    options = {"endpoints": "e.toml", "bootstrap": 0, "check": "local:checker"}
    report = dxmatch.evaluate(lists, judge="local:strict", **options)
    assert report.judgements.num_rows == 6 and report.row("R_disease", algorithm="gpt", of="judge")[
        "value"
    ] == pytest.approx(2 / 3)
    by_m = dxmatch.evaluate(lists, judge="model", check="none", bootstrap=0)
    judged = by_m.judgements.to_pylist()
    assert {row["judge"] for row in judged} <= {"included", "not included", None} and {
        row["check"] for row in judged
    } == {None}
    m = {row["algorithm"]: row["value"] for row in by_m.rows if row["metric"] == "R_disease" and row["of"] == "judge"}
    assert m == {row["algorithm"]: row["value"] for row in by_m.rows if row["metric"] == "R_disease" and not row["of"]}


def test_prompts_from_files(here: Path, loopback: Any) -> None:
    (here / "mine.txt").write_text("Enthält die Antwort {answer} die Krankheit {reference}? Yes or No, and why.")
    loopback.rules({"text": "No. It does not."})
    assert run(*ASKED[:-2], "--judge.check", "none", "--judge.prompt", "mine.txt", "--judgements", "j.jsonl").code == 0
    assert all("Enthält die Antwort" in r["body"]["messages"][0]["content"] for r in loopback.log()["requests"])
    rows = [json.loads(line) for line in (here / "j.jsonl").read_text("utf-8").splitlines()]
    assert "It does not." in {row["judge_basis"] for row in rows}
    (here / "bad.txt").write_text("Is it there?")
    with pytest.raises(InputError, match=r"\{reference\}, \{answer\} is missing"):
        run(*ASKED, "--judge.prompt", "bad.txt")
    with pytest.raises(OptionError, match="judge_prompt.*verdict and its basis"):
        run(*ASKED, "--judge.prompt", "judge-strict-1")


def test_what_needs_a_judge(here: Path) -> None:
    assert run("evaluate", "answers.json", "--judgements", "j.csv").code == 2
    with pytest.raises(OptionError, match="'check' parameter must be left out"):
        run("evaluate", "answers.json", "--judge.check", "local:m")
    with pytest.raises(OptionError, match="'relation_prompt' parameter must be left out"):
        dxmatch.evaluate("answers.json", relation_prompt="mine.txt")
    with pytest.raises(OptionError, match="asked for where there was a judge"):
        _ = dxmatch.evaluate("answers.json", bootstrap=0).judgements
    (here / "human.csv").write_text(HUMAN.replace("2,gpt,gout", "3,gpt,gout"))
    with pytest.raises(InputError, match=r"(?s)human.csv.*row 5.*no case of the lists"):
        run("evaluate", "answers.json", "--judge.human", "human.csv", "--resamples", "0")


def test_short_output_tells_the_judge_s_recall_and_its_agreement_in_a_line(here: Path) -> None:
    words = " ".join(run(*ASKED, "--judge.human", "human.csv").output.split())
    assert (
        "Recall, with strict as the judge, checked by checker. Of all reference diagnoses, by the judge, gpt" in words
    )
    assert (
        "M agrees with the human labels on" in words and "The judge and check agree with the human labels on" in words
    )


def test_an_endpoint_that_is_down_is_named_at_once(here: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    (here / "down.toml").write_text(f'[endpoint.down]\nurl = "{url}"\n')
    start = time.monotonic()
    with pytest.raises(InputError) as caught:
        dxmatch.evaluate("answers.json", judge="down:strict", endpoints="down.toml", bootstrap=0)
    assert time.monotonic() - start < 10
    said = str(caught.value)
    assert url in said and "onnect" in said and "the judge strict answered none of" in said and "first failure" in said


def test_a_judge_reads_answers_that_no_list_could_be_read_from(here: Path, loopback: Any) -> None:
    rows = [
        {"case_id": str(i), "reference": "gout", "gpt": f"{TALK} Visit {i}.", "claude": f"{TALK} {i}"} for i in range(4)
    ]
    (here / "words.json").write_text(json.dumps(rows))
    loopback.rules({"contains": "Visit", "text": YES}, {"text": NO})
    asked = ("evaluate", "words.json", "--resamples", "20")
    with pytest.raises(InputError, match="no diagnosis could be read from any answer"):
        read_lists("words.json")
    done = run(
        *asked,
        "--endpoints",
        "e.toml",
        "--judge.model",
        "local:strict",
        "--judge.check",
        "none",
        "-o",
        "w.json",
        "-o",
        "w.html",
    )
    assert done.code == 0, done.output
    report = json.loads((here / "w.json").read_text("utf-8"))
    told = " ".join(one["sentence"] for one in report["findings"])
    assert "every metric of the match function counts them as empty lists" in told
    value = {(row["algorithm"], row["metric"], row["of"]): row["value"] for row in report["table"]}
    assert value["gpt", "R_disease", "judge"] == 1 and value["claude", "R_disease", "judge"] == 0
    assert value["gpt", "R_disease", ""] == 0
