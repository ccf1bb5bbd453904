"""One question to each model that is to be asked, and what to mend where no answer comes that can be used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from ..errors import InputError, quoted
from ..progress import Progress
from ..terms.icd.index import Candidate
from .asking import LanguageModel
from .asking_options import Budget
from .prompts.prompt import Prompt
from .prompts.questions import REASONS
from .store.store import VoteStore

PAIR = ("heart attack", "myocardial infarction")
"""What a vote is asked about."""
_OFFERED = [
    Candidate(code, name, 1.0, name.lower())
    for code, name in (("I21", "Acute myocardial infarction"), ("I46", "Cardiac arrest"), ("G43", "Migraine"))
]
Asked = tuple[tuple[str, ...], LanguageModel, Prompt]
"""Columns that rest on a model, none for one that no feature set names; the model; its prompt."""
_THINKS = "It may think before it answers, and needs more tokens: parameters = { max_tokens = 2048, temperature = 0 } in its entry; or be no model for chats."
_OTHER = "Ask another model, or with other words (`prompt`, a text file of yours)."


@dataclass(frozen=True)
class EndpointCheck:
    """What came of one question to one model.

    columns : of the feature set that rest on the model, which is asked once however many these are. kind : "vote" or "pick".
    problem : why its answers cannot be used, and what to mend; "" where they can.
    answer : what the model said to our own question, which holds none of the user's data. seconds : from asking to answer.
    """

    columns: tuple[str, ...]
    model: str
    endpoint: str
    url: str
    kind: str
    problem: str = ""
    answer: str = ""
    seconds: float = 0.0

    @property
    def usable(self) -> bool:
        return not self.problem

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "usable": self.usable}

    def lines(self) -> list[str]:
        """For the user to read."""
        who = f"{', '.join(self.columns)}{': ' if self.columns else ''}{self.model} at {self.endpoint} ({self.url})"
        came = self.problem or f"{quoted(self.answer)} in {self.seconds:.2g} s"
        return [f"{'FAILS' if self.problem else 'works'}  {who}", f"       {came}"]


def ask_each(asked: Sequence[Asked], progress: Progress = lambda done, total: None) -> list[EndpointCheck]:
    """In the order of `asked`, one after another. No call is repeated. Raises `MissingExtra`: openai or stamina is not installed."""
    found = []
    for columns, model, prompt in asked:
        who = columns, model.model, model.endpoint.name, model.endpoint.url, prompt.kind
        found.append(EndpointCheck(*who, *_answer_of(model, prompt)))
        progress(len(found), len(asked))
    return found


def _answer_of(model: LanguageModel, prompt: Prompt) -> tuple[str, str, float]:
    """What is wrong with the answer, "" for nothing; the answer; seconds."""
    second, budget = prompt.offer(_OFFERED) if prompt.kind == "pick" else PAIR[1], Budget()
    once = replace(model, endpoint=msgspec.structs.replace(model.endpoint, tries=1))
    with TemporaryDirectory() as folder, VoteStore(Path(folder, "asked.sqlite")) as store:
        try:
            (answer,) = once.answers(prompt, [(PAIR[0], second)], store, budget)
        except InputError as no_key:
            return f"{no_key}", "", 0.0
    if answer is None:
        if not (failure := budget.summaries[0].first_failure):
            raise KeyboardInterrupt
        return failure, "", 0.0
    problem = ""
    if answer.reason is not None:
        to_do = _THINKS if answer.reason in ("truncated", "empty") else _OTHER
        problem = f"{REASONS[answer.reason]}; the answer was {quoted(answer.raw)}. {to_do}"
    elif "logprobs" in once.config(prompt).parameters and answer.probability is None:
        problem = f"{quoted(answer.raw)} came without log-probabilities, of which a soft vote is made: have them served, or take `soft = true` out."
    return problem, answer.raw, answer.seconds or 0.0
