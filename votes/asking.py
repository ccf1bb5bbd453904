"""The one asker of language models: a model by its name, what it is to be asked, a plan of that, and asking through the vote store.

What the store holds is never asked again, so whatever ends an asking, the next one goes on where it stopped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from ..endpoints.endpoint import Endpoint
from ..endpoints.prices import Price, estimated_tokens, read_services
from ..errors import OptionError
from ..files.wording import counted, nearest
from ..progress import Progress
from .ask_summary import AskSummary
from .budget import Budget as Budget
from .budget import token_limit
from .prompts.prompt import Prompt
from .prompts.questions import Answer, ModelConfig, Question, canonical

if TYPE_CHECKING:
    from .batch_files import BatchFile
    from .store.store import VoteStore

_SAMPLE = 200
"""So many of the unknown questions are written out to expect their tokens."""
_FORMS_SHOWN = 3


class NotServed(OptionError):
    """A language model that no endpoint is known to serve."""


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
        self,
        prompt: Prompt,
        asked: Sequence[tuple[str, str]],
        store: VoteStore,
        budget: Budget,
        progress: Progress | None = None,
    ) -> list[Answer | None]:
        """The answer to each (first, second); None where there is none: the call failed, or the budget was spent.

        Only what the store does not hold is asked.
        """
        who = self.config(prompt)
        questions = [Question(who, first, second) for first, second in asked]
        job = Job(self, prompt, lambda: dict.fromkeys(questions))
        ask(plan([job], store), store, budget, progress)
        return list(store.stored(questions))


@dataclass(frozen=True)
class Job:
    """What one model is asked under one prompt.

    questions : gives them, all of the job's `config`; it is called anew whenever they are needed, and they come one by one.
    called : what the plan calls it; the model's name by default.
    """

    model: LanguageModel
    prompt: Prompt
    questions: Callable[[], Iterable[Question]]
    called: str = ""

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

    wanted : all questions. unknown : those without an answer in the store.
    prompt_tokens, completion_tokens : expected for the unknown ones. cost : of these; None where no price is given.
    most : the highest cost that the limit on tokens allows; None where there is no price or no limit.
    guessed : whether nothing that was answered tells how long answers are.
    """

    job: Job
    wanted: int
    unknown: int
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    most: float | None = None
    guessed: bool = False


def plan(jobs: Iterable[Job], store: VoteStore | None) -> list[Planned]:
    """Counts what the store does not hold. store : None where nothing is known yet."""
    return [_planned(job, store) for job in jobs]


def _planned(job: Job, store: VoteStore | None) -> Planned:
    wanted = 0

    def put() -> Iterator[Question]:
        nonlocal wanted
        for question in job.questions():
            wanted += 1
            yield question

    open_ = put() if store is None else store.unknown(put())
    sample = list(islice(open_, _SAMPLE))
    unknown = len(sample) + sum(1 for _ in open_)
    if not unknown:
        return Planned(job, wanted, 0)
    limit, price = token_limit(job.parameters), job.model.price
    seen = None if store is None else store.mean_tokens(job.config)
    of_prompt, of_answer = seen or _guessed_tokens(job, sample, limit)
    tokens = round(unknown * of_prompt), round(unknown * of_answer)
    cost = None if price is None else price.of(*tokens)
    most = None if price is None or limit is None else price.of(tokens[0], unknown * limit)
    return Planned(job, wanted, unknown, *tokens, cost, most, seen is None)


def _guessed_tokens(job: Job, sample: Sequence[Question], limit: int | None) -> tuple[float, float]:
    """Of a prompt, from the length of some of the unknown ones; of an answer."""
    lengths = [estimated_tokens(job.prompt.messages(one.first, one.second)) for one in sample]
    usual = job.prompt.usual_answer_tokens
    return sum(lengths) / len(lengths), float(usual if limit is None else min(limit, usual))


def plan_lines(planned: Sequence[Planned]) -> Iterator[str]:
    """Yields a line for each job with what is to be asked, and the sum, for a terminal or a log."""
    for one in planned:
        model = one.job.model
        yield (
            f"{one.job.called or model.model} at {model.endpoint.name} ({model.endpoint.url}): {counted(one.wanted, 'question')}, "
            f"{one.wanted - one.unknown:,} known, {one.unknown:,} to ask{_expected(one)}"
        )
    asked = [one for one in planned if one.unknown]
    if not asked:
        yield "Nothing to ask."
        return
    tokens = f"{sum(one.prompt_tokens for one in asked):,} + {sum(one.completion_tokens for one in asked):,} tokens"
    questions = counted(sum(one.unknown for one in asked), "question")
    yield f"To ask: {questions}, about {tokens} of prompts and answers{_cost(asked)}."
    if any(one.guessed for one in asked):
        yield "The tokens of answers are a guess until the first ones have come; a model that reasons writes many times more."


def _expected(one: Planned) -> str:
    if not one.unknown:
        return ""
    cost = "no price given" if one.cost is None else f"cost about {_amount(one.cost)}"
    most = "" if one.most is None else f", at most about {_amount(one.most)}"
    return f": about {one.prompt_tokens:,} + {one.completion_tokens:,} tokens, {cost}{most}"


def _cost(asked: Sequence[Planned]) -> str:
    costs = [one.cost for one in asked if one.cost is not None]
    if not costs:
        return ""
    most = [one.most for one in asked if one.most is not None]
    highest = f", at most about {_amount(sum(most))}" if len(most) == len(asked) else ""
    lacking = "" if len(costs) == len(asked) else ", some without a price"
    return f", cost about {_amount(sum(costs))}{highest}{lacking}"


def _amount(money: float) -> str:
    """Two digits behind the point, or two that say something: 12.30, 0.0042."""
    if money == 0 or money >= 0.1:
        return f"{money:,.2f}"
    return f"{money:.2g}" if money >= 1e-4 else f"{money:.6f}"


def ask(
    planned: Sequence[Planned], store: VoteStore, budget: Budget | None = None, progress: Progress | None = None
) -> AskSummary | None:
    """Asks what is planned and unknown, and keeps each answer before the next question takes its place.

    The endpoints are asked side by side, the jobs of one endpoint one after another, a few thousand questions at a time in
    an order of chance, so that two processes that share a store seldom ask the same. A question that fails is counted and
    not kept: the next run asks it again. A job whose calls all fail is given up. Ctrl-C ends it with what was answered.

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
    from .asker import Asked, Asker

    jobs = []
    for one in open_:
        job, model = one.job, one.job.model
        unknown = store.unknown(job.questions())
        jobs.append(Asked(model.endpoint, model.model, model.price, job.parameters, job.prompt, unknown, one.unknown))
    budget = Budget() if budget is None else budget
    budget.summaries.append(summary := Asker(jobs, store, budget, progress).run())
    return summary


def export(planned: Sequence[Planned], folder: str | os.PathLike[str], store: VoteStore) -> list[BatchFile]:
    """Writes what is planned and unknown as batch files, in the place of asking; as `batch_files.export`."""
    from .batch_files import export as write

    unknown = (store.unknown(one.job.questions()) for one in planned)
    prompts = {one.job.prompt.version: one.job.prompt for one in planned}
    return write(chain.from_iterable(unknown), folder, store, prompts=prompts)


def services_of(endpoints: str | os.PathLike[str] | None) -> tuple[dict[str, Endpoint], dict[str, Price]]:
    """The endpoints and prices of a TOML file; neither without one."""
    return ({}, {}) if endpoints is None else read_services(endpoints)


def named_model(
    option: str,
    asked: str | LanguageModel,
    endpoints: Mapping[str, Endpoint],
    prices: Mapping[str, Price] | None = None,
    instead: str = "",
) -> LanguageModel:
    """The model that an option names as ENDPOINT:MODEL; a model's own name may hold colons.

    instead : what else the option allows, for the error.

    Raises
    ------
    NotServed
        For what is not ENDPOINT:MODEL, or an endpoint that is not known.
    """
    if isinstance(asked, LanguageModel):
        return asked
    endpoint, _, model = asked.partition(":")
    if model.strip() and endpoint in endpoints:
        return LanguageModel(endpoints[endpoint], model, price=(prices or {}).get(model))
    known = ", and needs the option 'endpoints', a TOML file"
    if endpoints:
        near = nearest(endpoint, endpoints) if model else None
        forms = [f"{near}:{model}"] if near else [f"{one}:{asked.rstrip(':')}" for one in endpoints]
        known = f", such as {' or '.join(forms[:_FORMS_SHOWN])} (endpoints: {', '.join(endpoints)})"
    raise NotServed(option, f"{instead}ENDPOINT:MODEL{known}", asked)
