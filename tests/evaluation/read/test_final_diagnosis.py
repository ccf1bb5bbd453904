"""A final diagnosis beside the set of right answers: top-k accuracy means the one, recall and HDF1 the other."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from dxmatch.errors import InputError
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.read.reading import read_lists

from ..made import POINTS, By, with_reading

SET, FINAL = ["flu", "gout"], "gout"
LISTS = {"A": ["flu", "asthma"], "B": ["sepsis", "gout"]}


def _long(role: bool = True) -> pd.DataFrame:
    rows = [("c", who, "algorithm", at, name) for who, said in LISTS.items() for at, name in enumerate(said, 1)]
    if role:
        rows += [("c", "truth", "reference", at, name) for at, name in enumerate(SET, 1)]
        rows += [("c", "the end", "final", 1, FINAL)]
    return pd.DataFrame(rows, columns=["case_id", "rater", "role", "rank", "diagnosis"])


def _one_name(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(rater=frame.rater.replace("the end", "truth"))


SOURCES = {
    "rows with the role final": lambda _: (_long(), {}),
    "the same rater as the reference": lambda _: (_one_name(_long()), {}),
    "a column of the long form": lambda _: (_long(False).drop(columns="role").assign(gold="; ".join(SET), final=FINAL), {}),
    "a column named by hand": lambda _: (
        _long(False).drop(columns="role").assign(gold="; ".join(SET), outcome=FINAL),
        {"columns": {"final": "outcome"}},
    ),
    "a row for each case": lambda _: (
        pd.DataFrame([{"case_id": "c", "gold": SET, "final_diagnosis": FINAL, **LISTS}]), {"columns": {"predictions": [*LISTS]}},
    ),
    "a dict of right answers": lambda _: (
        {who: {"c": said} for who, said in LISTS.items()},
        {"references": {"c": {"reference": SET, "final": FINAL}}},
    ),
    "a file of right answers": lambda path: (
        {who: {"c": said} for who, said in LISTS.items()},
        {"references": _written(path / "right.json", [{"case_id": "c", "reference": SET, "final": FINAL}])},
    ),
    "a differential beside a pathology": lambda _: (
        {who: {"c": said} for who, said in LISTS.items()},
        {"references": pd.DataFrame({"case_id": ["c"], "DIFFERENTIAL_DIAGNOSIS": ["flu; gout"], "PATHOLOGY": ["gout"]})},
    ),
    "JSON": lambda path: (
        _written(path / "lists.json", [{"case_id": "c", "reference": SET, "final": FINAL, "predictions": LISTS}]), {},
    ),
}  # fmt: skip


def _written(path, value):
    path.write_text(json.dumps(value))
    return path


@pytest.mark.parametrize("made", SOURCES.values(), ids=SOURCES)
def test_every_shape_holds_both(made, tmp_path):
    source, options = made(tmp_path)
    options = with_reading(options)
    lists = read_lists(source, **options)
    assert (lists.raters, lists.reference, lists.references.final) == (["A", "B"], [tuple(SET)], [(FINAL,)])
    assert lists.has_final
    report = evaluate(source, matcher=By(), resampling=POINTS, **options)
    assert [report.row("Acc", of="M", k=1, algorithm=who)["value"] for who in "AB"] == [0, 0]
    assert [report.row("MRR", algorithm=who)["value"] for who in "AB"] == [0, 0.5]
    assert [report.row("R_disease", algorithm=who)["value"] for who in "AB"] == [0.5, 0.5]
    assert [(one.count, one.of) for one in report.findings if one.kind == "final_diagnosis"] == [(0, 1)]


@pytest.mark.parametrize("column", ["final", "final_diagnosis", "pathology"])
def test_alone_it_is_the_right_answer(column):
    lists = read_lists(_long(False).drop(columns="role").assign(**{column: FINAL}))
    assert lists.reference == [(FINAL,)] and not lists.has_final


def test_rows_with_the_role_final_alone_are_the_right_answers():
    frame = _long()
    lists = read_lists(frame[frame.role != "reference"])
    assert lists.reference == [(FINAL,)] and not lists.has_final


def test_a_case_without_one_is_out_of_top_k_alone_and_told():
    frame = pd.concat([_long(), _long().assign(case_id="d").query("role != 'final'")])
    report = evaluate(frame, matcher=By(), resampling=POINTS)
    assert report.row("Acc", of="M", k=1, algorithm="A")["n_cases"] == 1
    assert report.row("R_patient", algorithm="A")["n_cases"] == 2
    assert [(one.count, one.of) for one in report.findings if one.kind == "final_diagnosis"] == [(1, 2)]


def test_two_raters_with_the_role_final_are_refused():
    frame = pd.concat([_long(), _long().query("role == 'final'").assign(rater="another")])
    with pytest.raises(InputError, match="row 7, .*the rater differs within the role 'final'.*another"):
        read_lists(frame)


def test_a_column_and_rows_at_once_are_refused():
    with pytest.raises(InputError, match="row 6, column 'final'.*role final, not both"):
        read_lists(_long().assign(final="flu"))


def test_the_first_case_that_h_ddx_prints():
    """Bronchiectasis is final; MediPhi names others of the differential: Top-5 0.0 and HDF1 .5714 (Table 3)."""
    right = {"bronchitis": "J40", "neoplasm": "C34", "tuberculosis": "A15", "bronchiectasis": "J47", "edema": "J81.0"}
    said = {
        "GPT-4o": {
            "bronchiectasis": "J47",
            "hemorrhage": "R04.89",
            "copd": "J44.9",
            "embolism": "I26",
            "infectious": "J16.8",
        },
        "MediPhi": {
            "pneumonia": "J18",
            "bronchitis": "J40",
            "tuberculosis": "A15-A19",
            "embolism": "I26",
            "cancer": "C34.90",
        },
    }
    rows = [("1", who, "algorithm", at, *pair) for who, of in said.items() for at, pair in enumerate(of.items(), 1)]
    rows += [("1", "set", "reference", at, *pair) for at, pair in enumerate(right.items(), 1)]
    rows += [("1", "set", "final", 1, "bronchiectasis", "J47")]
    frame = pd.DataFrame(rows, columns=["case_id", "rater", "role", "rank", "diagnosis", "icd10"])
    report = evaluate(frame, matcher=By(), resampling=POINTS)
    for judge in ("M", "code"):
        assert [report.row("Acc", of=judge, k=5, algorithm=who)["value"] for who in said] == [1.0, 0.0]
    assert [round(report.row("HDF1", algorithm=who)["value"], 4) for who in said] == [0.2069, 0.5714]
    shifts = {
        row["algorithm"]: row["shift"]
        for row in report.rows_of("hierarchical.rank_shifts")
        if row["from"] == "Acc(M)@5"
    }
    assert shifts == {"GPT-4o": -1, "MediPhi": 1}
    assert set(report.matches["final"].to_list()) == {"bronchiectasis"}


def test_the_page_shows_it(tmp_path):
    report = evaluate(_long(), matcher=By(), resampling=POINTS)
    page = report.save(tmp_path / "report.html").read_text()
    assert '"final":["gout"]' in page.replace(" ", "") and "Final diagnosis" in page


SHEET = {
    "id": ["a", "b", "c", "d"],
    "organ": ["lung", "joint", "lung", "joint"],
    "final diagnosis": ["asthma", "gout", "copd", "lupus"],
    "SET": ["asthma; copd", "gout; arthritis", "copd; asthma", "lupus; gout"],
    "base": ["copd; flu", "gout; flu", "flu; copd", "gout; lupus"],
    "tuned": ["asthma; flu", "gout; flu", "copd; flu", "lupus; gout"],
}


@pytest.mark.parametrize("called", ["true differential", "Reference DDx"])
def test_a_differential_beside_a_final_diagnosis_and_models_is_the_set_of_right_answers(called):
    lists = read_lists({called if name == "SET" else name: cells for name, cells in SHEET.items()})
    assert lists.raters == ["base", "tuned"], "nor is the organ a model"
    assert lists.reference[0] == ("asthma", "copd") and lists.references.final[0] == ("asthma",)
    assert "not read: organ" in lists.origin.recognised
    with pytest.raises(InputError, match="'differential' may hold the right answers beside a final one"):
        read_lists({"differential" if name == "SET" else name: cells for name, cells in SHEET.items()})
