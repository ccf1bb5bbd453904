"""Asks language models: many calls at once, each answer kept as it comes, never beyond the caps."""

from __future__ import annotations

import asyncio
import json
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from ..endpoints.client import EndpointClient, EndpointError
from ..endpoints.endpoint import Endpoint
from ..endpoints.event_loop import run
from ..endpoints.prices import Price
from ..errors import OptionError
from .ask_summary import AskSummary
from .budget import Budget, CapReached, CostMeter, token_limit
from .prompts.prompt import Prompt
from .prompts.questions import Answer, ModelConfig, Question
from .prompts.versions import PROMPTS, answer_of
from .store.store import VoteStore

__all__ = ["AskSummary", "Job", "ask"]

MAX_FAILURES, MAX_FAILURES_AT_FIRST = 100, 10
"""The circuit breaker: a job ends after so many failed questions in a row, 100, or 10 where none was answered yet.

More where more are under way at once: two rounds of these, or one at first."""

_SHUFFLED, _LOOKED_UP = 4_096, 64


@dataclass(frozen=True)
class Job:
    """What one model configuration is asked at one endpoint.

    questions : drawn as they are needed, in a thread. total : how many they are. price : None where it is not known.
    prompt : puts the questions and reads the answers, under the version that `config` names; by default the built-in one.
    """

    endpoint: Endpoint
    config: ModelConfig
    questions: Iterable[Question]
    total: int
    price: Price | None = None
    prompt: Prompt | None = None

    def __post_init__(self) -> None:
        if self.prompt is not None and self.prompt.version != self.config.prompt:
            raise OptionError("prompt", f"one of the version {self.config.prompt}", self.prompt.version)


def ask(
    jobs: Sequence[Job],
    store: VoteStore,
    *,
    max_calls: int | None = None,
    max_cost: float | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> AskSummary:
    """Asks what the store does not know, and keeps each answer before the next question takes its place.

    The endpoints are asked side by side, the jobs of one endpoint one after another, a few thousand questions at a time in
    an order of chance, so that two processes that share a store seldom ask the same. A question that fails is counted and
    not kept: the next run asks it again. A job whose calls all fail is given up. Ctrl-C ends it with what was answered.

    Parameters
    ----------
    max_calls : calls, retries included. max_cost : in the currency of the prices, which every job must then have. Neither
        is exceeded: a call is only made where the most that it can cost still fits.
    progress : called with the number of questions done, and of all.

    Raises
    ------
    StoreError
        As soon as an answer cannot be kept.
    InputError
        A key is not set.
    OptionError
        A cap that cannot be, or that cannot be enforced.
    """
    asking = _Asking(jobs, store, Budget(max_calls, max_cost), progress)
    try:
        with asking.writer:
            run(asking.all())
    except KeyboardInterrupt:
        asking.summary.stopped_because.append("interrupted")
    except BaseExceptionGroup as errors:
        raise _first(errors) from None
    return asking.finished()


def _first(error: BaseException) -> BaseException:
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


@dataclass(eq=False)
class _JobState:
    """The state of a job. over : no further question of it is asked."""

    job: Job
    answered: bool = False
    failed_in_a_row: int = 0
    over: bool = False

    @cached_property
    def parameters(self) -> dict[str, Any]:
        return json.loads(self.job.config.parameters)

    def check(self, max_cost: float | None) -> None:
        """Raises `InputError` without a key; `OptionError` where a cap on cost cannot be enforced."""
        self.job.endpoint.key()
        if max_cost is not None and (self.job.price is None or token_limit(self.parameters) is None):
            model = self.job.config.model
            allowed = f"left out where a price of {model}, or max_tokens among its parameters, is missing"
            raise OptionError("max_cost", allowed, max_cost)


class _Asking:
    def __init__(
        self, jobs: Sequence[Job], store: VoteStore, budget: Budget, progress: Callable[[int, int], None]
    ) -> None:
        self._states = [_JobState(job) for job in jobs]
        for state in self._states:
            state.check(budget.max_cost)
        self.summary = AskSummary()
        self.writer = ThreadPoolExecutor(1, "vote-store")
        self._store, self._budget, self._progress = store, budget, progress
        self._total, self._done = sum(job.total for job in jobs), 0

    async def all(self) -> None:
        """Raises an exception group, with the first error first."""
        by_endpoint: dict[Endpoint, list[_JobState]] = {}
        for state in self._states:
            by_endpoint.setdefault(state.job.endpoint, []).append(state)
        async with asyncio.TaskGroup() as tasks:
            for endpoint, states in by_endpoint.items():
                tasks.create_task(self._endpoint(endpoint, states))

    async def _endpoint(self, endpoint: Endpoint, states: list[_JobState]) -> None:
        questions = _QuestionQueue(states, self._store, lambda known: self._report(known, known))

        async def work() -> None:
            while (drawn := await questions.next()) is not None:
                state, question = drawn
                if not state.over:
                    await self._question(client, state, question)

        async with EndpointClient(endpoint) as client, asyncio.TaskGroup() as workers:
            for _ in range(min(endpoint.concurrency, sum(state.job.total for state in states))):
                workers.create_task(work())

    async def _question(self, client: EndpointClient, state: _JobState, question: Question) -> None:
        config = question.config
        prompt = state.job.prompt or PROMPTS[config.prompt]
        messages = prompt.messages(question.first, question.second)
        meter = CostMeter(self._budget, state.job.price, messages, state.parameters)
        try:
            reply = await client.chat(config.model, messages, state.parameters, meter)
        except CapReached as cap:
            self._stop(self._states, str(cap))
            if meter.error is None:
                return
            self.summary.failed[meter.error.kind] += 1
        except EndpointError as error:
            self._failed(state, error)
        else:
            meter.answered(reply.prompt_tokens, reply.completion_tokens)
            state.answered, state.failed_in_a_row = True, 0
            answer = answer_of(question, reply, prompt)
            # In a thread, because a store that another process holds would hold up all calls under way.
            if not await asyncio.get_running_loop().run_in_executor(self.writer, self._keep, question, answer):
                self.summary.known += 1
        self._report(1)

    def _keep(self, question: Question, answer: Answer) -> bool:
        """Counts it here, so that an answer that is kept while all else is cancelled is counted too."""
        if new := self._store.add(question, answer):
            self.summary.count(answer)
        return new

    def _report(self, done: int, known: int = 0) -> None:
        self.summary.known += known
        self._done += done
        self._progress(self._done, self._total)

    def _failed(self, state: _JobState, error: EndpointError) -> None:
        self.summary.failed[error.kind] += 1
        if not error.reached:
            self.summary.unreached[error.address] = str(error)
        self.summary.first_failure = self.summary.first_failure or str(error)
        state.failed_in_a_row += 1
        at_once, model = state.job.endpoint.concurrency, state.job.config.model
        limit = max(MAX_FAILURES, 2 * at_once) if state.answered else max(MAX_FAILURES_AT_FIRST, at_once)
        if error.final:
            self._stop([state], f"{model} is not asked any more: {error}")
        elif state.failed_in_a_row >= limit:
            self._stop([state], f"{model} is not asked any more: {limit} failures in a row, the last: {error}")

    def _stop(self, states: Iterable[_JobState], reason: str) -> None:
        going = [state for state in states if not state.over]
        for state in going:
            state.over = True
        if going:
            self.summary.stopped_because.append(reason)

    def finished(self) -> AskSummary:
        self.summary.calls = self._budget.calls
        self.summary.cost = self._budget.cost if any(state.job.price for state in self._states) else None
        return self.summary


class _QuestionQueue:
    """The questions of an endpoint, drawn a few at a time, without those that have been answered meanwhile."""

    def __init__(self, states: Sequence[_JobState], store: VoteStore, known: Callable[[int], None]) -> None:
        self._all = self._in_turn(states)
        self._store, self._known = store, known
        self._shuffle = random.Random().shuffle
        self._mixed: list[tuple[_JobState, Question]] = []
        self._ready: deque[tuple[_JobState, Question]] = deque()
        self._lock = asyncio.Lock()

    @staticmethod
    def _in_turn(states: Sequence[_JobState]) -> Iterator[tuple[_JobState, Question]]:
        for state in states:
            if not state.over:
                for question in state.job.questions:
                    yield state, question
                    if state.over:
                        break

    async def next(self) -> tuple[_JobState, Question] | None:
        async with self._lock:
            while not self._ready:
                drawn, unknown = await asyncio.to_thread(self._draw)
                if not drawn:
                    return None
                self._ready.extend(unknown)
                if drawn > len(unknown):
                    self._known(drawn - len(unknown))
            return self._ready.popleft()

    def _draw(self) -> tuple[int, list[tuple[_JobState, Question]]]:
        """(number drawn, those of them to be asked)."""
        if not self._mixed:
            self._mixed = list(islice(self._all, _SHUFFLED))
            self._shuffle(self._mixed)
        part = {question: state for state, question in self._mixed[:_LOOKED_UP]}
        drawn = len(self._mixed[:_LOOKED_UP])
        del self._mixed[:_LOOKED_UP]
        return drawn, [(part[question], question) for question in self._store.unknown(part)]
