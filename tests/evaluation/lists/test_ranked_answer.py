"""The ranked diagnoses in what a language model wrote."""

from __future__ import annotations

import csv
import json
import time
from importlib import resources

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dxmatch.evaluation.lists.ranked_answer import MAX_WORDS, ranked_diagnoses
from dxmatch.evaluation.lists.ranked_answer.headings import Kind, kind_of
from dxmatch.evaluation.lists.ranked_answer.line import names_of_line

from .answer_forms import FORMS


@pytest.mark.parametrize(
    ("text", "diagnoses"),
    [
        ("STEMI", ["STEMI"]),
        ("Diagnosis: STEMI.", ["STEMI"]),
        ("**Final answer:** STEMI", ["STEMI"]),
        ("The most likely diagnosis is acute myocardial infarction.", ["acute myocardial infarction"]),
        ("1. Flu\n2. Covid", ["Flu", "Covid"]),
        ("1.Flu\n2.Covid", ["Flu", "Covid"]),
        ("(1) Flu\n(2) Covid", ["Flu", "Covid"]),
        ("#1 Flu\n#2 Covid", ["Flu", "Covid"]),
        ("Rank 1: Flu\nRank 2: Covid", ["Flu", "Covid"]),
        ("1. Diagnosis: Flu\n2. Diagnosis: Covid", ["Flu", "Covid"]),
        ("- **Diagnosis 1:** Flu\n- **Diagnosis 2:** Covid", ["Flu", "Covid"]),
        ("- Flu\n- Covid", ["Flu", "Covid"]),
        ("• Flu\n• Covid", ["Flu", "Covid"]),
        ("Flu\nCovid", ["Flu", "Covid"]),
        ("Differential diagnosis: flu, covid, RSV", ["flu", "covid", "RSV"]),
        ("Differential diagnosis: anaemia, iron deficiency; covid", ["anaemia, iron deficiency", "covid"]),
        # JSON
        ('["Flu", "Covid"]', ["Flu", "Covid"]),
        ('Here it is:\n```json\n["Flu", "Covid"]\n```\nAsk if unsure.', ["Flu", "Covid"]),
        ('{"diagnosis": "Flu"}', ["Flu"]),
        ('{"reasoning": "fever", "differential": ["Flu", "Covid"]}', ["Flu", "Covid"]),
        ('[{"rank": 2, "diagnosis": "Covid"}, {"rank": 1, "diagnosis": "Flu"}]', ["Flu", "Covid"]),
        # what is said about a diagnosis is left out
        ("1. **STEMI** - raised troponin\n2. Pericarditis (20%)", ["STEMI", "Pericarditis"]),
        ("**1. Flu:** fever\n**2. Covid**", ["Flu", "Covid"]),
        ("### 1. Flu\nfever, cough\n### 2. Covid\nanosmia", ["Flu", "Covid"]),
        ("1. Pneumonia: fever and cough with rales\n   - sputum\n2. Asthma", ["Pneumonia", "Asthma"]),
        ("- Pneumonia\n  - fever\n  - cough\n- Asthma", ["Pneumonia", "Asthma"]),
        ("1. Diabetes mellitus - type 2\n2. Breast cancer: stage II", ["Diabetes mellitus - type 2", "Breast cancer: stage II"]),
        ("1. Flu, 60%\n2. Covid - 35 %", ["Flu", "Covid"]),
        ("<think>1. Covid? No.</think>\nFlu", ["Flu"]),
        # reasoning before the answer; a diagnosis named before its differential leads it, and the plan is no part of it
        ("1. Fever points to infection\n2. Rales\n\nFinal diagnosis: **Pneumonia**", ["Pneumonia"]),
        ("Findings:\n- fever\n- rales\n\n**Differential diagnosis**\n- Flu\n- Covid", ["Flu", "Covid"]),
        ("Most likely diagnosis: PE\n\nDifferential diagnoses:\n1. Pneumonia\n2. PE\n3. MI\n\nNext steps:\n1. CT\n2. ECG", ["PE", "Pneumonia", "MI"]),
        # nothing is named
        *((blank, []) for blank in ("", "  \n\t", "<think>Flu or Covid</think>\n", "[]")),
    ],
)  # fmt: skip
def test_the_diagnoses_in_an_answer(text: str, diagnoses: list[str]) -> None:
    assert ranked_diagnoses(text) == diagnoses


@pytest.mark.parametrize(("text", "diagnoses"), FORMS)
def test_the_names_in_what_models_write(text: str, diagnoses: list[str] | None) -> None:
    """No form gives a name that the answer does not give; a form that is not known gives None."""
    assert ranked_diagnoses(text) == diagnoses


_TRIGGERS = [
    row
    for row in csv.DictReader(
        (resources.files("dxmatch.terms.text") / "assertion_triggers_en.csv").read_text("utf-8").splitlines()
    )
    if "out" in row["words"].split() or "exclu" in row["words"]
]


@pytest.mark.parametrize("row", _TRIGGERS, ids=lambda row: f"{row['words']} ({row['position']})")
def test_what_is_ruled_out_is_what_the_match_function_takes_for_it(row: dict[str, str]) -> None:
    """ "Rule out gout" names gout as a suspicion, "gout ruled out" denies it, here as in the table of assertions."""
    entry = f"{row['words']} gout" if row["position"] == "before" else f"gout {row['words']}"
    assert ranked_diagnoses(f"1. flu\n2. {entry}") == ["flu", "gout"][: 1 + (row["status"] == "possible")]


def test_what_stands_around_an_answer_changes_nothing() -> None:
    """Blanks, line ends of Windows, and thoughts before it."""
    for text, diagnoses in FORMS:
        if "think>" in text or diagnoses == []:
            continue
        for around in (f"\n\n{text}\n ", f"<think>sepsis, or malaria</think>\n\n{text}", text.replace("\n", "\r\n")):
            assert ranked_diagnoses(around) == diagnoses, around


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Final Diagnosis", Kind.FINAL),
        ("**Most likely diagnosis:**", Kind.LEADING),
        ("Initial impression", Kind.EARLIER),
        ("Diagnosis", Kind.SINGLE),
        ("Top 5 differential diagnoses", Kind.SEVERAL),
        ("Possible diagnoses", Kind.SEVERAL),
        ("Less likely", Kind.OTHERS),
        ("Alternative diagnoses", Kind.OTHERS),
        ("Diagnoses ruled out", Kind.DENIED),
        ("Diagnostic tests", Kind.ELSEWHERE),
        ("Reasoning for the diagnosis", Kind.ELSEWHERE),
        ("Here you are", Kind.NEUTRAL),
        ("Common", Kind.UNKNOWN),
    ],
)
def test_what_a_heading_announces(heading: str, kind: Kind) -> None:
    assert kind_of(heading) == kind


def test_one_line_that_is_told_to_hold_several() -> None:
    assert names_of_line("pneumonia, sepsis") is None
    assert names_of_line("pneumonia, sepsis", several=True) == ["pneumonia", "sepsis"]
    assert names_of_line("pneumonia and type 2 diabetes", several=True) == ["pneumonia", "type 2 diabetes"]


@pytest.mark.parametrize("name", ["21-hydroxylase deficiency", "2:1 AV block", "1st degree AV block", "HIV-1", "I21"])
def test_names_with_numbers(name: str) -> None:
    assert ranked_diagnoses(name) == [name]
    assert ranked_diagnoses(f"1. {name}\n2. {name}") == [name, name]


@pytest.mark.parametrize(
    "text",
    [
        "The patient has been unwell for some time. " * 5,
        "1. " + "word " * (MAX_WORDS + 1),
        "Fever has been there for nine days, and the cough is dry and worse at night.\nIt may be the flu.",
        '["Flu", "Cov',
        "[1, 2]",
        "* * *",
        "…",
        "[[" * 50_000,
    ],
)
def test_what_cannot_be_read_is_none(text: str) -> None:
    assert ranked_diagnoses(text) is None


@pytest.mark.parametrize("piece", [" ", "diagnosis ", "**", "- ", "1. ", "[", "{", "`", "(", "%", "```\n", "\n"])
def test_no_answer_is_slow_to_read(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    start = time.process_time()
    for long in (text, f"Diagnosis{text}!", f'["a{text}b"]'.replace("\n", " "), f"1. Flu{text}\n2. Covid{text}!"):
        ranked_diagnoses(long)
    assert time.process_time() - start < 2


_NAME = st.sampled_from(["Flu", "Covid-19", "Crohn's disease", "Ménière disease", "anaemia", "MI", "грипп"])


@settings(deadline=None)
@given(st.lists(_NAME, min_size=1, max_size=7))
def test_the_same_list_in_every_form(names: list[str]) -> None:
    numbered = "\n".join(f"{rank}. {name}" for rank, name in enumerate(names, 1))
    bold = "\n\n".join(f"**{rank}. {name}**\nwhy" for rank, name in enumerate(names, 1))
    bulleted = "\n".join(f"- {name}" for name in names)
    forms = [numbered, bold, bulleted, json.dumps(names), json.dumps({"diagnoses": names}), "\n".join(names)]
    assert [ranked_diagnoses(form) for form in forms] == [names] * len(forms)


@settings(deadline=None)
@given(st.text(alphabet="ab1.)-*# \n:[]{}\"',|", max_size=200) | st.text(max_size=200))
@example("{[]}")
@example("[{[]}]")
def test_any_text_is_read_or_refused(text: str) -> None:
    names = ranked_diagnoses(text)
    assert names is None or all(name == name.strip() and any(map(str.isalpha, name)) for name in names)


@pytest.mark.parametrize("text", ["<think>" * 14_000, "<answer>" * 12_000 + "</li>", "\n" * 99_000])
def test_tags_without_an_end_take_no_more_time_than_their_number(text: str) -> None:
    began = time.thread_time()
    ranked_diagnoses(text)
    assert time.thread_time() - began < 2


def test_an_end_is_of_the_nearest_tag_of_its_name() -> None:
    assert ranked_diagnoses("<think><reasoning>flu</THINK>gout</reasoning>") == ranked_diagnoses("gout</reasoning>")
    assert ranked_diagnoses("<reasoning>a</reasoning>\n1. gout\n<analysis>b</analysis>\n2. sepsis") == [
        "gout",
        "sepsis",
    ]
    assert ranked_diagnoses("<answer>flu</answer> <answer>gout</answer> <answer>") == ["gout"]


@pytest.mark.parametrize("key", ["\u2460", "\u00b2", "1" * 5000])
def test_digits_that_are_no_number(key: str) -> None:
    for answer in ({"answer": {key: None}}, {f"diagnosis {key}": "gout"}, {"rank": key, "diagnosis": "gout"}):
        ranked_diagnoses(json.dumps(answer))
    ranked_diagnoses(json.dumps([{"rank": key, "name": "gout"}, {"rank": "1", "name": "flu"}]))
