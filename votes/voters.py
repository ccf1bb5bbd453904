"""The votes and picks that a feature set asks for: whom, with what prompt and parameters, how often; what the store holds of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any

from ..files.wording import hint
from ..terms.icd.search import CANDIDATES, DISTANCES, ENTRIES
from .prompts.files import KINDS, PROMPTS, names_of, prompt_of, prompt_of_text
from .prompts.prompt import Prompt
from .prompts.questions import IMPORTED, ModelConfig, Question, canonical
from .store.store import VoteStore

MAX_REPEATS = 100
SET_BY_US = ("model", "messages", "stream", "stream_options", "n", "logprobs", "top_logprobs")
"""Parameters of a call that are never a user's to set."""
_ASKED = {"endpoint": "", "prompt_text": "", "parameters": {}}
VOTE_CHOICES = {"order": ("canonical", "both")}
VOTE_OPTIONS = {**_ASKED, "prompt": KINDS["vote"].latest, "order": "canonical", "soft": False, "repeats": 1}
PICK_CHOICES = {"distance": DISTANCES, "entries": ENTRIES}
PICK_OPTIONS = {**_ASKED, "prompt": KINDS["pick"].latest, "source": "icd10cm", "encoder": "shipped", "k": CANDIDATES}
PICK_OPTIONS |= {option: allowed[0] for option, allowed in PICK_CHOICES.items()}


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
        if options["prompt"] == IMPORTED:
            return cls(ModelConfig(options["model"], IMPORTED), "", False, options["soft"], 1)
        soft = {"logprobs": True, "top_logprobs": 10} if options["soft"] else {}
        config, prompt = _asked("vote", options, **soft)
        return cls(config, options["endpoint"], options["order"] == "both", options["soft"], options["repeats"], prompt)

    def questions(self, pairs: Iterable[tuple[str, str]]) -> Iterator[Question]:
        """All that is asked about pairs of different names."""
        for pair in map(sorted, pairs):
            for one, other in (pair, pair[::-1])[: 1 + self.both_orders]:
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
    prompt: Prompt = field(compare=False, kw_only=True)

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Picker:
        config, prompt = _asked("pick", options)
        where = (options[each] for each in ("endpoint", "source", "encoder", "k", "distance", "entries"))
        return cls(config, *where, prompt=prompt)


def _asked(kind: str, options: Mapping[str, Any], **more: Any) -> tuple[ModelConfig, Prompt]:
    text = options["prompt_text"]
    prompt = _of_text(kind, text) if text else PROMPTS[options["prompt"]]
    sent = canonical({**(options["parameters"] or prompt.parameters), **more})
    return ModelConfig(options["model"], prompt.version, sent), prompt


_of_text = lru_cache(maxsize=64)(prompt_of_text)


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


def problem_of(options: Mapping[str, Any]) -> str | None:
    """What is wrong with the options of a vote or a pick, beyond their types; None for nothing."""
    version, text, kind = options["prompt"], options["prompt_text"], "pick" if "source" in options else "vote"
    known = [*names_of(kind), *([IMPORTED] if kind == "vote" else [])]
    taken = sorted(set(options["parameters"]) & set(SET_BY_US))
    usual = {"endpoint": "", "parameters": {}, "order": "canonical", "repeats": 1}
    wrong = {
        "the model has no name": not options["model"].strip(),
        f"'repeats' is not between 1 and {MAX_REPEATS}": not 1 <= options.get("repeats", 1) <= MAX_REPEATS,
        "'k' is not between 1 and 100": not 1 <= options.get("k", 1) <= 100,
        f"'parameters' sets what dxmatch sets itself: {', '.join(taken)}": taken,
        f"'prompt' is {version!r}, but not that of 'prompt_text'": text and _of_text(kind, text).version != version,
        f"an unknown prompt {version!r}{hint(version, known)}. Allowed: {', '.join(known)}, or a text file": not text and version not in known,
        "an imported vote is never asked for, so it has no endpoint, order, repeats or parameters":
            version == IMPORTED and any(options.get(name, one) != one for name, one in usual.items()),
    }  # fmt: skip
    return next((problem for problem, is_so in wrong.items() if is_so), None)


def mean_votes(store: VoteStore, voter: Voter, names: Sequence[str]) -> dict[tuple[int, int], float]:
    """What the store holds of a voter on pairs of names, by their places, the lower first: the mean over orders and repeats.

    Answers without a verdict, or without a probability where the vote is soft, count as none.
    """
    place, values = {name: i for i, name in enumerate(names)}, defaultdict[tuple[int, int], list[float]](list)
    for asked, answer in store.answers(voter.config, names):
        value, put = answer.probability if voter.soft else answer.verdict, (asked.first, asked.second)
        if value is not None and asked.repeat < voter.repeats and (voter.both_orders or put == tuple(sorted(put))):
            first, second = sorted(place[name] for name in put)
            values[first, second].append(value)
    return {pair: fmean(of) for pair, of in values.items()}
