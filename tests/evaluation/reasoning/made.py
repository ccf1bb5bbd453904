"""Three notes of two categories, with fractions by hand, that a test changes and compares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dxmatch
from dxmatch.endpoints.endpoint import Endpoint
from dxmatch.evaluation.report.report import Report
from dxmatch.votes.asking import LanguageModel
from dxmatch.votes.prompts.questions import Answer, Question

from ..made import By

TREE = {"Suspected Gout": {"Gout": {"Acute Gout": [], "Chronic Gout": []}}}
SECTIONS = {f"input{n}": "None\n" for n in range(1, 7)}
FILES: dict[str, Any] = {
    "graphs/Gout.json": {
        "diagnostic": TREE,
        "knowledge": {"Suspected Gout": {"Signs": "a red toe; swelling etc.", "Symptoms": "pain"}, "Gout": "uric acid is high\n"},
    },
    "graphs/Asthma.json": {
        "diagnostic": {"Suspected Asthma": {"Mild Asthma": [], "Severe Asthma": []}},
        "knowledge": {"Suspected Asthma": "a wheeze is typical"},
    },
    "notes/Gout/toe.json": SECTIONS | {
        "Acute Gout$Intermedia_4": {
            "crystals prove gout$Cause_1": {"crystals in the joint fluid$Input6": {}},
            "Gout$Intermedia_3": {
                "uric acid is high in gout$Cause_1": {"uric acid 9.1$Input6": {}},
                "Suspected  gout$Intermedia_2": {
                    "the big toe is typical$Cause_1": {"red big toe$Input5": {}},
                    "the big toe is typical #$Cause_1": {"takes a diuretic # #$Input3": {}},
                },
            },
        },
    },
    "notes/Asthma/night.json": SECTIONS | {
        "Severe Asthma$Intermedia_3": {
            "needs the hospital$Cause_1": {"third stay this year$Input2": {}},
            "Suspected Asthma$Intermedia_2": {"a wheeze is typical$Cause_1": {"wheeze$Input5": {}}},
        },
    },
    "notes/Asthma/day.json": SECTIONS | {
        "Mild Asthma$Intermedia_3": {"Suspected Asthma$Intermedia_2": {"why$Cause_1": {"cough$Input1": {}}}},
    },
    "run/Gout/toe.json": {
        "joint fluid with crystals": ["crystals are the proof", "input6", "acute gout"],  # explained
        "uric acid of 9.1": ["uric acid is high in gout", "input6", "Suspected Gout"],  # another diagnosis
        "swollen <b>toe</b>": ["it hurts", "input5", "Suspected Gout"],  # another rationale
        "fever": ["x", "input2", "Gout"],
        "--": [None, None, None],  # says nothing, and was predicted all the same
        "chain": ["Gout", "Suspected Gout", "Gout", "Acute Gout"],
    },
    "run/Asthma/night.json": {
        "Wheeze": ["a wheeze is typical", "Input5", "suspected asthma"],
        "chain": ["Asthma", "Suspected Asthma", "Mild Asthma"],
    },
}  # fmt: skip
ALIKE = [
    {"crystals in the joint fluid", "joint fluid with crystals"}, {"crystals prove gout", "crystals are the proof"},
    {"uric acid 9.1", "uric acid of 9.1"}, {"red big toe", "swollen <b>toe</b>"}, {"Wheeze", "wheeze"},
]  # fmt: skip


def matcher() -> By:
    """M by the pairs of `ALIKE`."""
    m = By(lambda a, b: {a, b} in ALIKE)
    m.identity = "by hand"  # type: ignore[attr-defined]
    return m


def written(folder: Path, files: dict[str, Any]) -> Path:
    """Writes files, a text as it is and anything else as JSON; None takes a file away."""
    for name, value in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if value is None:
            (folder / name).unlink(missing_ok=True)
        else:
            (folder / name).write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return folder


def compared(folder: Path, changes: dict[str, Any] | None = None, **options: Any) -> Report:
    """The report of the three notes with changed files."""
    written(folder, FILES | (changes or {}))
    given = {"m": None, "runs": folder / "run", "notes": folder / "notes", "bootstrap": 0} | options
    m, runs, notes = given.pop("m") or matcher(), given.pop("runs"), given.pop("notes")
    return dxmatch.reasoning(folder / "graphs", notes, runs, m, **given)


def values(report: Report, run: str = "run", group: str | None = None, of: str = "") -> dict[str, Any]:
    """Symbol -> value of a run, over all notes or one group."""
    rows = report.rows if group is None else [row for row in report.by_group.rows if row["group"] == group]
    return {row["metric"]: row["value"] for row in rows if row["algorithm"] == run and row["of"] in ("", of)}


def told(report: Report) -> str:
    """Every finding in words."""
    return "\n".join(one.sentence for one in report.findings)


class Says(LanguageModel):
    """A language model that answers by a function instead of over a network. asked : what it was asked."""

    def __init__(self, answer: Any) -> None:
        super().__init__(Endpoint("nowhere", "http://127.0.0.1:9/v1"), "m")
        object.__setattr__(self, "answer", answer)
        object.__setattr__(self, "asked", [])

    def answers(self, prompt, asked, store, budget, progress=None):  # type: ignore[override]
        self.asked.extend((prompt.kind, *pair) for pair in asked)  # type: ignore[attr-defined]
        who, texts = self.config(prompt), [self.answer(prompt.kind, *pair) for pair in asked]  # type: ignore[attr-defined]
        return [
            None if text is None else Answer(*prompt.read(text, Question(who, *pair)), raw=text)
            for text, pair in zip(texts, asked, strict=True)
        ]
