"""The papers' printed figures come out, from the printed inputs and from small files in the forms that the authors publish."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dxmatch

from .reproduce.__main__ import PAPERS, main
from .reproduce.figure import DIFFERENT, EXPLAINED, SAME, Figure

KERNEL29 = """patient_id,model_name,prompt_name,golden_diagnosis,golden_diagnosis_severity,rank,predicted_diagnosis,\
differential_diagnosis_severity_name,differential_diagnosis_semantic_relationship_name
p1,m,a,Gout,rare,1,Pseudogout,rare,Exact Synonym
p1,m,a,Gout,rare,2,Sepsis,rare,Exact Disease Group
p1,m,a,Gout,rare,4,Angina,severe,Broad Disease Group
p1,m,b,Gout,rare,1,Measles,mild,Not Related
"""
GRAPH = {
    "diagnostic": {"Suspected gout": {"Gout": {"Acute gout": [], "Chronic gout": []}}},
    "knowledge": {"Suspected gout": {"Symptoms": "a painful joint"}, "Acute gout": "urate crystals in the joint"},
}
NOTE = {
    "input1": "a painful toe", "input2": "since last night", "input6": "crystals seen",
    "Acute gout$Intermedia_3": {
        "Suspected gout$Intermedia_2": {"a painful joint$Cause_1": {"a painful toe$Input1": {}}},
        "crystals prove gout$Cause_1": {"crystals seen$Input6": {}},
    },
}  # fmt: skip
CASES = [
    {"patient_id": 1, "patient_info": "…", "laboratory_tests": "…", "diagnosis": "Gallstones\nHypertension"},
    {"patient_id": 2, "patient_info": "…", "laboratory_tests": "…", "diagnosis": "Gout\nGout"},
    {"patient_id": 2, "patient_info": "…", "laboratory_tests": "…", "diagnosis": "Asthma"},
]


def published(folder: Path, scores: str) -> Path:
    """Small files of our own in the forms of the authors'."""
    texts = {
        "kernel29/diagnoses.csv": KERNEL29,
        "kernel29/scores.csv": f"patient_id,model_name,prompt_name,semantic_score,severity_score\n{scores}\n",
        "direct/graphs/Gout.json": json.dumps(GRAPH),
        "direct/notes/Gout/one.json": json.dumps(NOTE),
        "clinbench/Hospital.json": json.dumps(CASES),
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


COUNTS = {"h-ddx": 42, "how-to-evaluate": 6, "kernel29": 15, "clinbench-hpb": 156, "direct": 0}


@pytest.mark.parametrize("paper", PAPERS)
def test_printed_inputs_give_the_printed_figures(paper):
    found = [*PAPERS[paper].figures(None)]
    assert len(found) == COUNTS[paper] and [one for one in found if one.verdict == DIFFERENT] == []
    explained = [one for one in found if one.verdict == EXPLAINED]
    assert all(len(one.why) > 20 for one in explained) and len(explained) <= len(found) / 2


def test_the_authors_files(tmp_path):
    gaps = [1, 2, 4]
    semantic = dxmatch.metrics.semantic_score(["exact synonym", "exact disease group", "broad disease group"], gaps)
    severity = dxmatch.metrics.severity_score("rare", ["rare", "rare", "severe"], gaps)
    folder = published(tmp_path, f"p1,m,a,{semantic},{severity}\np1,m,b,0,0")
    found = [one for name in ("kernel29", "clinbench-hpb", "direct") for one in PAPERS[name].figures(folder)]
    rows: dict[str, list[Figure]] = {}
    for one in found:
        rows.setdefault(f"{one.paper}: {one.what}", []).append(one)
    for name, score in (("semantic", semantic), ("severity", severity)):
        scores = rows[f"Kernel29: {name}_score of each list"]
        assert [(one.ours, one.verdict) for one in scores] == [(score, SAME), (0, SAME)]
    assert rows["ClinBench-HPB: Hospital: cases"][0].ours == 3
    assert rows["ClinBench-HPB: Hospital: diseases, by R_disease of the first of each patient"][
        0
    ].ours == pytest.approx(5)
    assert rows["ClinBench-HPB: Hospital: R_disease of lists that name every disease"][0].ours == 1
    for name, count in (("categories", 1), ("diagnoses", 4), ("discharge_diagnoses", 2), ("notes", 1)):
        assert rows[f"DiReCT: overall: {name} of the files"][0].ours == count
    assert {one.ours for name, (one, *_) in rows.items() if name.endswith("of the annotation itself")} == {1.0}
    assert not [one for one in found if one.verdict == DIFFERENT]


def test_another_score_is_a_difference_and_the_exit_code_says_so(tmp_path, capsys):
    assert main([str(published(tmp_path, "p1,m,b,1,0"))]) == 1
    assert f", 1 {DIFFERENT}." in capsys.readouterr().out
    assert main([str(tmp_path / "none")]) == 2 and "is no folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("printed", "ours", "instead", "verdict"),
    [
        (0.25, 0.2549, None, SAME),
        (0.25, 0.2551, None, DIFFERENT),
        (0.25, 0.30, 0.30, EXPLAINED),
        (0.25, 0.31, 0.30, DIFFERENT),
        (0.25, 0.25, 0.30, DIFFERENT),
        (0.25, float("nan"), 0.30, DIFFERENT),
        (0.25, 0.252, 0.252, SAME),
    ],
)
def test_an_explanation_passes_only_with_the_value_that_it_states(printed, ours, instead, verdict):
    assert Figure("P", "1", "x", printed, ours, 0.005, instead, "a slip").verdict == verdict
