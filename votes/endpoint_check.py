"""One question to each model that is to be asked, and what to mend where no answer comes that can be used."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from msgspec.structs import replace

from ..endpoints.client import EndpointClient, EndpointError, run
from ..errors import InputError
from ..progress import Progress
from ..terms.icd.index import Candidate
from .asking import LanguageModel
from .prompts.prompt import Prompt
from .prompts.questions import REASONS, Question

PAIR = ("heart attack", "myocardial infarction")
"""What a vote is asked about."""
_OFFERED = (
    Candidate("I21", "Acute myocardial infarction", 1.0, "acute myocardial infarction"),
    Candidate("I46", "Cardiac arrest", 1.0, "cardiac arrest"),
    Candidate("G43", "Migraine", 1.0, "migraine"),
)
_TO_DO = {
    "truncated": "A model that thinks before it answers needs more: parameters = { max_tokens = 2048, temperature = 0 } in its entry; or switch its thinking off.",
    "empty": "It may think before it answers (parameters = { max_tokens = 2048, temperature = 0 } in its entry), or be no model for chats.",
}  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """What is asked of one model. It is asked once, however many columns rest on it.

    columns : that rest on it; empty for a model that no feature set names.
    prompt : of a vote or a pick; None for embeddings. soft : a probability is needed.
    dimensions : of embeddings, the width that is asked for. before : what is put before each text.
    """

    columns: tuple[str, ...]
    model: LanguageModel
    prompt: Prompt | None = None
    soft: bool = False
    dimensions: int | None = None
    before: str = ""


@dataclass(frozen=True)
class EndpointCheck:
    """What came of one question to one model.

    columns : of the feature set that rest on the model. kind : "vote", "pick" or "embedding".
    problem : why its answers cannot be used, and what to mend; "" where they can.
    answer : what the model said to our own question, which holds none of the user's data; of a vector its width. seconds : from asking to answer.
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
        came = self.problem or f"{_shown(self.answer)} in {self.seconds:.2g} s"
        return [f"{'FAILS' if self.problem else 'works'}  {who}", f"       {came}"]


def ask_each(asked: Sequence[Asked], progress: Progress = lambda done, total: None) -> list[EndpointCheck]:
    """In the order of `asked`, one after another. No call is repeated. Raises `MissingExtra`: openai or stamina is not installed."""
    found = []
    for one in asked:
        model, kind = one.model, one.prompt.kind if one.prompt else "embedding"
        of = one.columns, model.model, model.endpoint.name, model.endpoint.url, kind
        found.append(EndpointCheck(*of, *run(_answer_of(one))))
        progress(len(found), len(asked))
    return found


async def _answer_of(one: Asked) -> tuple[str, str, float]:
    """What is wrong with what comes, "" for nothing; what comes; seconds."""
    model, prompt = one.model, one.prompt
    async with EndpointClient(replace(model.endpoint, tries=1)) as client:
        start = time.monotonic()
        try:
            if prompt is None:
                width = (await client.embed(model.model, [f"{one.before}{PAIR[0]}"], one.dimensions)).shape[1]
                came = f"{width:,} numbers"
                problem = "" if one.dimensions in (None, width) else f"{came} came: mend `dimensions`, or leave it out."
                return problem, came, time.monotonic() - start
            second, config = prompt.offer(_OFFERED) if prompt.kind == "pick" else PAIR[1], model.config(prompt)
            reply = await client.chat(model.model, prompt.messages(PAIR[0], second), json.loads(config.parameters))
        except InputError as error:  # the key is not set
            return f"{error}", "", 0.0
        except EndpointError as error:
            loading = " It may be loading the model still: try again in a minute; or raise `timeout`."
            problem = str(error).removeprefix(f"{error.address}: ")
            return problem + loading * (error.kind in ("time-out", "server error")), "", time.monotonic() - start
    answer, problem = prompt.answer(Question(config, PAIR[0], second), reply), ""
    if answer.reason is not None:
        to_do = _TO_DO.get(answer.reason, "Ask another model, or with other words (`prompt`, a text file of yours).")
        problem = f"{REASONS[answer.reason]}; the answer was {_shown(answer.raw)}. {to_do}"
    elif one.soft and answer.probability is None:
        problem = f"{_shown(answer.raw)} came without log-probabilities, of which a soft vote is made: have them served, or take `soft = true` out."
    return problem, answer.raw, time.monotonic() - start


def _shown(answer: str) -> str:
    """In one line; what a terminal would obey is a blank."""
    text = " ".join("".join(c if c.isprintable() else " " for c in answer).split())
    return f'"{text[:200]}{"…" if len(text) > 200 else ""}"'
