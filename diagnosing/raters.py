"""Who is asked, and how: models at endpoints, prompts, parameters; and what each is called in the lists."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any

from ..endpoints.endpoint import Endpoint, Price
from ..errors import InputError, OptionError
from ..options import Between, Options
from ..votes.asking import LanguageModel, named_model
from ..votes.prompts.files import prompt_of
from ..votes.prompts.prompt import Prompt
from ..votes.prompts.questions import ModelConfig
from ..votes.voters import SET_BY_US


@dataclass(frozen=True, kw_only=True)
class Sampling(Options):
    """How each answer of a model is drawn.

    Parameters
    ----------
    temperature : float, optional
        How random their answers are. None leaves it to the models.
    max_tokens : int, optional
        The most tokens of an answer, its thoughts included; the prompt's own limit if not given, 4,096 in those that are built in. An
        answer that reaches it is truncated: it counts as unreadable.
    parameters : mapping, optional
        What else is sent, by its name in the protocol. It goes before the two, and None takes a parameter out. Answers under other
        parameters are other answers, and are asked for.

    Raises
    ------
    OptionError
        For a number outside its range, and a parameter that is set elsewhere or that JSON cannot hold.
    """

    temperature: Annotated[float, Between(0, 2)] | None = 0.0
    max_tokens: Annotated[int, Between(1)] | None = None
    parameters: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if taken := sorted(set(self.parameters or ()) & set(SET_BY_US)):
            raise OptionError("parameters", f"anything but {', '.join(SET_BY_US)}, which dxmatch sets itself", taken[0])
        try:
            json.dumps(self.parameters, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise OptionError("parameters", "what JSON can hold", str(error)) from None

    @property
    def sent(self) -> dict[str, Any]:
        """What is sent beside the messages; None for what is not to be sent."""
        limit = {} if self.max_tokens is None else {"max_tokens": self.max_tokens}
        return {"temperature": self.temperature, **limit, **(self.parameters or {})}


@dataclass(frozen=True)
class Rater:
    """One model under one prompt, as it is put without any case, asked `repeats` times."""

    model: LanguageModel
    prompt: Prompt
    repeats: int

    @cached_property
    def config(self) -> ModelConfig:
        """Who answers, and to what."""
        return self.model.config(self.prompt)

    @property
    def called(self) -> str:
        """The model and the prompt, as plans and lists call them."""
        return f"{self.model.model} [{self.prompt.name}]"

    def name(self, repeat: int) -> str:
        """What it is called in the lists, "MODEL [PROMPT]", with several repeats "MODEL [PROMPT #2]", counted from 1.

        repeat : from 0.
        """
        return f"{self.model.model} [{self.prompt.name}{f' #{repeat + 1}' if self.repeats > 1 else ''}]"


def raters_of(
    models: str | Sequence[str],
    endpoints: Mapping[str, Endpoint],
    prices: Mapping[str, Price],
    *,
    prompts: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    repeats: int,
    sampling: Sampling,
) -> list[Rater]:
    """Each model under each prompt, in their order.

    Raises
    ------
    OptionError
        For a model that is not ENDPOINT:MODEL or named twice, an endpoint that is not known, two prompts of one name.
    InputError
        For a prompt's file that cannot be right.
    """
    served: dict[str, LanguageModel] = {}
    for given in [models] if isinstance(models, str) else models:
        model = named_model("models", given, endpoints, prices)
        if model.model in served:
            # An answer is the model's, wherever it is served: the second would be the first's answers once more.
            raise OptionError("models", f"each model once; {model.model} is named twice", given)
        served[model.model] = model
    put: dict[str, Prompt] = {}
    for given in [prompts] if isinstance(prompts, str | os.PathLike) else prompts:
        prompt = prompt_of("diagnosis", given)
        if prompt.name in put:
            raise OptionError(
                "prompts", f"prompts of different names; {prompt.name!r} is there twice", os.fspath(given)
            )
        if set(prompt.name) & set("[]#"):
            allowed = "a name without [, ] and #"
            raise InputError("a prompt's name that the lists cannot hold", source=os.fspath(given), allowed=allowed)
        put[prompt.name] = prompt
    for option, found in (("models", served), ("prompts", put)):
        if not found:
            raise OptionError(option, "at least one ENDPOINT:MODEL" if option == "models" else "at least one", [])
    return [
        Rater(replace(model, parameters=_sent(sampling.sent, prompt)), prompt, repeats)
        for model in served.values()
        for prompt in put.values()
    ]


def _sent(parameters: Mapping[str, Any], prompt: Prompt) -> dict[str, Any]:
    """The parameters under a prompt, with its own limit where none is set. Services that know `max_completion_tokens` refuse `max_tokens` beside it."""
    if "max_completion_tokens" in parameters:
        parameters = {**parameters, "max_tokens": None}
    sent = {"max_tokens": prompt.max_answer_tokens, **parameters}
    return {name: value for name, value in sent.items() if value is not None}
