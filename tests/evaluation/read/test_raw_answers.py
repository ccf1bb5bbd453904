"""The ranked diagnoses in what a language model wrote."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.evaluation.read.raw_answers import ranked_diagnoses

from ..made import rows_in

CASES = [(row["answer"], json.loads(row["read"].replace("unread", "null"))) for row in rows_in("../cases/answers")]
"""An answer, and the list that is read from it; None where it is unread."""


@pytest.mark.parametrize(("text", "diagnoses"), CASES)
def test_what_is_read_from_an_answer(text: str, diagnoses: list[str] | None) -> None:
    assert ranked_diagnoses(text) == diagnoses


def test_what_stands_around_an_answer_changes_nothing() -> None:
    """Blanks, line ends of Windows, and thoughts before it."""
    for text, diagnoses in CASES:
        if "think>" in text or diagnoses == []:
            continue
        for around in (f"\n\n{text}\n ", f"<think>sepsis, or malaria</think>\n\n{text}", text.replace("\n", "\r\n")):
            assert ranked_diagnoses(around) == diagnoses, around


_NAME = st.sampled_from([
    "Flu", "Covid-19", "Crohn's disease", "Ménière disease", "MI", "грипп", "21-hydroxylase deficiency", "2:1 AV block", "1st degree AV block", "I21",
])  # fmt: skip


@settings(deadline=None)
@given(st.lists(_NAME, min_size=1, max_size=7))
def test_the_same_list_in_every_form(names: list[str]) -> None:
    numbered = "\n".join(f"{rank}. {name}" for rank, name in enumerate(names, 1))
    bold = "\n\n".join(f"**{rank}. {name}**\nwhy" for rank, name in enumerate(names, 1))
    bulleted = "\n".join(f"- {name}" for name in names)
    forms = [numbered, bold, bulleted, json.dumps(names), json.dumps({"diagnoses": names}), "\n".join(names)]
    assert [ranked_diagnoses(form) for form in forms] == [names] * len(forms)


def _alike(name: str, said: str) -> bool:
    """The same words, in whatever order; with or without what stands in brackets, which colleagues keep or leave out as they like."""

    def words(text: str) -> list[str]:
        return sorted(re.findall(r"\w+", text.casefold()))

    short, said_short = (re.sub(r"\([^()]*\)", "", text) for text in (name, said))
    return words(name) == words(said) or words(short) == words(said_short)


def test_answers_are_read_as_a_colleague_reads_them_or_not_at_all() -> None:
    """500 answers in ten styles, written before the rules that read them, with the list that a colleague would write down: repeats once.

    Of 100, 70 are read as by the colleague, or rightly left where the colleague writes none (null, or an empty list); no other is read.
    """
    path = Path(__file__).parents[2] / "cases" / "answers_and_colleagues.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    read = [(ranked_diagnoses(row["text"]), row["colleague"]) for row in rows]
    once = [([*dict.fromkeys(names)], said) for names, said in read if names is not None]
    alike = [said is not None and len(names) == len(said) and all(map(_alike, names, said)) for names, said in once]
    left = sum(names is None and not said for names, said in read)
    assert len(rows) == 500 and sum(alike) + left >= 360 and all(alike)
