"""Asking against a server that fails in every way: what is kept, what is counted, what is asked again."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dxmatch.endpoints.endpoint import Endpoint, Price
from dxmatch.errors import InputError
from dxmatch.progress import Progress
from dxmatch.votes import asking
from dxmatch.votes.asking import MAX_FAILURES, Budget, Job, LanguageModel, Planned
from dxmatch.votes.asking_options import AskSummary
from dxmatch.votes.prompts.files import PROMPTS
from dxmatch.votes.prompts.questions import Answer, ModelConfig, Question, canonical
from dxmatch.votes.store.file import StoreError
from dxmatch.votes.store.store import VoteStore

pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
stamina = pytest.importorskip("stamina", reason="asking a language model needs the extra 'llm'")

KEY = "sk-0123-none-may-see-this"  # as in conftest.py
VOTER, OTHER, THIRD = (ModelConfig(f"model-{name}", "vote-1", canonical({"max_tokens": 16, "temperature": 0})) for name in "abc")  # fmt: skip


def questions(n: int, config: ModelConfig = VOTER) -> list[Question]:
    return [Question(config, f"first {i}", f"second {i}") for i in range(n)]


class Lab:
    """The server on loopback, a store, and asking the one through the other."""

    def __init__(self, loopback: Any, store: VoteStore, endpoint: Callable[..., Endpoint]) -> None:
        self.rules, self.log, self.store, self.endpoint = loopback.rules, loopback.log, store, endpoint

    def job(self, asked: list[Question], price: Price | None = None, **endpoint: Any) -> Job:
        config = asked[0].config
        model = LanguageModel(self.endpoint(**endpoint), config.model, json.loads(config.parameters), price)
        return Job(model, PROMPTS[config.prompt], lambda: asked)

    def ask(self, *jobs: Job, store: VoteStore | None = None, progress: Progress | None = None, **caps: Any) -> AskSummary:  # fmt: skip
        store = store or self.store
        return asking.ask(asking.plan(jobs, store), store, Budget(**caps), progress) or AskSummary()

    def kept(self, asked: list[Question]) -> dict[Question, Answer]:
        found = zip(asked, self.store.stored(asked), strict=True)
        return {question: answer for question, answer in found if answer is not None}


@pytest.fixture
def lab(loopback: Any, tmp_path: Path, endpoint: Callable[..., Endpoint]) -> Iterator[Lab]:
    with VoteStore(tmp_path / "votes.sqlite") as store:
        yield Lab(loopback, store, endpoint)


# What is kept


def test_an_answer_is_kept_with_its_verdict_or_the_reason_for_none(lab: Lab) -> None:
    said = {"text": "Yes."}, {"content": None, "refusal": "I cannot help with that."}, {"text": f"key {KEY}"}, {"content": "half \ud83d"}  # fmt: skip
    lab.rules(*({"contains": f"first {i}", **rule} for i, rule in enumerate(said)))
    summary, kept = lab.ask(lab.job(questions(4))), list(lab.kept(questions(4)).values())
    assert [one.reason or one.verdict for one in kept] == [1, "refusal", "unclear", "unclear"]
    assert summary.answered == summary.calls == 4 and not summary.failed
    assert summary.unscored == {"refusal": 1, "unclear": 2} and summary.completion_tokens == 8
    assert not list(lab.store.unknown(questions(4))) and KEY not in f"{kept}"


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(("rule", "kind"), [
    ({"reset": "before"}, "connection"), ({"hang": True}, "time-out"), ({"status": 400, "error": "maximum context length"}, "refused question"),
], ids=lambda value: str(value)[:30])  # fmt: skip
def test_a_call_without_an_answer_is_counted_not_kept_and_asked_again(lab: Lab, rule: dict[str, Any], kind: str) -> None:  # fmt: skip
    """The fault befalls one question of ten; the other nine are answered all the same."""
    lab.rules({"contains": "first 3", **rule})
    asked = questions(10)
    summary = lab.ask(lab.job(asked, timeout=3.0 if kind == "time-out" else 60.0, tries=2))
    assert dict(summary.failed) == {kind: 1} and summary.answered == 9 and not summary.stopped_because
    assert list(lab.store.unknown(asked)) == [asked[3]]
    assert "run this again" in f"{summary.lines()}" and kind in f"{summary.lines()}"
    lab.rules()
    assert lab.ask(lab.job(asked)).answered == lab.log()["calls"] == 1 and len(lab.kept(asked)) == 10


def test_all_faults_in_a_mixture(lab: Lab) -> None:
    faults = {"status": 429}, {"status": 500}, {"reset": "before"}, {"reset": "within"}, {"truncate": "lying"}, {"json": {}}  # fmt: skip
    lab.rules({"times": 3, "status": 429, "retry_after": 1}, *({"first": 1, "share": 0.1, **rule} for rule in faults))
    summary, log = lab.ask(lab.job(questions(100), concurrency=50)), lab.log()
    assert summary.answered == 100 and not summary.failed
    assert summary.calls == log["calls"] > 130
    block = lambda text: json.loads(text.split("<data>\n")[1].split("\n</data>")[0])  # noqa: E731
    answers = {block(text)["first"]: said for text, said in log["answers"].items()}
    for question, answer in lab.kept(questions(100)).items():
        assert answer.raw == answers[question.first] and answer.verdict == (answer.raw == "Yes.")


def test_nothing_is_asked_twice(lab: Lab) -> None:
    asked, seen = questions(30), list[tuple[int, int]]()
    told = lab.ask(lab.job(asked[:20]), progress=lambda *done: seen.append(done)).lines()
    assert seen == [(i, 20) for i in range(1, 21)] and told[0] == "20 answers kept, 0 of them without a verdict."
    summary = lab.ask(lab.job([*asked, *asked]))
    assert (summary.answered, summary.calls) == (10, 10), "the doubled ones were answered meanwhile"
    assert set(lab.log()["asked"].values()) == {1}


def test_two_processes_ask_nothing_twice_but_what_both_have_under_way(lab: Lab) -> None:
    lab.rules(delay=0.05)
    stores = (lab.store, VoteStore(lab.store.path))
    work = lambda store: lab.ask(lab.job(questions(120), concurrency=4), store=store)  # noqa: E731
    both = [threading.Thread(target=work, args=(store,)) for store in stores]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert len(lab.kept(questions(120))) == 120
    assert sum(count - 1 for count in lab.log()["asked"].values()) <= 8


def test_another_model_that_answers_is_told(lab: Lab) -> None:
    """A proxy that falls back: the name that the server gives is kept; one name alone, an alias perhaps, is no news."""
    reply = {"choices": [{"message": {"content": "Yes"}, "finish_reason": "stop"}]}
    alias = {"json": {**reply, "model": "model-a-2026"}}
    lab.rules({"contains": "first 3", "json": {**reply, "model": "another"}}, alias)
    assert not any("several models" in line for line in lab.ask(lab.job(questions(3))).lines())
    lines = lab.ask(lab.job(questions(6))).lines()
    assert any("model-a was answered by several models" in line and "1 another" in line for line in lines)
    (status,) = lab.store.status()
    assert status.served_by == {"model-a-2026": 5, "another": 1}
    assert "    answered by other names (5 model-a-2026, 1 another)" in status.lines()
    who = f"model-a, prompt vote-1, parameters {VOTER.parameters}"
    assert status.lines()[:2] == [who, "    6 answers, 6 match, 0 unscored"]


# When it stops


@pytest.mark.parametrize("status", [401, 404])
def test_a_final_error_stops_the_job_at_once_and_no_other(lab: Lab, status: int) -> None:
    lab.rules({"model": "model-a", "status": status, "error": "no"}, delay=0.1)
    summary = lab.ask(lab.job(questions(500)), lab.job(questions(50, OTHER)), lab.job(questions(50, THIRD), name="two"))
    (reason,) = summary.stopped_because
    assert reason.startswith("model-a is not asked any more: lab (http://127.0.0.1:")
    assert summary.failed.total() <= 8 and lab.log()["calls"] == 100 + summary.failed.total()
    assert len(lab.kept(questions(50, OTHER))) == 50 and summary.answered == 100
    assert lab.log()["most_at_once"] == 16, "two endpoints side by side"


@pytest.mark.usefixtures("at_once")
def test_a_job_whose_calls_all_fail_is_given_up(lab: Lab) -> None:
    lab.rules({"times": 50, "text": "Yes"}, {"status": 500})
    summary = lab.ask(lab.job(questions(1000), tries=2))
    assert summary.answered == 50
    assert MAX_FAILURES <= summary.failed.total() <= MAX_FAILURES + 8
    assert "20 failures in a row, the last: lab" in summary.stopped_because[0]


def test_no_call_beyond_the_cap_and_questions_are_drawn_as_they_are_asked(lab: Lab) -> None:
    drawn = 0

    def endless() -> Iterator[Question]:
        nonlocal drawn
        while True:
            drawn += 1
            yield Question(VOTER, "same", f"{drawn}")

    lab.rules({"share": 0.3, "status": 500})
    job = Job(LanguageModel(lab.endpoint(concurrency=16), VOTER.model), PROMPTS[VOTER.prompt], endless)
    with stamina.set_testing(True, attempts=100, cap=True):
        summary = asking.ask([Planned(job, 5_000_000, 5_000_000)], lab.store, Budget(max_calls=70))
    assert summary is not None and lab.log()["calls"] == summary.calls == 70 >= drawn - 16
    assert summary.stopped_because == ["the cap of 70 calls is reached"] and summary.answered < 70


def test_one_budget_holds_over_several_askings_and_none_is_begun_where_all_is_known(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget, first, second = Budget(max_calls=5), [lab.job(questions(3))], [lab.job(questions(4, OTHER))]
    for jobs in (first, second):
        asking.ask(asking.plan(jobs, lab.store), lab.store, budget)
    assert [one.calls for one in budget.summaries] == [3, 2] and budget.calls == lab.log()["calls"] == 5
    assert budget.summaries[1].stopped_because == ["the cap of 5 calls is reached"]
    monkeypatch.delenv("DXMATCH_TEST_KEY")  # a key that nobody needs
    assert asking.ask(asking.plan(first, lab.store), lab.store, budget) is None and len(budget.summaries) == 2
    with pytest.raises(InputError, match="DXMATCH_TEST_KEY"):
        asking.ask(asking.plan(second, lab.store), lab.store, Budget())
    assert lab.log()["calls"] == 5


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("fault", [{}, {"share": 0.3, "status": 500}, {"share": 0.2, "reset": "within"}])
def test_no_cost_beyond_the_cap(lab: Lab, fault: dict[str, Any]) -> None:
    """The server counts 109 tokens for a prompt and 2 for an answer, so 50 answers cost 0.0111 at 1.0 and 51.0."""
    lab.rules(*([fault] if fault else []))
    price = Price(1.0, 51.0)
    summary = lab.ask(lab.job(questions(300), price, concurrency=16), max_cost=0.0111)
    (reason,) = summary.stopped_because
    assert "is spent" in reason
    spent = sum(price.of(a.prompt_tokens, a.completion_tokens) for a in lab.kept(questions(300)).values())  # type: ignore[arg-type]
    assert summary.cost is not None and spent <= summary.cost + 1e-12 <= 0.0111 + 1e-9
    # an answer that was lost on its way is charged too
    assert spent < summary.cost if "reset" in fault else spent == pytest.approx(summary.cost)
    assert summary.cost > 0.0111 - price.of(109 * 15, 16), "no more is left than the next call could cost"


def test_a_store_that_fails_stops_everything_at_once(lab: Lab, tmp_path: Path) -> None:
    class Full(VoteStore):
        left = 5

        def add(self, question: Question, answer: Answer) -> bool:
            if not self.left:
                raise StoreError("the disk is full")
            self.left -= 1
            return super().add(question, answer)

    lab.rules({"contains": "first 30", "hang": True})
    start = time.monotonic()
    with Full(tmp_path / "full.sqlite") as lab.store:
        with pytest.raises(StoreError, match="the disk is full"):
            lab.ask(lab.job(questions(400)), lab.job(questions(50, OTHER), name="two"))
        assert len(lab.kept(questions(400))) + len(lab.kept(questions(50, OTHER))) == 5
    assert lab.log()["calls"] <= 5 + 2 * 8
    assert time.monotonic() - start < 30


# How it goes


def test_interrupted_within_a_running_event_loop(lab: Lab) -> None:
    """As in a notebook, in which polars is imported: a wait without an end is deaf to signals then."""
    import polars  # noqa: F401

    async def cell() -> AskSummary:
        return lab.ask(lab.job(questions(2_000)))

    def interrupt() -> None:
        while lab.log()["calls"] < 20:
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    lab.rules(delay=0.1)
    threading.Thread(target=interrupt).start()
    loop = asyncio.new_event_loop()
    summary = loop.run_until_complete(cell())
    loop.close()
    assert summary.stopped_because == ["interrupted"]
    assert 1 <= summary.answered == len(lab.kept(questions(2_000))) < 1_000
