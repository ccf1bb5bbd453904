"""The votes and picks that a feature set asks for: whom, with what prompt and parameters, in which orders, how often."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..terms.icd.search import CANDIDATES, DISTANCES, ENTRIES
from .prompts.questions import ModelConfig, Question, canonical
from .prompts.versions import PICK_PROMPT, PROMPTS, VOTE_PROMPT

IMPORTED = "imported"
"""The prompt version of verdicts that were made elsewhere: they are read from the store and never asked for."""

ORDERS = ("canonical", "both")
MAX_REPEATS = 100
TOP_LOGPROBS = 10
SET_BY_US = ("model", "messages", "stream", "stream_options", "n", "logprobs", "top_logprobs")
"""Parameters of a call that are never a user's to set."""


@dataclass(frozen=True)
class Voter:
    """One language model's vote on each pair.

    endpoint : the name of an `[endpoint.NAME]` table; "" for imported votes.
    both_orders : the pair is put in both orders, and the answers averaged; else in order of code points alone.
    soft : the vote is a probability (from the log-probabilities of the answer's token, or as imported), else 0 or 1.
    repeats : how often each is asked.
    """

    config: ModelConfig
    endpoint: str
    both_orders: bool
    soft: bool
    repeats: int

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Voter:
        soft = options["soft"]
        config = _config(options, {"logprobs": True, "top_logprobs": TOP_LOGPROBS} if soft else {})
        return cls(config, options["endpoint"], options["order"] == "both", soft, options["repeats"])

    def questions(self, first: str, second: str) -> Iterator[Question]:
        """All that is asked about a pair of different names."""
        low, high = min(first, second), max(first, second)
        for one, other in ((low, high), (high, low)) if self.both_orders else ((low, high),):
            for repeat in range(self.repeats):
                yield Question(self.config, one, other, repeat)


@dataclass(frozen=True)
class Picker:
    """One language model's choice among the k nearest ICD-10 entries of a name.

    source, encoder : the ICD-10 and the encoder that find the candidates, as in `icd_nearest`.
    distance, entries : by which they are found, and whether they are different codes or names (`IcdIndex`).
    """

    config: ModelConfig
    endpoint: str
    source: str
    encoder: str
    k: int
    distance: str = DISTANCES[0]
    entries: str = ENTRIES[0]

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Picker:
        where = (options[each] for each in ("endpoint", "source", "encoder", "k", "distance", "entries"))
        return cls(_config(options, {}), *where)


def _config(options: Mapping[str, Any], extra: Mapping[str, Any]) -> ModelConfig:
    version = options["prompt"]
    if version == IMPORTED:
        return ModelConfig(options["model"], version)
    chosen = options["parameters"] or {"max_tokens": PROMPTS[version].max_answer_tokens, "temperature": 0}
    return ModelConfig(options["model"], version, canonical({**chosen, **extra}))


VOTE_OPTIONS: dict[str, Any] = {
    "endpoint": "",
    "prompt": VOTE_PROMPT,
    "order": "canonical",
    "soft": False,
    "repeats": 1,
    "parameters": {},
}
VOTE_CHOICES = {"prompt": (VOTE_PROMPT, IMPORTED), "order": ORDERS}
PICK_OPTIONS: dict[str, Any] = {
    "endpoint": "",
    "prompt": PICK_PROMPT,
    "source": "icd10cm",
    "encoder": "shipped",
    "k": CANDIDATES,
    "distance": DISTANCES[0],
    "entries": ENTRIES[0],
    "parameters": {},
}
PICK_CHOICES = {"prompt": (PICK_PROMPT,), "distance": DISTANCES, "entries": ENTRIES}


def problem_of(options: Mapping[str, Any]) -> str | None:
    """What is wrong with the options of a vote or a pick, beyond their types; None for nothing."""
    if not options["model"].strip():
        return "the model has no name"
    for name, highest in (("repeats", MAX_REPEATS), ("k", 100)):
        if name in options and not 1 <= options[name] <= highest:
            return f"{name!r} is not between 1 and {highest}"
    if taken := sorted(set(options["parameters"]) & set(SET_BY_US)):
        return f"'parameters' sets what dxmatch sets itself: {', '.join(taken)}"
    if options["prompt"] == IMPORTED:
        asked = options["parameters"] or options["endpoint"]
        if asked or options.get("order") == "both" or options.get("repeats", 1) > 1:
            return "an imported vote is never asked for, so it has no endpoint, order, repeats or parameters"
    return None
