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

FILES: dict[str, Any] = json.loads((Path(__file__).parent / "files.json").read_text("utf-8"))
"""Name -> content of the files of two graphs, three notes, and two runs: one perfect, one that lacks a note."""
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
    given = {
        "runs": folder / "run",
        "notes": folder / "notes",
        "matcher": matcher(),
        "resampling": {"resamples": 0},
    } | options
    return dxmatch.reasoning(folder / "graphs", given.pop("notes"), given.pop("runs"), **given)


def values(report: Report, run: str = "run", group: str | None = None, of: str = "") -> dict[str, Any]:
    """Symbol -> value of a run, over all notes or one group."""
    rows = report.rows if group is None else [row for row in report.group_rows if row["group"] == group]
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
