"""Asking against a server that fails in every way: what is kept, what is counted, what is asked again."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dxmatch.endpoints.endpoint import Endpoint, Price
from dxmatch.errors import InputError, OptionError
from dxmatch.progress import Progress
from dxmatch.votes import asking
from dxmatch.votes.asking import MAX_FAILURES, Budget, Job, LanguageModel, Planned
from dxmatch.votes.asking_options import AskSummary
from dxmatch.votes.prompts.files import PROMPTS
from dxmatch.votes.prompts.questions import Answer, ModelConfig, Question, canonical
from dxmatch.votes.store.store import StoreError, VoteStore

pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
stamina = pytest.importorskip("stamina", reason="asking a language model needs the extra 'llm'")

KEY = "sk-0123-none-may-see-this"  # as in conftest.py
VOTER = ModelConfig("model-a", "vote-1", canonical({"max_tokens": 16, "temperature": 0}))
OTHER = ModelConfig("model-b", "vote-1", canonical({"max_tokens": 16, "temperature": 0}))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[VoteStore]:
    with VoteStore(tmp_path / "votes.sqlite") as opened:
        yield opened


def questions(n: int, config: ModelConfig = VOTER) -> list[Question]:
    return [Question(config, f"first {i}", f"second {i}") for i in range(n)]


def job(endpoint: Endpoint, asked: list[Question], price: Price | None = None) -> Job:
    config = asked[0].config
    model = LanguageModel(endpoint, config.model, json.loads(config.parameters), price)
    return Job(model, PROMPTS[config.prompt], lambda: asked)


def ask(jobs: list[Job], store: VoteStore, progress: Progress | None = None, **caps: Any) -> AskSummary:
    return asking.ask(asking.plan(jobs, store), store, Budget(**caps), progress) or AskSummary()


def kept(store: VoteStore, asked: list[Question]) -> dict[Question, Answer]:
    found = zip(asked, store.stored(asked), strict=True)
    return {question: answer for question, answer in found if answer is not None}


# What is kept


@pytest.mark.parametrize(
    ("rule", "verdict", "reason"),
    [
        ({"text": "Yes."}, 1, None),
        ({"text": "No"}, 0, None),
        ({"text": "Maybe"}, None, "unclear"),
        ({"content": None}, None, "empty"),
        ({"content": None, "refusal": "I cannot help with that."}, None, "refusal"),
        ({"text": "word " * 5_000}, None, "too long"),
        ({"text": f"key {KEY}"}, None, "unclear"),
        ({"content": "half \ud83d"}, None, "unclear"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_an_answer_is_kept_with_its_verdict_or_the_reason_for_none(
    loopback: Any, store: VoteStore, endpoint: Callable[..., Endpoint], rule: dict[str, Any], verdict: int | None, reason: str | None
) -> None:  # fmt: skip
    loopback.rules(rule)
    summary = ask([job(endpoint(), questions(1))], store)
    (answer,) = kept(store, questions(1)).values()
    assert (answer.verdict, answer.reason) == (verdict, reason)
    assert KEY not in answer.raw
    assert summary.answered == summary.calls == 1 and not summary.failed
    assert summary.unscored == ({} if reason is None else {reason: 1})
    assert summary.completion_tokens == answer.completion_tokens == 2
    assert not list(store.unknown(questions(1)))


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        ({"status": 429}, "rate limited"),
        ({"status": 500}, "server error"),
        ({"reset": "before"}, "connection"),
        ({"hang": True}, "time-out"),
        ({"raw": "<html>"}, "malformed"),
        ({"status": 400, "error": "maximum context length"}, "refused question"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_call_without_an_answer_is_counted_not_kept_and_asked_again(
    loopback: Any, store: VoteStore, endpoint: Callable[..., Endpoint], rule: dict[str, Any], kind: str
) -> None:
    """The fault befalls one question of ten; the other nine are answered all the same."""
    loopback.rules({"contains": "first 3", **rule})
    asked = questions(10)
    timeout = 3.0 if kind == "time-out" else 60.0
    summary = ask([job(endpoint(timeout=timeout, tries=2), asked)], store)
    assert dict(summary.failed) == {kind: 1}
    assert summary.answered == 9 and not summary.stopped_because
    assert list(store.unknown(asked)) == [asked[3]]
    assert "run this again" in f"{summary.lines()}" and kind in f"{summary.lines()}"
    loopback.reset()
    assert ask([job(endpoint(), asked)], store).answered == 1
    assert loopback.log()["calls"] == 1
    assert len(kept(store, asked)) == 10


def test_all_faults_in_a_mixture(loopback: Any, store: VoteStore, endpoint: Callable[..., Endpoint]) -> None:
    loopback.rules(
        {"times": 3, "status": 429, "retry_after": 1},
        *({"first": 1, "share": 0.1, **rule} for rule in (
            {"status": 429}, {"status": 500}, {"reset": "before"}, {"reset": "within"}, {"truncate": "lying"}, {"json": {}},
        )),
    )  # fmt: skip
    asked = questions(100)
    summary = ask([job(endpoint(concurrency=50), asked)], store)
    log = loopback.log()
    assert summary.answered == 100 and not summary.failed
    assert summary.calls == log["calls"] > 130
    answers = {
        json.loads(text.split("<data>\n")[1].split("\n</data>")[0])["first"]: said
        for text, said in log["answers"].items()
    }
    for question, answer in kept(store, asked).items():
        assert answer.raw == answers[question.first]
        assert answer.verdict == (answer.raw == "Yes.")


def test_nothing_is_asked_twice(loopback: Any, store: VoteStore, endpoint: Callable[..., Endpoint]) -> None:
    asked = questions(30)
    ask([job(endpoint(), asked[:20])], store)
    summary = ask([job(endpoint(), [*asked, *asked])], store)
    assert (summary.answered, summary.known, summary.calls) == (10, 10, 10), "the doubled ones were answered meanwhile"
    assert set(loopback.log()["asked"].values()) == {1}


def test_another_model_that_answers_is_told(loopback: Any, store: VoteStore, endpoint: Callable[..., Endpoint]) -> None:
    """A proxy that falls back: the name that the server gives is kept; one name alone, an alias perhaps, is no news."""
    reply = {"choices": [{"message": {"content": "Yes"}, "finish_reason": "stop"}]}
    loopback.rules(
        {"contains": "first 3", "json": {**reply, "model": "another"}}, {"json": {**reply, "model": "model-a-2026"}}
    )
    lines = ask([job(endpoint(), questions(3))], store).lines()
    assert not any("several models" in line for line in lines)
    lines = ask([job(endpoint(), questions(6))], store).lines()
    assert any("model-a was answered by several models" in line and "1 another" in line for line in lines)
    (status,) = store.status()
    assert status.served_by == {"model-a-2026": 5, "another": 1}
    assert "    answered by other names (5 model-a-2026, 1 another)" in status.lines()


def test_two_processes_ask_nothing_twice_but_what_both_have_under_way(
    loopback: Any, store: VoteStore, endpoint: Callable[..., Endpoint]
) -> None:
    loopback.rules(delay=0.05)
    both = [
        threading.Thread(target=ask, args=([job(endpoint(concurrency=4), questions(120))], other))
        for other in (store, VoteStore(store.path))
    ]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert len(kept(store, questions(120))) == 120
    assert sum(count - 1 for count in loopback.log()["asked"].values()) <= 8


def test_an_answer_is_kept_before_its_slot_is_free(
    loopback: Any, tmp_path: Path, endpoint: Callable[..., Endpoint]
) -> None:
    """So that an end of the process loses no more answers than calls are under way."""
    ahead = []

    class Slow(VoteStore):
        count = 0

        def add(self, question: Question, answer: Answer) -> bool:
            time.sleep(0.01)
            self.count += 1
            ahead.append(loopback.log()["calls"] - self.count)
            return super().add(question, answer)

    with Slow(tmp_path / "slow.sqlite") as store:
        ask([job(endpoint(concurrency=4), questions(40))], store)
    assert len(ahead) == 40 and max(ahead) < 4


def test_the_key_is_not_in_the_store(loopback: Any, tmp_path: Path, endpoint: Callable[..., Endpoint]) -> None:
    loopback.rules({"contains": "first 1", "echo": "error", "status": 500}, {"echo": "answer"})
    with VoteStore(tmp_path / "votes.sqlite") as store, stamina.set_testing(True, attempts=2):
        summary = ask([job(endpoint(), questions(20))], store)
        assert summary.answered and summary.failed
        files = list(tmp_path.iterdir())
        assert len(files) == 3  # with the write-ahead log and its index
        for file in files:
            assert b"0123-none" not in file.read_bytes()
        assert "0123-none" not in f"{summary!r} {summary.lines()}"


# When it stops


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_final_error_stops_the_job_at_once_and_no_other(
    loopback: Any, store: VoteStore, endpoint: Callable[..., Endpoint], status: int
) -> None:
    loopback.rules({"model": "model-a", "status": status, "error": "no"})
    summary = ask([job(endpoint(), questions(500)), job(endpoint(), questions(50, OTHER))], store)
    (reason,) = summary.stopped_because
    assert reason.startswith("model-a is not asked any more: lab (http://127.0.0.1:")
    assert summary.failed.total() <= 8
    assert loopback.log()["calls"] == 50 + summary.failed.total()
    assert len(kept(store, questions(50, OTHER))) == summary.answered == 50


@pytest.mark.usefixtures("at_once")
def test_a_job_whose_calls_all_fail_is_given_up(
    loopback: Any, store: VoteStore, endpoint: Callable[..., Endpoint]
) -> None:
    loopback.rules({"times": 50, "text": "Yes"}, {"status": 500})
    summary = ask([job(endpoint(tries=2), questions(1000))], store)
    assert summary.answered == 50
    assert MAX_FAILURES <= summary.failed.total() <= MAX_FAILURES + 8
    assert "20 failures in a row, the last: lab" in summary.stopped_because[0]


def test_no_call_beyond_the_cap(loopback: Any, store: VoteStore, endpoint: Callable[..., Endpoint]) -> None:
    loopback.rules({"share": 0.3, "status": 500})
    with stamina.set_testing(True, attempts=100, cap=True):
        summary = ask([job(endpoint(concurrency=16), questions(500))], store, max_calls=70)
    assert loopback.log()["calls"] == summary.calls == 70
    assert summary.stopped_because == ["the cap of 70 calls is reached"]
    assert len(kept(store, questions(500))) == summary.answered < 70
    assert ask([job(endpoint(), questions(3, OTHER))], store, max_calls=0).calls == 0


def test_one_budget_holds_over_several_askings_and_none_is_begun_where_all_is_known(
    loopback: Any, store: VoteStore, endpoint: Callable[..., Endpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    budget, first, second = Budget(max_calls=5), [job(endpoint(), questions(3))], [job(endpoint(), questions(4, OTHER))]
    for jobs in (first, second):
        asking.ask(asking.plan(jobs, store), store, budget)
    assert [one.calls for one in budget.summaries] == [3, 2] and budget.calls == loopback.log()["calls"] == 5
    assert budget.summaries[1].stopped_because == ["the cap of 5 calls is reached"]
    monkeypatch.delenv("DXMATCH_TEST_KEY")  # a key that nobody needs
    assert asking.ask(asking.plan(first, store), store, budget) is None and len(budget.summaries) == 2
    with pytest.raises(InputError, match="DXMATCH_TEST_KEY"):
        asking.ask(asking.plan(second, store), store, budget)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("fault", [{}, {"share": 0.3, "status": 500}, {"share": 0.2, "reset": "within"}])
def test_no_cost_beyond_the_cap(
    loopback: Any, store: VoteStore, endpoint: Callable[..., Endpoint], fault: dict[str, Any]
) -> None:
    """The server counts 109 tokens for a prompt and 2 for an answer, so 50 answers cost 0.0111 at 1.0 and 51.0."""
    loopback.rules(*([fault] if fault else []))
    price = Price(1.0, 51.0)
    summary = ask([job(endpoint(concurrency=16), questions(300), price)], store, max_cost=0.0111)
    (reason,) = summary.stopped_because
    assert "is spent" in reason
    spent = sum(price.of(a.prompt_tokens, a.completion_tokens) for a in kept(store, questions(300)).values())  # type: ignore[arg-type]
    assert summary.cost is not None and spent <= summary.cost + 1e-12 <= 0.0111 + 1e-9
    if "reset" in fault:
        assert spent < summary.cost  # an answer that was lost on its way is charged too
    else:
        assert spent == pytest.approx(summary.cost)
    most = price.of(109 * 15, 16)
    assert summary.cost > 0.0111 - most


def test_a_cap_on_cost_needs_a_price_and_a_limit_of_tokens(store: VoteStore, endpoint: Callable[..., Endpoint]) -> None:
    with pytest.raises(OptionError, match="max_cost.*price of model-a"):
        ask([job(endpoint(), questions(1))], store, max_cost=1.0)
    unlimited = questions(1, ModelConfig("model-c", "vote-1", canonical({"temperature": 0})))
    with pytest.raises(OptionError, match="max_tokens"):
        ask([job(endpoint(), unlimited, Price(1, 1))], store, max_cost=1.0)


def test_a_store_that_fails_stops_everything_at_once(
    loopback: Any, tmp_path: Path, endpoint: Callable[..., Endpoint]
) -> None:
    class Full(VoteStore):
        left = 5

        def add(self, question: Question, answer: Answer) -> bool:
            if not self.left:
                raise StoreError("the disk is full")
            self.left -= 1
            return super().add(question, answer)

    loopback.rules({"contains": "first 30", "hang": True})
    asked = questions(400)
    start = time.monotonic()
    with Full(tmp_path / "full.sqlite") as store:
        with pytest.raises(StoreError, match="the disk is full"):
            ask([job(endpoint(), asked), job(endpoint(name="two"), questions(50, OTHER))], store)
        assert len(kept(store, asked)) + len(kept(store, questions(50, OTHER))) == 5
    assert loopback.log()["calls"] <= 5 + 2 * 8
    assert time.monotonic() - start < 30


def test_a_key_that_is_not_set_stops_before_any_call(
    loopback: Any, store: VoteStore, endpoint: Callable[..., Endpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DXMATCH_TEST_KEY")
    with pytest.raises(InputError, match="DXMATCH_TEST_KEY"):
        ask([job(endpoint(key_env=None), questions(5)), job(endpoint(), questions(5, OTHER))], store)
    assert loopback.log()["calls"] == 0


# How it goes


def test_endpoints_are_asked_side_by_side(loopback: Any, store: VoteStore, endpoint: Callable[..., Endpoint]) -> None:
    loopback.rules(delay=0.3)
    jobs = [
        job(endpoint(name=name, concurrency=2), questions(4, ModelConfig(name, "vote-1", VOTER.parameters)))
        for name in "abc"
    ]
    assert ask(jobs, store).answered == 12
    assert loopback.log()["most_at_once"] > 2, "more than one endpoint's calls at a time"
    assert loopback.log()["most_at_once"] == 6


def test_questions_are_drawn_lazily(loopback: Any, store: VoteStore, endpoint: Callable[..., Endpoint]) -> None:
    drawn = 0

    def endless() -> Iterator[Question]:
        nonlocal drawn
        while True:
            drawn += 1
            yield Question(VOTER, "same", f"{drawn}")

    endless_job = Job(LanguageModel(endpoint(), VOTER.model), PROMPTS[VOTER.prompt], endless)
    asking.ask([Planned(endless_job, 5_000_000, 5_000_000)], store, Budget(max_calls=50))
    assert drawn <= 10_000


def test_progress_and_an_end_in_words(loopback: Any, store: VoteStore, endpoint: Callable[..., Endpoint]) -> None:
    seen: list[tuple[int, int]] = []
    summary = ask([job(endpoint(), questions(30))], store, progress=lambda *done: seen.append(done))
    assert seen == [(i, 30) for i in range(1, 31)]
    assert summary.lines()[0] == "30 answers kept, 0 of them without a verdict."
    assert AskSummary().lines()


def test_interrupted_within_a_running_event_loop(
    loopback: Any, store: VoteStore, endpoint: Callable[..., Endpoint]
) -> None:
    """As in a notebook."""

    async def cell() -> AskSummary:
        return ask([job(endpoint(), questions(2_000))], store)

    loopback.rules(delay=0.1)
    loop = asyncio.new_event_loop()
    threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    summary = loop.run_until_complete(cell())
    loop.close()
    assert summary.stopped_because == ["interrupted"]
    assert 1 <= summary.answered == len(kept(store, questions(2_000))) < 1_000


def test_a_store_that_is_held_for_a_while_holds_up_no_call(
    loopback: Any, tmp_path: Path, endpoint: Callable[..., Endpoint]
) -> None:
    """The store is locked for longer than the time-out of a call."""
    with VoteStore(tmp_path / "votes.sqlite") as store:
        other = sqlite3.connect(tmp_path / "votes.sqlite", isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        threading.Timer(1.5, lambda: other.execute("ROLLBACK")).start()
        loopback.rules({"delay": 0.2})
        summary = ask([job(endpoint(timeout=1.0, tries=1), questions(40))], store)
        other.close()
    assert summary.answered == 40 and not summary.failed
