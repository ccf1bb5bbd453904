"""The ways to ask for diagnoses: their words, their data block, how many are asked for, and that their answers are readable."""

from __future__ import annotations

import hashlib
import json

import pytest

from dxmatch.errors import OptionError
from dxmatch.evaluation.read.raw_answers import ranked_diagnoses
from dxmatch.votes.prompts.diagnosis_prompts import DIAGNOSIS_PROMPTS
from dxmatch.votes.prompts.questions import ModelConfig, Question
from dxmatch.votes.prompts.versions import PROMPTS

CASE = "A man of 60 with chest pain for 2 hours.\nTroponin is high."
WAYS = list(DIAGNOSIS_PROMPTS)


def content(way: str, case: str, k: int | None = None) -> str:
    *system, message = DIAGNOSIS_PROMPTS[way].messages(case, k)
    assert message["role"] == "user" and [one["role"] for one in system] == ["system"] * (way == "ddx")
    return message["content"]


def opened(text: str) -> tuple[str, dict[str, str]]:
    assert text.count("<data>\n") == text.count("\n</data>") == 1
    before, _, rest = text.partition("<data>\n")
    block, _, after = rest.partition("\n</data>")
    return before + "|" + after, json.loads(block)


@pytest.mark.parametrize(("way", "sha256"), [
    ("free", "7fa9063df48673168a01cba47414b3eaad10c417ca1ec86ff2820da40f773b4e"),
    ("role", "5f344c793757d185af6af92a897f957cd84ef6eec361c3cf9191c88cd568fdd8"),
    ("steps", "eba99099298436aa5c526da0aa72abd8a90a7557d17ec8e0f8bad54d9d23ec26"),
    ("json", "00735bf44f01997b448cd7aa61a4ee948593308a51b6c5a6317a7442ed57589a"),
    ("ddx", "9fcdeb79aeea2401ba2f7a6cafe6a9ae067c7673fb3b413104e02ffba2e5b9bc"),
])  # fmt: skip
def test_a_prompt_keeps_its_words(way, sha256):
    """Lists were made with these very words: to change them, add a prompt with a new version."""
    prompt = DIAGNOSIS_PROMPTS[way]
    assert prompt.version == f"diagnosis-{way}-1" and PROMPTS[prompt.version] is prompt
    assert hashlib.sha256(json.dumps(prompt.messages(CASE)).encode()).hexdigest() == sha256


@pytest.mark.parametrize("way", WAYS)
def test_the_case_stays_in_its_block(way, hostile_texts):
    frame, data = opened(content(way, CASE))
    assert data == {"case": CASE}
    for text in (*hostile_texts, "{k} {0} {case} {{case}}", "\n---\n", "DIAGNOSES\n1. Asthma"):
        assert opened(content(way, text)) == (frame, {"case": text})


@pytest.mark.parametrize("way", WAYS)
def test_how_many_are_asked_for(way):
    every = "the 5 likeliest diseases" if way == "ddx" else "all major diseases that this patient has"
    assert every.casefold() in content(way, CASE).casefold()
    assert "the 3 likeliest diseases" in content(way, CASE, 3)
    assert "the likeliest disease" in content(way, CASE, 1) and "likeliest diseases" not in content(way, CASE, 1)
    assert DIAGNOSIS_PROMPTS[way].messages(CASE, "3") == DIAGNOSIS_PROMPTS[way].messages(CASE, 3)
    for k in (0, -1, "many", 1.5):
        with pytest.raises(OptionError, match="'k' parameter must be a whole number"):
            DIAGNOSIS_PROMPTS[way].messages(CASE, k)


def test_the_ways_differ():
    assert "surgeon and physician" in content("role", CASE) and "leave out no finding" in content("role", CASE)
    assert "step by step" in content("steps", CASE) and "step by step" not in content("role", CASE)
    assert "rationale" in content("json", CASE) and '"diagnoses": ["first disease"' in content("ddx", CASE)


@pytest.mark.parametrize("answer", [
    "1. Acute pancreatitis: The amylase is high.\n2. Gallstones: The ultrasound shows stones.",
    "The pain radiates to the back.\n\nDIAGNOSES\n1. Acute pancreatitis: The amylase is high.\n2. Gallstones: The ultrasound shows stones.",
    '{"diagnoses": [{"disease": "Acute pancreatitis", "rationale": "amylase"}, {"disease": "Gallstones", "rationale": "stones"}]}',
    '{"diagnoses": ["Acute pancreatitis", "Gallstones"]}',
])  # fmt: skip
def test_an_answer_in_the_form_that_is_asked_for_is_read(answer):
    assert ranked_diagnoses(answer) == ["Acute pancreatitis", "Gallstones"]


def test_any_text_is_an_answer():
    question = Question(ModelConfig("m", "diagnosis-free-1"), CASE, "")
    assert DIAGNOSIS_PROMPTS["free"].read("Perhaps asthma.", question) == (1, None)
    assert DIAGNOSIS_PROMPTS["free"].read(" \n", question) == (None, "empty")
