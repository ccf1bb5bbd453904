"""The replies of chat completions, embeddings and lists of models, read strictly: `ValueError` for what is not of the protocol."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray


@dataclass(frozen=True)
class ChatReply:
    """One completion.

    text : "" where there is none. refusal : what the model says in place of an answer. finish : why it ended.
    logprobs : token by token, its alternatives as (token, natural logarithm of the probability); [] where none came.
    prompt_tokens, completion_tokens : as the endpoint counted them; None where it did not.
    seconds : from asking to answer; None for a reply out of a file.
    model : who answered, by the server's account; "" where it does not say.
    """

    text: str
    refusal: str | None = None
    finish: str | None = None
    logprobs: list[list[tuple[str, float]]] = field(default_factory=list)
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    seconds: float | None = None
    model: str = ""


class _Embedding(Struct):
    index: int
    embedding: str | list[float]


def chat_reply(body: Any, seconds: float | None) -> ChatReply:
    try:
        choice = body["choices"][0]
        message, usage, tokens = choice["message"], body.get("usage"), ("prompt_tokens", "completion_tokens")
        said = [message.get("content"), message.get("refusal"), choice.get("finish_reason"), body.get("model")]
        counts = [usage.get(name) if isinstance(usage, dict) else None for name in tokens]
    except (TypeError, LookupError, AttributeError) as error:
        raise ValueError("no completion") from error
    text, refusal, finish, model = msgspec.convert(said, list[str | None])
    prompt, completion = (n if type(n) is int and 0 <= n < 2**31 else None for n in counts)
    logprobs = _logprobs(choice.get("logprobs"))
    return ChatReply(text or "", refusal, finish, logprobs, prompt, completion, seconds, model or "")


def embedding_rows(body: Any, n: int) -> NDArray[np.float32]:
    """float32[n, d], in the order of the texts: from lists of numbers, or from the base64 of little-endian float32."""
    data = body.get("data") if isinstance(body, dict) else None
    items = sorted(msgspec.convert(data, list[_Embedding]), key=lambda item: item.index)
    if [item.index for item in items] != list(range(n)):
        raise ValueError(f"{n} vectors were asked for, {len(items)} came, not numbered from 0 to {n - 1}")
    given = [item.embedding for item in items]
    rows = [np.frombuffer(base64.b64decode(one), "<f4") if isinstance(one, str) else np.array(one) for one in given]
    vectors = np.stack(rows).astype(np.float32)  # ValueError for several widths
    if not np.isfinite(vectors).all() or not vectors.shape[1]:
        raise ValueError("a vector with numbers that are not finite, or none")
    return vectors


def _logprobs(given: Any) -> list[list[tuple[str, float]]]:
    """[] as soon as anything in them is not a log-probability: no number is made of what cannot be one."""
    try:
        tokens = [token["top_logprobs"] or [token] for token in given["content"]]
        found = [[(one["token"], float(one["logprob"])) for one in alternatives] for alternatives in tokens]
    except (TypeError, KeyError, ValueError, OverflowError):
        return []
    # Probabilities that were rounded upwards are still probabilities.
    fits = all(isinstance(token, str) and value <= 1e-3 for alternatives in found for token, value in alternatives)
    return found if fits else []
