"""Which results are doubtful, and the language model that may decide these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..endpoints.endpoint import read_services
from ..errors import OptionError, warn
from ..files.wording import counted
from ..options import Options
from ..progress import say, shown
from ..votes.asking import Job, ask, named_model, plan_lines, planned
from ..votes.asking_options import Asking
from ..votes.prompts.files import prompt_of
from ..votes.prompts.questions import Answer, Question, in_parts
from .policy import SPECIFICATION

DOUBTFUL = 0.1, 0.9
"""A probability between these, neither included, is doubtful."""
M, MODEL = "M", "model"
"""Who decided a pair."""
SAID = {1.0: "the language model says that they agree", 0.0: "the language model says that they do not agree"}
UNANSWERED = "unanswered"
Pair = tuple[str, str]


def is_doubtful(probability: ArrayLike, between: Sequence[float] = DOUBTFUL) -> Any:
    """bool, of the shape that came: the probability is doubtful. NaN, of what is not scored, is not."""
    low, high = between
    return (low < np.asarray(probability)) & (np.asarray(probability) < high)


@dataclass(frozen=True, kw_only=True)
class Doubtful(Options):
    """Who decides doubtful pairs: a language model, which is asked for a vote on each of them, and on no other.

    Parameters
    ----------
    model : str
        The language model, "ENDPOINT:MODEL".
    between : two numbers
        It is asked about the pairs whose probability lies between these, neither included; the wider, the more it costs.
    asking : Asking
        Where it is served, the store that keeps its answers, and what may be spent; a dry run says what would be asked.

    Raises
    ------
    OptionError
        For what is not allowed.
    """

    model: str = ""
    between: Sequence[float] = DOUBTFUL
    asking: Asking = field(default_factory=Asking)

    def __post_init__(self) -> None:
        """Holds the fields to their rules."""
        super().__post_init__()
        given = self.between if isinstance(self.between, Sequence) else ()
        if len(given) != 2 or not {*map(type, given)} <= {int, float} or not 0 <= given[0] < given[1] <= 1:
            raise OptionError("between", "two numbers from 0 to 1, the lower one first", self.between)


class Verdicts:
    """What a language model says of doubtful pairs, each asked once, through the store.

    Raises
    ------
    OptionError
        For a model that is not ENDPOINT:MODEL, or of an endpoint that is not known; for another policy than the one that is asked by.
    """

    def __init__(self, how: Doubtful, policy: str = SPECIFICATION) -> None:
        if policy != SPECIFICATION:
            allowed = f"left out under the policy {policy}: what is asked is {SPECIFICATION}"
            raise OptionError("doubtful", allowed, how.model)
        self.how, self.prompt = how, prompt_of("vote")
        served = read_services(how.asking.endpoints)
        self.model = named_model("doubtful.model", how.model, *served, by="doubtful.endpoints")
        self._answers, self._lock = dict[Pair, Answer | None](), Lock()

    def on(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """1 or 0 for each pair of different names; NaN where its answer cannot be read, or there is none.

        Raises
        ------
        KeyboardInterrupt
            Where the asking was interrupted: what was answered is in the store.
        """
        with self._lock:
            if new := [pair for pair in map(_key, pairs) if self._answers.get(pair) is None]:
                self._ask(new)
        said = [self._answers[_key(pair)] for pair in pairs]
        return [np.nan if one is None or one.verdict is None else one.verdict for one in said]

    def _ask(self, pairs: Sequence[Pair]) -> None:
        asking, summary = self.how.asking, None
        questions = [Question(self.model.config(self.prompt), *pair) for pair in pairs]
        with planned([Job(self.model, self.prompt, lambda: questions)], asking) as (plan, store):
            if asking.dry_run:
                say("\n".join(plan_lines(plan)))
            elif store is not None:
                with shown("Asking about doubtful pairs") as progress:
                    summary = ask(plan, store, asking.budget, progress)
            found = [None] * len(pairs) if store is None else [*store.stored(questions)]
        self._answers.update(zip(pairs, found, strict=True))
        if summary is not None and "interrupted" in summary.stopped_because:
            raise KeyboardInterrupt(f"interrupted; {counted(summary.answered, 'answer')} more kept in {asking.filled}.")
        count = self.count(pairs) - Counter({MODEL: len(pairs)})
        if left := count.total():
            why = [] if summary is None else summary.stopped_because or [summary.first_failure]
            of = f"{left:,} of {len(pairs):,} doubtful pairs stay as M has them{in_parts(count)}"
            warn(f"{'; '.join(filter(None, [of, *why])).rstrip('.')}.")

    def count(self, pairs: Iterable[Sequence[str]]) -> Counter[str]:
        """Of those pairs of names that were doubtful, how many the model decided (`MODEL`), and why M decided the others."""
        doubtful = (self._answers[key] for key in dict.fromkeys(map(_key, pairs)) if key in self._answers)
        return Counter(UNANSWERED if one is None else one.reason or MODEL for one in doubtful)

    def told(self, pairs: Iterable[Sequence[str]] | None = None) -> str:
        """Who decided how many of these pairs, or of all so far, and what has been spent."""
        count, budget = self.count(self._answers if pairs is None else pairs), self.how.asking.budget
        by_model, cost = count.pop(MODEL, 0), "" if self.model.price is None else f", cost {budget.cost:,.4g}"
        who = f"{self.how.model} decided {by_model:,}, M {count.total():,}{in_parts(count)}"
        return f"{who}; {counted(budget.calls, 'call')}{cost}"


def _key(pair: Sequence[str]) -> Pair:
    return min(pair), max(pair)
