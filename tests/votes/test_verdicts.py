"""What an answer says."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.votes.prompts.judge_prompts import list_text
from dxmatch.votes.prompts.pick_prompt import candidates_text
from dxmatch.votes.prompts.questions import REASONS, ModelConfig, Question
from dxmatch.votes.prompts.versions import PROMPTS

SECOND = {
    "vote-1": "myocardial infarction", "icd-pick-1": candidates_text([("I21", "x")] * 15), "relation-1": "angina",
    **dict.fromkeys(("judge-strict-1", "judge-second-1"), list_text(["angina", None, "acute myocardial infarction"])),
}  # fmt: skip
VERDICTS = {
    "vote-1": {0, 1},
    "icd-pick-1": set(range(1, 16)),
    "judge-strict-1": {0, 1, 3},
    "relation-1": {1, 2, 3, 4, 5},
}


def said(version: str, text: str) -> int | str | None:
    question = Question(ModelConfig("m", version), "heart attack", SECOND[version])
    verdict, reason = PROMPTS[version].read(text, question)
    assert (verdict is None) != (reason is None)
    return reason if verdict is None else verdict


def vote(text: str) -> int | str | None:
    return said("vote-1", text)


def pick(text: str) -> int | str | None:
    return said("icd-pick-1", text)


@pytest.mark.parametrize("text", [
    "Yes", "yes", "YES", " Yes\n", "Yes.", "yes, because they are synonyms", "Yes: synonyms.", "Yes!", "Yes - synonyms", "Yes — synonyms",
    "Yes (synonyms).", "Yes\n\nBoth name the same disease.", "**Yes**", "*Yes*", "_Yes_", "__Yes.__", "`Yes`", '"Yes"', "“Yes”", "«Да»", "'Yes'",
    "- Yes", "> Yes", "# Yes", "✅ Yes", "Answer: Yes", "**Answer:** Yes", "**Answer**: Yes", "Final answer: yes", "Verdict = Yes",
    "## Answer\n\nYes", '{"answer": "Yes"}', '```json\n{\n  "answer": "Yes"\n}\n```', "<think>No, hm. No.</think>\n\nYes",
    "<think>\n\n</think>\n\n<think>a</think>Yes", "Да", "да.", "Да, это синонимы", "Ответ: Да", "Yes, yes.", "Yes\nyes", "Yes, no doubt about it",
    "Да, нет сомнений", "Yes, they are not different, no matter what", "Yes.\n1. They are synonyms.",
])  # fmt: skip
def test_yes(text: str) -> None:
    assert vote(text) == 1


@pytest.mark.parametrize("text", [
    "No", "no.", "No, they differ", "**No**", "Answer: No", '{"answer": "no"}', "Нет", "нет, это разные болезни", "Ответ: нет", "<think>Yes?</think>No",
    "No.\n\nYes would need a synonym", "No, not the same; yes they share a cause",
])  # fmt: skip
def test_no(text: str) -> None:
    assert vote(text) == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        *[(text, "empty") for text in ("", " ", "\n\t\n", "\u2028", "<think>Yes</think>", "<think>a</think>\n")],
        *[(text, "contradictory") for text in (
            "Yes and no", "Yes and no, it depends", "yes or no", "Yes/No", "Yes / No", "Yes|No", "Yes, no.", "No. Yes.", "Yes\nNo", "No\n\nYes.",
            "**Yes** / **No**", "Да и нет", "Да или нет?", "Yes – no, wait", "Yes, because …\nFinal answer: No",
        )],
        *[(text, "unclear") for text in (
            "Maybe", "It depends.", "Perhaps yes", "Oui", "Ja", "是", "Sí", "はい", "نعم", "Nope", "Yeah", "Y", "N", "True", "1", "The answer is Yes",
            "I think: Yes", "They match. Yes.", "Yes?", "No?!", "Yes they are", "No evidence of disease", "no-one knows", "yes-man", "nothing", "Not sure",
            "Yesterday", "None", "Non", "...", "?", "heart attack", '{"first": "Yes"}', "{}", "<think>Yes", "<think>\nIt says Yes.\nYes, so", "a</think>Yes",
            "Ｙｅｓ", "Nо", "Y e s", "Answer:", "json", "answer yes",
        )],
        *[(text, "refusal") for text in (
            "I'm sorry, but I can't help with that.", "I’m unable to say", "I cannot answer", "I can't", "Sorry, no.", "As an AI, I …", "I apologize, but",
            "Извините, я не могу", "К сожалению, нет", "Я не могу ответить",
        )],
        ("Yes." + " " * 10_000, "too long"),
    ],
)  # fmt: skip
def test_no_verdict(text: str, reason: str) -> None:
    assert vote(text) == reason


@pytest.mark.parametrize(("text", "number"), [
    ("3", 3), ("3.", 3), (" 3\n", 3), ("**3**", 3), ('"3"', 3), ("#3", 3), ("№ 3", 3), ("(3)", 3), ("03", 3), ("15", 15), ("1", 1),
    ("Answer: 3", 3), ("Ответ: 3", 3), ('{"answer": 3}', 3), ('{"answer": "3"}', 3), ("Candidate 3", 3), ("Answer: candidate 3.", 3), ("Кандидат 3", 3),
    ("Option 3: I21.9", 3), ("Number 3", 3), ("3) I21 Acute myocardial infarction", 3), ("3. I21.9 Acute myocardial infarction", 3), ("3: I21.9", 3),
    ('"3": "I21 Acute"', 3), ("3 - I21.9", 3), ("3 (I21.9)", 3), ("3. Type 2 diabetes", 3), ("3, since 2 is about the past", 3), ("3\n\nIt fits best.", 3),
    ("<think>1 or 2?</think>3", 3),
])  # fmt: skip
def test_pick(text: str, number: int) -> None:
    assert pick(text) == number


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        *[(text, "out of range") for text in ("0", "0.", "16", "99", "Candidate 0", "Answer: 0, none fits", "0) none", "2023", "100%")],
        *[(text, "contradictory") for text in ("1 or 2", "1, 2", "1/2", "3 and 4", "3,5", "1. I21\n2. I22", "3\n4", "3\nAnswer: 4")],
        *[(text, "unclear") for text in (
            "I21.9", "I21", "21.9", "3.5", "-3", "1-3", "2-3", "I21.9 (3)", "The best is 3", "none", "three", "Acute myocardial infarction", "22q11", "３", "²", "III",
            "5 alpha reductase deficiency", "5-alpha reductase deficiency", "3 vessel disease", "3?", "9" * 5_000, "1e1", "0x3", "3rd",
        )],
        ("", "empty"),
        ("I'm sorry, 3", "refusal"),
        ("3" + " " * 10_000, "too long"),
    ],
)  # fmt: skip
def test_no_pick(text: str, reason: str) -> None:
    assert pick(text) == reason


@pytest.mark.parametrize("version", ["judge-strict-1", "judge-second-1"])
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
    assert said("relation-1", text) == verdict


@settings(deadline=None, max_examples=300)
@given(st.text() | st.text("Yesno .,\n*:/<think>answer0123456789-xactmrl"))
def test_any_text_gives_a_verdict_or_a_reason(text: str) -> None:
    for version, allowed in VERDICTS.items():
        assert said(version, text) in allowed | REASONS.keys()


@pytest.mark.parametrize("piece", ["*", "answer:", "Yes ", "<think>", "\n", "a\n", "1, ", "Yes\n", "Answer", "—"])
def test_no_text_takes_long_to_read(piece: str) -> None:
    text = (piece * 10_000)[:10_000]
    start = time.process_time()
    vote(text), pick(text)
    assert time.process_time() - start < 0.5


LOG = math.log


@pytest.mark.parametrize(
    ("logprobs", "probability"),
    [
        ([[("Yes", LOG(0.6)), ("No", LOG(0.2)), ("Maybe", LOG(0.2))]], 0.75),
        # variants of one word are added up: 0.5 + 0.1 + 0.1 against 0.1 + 0.1
        ([[("Yes", LOG(0.5)), (" yes", LOG(0.1)), ("▁YES", LOG(0.1)), ("ĠNo", LOG(0.1)), ("no", LOG(0.1))]], 0.7 / 0.9),
        ([[("Да", LOG(0.6)), ("Нет", LOG(0.2))]], 0.75),
        # a tokenizer that cuts the words: "Y" + "es", "Не" + "т"
        ([[("Y", LOG(0.6)), ("N", LOG(0.2))], [("es", 0.0)]], 0.75),
        ([[("Да", LOG(0.6)), ("Не", LOG(0.2))]], 0.75),
        ([[('"Yes', LOG(0.6)), ("No.", LOG(0.2))]], 0.75),
        # the verdict is the first token that is no punctuation and no label
        ([[("**", -0.1), ("Yes", -3.0)], [("No", LOG(0.8)), ("Yes", LOG(0.2))]], 0.2),
        ([[("Answer", -0.1)], [(":", -0.1)], [(" No", LOG(0.8)), (" Yes", LOG(0.2))]], 0.2),
        ([[("\n\n", 0.0)], [("Yes", 0.0)]], 1.0),
        ([[("No", 0.0), ("Yes", -math.inf)]], 0.0),
        # half of the mass, and a hair less
        ([[("Yes", LOG(0.25)), ("No", LOG(0.25)), ("The", LOG(0.5))]], 0.5),
        ([[("Yes", LOG(0.24)), ("No", LOG(0.25)), ("The", LOG(0.51))], [("Yes", 0.0)]], None),
        ([[("<think>", -0.01)], [("Yes", 0.0)]], None),
        ([[("They", -0.1)], [("Yes", 0.0)]], None),
        ([[("**", 0.0)]], None),
        ([[]], None),
        ([], None),
        ([[("Yes", math.nan), ("No", -1.0)]], None),
        ([[("Yes", 5.0), ("No", -1.0)]], None),
        ([[("Yes", 1e308)]], None),
    ],
)  # fmt: skip
def test_the_soft_vote(logprobs: list[list[tuple[str, float]]], probability: float | None) -> None:
    assert PROMPTS["vote-1"].probability(logprobs) == (None if probability is None else pytest.approx(probability))
