"""The files of DiReCT: what is read of them, and what is said of a file that is wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from dxmatch.errors import InputError
from dxmatch.evaluation.reasoning.evaluate import reasoning
from dxmatch.evaluation.reasoning.graph import KnowledgeGraph
from dxmatch.evaluation.reasoning.notes import Deduction, read_annotations, read_predictions

TREE = {"Suspected Gout": {"Gout": {"Acute Gout": [], "Chronic Gout": []}}}
GRAPH = {
    "diagnostic": TREE,
    "knowledge": {"Suspected Gout": {"Signs": "a red toe", "Symptoms": "pain"}, "Gout": "urate"},
}


def written(folder: Path, value: Any, name: str = "x.json") -> Path:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return folder


def test_a_graph(tmp_path):
    graph = KnowledgeGraph.read(written(tmp_path, GRAPH, "Gout.json"))
    category = graph.category(" gout ")
    assert category is not None and category.name == "Gout" and category.root == "suspected gout"
    assert category.diagnoses == ("Suspected Gout", "Gout", "Acute Gout", "Chronic Gout")
    assert category.knowledge == {"suspected gout": {"Signs": "a red toe", "Symptoms": "pain"}, "gout": {"": "urate"}}
    assert graph.category("Asthma") is None
    assert graph.is_path(["Suspected gout", "GOUT", "Acute  Gout"]) and graph.is_path(["Suspected Gout"])
    assert not graph.is_path(["Gout"]) and not graph.is_path([]) and not graph.is_path(["Suspected Gout", "Acute Gout"])
    assert graph.path_of(["Acute Gout", "Suspected Gout"]) == (category, ("suspected gout", "gout", "acute gout"))
    assert graph.path_of(["Acute Gout", "Chronic Gout"]) == (category, ())
    assert graph.path_of([]) == graph.path_of(["Asthma"]) == (None, ())


def test_two_graphs_that_begin_alike(tmp_path):
    written(tmp_path, GRAPH, "Gout.json")
    with pytest.raises(
        InputError, match=r"Podagra\.json: a tree that begins as that of .*Gout\.json.*'Suspected Gout'"
    ):
        KnowledgeGraph.read(written(tmp_path, GRAPH, "Podagra.json"))
    (tmp_path / "Podagra.json").unlink()
    with pytest.raises(InputError, match="a second category of this name"):
        KnowledgeGraph.read(written(tmp_path, {**GRAPH, "diagnostic": {"S": []}}, "more/gout.json"))


def test_folders(tmp_path):
    with pytest.raises(InputError, match="no such folder"):
        KnowledgeGraph.read(tmp_path / "none")
    with pytest.raises(InputError, match=r"without a \.json file \(an empty folder\).*one \.json file or more"):
        read_annotations(tmp_path)
    (tmp_path / "x.xlsx").write_bytes(b"PK")
    with pytest.raises(InputError, match=r"without a \.json file \(1 other files, such as x\.xlsx\)"):
        read_annotations(tmp_path)
    with pytest.raises(InputError, match=r"x\.xlsx: a file\. Allowed: a folder of \.json files"):
        read_annotations(tmp_path / "x.xlsx")
    (tmp_path / "x.json").write_bytes(b'{"a": "\xff"}')
    with pytest.raises(InputError, match="not UTF-8"):
        read_predictions(tmp_path)


NOTE = {
    "input1": "a toe that hurts\n",
    "Gout$Intermedia_3": {
        "urate is high $ sure$Cause_1": {"urate 9$Input6": {}, "urate 8 #$Input6": {}},
        "Suspected Gout$Intermedia_2": {
            "the toe$Cause_1": {"red toe$Input5": {}},
            "the toe #$Cause_1": {"red toe # #$Input2": {}},
            "nothing seen$Cause_1": {},
        },
    },
    "input5": "red toe",
}


def test_an_annotation(tmp_path):
    written(tmp_path, NOTE, "Gout/a.json")
    written(tmp_path, "\ufeff" + json.dumps(NOTE), "Gout/deep/b.json")
    found = read_annotations(tmp_path)
    assert list(found) == ["Gout/a.json", "Gout/deep/b.json"]
    note = found["Gout/a.json"]
    assert note.path == ("Suspected Gout", "Gout")
    assert note.sections == {1: "a toe that hurts\n", 5: "red toe"}
    assert note.deductions == (
        Deduction("urate 9", "urate is high $ sure", 6, "Gout"),
        Deduction("urate 8", "urate is high $ sure", 6, "Gout"),
        Deduction("red toe", "the toe", 5, "Suspected Gout"),
        Deduction("red toe", "the toe", 2, "Suspected Gout"),
    )
    assert found["Gout/deep/b.json"] == note


def test_a_prediction(tmp_path):
    said = {"red toe": ["typical", "Input5", "Gout"], "x": [None, None, None], "chain": ["Gout", "Suspected Gout"]}
    (found,) = read_predictions(written(tmp_path, said)).values()
    assert found.chain == ("Gout", "Suspected Gout")
    assert found.deductions == (Deduction("red toe", "typical", 5, "Gout"), Deduction("x", None, None, None))
    (bare,) = read_predictions(written(tmp_path, {})).values()
    assert bare.chain is None and bare.deductions == ()


GOUT = "Gout$Intermedia_2"


@pytest.mark.parametrize(
    ("read", "value", "error"),
    [
        (KnowledgeGraph.read, "{", r"x\.json: not JSON"),
        (KnowledgeGraph.read, "[]", r"x\.json: no JSON object\. Allowed: \{…\}\. Got: \[\]"),
        (KnowledgeGraph.read, '{"diagnostic": {}, "diagnostic": {}}', r"x\.json: a key that stands twice in one object.*'diagnostic'"),
        (KnowledgeGraph.read, {"diagnostic": TREE}, r"x\.json: no 'knowledge'"),
        (KnowledgeGraph.read, {**GRAPH, "notes": 1}, r"x\.json at notes: an unknown key"),
        (KnowledgeGraph.read, {**GRAPH, "diagnostic": []}, r"x\.json at diagnostic: no object.*\[\] for a leaf"),
        (KnowledgeGraph.read, {**GRAPH, "diagnostic": {}}, r"x\.json at diagnostic: no single root.*Got: \[\]"),
        (KnowledgeGraph.read, {**GRAPH, "diagnostic": {"A": [], "B": []}}, r"no single root.*one suspected disease.*\['A', 'B'\]"),
        (KnowledgeGraph.read, {**GRAPH, "diagnostic": {"A": {"B": "x"}}}, r"x\.json at diagnostic > A > B: no object"),
        (KnowledgeGraph.read, {**GRAPH, "diagnostic": {"A": {" ": []}}}, r"x\.json at diagnostic > A >  : a diagnosis without a name"),
        (KnowledgeGraph.read, {**GRAPH, "diagnostic": {"A": ["B"]}}, r"x\.json at diagnostic > A: no object"),
        (KnowledgeGraph.read, {**GRAPH, "knowledge": {"A": 1}}, r"x\.json at knowledge > A: no object. Allowed: a text, or an object of texts"),
        (KnowledgeGraph.read, {**GRAPH, "knowledge": {"A": {"Signs": 1}}}, r"x\.json at knowledge > A > Signs: no text"),
        (KnowledgeGraph.read, '{"a":' * 100_000, "nested too deep"),
        (KnowledgeGraph.read, '{"knowledge": {}, "diagnostic": ' + '{"a": ' * 80 + "[]" + "}" * 81, "nested too deep"),
        (read_annotations, {"input1": ""}, r"x\.json: no single tree beside the sections.*Got: \[\]"),
        (read_annotations, {GOUT: {}, "B$Intermedia_2": {}}, r"no single tree"),
        (read_annotations, {GOUT: {}, "input7": ""}, r"no single tree.*'input7'"),
        (read_annotations, {GOUT: {}, "input1": None}, r"x\.json at input1: no text"),
        (read_annotations, {"Gout": {}}, r"x\.json at Gout: a key without a kind.*TEXT\$Intermedia_D, TEXT\$Cause_1 or TEXT\$InputN"),
        (read_annotations, {"Gout$Input1": {}}, r"x\.json at Gout\$Input1: no diagnosis"),
        (read_annotations, {GOUT: []}, r"x\.json at Gout\$Intermedia_2: no object"),
        (read_annotations, {GOUT: {"red$Input5": {}}}, r"at Gout\$Intermedia_2 > red\$Input5: an observation without a rationale"),
        (read_annotations, {GOUT: {"why$Cause_1": {"red$Cause_1": {}}}}, r"why\$Cause_1 > red\$Cause_1: no observation below a rationale"),
        (read_annotations, {GOUT: {"why$Cause_1": {"red$Input7": {}}}}, r"red\$Input7: a key without a kind"),
        (read_annotations, {GOUT: {"why$Cause_1": {"red$Input5": {"a": 1}}}}, r"red\$Input5: something below an observation"),
        (read_annotations, {GOUT: {"why$Cause_1": []}}, r"why\$Cause_1: no object"),
        (read_annotations, {GOUT: {" #$Cause_1": {}}}, r"a key that says nothing, or too much"),
        (read_annotations, {GOUT: {"x" * 10_001 + "$Cause_1": {}}}, r"xxx…: a key that says nothing, or too much"),
        (read_annotations, {GOUT: {"A$Intermedia_1": {}, "B$Intermedia_1": {}}}, r"two diagnoses side by side.*one path"),
        (read_predictions, {"red": "toe"}, r"x\.json at red: no deduction.*\[rationale, section, diagnosis\]"),
        (read_predictions, {"red": ["a", "input1"]}, r"x\.json at red: no deduction"),
        (read_predictions, {"red": ["a", 1, "b"]}, r"x\.json at red: no deduction"),
        (read_predictions, {"red": ["a", "input9", "b"]}, r"x\.json at red: no section.*'input9'"),
        (read_predictions, {"red": ["a" * 10_001, "input1", "b"]}, r"a text of 10,001 characters"),
        (read_predictions, {"chain": "Gout"}, r"x\.json at chain: no chain"),
        (read_predictions, {"chain": ["Gout", ""]}, r"x\.json at chain: no chain"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_right(tmp_path, read, value, error):
    with pytest.raises(InputError, match=error):
        read(written(tmp_path, value))


def test_the_example_of_the_documentation(tmp_path, same_text):
    page = (Path(__file__).parents[2] / "docs" / "reasoning.md").read_text("utf-8")
    note, graph, prediction = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    written(tmp_path / "notes", note, "Gout/n1.json")
    written(tmp_path / "graphs", graph, "Gout.json")
    written(tmp_path / "run", prediction, "Gout/n1.json")
    found = reasoning(tmp_path / "graphs", tmp_path / "notes", tmp_path / "run", same_text, bootstrap=0)
    told = {row["name"]: row["value"] for row in found.rows if row["by"] == "all"}
    assert told | {"Prem": 0} == {
        "Acc_cat": 1, "Acc_diag": 1, "Obs_pre": 1 / 2, "Obs_rec": 1 / 3, "Obs_comp": 1 / 4, "Exp_com": 1, "Exp_all": 1 / 4, "Prem": 0,
    }  # fmt: skip
