"""The votes and picks that a feature set asks for: whom, with what prompt and parameters, in which orders, how often."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..files.wording import hint
from ..terms.icd.search import CANDIDATES, DISTANCES, ENTRIES
from .prompts.files import prompt_of, prompt_of_text
from .prompts.pick_prompt import PickPrompt
from .prompts.prompt import Prompt
from .prompts.questions import IMPORTED, ModelConfig, Question, canonical
from .prompts.versions import PICK_PROMPT, PROMPTS, VOTE_PROMPT

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
    prompt : what they are asked with; None for imported votes.
    """

    config: ModelConfig
    endpoint: str
    both_orders: bool
    soft: bool
    repeats: int
    prompt: Prompt | None = field(default=None, compare=False)

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Voter:
        soft, prompt = options["soft"], _prompt("vote", options)
        config = _config(options, prompt, {"logprobs": True, "top_logprobs": TOP_LOGPROBS} if soft else {})
        return cls(config, options["endpoint"], options["order"] == "both", soft, options["repeats"], prompt)

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
    prompt : what is asked, which says what is shown of the candidates.
    """

    config: ModelConfig
    endpoint: str
    source: str
    encoder: str
    k: int
    distance: str = DISTANCES[0]
    entries: str = ENTRIES[0]
    prompt: PickPrompt = field(compare=False, kw_only=True)

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Picker:
        where = (options[each] for each in ("endpoint", "source", "encoder", "k", "distance", "entries"))
        prompt = _prompt("pick", options)
        assert isinstance(prompt, PickPrompt), "no pick is imported"
        return cls(_config(options, prompt, {}), *where, prompt=prompt)


def asked_by(kind: str, options: Mapping[str, Any]) -> Voter | Picker:
    """Who gives the values of a vote, or of an `icd_pick`."""
    return Picker.of(options) if kind == "icd_pick" else Voter.of(options)


def _config(options: Mapping[str, Any], prompt: Prompt | None, extra: Mapping[str, Any]) -> ModelConfig:
    if prompt is None:
        return ModelConfig(options["model"], IMPORTED)
    chosen = options["parameters"] or prompt.parameters
    return ModelConfig(options["model"], prompt.version, canonical({**chosen, **extra}))


_of_text = lru_cache(maxsize=64)(prompt_of_text)


def _prompt(kind: str, options: Mapping[str, Any]) -> Prompt | None:
    if options["prompt"] == IMPORTED:
        return None
    return _of_text(kind, options["prompt_text"]) if options["prompt_text"] else PROMPTS[options["prompt"]]


def with_prompt(entry: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    """A TOML entry of a vote or pick with the version of its prompt, and with the text of one that is a file.

    So a model that is trained with a file keeps its words. folder : of the TOML file, in which the prompt's path begins.

    Raises
    ------
    InputError
        Of `prompt_of`.
    """
    given, kind = entry.get("prompt"), "pick" if entry.get("kind") == "icd_pick" else "vote"
    if not isinstance(given, str) or given == IMPORTED or entry.get("prompt_text"):
        return entry
    prompt = prompt_of(kind, folder / given if (folder / given).is_file() else given)
    return {**entry, "prompt": prompt.version, "prompt_text": prompt.file_text}


VOTE_OPTIONS: dict[str, Any] = {
    "endpoint": "",
    "prompt": VOTE_PROMPT,
    "prompt_text": "",
    "order": "canonical",
    "soft": False,
    "repeats": 1,
    "parameters": {},
}
VOTE_CHOICES = {"order": ORDERS}
PICK_OPTIONS: dict[str, Any] = {
    "endpoint": "",
    "prompt": PICK_PROMPT,
    "prompt_text": "",
    "source": "icd10cm",
    "encoder": "shipped",
    "k": CANDIDATES,
    "distance": DISTANCES[0],
    "entries": ENTRIES[0],
    "parameters": {},
}
PICK_CHOICES = {"distance": DISTANCES, "entries": ENTRIES}


def problem_of(options: Mapping[str, Any]) -> str | None:
    """What is wrong with the options of a vote or a pick, beyond their types; None for nothing."""
    if not options["model"].strip():
        return "the model has no name"
    for name, highest in (("repeats", MAX_REPEATS), ("k", 100)):
        if name in options and not 1 <= options[name] <= highest:
            return f"{name!r} is not between 1 and {highest}"
    if taken := sorted(set(options["parameters"]) & set(SET_BY_US)):
        return f"'parameters' sets what dxmatch sets itself: {', '.join(taken)}"
    if problem := _problem_of_prompt(options):
        return problem
    if options["prompt"] == IMPORTED:
        asked = options["parameters"] or options["endpoint"]
        if asked or options.get("order") == "both" or options.get("repeats", 1) > 1:
            return "an imported vote is never asked for, so it has no endpoint, order, repeats or parameters"
    return None


def _problem_of_prompt(options: Mapping[str, Any]) -> str | None:
    version, text, kind = options["prompt"], options["prompt_text"], "pick" if "source" in options else "vote"
    if text:
        made = _of_text(kind, text).version
        return None if version == made else f"'prompt' is {version!r}, but that of 'prompt_text' is {made!r}"
    known = [prompt.version for prompt in PROMPTS.values() if prompt.kind == kind]
    if version in known or (kind == "vote" and version == IMPORTED):
        return None
    more = f", {IMPORTED}" if kind == "vote" else ""
    return f"an unknown prompt {version!r}{hint(version, known)}. Allowed: {', '.join(known)}{more}, or a text file"
