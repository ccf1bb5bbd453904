"""The prompts of the judge and of the classifiers: their words, their data block, and what an answer says."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.evaluation.metrics import weighted
from dxmatch.votes.prompts.class_prompts import RELATIONS, SEVERITIES
from dxmatch.votes.prompts.judge_prompts import list_of, list_text
from dxmatch.votes.prompts.questions import REASONS, ModelConfig, Question
from dxmatch.votes.prompts.versions import (
    PROMPTS,
    RELATION_PROMPT,
    SECOND_JUDGE_PROMPT,
    SEVERITY_PROMPT,
    STRICT_JUDGE_PROMPT,
)

JUDGES = (STRICT_JUDGE_PROMPT, SECOND_JUDGE_PROMPT)
PREDICTED = list_text(["angina", None, "acute myocardial infarction"])


def question(version: str, first: str = "heart attack", second: str = PREDICTED) -> Question:
    return Question(ModelConfig("m", version), first, second)


def content(version: str, first: str, second: str) -> str:
    (message,) = PROMPTS[version].messages(first, second)
    assert message["role"] == "user"
    return message["content"]


def opened(text: str) -> tuple[str, dict[str, str]]:
    """What stands about the only data block, and what it holds."""
    assert text.count("<data>\n") == text.count("\n</data>") == 1
    before, _, rest = text.partition("<data>\n")
    block, _, after = rest.partition("\n</data>")
    return before + "|" + after, json.loads(block)


def said(version: str, text: str, **asked: str) -> int | str | None:
    verdict, reason = PROMPTS[version].read(text, question(version, **asked))
    assert (verdict is None) != (reason is None)
    return reason if verdict is None else verdict


@pytest.mark.parametrize(
    ("version", "second", "sha256"),
    [
        ("judge-strict-1", PREDICTED, "ff88c9b4e091e2b30f66c3df72b6f8e849cf5986cbded186fd21a7f5a5ac7e04"),
        ("judge-second-1", PREDICTED, "784d795bd983eb73130a0e75fa831b392a0e5a49f0a3f54797c38e7c33ca75f0"),
        ("relation-1", "angina", "aaa893d6903b22e83f760d386f97b65f179f46ba2b3151864f1445785d07fec0"),
        ("severity-1", "", "dc8cc7be0d400fe3c09aa0f7606737169f3d4ee18bcb4370b34fff5683df48b9"),
    ],
)
def test_a_prompt_keeps_its_words(version: str, second: str, sha256: str) -> None:
    """Stored answers are answers to these very words: to change them, add a prompt with a new version."""
    messages = PROMPTS[version].messages("heart attack", second)
    assert hashlib.sha256(json.dumps(messages).encode()).hexdigest() == sha256


def test_the_strict_judge_names_six_dimensions() -> None:
    frame, _ = opened(content(STRICT_JUDGE_PROMPT, "heart attack", PREDICTED))
    for dimension in ("anatomy", "mechanism", "cause", "course in time", "test", "treatment"):
        assert f"\n- {dimension}: " in frame
    assert frame.count("\n- ") == 6


@pytest.mark.parametrize("version", JUDGES)
def test_a_judge_sees_the_list_by_number(version: str) -> None:
    frame, data = opened(content(version, "heart attack", PREDICTED))
    assert data == {"reference": "heart attack", "1": "angina", "3": "acute myocardial infarction"}
    assert "0 if none does" in frame.partition("|")[2]


def test_a_list_is_read_back() -> None:
    odd = ['a "quoted"\nname', None, "инфаркт", ""]
    assert list_of(list_text(odd)) == odd


def test_a_class_is_asked_for_by_its_number() -> None:
    frame, data = opened(content(RELATION_PROMPT, "heart attack", "angina"))
    assert data == {"golden": "heart attack", "predicted": "angina"}
    assert all(f"\n{number} {name}: " in frame for number, name in enumerate(RELATIONS, start=1))
    frame, data = opened(content(SEVERITY_PROMPT, "heart attack", ""))
    assert data == {"diagnosis": "heart attack"}
    assert all(f"\n{number} {name}: " in frame for number, name in enumerate(SEVERITIES, start=1))


def test_the_classes_are_those_of_the_scores() -> None:
    assert {name: number for number, name in enumerate(RELATIONS, start=1)} == weighted.RELATIONS
    assert {name: number for number, name in enumerate(SEVERITIES, start=1)} == weighted.SEVERITIES


def test_no_text_changes_the_frame(hostile_texts: list[str]) -> None:
    judge, relation, severity = (
        opened(content(version, "x", second))[0]
        for version, second in ((STRICT_JUDGE_PROMPT, list_text(["x"])), (RELATION_PROMPT, "x"), (SEVERITY_PROMPT, ""))
    )
    for text in hostile_texts:
        held = {"reference": text, "1": text}
        assert opened(content(STRICT_JUDGE_PROMPT, text, list_text([text]))) == (judge, held)
        assert opened(content(RELATION_PROMPT, text, text)) == (relation, {"golden": text, "predicted": text})
        assert opened(content(SEVERITY_PROMPT, text, "")) == (severity, {"diagnosis": text})


def test_an_echo_is_no_verdict(hostile_texts: list[str]) -> None:
    for text in hostile_texts:
        for version, second in (
            (STRICT_JUDGE_PROMPT, list_text([text])), (RELATION_PROMPT, text), (SEVERITY_PROMPT, ""),
        ):  # fmt: skip
            whole = content(version, text, second)
            for echo in (text, f'"{text}"', whole, whole[whole.index("<data>") :]):
                verdict, reason = PROMPTS[version].read(echo, question(version, text, second))
                assert verdict is None and reason in REASONS, (version, echo)


@pytest.mark.parametrize("version", JUDGES)
@pytest.mark.parametrize(("text", "verdict"), [
    ("0", 0), ("0.", 0), ("0, none of them", 0), ("0 (none)", 0), ("0 none", 0), ("1", 1), ("3", 3), ("3.", 3), ("**3**", 3), ("Answer: 3", 3), ("Diagnosis 3", 3),
    ('{"answer": 3}', 3), ("3: acute myocardial infarction", 3), ("3) acute myocardial infarction", 3), ("<think>1?</think>3", 3), ("1, not 3", 1),
    ("2", "out of range"), ("4", "out of range"), ("1 or 3", "contradictory"), ("1, 3", "contradictory"), ("0/3", "contradictory"),
    ("acute myocardial infarction", "unclear"), ("Angina", "unclear"), ("Yes", "unclear"), ("-1", "unclear"), ("3?", "unclear"), ("", "empty"),
    ("I'm sorry, 3", "refusal"),
])  # fmt: skip
def test_what_a_judge_says(version: str, text: str, verdict: int | str) -> None:
    assert said(version, text) == verdict


@pytest.mark.parametrize(("text", "verdict"), [
    ("1", 1), ("5", 5), ("2 broad synonym", 2), ("2: Broad synonym.", 2), ("2, broad synonym of it", 2), ("3. exact disease group", 3), ("Class 4", 4),
    ("5 - not related", 5), ("Answer: 2", 2), ("0", "out of range"), ("6", "out of range"), ("2 exact synonym", "unclear"), ("broad synonym", "unclear"),
    ("1 or 2", "contradictory"), ("2/3", "contradictory"), ("", "empty"),
])  # fmt: skip
def test_what_a_classifier_says(text: str, verdict: int | str) -> None:
    assert said(RELATION_PROMPT, text, second="angina") == verdict


def test_a_diagnosis_that_begins_with_a_number_is_no_verdict() -> None:
    name = "3 vessel disease"
    assert said(RELATION_PROMPT, f"{name} is the diagnosis", first=name, second="angina") == "unclear"
    assert said(SEVERITY_PROMPT, f"{name}.", first=name, second="") == "unclear"
    assert said(STRICT_JUDGE_PROMPT, f"{name}.", second=list_text(["angina", "x", name])) == "unclear"


@settings(deadline=None, max_examples=200)
@given(st.text() | st.text("0123456789 .,\n*:noexactsynymrla"))
def test_any_text_gives_a_verdict_or_a_reason(text: str) -> None:
    assert said(STRICT_JUDGE_PROMPT, text) in {0, 1, 3} | REASONS.keys()
    assert said(RELATION_PROMPT, text, second="angina") in {1, 2, 3, 4, 5} | REASONS.keys()


@pytest.mark.parametrize("version", [*JUDGES, RELATION_PROMPT, SEVERITY_PROMPT])
def test_no_probability(version: str) -> None:
    assert PROMPTS[version].probability([[("3", 0.0)]]) is None
