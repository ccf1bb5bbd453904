"""One question to each model that is to be asked, and what to mend where no answer comes that can be used."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit

from msgspec.structs import replace

from ..endpoints.client import EndpointClient, EndpointError
from ..endpoints.endpoint import Endpoint
from ..endpoints.event_loop import run
from ..errors import InputError
from ..files.wording import hint
from .budget import token_limit
from .prompts.pick_prompt import Offered, PickPrompt
from .prompts.prompt import Prompt
from .prompts.questions import REASONS, Answer, ModelConfig, Question
from .prompts.versions import answer_of

_OLLAMA_PORT = 11434
PAIR = ("heart attack", "myocardial infarction")
"""What a vote is asked about."""
_OFFERED = (
    Offered("I21", "Acute myocardial infarction", "acute myocardial infarction"),
    Offered("I46", "Cardiac arrest", "cardiac arrest"),
    Offered("G43", "Migraine", "migraine"),
)
_RIGHT = 1
"""Of the vote, and of the pick."""
_MOST_LISTED, _MOST_SHOWN = 8, 200
_MORE_TOKENS = "parameters = { max_tokens = 2048, temperature = 0 }"
_FEW_TOKENS = 8
"""Of an empty answer: a model that thought wrote more."""


@dataclass(frozen=True)
class Asked:
    """What is asked of one model. It is asked once, however many columns rest on it.

    columns : that rest on it; empty for a model that no feature set names.
    config : of a vote or a pick; None for embeddings. prompt : it is put with. soft : a probability is needed.
    dimensions : of embeddings, the width that is asked for. before : what is put before each text.
    calls_per_pair : of a new pair, at most.
    """

    columns: tuple[str, ...]
    model: str
    endpoint: Endpoint
    config: ModelConfig | None = None
    prompt: Prompt | None = None
    soft: bool = False
    dimensions: int | None = None
    before: str = ""
    calls_per_pair: float = 1.0

    @property
    def kind(self) -> str:
        return "embedding" if self.prompt is None else self.prompt.kind


@dataclass(frozen=True)
class EndpointCheck:
    """What came of one question to one model.

    columns : of the feature set that rest on the model. kind : "vote", "pick" or "embedding".
    problem : why its answers cannot be used, and what to mend; "" where they can. doubt : what is odd, and no hindrance.
    answer : what the model said, to our own question, which holds none of the user's data; "" for a vector, or where nothing came.
    dimensions : of a vector. seconds : from asking to answer. at_once : calls that the endpoint is given at once.
    calls_per_pair : of a new pair, at most.
    """

    columns: tuple[str, ...]
    model: str
    endpoint: str
    url: str
    kind: str
    at_once: int
    calls_per_pair: float
    problem: str = ""
    doubt: str = ""
    answer: str = ""
    dimensions: int | None = None
    seconds: float | None = None

    @property
    def usable(self) -> bool:
        return not self.problem

    def seconds_for(self, pairs: int) -> float | None:
        """For so many new pairs, if each question takes as long as this one and the server takes `at_once` of them at once."""
        return None if self.seconds is None else pairs * self.calls_per_pair * self.seconds / self.at_once

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "usable": self.usable}

    def lines(self, pairs: int = 1_000) -> list[str]:
        """For the user to read."""
        columns = f"{', '.join(self.columns)}: " if self.columns else ""
        who = f"{columns}{self.model} at {self.endpoint} ({self.url})"
        if self.problem:
            return [f"FAILS  {who}", f"       {self.problem}"]
        came = f"{self.dimensions:,} numbers" if self.dimensions else _shown(self.answer)
        lines = [f"works  {who}", f"       {came} in {_duration(self.seconds or 0)}"]
        if self.dimensions is None and (whole := self.seconds_for(pairs)) is not None:
            lines[1] += (
                f"; {pairs:,} new pairs, at this pace and {self.at_once} at once: about {_duration(whole)}"
                f"{' (a first answer may be slow, while the model is loaded)' if (self.seconds or 0) > 5 else ''}"
            )
        return [*lines, *([f"       But {self.doubt}"] if self.doubt else [])]


def ask_each(
    asked: Sequence[Asked], progress: Callable[[int, int], None] = lambda done, total: None
) -> list[EndpointCheck]:
    """In the order of `asked`; the endpoints side by side, the models of one endpoint one after another. No call is repeated.

    Raises
    ------
    MissingExtra
        openai or stamina is not installed.
    """
    return run(_ask_each(asked, progress))


async def _ask_each(asked: Sequence[Asked], progress: Callable[[int, int], None]) -> list[EndpointCheck]:
    found: dict[int, EndpointCheck] = {}

    async def in_turn(places: Sequence[int]) -> None:
        for place in places:
            found[place] = await _checked(asked[place])
            progress(len(found), len(asked))

    by_endpoint: dict[Endpoint, list[int]] = {}
    for place, one in enumerate(asked):
        by_endpoint.setdefault(one.endpoint, []).append(place)
    try:
        async with asyncio.TaskGroup() as tasks:
            for places in by_endpoint.values():
                tasks.create_task(in_turn(places))
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [found[place] for place in range(len(asked))]


async def _checked(one: Asked) -> EndpointCheck:
    endpoint = one.endpoint
    common = (
        one.columns, one.model, endpoint.name, endpoint.url, one.kind, endpoint.concurrency, one.calls_per_pair,
    )  # fmt: skip
    async with EndpointClient(replace(endpoint, tries=1)) as client:
        start = time.monotonic()
        try:
            if one.config is None or one.prompt is None:
                vectors = await client.embed(one.model, [f"{one.before}{PAIR[0]}"], one.dimensions)
                width, seconds = vectors.shape[1], time.monotonic() - start
                problem = ""
                if one.dimensions not in (None, width):
                    problem = f"{one.dimensions:,} numbers were asked for, {width:,} came: mend `dimensions`, or leave it out."
                return EndpointCheck(*common, problem, dimensions=width, seconds=seconds)
            question = _question(one.config, one.prompt)
            parameters = json.loads(one.config.parameters)
            reply = await client.chat(one.model, one.prompt.messages(question.first, question.second), parameters)
        except InputError as error:  # the key is not set
            return EndpointCheck(*common, f"{error}")
        except EndpointError as error:
            return EndpointCheck(*common, await _to_mend(client, one, error))
    answer = answer_of(question, reply, one.prompt)
    problem = _problem_of(one, answer, parameters, reply.completion_tokens)
    doubt = ""
    if not problem and answer.verdict != _RIGHT:
        doubt = f"{PAIR[0]!r} and {PAIR[1]!r} are the same: another model, or other words (`prompt`), may do better."
    return EndpointCheck(*common, problem, doubt, answer.raw, seconds=reply.seconds)


def _question(config: ModelConfig, prompt: Prompt) -> Question:
    return Question(config, PAIR[0], prompt.listed(_OFFERED) if isinstance(prompt, PickPrompt) else PAIR[1])


def _problem_of(one: Asked, answer: Answer, parameters: dict[str, Any], tokens: int | None) -> str:
    """Of an answer that came. tokens : those that the server counted in it."""
    said = f"the answer was {_shown(answer.raw)}" if answer.raw else "no text came"
    empty = not answer.raw.strip()
    thinks = "<think" in answer.raw or (empty and (tokens is None or tokens > _FEW_TOKENS))
    if answer.reason == "truncated":
        limit = token_limit(parameters)
        return (
            f"{REASONS['truncated']}{f' ({limit:,})' if limit else ''}; {said}. A model that thinks before it answers "
            f"needs more: {_MORE_TOKENS} in its entry; or switch its thinking off."
        )
    if answer.reason is not None:
        if thinks:
            to_do = f"it seems to think before it answers: {_MORE_TOKENS} in its entry, or switch its thinking off"
        elif empty:
            to_do = "the model ended at once: see that it is one for chats, and that the server has its chat template"
        else:
            to_do = "ask another model, or with other words (`prompt`, a text file of yours)"
        return f"{REASONS[answer.reason]}; {said}: {to_do}."
    if one.soft and answer.probability is None:
        return (
            f"{said}, and no log-probabilities with it, of which a soft vote is made: have them served (vLLM, llama.cpp and "
            "newer releases of Ollama give them), or take `soft = true` out."
        )
    return ""


async def _to_mend(client: EndpointClient, one: Asked, error: EndpointError) -> str:
    """The error in words, with what the server's list of models adds to them."""
    words = str(error).removeprefix(f"{error.address}: ")
    if error.kind in ("time-out", "server error"):
        return f"{words} It may be loading the model still: try again in a minute; or raise `timeout`."
    if error.kind not in ("not found", "malformed", "refused question"):
        return words
    listed = await _listed(client)
    if listed is None:
        url = await _right_url(one.endpoint)
        return f'{words} The server answers at url = "{url}".' if url else words
    if one.model not in listed and f"{one.model}:latest" not in listed:
        ollama = urlsplit(one.endpoint.url).port == _OLLAMA_PORT
        others = ", ".join(listed[:_MOST_LISTED]) + (
            f" and {len(listed) - _MOST_LISTED} more" if len(listed) > _MOST_LISTED else ""
        )
        near = hint(one.model, listed) or "."
        fetch = f" To fetch it: ollama pull {one.model}" if ollama else ""
        return f"no such model there{near} It has: {others or 'none'}.{fetch}"
    if error.kind == "refused question":
        return (
            f"{words} The model is there: it may take no `temperature` or `max_tokens`; a newer model of a cloud takes "
            "parameters = { max_completion_tokens = 2048 }."
        )
    return f"{words} The model is there, and gives no {'vectors' if one.config is None else 'answers to questions'}."


async def _listed(client: EndpointClient) -> list[str] | None:
    """The models that the server lists; None where it gives no list."""
    try:
        return [_printable(name) for name in await client.models()]
    except EndpointError:
        return None


async def _right_url(endpoint: Endpoint) -> str | None:
    """Where, near its url, the server lists its models."""
    base = endpoint.url
    for end in ("/chat/completions", "/completions", "/embeddings", "/models"):
        base = base.removesuffix(end)
    parts = urlsplit(base)
    for url in dict.fromkeys((base, f"{base}/v1", f"{parts.scheme}://{parts.netloc}/v1")):
        if url != endpoint.url:
            async with EndpointClient(replace(endpoint, url=url, tries=1)) as client:
                if await _listed(client) is not None:
                    return url
    return None


def _shown(answer: str) -> str:
    text = _printable(answer)
    return f'"{text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 1]}…"}"'


def _printable(text: str) -> str:
    """In one line; what a terminal would obey is a blank."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"
