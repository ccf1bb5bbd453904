"""What answers say: a table of them, by kind, with what a colleague would write down."""

from __future__ import annotations

import math
import time
from pathlib import Path
from string import ascii_uppercase

import pytest

from dxmatch.votes.prompts import replies
from dxmatch.votes.prompts.prompt import RELATIONS, SEVERITIES
from dxmatch.votes.prompts.replies import Kind, class_of, letters_of, number_of, read, share, verdict_of

from ..case_table import rows_of

ASKED = ("heart attack", "myocardial infarction")
NAMES = ["Angina", "Angina pectoris, unspecified", "Zoster [herpes zoster]", "Angina NOS"]
KINDS: dict[str, tuple[Kind, int]] = {
    "vote": (verdict_of("yes|да", "no|нет"), 1), "pick": (number_of([f"I2{n} name" for n in range(15)]), 15), "named": (number_of(NAMES), 4),
    "relation": (class_of(RELATIONS), 5), "severity": (class_of(SEVERITIES), 5), "judge": (replies.INCLUDED, 1), "check": (replies.RIGHT, 1),
}  # fmt: skip
ROWS = rows_of(Path(__file__).parent / "replies.csv")


@pytest.mark.parametrize("kind", [*KINDS, "choice"])
def test_a_table_of_answers(kind: str) -> None:
    rows = [row for row in ROWS if row["kind"] == kind]
    assert len(rows) > 5
    for row in rows:
        if kind == "choice":
            places = letters_of(row["reply"], "ABCDE"[: 5 if row["said"] == "ABC" else 4])
            assert "".join(ascii_uppercase[place] for place in places or ()) == row["said"], row
            continue
        found = read(row["reply"], KINDS[kind][0], *ASKED)
        assert (found.reason or str(found.value)) == row["said"], row
        if found.reason is None:
            assert (found.basis, str(found.place or "")) == (row["basis"], row["place"]), row


def test_an_option_in_full_and_letters_beyond_the_options() -> None:
    assert letters_of("Myocardial Infarction.", ["angina", "myocardial infarction", "asthma"]) == (1,)
    assert letters_of("**B. asthma**", ["COPD", "asthma", "croup", "cold"]) == (1,)
    assert letters_of("C. difficile infection", ["a", "b", "colitis", "d"]) is None
    assert letters_of("以上都是。", ["肝炎", "肝硬化", "以上都是"]) == (2,)
    assert letters_of("以上都是", ["肝炎", "肝硬化", "肝癌"]) is None
    assert letters_of("Asthma", ["asthma", "Asthma"]) is None
    assert letters_of("Answer: D", "wxyz") == (3,) and letters_of("Answer: D", "xyz") is None


def test_the_length_of_an_answer_is_that_after_its_thoughts() -> None:
    assert read(f"<think>{'hm ' * 30_000}</think>Yes", KINDS["vote"][0]).value == 1
    assert read("Yes." + " " * 10_000, KINDS["vote"][0]).reason == "too long"
    assert read("Yes" * 400_000, KINDS["vote"][0]).reason == "too long"


@pytest.mark.parametrize("piece", [
    "*", "answer:", "Yes ", "<think>", "\n", "a\n", "1, ", "Yes\n", "Answer", "—", "{", '{"a":[', "answer ", "answer:(", "answer is ", "A, ", "\\a",
    "answer: a)", "answer is\n", "option ", "\\boxed{", "A ", "Included\n", "</think>",
])  # fmt: skip
def test_no_text_takes_long_to_read(piece: str) -> None:
    start = time.process_time()
    for kind, _ in KINDS.values():
        read((piece * 10_000)[:10_000], kind, *ASKED)
    letters_of("answer:" + piece * 5_000, "wxyz"), letters_of(piece * 5_000, "wxyz")
    assert time.process_time() - start < 2


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
        ([[("**", 0.0)]], None), ([[]], None), ([], None), ([[("Yes", math.nan), ("No", -1.0)]], None), ([[("Yes", 5.0), ("No", -1.0)]], None),
    ],
)  # fmt: skip
def test_the_soft_vote(logprobs: list[list[tuple[str, float]]], probability: float | None) -> None:
    found = share(logprobs, ("yes", "да"), ("no", "нет"))
    assert found == (None if probability is None else pytest.approx(probability))
