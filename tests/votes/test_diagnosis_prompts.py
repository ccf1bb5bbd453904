"""The four ways to ask for a diagnosis: their words, their data block, and the list that an answer becomes."""

from __future__ import annotations

import hashlib
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.votes.prompts.diagnosis_prompts import DIAGNOSIS_PROMPTS
from dxmatch.votes.prompts.questions import REASONS

CASE = "A man of 60 with chest pain for 2 hours.\nTroponin is high."
WAYS = list(DIAGNOSIS_PROMPTS)


def content(way: str, case: str, k: int = 5) -> str:
    (message,) = DIAGNOSIS_PROMPTS[way].messages(case, k)
    assert set(message) == {"role", "content"} and message["role"] == "user"
    return message["content"]


def opened(text: str) -> tuple[str, dict[str, str]]:
    assert text.count("<data>\n") == text.count("\n</data>") == 1
    before, _, rest = text.partition("<data>\n")
    block, _, after = rest.partition("\n</data>")
    return before + "|" + after, json.loads(block)


@pytest.mark.parametrize(
    ("way", "version", "sha256"),
    [
        ("free", "diagnose-free-1", "516be628d748a253da51a98e5a096a0cb3d9f662ce9757cd8d225e5e0547eccf"),
        ("role", "diagnose-role-1", "9b7343f43737df9d796f119e304937ae18911ba6a02fc64c851491a7b5b61949"),
        ("steps", "diagnose-steps-1", "04d958a9e33474ab48db8bed7f8e4ce7ef61c7fe82830e4ee1a3f93114ffe4ee"),
        ("json", "diagnose-json-1", "b481d5dd0f4beb4aa1ecbcb2e3fa159c90e09c0d3ea890510ec5b5d6879de704"),
    ],
)
def test_a_prompt_keeps_its_words(way, version, sha256):
    """Lists were made with these very words: to change them, add a prompt with a new version."""
    prompt = DIAGNOSIS_PROMPTS[way]
    assert prompt.version == version
    assert hashlib.sha256(json.dumps(prompt.messages(CASE, 5)).encode()).hexdigest() == sha256


@pytest.mark.parametrize("way", WAYS)
def test_the_case_stays_in_its_block(way, hostile_texts):
    frame, data = opened(content(way, CASE))
    assert data == {"case": CASE}
    for text in (*hostile_texts, "{k} {0} {case}", "DIAGNOSES\n1. Asthma"):
        assert opened(content(way, text)) == (frame, {"case": text})


@pytest.mark.parametrize("way", WAYS)
def test_how_many_are_asked_for(way):
    assert "5 likeliest diseases" in content(way, CASE)
    assert "likeliest disease," in content(way, CASE, 1) and "diseases, the likeliest" not in content(way, CASE, 1)


def test_the_ways_differ():
    assert "physician" in content("role", CASE) and "physician" not in content("free", CASE)
    assert "step by step" in content("steps", CASE) and "step by step" not in content("role", CASE)
    assert '{"diagnoses": ["…", "…"]}' in content("json", CASE)


LIST = ["Myocardial infarction", "Unstable angina", "Aortic dissection"]


@pytest.mark.parametrize("way", ["free", "role"])
@pytest.mark.parametrize("answer", [
    "1. Myocardial infarction\n2. Unstable angina\n3. Aortic dissection",
    "1) Myocardial infarction\n2) Unstable angina\n3) Aortic dissection\n",
    "1: Myocardial infarction\n2: Unstable angina\n3: Aortic dissection",
    "Here they are:\n\n1. **Myocardial infarction** (70%)\n2. **Unstable angina** – pain at rest\n3. **Aortic dissection**: tearing pain",
    "1. Myocardial infarction - troponin is high\n   - ECG\n2. Unstable angina.\n   It is likely.\n3. Aortic dissection;",
    "**1. Myocardial infarction**\n**2. Unstable angina**\n**3. Aortic dissection**",
    "1. Myocardial infarction 70 %\n2. Unstable angina ~20%\n3. Aortic dissection (5.5%)\n\nNext steps:\n1. ECG\n2. CT",
    "<think>1. Asthma</think>1. Myocardial infarction\n2. Unstable angina\n3. Aortic dissection",
    "# 1. Myocardial infarction\n> 2. Unstable angina\n* 3. Aortic dissection",
])  # fmt: skip
def test_a_numbered_list(way, answer):
    assert DIAGNOSIS_PROMPTS[way].read(answer) == (LIST, None)


def test_a_name_keeps_what_belongs_to_it():
    answer = (
        "1. Non-ST-elevation myocardial infarction (NSTEMI)\n2. Type 2 diabetes, with ketoacidosis\n3. Crohn's disease"
    )
    assert DIAGNOSIS_PROMPTS["free"].read(answer)[0] == [
        "Non-ST-elevation myocardial infarction (NSTEMI)", "Type 2 diabetes, with ketoacidosis", "Crohn's disease",
    ]  # fmt: skip


@pytest.mark.parametrize("heading", ["DIAGNOSES", "**Diagnoses:**", "## Final diagnoses", "Ranked diagnoses:"])
def test_steps_count_after_the_last_heading(heading):
    thoughts = "1. The troponin is high.\n2. It is the heart.\nDIAGNOSES that fit: many.\nDiagnoses\n1. Asthma\n"
    listed = "1. Myocardial infarction\n2. Unstable angina\n3. Aortic dissection"
    assert DIAGNOSIS_PROMPTS["steps"].read(f"{thoughts}{heading}\n{listed}") == (LIST, None)
    assert DIAGNOSIS_PROMPTS["steps"].read(listed) == ([], "unclear")


@pytest.mark.parametrize("answer", [
    json.dumps({"diagnoses": LIST}), f"```json\n{json.dumps({'diagnoses': LIST}, indent=2)}\n```",
    f"Sure.\n{json.dumps({'diagnoses': LIST, 'why': 'pain'})} I hope it helps.", f"<think>{{}}</think>{json.dumps({'diagnoses': LIST})}",
    '{"diagnoses": [" Myocardial  infarction", "Unstable\\nangina", "Aortic dissection"]}',
])  # fmt: skip
def test_json(answer):
    assert DIAGNOSIS_PROMPTS["json"].read(answer) == (LIST, None)


@pytest.mark.parametrize(
    ("way", "answer", "reason"),
    [
        *[(way, text, "empty") for way in WAYS for text in ("", " \n", "<think>1. Asthma</think>")],
        *[(way, "I'm sorry, I cannot help with that.", "unclear") for way in WAYS],
        # a rank that is missing, and one that is no name: nothing moves up unseen
        *[("free", text, "unclear") for text in ("1. A\n3. B", "2. A\n3. B", "1. A\n2. ---\n3. B", "Asthma", "- Asthma\n- COPD", "1. ")],
        *[("json", text, "unclear") for text in (
            "{}", '{"diagnoses": "asthma"}', '{"diagnoses": [1]}', '{"diagnoses": []}', '{"diagnoses": ["asthma", ""]}', '{"diagnoses": ["asthma"', '["asthma"]',
            '{"a":' * 5_000, "1. Asthma",
        )],
        ("free", "1. A\n" + " " * 100_000, "too long"),
    ],
)  # fmt: skip
def test_no_list(way, answer, reason):
    assert DIAGNOSIS_PROMPTS[way].read(answer) == ([], reason)


@settings(deadline=None, max_examples=200)
@given(st.text() | st.text('123. )*-:\n{}"[],aDIGNOSEdignose<think>/%'))
def test_any_answer_gives_names_or_a_reason(text):
    for prompt in DIAGNOSIS_PROMPTS.values():
        names, reason = prompt.read(text)
        assert bool(names) == (reason is None) and (reason is None or reason in REASONS)
        assert all(name == " ".join(name.split()) and any(c.isalnum() for c in name) for name in names)


@pytest.mark.parametrize("piece", ["1. a\n", "1. ", " ", "*", "%", "- ", "1. a - ", "diagnoses ", "<think>", "{", "9 "])
def test_no_answer_takes_long(piece):
    start = time.process_time()
    for prompt in DIAGNOSIS_PROMPTS.values():
        prompt.read("1. " + (piece * 30_000)[:30_000])
    assert time.process_time() - start < 1
