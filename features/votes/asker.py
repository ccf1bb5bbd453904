"""Asks language models: many calls at once, each answer kept as it comes, never beyond the caps."""

from __future__ import annotations

import asyncio
import json
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ..endpoint_client import EndpointClient, EndpointError
from ..endpoints import Endpoint
from ..errors import OptionError
from ..event_loop import run
from .asked import AskSummary
from .prices import Price
from .prompts import PROMPTS, answer_of
from .questions import Answer, Question, Respondent
from .spending import Bill, CapReached, Purse, token_limit
from .store import VoteStore

HOPELESS = 100
"""A job is given up after so many failed questions in a row, or twice its endpoint's concurrency if that is more."""

_DRAWN, _LOOKED_UP = 4_096, 256


@dataclass(frozen=True)
class Job:
    """What one respondent is asked at one endpoint.

    questions : drawn as they are needed, in a thread. total : how many they are. price : None where it is not known.
    """

    endpoint: Endpoint
    respondent: Respondent
    questions: Iterable[Question]
    total: int
    price: Price | None = None


def ask(
    jobs: Sequence[Job],
    store: VoteStore,
    *,
    max_calls: int | None = None,
    max_cost: float | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> AskSummary:
    """Asks what the store does not know, and keeps each answer before the next question takes its place.

    The endpoints are asked side by side, the jobs of one endpoint one after another. A question that fails is counted and
    not kept, so that the next run asks it again; a job whose every call would fail is given up. Ctrl-C ends it with what
    was answered so far.

    Parameters
    ----------
    max_calls : calls, retries included. max_cost : in the currency of the prices, which every job must then have. Neither
        is exceeded: a call is only made if the most that it may cost still fits.
    progress : called with questions done and in all.

    Errors: `StoreError` as soon as an answer cannot be kept; `InputError` where a key is not set; `OptionError`.
    """
    asking = _Asking(jobs, store, Purse(max_calls, max_cost), progress)
    with asking.writer:
        try:
            run(asking.all(jobs))
        except KeyboardInterrupt:
            asking.summary.stopped_because.append("interrupted")
        except BaseExceptionGroup as group:
            raise _first(group) from None
    return asking.finished()


def _first(error: BaseException) -> BaseException:
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


class _Asking:
    def __init__(
        self, jobs: Sequence[Job], store: VoteStore, purse: Purse, progress: Callable[[int, int], None]
    ) -> None:
        for job in jobs:
            job.endpoint.key()
            if purse.max_cost is not None and job.price is None:
                raise OptionError("max_cost", f"left out, or {job.respondent.model} given a price", purse.max_cost)
            if purse.max_cost is not None and token_limit(json.loads(job.respondent.parameters)) is None:
                allowed = f"left out, or {job.respondent.model} given parameters with max_tokens"
                raise OptionError("max_cost", allowed, purse.max_cost)
        self.summary = AskSummary()
        self.writer = ThreadPoolExecutor(1, thread_name_prefix="vote-store")
        self._store, self._purse, self._progress = store, purse, progress
        self._priced = any(job.price for job in jobs)
        self._total, self._done = sum(job.total for job in jobs), 0
        self._ended: set[int] = set()
        self._in_a_row: dict[int, int] = {}
        self._full = False

    def finished(self) -> AskSummary:
        self.summary.calls = self._purse.calls
        self.summary.cost = self._purse.cost if self._priced else None
        return self.summary
