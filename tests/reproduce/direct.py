"""DiReCT: its statistics of the data, from its authors' graphs and notes where the folder has them."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dxmatch
from dxmatch.evaluation.reasoning.graph import domains_of

from .figure import Figure, rows_of

PAPER = "DiReCT"
_COUNTED = "a plain count of the folder's files gives so many"
_OF_GRAPHS = ("categories", "diagnoses", "discharge_diagnoses")
_OVERALL = "overall"


def figures(folder: Path | None) -> Iterator[Figure]:
    """folder : may hold the authors' graphs (one JSON a category) and annotated notes (in folders of the categories)."""
    if folder is not None:
        yield from _published(folder, {row["domain"]: row for row in rows_of("direct_data")})


def _published(folder: Path, printed: dict[str, dict[str, str]]) -> Iterator[Figure]:
    """The counts and metrics of `reasoning`, where each annotation is its own prediction."""
    every = {file: value for file in sorted(folder.rglob("*.json")) if isinstance(value := _json(file), dict)}
    graphs = {file: value for file, value in every.items() if {"diagnostic", "knowledge"} <= {*value}}
    notes = {file: value for file, value in every.items() if "input1" in value and "chain" not in value}
    if not graphs or not notes:
        return
    of_graphs, of_notes = (Path(os.path.commonpath([file.parent for file in files])) for files in (graphs, notes))
    with tempfile.TemporaryDirectory() as written:
        for file, note in notes.items():
            path = Path(written) / file.relative_to(of_notes)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(_as_prediction(note)), encoding="utf-8")
        found = dxmatch.reasoning(of_graphs, of_notes, written, resampling=dxmatch.Resampling(resamples=0)).to_dict()
    plain: dict[str, Counter[str]] = {_OVERALL: Counter(notes=len(notes))}
    domain_of = {name: (domain or "").lower() for name, domain in domains_of(file.stem for file in graphs).items()}
    for file, graph in graphs.items():
        nodes, leaves = _size(graph["diagnostic"])
        for domain in (_OVERALL, domain_of[file.stem]):
            plain.setdefault(domain, Counter()).update(categories=1, diagnoses=nodes, discharge_diagnoses=leaves)
    for row in found["tables"]["reasoning.data"]:
        domain = _OVERALL if row["by"] == "all" else row["group"].lower()
        if row["by"] in ("all", "domain") and domain in printed:
            for name in ("notes", *_OF_GRAPHS) if domain == _OVERALL else _OF_GRAPHS:
                what, count = f"{domain}: {name} of the files", plain[domain][name]
                yield Figure(PAPER, "Table 2", what, int(printed[domain][name]), row[name], 0, count, _COUNTED)
    for row in found["table"]:
        yield Figure(PAPER, "3.5", f"{row['metric']} of the annotation itself", 1.0, row["value"])


def _json(file: Path) -> Any:
    try:
        return json.loads(file.read_bytes())
    except ValueError:
        return None


def _size(tree: Any) -> tuple[int, int]:
    """The diagnoses of a graph, and its leaves."""
    below = [_size(subtree) for subtree in tree.values()] if tree else []
    return len(below) + sum(n for n, _ in below), sum(leaves for _, leaves in below) if below else 1


def _as_prediction(note: dict[str, Any]) -> dict[str, Any]:
    """The annotation as if a model had said it."""
    prediction: dict[str, Any] = {}
    chain: list[str] = []

    def walk(tree: dict[str, Any], diagnosis: str, rationale: str) -> None:
        for key, below in tree.items():
            text, _, kind = key.rpartition("$")
            text = text.rstrip("# ")
            if kind.startswith("Intermedia"):
                chain.insert(0, text)
                walk(below, text, "")
            elif kind.startswith("Cause"):
                walk(below, diagnosis, text)
            else:
                prediction[text] = [rationale, kind.lower(), diagnosis]

    walk({key: value for key, value in note.items() if "$" in key}, "", "")
    return prediction | {"chain": chain}
