"""What language models add to an evaluation: relations and severities of the lists, and a judge beside M."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...endpoints.endpoint import Endpoint
from ...endpoints.prices import Price
from ...errors import OptionError
from ...matcher.protocol import Matcher
from ...progress import Progress
from ...votes.prompts.files import prompt_of
from ...votes.prompts.prompt import Prompt
from ...votes.store import STORE
from ...votes.store.store import VoteStore
from ..lists.lists import Lists
from .answers import Names
from .by_matcher import MODEL
from .classified import with_relations, with_severities
from .judged import Judgements, Stage, judged
from .language_model import Budget, LanguageModel, named_model, services_of

NO_STAGE = "none"
"""What `check` is where there is no second stage."""

Asked = str | LanguageModel
"""A language model, or "ENDPOINT:MODEL", which names one; "model" is M."""


@dataclass(frozen=True)
class PromptsAsked:
    """What each kind of question is put with."""

    judge: Prompt
    check: Prompt
    relation: Prompt
    severity: Prompt

    @classmethod
    def of(cls, **given: str | os.PathLike[str] | None) -> PromptsAsked:
        """By names, versions or files; the built-in one for None. Errors: those of `prompt_of`."""
        return cls(**{kind: prompt_of(kind, one) for kind, one in given.items()})


@dataclass(frozen=True)
class Asking:
    """How language models are asked in one evaluation.

    matcher : M, which may stand in for a stage.
    endpoints, prices : by their names, from a TOML file.
    store : the file of the vote store, which keeps every answer.
    naming : raw diagnoses -> the names that are asked about; None for English normalisation.
    budget : the caps on calls and cost, over all that is asked.
    """

    matcher: Matcher
    endpoints: Mapping[str, Endpoint]
    prices: Mapping[str, Price]
    store: Path
    naming: Names | None
    budget: Budget
    progress: Progress | None = None

    @classmethod
    def of(
        cls,
        matcher: Matcher,
        endpoints: str | os.PathLike[str] | None,
        store: str | os.PathLike[str] | None,
        budget: Budget | None,
        progress: Progress | None,
    ) -> Asking:
        """Names are those that `matcher` is asked about, where it says so."""
        served, prices = services_of(endpoints)
        naming = getattr(getattr(matcher, "providers", None), "naming", None)
        return cls(matcher, served, prices, Path(store or STORE), naming, budget or Budget(), progress)

    def model(self, option: str, asked: Asked) -> LanguageModel:
        """The model that an option names.

        Raises
        ------
        NotServed
            For what is not ENDPOINT:MODEL, or an endpoint that is not known.
        """
        itself = "model (M itself), or " if option in ("relation", "judge", "check") else ""
        return named_model(option, asked, self.endpoints, self.prices, itself)

    def filled(self, lists: Lists, relation: Asked | None, severity: Asked | None, prompts: PromptsAsked) -> Lists:
        """The lists with the columns relation and severity, as far as they are asked for."""
        for option, asked, fill, prompt in (
            ("relation", relation, with_relations, prompts.relation),
            ("severity", severity, with_severities, prompts.severity),
        ):
            if asked:
                model = self.model(option, asked)
                with VoteStore(self.store) as votes:
                    lists = fill(
                        lists, model, votes, prompt=prompt, naming=self.naming, budget=self.budget, progress=self.progress
                    )  # fmt: skip
        return lists

    def check_stages(self, judge: Asked | None, check: Asked | None) -> None:
        """Errors: those of `stage`, before anything is asked; `OptionError` for no judge beside a check."""
        if judge == NO_STAGE:
            raise OptionError("judge", "a language model, or model", judge)
        self.stage("judge", judge)
        self.stage("check", check)

    def stage(self, option: str, asked: Asked | None) -> Stage | None:
        """A stage of the judge: a language model, M where the option says "model", none where it says "none".

        Errors: those of `model`.
        """
        if asked is None or asked == NO_STAGE:
            return None
        return self.matcher if asked == MODEL else self.model(option, asked)

    def judgements(
        self, lists: Lists, judge: Asked, check: Asked | None, prompts: PromptsAsked, ask_equal: bool
    ) -> Judgements:
        """What the judge and the check make of the lists. check : the judge itself by default; "none" for no second stage."""
        first, second = self.stage("judge", judge), self.stage("check", judge if check is None else check)
        assert first is not None
        asks = any(isinstance(one, LanguageModel) for one in (first, second))
        with VoteStore(self.store) if asks else nullcontext() as votes:
            return judged(
                lists, first, second, votes, naming=self.naming, ask_equal=ask_equal, judge_prompt=prompts.judge,
                check_prompt=prompts.check, budget=self.budget, progress=self.progress,
            )  # fmt: skip


def refuse_unused(what: str, **options: Any) -> None:
    """Errors: `OptionError` for an option that is given though nothing needs it. what : what is not asked for."""
    for option, value in options.items():
        if value:
            raise OptionError(option, f"left out where there is no {what}", value)
