"""Who is asked, and how: models at endpoints, prompts, parameters."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Annotated, Any

from ..endpoints.endpoint import Endpoint, Price
from ..errors import InputError, OptionError
from ..options import Between, Options
from ..votes.asking import LanguageModel, named_model
from ..votes.prompts.files import prompt_of
from ..votes.prompts.prompt import Prompt
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


def raters_of(
    models: str | Sequence[str],
    endpoints: Mapping[str, Endpoint],
    prices: Mapping[str, Price],
    *,
    prompts: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    sampling: Sampling,
) -> list[tuple[LanguageModel, Prompt]]:
    """Each model under each prompt, in their order.

    Raises
    ------
    OptionError
        For a model that is not ENDPOINT:MODEL or named twice, an endpoint that is not known, two prompts of one name.
    InputError
        For a prompt's file that cannot be right.
    """
    served = [
        named_model("models", one, endpoints, prices) for one in ([models] if isinstance(models, str) else models)
    ]
    put = [prompt_of("diagnosis", one) for one in ([prompts] if isinstance(prompts, str | os.PathLike) else prompts)]
    for prompt in put:
        if set(prompt.name) & set("[]#"):
            allowed = "a name without [, ] and #"
            raise InputError("a prompt's name that the lists cannot hold", source=prompt.name, allowed=allowed)
    # An answer is the model's, wherever it is served: that of a second endpoint would be the first's once more.
    for option, names in (("models", [one.model for one in served]), ("prompts", [one.name for one in put])):
        if not names or len(set(names)) < len(names):
            allowed = f"at least one{' ENDPOINT:MODEL' * (option == 'models')}, each once by its name"
            raise OptionError(option, allowed, names)
    out = list[tuple[LanguageModel, Prompt]]()
    for model, prompt in product(served, put):
        sent = {"max_tokens": prompt.parameters["max_tokens"], **sampling.sent}
        if "max_completion_tokens" in sent:  # services that know it refuse `max_tokens` beside it
            del sent["max_tokens"]
        out.append((replace(model, parameters={key: one for key, one in sent.items() if one is not None}), prompt))
    return out
