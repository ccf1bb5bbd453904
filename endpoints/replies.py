"""The replies of chat completions and embeddings, read strictly: `ValueError` for what is not of the protocol."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MAX_LOGPROB = 1e-3
"""Probabilities that were rounded upwards are still probabilities."""


@dataclass(frozen=True)
class ChatReply:
    """One completion.

    text : "" where there is none. refusal : what the model says in place of an answer. finish : why it ended.
    logprobs : token by token, its alternatives as (token, natural logarithm of the probability); [] where none came.
    prompt_tokens, completion_tokens : as the endpoint counted them; None where it did not.
    seconds : from asking to answer.
    """

    text: str
    refusal: str | None
    finish: str | None
    logprobs: list[list[tuple[str, float]]]
    prompt_tokens: int | None
    completion_tokens: int | None
    seconds: float


def chat_reply(body: Any, seconds: float) -> ChatReply:
    choices = _member(body, "choices", list)
    choice = choices[0] if choices and isinstance(choices[0], dict) else {}
    message = _member(choice, "message", dict)
    usage = body.get("usage")
    return ChatReply(
        text=_text(message, "content") or "",
        refusal=_text(message, "refusal"),
        finish=_text(choice, "finish_reason"),
        logprobs=_logprobs(choice.get("logprobs")),
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
        seconds=seconds,
    )


def embedding_rows(body: Any, n: int) -> NDArray[np.float32]:
    """float32[n, d], in the order of the texts."""
    items = _member(body, "data", list)
    indexes = [item.get("index") if isinstance(item, dict) else None for item in items]
    if len(items) != n or set(indexes) != set(range(n)):
        raise ValueError(f"{n} vectors were asked for, {len(items)} came, not numbered from 0 to {n - 1}")
    rows: list[Any] = [None] * n
    for item in items:
        rows[item["index"]] = _vector(item.get("embedding"))
    if len({len(row) for row in rows}) > 1:
        raise ValueError("vectors of several widths")
    vectors = np.stack(rows)
    if not np.isfinite(vectors).all() or not vectors.shape[1]:
        raise ValueError("a vector with numbers that are not finite, or none")
    return vectors


def _vector(given: Any) -> NDArray[np.float32]:
    """From a list of numbers, or from the base64 of little-endian float32."""
    try:
        if isinstance(given, str):
            return np.frombuffer(base64.b64decode(given, validate=True), "<f4").astype(np.float32)
        if isinstance(given, list) and all(type(value) in (int, float) for value in given):
            return np.array(given, np.float64).astype(np.float32)
    except (binascii.Error, ValueError, OverflowError) as error:
        raise ValueError("a vector that cannot be read") from error
    raise ValueError("a vector that is no list of numbers")


def _member(holder: Any, key: str, kind: type) -> Any:
    value = holder.get(key) if isinstance(holder, dict) else None
    if not isinstance(value, kind):
        raise ValueError(f"no {key}")
    return value


def _text(holder: dict[str, Any], key: str) -> str | None:
    value = holder.get(key)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{key} is no text")
    return value


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
