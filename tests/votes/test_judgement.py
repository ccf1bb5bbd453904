"""What a judge and a check say, in the forms in which models say it: a verdict with its basis, or why there is none."""

from __future__ import annotations

import json

import pytest

from dxmatch.votes.prompts.judgement import INCLUDED, RIGHT, Judgement
from dxmatch.votes.prompts.questions import ModelConfig, Question
from dxmatch.votes.prompts.versions import PROMPTS

BASIS = "It says 'gout', which is the same."


@pytest.mark.parametrize(
    ("text", "verdict", "basis", "place"),
    [
        (json.dumps({"verdict": "included", "basis": BASIS, "place": 2}), 1, BASIS, 2),
        (json.dumps({"verdict": "Not included.", "basis": BASIS, "place": None}), 0, BASIS, None),
        (json.dumps({"verdict": "included", "basis": BASIS, "place": "3"}), 1, BASIS, 3),
        (json.dumps({"included": False, "reason": BASIS}), 0, BASIS, None),
        (json.dumps({"included": "yes", "explanation": BASIS, "place": 0}), 1, BASIS, None),
        # as ClinBench-HPB asks for it and prints it
        (json.dumps({"Included": BASIS}), 1, BASIS, None),
        (json.dumps({"Includes": BASIS}), 1, BASIS, None),
        (json.dumps({"Does not include": BASIS}), 0, BASIS, None),
        (json.dumps({"Does not included": BASIS}), 0, BASIS, None),
        (json.dumps({"不包含": BASIS}, ensure_ascii=False), 0, BASIS, None),
        (json.dumps({"包含": BASIS}, ensure_ascii=False), 1, BASIS, None),
        (json.dumps({"Не включает": BASIS}, ensure_ascii=False), 0, BASIS, None),
        (f"**Included.** {BASIS}", 1, BASIS, None),
        (f"Not included: {BASIS}", 0, BASIS, None),
        (f"Does not include. {BASIS}", 0, BASIS, None),
        (f"Verdict: not included\n{BASIS}", 0, BASIS, None),
        (f"Включает. {BASIS}", 1, BASIS, None),
        ("```json\n" + json.dumps({"verdict": "included", "basis": BASIS}, indent=1) + "\n```", 1, BASIS, None),
        ("Here it is:\n" + json.dumps({"verdict": "included", "basis": BASIS}), 1, BASIS, None),
        ("<think>Not included? No, it is.</think>\n" + json.dumps({"verdict": "included", "basis": BASIS}), 1, BASIS, None),
        # a line feed within a JSON string, and an answer cut at its limit of tokens
        ('{"verdict": "included", "basis": "It says\n\'gout\'"}', 1, "It says\n'gout'", None),
        ('{"verdict": "not included", "basis": "It says', 0, "It says", None),
        (f"Not included.\nBasis: {BASIS}", 0, BASIS, None),
        ("1", 1, "", None), ("0", 0, "", None), ("Yes", 1, "", None), ("no.", 0, "", None),
    ],
)  # fmt: skip
def test_a_judge(text: str, verdict: int, basis: str, place: int | None) -> None:
    assert INCLUDED.read(text) == Judgement(verdict, basis, place)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (json.dumps({"verdict": "correct", "basis": BASIS}), 1), (json.dumps({"verdict": "incorrect", "basis": BASIS}), 0),
        (json.dumps({"correct": False, "basis": BASIS}), 0), (json.dumps({"Incorrect": BASIS}), 0),
        (f"Correct. {BASIS}", 1), (f"**Incorrect.** {BASIS}", 0), (f"Not correct: {BASIS}", 0), (f"正确。{BASIS}", 1), (f"错误。{BASIS}", 0),
        (f"Неверно. {BASIS}", 0), (f"Верно. {BASIS}", 1),
    ],
)  # fmt: skip
def test_a_check(text: str, verdict: int) -> None:
    assert RIGHT.read(text)[:2] == (verdict, BASIS)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("<think>hm</think>", "empty"),
        ("I'm sorry, I cannot judge this.", "refusal"),
        ("The answer speaks of gout.", "unclear"),
        ("{}", "unclear"),
        (json.dumps({"verdict": "perhaps"}), "unclear"),
        (json.dumps({"basis": BASIS}), "unclear"),
        (json.dumps({"Included": BASIS, "Not included": BASIS}), "contradictory"),
        (json.dumps({"verdict": "included", "result": "not included"}), "contradictory"),
        ("Included. It is there.\nNot included. It is not.", "contradictory"),
        *[
            (f"{first}{between}{other}", "contradictory")
            for between in ("\n", " ", "\n```\nThat is wrong.\n")
            for first, other in (
                ('{"verdict": "included"}', '{"verdict": "not included"}'),
                ('{"verdict": "not included"}', '{"basis": "x", "verdict": "included"}'),
            )
        ],
        ('{"verdict": "included"}\nNot included.', "contradictory"),
        # the question's own data, given back
        (json.dumps({"reference": "gout", "answer": "yes"}), "unclear"),
        ("Included " * 20_000, "too long"),
    ],
)
def test_no_verdict(text: str, reason: str) -> None:
    found = INCLUDED.read(text)
    assert (found.verdict, found.reason) == (None, reason)


@pytest.mark.parametrize("text", ["Not included in any class of anemia", "Yes they are all well"])
def test_an_answer_that_is_given_back_is_no_verdict(text: str) -> None:
    question = Question(ModelConfig("m", "judge-2"), "anemia", text)
    assert PROMPTS["judge-2"].read(f"{text}, it says", question) == (None, "unclear")
