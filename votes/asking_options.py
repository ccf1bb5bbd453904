"""How language models are asked: where they are served, where their answers are kept, what may be spent; and what came of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from ..errors import DxmatchError
from ..files.wording import counted
from ..options import Between, File, Options, Output
from .prompts.questions import Answer, in_parts

STORE = Path("votes.sqlite")
"""Where answers are kept if no store is named."""


class CapReached(DxmatchError):
    """The next call could go beyond a cap."""


@dataclass
class Budget:
    """What may be spent over all that is asked with it, over all endpoints; None for no limit.

    summaries : what came of each asking. calls : begun so far, retries included. cost : of these; while one is under way, the most that it can cost.
    """

    max_calls: int | None = None
    max_cost: float | None = None
    summaries: list[AskSummary] = field(default_factory=list)
    calls: int = field(default=0, init=False)
    cost: float = field(default=0.0, init=False)
    _under_way: int = field(default=0, init=False)

    @asynccontextmanager
    async def call(self, most: float) -> AsyncIterator[None]:
        """Counts one try of a call, which costs `most` at most. Waits while calls under way may still turn out cheaper.

        A try without an answer costs nothing, or all that it may where the endpoint may charge all the same.

        Raises `CapReached`.
        """
        from asyncio import sleep

        while self.max_cost is not None and self.cost + most > self.max_cost:
            if not self._under_way:
                spent = f"{self.cost:.3g} of {self.max_cost:g} is spent"
                raise CapReached(f"the next call could cost {most:.3g}, and {spent}")
            await sleep(0.01)
        if self.max_calls is not None and self.calls >= self.max_calls:
            raise CapReached(f"the cap of {self.max_calls:,} calls is reached")
        self.calls, self.cost, self._under_way = self.calls + 1, self.cost + most, self._under_way + 1
        try:
            yield
        except BaseException as error:
            self.cost -= 0.0 if getattr(error, "billed", True) else most
            raise
        finally:
            self._under_way -= 1


def token_limit(parameters: Mapping[str, Any]) -> int | None:
    """The most tokens of an answer, where the parameters set it."""
    return parameters.get("max_completion_tokens", parameters.get("max_tokens"))


@dataclass
class AskSummary:
    """What came of one run of `ask`, or of taking in the results of batch files, or a table of votes.

    answered : answers kept, with a verdict or without. unscored : those without, by the reason.
    failed : questions without an answer, by the kind of the last error; the next run asks them again.
    calls : with retries. prompt_tokens, completion_tokens : as the endpoints counted them. cost : None without a price.
    first_failure : the first of the errors that left a question without an answer, with the endpoint and its URL; "" for none.
    stopped_because : why questions were left unasked; empty where all were asked.
    served : model -> the names under which its server answered, and how often.
    skipped : where the lines or rows are that gave no new answer, by what they are. Failed ones ("failed, batch_expired") stay unanswered.
    """

    answered: int = 0
    unscored: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    first_failure: str = ""
    stopped_because: list[str] = field(default_factory=list)
    served: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    skipped: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def count(self, model: str, answer: Answer) -> None:
        self.answered += 1
        self.unscored.update([answer.reason] if answer.reason else [])
        self.prompt_tokens += answer.prompt_tokens or 0
        self.completion_tokens += answer.completion_tokens or 0
        self.served[model].update([answer.model] if answer.model else [])

    def lines(self, lacking: str = "a verdict") -> list[str]:
        """For the user to read. lacking : what unscored answers are without."""
        lines = [f"{counted(self.answered, 'answer')} kept, {self.unscored.total():,} of them without {lacking}{in_parts(self.unscored)}."]  # fmt: skip
        if self.failed:
            again = "run this again to ask them again."
            lines.append(f"{counted(self.failed.total(), 'question')} failed{in_parts(self.failed)}; {again}")
            if not any(self.first_failure in reason for reason in self.stopped_because):
                lines.append(f"The first failure: {self.first_failure}")
        for what, at in self.skipped.items():
            lines.append(f"{what}: {len(at):,} ({', '.join(at[:3])}{', …' if len(at) > 3 else ''}).")
        several = "was answered by several models, as its server says"
        lines += [f"{one} {several}{in_parts(of)}: is that meant?" for one, of in self.served.items() if len(of) > 1]
        if self.calls or self.prompt_tokens:
            calls, cost = counted(self.calls, "call"), "" if self.cost is None else f", cost {round(self.cost, 9):,.4g}"
            tokens = f"{self.prompt_tokens:,} + {self.completion_tokens:,} tokens of prompts and answers"
            lines.append(f"{calls}, {tokens}{cost}.")
        return [*lines, *(f"Stopped: {reason.rstrip('.')}." for reason in self.stopped_because)]


@dataclass(frozen=True, kw_only=True)
class Asking(Options):
    """How language models are asked. What the store holds is never asked again, so that an asking which was cut short goes on.

    Parameters
    ----------
    endpoints : path, optional
        A TOML file with an [endpoint.NAME] table for each server, and a [price.MODEL] table where the cost shall be told.
    store : path, optional
        The vote store, an SQLite file that keeps every answer; votes.sqlite if not given.
    max_calls : int, optional
        Stop after so many calls, retries included.
    max_cost : float, optional
        Stop before this cost, by the prices of `endpoints`.
    dry_run : bool
        Say what would be asked and what it costs, and ask nothing.
    again : bool
        Ask anew where nothing can be read from an answer.

    Raises
    ------
    OptionError
        For a cap that cannot be.
    """

    endpoints: File | None = None
    store: Output | None = None
    max_calls: Annotated[int, Between(0)] | None = None
    max_cost: Annotated[float, Between(0)] | None = None
    dry_run: bool = False
    again: bool = False

    @cached_property
    def budget(self) -> Budget:
        """What may be spent over all that is asked with this object; its `summaries` say afterwards what came of asking."""
        return Budget(self.max_calls, self.max_cost)

    @property
    def filled(self) -> Path:
        """The store that answers go to."""
        return Path(self.store or STORE)
