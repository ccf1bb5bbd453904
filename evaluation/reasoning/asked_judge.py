"""The judge of an evaluation: which model, with which prompts, over which store."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from ...progress import Progress
from ...votes.prompts.files import prompt_of
from ...votes.prompts.prompt import Prompt
from ...votes.store import STORE
from ...votes.store.store import VoteStore
from ...votes.asking import Budget, LanguageModel, named_model, services_of
from .correspondence import OBSERVATION, RATIONALE
from .judge import Judge

Prompted = Prompt | str | os.PathLike[str] | None
"""A prompt; or the name of a built-in one, or a text file; None for the built-in one."""


@contextmanager
def judge_of(
    judge: str | LanguageModel | None,
    prompts: tuple[Prompted, Prompted],
    endpoints: str | os.PathLike[str] | None,
    store: str | os.PathLike[str] | None,
    budget: Budget,
    progress: Progress | None,
) -> Iterator[Judge | None]:
    """None without a judge. prompts : of observations and rationales.

    Raises
    ------
    NotServed
        For a model of no known endpoint.
    InputError
        For a prompt that cannot be used.
    """
    if judge is None:
        yield None
        return
    model = named_model("judge", judge, *services_of(endpoints))
    own = {
        kind: given if isinstance(given, Prompt) else prompt_of(kind, given)
        for kind, given in zip((OBSERVATION, RATIONALE), prompts, strict=True)
    }
    with VoteStore(store or STORE) as votes:
        yield Judge(model, own, votes, budget, progress)
