"""What tokens cost, and how many a message is likely to hold; the services that a TOML file declares."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from ..errors import InputError
from ..files.toml import read_toml, table_as, tables_of
from .endpoint import Endpoint, endpoints_of

_CHARACTERS_PER_TOKEN = 3.5
_TOKENS_AROUND_A_MESSAGE = 8


Cost = Annotated[float, Meta(ge=0, le=1e12, description="the cost of a million tokens, from 0")]


class Price(Struct, frozen=True):
    """Of a million tokens, in any one currency: those of the prompt, and those of the completion."""

    prompt: Cost
    completion: Cost

    def of(self, prompt_tokens: float, completion_tokens: float) -> float:
        """The cost of so many tokens."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1e6


def prices_of(parsed: Mapping[str, Any], source: str) -> dict[str, Price]:
    """The `[price."MODEL"]` tables of a parsed TOML file, by model. Raises `InputError`."""
    tables = tables_of(parsed, "price", source)
    return {model: table_as(Price, table, source, f"price of {model}") for model, table in tables.items()}


def read_services(path: str | os.PathLike[str]) -> tuple[dict[str, Endpoint], dict[str, Price]]:
    """The endpoints of a TOML file, which may be a whole feature set, and its prices.

    Raises `InputError` for a file that is absent or not TOML, has no endpoint, or one that cannot be right.
    """
    parsed = read_toml(Path(path), source := os.fspath(path))
    if not (endpoints := endpoints_of(parsed, source)):
        raise InputError("no endpoints", source=source, allowed='[endpoint.NAME] with url = "…"')
    return endpoints, prices_of(parsed, source)


def estimated_tokens(messages: Sequence[Mapping[str, str]]) -> int:
    """Tokens of a prompt, guessed from its length: 3.5 characters of English to a token, and 8 around each message."""
    return sum(
        math.ceil(len(message["content"]) / _CHARACTERS_PER_TOKEN) + _TOKENS_AROUND_A_MESSAGE for message in messages
    )
