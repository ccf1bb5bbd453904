"""DiReCT's metrics on three invented notes, by hand; which observations correspond; runs side by side, a judge, people, the page."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dxmatch
from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.reasoning import evaluate

from ...chromium import CHROMIUM, tab
from ..made import By, Says, find, rows_in, told, written
from .made import FILES, compared, matcher, values


@pytest.fixture
def both(tmp_path):
    """The report of two runs; options as of `compared`."""

    def run(**options):
        return compared(tmp_path, **{"predictions": [tmp_path / "run", tmp_path / "perfect"]} | options)

    return run


def test_by_hand(tmp_path):
    """toe: O 4, O^ 5, 3 correspond, 1 of them explained; night: O 2, O^ 1, 1, 1; day: O 1, nothing predicted."""
    report = compared(tmp_path)
    assert values(report) == pytest.approx({
        "Acc_cat": 2 / 3, "Acc_diag": 1 / 3,
        "Obs_pre": (3 / 5 + 1 + 0) / 3, "Obs_rec": (3 / 4 + 1 / 2 + 0) / 3, "Obs_comp": (3 / 6 + 1 / 2 + 0) / 3,
        "Exp_com": (1 / 3 + 1 + 0) / 3, "Exp_all": (1 / 6 + 1 / 2 + 0) / 3,
    })  # fmt: skip
    # the deviation of the population, as the source prints it
    assert report.row("Obs_rec")["sd"] == pytest.approx(np.std([3 / 4, 1 / 2, 0]))
    assert "No prediction for 1 of 3 notes in run: they count as 0 in every metric." in told(report)


def test_where_there_is_nothing_to_divide_by(tmp_path):
    """An empty prediction: 0 of 0 is 0, or no figure."""
    changes = {"run/Gout/toe.json": {"chain": []}, "run/Asthma/night.json": None}
    assert {*values(compared(tmp_path, changes)).values()} == {0}
    own = values(compared(tmp_path, changes, missing="own"))
    assert (own["Obs_pre"], own["Obs_rec"], own["Exp_com"]) == (None, 0, None)


def test_each_pair_of_texts_is_asked_once_the_annotated_one_first(tmp_path):
    m = matcher()
    changes = {"run/Asthma/night.json": None, "notes/Asthma/night.json": FILES["notes/Asthma/day.json"]}
    compared(tmp_path, changes, matcher=m)
    assert len(m.asked) == len({frozenset(pair) for pair in m.asked}) and not any("--" in pair for pair in m.asked)
    one_way = {("red big toe", "swollen <b>toe</b>"), ("uric acid of 9.1", "uric acid 9.1")}
    m = By(lambda a, b: (a, b) in one_way, policy="narrower-counts")
    rows = {row["note"]: row["paired"] for row in compared(tmp_path, matcher=m).rows_of("reasoning.notes")}
    assert rows["Gout/toe.json"] == 1


# The correspondence


def correspondence(table, least, pairing="best"):
    """Which of the observations a0, a1, … and b0, b1, … correspond. table : what M says of each two."""
    m = By(lambda a, b: table[int(a[1:])][int(b[1:])] if (a[0], b[0]) == ("a", "b") else 0.0, threshold=least)
    causes = {f"why {i}$Cause_1": {f"a{i}$Input1": {}} for i in range(len(table))}
    predicted = {f"b{j}": ["why", "input1", "Gout"] for j in range(len(table[0]))}
    files = {
        "graphs/Gout.json": {"diagnostic": {"Suspected Gout": {"Gout": []}}, "knowledge": {}},
        "notes/n.json": {"input1": "", "Gout$Intermedia_2": {**causes, "Suspected Gout$Intermedia_1": {}}},
        "run/n.json": {**predicted, "chain": []},
    }
    with TemporaryDirectory() as place:
        folders = [written(Path(place), files) / name for name in ("graphs", "notes", "run")]
        found = dxmatch.reasoning(*folders, matcher=m, pairing=pairing, resampling={"resamples": 0})
    rows = [row for row in found.rows_of("reasoning.deductions") if row["kind"] == "common"]
    return [(int(row["observation"][1:]), int(row["predicted_observation"][1:])) for row in rows]


@pytest.mark.parametrize(
    "row", rows_in("reasoning/correspondences"), ids=lambda row: f"{row['table']} {row['pairing']}"
)
def test_which_observations_correspond(row):
    """correspondences.csv: greedy takes the first that is alike, not the likest; of one weight, more pairs are better."""
    found = correspondence(json.loads(row["table"]), float(row["least"]), row["pairing"])
    assert found == [tuple(pair) for pair in json.loads(row["found"])]


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_no_correspondence_weighs_more(seed):
    generator = np.random.default_rng(seed)
    table = generator.random(generator.integers(1, 5, 2))
    found = correspondence(table.tolist(), 0.5)
    assert len({i for i, _ in found}) == len({j for _, j in found}) == len(found)
    assert all(table[place] >= 0.5 for place in found)
    allowed = np.where(table >= 0.5, table, 0)
    allowed = allowed.T if len(table) > len(table.T) else allowed
    orders = permutations(range(max(table.shape)), min(table.shape))
    most = max(sum(allowed[i, j] for i, j in enumerate(one)) for one in orders)
    assert sum(table[place] for place in found) == pytest.approx(most)


# Several runs, a judge, and people

LABELS = """run,note,observation,predicted,label_ann,label_bob,label_cy,rationale_label
run,Gout/toe.json,red big toe,swollen <b>toe</b>,1,yes,0,0
run,Gout/toe.json,uric acid 9.1,fever,1,1,true,
run,Gout/toe.json,uric  acid 9.1,joint fluid with crystals,0,0,1,0
run,Asthma/night.json,wheeze,Wheeze,1,0,,1
perfect,Asthma/night.json,wheeze,third stay this year,0,no,0,
"""


@pytest.mark.parametrize("row", rows_in("reasoning/refused"), ids=lambda row: row["options"])
def test_options_that_are_wrong(tmp_path, row):
    """refused.csv: options -> the option that is named, and what is allowed."""
    with pytest.raises(OptionError, match=row["names"]):
        compared(tmp_path, **json.loads(row["options"]))


def test_agreement_with_people(both, tmp_path):
    written(tmp_path, {"l.csv": LABELS})
    report = both(human=tmp_path / "l.csv", judge=Says(lambda kind, a, b: "Yes"), resampling={"resamples": 200})
    rows = report.rows_of("human.agreement")
    # M: yes, no, no, (divided: out), no; people: yes, yes, no, no
    of_m = {"question": "observation", "who": "M", "against": "majority"}
    for metric, value in {"accuracy": 3 / 4, "precision": 1, "recall": 1 / 2}.items():
        assert find(rows, metric=metric, **of_m)["value"] == pytest.approx(value)
    row = find(rows, metric="accuracy", **of_m)
    assert row["low"] <= 3 / 4 <= row["high"] and (row["items"], row["included"], row["n_cases"]) == (4, 2, 2)
    assert find(rows, metric="accuracy", **of_m | {"who": "judge"})["value"] == 2 / 4
    assert find(rows, metric="accuracy", question="rationale", who="M", against="human")["items"] == 3
    assert "1 of 5 items have no majority of the humans" in told(report)


NONE_LABELLED = f"{LABELS.partition(chr(10))[0]}\nrun,Gout/toe.json,red big toe,fever,,,,\n"


@pytest.mark.parametrize("row", [*rows_in("reasoning/wrong_labels"), {"given": LABELS, "changed": NONE_LABELLED, "names": "no pair is labelled"}], ids=lambda row: row["names"])  # fmt: skip
def test_labels_that_are_wrong(both, tmp_path, row):
    """wrong_labels.csv: a text of the labels, what stands in its place, and what the error names."""
    assert row["given"] in LABELS
    written(tmp_path, {"l.csv": LABELS.replace(row["given"], row["changed"])})
    with pytest.raises(InputError, match=rf"l\.csv.*{row['names']}"):
        both(human=tmp_path / "l.csv")


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


def test_what_the_judge_does_not_answer(tmp_path):
    report = compared(tmp_path, judge=Says(lambda kind, a, b: "Maybe" if b == "fever" else "No"))
    assert "No verdict of m on 4 pairs of observations: they count as not alike." in told(report)
    with pytest.raises(InputError, match=r"m gave no verdict on any of 18 pairs of observations \(not answered\)"):
        compared(tmp_path, judge=Says(lambda kind, a, b: None))
