"""The papers' printed figures come out, from the printed inputs and from small files in the forms that the authors publish."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .reproduce.__main__ import PAPERS, figures, main
from .reproduce.figure import DIFFERENT, Figure, many, show

KERNEL29 = """patient_id,model_name,prompt_name,golden_diagnosis,golden_diagnosis_severity,rank,predicted_diagnosis,\
differential_diagnosis_severity_name,differential_diagnosis_semantic_relationship_name
p1,m,a,Gout,rare,1,Pseudogout,rare,Exact Synonym
p1,m,a,Gout,rare,2,Sepsis,rare,Exact Disease Group
p1,m,a,Gout,rare,3,Angina,severe,Broad Disease Group
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
    {"patient_id": 2, "patient_info": "…", "laboratory_tests": "…", "diagnosis": "Gout"},
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


@pytest.mark.parametrize("paper", PAPERS)
def test_printed_inputs_give_the_printed_figures(paper):
    found = figures(None, [paper])
    assert found and [one for one in found if one.verdict == DIFFERENT] == []
    explained = [one for one in found if not one.is_same]
    assert all(len(one.why) > 20 for one in explained) and len(explained) < len(found)


def test_all_deviations_over_prompts_are_the_populations():
    row = next(one for one in figures(None, ["clinbench-hpb"]) if "population" in one.what)
    assert (row.same, row.of) == (156, 156)


def test_the_authors_files(tmp_path):
    found = figures(published(tmp_path, "p1,m,a,8.25,13.0\np1,m,b,0,0"))
    of_files = {f"{one.paper}: {one.what}": one for one in found}
    scores = of_files["Kernel29: semantic_score of each case"], of_files["Kernel29: severity_score of each case"]
    assert [(one.same, one.of) for one in scores] == [(2, 2), (2, 2)]
    assert of_files["ClinBench-HPB: Hospital: diseases"].ours == 3
    assert of_files["ClinBench-HPB: Hospital: R_disease of a list that names every disease"].ours == 1
    assert of_files["DiReCT: leaves of the graphs"].ours == 2 and of_files["DiReCT: diagnoses of the graphs"].ours == 4
    assert {one.ours for name, one in of_files.items() if name.endswith("of the annotation itself")} == {1.0}
    assert not [one for one in found if one.verdict == DIFFERENT]


def test_another_score_is_a_difference(tmp_path, capsys):
    folder = published(tmp_path, "p1,m,a,9.25,13.0")
    assert main([str(folder), "--paper", "kernel29"]) == 1
    assert "0 of 1 same" in capsys.readouterr().out


def test_what_counts_as_the_same(capsys):
    one = Figure("P", "1", "x", 0.25, 0.2549, 0.005)
    assert one.is_same and not Figure("P", "1", "x", 0.25, 0.2551, 0.005).is_same
    row = many("P", "1", "x", [(1.0, 1.0), (2.0, 2.5)], 0.1, "a slip")
    assert (row.printed, row.ours, row.same, row.of, row.verdict) == (2.0, 2.5, 1, 2, "explained")
    show([one, row])
    shown = capsys.readouterr().out
    assert "P: 2 of 3 figures as printed; 0 rows differ without an explanation." in shown and "(1) a slip." in shown


def test_no_such_folder(tmp_path, capsys):
    assert main([str(tmp_path / "none")]) == 2 and "is no folder" in capsys.readouterr().err
