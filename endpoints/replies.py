"""The replies of chat completions, embeddings and lists of models, read strictly: `ValueError` for what is not of the protocol."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

_MAX_LOGPROB = 1e-3
"""Probabilities that were rounded upwards are still probabilities."""


@dataclass(frozen=True)
class ChatReply:
    """One completion.

    text : "" where there is none. refusal : what the model says in place of an answer. finish : why it ended.
    logprobs : token by token, its alternatives as (token, natural logarithm of the probability); [] where none came.
    prompt_tokens, completion_tokens : as the endpoint counted them; None where it did not.
    seconds : from asking to answer; None for a reply out of a file.
    """

    text: str
    refusal: str | None = None
    finish: str | None = None
    logprobs: list[list[tuple[str, float]]] = field(default_factory=list)
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    seconds: float | None = None


class _Message(Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(Struct):
    message: _Message
    finish_reason: str | None = None
    logprobs: Any = None


class _Completion(Struct):
    choices: Annotated[list[_Choice], Meta(min_length=1)]
    usage: Any = None


class _Embedding(Struct):
    index: int
    embedding: str | list[float]


class _Embeddings(Struct):
    data: list[_Embedding]


class _Model(Struct):
    id: str


class _Models(Struct):
    data: list[_Model]


def chat_reply(body: Any, seconds: float | None) -> ChatReply:
    completion = msgspec.convert(body, _Completion)
    choice = completion.choices[0]
    return ChatReply(
        choice.message.content or "",
        choice.message.refusal,
        choice.finish_reason,
        _logprobs(choice.logprobs),
        _count(completion.usage, "prompt_tokens"),
        _count(completion.usage, "completion_tokens"),
        seconds,
    )


def embedding_rows(body: Any, n: int) -> NDArray[np.float32]:
    """float32[n, d], in the order of the texts: from lists of numbers, or from the base64 of little-endian float32."""
    items = sorted(msgspec.convert(body, _Embeddings).data, key=lambda item: item.index)
    if [item.index for item in items] != list(range(n)):
        raise ValueError(f"{n} vectors were asked for, {len(items)} came, not numbered from 0 to {n - 1}")
    vectors = np.stack([_vector(item.embedding) for item in items])  # ValueError for several widths
    if not np.isfinite(vectors).all() or not vectors.shape[1]:
        raise ValueError("a vector with numbers that are not finite, or none")
    return vectors


def model_names(body: Any) -> list[str]:
    """Of the list of models, in its order."""
    return [model.id for model in msgspec.convert(body, _Models).data]


def _vector(given: str | list[float]) -> NDArray[np.float32]:
    if isinstance(given, str):
        return np.frombuffer(base64.b64decode(given, validate=True), "<f4").astype(np.float32)
    return np.array(given, np.float64).astype(np.float32)


def _count(usage: Any, key: str) -> int | None:
    value = usage.get(key) if isinstance(usage, dict) else None
    return value if type(value) is int and 0 <= value < 2**31 else None


def _logprobs(given: Any) -> list[list[tuple[str, float]]]:
    """[] as soon as anything in them is not a log-probability: no number is made of what cannot be one."""
    try:
        return [[_alternative(one) for one in token["top_logprobs"] or [token]] for token in given["content"]]
    except (TypeError, KeyError, ValueError, OverflowError):
        return []


def _alternative(given: Any) -> tuple[str, float]:
    token, value = given["token"], given["logprob"]
    if not isinstance(token, str) or type(value) not in (int, float) or not value <= _MAX_LOGPROB:
        raise ValueError
    return token, float(value)
