"""DiReCT: its statistics of the data, from its table and from its authors' graphs and notes where the folder has them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from dxmatch.evaluation.reasoning.evaluate import reasoning
from dxmatch.evaluation.reasoning.graph import KnowledgeGraph
from dxmatch.evaluation.reasoning.notes import Annotation, read_annotations

from .figure import Figure
from .printed_tables import rows_of

PAPER = "DiReCT"
_NOTES = "Table 2 prints 510 notes overall; its five rows make 511, and so says the text (1, 3)"
_OVERALL = "overall"


def figures(folder: Path | None) -> Iterator[Figure]:
    """folder : may hold the authors' graphs (one JSON a category) and annotated notes (in folders of the categories)."""
    rows = rows_of("direct_data")
    overall = next(row for row in rows if row["domain"] == _OVERALL)
    domains = [row for row in rows if row is not overall]
    for name in ("categories", "notes", "diagnoses", "discharge_diagnoses"):
        total = sum(int(row[name]) for row in domains)
        yield Figure(PAPER, "Table 2", f"{name}, over the domains", int(overall[name]), total, 0, _NOTES)
    mean = sum(int(row["notes"]) * float(row["observations"]) for row in domains) / sum(
        int(r["notes"]) for r in domains
    )
    yield Figure(PAPER, "Table 2", "observations a note, over the domains", float(overall["observations"]), mean, 0.1)
    if folder is not None:
        yield from _published(folder, overall)


def _published(folder: Path, printed: dict[str, str]) -> Iterator[Figure]:
    graphs = _folder_of(folder, lambda value: {"diagnostic", "knowledge"} <= set(value))
    notes = _folder_of(folder, lambda value: "input1" in value and "chain" not in value)
    if graphs is None:
        return
    graph = KnowledgeGraph.read(graphs)
    categories = graph.categories.values()
    part = "the folder holds a part of the graphs"
    yield Figure(PAPER, "Table 2", "graphs", int(printed["categories"]), len(categories), 0, part)
    yield Figure(PAPER, "Table 2", "diagnoses of the graphs", int(printed["diagnoses"]), sum(len(one.paths) for one in categories), 0, part)  # fmt: skip
    leaves = sum(len(one.paths - {path[:-1] for path in one.paths}) for one in categories)
    yield Figure(PAPER, "Table 2", "leaves of the graphs", int(printed["discharge_diagnoses"]), leaves, 0, part)
    if notes is None:
        return
    annotated = read_annotations(notes)
    yield Figure(PAPER, "Table 2", "notes", 511, len(annotated), 0, "the folder holds a sample of the notes")
    with tempfile.TemporaryDirectory() as written:
        for name, one in annotated.items():
            _write_prediction(Path(written) / name, graph, one)
        for row in reasoning(graphs, notes, written, premises=False, bootstrap=0).rows:
            if row["by"] == "all":
                yield Figure(PAPER, "3.5", f"{row['metric']} of the annotation itself", 1.0, row["value"])


def _write_prediction(path: Path, graph: KnowledgeGraph, one: Annotation) -> None:
    """The annotation as if a model had said it."""
    category = graph.category_of(one.path)
    said: dict[str, object] = {d.observation: [d.rationale, f"input{d.section}", d.diagnosis] for d in one.deductions}
    said["chain"] = [category.name if category else "", *one.path]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(said), encoding="utf-8")


def _folder_of(folder: Path, is_one) -> Path | None:
    """The outermost folder whose JSON files are all of a kind: graphs, or notes."""
    kinds: dict[Path, bool] = {}
    for file in sorted(folder.rglob("*.json")):
        try:
            value = json.loads(file.read_bytes())
        except ValueError:
            value = None
        kinds[file] = isinstance(value, dict) and is_one(value)
    for place in sorted(
        {above for file in kinds for above in file.parents if folder in (above, *above.parents)},
        key=lambda p: len(p.parts),
    ):
        of_place = [kind for file, kind in kinds.items() if place in file.parents]
        if of_place and all(of_place):
            return place
    return None
