"""Picks whose answer is a name in JSON."""

from __future__ import annotations

import pytest

from dxmatch.votes.prompts.pick_prompt import Offered
from dxmatch.votes.prompts.questions import ModelConfig, Question
from dxmatch.votes.prompts.versions import PROMPTS

NAMES = ["Angina", "Angina pectoris, unspecified", "Zoster [herpes zoster]", "Angina NOS"]


@pytest.mark.parametrize("version", ["pick-name-1", "icd-pick-2"])
@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ('{"icd_name": "Angina"}', (1, None)),
        ('```json\n{"icd_name": "Zoster [herpes zoster]"}\n```', (3, None)),
        ('{"icd_name": "Zoster \\u005bherpes zoster\\u005d"}', (3, None)),
        ('<think>It may be {"icd_name": "Angina"}</think>{"icd_name": "angina pectoris unspecified"}', (2, None)),
        ('{"icd_name": "4. Angina NOS", "why": "shorter"}', (4, None)),
        ('{"icd_name": "2"}', (2, None)),
        ('{"icd_name": 2}', (2, None)),
        ("2", (2, None)),
        ('{"icd_name": "Angina"} {"icd_name": "Angina"}', (1, None)),
        ('{"icd_name": "Angina"} {"icd_name": "Angina NOS"}', (None, "contradictory")),
        ('{"icd_name": "Heart attack"}', (None, "out of range")),
        ('{"icd_name": "9"}', (None, "out of range")),
        ('{"icd_name": null}', (None, "unclear")),
        ('{"name": "Angina"}', (None, "unclear")),
        ("", (None, "empty")),
        ("I'm sorry, I cannot help with that.", (None, "refusal")),
    ],
)  # fmt: skip
def test_answers(version: str, answer: str, read: tuple[int | None, str | None]) -> None:
    prompt = PROMPTS[version]
    listed = prompt.listed([Offered("I20", "a title", name) for name in NAMES])
    assert prompt.read(answer, Question(ModelConfig("m", version), "chest pain", listed)) == read
