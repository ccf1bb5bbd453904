"""Every golden run that asks a server sends and finds what was frozen; a store that holds all answers sends nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..compare import differences, read
from .adapter import HERE, find

pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
pytest.importorskip("stamina", reason="asking a language model needs the extra 'llm'")

RUNS = sorted(path.stem for path in (HERE / "runs").glob("*.json"))


@pytest.mark.parametrize("name", RUNS)
def test_a_run_sends_and_finds_what_was_frozen(name: str, tmp_path: Path) -> None:
    run = json.loads((HERE / "runs" / f"{name}.json").read_text("utf-8"))
    told = differences(read(HERE / "expected" / f"{name}.json"), find(run, tmp_path))
    assert not told, "\n".join(told[:20])


def test_a_store_of_fifty_answers_to_each_kind_of_question_leaves_nothing_to_ask() -> None:
    frozen = read(HERE / "expected" / "vote_store.json")
    assert {row["requests"] for row in frozen["requests"].rows} == {0} and not frozen["bodies"].rows
    assert len(frozen["store"].rows) == 10 and min(row["answers"] for row in frozen["store"].rows) >= 50
