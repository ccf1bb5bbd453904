"""A language model as it is asked by judges and classifiers: through the vote store, nothing twice."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..endpoints.endpoint import Endpoint
from ..endpoints.prices import Price
from ..errors import OptionError
from ..files.did_you_mean import hint
from ..progress import Progress
from .ask_summary import AskSummary
from .prompts.prompt import Prompt
from .prompts.questions import Answer, ModelConfig, Question, canonical
from .prompts.versions import PROMPTS
from .store.store import VoteStore


class NotServed(OptionError):
    """A language model that no endpoint is known to serve."""


@dataclass
class Budget:
    """What may still be spent, over all that is asked with it; None for no limit. `summaries`: what came of asking."""

    max_calls: int | None = None
    max_cost: float | None = None
    summaries: list[AskSummary] = field(default_factory=list)

    def left(self) -> dict[str, Any]:
        """`max_calls` and `max_cost` of the next asking."""
        calls = sum(summary.calls for summary in self.summaries)
        cost = sum(summary.cost or 0.0 for summary in self.summaries)
        return {
            "max_calls": None if self.max_calls is None else max(0, self.max_calls - calls),
            "max_cost": None if self.max_cost is None else max(0.0, self.max_cost - cost),
        }


@dataclass(frozen=True)
class LanguageModel:
    """A model at an endpoint.

    parameters : of the sampling; by default temperature 0 and as many tokens as the prompt's answer needs.
    price : of its tokens, for a cap on cost.
    """

    endpoint: Endpoint
    model: str
    parameters: Mapping[str, Any] | None = None
    price: Price | None = None

    def config(self, prompt: str | Prompt) -> ModelConfig:
        """prompt : one, or a version in `PROMPTS`."""
        asked = PROMPTS[prompt] if isinstance(prompt, str) else prompt
        default = {"max_tokens": asked.max_answer_tokens, "temperature": 0}
        return ModelConfig(self.model, asked.version, canonical(self.parameters or default))

    def answers(
        self,
        prompt: str | Prompt,
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
        unknown = list(store.unknown(dict.fromkeys(questions)))
        if unknown:
            from .asker import Job, ask

            given = None if isinstance(prompt, str) else prompt
            job = Job(self.endpoint, who, unknown, len(unknown), self.price, given)
            quiet: Progress = lambda done, total: None  # noqa: E731
            budget.summaries.append(ask([job], store, **budget.left(), progress=progress or quiet))
        return list(store.stored(questions))


def services_of(endpoints: str | os.PathLike[str] | None) -> tuple[dict[str, Endpoint], dict[str, Price]]:
    """The endpoints and prices of a TOML file; neither without one."""
    from ..endpoints.prices import read_services

    return ({}, {}) if endpoints is None else read_services(endpoints)


def named_model(
    option: str,
    asked: str | LanguageModel,
    endpoints: Mapping[str, Endpoint],
    prices: Mapping[str, Price],
    instead: str = "",
) -> LanguageModel:
    """The model that an option names as ENDPOINT:MODEL. instead : what else the option allows, for the error.

    Raises
    ------
    NotServed
        For what is not ENDPOINT:MODEL, or an endpoint that is not known.
    """
    if isinstance(asked, LanguageModel):
        return asked
    endpoint, _, model = asked.partition(":")
    if not model or endpoint not in endpoints:
        known = f"with one of {', '.join(endpoints)}" if endpoints else "and needs the option 'endpoints', a TOML file"
        raise NotServed(option, f"{instead}ENDPOINT:MODEL, {known}{hint(endpoint, endpoints)}", asked)
    return LanguageModel(endpoints[endpoint], model, price=prices.get(model))
