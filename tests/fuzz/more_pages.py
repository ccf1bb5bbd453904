"""Pages beside the report whose names are attacks: reasoning, explain, audit; charts as files of their own; Markdown as HTML."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import dxmatch
from dxmatch.evaluation.report.report import Report

from ..evaluation.choice.test_choice import ANSWERS, ONE, SEVERAL
from ..evaluation.made import written
from ..evaluation.reasoning_example import GOOD, GRAPHS, NOTES


def as_file_name(text: str) -> str:
    return text.replace("/", "\N{DIVISION SLASH}").replace("\0", "")[:80]


def more_pages(folder: Path, texts: list[str], report: Report) -> Iterator[Path]:
    """Pages to be opened, each saved under an attack as its file name."""
    name = as_file_name(texts[0])
    yield from _reasoning(folder, texts, name)
    yield _audit(folder, texts, name)
    found = dxmatch.explain(dxmatch.load(), "heart attack", "angina pectoris")
    yield found.save(folder / f"explain {name}.html")
    yield from report.save_charts(folder / f"charts {name}", ["svg"])
    yield _as_html(folder / f"board {name}.html", report.to_markdown())
    yield _as_html(folder / f"choice {name}.html", _choice(texts))


def _reasoning(folder: Path, texts: list[str], name: str) -> Iterator[Path]:
    """Runs, observations and rationales are attacks."""
    place = folder / "direct"
    notes = json.loads(json.dumps(NOTES))
    for note, text in zip(notes.values(), texts, strict=False):
        note["input2"] = text
    said = {
        note: {(texts[i % len(texts)] if key == "fever" else key): value for key, value in one.items()}
        | (
            {texts[i % len(texts)]: [texts[-1], "input2", "Suspected Asthma"]}
            if "$" not in texts[i % len(texts)]
            else {}
        )
        for i, (note, one) in enumerate(GOOD.items())
    }
    graphs, annotated = written(place / "graphs", GRAPHS), written(place / "notes", notes)
    runs = {text.strip(): written(place / f"run{i}", said if i else GOOD) for i, text in enumerate(texts[:4])}
    result = dxmatch.reasoning(graphs, annotated, runs, resampling=dxmatch.Resampling(resamples=20), judge=None)
    page = folder / f"reasoning {name}.html"
    result.save(page)
    yield page
    yield _as_html(folder / f"reasoning table {name}.html", result.to_markdown())


def _audit(folder: Path, texts: list[str], name: str) -> Path:
    """Diagnoses, the column of labels, and the file are attacks."""
    rows = [
        {"a": f"{site} fracture", "b": other, texts[0]: label}
        for i, site in enumerate(("femoral", "tibial", "humeral", "radial", "ulnar", "nasal") * 2)
        for other, label in ((f"closed {site} fracture", 1), (f"{texts[i % len(texts)]} a{i}", 0))
    ]
    pairs = folder / f"{name}.jsonl"
    pairs.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    to = folder / f"audit {name}"
    dxmatch.audit(
        dxmatch.load(judge_all=True), pairs, columns={"label": texts[0]}, repeats=1, resampling={"resamples": 20}
    ).save(to)
    return to / "audit.html"


def _choice(texts: list[str]) -> str:
    questions = [{**ONE, "subset": texts[0]}, {**SEVERAL, "subset": texts[-1]}]
    answers = [{**answer, "model": text} for text in texts[:3] for answer in ANSWERS]
    return dxmatch.choice(questions, answers).to_markdown()


def _as_html(path: Path, markdown: str) -> Path:
    """As a viewer that lets HTML through would show it."""
    from markdown_it import MarkdownIt

    shown = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)
    path.write_text(f"<!DOCTYPE html><title>still</title><link rel=icon href=data:,>{shown}", "utf-8")
    return path
