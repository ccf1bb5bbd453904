"""Every golden run that asks a server sends and finds what was frozen; a store that holds all answers sends nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..compare import differences, read
from .adapter import HERE, find

pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
pytest.importorskip("stamina", reason="asking a language model needs the extra 'llm'")

Run = dict[str, Any]
RUNS = sorted(path.stem for path in (HERE / "runs").glob("*.json"))


def run_of(name: str) -> Run:
    return json.loads((HERE / "runs" / f"{name}.json").read_text("utf-8"))


@pytest.mark.parametrize("name", RUNS)
def test_a_run_sends_and_finds_what_was_frozen(name: str, tmp_path: Path) -> None:
    told = differences(read(HERE / "expected" / f"{name}.json"), find(run_of(name), tmp_path))
    assert not told, "\n".join(told[:20])


def test_a_store_of_fifty_answers_to_each_kind_of_question_leaves_nothing_to_ask() -> None:
    frozen = read(HERE / "expected" / "vote_store.json")
    assert {row["requests"] for row in frozen["requests"].rows} == {0} and not frozen["bodies"].rows
    assert len(frozen["store"].rows) == 10 and min(row["answers"] for row in frozen["store"].rows) >= 50


def a_word_of_the_prompt(run: Run) -> None:
    run["files"]["judge.txt"] = run["files"]["judge.txt"].replace("include", "name")


def judge_and_check_swapped(run: Run) -> None:
    for step in run["steps"]:
        step["judge"], step["check"] = step["check"], step["judge"]


def verdicts_inverted(run: Run) -> None:
    for reply in run["replies"]:
        word, other = ("Yes", "No") if reply["text"].startswith("Yes") else ("No", "Yes")
        reply["text"] = reply["text"].replace(word, other, 1)


@pytest.mark.parametrize(
    ("fault", "where"),
    [(a_word_of_the_prompt, "bodies"), (judge_and_check_swapped, "bodies"), (verdicts_inverted, "step 1: verdicts")],
)
def test_a_fault_is_seen(fault: Callable[[Run], None], where: str, tmp_path: Path) -> None:
    run = run_of("judge_prompt_files")
    fault(run)
    assert any(
        line.startswith(where)
        for line in differences(read(HERE / "expected" / "judge_prompt_files.json"), find(run, tmp_path))
    )
