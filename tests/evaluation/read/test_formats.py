"""The readers of formats in which others keep answers, on samples written by hand."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.read.cells import diagnoses_in
from dxmatch.evaluation.read.formats.answer import groups_in, references_in
from dxmatch.evaluation.read.formats.registry import read_answers, recognised
from dxmatch.evaluation.read.reading import read_lists

from ..made import POINTS, By


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def put(folder: Path, files: dict[str, Any]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False), "utf-8")
    return folder


def told(path: Path, format: str | None = None) -> list[tuple[str, str | None, list[str] | None, tuple[str, ...]]]:
    found = read_answers(path, format or recognised(path))
    return [(a.case_id, a.model, a.diagnoses or (diagnoses_in(a.text) if a.text else []), a.references) for a in found]


LM_EVAL = lines(
    {
        "doc_id": 0, "doc": {"q": "x" * 99, "specialty": "heart"}, "target": "['Heart attack', 'Diabetes']", "arguments": {},
        "resps": [["1. Heart attack\n2. Angina"]], "filtered_resps": ["1. Heart attack\n2. Angina"], "filter": "none",
    },
    {
        "doc_id": 1, "doc": {"q": "y", "id": "c7"}, "target": "Gout", "arguments": {},
        "resps": [["This is not gout"]], "filtered_resps": ["This is not gout"], "filter": "none",
    },
)  # fmt: skip
ARENA = lines(
    {"id": 3, "Final Diagnosis": "Gout", "LLM Response": "1. Gout;\n2. Sepsis;"},
    {"id": 4, "Final Diagnosis": "Measles", "LLM Response": None},
)
CLINBENCH = [
    {"patient_id": 11, "patient_info": "…", "laboratory_tests": "…", "imaging_studies": "…", "diagnosis": "Gallstones\nHypertension"},
    {"patient_id": 12, "patient_info": "…", "laboratory_tests": "…", "imaging_studies": "…", "diagnosis": "Gout"},
]  # fmt: skip
CRAFT = {
    "case_vignette": "…", "question": "?", "correct_ans": "gout",
    "trial_0": {"vignette_mcq": "A", "vignette_frq": "It is gout.", "extracted_ans_vignette_frq": "gout", "evaluation_vignette_frq": 1},
    "trial_1": {"vignette_mcq": "B", "vignette_frq": "The most likely diagnosis is sepsis."},
}  # fmt: skip
NOTE = {"input1": "chest pain", "NSTEMI #$Intermedia_3": {"raised troponin$Cause_1": {"troponin 5$Input6": {}}}}
PREDICTION = {
    "troponin 5": ["raised troponin", "input6", "NSTEMI"],
    "chain": ["Acute Coronary Syndrome", "Suspected ACS", "NSTEMI"],
}
KERNEL29 = """differential_diagnosis_id,patient_id,model_name,prompt_name,golden_diagnosis,golden_diagnosis_severity,rank,\
predicted_diagnosis,differential_diagnosis_severity_name,differential_diagnosis_semantic_relationship_name
1,p1,m,std,Gout,moderate,1,Pseudogout,moderate,Exact Disease Group
1,p1,m,std,Gout,moderate,3,Gout,NULL,Exact Synonym
2,p2,m,std,Measles,severe,1,Rubella,mild,Broad Disease Group
"""
CASES: list[tuple[str, dict[str, Any], str, list[Any]]] = [
    (
        "lm-eval", {"org__model/samples_ddx_2026-01-02T03-04-05.678.jsonl": LM_EVAL}, "",
        [("0", "org/model", ["Heart attack", "Angina"], ("Heart attack", "Diabetes")), ("c7", "org/model", None, ("Gout",))],
    ),
    (
        "lm-eval", {"o/samples_ddx_2026-01-02.jsonl": LM_EVAL, "o/results_2026-01-02.json": {"model_name": "Our model"}}, "",
        [("0", "Our model", ["Heart attack", "Angina"], ("Heart attack", "Diabetes")), ("c7", "Our model", None, ("Gout",))],
    ),
    (
        "diagnosis-arena", {"gpt_answer.jsonl": ARENA}, "gpt_answer.jsonl",
        [("3", "gpt", ["Gout", "Sepsis"], ("Gout",)), ("4", "gpt", [], ("Measles",))],
    ),
    (
        "diagnosis-arena", {"test.jsonl": lines({"id": 3, "Case Information": "…", "Final Diagnosis": "Gout"})}, "test.jsonl",
        [("3", None, [], ("Gout",))],
    ),
    (
        "clinbench-hpb", {"Website.json": CLINBENCH}, "Website.json",
        [("11", None, [], ("Gallstones", "Hypertension")), ("12", None, [], ("Gout",))],
    ),
    (
        "craft-md", {"gpt4/case_1.json": CRAFT}, "gpt4",
        [
            ("case_1", "gpt4 vignette_frq [trial 1]", ["gout"], ("gout",)),
            ("case_1", "gpt4 vignette_frq [trial 2]", ["sepsis"], ("gout",)),
        ],
    ),
    (
        "craft-md", {"cases.csv": "case_id,case_vignette,category,answer\ncase_1,…,Joints,Gout\n"}, "cases.csv",
        [("case_1", None, [], ("Gout",))],
    ),
    ("direct", {"notes/ACS/NSTEMI/n1.json": NOTE}, "notes", [("ACS/NSTEMI/n1.json", None, [], ("NSTEMI",))]),
    ("direct", {"llama/ACS/NSTEMI/n1.json": PREDICTION}, "llama", [("ACS/NSTEMI/n1.json", "llama", ["NSTEMI"], ())]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "files", "place", "answers"), CASES)
def test_a_format_is_recognised_and_read(
    tmp_path: Path, name: str, files: dict[str, Any], place: str, answers: list[Any]
) -> None:
    path = put(tmp_path, files) / place
    assert recognised(path) == name
    assert told(path) == told(path, name) == answers


@pytest.mark.parametrize(
    "files",
    [
        {"a.csv": "case_id,rater,rank,diagnosis\n1,a,1,gout\n"},
        {"a.jsonl": lines({"case_id": 1, "answer": "gout"})},
        {"a.jsonl": lines({"id": 1, "target": "gout", "prediction": "sepsis"})},
        {"a.json": [{"patient_info": "…", "diagnosis": "gout", "prediction": "sepsis"}]},
        {"a.json": {"case 1": ["gout"]}},
        {"a.json": "not JSON"},
        {"a.eval": "not a zip"},
        {"a.csv": ""},
    ],
)
def test_files_of_ones_own_are_in_none(tmp_path: Path, files: dict[str, Any]) -> None:
    path = put(tmp_path, files) / next(iter(files))
    assert recognised(path) == recognised(tmp_path) == ""


@pytest.mark.parametrize(
    ("name", "files", "place", "error"),
    [
        ("lm-eval", {"samples_t_1.jsonl": lines({"doc_id": 0, "target": 1, "resps": [["-1.5", "False"]], "filtered_resps": [["-1.5", "False"]]})}, "", "no text that a model wrote.*Got: .*-1.5"),
        ("lm-eval", {"samples_t_1.jsonl": lines({"doc_id": 0, "doc": {}, "target": "x", "filtered_resps": [-1.5]})}, "", "no text that a model wrote.*generate_until"),
        ("lm-eval", {"samples_t_1.jsonl": "{}\n{"}, "", "row 2: a line that is not JSON"),
        ("diagnosis-arena", {"a_answer.jsonl": "[1]\n"}, "a_answer.jsonl", "row 1: not an object"),
        ("clinbench-hpb", {"a.json": {"x": 1}}, "a.json", "row 1: keys are missing. Allowed: patient_info, diagnosis"),
        ("craft-md", {"m/case_1.json": {"x": 1}}, "m", "keys are missing. Allowed: trial_0"),
        ("direct", {"n.json": {"input1": "x"}}, "n.json", "neither a note nor a prediction"),
        ("kernel29", {"a.csv": KERNEL29.replace("predicted_diagnosis", "dx")}, "a.csv", "row 2: keys are missing.*predicted_diagnosis"),
        ("inspect", {"a.json": {"x": 1}}, "a.json", "nothing of a log of Inspect in it"),
    ],
)  # fmt: skip
def test_what_a_reader_refuses(tmp_path: Path, name: str, files: dict[str, Any], place: str, error: str) -> None:
    path = put(tmp_path, files) / place
    with pytest.raises(InputError, match=error):
        read_answers(path, name)


def test_a_format_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"'format' parameter must be one of inspect, lm-eval, .*kernel29"):
        read_answers(tmp_path, "helm")


def test_repeats_and_filters_of_lm_eval_are_raters(tmp_path: Path) -> None:
    sample = {"doc_id": 0, "doc": {}, "target": "Gout", "resps": [["gout", "sepsis"]]}
    put(
        tmp_path,
        {"o__m/samples_a_1.jsonl": lines({**sample, "filtered_resps": [["gout", "sepsis"]], "filter": "none"})},
    )
    assert [name for _, name, *_ in told(tmp_path)] == ["o/m [repeat 1]", "o/m [repeat 2]"]
    two = [{**sample, "filtered_resps": [text], "filter": text} for text in ("first", "last")]
    put(tmp_path, {"o__m/samples_a_1.jsonl": lines(*two)})
    assert [name for _, name, *_ in told(tmp_path)] == ["o/m (first)", "o/m (last)"]
    put(tmp_path, {"o__m/samples_b_1.jsonl": lines(two[0])})
    assert [case for case, *_ in told(tmp_path)] == ["a/0", "a/0", "b/0"]


def test_kernel29_keeps_its_ranks_relations_and_severities(tmp_path: Path) -> None:
    path = put(tmp_path, {"data.csv": KERNEL29}) / "data.csv"
    assert recognised(path) == "kernel29"
    lists = read_lists(path)
    assert (lists.list_of("p1", "m"), lists.list_of("p2", "m")) == (["Pseudogout", None, "Gout"], ["Rubella"])
    assert lists.more["relation"] == ["Exact Disease Group", None, "Exact Synonym", "Broad Disease Group"]
    assert lists.more["severity"] == ["moderate", None, None, "mild"]
    assert [[cell.value for cell in cells] for cells in lists.references.more["severity"]] == [["moderate"], ["severe"]]
    path.write_text(KERNEL29.replace("2,p2,m,std", "2,p2,m,few"))
    assert read_lists(path).raters == ["m [std]", "m [few]"]
    assert read_lists({"x": {"p1": ["Gout"]}}, references=path).reference == [("Gout",)]


def test_answers_that_cannot_be(tmp_path: Path) -> None:
    answers = [{"id": 3, "Final Diagnosis": right, "LLM Response": "1. Gout"} for right in ("Gout", "Flu")]
    put(tmp_path, {"twice_answer.jsonl": lines(answers[0], answers[0])})
    with pytest.raises(InputError, match="row 2.*a second answer of rank 1 by 'twice' for case '3' .the first is in row 1"):
        read_lists(tmp_path / "twice_answer.jsonl")
    put(tmp_path, {"a/m_answer.jsonl": lines(answers[0]), "a/n_answer.jsonl": lines(answers[1])})
    with pytest.raises(
        InputError, match="n_answer.jsonl, row 1, .*: the reference differs within the case '3'.*Got: .*Flu"
    ):
        read_lists(tmp_path / "a")
    with pytest.raises(InputError, match="the reference differs within the case '3'"):
        read_lists({"m": {"3": ["Gout"]}}, references=tmp_path / "a")


@pytest.mark.parametrize(
    ("value", "references"),
    [
        ("Gout", ("Gout",)),
        ("Gout; sepsis\nflu", ("Gout", "sepsis", "flu")),
        ("diabetes mellitus, type 2", ("diabetes mellitus, type 2",)),
        (["Gout", "Gout", " ", None], ("Gout",)),
        (None, ()),
        ("—", ()),
        (7, ("7",)),
    ],
)
def test_right_answers_in_a_value(value: Any, references: tuple[str, ...]) -> None:
    assert references_in(value) == references


def test_groups_are_short() -> None:
    assert groups_in({"ward": "A", "age": 40, "text": "x" * 61, "list": [1], "none": None, "blank": " "}) == {
        "ward": "A",
        "age": "40",
    }
    assert groups_in(None) == {}


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """A log of Inspect, made with its mock model: (answers, epochs, format) -> its folder."""
    inspect_ai = pytest.importorskip("inspect_ai", reason="the extra 'inspect' is not installed")
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import generate

    def made(
        answers: dict[str, Any], epochs: int = 1, log_format: str = "eval", name: str = "logs", task: str = "ddx"
    ) -> Path:
        said = list(answers)

        def reply(messages: Any, *_: Any) -> Any:
            output = ModelOutput.from_content("mockllm/model", said[int(messages[-1].text)])
            output.usage = ModelUsage()
            return output

        dataset = [
            Sample(id=f"c{i}", input=str(i), target=target, metadata={"ward": "A"})
            for i, target in enumerate(answers.values())
        ]
        model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
        inspect_ai.eval(
            inspect_ai.Task(dataset, solver=generate(), name=task), model=model, display="none", epochs=epochs,
            log_dir=str(tmp_path / name), log_format=log_format,
        )  # fmt: skip
        return tmp_path / name

    monkeypatch.chdir(tmp_path)
    return made


@pytest.mark.parametrize("log_format", ["eval", "json"])
def test_a_log_of_inspect(log: Callable[..., Path], log_format: str) -> None:
    folder = log({"1. Gout\n2. Flu": "Gout; sepsis", "It is not flu.": ["Flu", "Gout"]}, log_format=log_format)
    (file,) = folder.glob(f"*.{log_format}")
    for path in (folder, file):
        assert recognised(path) == "inspect"
        assert told(path) == [
            ("c0", "mockllm/model", ["Gout", "Flu"], ("Gout", "sepsis")),
            ("c1", "mockllm/model", None, ("Flu", "Gout")),
        ]
    assert {answer.more["ward"] for answer in read_answers(file, "inspect")} == {"A"}


def test_epochs_runs_and_tasks_of_inspect(log: Callable[..., Path]) -> None:
    folder = log({"Gout": "Gout"}, epochs=2)
    assert [answer[:2] for answer in told(folder)] == [
        ("c0", "mockllm/model [epoch 1]"),
        ("c0", "mockllm/model [epoch 2]"),
    ]
    log({"Gout": "Gout"}, name="again")
    log({"Flu": "Gout"}, name="again")
    again = log({"Flu": "Gout"}, name="again", task="other")
    assert sorted(answer[:2] for answer in told(again)) == [
        ("ddx/c0", "mockllm/model (run 1)"), ("ddx/c0", "mockllm/model (run 2)"), ("other/c0", "mockllm/model"),
    ]  # fmt: skip


def test_a_damaged_log_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="the extra 'inspect' is not installed")
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        archive.writestr("header.json", "{")
    assert recognised(tmp_path / "a.eval") == "inspect"
    with pytest.raises(InputError, match="a log that Inspect cannot read"):
        read_answers(tmp_path / "a.eval", "inspect")


@pytest.mark.parametrize(
    ("name", "files", "place", "answers"), [case for case in CASES if case[3][0][1] and case[3][0][3]]
)
def test_a_format_is_evaluated_as_it_is(
    tmp_path: Path, name: str, files: dict[str, Any], place: str, answers: list[Any]
) -> None:
    path = put(tmp_path, files) / place
    report = evaluate(path, matcher=By(), k=5, resampling=POINTS, metrics="recall")
    assert list(report.algorithms) == list(dict.fromkeys(model for _, model, *_ in answers))
    unread = sum(names is None for _, _, names, _ in answers)
    told = any("No diagnoses could be read from 1 answer" in finding.sentence for finding in report.findings)
    assert told == bool(unread)
    model = answers[0][1]
    mine = [one for one in answers if one[1] == model]
    right = sum(reference in (names or []) for _, _, names, references in mine for reference in references)
    assert report.row("R_disease", algorithm=model)["value"] == pytest.approx(right / sum(len(one[3]) for one in mine))


@pytest.mark.parametrize(
    ("files", "answers", "references", "value"),
    [
        ({"Website.json": CLINBENCH}, {"m": {"11": ["Gallstones"], "12": ["Gout"]}}, "Website.json", 2 / 3),
        ({"notes/ACS/n1.json": NOTE, "llama/ACS/n1.json": PREDICTION}, "llama", "notes", 1.0),
        ({"cases.csv": "case_id,case_vignette,answer\ncase_1,…,Gout\n"}, {"m": {"case_1": ["Flu"]}}, "cases.csv", 0.0),
    ],
)
def test_right_answers_in_a_format_of_their_own(
    tmp_path: Path, files: dict[str, Any], answers: Any, references: str, value: float
) -> None:
    put(tmp_path, files)
    given = answers if isinstance(answers, dict) else tmp_path / answers
    report = evaluate(given, tmp_path / references, matcher=By(), resampling=POINTS, metrics="recall")
    assert report.row("R_disease")["value"] == pytest.approx(value)


def test_a_format_without_right_answers_is_none_of_right_answers(tmp_path: Path) -> None:
    put(tmp_path, {"llama/ACS/n1.json": PREDICTION})
    with pytest.raises(InputError, match="llama: no column holds right answers"):
        evaluate({"m": {"1": ["Gout"]}}, references=tmp_path / "llama", matcher=By())


def test_the_subsets_of_clinbench_are_groups_of_cases(tmp_path: Path) -> None:
    """Three files, one of them in two parts, which number their cases anew."""
    files = dict.fromkeys(("Website.json", "Journal_part1.json", "Journal_part2.json"), CLINBENCH)
    folder = put(tmp_path, {f"cases/{name}": cases for name, cases in files.items()}) / "cases"
    answers = read_answers(folder, "clinbench-hpb")
    assert [(a.case_id, a.more["subset"], a.references) for a in answers if a.case_id.endswith("/11")] == [
        ("Journal_part1/11", "Journal", ("Gallstones", "Hypertension")),
        ("Journal_part2/11", "Journal", ("Gallstones", "Hypertension")),
        ("Website/11", "Website", ("Gallstones", "Hypertension")),
    ]
    lists = read_lists({"m": {a.case_id: ["Gallstones"] for a in answers}}, references=folder, by="subset")
    assert lists.references.groups["subset"] == ["Journal"] * 4 + ["Website"] * 2
    assert lists.reference[0] == ("Gallstones", "Hypertension")
