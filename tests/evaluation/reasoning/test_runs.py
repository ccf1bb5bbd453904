"""Runs of reasoning side by side: differences, annotations of their own, a judge, people, findings and the page."""

from __future__ import annotations

import json

import pytest

import dxmatch
from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.reasoning import evaluate

from ...chromium import CHROMIUM, tab
from ..made import find, rows_in
from .made import Says, compared, told, written

LABELS = """run,note,observation,predicted,label_ann,label_bob,label_cy,rationale_label
run,Gout/toe.json,red big toe,swollen <b>toe</b>,1,yes,0,0
run,Gout/toe.json,uric acid 9.1,fever,1,1,true,
run,Gout/toe.json,uric  acid 9.1,joint fluid with crystals,0,0,1,0
run,Asthma/night.json,wheeze,Wheeze,1,0,,1
perfect,Asthma/night.json,wheeze,third stay this year,0,no,0,
"""


@pytest.fixture
def both(tmp_path):
    """The report of two runs; options as of `compared`."""

    def run(**options):
        return compared(tmp_path, **{"runs": [tmp_path / "run", tmp_path / "perfect"]} | options)

    return run


def test_missing_notes_are_no_part_of_a_difference(both):
    report = both(missing="own")
    assert {row["n_cases"] for row in report.difference_rows if row["name"] in ("Acc_diag", "Exp_all")} == {2}
    assert "n = 2" in report.to_markdown()


@pytest.mark.parametrize("row", rows_in("reasoning/refused"), ids=lambda row: row["options"])
def test_options_that_are_wrong(tmp_path, row):
    """refused.csv: options -> the option that is named, and what is allowed."""
    with pytest.raises(OptionError, match=row["names"]):
        compared(tmp_path, **json.loads(row["options"]))


# The judge, and people


def test_what_the_judge_does_not_answer(tmp_path):
    report = compared(tmp_path, judge=Says(lambda kind, a, b: "Maybe" if b == "fever" else "No"))
    assert "No verdict of m on 4 pairs of observations: they count as not alike." in told(report)
    with pytest.raises(InputError, match=r"m gave no verdict on any of 18 pairs of observations \(not answered\)"):
        compared(tmp_path, judge=Says(lambda kind, a, b: None))


def test_agreement_with_people(both, tmp_path):
    written(tmp_path, {"l.csv": LABELS})
    report = both(human=tmp_path / "l.csv", judge=Says(lambda kind, a, b: "Yes"), resampling={"resamples": 200})
    rows = report.rows_of("human.agreement")
    # M: yes, no, no, (divided: out), no; people: yes, yes, no, no
    by_chance = 1 / 4 * 2 / 4 + 3 / 4 * 2 / 4
    kappa = (3 / 4 - by_chance) / (1 - by_chance)
    of_m = {"question": "observation", "who": "M", "against": "majority"}
    for metric, value in {"accuracy": 3 / 4, "precision": 1, "recall": 1 / 2, "kappa": kappa}.items():
        assert find(rows, metric=metric, **of_m)["value"] == pytest.approx(value)
    row = find(rows, metric="accuracy", **of_m)
    assert row["low"] <= 3 / 4 <= row["high"] and (row["items"], row["included"], row["n_cases"]) == (4, 2, 2)
    assert find(rows, metric="accuracy", **of_m | {"who": "judge"})["value"] == 2 / 4
    assert find(rows, metric="accuracy", question="rationale", who="M", against="human")["items"] == 3
    assert "1 of 5 items have no majority of the humans" in told(report)


@pytest.mark.parametrize("row", rows_in("reasoning/wrong_labels"), ids=lambda row: row["changed"])
def test_labels_that_are_wrong(both, tmp_path, row):
    """wrong_labels.csv: a text of the labels, what stands in its place, and what the error names."""
    assert row["given"] in LABELS
    written(tmp_path, {"l.csv": LABELS.replace(row["given"], row["changed"])})
    with pytest.raises(InputError, match=rf"l\.csv.*{row['names']}"):
        both(human=tmp_path / "l.csv")


def test_no_pair_is_labelled(both, tmp_path):
    header = LABELS.partition("\n")[0]
    written(tmp_path, {"l.csv": f"{header}\nrun,Gout/toe.json,red big toe,fever,,,,\n"})
    with pytest.raises(InputError, match="no pair is labelled"):
        both(human=tmp_path / "l.csv")


# Findings, files and the page


def test_texts_that_m_cannot_judge(tmp_path):
    """M scores sentences here on purpose: they are no finding."""
    said = {
        "a crushing chest pain that had lasted for two hours": ["боль в груди", "input1", None],
        "Der Patient klagt über starke Brustschmerzen": ["胸痛两小时", None, None],
        "chain": [],
    }
    words = told(compared(tmp_path, {"run/Gout/toe.json": said}, matcher=dxmatch.load(judge_all=True)))
    assert "3 of 18 different observations and rationales look like no text of the match function's language" in words
    assert "'боль в груди' (another script)" in words and "crushing" not in words


def test_the_page_shows_notes_in_the_browser_of_cases(both, monkeypatch):
    page = both().to_html()
    assert "<b>toe" not in page and "toe \\u003c/b" not in page
    assert page.index("Acc_diag") < page.index("Note by note</h2>") and "3 of 3 notes are here" in page
    monkeypatch.setattr(evaluate, "_MOST", 4)
    assert "2 of 3 notes are here" in both().to_html()


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_the_browser_of_cases_draws_notes(both, tmp_path):
    both(resampling={"resamples": 50}).save(tmp_path / "r.html")
    with tab(tmp_path / "profile") as page:
        page.open(f"file://{tmp_path / 'r.html'}#case=Gout%2Ftoe.json")
        assert page.value("document.querySelectorAll('.cases-case').length") == 3 and page.said == []
        words = page.value("document.querySelector('.cases-case[open]').innerText")
        assert "Suspected  gout → Gout → Acute Gout" in words.replace("Suspected gout", "Suspected  gout")
        assert (
            "Common, another rationale\nIn the note: red big toe" in words and "Predicted: swollen <b>toe</b>" in words
        )
