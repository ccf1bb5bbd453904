"""Who is asked, and how: models at endpoints, prompts, parameters; and what each is called in the lists."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..endpoints.endpoint import Endpoint
from ..endpoints.prices import Price
from ..errors import InputError, OptionError
from ..files.did_you_mean import nearest
from ..votes.prompts.files import prompt_of
from ..votes.prompts.prompt import Prompt
from ..votes.prompts.questions import ModelConfig, canonical
from ..votes.voters import MAX_REPEATS, SET_BY_US

_LIMIT = "max_tokens"
_FORMS_SHOWN = 3


@dataclass(frozen=True)
class Rater:
    """One model under one prompt, asked `repeats` times.

    model, label : what the model and the prompt are called. prompt : as it is put, without any case.
    """

    endpoint: Endpoint
    model: str
    label: str
    prompt: Prompt
    config: ModelConfig
    price: Price | None
    repeats: int

    @property
    def parameters(self) -> dict[str, Any]:
        """What is sent beside the messages."""
        return json.loads(self.config.parameters)

    def name(self, repeat: int) -> str:
        """What it is called in the lists, "MODEL [PROMPT]", with several repeats "MODEL [PROMPT #2]", counted from 1.

        repeat : from 0.
        """
        return f"{self.model} [{self.label}{f' #{repeat + 1}' if self.repeats > 1 else ''}]"


def raters_of(
    models: str | Sequence[str],
    endpoints: Mapping[str, Endpoint],
    prices: Mapping[str, Price],
    *,
    prompts: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    repeats: int,
    parameters: Mapping[str, Any],
) -> list[Rater]:
    """Each model under each prompt, in their order.

    Raises
    ------
    OptionError
        For a model that is not ENDPOINT:MODEL or named twice, an endpoint that is not known, two prompts of one name, repeats
        that are no count.
    InputError
        For a prompt's file that cannot be right.
    """
    if isinstance(repeats, bool) or not isinstance(repeats, int) or not 1 <= repeats <= MAX_REPEATS:
        raise OptionError("repeats", f"a whole number from 1 to {MAX_REPEATS}", repeats)
    served = _served([models] if isinstance(models, str) else list(models), endpoints)
    put = _prompts([prompts] if isinstance(prompts, str | os.PathLike) else list(prompts))
    return [
        Rater(
            endpoints[at], model, label, prompt, ModelConfig(model, prompt.version, _sent(parameters, prompt)),
            prices.get(model), repeats,
        )
        for model, at in served.items()
        for label, prompt in put.items()
    ]  # fmt: skip


def parameters_of(temperature: float | None, max_tokens: int | None, more: Mapping[str, Any] | None) -> dict[str, Any]:
    """What is sent beside the messages; None for what is not to be sent. Without max_tokens the prompt's own limit is added.

    more : goes before the others.

    Raises
    ------
    OptionError
        For a number outside its range, or a parameter that is set elsewhere.
    """
    more = dict(more or {})
    if taken := sorted(set(more) & set(SET_BY_US)):
        raise OptionError("parameters", f"anything but {', '.join(SET_BY_US)}, which dxmatch sets itself", taken[0])
    if temperature is not None and not 0 <= temperature <= 2:
        raise OptionError("temperature", "a number from 0 to 2, or None for the model's own", temperature)
    if max_tokens is not None and (isinstance(max_tokens, bool) or max_tokens < 1):
        raise OptionError("max_tokens", "a whole number from 1, or None for the prompt's own limit", max_tokens)
    try:
        json.dumps(more, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise OptionError("parameters", "what JSON can hold", str(error)) from None
    usual = {"temperature": temperature} if max_tokens is None else {"temperature": temperature, _LIMIT: max_tokens}
    return {**usual, **more}


def _sent(parameters: Mapping[str, Any], prompt: Prompt) -> str:
    """As the store keeps them. Services that know `max_completion_tokens` refuse `max_tokens` beside it."""
    limited = "max_completion_tokens" in parameters
    usual = {} if limited else {_LIMIT: prompt.max_answer_tokens}
    sent = {name: value for name, value in {**usual, **parameters}.items() if value is not None}
    if limited:
        sent.pop(_LIMIT, None)
    return canonical(sent)


def _served(models: list[str], endpoints: Mapping[str, Endpoint]) -> dict[str, str]:
    """Model -> its endpoint."""
    if not models:
        raise OptionError("models", "at least one ENDPOINT:MODEL", models)
    found: dict[str, str] = {}
    for given in models:
        endpoint, _, model = given.partition(":")
        if not model or endpoint not in endpoints:
            near = nearest(endpoint, endpoints) if model else None
            forms = [f"{near}:{model}"] if near else [f"{one}:{given.rstrip(':')}" for one in endpoints]
            raise OptionError(
                "models",
                f"ENDPOINT:MODEL, such as {' or '.join(forms[:_FORMS_SHOWN])} (endpoints: {', '.join(endpoints)})",
                given,
            )
        if model in found:
            # An answer is the model's, wherever it is served: the second would be the first's answers once more.
            raise OptionError("models", f"each model once; {model} is named twice", given)
        found[model] = endpoint
    return found


def _prompts(prompts: list[str | os.PathLike[str]]) -> dict[str, Prompt]:
    """Its name in the lists -> prompt."""
    if not prompts:
        raise OptionError("prompts", "at least one", prompts)
    found: dict[str, Prompt] = {}
    for given in prompts:
        prompt = prompt_of("diagnosis", given)
        label = prompt.name
        if label in found:
            raise OptionError("prompts", f"prompts of different names; {label!r} is there twice", os.fspath(given))
        if same := [other for other, one in found.items() if one.version == prompt.version]:
            raise OptionError("prompts", f"prompts of different texts; {same[0]!r} says the same", os.fspath(given))
        if set(label) & set("[]#"):
            raise InputError(
                "a prompt's name that the lists cannot hold",
                source=os.fspath(given),
                allowed="a name without [, ] and #",
            )
        found[label] = prompt
    return found
