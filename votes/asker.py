"""The calls of `asking.ask`: many at once, each answer kept as it comes, never beyond the caps."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ..endpoints.client import EndpointClient, EndpointError
from ..endpoints.endpoint import Endpoint
from ..endpoints.event_loop import run
from ..endpoints.prices import Price
from ..errors import OptionError
from ..progress import Progress
from .ask_summary import AskSummary
from .budget import Budget, CapReached, CostMeter, token_limit
from .prompts.prompt import Prompt
from .prompts.questions import Answer, Question
from .prompts.versions import answer_of
from .store.store import VoteStore

MAX_FAILURES, MAX_FAILURES_AT_FIRST = 100, 10
"""The circuit breaker: a job ends after so many failed questions in a row, 100, or 10 where none was answered yet.

More where more are under way at once: two rounds of these, or one at first."""

_SHUFFLED, _LOOKED_UP = 4_096, 64


@dataclass(eq=False)
class Asked:
    """A job as it is asked, and its state.

    parameters : sent beside the messages. questions : drawn as they are needed, in a thread; `total` of them are unknown.
    over : no further question of it is asked.
    """

    endpoint: Endpoint
    model: str
    price: Price | None
    parameters: Mapping[str, Any]
    prompt: Prompt
    questions: Iterable[Question]
    total: int
    answered: bool = False
    failed_in_a_row: int = 0
    over: bool = False

    def check(self, max_cost: float | None) -> None:
        """Raises `InputError` without a key; `OptionError` where a cap on cost cannot be enforced."""
        self.endpoint.key()
        if max_cost is not None and (self.price is None or token_limit(self.parameters) is None):
            allowed = f"left out where a price of {self.model}, or max_tokens among its parameters, is missing"
            raise OptionError("max_cost", allowed, max_cost)


class Asker:
    """One run of `asking.ask`, which says what is asked and how."""

    def __init__(self, jobs: Sequence[Asked], store: VoteStore, budget: Budget, progress: Progress | None) -> None:
        self._states = jobs
        for state in self._states:
            state.check(budget.max_cost)
        budget.begin()
        self._before = budget.calls, budget.cost
        self._summary = AskSummary()
        self._writer = ThreadPoolExecutor(1, "vote-store")
        self._store, self._budget, self._progress = store, budget, progress
        self._total, self._done = sum(one.total for one in jobs), 0

    def run(self) -> AskSummary:
        """Asks, and tells what came of it, also where Ctrl-C ends it."""
        try:
            with self._writer:
                run(self._all())
        except KeyboardInterrupt:
            self._summary.stopped_because.append("interrupted")
        except BaseExceptionGroup as errors:
            raise _first(errors) from None
        calls, cost = self._before
        self._summary.calls = self._budget.calls - calls
        priced = any(state.price for state in self._states)
        self._summary.cost = self._budget.cost - cost if priced else None
        return self._summary

    async def _all(self) -> None:
        """Raises an exception group, with the first error first."""
        by_endpoint: dict[Endpoint, list[Asked]] = {}
        for state in self._states:
            by_endpoint.setdefault(state.endpoint, []).append(state)
        async with asyncio.TaskGroup() as tasks:
            for endpoint, states in by_endpoint.items():
                tasks.create_task(self._endpoint(endpoint, states))

    async def _endpoint(self, endpoint: Endpoint, states: list[Asked]) -> None:
        questions = _QuestionQueue(states, self._store, lambda known: self._report(known, known))

        async def work() -> None:
            while (drawn := await questions.next()) is not None:
                state, question = drawn
                if not state.over:
                    await self._question(client, state, question)

        async with EndpointClient(endpoint) as client, asyncio.TaskGroup() as workers:
            for _ in range(min(endpoint.concurrency, self._total)):
                workers.create_task(work())

    async def _question(self, client: EndpointClient, state: Asked, question: Question) -> None:
        messages = state.prompt.messages(question.first, question.second)
        meter = CostMeter(self._budget, state.price, messages, state.parameters)
        try:
            reply = await client.chat(state.model, messages, state.parameters, meter)
        except CapReached as cap:
            self._stop(self._states, str(cap))
            if meter.error is None:
                return
            self._summary.failed[meter.error.kind] += 1
        except EndpointError as error:
            self._failed(state, error)
        else:
            meter.answered(reply.prompt_tokens, reply.completion_tokens)
            state.answered, state.failed_in_a_row = True, 0
            answer = answer_of(question, reply, state.prompt)
            # In a thread, because a store that another process holds would hold up all calls under way.
            if not await asyncio.get_running_loop().run_in_executor(self._writer, self._keep, question, answer):
                self._summary.known += 1
        self._report(1)

    def _keep(self, question: Question, answer: Answer) -> bool:
        """Counts it here, so that an answer that is kept while all else is cancelled is counted too."""
        if new := self._store.add(question, answer):
            self._summary.count(answer)
        return new

    def _report(self, done: int, known: int = 0) -> None:
        self._summary.known += known
        self._done += done
        if self._progress is not None:
            self._progress(self._done, self._total)

    def _failed(self, state: Asked, error: EndpointError) -> None:
        self._summary.failed[error.kind] += 1
        if not error.reached:
            self._summary.unreached[error.address] = str(error)
        self._summary.first_failure = self._summary.first_failure or str(error)
        state.failed_in_a_row += 1
        at_once, model = state.endpoint.concurrency, state.model
        limit = max(MAX_FAILURES, 2 * at_once) if state.answered else max(MAX_FAILURES_AT_FIRST, at_once)
        if error.final:
            self._stop([state], f"{model} is not asked any more: {error}")
        elif state.failed_in_a_row >= limit:
            self._stop([state], f"{model} is not asked any more: {limit} failures in a row, the last: {error}")

    def _stop(self, states: Iterable[Asked], reason: str) -> None:
        going = [state for state in states if not state.over]
        for state in going:
            state.over = True
        if going:
            self._summary.stopped_because.append(reason)


class _QuestionQueue:
    """The questions of an endpoint, drawn a few at a time, without those that have been answered meanwhile."""

    def __init__(self, states: Sequence[Asked], store: VoteStore, known: Callable[[int], None]) -> None:
        self._all = self._in_turn(states)
        self._store, self._known = store, known
        self._shuffle = random.Random().shuffle
        self._mixed: list[tuple[Asked, Question]] = []
        self._ready: deque[tuple[Asked, Question]] = deque()
        self._lock = asyncio.Lock()

    @staticmethod
    def _in_turn(states: Sequence[Asked]) -> Iterator[tuple[Asked, Question]]:
        for state in states:
            if not state.over:
                for question in state.questions:
                    yield state, question
                    if state.over:
                        break

    async def next(self) -> tuple[Asked, Question] | None:
        async with self._lock:
            while not self._ready:
                drawn, unknown = await asyncio.to_thread(self._draw)
                if not drawn:
                    return None
                self._ready.extend(unknown)
                if drawn > len(unknown):
                    self._known(drawn - len(unknown))
            return self._ready.popleft()

    def _draw(self) -> tuple[int, list[tuple[Asked, Question]]]:
        """(number drawn, those of them to be asked)."""
        if not self._mixed:
            self._mixed = list(islice(self._all, _SHUFFLED))
            self._shuffle(self._mixed)
        part = {question: state for state, question in self._mixed[:_LOOKED_UP]}
        drawn = len(self._mixed[:_LOOKED_UP])
        del self._mixed[:_LOOKED_UP]
        return drawn, [(part[question], question) for question in self._store.unknown(part)]


def _first(error: BaseException) -> BaseException:
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error
