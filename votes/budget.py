"""The caps on calls and on cost: what a call may cost at most is reserved before it, and what it did cost is charged after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..endpoints.call_errors import EndpointError
from ..endpoints.prices import Price
from ..errors import DxmatchError, OptionError
from .ask_summary import AskSummary

_TOKENS_AROUND_A_MESSAGE = 64


class CapReached(DxmatchError):
    """The next call could go beyond a cap."""


@dataclass
class Budget:
    """What may be spent over all that is asked with it, over all endpoints; None for no limit.

    summaries : what came of each asking. calls : begun so far, retries included. cost : of the calls that have ended.

    Raises
    ------
    OptionError
        For a cap that cannot be.
    """

    max_calls: int | None = None
    max_cost: float | None = None
    summaries: list[AskSummary] = field(default_factory=list)
    calls: int = field(default=0, init=False)
    cost: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        if self.max_calls is not None and self.max_calls < 0:
            raise OptionError("max_calls", "a whole number from 0, or None", self.max_calls)
        if self.max_cost is not None and not self.max_cost >= 0:
            raise OptionError("max_cost", "a number from 0, or None", self.max_cost)

    def begin(self) -> None:
        """Lets another asking begin: no call is under way, as some may be where one was interrupted."""
        import asyncio

        self._reserved, self._under_way = 0.0, 0
        self._charged = asyncio.Event()  # of the event loop that waits for it first

    async def reserve(self, most: float) -> None:
        """Counts a call that costs `most` at most. Waits while calls under way may still turn out cheaper.

        Raises `CapReached`.
        """
        while True:
            if self.max_calls is not None and self.calls >= self.max_calls:
                raise CapReached(f"the cap of {self.max_calls:,} calls is reached")
            if self.max_cost is None or self.cost + self._reserved + most <= self.max_cost:
                break
            if not self._under_way:
                raise CapReached(
                    f"the next call could cost {most:.3g}, and {self.cost:.3g} of {self.max_cost:g} is spent"
                )
            self._charged.clear()
            await self._charged.wait()
        self.calls += 1
        self._under_way += 1
        self._reserved += most

    def charge(self, most: float, cost: float) -> None:
        """A call for which `most` was reserved has ended and cost `cost`."""
        self._under_way -= 1
        self._reserved = self._reserved - most if self._under_way else 0.0
        self.cost += cost
        self._charged.set()


class CostMeter:
    """One question's part in it, try by try; the `Meter` of its call.

    price : None where it is not known; then its calls count, and cost nothing.
    A call without an answer for which the endpoint may charge all the same counts with all that it may cost.
    """

    def __init__(self, budget: Budget, price: Price | None, messages: Sequence[Mapping[str, str]], parameters: Mapping[str, Any]) -> None:  # fmt: skip
        self._budget, self._price = budget, price
        self._max_cost = price.of(max_tokens_of(messages), token_limit(parameters) or 0) if price else 0.0
        self.error: EndpointError | None = None

    async def begin(self) -> None:
        await self._budget.reserve(self._max_cost)

    def failed(self, error: EndpointError) -> None:
        self.error = error
        self._budget.charge(self._max_cost, self._max_cost if error.billed else 0.0)

    def answered(self, prompt_tokens: int | None, completion_tokens: int | None) -> None:
        """Costs what was counted, or the most that it may where the endpoint counts nothing."""
        counted = self._price and prompt_tokens is not None and completion_tokens is not None
        cost = self._price.of(prompt_tokens, completion_tokens) if counted else self._max_cost  # type: ignore[union-attr,arg-type]
        self._budget.charge(self._max_cost, cost)


def max_tokens_of(messages: Sequence[Mapping[str, str]]) -> int:
    """No tokenizer makes more tokens than bytes; 64 for each message's frame in the chat template."""
    return sum(len(message["content"].encode("utf-8", "replace")) + _TOKENS_AROUND_A_MESSAGE for message in messages)


def token_limit(parameters: Mapping[str, Any]) -> int | None:
    """The most tokens of an answer, where the parameters set it."""
    return parameters.get("max_completion_tokens", parameters.get("max_tokens"))
