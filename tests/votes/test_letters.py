"""The letters that answers to multiple-choice questions give."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.votes.prompts.letters import letters_of


@pytest.mark.parametrize("text", [
    "Answer: B", "answer: b", "Answer: (B)", "Answer: (b).", "**Answer:** b.", "**Answer**: (B)", "**Answer: B**", "Answer: **B**", "Answer: `B`",
    "Answer: [B]", "Answer: $B$", "Answer: \\boxed{B}", "Answer = B", "Answer:\n\nB", "Answer:B", "Answer: B\n", "Final answer: B", "My answer: option B",
    "Answer is: B", "The answer is: b", "The answer is B", "The answer is B.", "The correct answer is (B).", "The answer is **B**", '{"answer": "B"}',
    "Answer: B) myocardial infarction", "Answer: B. Myocardial infarction", "Answer: B: infarction", "Answer: B - infarction", "Answer: B, since A is rare",
    "First A, then C come to mind.\nAnswer: B", "A is wrong. C is wrong. Answer: B", "Answer: B\n\nI repeat, the answer is B.",
    "<think>Answer: A</think>Answer: B", "Answer: A?\n</think>\nAnswer: B", "B", "b", "(B)", "B.", "**B**", " B \n", "Option B",
    "answer：B", "The correct option is B.", "The correct choice is B", "答案：B", "答案是B。", "Ａnswer：Ｂ", "正确答案为 B", "故选B", "选项B", "（B）", "Answer: B。",
    "\\boxed{\\text{B}}", "\\boxed{B}", "B) myocardial infarction", "B. Myocardial infarction", "B、心肌梗死", "The answer is B because it fits", "Ответ: B",
    "选B", "选 B", "选B。", "我认为选 B，因为患者有胸痛。", "答案选B", "应选 B", "应该选B", "所以选择 B", "综上所述，本题选B", "选B项", "答案是B选项", "首选B",
    '```json\n{"answer": ["B"]}\n```', "## Thinking\nAnswer: A\n\n## Final Response\n\nAnswer: B",
])  # fmt: skip
def test_one_letter(text):
    assert letters_of(text, 4) == (1,)


@pytest.mark.parametrize("text", [
    "Answer: ABC", "Answer: A, B, C", "Answer: A,B and C", "答案：ＡＢＣ", "答案：A、B、C", "Answer: A B C", "ABC", "A, B, C", "A、B、C", '{"answer": "ABC"}',
    '{"answer": ["A","B","C"]}', "\\boxed{A, B, C}", "Answer: A & B & C", "Answer: (A), (B) and (C)", "The correct options are A, B, and C.", "The answer is ABC.",
    " Answer: C, B, A", "**Answer: A, B, C**",
])  # fmt: skip
def test_several_letters(text):
    assert letters_of(text, 5) == (0, 1, 2)


@pytest.mark.parametrize("text", [
    "", " ", "Answer:", "Answer: both", "Answer: none of them", "Answer: E", "Answer: Z", "Answer: 2", "Answer: B\nAnswer: C", "Answer: B/C", "Answer: A or (B)",
    "Answer: (A) or (B)", "Answer: a stroke", "The answer is a stroke", "The answer is A fib", "the answer is c", "E. coli infection", "I would say B",
    "I think it is a stroke", "Answers vary: B", "<think>Answer: B</think>", "The patient has vitamin B deficiency", "A. x\nB. y\nC. z", "C. difficile infection",
    "不选B", "不应选 B", "不能选B", "不应该选B", "可选B", "选B或C", "选A。\n选B。", "以上都是", "选以上都是", "选择题B卷", "Answer: A or B", "I considered option B and option C", "选择B或C", "I cannot answer this question.",
])  # fmt: skip
def test_no_letter(text):
    assert letters_of(text, 4) is None


def test_an_option_in_full_and_letters_beyond_the_options():
    assert letters_of("Myocardial Infarction.", 3, ["angina", "myocardial infarction", "asthma"]) == (1,)
    assert letters_of("以上都是。", 3, ["肝炎", "肝硬化", "以上都是"]) == (2,)
    assert letters_of("以上都是", 3, ["肝炎", "肝硬化", "肝癌"]) is None
    assert letters_of("Asthma", 2, ["asthma", "Asthma"]) is None
    assert letters_of("Answer: D", 4) == (3,) and letters_of("Answer: D", 3) is None


@settings(deadline=None, max_examples=200)
@given(st.text() | st.text("Answer: is(ABCDor)*\n.,{}\\"))
def test_any_text_gives_places_or_none(text):
    found = letters_of(text, 4)
    assert found is None or (found == tuple(sorted(set(found))) and set(found) <= {0, 1, 2, 3} and found)


@pytest.mark.parametrize(
    "piece",
    [
        "answer ",
        "Answer: ",
        "answer:(",
        "answer is ",
        "*",
        " ",
        "A, ",
        "\\a",
        "answer: a)",
        "answer is\n",
        "option ",
        "{",
        "\\boxed{",
        "A ",
    ],
)
def test_no_text_takes_long(piece):
    start = time.process_time()
    letters_of("answer:" + piece * 5_000, 4)
    letters_of(piece * 5_000, 4)
    assert time.process_time() - start < 0.5


def test_blank_lines_take_no_more_time_than_their_number() -> None:
    began = time.thread_time()
    assert letters_of("\n" * 99_000 + "B) gout", 4) == (1,)
    assert time.thread_time() - began < 2
