"""`dxmatch choice`: questions and answers read, scored by question, asked of a server, read again by a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import dxmatch
from dxmatch.cli.main import app
from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.choice.questions import options_of, read_questions
from dxmatch.evaluation.choice.result import ALL, MEAN_OF_SUBSETS
from dxmatch.votes.prompts.choice_prompts import fitting

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


def figure(found: Any, metric: str, **where: Any) -> Any:
    (row,) = [row for row in found.rows if row["metric"] == metric and where.items() <= row.items()]
    return row["value"]


def test_mean_and_deviation_by_question_by_hand() -> None:
    """Questions 2/3 and 1/2: mean 7/12; deviations sqrt(2)/3 and 1/2."""
    found = dxmatch.choice([ONE, SEVERAL], ANSWERS)
    assert figure(found, "choice_accuracy") == pytest.approx(7 / 12)
    assert figure(found, "choice_spread") == pytest.approx((2**0.5 / 3 + 1 / 2) / 2)
    assert (figure(found, "choice_all_right"), figure(found, "choice_any_right")) == (0, 1)
    assert found.lines()[0].startswith(
        "1 of 5 answers name no option that can be read, and count as wrong (such as 'I do not know')"
    )
    assert [row["chosen"] for row in found.per_answer.to_pylist()] == ["B", None, "B", "AB", "B"]


def test_subsets_and_their_averages() -> None:
    """ClinBench-HPB's Avg_q weights by questions: GPT-4o's printed .594 of 2,000 and .889 of 1,535 give .722."""
    questions = [{**ONE, "id": f"c{i}", "subset": "cn"} for i in range(3)] + [{**ONE, "id": "e", "subset": "en"}]
    answers = [
        {"question_id": one["id"], "shift": by, "response": letter if one["id"] != "c0" else "A"}
        for one in questions
        for by, letter in ((1, "C"), (2, "D"), (3, "A"))
    ]
    found = dxmatch.choice(questions, answers, bootstrap=100)
    assert figure(found, "choice_accuracy", subset="cn") == pytest.approx((1 / 3 + 1 + 1) / 3)
    assert figure(found, "choice_accuracy", subset="en") == 1
    assert figure(found, "choice_accuracy", subset=ALL) == pytest.approx((1 / 3 + 3) / 4)
    assert figure(found, "choice_accuracy", subset=MEAN_OF_SUBSETS) == pytest.approx((7 / 9 + 1) / 2)
    assert pytest.approx(0.722, abs=5e-4) == (2_000 * 0.594 + 1_535 * 0.889) / 3_535


@pytest.mark.parametrize(("given", "options"), [
    ("A. aorta B. portal vein C. carotid", ["aorta", "portal vein", "carotid"]),
    ("A. Hepatitis virus type B\n B. hepatitis C\n C. both", ["Hepatitis virus type B", "hepatitis C", "both"]),
    ("A.甲B.乙C.丙", ["甲", "乙", "丙"]), ("Ａ．甲　Ｂ．乙", ["甲", "乙"]), ("A) x B) y", ["x", "y"]),
    (["x", "y"], ["x", "y"]), (["A. x", "B. y"], ["x", "y"]), ({"A": "x", "B": "y", "C": None}, ["x", "y"]), ('{"A": "x", "B": "y"}', ["x", "y"]),
    ({"B": "y", "A": "x"}, []), ("x, y", []), ("", []), (None, []), ("A. B. y", []),
])  # fmt: skip
def test_options(given: Any, options: list[str]) -> None:
    assert options_of(given) == options


def test_a_folder_of_files_and_a_table_with_columns(tmp_path: Path) -> None:
    (tmp_path / "cnqa.json").write_text(json.dumps([SEVERAL]))
    (tmp_path / "enqa.json").write_text(json.dumps([ONE, {**ONE, "disease_info": "Of vessels."}]))
    found = read_questions(tmp_path)
    assert [(one.name, one.subset, one.right) for one in found] == [
        ("cnqa/1", "cnqa", (0, 1)),
        ("enqa/1", "enqa", (1,)),
        ("enqa/2", "enqa", (1,)),
    ]
    assert found[2].text == "Of vessels.\nWhich is a vein?"
    (tmp_path / "q.csv").write_text("question_id,question,A,B,C,answer\nx,Which?,one,two,,B\n")
    (one,) = read_questions(tmp_path / "q.csv")
    assert (one.name, one.options, one.right) == ("x", ("one", "two"), (1,))


@pytest.mark.parametrize(("questions", "answers", "problem"), [
    ([{**ONE, "options": "x"}], ANSWERS[:1], "fewer than two options"),
    ([{**ONE, "answer": "E"}], ANSWERS[:1], "no right answer among the options. Allowed: letters from A to D"),
    ([{**ONE, "question": " "}], ANSWERS[:1], "the question is blank"),
    ([{"question": "x", "answer": "A"}], ANSWERS[:1], "'options'"),
    ([{**ONE, "id": "a"}, {**ONE, "id": "a"}], [], "two questions of one name"),
    ([ONE], [{"question_id": "7", "response": "A"}], "an answer to a question that is not there"),
    ([ONE], [{"question_id": "1", "response": "A", "shift": 9}], "no shift of the options"),
    ([ONE], [{"question_id": "1", "response": "A", "shift": "x"}], "no shift of the options"),
    ([ONE], [{"question_id": "1"}], "'response'"),
    ([ONE], None, "no answer to any question"),
])  # fmt: skip
def test_bad_input(questions: Any, answers: Any, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        dxmatch.choice(questions, answers)
    assert problem in str(caught.value)


def test_what_is_missing_is_said_above() -> None:
    found = dxmatch.choice([ONE, SEVERAL], [{"question_id": "1", "response": "B", "model": "a"}])
    assert "a answered 1 of 2 questions: the other 1 are in none of its figures" in found.warnings[0]
    assert "fewer orders of the options" in found.warnings[1]
    with pytest.raises(OptionError, match="needs the option 'endpoints'"):
        dxmatch.choice([ONE], None, ask="lab:m")


@pytest.fixture
def endpoints(tmp_path: Path, loopback: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.json").write_text(json.dumps([ONE, SEVERAL]))
    (tmp_path / "endpoints.toml").write_text(f'[endpoint.lab]\nurl = "{loopback.url}"\n')
    return tmp_path / "endpoints.toml"


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["choice", *arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


def test_models_are_asked_under_shifts_once(endpoints: Path, loopback: Any) -> None:
    """min(4, 4 - 1) + min(4, 3 - 1) = 5 questions; a second run asks none."""
    loopback.rules({"contains": "portal", "text": "Answer: C"}, {"text": "Hard to say."})
    asked = ("q.json", "--ask", "lab:m", "--endpoints", str(endpoints))
    dry = run(*asked, "--dry-run")
    assert (
        "m: 5 questions, 0 known, 5 to ask." in dry and "Prompts: choice-one-1 for 1 question, choice-zh-1 for 1" in dry
    )
    assert loopback.log()["calls"] == 0
    told = run(*asked, "-o", "c.md", "-o", "c.csv", "--per-answer", "each.csv")
    assert loopback.log()["calls"] == 5
    assert "2 of 5 answers name no option" in told and "m, all: mean 0.167" in told
    sent = [request["body"]["messages"][0]["content"] for request in loopback.log()["requests"]]
    assert sum("Exactly one option is right" in text for text in sent) == 3, (
        "the English question, whatever stands beside it"
    )
    assert sum("你是一位资深医生" in text for text in sent) == 2, "the Chinese one"
    named = "Prompts: choice-one-1 for 1 question, choice-zh-1 for 1 question."
    assert named in told and named in Path("c.md").read_text()
    assert sum('"A": "none"' in text for text in sent) == 1, "shifted by one"
    assert "0.167" in Path("c.md").read_text() and "2 of 5" in Path("c.md").read_text()
    run(*asked)
    assert loopback.log()["calls"] == 5
    assert "m: 5 questions, 5 known, 0 to ask." in run(*asked, "--dry-run")


def test_a_model_reads_what_no_rule_reads(endpoints: Path, loopback: Any) -> None:
    loopback.rules({"contains": "the one in the belly", "text": "Answer: B"}, {"text": "Answer: none"})
    answers = [{"question_id": "1", "response": "the one in the belly"}, {"question_id": "2", "response": "no idea"}]
    found = dxmatch.choice("q.json", answers, ask_again="lab:reader", endpoints=endpoints)
    assert figure(found, "choice_accuracy") == 0.5
    assert found.warnings[0] == "2 of 2 answers were read by no rule; reader read 1 of them."
    assert "1 of 2 answers name no option that can be read" in found.warnings[1]


def test_a_prompt_file(endpoints: Path, loopback: Any) -> None:
    Path("mine.txt").write_text("{question}\n{options}\nLetters?")
    loopback.rules({"text": "B"})
    run(
        "q.json",
        "--ask",
        "lab:m",
        "--endpoints",
        str(endpoints),
        "--prompt",
        "mine.txt",
        "--full-circle",
        "--repeats",
        "2",
    )
    sent = [request["body"]["messages"][0]["content"] for request in loopback.log()["requests"]]
    assert len(sent) == (4 + 3) * 2
    assert '"Which is a vein?"\nA. "aorta"\nB. "portal vein"\nC. "carotid"\nD. "none"\nLetters?' in sent


@pytest.mark.parametrize(
    ("text", "options", "several", "name"),
    [
        ("Which is a vein?", ("aorta", "portal vein"), False, "choice-one"),
        ("Which are veins?", ("aorta", "portal vein"), True, "choice-several"),
        ("患者最可能的诊断是?", ("HBV", "HCV"), False, "choice-zh"),
        ("Which of these does 'shen' (肾) name in an older text?", ("kidney", "liver"), False, "choice-one"),
        ("診断はどれか", ("胃炎", "肝炎"), False, "choice-one"),
    ],
)
def test_the_prompt_that_fits_a_question(text: str, options: tuple[str, ...], several: bool, name: str) -> None:
    assert fitting(text, options, several) == name


def test_a_question_is_put_alike_whatever_stands_beside_it(endpoints: Path, loopback: Any) -> None:
    loopback.rules({"text": "Answer: B"})
    found = dxmatch.choice([ONE], ask="lab:m", endpoints=endpoints, dry_run=True)
    dxmatch.choice([ONE], ask="lab:m", endpoints=endpoints)
    assert found.made_with["prompts"] == {"choice-one-1": 1} and found.prompt_line == "Prompt: choice-one-1."
    both = dxmatch.choice(
        [ONE, {**ONE, "question": "Which are veins?", "answer": "BC"}], ask="lab:m", endpoints=endpoints, dry_run=True
    )
    assert both.plan == [("m", 6, 3)], "the first question is known"


def test_names_bring_no_markup_into_markdown() -> None:
    answers = [{**answer, "model": "<img src=x>|a\n# b"} for answer in ANSWERS]
    text = dxmatch.choice([{**ONE, "subset": "![x](y)"}, SEVERAL], answers).to_markdown()
    assert "| \\<img src=x\\>\\|a \\# b | \\!\\[x\\](y) |" in text
    assert not any(line.startswith("#") for line in text.splitlines())
