"""What tokens cost, and how many a message is likely to hold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from ..files.did_you_mean import check_keys

_CHARACTERS_PER_TOKEN = 3.5
_TOKENS_AROUND_A_MESSAGE = 8


@dataclass(frozen=True)
class Price:
    """Of a million tokens, in any one currency: those of the prompt, and those of the completion."""

    prompt: float
    completion: float

    @classmethod
    def from_table(cls, model: str, table: Any, source: str) -> Price:
        """`[price."MODEL"]` of a feature set. Errors: `InputError`."""
        place = f"price of {model}"
        if not isinstance(table, Mapping):
            raise InputError(
                f"{place}: not a table", source=source, allowed=f'[price."{model}"] with prompt, completion'
            )
        check_keys(table, ("prompt", "completion"), source, place)
        for key in ("prompt", "completion"):
            value = table.get(key)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
                raise InputError(
                    f"{place}: no usable {key!r}",
                    source=source,
                    allowed="the cost of a million tokens, from 0",
                    got=value,
                )
        return cls(float(table["prompt"]), float(table["completion"]))

    def of(self, prompt_tokens: float, completion_tokens: float) -> float:
        """The cost of so many tokens."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1e6


def estimated_tokens(messages: Sequence[Mapping[str, str]]) -> int:
    """Tokens of a prompt, guessed from its length: 3.5 characters of English to a token, and 8 around each message."""
    return sum(
        math.ceil(len(message["content"]) / _CHARACTERS_PER_TOKEN) + _TOKENS_AROUND_A_MESSAGE for message in messages
    )
