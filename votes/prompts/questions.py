"""What is asked of a language model, and what comes back: the words that the asker, the store and the files share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

IMPORTED = "imported"
"""The prompt version of verdicts that were made elsewhere: they are read from the store and never asked for."""

REASONS = {
    "empty": "the answer holds no text",
    "refusal": "the model declined to answer",
    "truncated": "the answer was cut off at the limit on tokens",
    "unclear": "the answer names no verdict",
    "contradictory": "the answer names more than one verdict",
    "out of range": "the number, or the name, is not that of a candidate",
    "too long": "the answer is longer than any answer needs to be",
}
"""Why an answer holds no verdict. It is an answer all the same: it is kept, and not asked for again unless one says so."""


@dataclass(frozen=True)
class ModelConfig:
    """Who answers, and to what: two answers are comparable only where all three agree.

    model : the name by which the endpoint knows it.
    prompt : the version of the prompt, which stands for its text ("vote-2", "vote-file-" and a hash); "imported" for verdicts that
        were made elsewhere.
    parameters : the sampling parameters as canonical JSON (`canonical`), such as '{"max_tokens":16,"temperature":0}'.
    """

    model: str
    prompt: str
    parameters: str = "{}"


@dataclass(frozen=True)
class Question:
    """One call. Diagnoses are names, after normalisation.

    first, second : as `prompt.Prompt` says of each kind; of a vote, the two diagnoses in the order in which they are put.
    repeat : 0, 1, … where the same is asked several times.
    """

    config: ModelConfig
    first: str
    second: str
    repeat: int = 0


@dataclass(frozen=True)
class Answer:
    """What came back. Either `verdict` or `reason` is None, never both, never neither.

    verdict : of a vote or a judge 1 or 0; of a pick the number of the candidate, of a class its number, from 1; of multiple choice a
        sum of 2 to the power of each chosen place, from 0; of diagnoses how many were read.
    reason : a key of `REASONS`.
    probability : in [0, 1], of a match; where token log-probabilities were asked for and given, or imported.
    raw : the text as it came, cut to `MAX_RAW` characters.
    prompt_tokens, completion_tokens : as the endpoint counted them; None where it did not.
    model : who answered, by the server's account; "" where it did not say, and of what the store holds.
    seconds : from asking to answer, of the call that succeeded; None for an answer out of a file.
    """

    verdict: int | None
    reason: str | None
    raw: str = ""
    probability: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    seconds: float | None = None
    model: str = field(default="", compare=False)


MAX_RAW = 100_000
"""As long as a chain of thought about a case; a verdict is read of far less (`replies.MAX_ANSWER`)."""


def canonical(parameters: Mapping[str, Any]) -> str:
    """Sampling parameters as they are stored and compared: JSON, sorted, without blanks, each number in one form.

    >>> canonical({"temperature": 0.0, "max_tokens": 16})
    '{"max_tokens":16,"temperature":0}'
    """
    plain = {k: int(v) if isinstance(v, float) and v.is_integer() else v for k, v in parameters.items()}
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def in_parts(counts: Mapping[str, int]) -> str:
    """Says what a count is made of, " (2 empty, 1 unclear)", the most first; "" for none."""
    parts = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return f" ({', '.join(f'{count:,} {name}' for name, count in parts)})" if parts else ""
