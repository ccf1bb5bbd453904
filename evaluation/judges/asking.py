"""What language models add to an evaluation: relations and severities of the lists, and a judge beside M."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ...endpoints.endpoint import Endpoint
from ...endpoints.prices import Price
from ...errors import OptionError
from ...files.did_you_mean import hint
from ...matcher.protocol import Matcher
from ...progress import Progress
from ...votes.store.store import VoteStore
from ..lists.lists import Lists
from ..statistics.section import Context, Section
from .classified import with_relations, with_severities
from .judged import Names, judged, judged_section
from .language_model import Budget, LanguageModel

STORE = "votes.sqlite"
"""Where answers are kept if no store is named."""

Asked = str | LanguageModel
"""A language model, or "ENDPOINT:MODEL", which names one."""


class NotServed(OptionError):
    """A language model that no endpoint is known to serve."""


@dataclass(frozen=True)
class Asking:
    """How language models are asked in one evaluation.

    endpoints, prices : by their names, from a TOML file.
    store : the file of the vote store, which keeps every answer.
    naming : raw diagnoses -> the names that are asked about; None for English normalisation.
    budget : the caps on calls and cost, over all that is asked.
    """

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
        from ...endpoints.prices import read_services

        served, prices = ({}, {}) if endpoints is None else read_services(endpoints)
        naming = getattr(getattr(matcher, "providers", None), "naming", None)
        return cls(served, prices, Path(store or STORE), naming, budget or Budget(), progress)

    def model(self, option: str, asked: Asked) -> LanguageModel:
        """The model that an option names.

        Raises
        ------
        NotServed
            For what is not ENDPOINT:MODEL, or an endpoint that is not known.
        """
        if isinstance(asked, LanguageModel):
            return asked
        endpoint, colon, model = asked.partition(":")
        if not (colon and model) or endpoint not in self.endpoints:
            known = (
                f"with one of {', '.join(self.endpoints)}"
                if self.endpoints
                else "and need the option 'endpoints', a TOML file"
            )
            itself = "model (M itself), or " if option == "relation" else ""
            raise NotServed(option, f"{itself}ENDPOINT:MODEL, {known}{hint(endpoint, self.endpoints)}", asked)
        return LanguageModel(self.endpoints[endpoint], model, price=self.prices.get(model))

    def filled(self, lists: Lists, relation: Asked | None, severity: Asked | None) -> Lists:
        """The lists with the columns relation and severity, as far as they are asked for."""
        for option, asked, fill in (("relation", relation, with_relations), ("severity", severity, with_severities)):
            if asked:
                model = self.model(option, asked)
                with VoteStore(self.store) as votes:
                    lists = fill(
                        lists, model, votes, naming=self.naming, budget=self.budget, progress=self.progress
                    )  # fmt: skip
        return lists

    def judged_section(self, lists: Lists, judge: Asked, context: Context) -> Section:
        """Recall within the k of recall of each list, or whole, with the model as the judge in two stages."""
        model = self.model("judge", judge)
        k = context.k_of("recall") or int(lists.lengths.max(initial=1))
        with VoteStore(self.store) as votes:
            verdicts = judged(
                lists, model, model, votes, k=k, naming=self.naming, budget=self.budget, progress=self.progress
            )
        title = f"Recall, with {model.model} as the judge in two stages"
        return replace(judged_section(lists, verdicts, context), name="judge", title=title)
