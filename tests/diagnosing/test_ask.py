"""Models asked for diagnoses on loopback: what is put, kept, read, counted, and left open."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dxmatch
from dxmatch import DxmatchError, Sampling
from dxmatch.diagnosing import case_questions
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.votes.asking import plan_lines

CASES = [
    {"case_id": "7", "text": "Crushing pain in the chest.", "reference": "heart attack", "ward": "heart"},
    {"case_id": "8", "text": "A red and swollen toe.", "reference": "gout", "ward": "joints"},
    {"case_id": "9", "text": "Rash over both cheeks.", "reference": "lupus", "ward": "joints"},
]
ANSWERS = (
    {"contains": "Crushing", "text": "1. Acute myocardial infarction\n2. Angina"},
    {"contains": "swollen toe", "text": "<think>1. Nonsense\n2. More</think>\n1. Gout\n2. Sepsis\n3. Cellulitis"},
    {"contains": "cheeks", "text": '{"diagnoses": ["Systemic lupus erythematosus", "Rosacea"]}'},
)
REFUSED = {"contains": "swollen toe", "text": "I'm sorry, but I cannot help with that."}
Ask = Callable[..., Any]


def table(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (Path(__file__).parent / f"{name}.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture
def ask(tmp_path: Path, loopback: Any) -> Ask:
    loopback.rules(*ANSWERS)
    endpoint = f'[endpoint.lab]\nurl = "{loopback.url}"\nconcurrency = 4\ntries = 1\n'
    (tmp_path / "my.toml").write_text(endpoint + '[price."big"]\nprompt = 1.0\ncompletion = 2.0\n')

    def run(cases: Any = CASES, models: Any = "lab:big", **options: Any) -> Any:
        asking = {"endpoints": tmp_path / "my.toml", "store": tmp_path / "votes.sqlite", **options.pop("asking", {})}
        return dxmatch.ask(cases, models, asking=asking, **options)

    return run


def test_cases_become_lists_of_their_kind(ask: Ask, loopback: Any, tmp_path: Path) -> None:
    """What the lists hold, and what was sent: tests/golden/asked."""
    for cases in (pd.DataFrame(CASES), pl.DataFrame(CASES), pa.Table.from_pylist(CASES)):
        assert type((asked := ask(cases, output=tmp_path / "lists.parquet")).table) is type(cases)
        assert asked.complete and pq.read_table(tmp_path / "lists.parquet").equals(asked.lists)
    assert list(asked.lists.to_pylist()[0].items()) == [
        ("case_id", "7"), ("rater", "big [free]"), ("rank", 1), ("diagnosis", "Acute myocardial infarction"), ("model", "big"),
        ("prompt", "free"), ("repeat", 1), ("unread", None), ("reference", "heart attack"), ("ward", "heart"),
    ]  # fmt: skip
    assert loopback.log()["calls"] == 3 and asked.lines()[-1] == "big [free]: 3 lists of 2.3 diagnoses on average."


def test_what_is_another_question(ask: Ask, loopback: Any, tmp_path: Path) -> None:
    """The key is the text, whatever the case is called; the store never holds it."""
    renamed = [{**case, "case_id": f"x{case['case_id']}"} for case in CASES]
    for cases, options, calls in [
        (CASES, {}, 3), (CASES, {}, 3), (renamed, {}, 3), ([*CASES, {**CASES[0], "case_id": "10"}], {}, 3),
        ([{**CASES[0], "text": "Crushing pain in the arm."}, *CASES[1:]], {}, 4),
        (CASES, {"k": 3}, 7), (CASES, {"sampling": Sampling(temperature=0.5)}, 10), (CASES, {"prompts": "json"}, 13),
    ]:  # fmt: skip
        assert ask(cases, **options).complete and loopback.log()["calls"] == calls
    held = b"".join(path.read_bytes() for path in tmp_path.glob("votes.sqlite*"))
    assert b"myocardial" in held and b"swollen toe" not in held and b"cheeks" not in held


def test_models_prompts_and_repeats(ask: Ask, loopback: Any, tmp_path: Path) -> None:
    (tmp_path / "kurz.txt").write_text("Du bist Arzt.\n---\nWelche {k} Krankheiten?\n{case}\n", "utf-8")
    prompts = ["free", tmp_path / "kurz.txt"]
    warm = {"temperature": None, "max_completion_tokens": 100, "top_p": 0.5}
    asked = ask(models=["lab:big", "lab:small:8b"], prompts=prompts, repeats=2, k=7, sampling=Sampling(parameters=warm))
    of = ("big [free]", "big [kurz]", "small:8b [free]", "small:8b [kurz]")
    assert [(one.rater, one.lists) for one in asked.raters] == [(rater, 6) for rater in of]
    bodies = [request["body"] for request in loopback.log()["requests"]]
    own = [body["messages"] for body in bodies if body["messages"][0]["role"] == "system"]
    assert (len(bodies), len(own), own[0][0]["content"].strip()) == (24, 12, "Du bist Arzt.")
    assert "Welche 7" in own[0][1]["content"]
    assert {name: bodies[0].get(name) for name in (*warm, "max_tokens")} == {**warm, "max_tokens": None}
    assert any("Repeats at temperature 0" in note for note in ask(repeats=2).notes)


@pytest.mark.parametrize("case", table("answers"), ids=lambda case: case["why"])
def test_what_cannot_be_read_is_counted_and_an_empty_list(ask: Ask, loopback: Any, case: dict[str, Any]) -> None:
    """times : how often the text is written; `unread` : the characters that are shown of such a text."""
    rule, reason, unread = case["rule"], case["reason"], case["unread"]
    text = rule["text"] * rule.pop("times", 1)
    loopback.rules({"contains": "swollen toe", **rule, "text": text}, *ANSWERS)
    asked = ask()
    (row,) = [row for row in asked.lists.to_pylist() if row["case_id"] == "8"]
    shown = f"{text[:unread]}…" if isinstance(unread, int) else unread
    assert asked.complete and (row["rank"], row["diagnosis"], row["unread"]) == (None, None, shown)
    (count,), told = asked.raters, "\n".join(asked.lines())
    assert (count.lists, count.nothing, count.unread) == (2, reason is None, {reason: 1} if reason else {})
    assert (f"1 not read (1 {reason})" in told) == ("in the column 'unread'" in told) == (reason is not None)
    assert ("max_tokens" in told) == (reason == "truncated") and ("'No diagnosis'" in told) == (reason is None)
    loopback.rules({"status": 400})
    assert ask(asking={"again": True, "dry_run": True}).plan[0].unknown == (reason is not None)
    assert ask(asking={"again": True}).lists.equals(asked.lists), "an answer stays until another comes"
    loopback.rules(*ANSWERS)
    again = ask(asking={"again": True})
    assert again.raters[0].lists - 2 == loopback.log()["calls"] == (reason is not None)


@pytest.mark.parametrize(("suffix", "missing"), [(".parquet", None), (".csv", "empty"), (".xlsx", "own")])
def test_evaluate_takes_it_as_it_is(ask: Ask, loopback: Any, tmp_path: Path, suffix: str, missing: Any) -> None:
    """What was not read is empty; what was not answered is no list, and asked again."""
    loopback.rules(REFUSED, {"contains": "cheeks", "model": "big", "status": 400, "error": "no"}, *ANSWERS)
    asked = ask(models=["lab:big", "lab:small"], output=tmp_path / f"lists{suffix}", keep_answers=suffix != ".csv")
    assert not asked.complete and asked.missing == 1
    told = "\n".join(asked.lines())
    assert "1 not answered" in told and "1 of 6 lists are missing" in told and "no empty lists" in told
    reading = dxmatch.Reading(missing=missing)
    lists = read_lists(tmp_path / f"lists{suffix}", by="ward", reading=reading, keep_answers=True)
    assert lists.lengths.tolist() == [[2, 2], [0, 0], [0, 2]]
    assert lists.reference == [(one["reference"],) for one in CASES]
    assert lists.absent.tolist() == [[False, False], [False, False], [missing == "own", False]]
    assert lists.origin.unread["8", "big [free]"] == REFUSED["text"]
    assert lists.origin.answers.get(("7", "big [free]")) == (None if suffix == ".csv" else ANSWERS[0]["text"])


def test_no_answer_at_all(ask: Ask, loopback: Any, tmp_path: Path) -> None:
    loopback.rules({"status": 400, "error": "no"})
    with pytest.raises(DxmatchError, match=r"3 questions failed(.|\n)*No answer came"):
        ask(output=tmp_path / "lists.csv")
    assert not (tmp_path / "lists.csv").exists()


def test_dry_run_and_a_cap_on_the_cost(ask: Ask, loopback: Any, tmp_path: Path) -> None:
    asked = ask(models=["lab:big", "lab:small"], prompts=["free", "json"], repeats=3, asking={"dry_run": True})
    assert loopback.log()["calls"] == 0 and not (tmp_path / "votes.sqlite").exists() and asked.table is None
    assert [(one.wanted, one.unknown) for one in asked.plan] == [(9, 9)] * 4
    told = [*plan_lines(asked.plan)]
    assert "cost about 0.00" in told[0] and "no price given" in told[-3]
    asked = ask(asking={"max_cost": 0.009})  # each may cost 4,096 tokens of 2.0 a million, and its prompt
    assert 0 < loopback.log()["calls"] <= 3 and asked.summary.cost <= 0.009
    assert ask().complete and [*plan_lines(ask(asking={"dry_run": True}).plan)][-1] == "Nothing to ask."


def test_the_command_says_what_is_missing_and_goes_on(
    ask: Ask, command: Callable[..., Any], loopback: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`ask` has left its endpoints there. What is asked is said first."""
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(CASES).to_csv("cases.csv", index=False)
    asking = ("ask", "cases.csv", "--endpoints", "my.toml", "-m", "lab:big", "--prompt", "free", "--prompt", "json")
    capped = command(*asking, "-o", "lists.csv", "--max-calls", "1")
    assert capped.code == 1 and "5 of 6 lists are missing" in capped.out and "Run this again" in capped.out
    done = command(*asking, "-o", "lists.csv")
    assert done.code == 0 and "Written: lists.csv" in done.out and loopback.log()["calls"] == 6
    assert done.out.index("To ask: 5 questions") < done.out.index("5 answers kept")
    assert "big [json]: 3 lists of 2.3 diagnoses on average." in done.out


@pytest.mark.parametrize("case", table("refused"), ids=lambda case: case["says"])
def test_wrong_options(ask: Ask, loopback: Any, tmp_path: Path, monkeypatch: Any, case: dict[str, Any]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.txt").write_text("{case}\nName {k} diseases.")
    Path("a[b].txt").write_text("{case}\nWhat is it?")
    with pytest.raises(DxmatchError, match=case["says"]):
        ask(**case["options"])
    assert loopback.log()["calls"] == 0


def test_a_better_parser_needs_no_further_call(ask: Ask, loopback: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for read, lists in ((lambda text: None, 0), (lambda text: [text], 3)):
        monkeypatch.setattr(case_questions, "ranked_diagnoses", read)
        assert ask().raters[0].lists == lists and loopback.log()["calls"] == 3
