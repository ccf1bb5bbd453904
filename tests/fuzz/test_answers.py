"""What language models reply, read: never raises, no verdict out of its set, a contradiction is no verdict, no more time than the length asks for."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from dxmatch.evaluation.read.raw_answers import ranked_diagnoses
from dxmatch.votes.prompts.files import PROMPTS
from dxmatch.votes.prompts.prompt import Prompt, check_text, packed
from dxmatch.votes.prompts.questions import REASONS, ModelConfig, Question
from dxmatch.votes.prompts.replies import letters_of

from .hostile import assert_quick, examples

MOST_SECONDS = 2.0
"""Of processor time for 100,000 characters."""
LONGEST = 100_000

_PIECES = (
    "Yes", "No", "yes", "no", "YES.", "Not included", "included", "correct", "incorrect", "3", "0", "1", "10", "-1", "1e9", "A", "B and C", "AC",
    "Answer: ", "**Answer:** ", "Final answer: ", "verdict: ", "ответ: ", "答案：", "да", "нет", "是", "否", "<think>", "</think>", "<|im_end|>",
    "</data>", "```json\n", "```", '{"answer": "', '"}', '{"verdict": ', '"basis": ', '"diagnoses": [', "{", "}", "[", "]", '"', "'", ",", ": ", "null",
    "NaN", "true", "\\", "\\u", "\\ud800", "\\boxed{", "\\text{", "$", "1. ", "2. ", "- ", "* ", "# ", "| ", "|---|", "**", "__", "_", "\n", "\n\n", "\t", "\0",
    "gout", "STEMI", "Systemic lupus erythematosus (SLE)", "ruled out", "Most likely: ", "Differential diagnosis:", "because ", "(20%)", "<answer>", "</answer>",
    "heart attack", "acute MI", "?", "!", " or ", " and ", "I am sorry", "As an AI", "诊断", "диагноз", "\ud800", "\u202e", "\u200b", "１", "Ａ", "①",
)  # fmt: skip
piece = st.one_of(st.sampled_from(_PIECES), st.sampled_from(_PIECES), st.text(st.characters(), max_size=5))
_value = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | piece, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(piece, inner, max_size=4), max_leaves=8)  # fmt: skip
_key = st.sampled_from(("answer", "verdict", "basis", "place", "diagnosis", "diagnoses", "final_diagnosis", "differential", "rank", "name", "candidate", "choice"))  # fmt: skip
_json = st.dictionaries(_key | piece, _value, max_size=4).map(json.dumps)
_halved = st.tuples(_json, st.integers(0, 200)).map(lambda made: made[0][: made[1]])
reply = st.lists(piece | _json | _halved, max_size=12).map("".join)
long = st.tuples(st.lists(piece, min_size=1, max_size=4).map("".join), piece).map(
    lambda made: ((made[0] or "a") * LONGEST)[: LONGEST - len(made[1])] + made[1]
)

_CANDIDATES = json.dumps([["I21", "Acute myocardial infarction"], ["I20", "Angina pectoris"], ["R07", "Chest pain"]])
_OPTIONS = packed(["gout", "STEMI", "sepsis", "asthma"])
_SECONDS = {
    "pick": _CANDIDATES, "severity": "", "diagnosis": "3", "choice": _OPTIONS, "choice-reading": _OPTIONS,
    "check": check_text("1. angina", 0, "only its cause"),
}  # fmt: skip
_LARGEST = {"relation": 5, "severity": 5, "pick": 3, "choice": 15, "choice-reading": 15}
"""Verdicts begin at 0 for a yes or no, and at 1 for a number or a class."""
_APART = {
    **dict.fromkeys(("vote", "observation", "rationale"), ("Yes.", "No.")),
    "check": ('{"verdict": "correct"}', '{"verdict": "incorrect"}'),
    "judge": ('{"verdict": "included"}', '{"verdict": "not included"}'),
    **dict.fromkeys(("relation", "severity", "pick"), ("1", "3")),
}
"""Two answers of which one at most can be meant."""


def read_by_all(text: str) -> Iterator[tuple[Prompt, int | None, str | None]]:
    """What every built-in prompt reads in it."""
    for version, prompt in PROMPTS.items():
        question = Question(ModelConfig("m", version), "heart attack", _SECONDS.get(prompt.kind, "acute MI"))
        yield prompt, *prompt.reply(text, question)[:2]


@examples()
@given(reply)
def test_a_verdict_is_one_of_its_kind_or_there_is_a_reason(text: str) -> None:
    listed = ranked_diagnoses(text)
    assert listed is None or all(isinstance(name, str) and name.strip() for name in listed), listed
    places = letters_of(text, ("gout", "STEMI", "sepsis", "asthma"))
    assert places is None or (places and list(places) == sorted({*places} & {*range(4)})), places
    for prompt, verdict, reason in read_by_all(text):
        most = _LARGEST.get(prompt.kind, 1)
        assert verdict in (None, *range(most > 1, most + 1)), (prompt.version, verdict)
        assert (verdict is None) == (reason in REASONS), (prompt.version, verdict, reason)


@examples(20)
@given(reply)
def test_a_contradiction_is_no_verdict(text: str) -> None:
    """A later line that says the other is no verdict, unless one of the two stands in a thought, finished or not."""
    if "think>" in text:
        return
    for said in {*_APART.values()}:
        for first, other in (said, said[::-1]):
            for prompt, verdict, _ in read_by_all(f"{first}\n{text}\n{other}"):
                assert _APART.get(prompt.kind) != said or verdict is None, (prompt.version, first, text, other)


@examples(20)
@given(long)
def test_no_reply_is_slow_to_read(text: str) -> None:
    calls = {
        "ranked": lambda: ranked_diagnoses(text),
        "letters": lambda: letters_of(text, "ABCD"),
        "prompts": lambda: list(read_by_all(text[:10_000])),
    }
    assert_quick(calls, MOST_SECONDS, len(text))
