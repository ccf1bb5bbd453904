"""Multiple choice: questions and answers read, scored by question, asked of a server, read again by a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dxmatch
from dxmatch.errors import InputError, OptionError

from ..made import find, rows_in

ONE = {"question": "Which is a vein?", "options": "A. aorta B. portal vein C. carotid D. none", "answer": "B"}
SEVERAL = {
    "question": "哪些是肝炎病毒?",
    "options": "A.甲型B.乙型C.感冒",
    "answer": "AB",
    "answer_format": "MultipleChoice",
}
# shifted by 1 the vein is C, by 2 D, by 3 A; the viruses are BC, by 2 AC
ANSWERS = [
    {"question_id": "1", "shift": 1, "response": "Answer: C"}, {"question_id": "1", "shift": 2, "response": "I do not know"},
    {"question_id": "1", "shift": 3, "response": "Answer: A"}, {"question_id": "2", "shift": 1, "response": "答案：ＢC"},
    {"question_id": "2", "shift": 2, "response": "Answer: A"},
]  # fmt: skip


def figure(report: Any, metric: str) -> Any:
    return find(report.rows, metric=metric)["value"]


def told(report: Any) -> str:
    return "\n".join(one.sentence for one in report.findings)


def test_mean_and_deviation_by_question_by_hand() -> None:
    """Questions 2/3 and 1/2: mean 7/12; deviations sqrt(2)/3 and 1/2."""
    report = dxmatch.choice([ONE, SEVERAL], ANSWERS)
    assert figure(report, "Acc_choice") == pytest.approx(7 / 12)
    assert figure(report, "sd_choice") == pytest.approx((2**0.5 / 3 + 1 / 2) / 2)
    assert (figure(report, "all_right"), figure(report, "any_right")) == (0, 1)
    assert "1 of 5 answers name no option that can be read" in told(report)
    assert [row["chosen"] for row in report.rows_of("choice.answers")] == ["B", None, "B", "AB", "B"]


@pytest.mark.parametrize("case", rows_in("choice/options"), ids=lambda case: case["given"])
def test_options(case: dict[str, str]) -> None:
    """The right option is the last, so that all of them were read."""
    given, options = json.loads(case["given"]), json.loads(case["options"])
    question = {"question": "Which?", "options": given, "answer": "ABC"[len(options) - 1 :][:1] or "A"}
    if len(options) < 2:
        with pytest.raises(InputError, match="row 0, column 'options': fewer than two options"):
            dxmatch.choice([question], [{"question_id": "1", "response": "A"}])
        return
    report = dxmatch.choice([question], [{"question_id": "1", "response": option} for option in options])
    assert [row["chosen"] for row in report.rows_of("choice.answers")] == list("ABC"[: len(options)])


@pytest.mark.parametrize(("questions", "answers", "names"), [
    ([ONE, {**ONE, "answer": "E"}], ANSWERS[:1], "row 1, column 'answer'"),
    ([{**ONE, "question": " "}], ANSWERS[:1], "row 0, column 'question'"),
    ([{"question": "x", "answer": "A"}], ANSWERS[:1], "'options'"),
    ([ONE], None, "no answer to any question"),
    ([{**ONE, "id": "a"}, {**ONE, "id": "a"}], [], "row 1, column 'id'.*'a'"),
    ([ONE], [*ANSWERS[:1], {"question_id": "7", "shift": 1, "response": "A"}], "row 1, column 'question_id'.*'7'"),
    ([ONE], [{"question_id": "1", "response": "A", "shift": 9}], "row 0, column 'shift'.*from 0 to 4"),
    ([ONE], [{"question_id": "1", "response": "A", "shift": "x"}], "row 0, column 'shift'"),
    ([ONE], [{"question_id": "1"}], "'response'"),
])  # fmt: skip
def test_bad_input(questions: Any, answers: Any, names: str) -> None:
    with pytest.raises(InputError, match=names):
        dxmatch.choice(questions, answers)


def test_two_models_are_compared_in_the_questions_of_both() -> None:
    answers = [{**answer, "model": "b"} for answer in ANSWERS]
    report = dxmatch.choice([ONE, SEVERAL], [*answers, {"question_id": "1", "response": "B", "model": "a", "shift": 0}])
    assert "ithout a list, of 2 cases: a 1." in told(report)
    assert {row["n_cases"] for row in report.difference_rows} == {1}


@pytest.mark.parametrize("row", rows_in("choice/refused"), ids=lambda row: row["options"])
def test_options_that_are_wrong(row: dict[str, str]) -> None:
    """refused.csv: options -> the option that is named, and what is allowed."""
    with pytest.raises((OptionError, InputError), match=row["names"]):
        dxmatch.choice([{**ONE, "topic": "body"}], ANSWERS[:1], **json.loads(row["options"]))


def test_models_are_asked_under_shifts_once(tmp_path: Path, loopback: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """min(4, 4 - 1) + min(4, 3 - 1) = 5 questions, each in its language; a second run asks none."""
    monkeypatch.chdir(tmp_path)
    Path("endpoints.toml").write_text(f'[endpoint.lab]\nurl = "{loopback.url}"\n')
    loopback.rules({"contains": "portal", "text": "Answer: C"}, {"text": "Hard to say."})

    def choice(*questions: Any, **asking: Any) -> Any:
        return dxmatch.choice([*questions], models="lab:m", asking={"endpoints": "endpoints.toml", **asking})

    for unknown in (1, 0):
        plan = choice(ONE, SEVERAL, dry_run=True)
        told_of = [(one.job.prompt.version, one.wanted, one.unknown) for one in plan]
        assert told_of == [("choice-one-1", 3, 3 * unknown), ("choice-zh-1", 2, 2 * unknown)]
        assert loopback.log()["calls"] == 5 * (not unknown)
        report = choice(ONE, SEVERAL)
        assert figure(report, "Acc_choice") == pytest.approx(1 / 6) and "2 of 5 answers" in told(report)
    sent = [request["body"]["messages"][0]["content"] for request in loopback.log()["requests"]]
    assert sum("Exactly one option is right" in text for text in sent) == 3
    assert sum("你是一位资深医生" in text for text in sent) == 2 and sum('"A": "none"' in text for text in sent) == 1
    (several,) = choice({**ONE, "question": "Which are veins?", "answer": "BC"}, dry_run=True)
    assert several.job.prompt.version == "choice-several-1"
