"""Models asked for diagnoses on loopback: what is put, kept, read, counted, and left open."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dxmatch
from dxmatch import DxmatchError, InputError, OptionError
from dxmatch.diagnosing import case_prompt
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.votes.store.store import VoteStore

pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
pytest.importorskip("stamina", reason="asking a language model needs the extra 'llm'")

CASES = [
    {"case_id": "7", "text": "Crushing pain in the chest.", "reference": "heart attack", "ward": "heart"},
    {"case_id": "8", "text": "A red and swollen toe.", "reference": "gout", "ward": "joints"},
    {"case_id": "9", "text": "Rash over both cheeks.", "reference": "lupus", "ward": "joints"},
]
ANSWERS = (
    {"contains": "Crushing", "text": "1. Acute myocardial infarction\n2. Angina"},
    {
        "contains": "swollen toe",
        "text": "<think>1. Nonsense\n2. More</think>\n1. Gout\n2. Septic arthritis\n3. Cellulitis",
    },
    {"contains": "cheeks", "text": '{"diagnoses": ["Systemic lupus erythematosus", "Rosacea"]}'},
)

THOUGHTS = "<think>" + "hm " * 40_000


@pytest.fixture
def toml(tmp_path: Path, loopback: Any) -> Path:
    loopback.rules(*ANSWERS)
    path = tmp_path / "my.toml"
    path.write_text(
        f'[endpoint.lab]\nurl = "{loopback.url}"\nconcurrency = 4\ntries = 1\n[price."big"]\nprompt = 1.0\ncompletion = 2.0\n'
    )
    return path


@pytest.fixture
def ask(toml: Path, tmp_path: Path) -> Callable[..., Any]:
    def run(cases: Any = CASES, models: Any = "lab:big", **options: Any) -> Any:
        asking = {"endpoints": toml, "store": tmp_path / "votes.sqlite", **options.pop("asking", {})}
        return dxmatch.ask(cases, models, asking=asking, **options)

    return run


def listed(asked: Any) -> dict[tuple[str, str], list[str]]:
    """(rater, case) -> its diagnoses in the order of their ranks."""
    out: dict[tuple[str, str], list[str]] = {}
    for row in asked.lists.table.to_pylist():
        names = out.setdefault((row["rater"], row["case_id"]), [])
        if row["diagnosis"] is not None:
            assert row["rank"] == len(names) + 1
            names.append(row["diagnosis"])
    return out


def test_cases_become_lists(ask: Callable[..., Any], loopback: Any, tmp_path: Path) -> None:
    asked = ask(output=tmp_path / "lists.parquet")
    assert listed(asked) == {
        ("big [free]", "7"): ["Acute myocardial infarction", "Angina"],
        ("big [free]", "8"): ["Gout", "Septic arthritis", "Cellulitis"],
        ("big [free]", "9"): ["Systemic lupus erythematosus", "Rosacea"],
    }
    assert asked.complete and pq.read_table(tmp_path / "lists.parquet").equals(asked.lists.table)
    first = asked.lists.table.to_pylist()[0]
    assert first == {
        "case_id": "7", "rater": "big [free]", "rank": 1, "diagnosis": "Acute myocardial infarction", "model": "big", "prompt": "free",
        "repeat": 1, "unread": None, "reference": "heart attack", "ward": "heart",
    }  # fmt: skip
    sent = loopback.log()["requests"][0]["body"]
    assert (sent["model"], sent["temperature"], sent["max_tokens"]) == ("big", 0, 4096)
    assert "big [free]: 3 lists of 2.3 diagnoses on average." in asked.lines()
    assert type(asked.table).__module__.startswith("pandas")


def test_nothing_is_asked_twice_and_another_text_is_another_question(ask: Callable[..., Any], loopback: Any) -> None:
    first = ask()
    assert loopback.log()["calls"] == 3
    assert ask().lists.table.equals(first.lists.table) and loopback.log()["calls"] == 3
    changed = [{**CASES[0], "text": "Crushing pain in the chest and the arm."}, *CASES[1:]]
    assert ask(changed).complete and loopback.log()["calls"] == 4
    ask(k=3), ask(sampling=dxmatch.Sampling(temperature=0.5)), ask(prompts="json")
    assert loopback.log()["calls"] == 13
    renamed = [{**case, "case_id": f"x{case['case_id']}"} for case in CASES]
    assert ask(renamed).complete and loopback.log()["calls"] == 13


def test_the_store_never_holds_a_note(ask: Callable[..., Any], tmp_path: Path) -> None:
    ask()
    held = b"".join(path.read_bytes() for path in tmp_path.glob("votes.sqlite*"))
    assert b"myocardial" in held and b"swollen toe" not in held and b"cheeks" not in held


def test_models_prompts_and_repeats(ask: Callable[..., Any], loopback: Any, tmp_path: Path) -> None:
    (tmp_path / "kurz.txt").write_text("Du bist Arzt.\n---\nWelche Krankheiten hat dieser Mensch?\n{case}\n", "utf-8")
    asked = ask(
        models=["lab:big", "lab:small:8b"],
        prompts=["free", tmp_path / "kurz.txt"],
        repeats=2,
        sampling=dxmatch.Sampling(temperature=0.7),
    )
    assert [one.rater for one in asked.raters] == [
        f"{model} [{prompt} #{repeat}]"
        for model in ("big", "small:8b")
        for prompt in ("free", "kurz")
        for repeat in (1, 2)
    ]
    assert len(listed(asked)) == 24 and loopback.log()["calls"] == 24
    columns = asked.lists.table.select(["rater", "model", "prompt", "repeat"]).to_pylist()
    assert {(row["rater"], row["model"], row["prompt"], row["repeat"]) for row in columns} >= {
        ("small:8b [kurz #2]", "small:8b", "kurz", 2), ("big [free #1]", "big", "free", 1),
    }  # fmt: skip
    bodies = [request["body"] for request in loopback.log()["requests"]]
    mine = [body for body in bodies if body["messages"][0]["role"] == "system"]
    assert len(mine) == 12 and mine[0]["messages"][0]["content"].strip() == "Du bist Arzt."
    assert {body["temperature"] for body in bodies} == {0.7}


def test_repeats_at_temperature_0_are_said(ask: Callable[..., Any]) -> None:
    assert ask(repeats=2).notes == [
        "Repeats at temperature 0 are mostly the same answer again; a higher temperature tells how far answers vary."
    ]


def test_k_is_asked_for(ask: Callable[..., Any], loopback: Any) -> None:
    ask(k=7)
    assert all("7" in request["body"]["messages"][-1]["content"] for request in loopback.log()["requests"])


@pytest.mark.parametrize(
    ("rule", "reason", "unread"),
    [
        ({"text": "I'm sorry, but I cannot help with that."}, "refusal", "I'm sorry, but I cannot help with that."),
        ({"text": "", "refusal": "No."}, "refusal", "No."),
        ({"text": "Partly", "finish": "content_filter"}, "refusal", "Partly"),
        ({"text": "1. Gout\n2. Sep", "finish": "length"}, "truncated", "1. Gout\n2. Sep"),
        ({"text": "", "finish": "length"}, "truncated", ""),
        ({"text": ""}, "empty", ""),
        ({"text": "<think>hm</think>\n"}, "empty", "<think>hm</think>"),
        ({"text": THOUGHTS + "</think>1. Gout"}, "too long", THOUGHTS[:10_000] + "…"),
        ({"text": "It is hard to say what this is, so I would do more tests and then come back to it."}, "unclear", None),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_counted_and_an_empty_list(
    ask: Callable[..., Any], loopback: Any, rule: dict[str, Any], reason: str, unread: str | None
) -> None:
    loopback.rules({"contains": "swollen toe", **rule}, *ANSWERS)
    asked = ask()
    assert asked.complete and asked.raters[0].unread == {reason: 1} and asked.raters[0].lists == 2
    assert listed(asked)["big [free]", "8"] == []
    (row,) = [row for row in asked.lists.table.to_pylist() if row["case_id"] == "8"]
    assert row["rank"] is None and row["unread"] == ((rule["text"] if unread is None else unread) or None)
    told = "\n".join(asked.lines())
    assert (
        "verdict" not in told
        and f"1 not read (1 {reason})" in told
        and "an empty list, with what the model wrote in the column 'unread'" in told
    )
    assert ("max_tokens" in told) == (reason == "truncated")
    calls = loopback.log()["calls"]
    loopback.rules(*ANSWERS)
    assert ask().raters[0].unread == {reason: 1}
    assert ask(asking={"again": True}).raters[0].lists == 3 and loopback.log()["calls"] == 1 and calls == 3


def test_a_long_answer_is_kept_whole_and_shown_in_part(ask: Callable[..., Any], loopback: Any, tmp_path: Path) -> None:
    long = "word " * 15_000
    loopback.rules({"contains": "swollen toe", "text": long, "finish": "length"}, *ANSWERS)
    asked = ask(output=tmp_path / "lists.xlsx")
    (unread,) = [row["unread"] for row in asked.lists.table.to_pylist() if row["unread"]]
    assert unread == long[:10_000] + "…"
    with VoteStore(tmp_path / "votes.sqlite") as store:
        kept = store.stored(asked.asked.questions(asked.asked.raters[0]))
        assert long in [answer.raw for answer in kept if answer is not None]


def test_an_answer_that_says_there_is_none(ask: Callable[..., Any], loopback: Any) -> None:
    loopback.rules({"contains": "swollen toe", "text": "No diagnosis"}, *ANSWERS)
    asked = ask()
    assert (asked.raters[0].lists, asked.raters[0].nothing, asked.raters[0].unread.total()) == (2, 1, 0)
    assert (
        "2 lists of 2.0 diagnoses on average, 1 that names no diagnosis (the first: 'No diagnosis')."
        in asked.lines()[-1]
    )


def test_evaluate_takes_it_as_it_is(ask: Callable[..., Any], loopback: Any, tmp_path: Path) -> None:
    loopback.rules({"contains": "swollen toe", "text": "I'm sorry, I cannot help."}, *ANSWERS)
    path = tmp_path / "lists.parquet"
    for suffix in (".parquet", ".csv", ".jsonl", ".xlsx"):
        asked = ask(output=path.with_suffix(suffix))
        lists = read_lists(path.with_suffix(suffix), by="ward")
        assert lists.raters == ["big [free]"] and lists.cases == ["7", "8", "9"]
        assert lists.origin.unread == {("8", "big [free]"): "I'm sorry, I cannot help."}
        assert lists.lengths.tolist() == [[2], [0], [2]] and not lists.absent.any()
        assert lists.reference == [("heart attack",), ("gout",), ("lupus",)]
        assert any(
            "No diagnoses could be read from 1 answer, which counts as an empty answer" in one for one in lists.origin.warnings
        )
    report = dxmatch.evaluate(asked.table, metrics=["recall"], resampling=dxmatch.Resampling(resamples=0))
    (value,) = [row["value"] for row in report.table.to_dict("records") if row["metric"] == "R_disease"]
    assert value == pytest.approx(2 / 3)


@pytest.mark.parametrize("missing", [None, "empty", "own"])
def test_what_was_not_read_is_empty_and_what_was_not_answered_is_missing(
    ask: Callable[..., Any], loopback: Any, missing: str | None
) -> None:
    loopback.rules(
        {"contains": "swollen toe", "text": "I'm sorry, I cannot help."},
        {"contains": "cheeks", "model": "big", "status": 400, "error": "no"}, *ANSWERS,
    )  # fmt: skip
    asked = ask(models=["lab:big", "lab:small"])
    lists = read_lists(asked.table, reading=dxmatch.Reading(missing=missing))
    assert lists.lengths.tolist() == [[2, 2], [0, 0], [0, 2]]
    assert lists.absent.tolist() == [[False, False], [False, False], [missing == "own", False]]
    told = " ".join(lists.origin.warnings)
    whose = "(big [free] 1, small [free] 1)"
    assert f"No diagnoses could be read from 2 answers {whose}, which count as empty answers" in told
    assert "empty lists" not in told and "Not one of" not in told
    means = "they are out of its figures" if missing == "own" else "each counts as an empty answer"
    assert f"big [free] has no list for 1 of 3 cases; {means}." in told


def test_lists_of_two_runs_side_by_side(ask: Callable[..., Any], loopback: Any, tmp_path: Path) -> None:
    loopback.rules({"contains": "swollen toe", "text": "I'm sorry, I cannot help."}, *ANSWERS)
    for model in ("big", "small"):
        ask(
            models=f"lab:{model}",
            repeats=2,
            sampling=dxmatch.Sampling(temperature=1),
            output=tmp_path / f"{model}.parquet",
        )
    lists = read_lists([tmp_path / "big.parquet", tmp_path / "small.parquet"])
    assert lists.raters == ["big [free #1]", "big [free #2]", "small [free #1]", "small [free #2]"]
    assert len(lists.origin.unread) == 4 and lists.reference == [("heart attack",), ("gout",), ("lupus",)]


def test_a_question_without_an_answer_is_no_empty_list(ask: Callable[..., Any], loopback: Any, tmp_path: Path) -> None:
    loopback.rules({"contains": "swollen toe", "status": 400, "error": "no"}, *ANSWERS)
    asked = ask()
    assert (
        not asked.complete and asked.missing == 1 and set(listed(asked)) == {("big [free]", "7"), ("big [free]", "9")}
    )
    told = "\n".join(asked.lines())
    assert "1 not answered" in told and "1 of 3 lists are missing" in told and "no empty lists" in told
    loopback.rules(*ANSWERS)
    assert ask().complete and loopback.log()["calls"] == 1
    capped = ask(prompts="json", asking={"max_calls": 2})
    assert capped.missing == 1 and "the cap of 2 calls is reached" in "\n".join(capped.lines())
    assert ask(prompts="json", asking={"max_calls": 2}).complete


def test_no_answer_at_all(ask: Callable[..., Any], loopback: Any, tmp_path: Path) -> None:
    loopback.rules({"status": 400, "error": "no"})
    with pytest.raises(DxmatchError, match=r"3 questions failed(.|\n)*No answer came, so no lists were written"):
        ask(output=tmp_path / "lists.csv")
    assert not (tmp_path / "lists.csv").exists()


def test_dry_run(ask: Callable[..., Any], loopback: Any, tmp_path: Path) -> None:
    asked = ask(models=["lab:big", "lab:small"], prompts=["free", "json"], repeats=3, asking={"dry_run": True})
    assert loopback.log()["calls"] == 0 and not (tmp_path / "votes.sqlite").exists()
    assert [(one.wanted, one.unknown) for one in asked.plan] == [(9, 9)] * 4
    assert asked.table is None and not asked.complete
    big, *_, small, total, guess = asked.plan_lines()
    assert big.startswith(f"big [free] at lab ({loopback.url}): 9 questions, 0 known, 9 to ask: about ")
    assert "cost about 0.00" in big and "at most about 0.07" in big and "no price given" in small
    assert (
        total.startswith("To ask: 36 questions, about ")
        and total.endswith("some without a price.")
        and "a guess" in guess
    )
    ask()
    assert [one.unknown for one in ask(asking={"dry_run": True}).plan] == [0]
    assert ask(asking={"dry_run": True}).plan_lines()[-1] == "Nothing to ask." and loopback.log()["calls"] == 3


def test_a_cap_on_the_cost_is_never_exceeded(ask: Callable[..., Any], loopback: Any) -> None:
    asked = ask(asking={"max_cost": 0.009})  # each may cost 4,096 tokens of 2.0 a million, and its prompt
    assert 0 < loopback.log()["calls"] <= 3 and asked.summary.cost <= 0.009
    with pytest.raises(OptionError, match="a price of small"):
        ask(models="lab:small", asking={"max_cost": 1})


def test_batch_files(ask: Callable[..., Any], loopback: Any, tmp_path: Path) -> None:
    exported = ask(prompts=["free", "json"], export=tmp_path / "batches")
    assert loopback.log()["calls"] == 0 and [file.requests for file in exported.files] == [3, 3]
    requests = [json.loads(line) for file in exported.files for line in file.path.read_text().splitlines()]
    assert requests[0]["body"]["max_tokens"] == 4096 and "Crushing" in requests[0]["body"]["messages"][-1]["content"]
    results = []
    for request in reversed(requests):
        said = next(rule["text"] for rule in ANSWERS if rule["contains"] in json.dumps(request["body"]))
        choice = {"message": {"content": said}, "finish_reason": "stop"}
        results.append(
            {"custom_id": request["custom_id"], "response": {"status_code": 200, "body": {"choices": [choice]}}}
        )
    lost = results.pop()
    path = tmp_path / "results.jsonl"
    path.write_text("\n".join(map(json.dumps, results)))
    taken = ask(prompts=["free", "json"], results=path)
    assert loopback.log()["calls"] == 0 and taken.missing == 1 and "5 new answers." in "\n".join(taken.lines())
    path.write_text(json.dumps(lost))
    asked = ask(prompts=["free", "json"], results=[path])
    live = ask(prompts=["free", "json"], asking={"store": tmp_path / "live.sqlite"})
    assert asked.complete and asked.lists.table.equals(live.lists.table)


def test_a_better_parser_needs_no_further_call(
    ask: Callable[..., Any], loopback: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    loopback.rules({"contains": "swollen toe", "text": "§ Gout § Sepsis"}, *ANSWERS)
    monkeypatch.setattr(case_prompt, "ranked_diagnoses", lambda text: None)
    assert ask().raters[0].unread == {"unclear": 3}
    monkeypatch.setattr(case_prompt, "ranked_diagnoses", lambda text: text.split("§")[1:] or ["x"])
    asked = ask()
    assert asked.raters[0].lists == 3 and loopback.log()["calls"] == 3
    assert listed(asked)["big [free]", "8"] == [" Gout ", " Sepsis"]


def test_cases_of_one_text_are_asked_about_once(ask: Callable[..., Any], loopback: Any) -> None:
    asked = ask([*CASES, {**CASES[0], "case_id": "10"}])
    assert loopback.log()["calls"] == 3 and len(listed(asked)) == 4 and asked.complete
    assert asked.notes == ["1 case with the text of another one: each text is asked about once."]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"models": "big"}, r"models.*ENDPOINT:MODEL, such as lab:big \(endpoints: lab\)"),
        ({"models": "llama3.1:8b"}, r"such as lab:llama3\.1:8b \(endpoints: lab\)"),
        ({"models": "labs:big"}, "such as lab:big "),
        ({"models": ["lab:big", "lab:big"]}, "big is named twice"),
        ({"models": []}, "at least one ENDPOINT:MODEL"),
        ({"prompts": ["free", "free"]}, "'free' is there twice"),
        ({"prompts": []}, "at least one"),
        ({"repeats": 0}, "repeats"),
        ({"repeats": 1.5}, "repeats"),
        ({"k": 0}, "a whole number from 1 to 100"),
        ({"sampling": {"temperature": -1}}, "a number from 0 to 2"),
        ({"sampling": {"max_tokens": 0}}, "a whole number 1 or more"),
        ({"sampling": {"parameters": {"stream": True}}}, "which dxmatch sets itself"),
        ({"asking": {"max_calls": -1}}, "max_calls"),
        ({"temperature": 1}, r"sampling=dxmatch\.Sampling\(temperature=…\)"),
        ({"export": "x", "results": "y"}, "left out with the option 'export'"),
    ],
)
def test_wrong_options(ask: Callable[..., Any], loopback: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ask(**options)
    assert loopback.log()["calls"] == 0


def test_prompts_that_cannot_be_right(ask: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("What is it?")
    with pytest.raises(InputError, match="case"):
        ask(prompts=tmp_path / "mine.txt")
    (tmp_path / "a[b].txt").write_text("{case}\nWhat is it?")
    with pytest.raises(InputError, match="a name without"):
        ask(prompts=tmp_path / "a[b].txt")


def test_a_prompt_that_needs_a_number(ask: Callable[..., Any], loopback: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("{case}\nName {k} diseases.")
    with pytest.raises(OptionError, match="a whole number from 1 to fill {k}"):
        ask(prompts=tmp_path / "mine.txt")
    assert loopback.log()["calls"] == 0 and ask(prompts=tmp_path / "mine.txt", k=5).complete


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.Table.from_pylist])
def test_the_lists_are_a_frame_of_the_kind_that_came(ask: Callable[..., Any], frame: Callable[..., Any]) -> None:
    cases = frame(CASES)
    asked = ask(cases)
    assert type(asked.table) is type(cases) and asked.lists.table.num_rows == 7


def test_parameters(ask: Callable[..., Any], loopback: Any) -> None:
    ask(sampling=dxmatch.Sampling(parameters={"temperature": None, "max_completion_tokens": 100, "top_p": 0.5}))
    sent = loopback.log()["requests"][0]["body"]
    assert {name: sent.get(name) for name in ("temperature", "max_tokens", "max_completion_tokens", "top_p")} == {
        "temperature": None, "max_tokens": None, "max_completion_tokens": 100, "top_p": 0.5,
    }  # fmt: skip


WRITTEN = "Possible diagnoses:\n\n1. Gout: the toe is red\n2. Cellulitis: it is swollen, too\n\nSee a doctor."
TALK = "I would rather not name anything before the next visit, as nothing here is clear to me. " * 130


def test_whole_answers_are_kept_once_for_a_list(ask: Callable[..., Any], loopback: Any, tmp_path: Path) -> None:
    """They come back from every kind of file, and are no lists, no right answers and no column that nobody knows."""
    loopback.rules(
        {"contains": "swollen toe", "text": WRITTEN},
        {"contains": "cheeks", "text": TALK},
        {"text": "No diagnosis.", "model": "big"},
    )
    cases = [{**case, "answer": "B", "outputs": "x"} for case in CASES]
    asked = ask(cases, keep_answers=True)
    assert "The column 'answer' of the cases is 'case_answer' in the lists." in asked.notes
    table = asked.lists.table
    assert table["answer"].to_pylist() == ["No diagnosis.", WRITTEN, None, TALK.strip()]
    assert table["unread"].to_pylist()[3].endswith("…") and "answer" not in ask(cases).lists.table.column_names
    plain = read_lists(ask(cases).lists.table)
    for suffix in (".parquet", ".csv", ".tsv", ".jsonl", ".xlsx"):
        asked.save(path := tmp_path / f"lists{suffix}")
        lists = read_lists(path, keep_answers=True)
        assert lists.origin.answers == {
            ("7", "big [free]"): "No diagnosis.",
            ("8", "big [free]"): WRITTEN,
            ("9", "big [free]"): TALK.strip(),
        }
        assert lists.list_of("8", "big [free]") == ["Gout", "Cellulitis"] and not read_lists(path).origin.answers
        assert (lists.reference, lists.origin.recognised) == (plain.reference, plain.origin.recognised)
        assert len(lists.origin.warnings) == len(plain.origin.warnings) == 2
    both = [tmp_path / "lists.csv", tmp_path / "lists2.csv"]
    pa_csv = pd.read_csv(both[0], dtype=str).assign(rater="small [free]")
    pa_csv.to_csv(both[1], index=False)
    assert read_lists(both, keep_answers=True).origin.answers["8", "small [free]"] == WRITTEN


def test_a_right_answer_in_each_row_is_no_whole_answer(tmp_path: Path) -> None:
    rows = [
        {
            "case_id": "1",
            "rater": "A",
            "rank": rank,
            "diagnosis": name,
            "unread": None,
            "reference": "gout",
            "answer": "gout",
        }
        for rank, name in enumerate(("flu", "gout"), 1)
    ]
    assert not read_lists(pd.DataFrame(rows), keep_answers=True).origin.answers
    one = pd.DataFrame(rows[:1]).drop(columns=["unread"])
    assert not read_lists(one, keep_answers=True).origin.answers
    named = read_lists(
        pd.DataFrame(rows[:1]).drop(columns="reference"),
        reading=dxmatch.Reading(columns={"reference": "answer"}),
        keep_answers=True,
    )
    assert named.reference == [("gout",)] and not named.answers


def test_a_judge_reads_whole_answers(ask: Callable[..., Any], loopback: Any, tmp_path: Path, toml: Path) -> None:
    loopback.rules(
        {"model": "big", "contains": "swollen toe", "text": WRITTEN},
        {"model": "big", "text": TALK},
        {"model": "judge", "text": '{"verdict": "included", "basis": "it stands there"}'},
    )
    ask(output=tmp_path / "lists.parquet", keep_answers=True)
    asked_before = loopback.log()["calls"]
    options: Any = {
        "asking": dxmatch.Asking(endpoints=toml, store=tmp_path / "votes.sqlite"), "metrics": "recall", "resampling": {"resamples": 0},
    }  # fmt: skip
    dxmatch.evaluate(
        tmp_path / "lists.parquet", judge=dxmatch.Judge(model="lab:judge", check="none", ask_equal=True), **options
    )
    put = [request["body"]["messages"][-1]["content"] for request in loopback.log()["requests"][asked_before:]]
    for whole in (WRITTEN, TALK.strip()):
        assert any(json.dumps(whole)[1:-1] in text or whole in text for text in put), put


@pytest.mark.parametrize("keep_answers", [False, True])
def test_what_says_nothing_is_never_put_to_a_judge(
    ask: Callable[..., Any], loopback: Any, tmp_path: Path, toml: Path, keep_answers: bool
) -> None:
    """No text, thoughts alone and a refusal include nothing; a talk that no list can be read from may."""
    said = {
        "none": {"text": ""},
        "cut": {"text": "", "finish": "length"},
        "thoughts": {"text": "<think>hm, gout</think>"},
        "refusal": {"text": "I'm sorry, but I cannot help with that."},
        "talk": {"text": "It is hard to say what this is, so I would do more tests and then come back to it."},
        "list": {"text": "1. Gout"},
    }
    loopback.rules(
        *({"model": "big", "contains": f"Case {name}.", **rule} for name, rule in said.items()),
        {"model": "judge", "text": '{"verdict": "included", "basis": "it stands there"}'},
    )
    cases = [{"id": name, "text": f"Case {name}.", "reference": "gout"} for name in said]
    ask(cases, output=tmp_path / "lists.parquet", keep_answers=keep_answers)
    before = loopback.log()["calls"]
    options: Any = {
        "asking": dxmatch.Asking(endpoints=toml, store=tmp_path / "votes.sqlite"), "metrics": "recall", "resampling": {"resamples": 0},
    }  # fmt: skip
    report = dxmatch.evaluate(
        tmp_path / "lists.parquet", judge=dxmatch.Judge(model="lab:judge", check="none"), **options
    )
    put = [request["body"]["messages"][-1]["content"] for request in loopback.log()["requests"][before:]]
    assert len(put) == 1 and "come back to it" in put[0]
    lists = read_lists(tmp_path / "lists.parquet")
    assert lists.lengths.sum() == 1 and not lists.absent.any()
    of_judge = [
        row["value"] for row in report.table.to_pylist() if (row["metric"], row["of"]) == ("R_disease", "judge")
    ]
    assert of_judge == [pytest.approx(2 / 6)]


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_dead_endpoint_ends_soon_and_costs_nothing(tmp_path: Path, concurrency: int) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://localhost:{free.getsockname()[1]}/v1"
    (toml := tmp_path / "dead.toml").write_text(
        f'[endpoint.lab]\nurl = "{url}"\nconcurrency = {concurrency}\n[price."big"]\nprompt = 1.0\ncompletion = 2.0\n'
    )
    start = time.monotonic()
    cases = {str(number): f"A man of {number} with a swollen toe." for number in range(20)}
    asked = dxmatch.ask(
        cases, "lab:big", asking=dxmatch.Asking(endpoints=toml, store=tmp_path / "votes.sqlite", max_cost=0.01)
    )
    assert time.monotonic() - start < 10 and asked.missing == 20
    assert asked.summary is not None and asked.summary.cost == 0 and asked.summary.calls <= 2 * concurrency
    told = "\n".join(asked.lines())
    assert (
        f"lab ({url}): connection refused: nothing listens at {url.removesuffix('/v1')}: start the server or mend `url`.\n"
        in told
    )
    with pytest.raises(DxmatchError, match="nothing listens at"):
        dxmatch.ask(
            cases,
            "lab:big",
            asking=dxmatch.Asking(endpoints=toml, store=tmp_path / "votes.sqlite"),
            output=tmp_path / "lists.csv",
        )
