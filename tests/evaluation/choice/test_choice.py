"""Multiple choice: questions and answers read, scored by question, asked of a server, read again by a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dxmatch
from dxmatch.errors import InputError, OptionError

from ..made import find, rows_in, told

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


def chosen(report: Any) -> list[Any]:
    return [row["chosen"] for row in report.rows_of("choice.answers")]


def test_mean_and_deviation_by_question_by_hand() -> None:
    """Questions 2/3 and 1/2: mean 7/12; deviations sqrt(2)/3 and 1/2."""
    report = dxmatch.choice([ONE, SEVERAL], ANSWERS)
    assert figure(report, "Acc_choice") == pytest.approx(7 / 12)
    assert figure(report, "sd_choice") == pytest.approx((2**0.5 / 3 + 1 / 2) / 2)
    assert (figure(report, "all_right"), figure(report, "any_right")) == (0, 1)
    assert "1 of 5 answers name no option that can be read" in told(report)
    assert chosen(report) == ["B", None, "B", "AB", "B"]


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
    assert chosen(report) == list("ABC"[: len(options)])


def test_two_models_are_compared_in_the_questions_of_both() -> None:
    answers = [{**answer, "model": "b"} for answer in ANSWERS]
    report = dxmatch.choice([ONE, SEVERAL], [*answers, {"question_id": "1", "response": "B", "model": "a", "shift": 0}])
    assert "ithout a list, of 2 cases: a 1." in told(report)
    assert {row["n_cases"] for row in report.difference_rows} == {1}
    spread = report.board.columns[1]
    assert (spread.label, spread.best) == ("sd_choice", ("a",)), "where less is better the lowest leads"


@pytest.mark.parametrize("row", rows_in("choice/refused"), ids=lambda row: row["options"])
def test_what_is_refused(row: dict[str, str]) -> None:
    """refused.csv: options, and questions or answers -> the option or cell that is named, and what is allowed."""
    with pytest.raises((OptionError, InputError), match=row["names"]):
        dxmatch.choice(**{"questions": [{**ONE, "topic": "body"}], "answers": ANSWERS[:1]} | json.loads(row["options"]))


def test_what_models_would_be_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """min(4, 4 - 1) + min(4, 3 - 1) = 5 questions, each in its language; of all orders, one more of each."""
    monkeypatch.chdir(tmp_path)
    Path("endpoints.toml").write_text('[endpoint.lab]\nurl = "http://127.0.0.1:9/v1"\n')
    several = {**ONE, "question": "Which are veins?", "answer": "BC"}
    for shifts, planned in ((None, [3, 2, 3]), ("all", [4, 3, 4])):
        asking = {"endpoints": "endpoints.toml", "dry_run": True}
        plan = dxmatch.choice([ONE, SEVERAL, several], models="lab:m", shifts=shifts, asking=asking)
        assert [one.wanted for one in plan] == planned
        assert [one.job.prompt.version for one in plan] == ["choice-one-1", "choice-zh-1", "choice-several-1"]
