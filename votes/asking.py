"""The one asker of language models: a model by its name, what it is to be asked, a plan of that, and asking through the vote store.

What the store holds is never asked again, so whatever ends an asking, the next one goes on where it stopped.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, islice
from typing import Any

from ..endpoints.client import EndpointClient, EndpointError, run
from ..endpoints.endpoint import Endpoint, Price
from ..errors import OptionError
from ..files.wording import counted, nearest
from ..progress import Progress
from .asking_options import Asking, AskSummary, Budget, CapReached, token_limit
from .prompts.prompt import Prompt
from .prompts.questions import Answer, ModelConfig, Question, canonical
from .store.store import VoteStore

MAX_FAILURES = 20
"""A job ends after so many failed questions in a row; after two rounds where more are under way at once."""
_SAMPLE = 200
"""So many of the unknown questions are written out to expect their tokens."""
_USUAL_VERDICT, _USUAL_LIST = 3, 300
"""Tokens expected of an answer; a model that reasons writes many times that."""


@dataclass(frozen=True)
class LanguageModel:
    """A model at an endpoint.

    parameters : of the sampling; None for the prompt's own, temperature 0 and as many tokens as its answer needs.
    price : of its tokens, for a cap on cost.
    """

    endpoint: Endpoint
    model: str
    parameters: Mapping[str, Any] | None = None
    price: Price | None = None

    def config(self, prompt: Prompt) -> ModelConfig:
        """Who answers, and to what: two answers are comparable only under the same."""
        sent = prompt.parameters if self.parameters is None else self.parameters
        return ModelConfig(self.model, prompt.version, canonical(sent))

    def answers(
        self, prompt: Prompt, asked: Sequence[tuple[str, str]], store: VoteStore, budget: Budget, progress: Progress | None = None
    ) -> list[Answer | None]:  # fmt: skip
        """The answer to each (first, second); None where there is none: the call failed, or the budget was spent.

        Only what the store does not hold is asked.
        """
        questions = [Question(self.config(prompt), first, second) for first, second in asked]
        ask(plan([Job(self, prompt, lambda: dict.fromkeys(questions))], store), store, budget, progress)
        return list(store.stored(questions))


@dataclass(frozen=True)
class Job:
    """What one model is asked under one prompt.

    questions : gives them, all of the job's `config`; it is called anew whenever they are needed, and they come one by one.
    called : what the plan calls it; the model's name by default. unread : whether nothing can be read from an answer of the store.
    """

    model: LanguageModel
    prompt: Prompt
    questions: Callable[[], Iterable[Question]]
    called: str = ""
    unread: Callable[[Answer], bool] = lambda answer: answer.verdict is None

    @cached_property
    def config(self) -> ModelConfig:
        """Who answers, and to what."""
        return self.model.config(self.prompt)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """What is sent beside the messages."""
        return json.loads(self.config.parameters)


@dataclass(frozen=True)
class Planned:
    """How much of a job is still to be asked.

    wanted : all questions. unknown : those without an answer in the store, and those of `anew`. prompt_tokens, completion_tokens : expected
    for these. anew : those whose answer nothing can be read from, and that are asked again; it stays until another has come.
    """

    job: Job
    wanted: int
    unknown: int
    anew: Sequence[Question] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def cost(self) -> float | None:
        """Expected; None where no price is given."""
        price = self.job.model.price
        return None if price is None else price.of(self.prompt_tokens, self.completion_tokens)


def plan(jobs: Iterable[Job], store: VoteStore | None, again: bool = False) -> list[Planned]:
    """Counts what the store does not hold. store : None where nothing is known yet. again : asks anew where nothing can be read from an answer."""
    planned = []
    for job in jobs:
        wanted = sum(1 for _ in job.questions())
        held = zip(job.questions(), store.stored(job.questions()), strict=True) if store and again else ()
        anew = [question for question, answer in held if answer is not None and job.unread(answer)]
        open_ = chain(job.questions() if store is None else store.unknown(job.questions()), anew)
        sample = list(islice(open_, _SAMPLE))
        unknown = len(sample) + sum(1 for _ in open_)
        messages = chain.from_iterable(job.prompt.messages(one.first, one.second) for one in sample)
        # guessed from the length: 3.5 characters of English to a token, and 8 around each message
        guessed = sum(len(message["content"]) / 3.5 + 8 for message in messages) / max(len(sample), 1)
        usual = _USUAL_LIST if job.prompt.kind == "diagnosis" else _USUAL_VERDICT
        planned.append(Planned(job, wanted, unknown, anew, round(unknown * guessed), unknown * usual))
    return planned


@contextmanager
def planned(jobs: Sequence[Job], asking: Asking) -> Iterator[tuple[list[Planned], VoteStore | None]]:
    """The plan of some jobs, and the store that is to hold the answers; None for one that a dry run would make."""
    with VoteStore(asking.filled) if asking.filled.exists() or not asking.dry_run else nullcontext() as store:
        yield plan(jobs, store, asking.again), store


def plan_lines(planned: Sequence[Planned]) -> Iterator[str]:
    """Yields a line for each job with what is to be asked, and the sum, for a terminal or a log."""
    for one in planned:
        who = f"{one.job.called or one.job.model.model} at {one.job.model.endpoint.name} ({one.job.model.endpoint.url})"
        known = f"{counted(one.wanted, 'question')}, {one.wanted - one.unknown:,} known, {one.unknown:,} to ask"
        yield f"{who}: {known}{f': {_expected([one])}' if one.unknown else ''}"
    if not (questions := sum(one.unknown for one in planned)):
        yield "Nothing to ask."
        return
    yield f"To ask: {counted(questions, 'question')}, {_expected(planned)}."
    yield "The tokens are a guess; a model that reasons writes many times more."


def _expected(planned: Sequence[Planned]) -> str:
    """Tokens of prompts and of answers, and their cost."""
    tokens = f"{sum(one.prompt_tokens for one in planned):,} + {sum(one.completion_tokens for one in planned):,}"
    costs = [one.cost for one in planned if one.cost is not None]
    lacking = "" if len(costs) == len(planned) else ", some without a price"
    return f"about {tokens} tokens, {f'cost about {sum(costs):,.2g}{lacking}' if costs else 'no price given'}"


def ask(
    planned: Sequence[Planned], store: VoteStore, budget: Budget, progress: Progress | None = None
) -> AskSummary | None:
    """Asks what is planned and unknown, and keeps each answer before the next question takes its place.

    The endpoints are asked side by side, the jobs of one endpoint one after another. A question is claimed in
    the store before it is asked: another process that shares the store waits for its answer, and asks it where none comes within the
    time-out of the endpoint. A question that fails is counted and not kept: the next run asks it again. A job whose calls all fail is
    given up. Ctrl-C ends it with what was answered.

    Parameters
    ----------
    budget : what may be spent, over all that is asked with it; it keeps the summary. No cap is exceeded: a call is only made
        where the most that it can cost still fits, and every model that is asked must have a price where the cost is capped.
    progress : called with the number of questions done, and of all.

    Returns
    -------
    What came of it; None where nothing was to be asked.

    Raises
    ------
    StoreError
        As soon as an answer cannot be kept.
    InputError
        A key is not set.
    OptionError
        A cap that cannot be enforced.
    """
    if not (open_ := [one for one in planned if one.unknown]):
        return None
    for one in open_:
        one.job.model.endpoint.key()
        if budget.max_cost is not None and (one.job.model.price is None or token_limit(one.job.parameters) is None):
            lacking = f"a price of {one.job.model.model}, or max_tokens among its parameters"
            raise OptionError("max_cost", f"left out where {lacking}, is missing", budget.max_cost)
    calls, cost, asker = budget.calls, budget.cost, _Asker(open_, store, budget, progress)
    try:
        run(asker.all(), lambda: asker.stop("interrupted"))
    except KeyboardInterrupt:
        pass
    except BaseExceptionGroup as errors:
        error: BaseException = errors
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None
    summary = asker.summary
    summary.calls = budget.calls - calls
    summary.cost = budget.cost - cost if any(one.job.model.price for one in open_) else None
    budget.summaries.append(summary)
    return summary


class _Asker:
    """The calls of `ask`: many at once, each answer kept as it comes, never beyond the caps."""

    def __init__(self, planned: Sequence[Planned], store: VoteStore, budget: Budget, progress: Progress | None) -> None:
        self._planned, self._store, self._budget, self.summary = planned, store, budget, AskSummary()
        self._progress, self._done = progress or (lambda done, total: None), 0
        self._total = sum(one.unknown for one in planned)
        self._failed, self._over, self._claimed = Counter[int](), set[int](), set[Question]()
        self._anew = {question for one in planned for question in one.anew}
        # In a thread, because a store that another process holds would hold up all calls under way.
        self._thread = ThreadPoolExecutor(1, "vote-store")

    async def all(self) -> None:
        """Raises an exception group, with the first error first."""
        self._in_thread = partial(asyncio.get_running_loop().run_in_executor, self._thread)
        try:
            with self._thread:
                async with asyncio.TaskGroup() as tasks:
                    for endpoint in dict.fromkeys(one.job.model.endpoint for one in self._planned):
                        tasks.create_task(self._endpoint(endpoint))
        finally:
            self._store.release(self._claimed)

    async def _endpoint(self, endpoint: Endpoint) -> None:
        questions = self._questions(endpoint)

        async def work() -> None:
            while (drawn := await self._in_thread(next, questions, None)) is not None:
                await (self._question(client, *drawn) if drawn else asyncio.sleep(0.1))

        async with EndpointClient(endpoint) as client, asyncio.TaskGroup() as workers:
            for _ in range(min(endpoint.concurrency, self._total)):
                workers.create_task(work())

    def _questions(self, endpoint: Endpoint) -> Iterator[tuple[Job, Question] | tuple[()]]:
        """The questions of an endpoint; () for one that another process is asking, which is looked for again when all others are asked."""
        for job, anew in ((one.job, one.anew) for one in self._planned if one.job.model.endpoint == endpoint):
            open_, waiting = chain(self._store.unknown(job.questions()), anew), deque[Question]()
            while id(job) not in self._over and (
                question := next(open_, None) or (waiting.popleft() if waiting else None)
            ):
                if question in self._anew or self._store.claim(question, endpoint.timeout):
                    self._claimed.add(question)
                    yield job, question
                elif any(self._store.unknown([question])):
                    waiting.append(question)
                    yield ()

    async def _question(self, client: EndpointClient, job: Job, question: Question) -> None:
        messages, price = job.prompt.messages(question.first, question.second), job.model.price
        # No tokenizer makes more tokens than bytes; 64 for each message's frame in the chat template.
        longest = sum(len(message["content"].encode("utf-8", "replace")) + 64 for message in messages)
        most = price.of(longest, token_limit(job.parameters) or 0) if price else 0.0
        try:
            reply = await client.chat(job.model.model, messages, job.parameters, lambda: self._budget.call(most))
        except CapReached as cap:
            return self.stop(str(cap))
        except EndpointError as error:
            self._fail(job, error)
        else:
            tokens = reply.prompt_tokens, reply.completion_tokens
            self._budget.cost += price.of(*tokens) - most if price and None not in tokens else 0.0  # type: ignore
            self._failed[id(job)] = 0
            answer = job.prompt.answer(question, reply)
            await self._in_thread(self._keep, question, answer)
            self._claimed.discard(question)
        self._done += 1
        return self._progress(self._done, self._total)

    def _keep(self, question: Question, answer: Answer) -> None:
        """Counts it here, so that an answer that is kept while all else is cancelled is counted too."""
        if question in self._anew:
            self._store.forget([question])
        if self._store.add(question, answer):
            self.summary.count(question.config.model, answer)

    def _fail(self, job: Job, error: EndpointError) -> None:
        self.summary.failed[error.kind] += 1
        self.summary.first_failure = self.summary.first_failure or str(error)
        self._failed[id(job)] += 1
        most = max(MAX_FAILURES, 2 * job.model.endpoint.concurrency)
        if error.final or self._failed[id(job)] >= most:
            why = f"{error}" if error.final else f"{most} failures in a row, the last: {error}"
            self.stop(f"{job.model.model} is not asked any more: {why}", job)

    def stop(self, reason: str, *jobs: Job) -> None:
        """Asks no further question of these jobs, or of all."""
        over = {id(job) for job in jobs or (one.job for one in self._planned)} - self._over
        self._over |= over
        self.summary.stopped_because += [reason] if over else []


def named_model(
    option: str, asked: str | LanguageModel, endpoints: Mapping[str, Endpoint], prices: Mapping[str, Price] | None = None, instead: str = "",
    by: str = "endpoints",
) -> LanguageModel:  # fmt: skip
    """The model that an option names as ENDPOINT:MODEL; a model's own name may hold colons.

    instead : what else the option allows, by : the option that names the endpoints; for the error.

    Raises
    ------
    OptionError
        For what is not ENDPOINT:MODEL, or an endpoint that is not known.
    """
    if isinstance(asked, LanguageModel):
        return asked
    endpoint, _, model = asked.partition(":")
    if model.strip() and endpoint in endpoints:
        return LanguageModel(endpoints[endpoint], model, price=(prices or {}).get(model))
    known = f", and needs the option '{by}', a TOML file"
    if endpoints:
        near = nearest(endpoint, endpoints) or next(iter(endpoints))
        known = f", such as {near}:{model or asked.rstrip(':')} (endpoints: {', '.join(endpoints)})"
    raise OptionError(option, f"{instead}ENDPOINT:MODEL{known}", asked)
