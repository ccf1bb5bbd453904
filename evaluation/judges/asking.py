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
from .by_matcher import MODEL, check_tells_relations, with_relations_by_matcher
from .classified import with_relations, with_severities
from .judged import Judgements, Stage, judged
from ...votes.asking import Budget, LanguageModel, named_model, services_of

NO_STAGE = "none"
"""What `check` is where there is no second stage."""

Asked = str | LanguageModel
"""A language model, or "ENDPOINT:MODEL", which names one; "model" is M."""


@dataclass(frozen=True)
class ModelsAsked:
    """What language models, or M in their place, are asked in one evaluation.

    judge, check, relation, severity, judge_equal : as in `evaluate`. prompts : of each of the first four, by its name.
    """

    judge: Asked | None
    check: Asked | None
    relation: Asked | None
    severity: Asked | None
    judge_equal: bool
    prompts: Mapping[str, Prompt]

    @classmethod
    def of(
        cls,
        judge: Asked | None,
        check: Asked | None,
        relation: Asked | None,
        severity: Asked | None,
        judge_equal: bool,
        **prompts: str | os.PathLike[str] | None,
    ) -> ModelsAsked:
        """prompts : judge_prompt and so on: names, versions or files; the built-in ones for None.

        Errors: those of `prompt_of`; `OptionError` for what is given though nothing needs it.
        """
        if judge is None:
            of_judge = {"check": check, **{name: prompts[name] for name in ("judge_prompt", "check_prompt")}}
            _refuse_unused("judge", of_judge | {"judge_equal": judge_equal})
        for kind, model in (("relation", None if relation == MODEL else relation), ("severity", severity)):
            if not model:
                _refuse_unused(f"language model for {kind}", {f"{kind}_prompt": prompts[f"{kind}_prompt"]})
        kinds = ("judge", "check", "relation", "severity")
        used = {kind: prompt_of(kind, prompts[f"{kind}_prompt"]) for kind in kinds}
        return cls(judge, check, relation, severity, judge_equal, used)

    @property
    def fills_store(self) -> bool:
        """Whether answers are put into the vote store."""
        return bool(self.judge or self.severity or (self.relation and self.relation != MODEL))


@dataclass(frozen=True)
class Asking:
    """How what is asked is asked: the models, M, the vote store.

    matcher : M, which may stand in for a stage.
    endpoints, prices : by their names, from a TOML file.
    store : the file of the vote store, which keeps every answer.
    naming : raw diagnoses -> the names that are asked about; None for English normalisation.
    budget : the caps on calls and cost, over all that is asked.
    """

    asked: ModelsAsked
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
        asked: ModelsAsked,
        matcher: Matcher,
        endpoints: str | os.PathLike[str] | None,
        store: str | os.PathLike[str] | None,
        budget: Budget | None,
        progress: Progress | None,
    ) -> Asking:
        """Names are those that `matcher` is asked about, where it says so.

        Raises
        ------
        NotServed
            For a model that is not ENDPOINT:MODEL, or of an endpoint that is not known; `OptionError` where M shall tell relations
            and cannot.
        """
        served, prices = services_of(endpoints)
        naming = getattr(getattr(matcher, "providers", None), "naming", None)
        made = cls(asked, matcher, served, prices, Path(store or STORE), naming, budget or Budget(), progress)
        if asked.relation == MODEL:
            check_tells_relations(matcher)
        for option in ("judge", "check", "relation", "severity"):
            made._who(option)
        return made

    def _who(self, option: str) -> Stage | None:
        """Who is asked by an option: a language model, or M where it says "model"; None for nobody."""
        asked: Asked | None = getattr(self.asked, option)
        if not asked or (option == "check" and asked == NO_STAGE):
            return None
        by_matcher = option != "severity"
        if by_matcher and asked == MODEL:
            return self.matcher
        return named_model(option, asked, self.endpoints, self.prices, "model (M itself), or " if by_matcher else "")

    def filled(self, lists: Lists) -> Lists:
        """The lists with the columns relation and severity, as far as they are asked for."""
        if self.asked.relation == MODEL:
            lists = with_relations_by_matcher(lists, self.matcher)
        for option, fill in (("relation", with_relations), ("severity", with_severities)):
            model = self._who(option)
            if isinstance(model, LanguageModel):
                with VoteStore(self.store) as votes:
                    lists = fill(
                        lists, model, votes, prompt=self.asked.prompts[option], naming=self.naming, budget=self.budget,
                        progress=self.progress,
                    )  # fmt: skip
        return lists

    def judgements(self, lists: Lists) -> Judgements | None:
        """What the judge and the check, the judge itself if not given, make of the lists; None without a judge."""
        prompts, first = self.asked.prompts, self._who("judge")
        second = first if self.asked.check is None else self._who("check")
        if first is None:
            return None
        asks = any(isinstance(one, LanguageModel) for one in (first, second))
        with VoteStore(self.store) if asks else nullcontext() as votes:
            return judged(
                lists, first, second, votes, naming=self.naming, ask_equal=self.asked.judge_equal, judge_prompt=prompts["judge"],
                check_prompt=prompts["check"], budget=self.budget, progress=self.progress,
            )  # fmt: skip


def _refuse_unused(what: str, options: Mapping[str, Any]) -> None:
    """what : what is not asked for, which alone needs the options."""
    for option, value in options.items():
        if value:
            raise OptionError(option, f"left out where there is no {what}", value)
