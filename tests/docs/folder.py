"""What the pages find in their working folder: the bundled example, and its parts under the names that commands show."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

from dxmatch.models.folder import SHIPPED_MODEL

from ..case_table import rows_of
from ..diagnosing.test_published import published
from ..evaluation.made import written
from .blocks import ROOT

EXAMPLE = ROOT / "example"
_REASONING = ROOT / "tests/golden/evaluation/runs/reasoning_zero.json"
_ENDPOINT = '[endpoint.{name}]\nurl = "{url}"\nconcurrency = 8\ntries = 2\n\n'
_PRICES = '[price."llama-3-8b"]\nprompt = 0.1\ncompletion = 0.4\n'
_FEATURES = '[[feature]]\nname = "icd_mine"\nkind = "icd_pick"\nmodel = "my-org/my-model"\nendpoint = "local"\n'
_CASES = [
    {"case_id": "7", "text": "A man of 54, crushing chest pain for two hours, ST elevation in II, III and aVF.",
     "reference": "inferior myocardial infarction", "specialty": "cardiology"},
    {"case_id": "8", "text": "A woman of 31, joint pain, a rash over the cheeks, protein in the urine.",
     "reference": "systemic lupus erythematosus", "specialty": "rheumatology"},
]  # fmt: skip


_NUMBERED = "1. Myocardial infarction: the chest pain.\n2. Angina pectoris: it came before.\n3. Gout: one never knows."
ANSWERS: list[dict[str, Any]] = [
    {"contains": "Is the judgement correct", "text": '{"verdict": "correct", "basis": "The list is short."}'},
    {"contains": "include the reference disease", "text": '{"verdict": "included", "basis": "It is the first."}'},
    {"contains": "number alone", "text": "1"},
    {"contains": "icd_name", "text": "1"},
    {"contains": "Answer: A", "text": "Answer: A"},
    *({"contains": words, "text": _NUMBERED} for words in ("chest pain", "joint pain", "known of a patient")),
]
"""What the language models of the pages answer; "Yes" or "No" to anything else."""
_QUESTIONS = [
    {
        "question": "Which vessel is blocked?",
        "options": {"A": "coronary", "B": "renal", "C": "hepatic"},
        "answer": "A",
        "topic": "heart",
    },
    {
        "question": "Which are infections?",
        "options": {"A": "sepsis", "B": "gout", "C": "zoster"},
        "answer": "AC",
        "topic": "infections",
    },
]


def lay_out(folder: Path, url: str) -> None:
    """Fills the empty `folder`; its endpoints are at `url`."""
    shutil.copytree(EXAMPLE, folder / "example")
    shutil.copytree(EXAMPLE / "models", folder / "answers")
    pairs, lists = rows_of(EXAMPLE / "pairs.csv"), rows_of(EXAMPLE / "lists.csv")
    right = rows_of(EXAMPLE / "right_answers.csv")
    two = [{name: row[name] for name in ("a", "b")} for row in pairs]
    _write(folder / "pairs.csv", two[:100])
    _write(folder / "pool.csv", two[100:300])
    _write(folder / "labelled.csv", pairs)
    _write(folder / "held_out.csv", pairs[-120:])
    _write(folder / "lists.csv", lists)
    panel = [row | {"rater": row["rater"].replace("algorithm", "gpt4")} for row in lists]
    _write(folder / "panel.csv", _without(panel, "role", "reference"))
    _write(folder / "gold.csv", _without(right, "specialty"))
    shutil.copy(EXAMPLE / "models" / "aster.jsonl", folder / "answers.jsonl")
    (folder / "cases.json").write_text(json.dumps({row["case_id"]: row["reference"] for row in right}), "utf-8")
    _write(
        folder / "labels.csv",
        [{"case_id": row["case_id"], "reference": row["reference"].split(";")[0], "label": 1} for row in right[:3]],
    )
    scored = {"relation": "broad synonym", "severity": "severe", "reference_severity": "critical", "organ": "heart"}
    _write(folder / "kernel29.csv", [row | scored for row in lists])
    pq.write_table(pa.Table.from_pylist(two), folder / "pairs.parquet")
    diagnoses = {"heart attack": "I21.9", "type 2 diabetes": "E11.9", "gout": "M10.9", "pneumonia": "J18.9"}
    _write(folder / "strings.csv", [{"dx": name, "diagnosis": name} for name in diagnoses])
    _write(folder / "names.csv", [{"diagnosis": name, "icd10": code} for name, code in diagnoses.items()])
    _write(folder / "terms.csv", [{"code": f"L{i}", "term": name} for i, name in enumerate(diagnoses)])
    _write(folder / "cases.csv", _CASES)
    _write(folder / "odd.csv", [
        {"patient": n, "who": who, "first": "gout", "then": then, "truth": "gout"}
        for n in (1, 2, 3) for who, then in (("a", "sepsis"), ("b", ""))
    ])  # fmt: skip
    for file in ("my.toml", "endpoints.toml", "e.toml"):
        names = ("here", "cloud", "lab", "local")
        (folder / file).write_text("".join(_ENDPOINT.format(name=name, url=url) for name in names) + _PRICES)
    (folder / "mine.toml").write_text(_ENDPOINT.format(name="local", url=url) + _FEATURES)
    (folder / "preset.toml").write_text('features = "mine.toml"\nentries = "names"\n')
    shutil.copytree(SHIPPED_MODEL, folder / "my-model")
    header, *patients = published(folder).read_text("utf-8").splitlines(keepends=True)
    (folder / "release_test_patients.csv").write_text(header + "".join(patients * 500), "utf-8")
    written(folder, json.loads(_REASONING.read_text("utf-8"))["files"])
    _write(folder / "people.csv", [
        {"note": "Asthma/a1.json", "observation": "wheeze", "predicted": "wheeze", "label": 1},
        {"note": "Stroke/s1.json", "observation": "droop", "predicted": "clot", "label": 0},
    ])  # fmt: skip
    for run in ("run-1", "run-2", "run-g", "run-k", "runs/gpt4-g", "runs/gpt4-k"):
        shutil.copytree(folder / "good", folder / run)
    (folder / "cnqa.json").write_text(json.dumps(_QUESTIONS), "utf-8")
    (folder / "questions.json").write_text(json.dumps(_QUESTIONS), "utf-8")
    _write(folder / "answers.csv", [{"question_id": n, "shift": s, "response": "A"} for n in (1, 2) for s in (0, 1)])
    sheet = openpyxl.Workbook()
    assert sheet.active is not None
    models = {name: _answers(EXAMPLE / "models" / f"{name}.jsonl") for name in ("aster", "birch")}
    sheet.active.append(["id", "right answer", *models])
    for row in right:
        sheet.active.append(
            [row["case_id"], row["reference"], *(answers[row["case_id"]] for answers in models.values())]
        )
    sheet.save(folder / "sheet.xlsx")


def write_titled(file: Path, text: str, url: str) -> None:
    """The block that a page shows as this file; what it says is served elsewhere is asked for at `url`."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".toml":
        text = re.sub(r'^url = ".*?"', f'url = "{url}"', text, flags=re.MULTILINE)
    file.write_text(text, "utf-8")


def _answers(file: Path) -> dict[str, str]:
    records = (json.loads(line) for line in file.read_text("utf-8").splitlines())
    return {record["case_id"]: record["answer"] for record in records}


def _without(rows: Iterable[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in names} for row in rows]


def _write(file: Path, rows: Sequence[dict[str, Any]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.DictWriter(opened, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
