"""Kernel29: the worked examples of its text, and its authors' scores where the folder has them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dxmatch.evaluation.lists.formats.registry import read_answers, recognised
from dxmatch.evaluation.metrics.weighted import SETTINGS, aggregated, semantic_score, severity_score
from dxmatch.files.tables import read_table

from .figure import Figure, many

PAPER = "Kernel29"
_EXACT, _BROAD, _GROUP, _WIDE, _NONE = (
    "exact synonym", "broad synonym", "exact disease group", "broad disease group", "not related",
)  # fmt: skip
_SCORES = [
    ("4.1, semantic", [_EXACT, _GROUP, _WIDE], None, 8.25),
    ("4.3, best semantic", [_BROAD, _BROAD, _GROUP, _WIDE, _WIDE], None, 6.4),
    ("4.3, worst semantic", [_NONE, _NONE, _NONE, _WIDE, _WIDE], None, 0.2),
    ("4.2, severity", ["rare", "rare", "severe"], "rare", 13.0),
    ("4.3, best severity", ["rare", "rare", "rare", "severe", "rare"], "rare", 14.4),
    ("4.3, worst severity", ["mild", "rare", "severe", "mild", "critical"], "rare", 5.67),
]
_AGGREGATES = {
    (1.0, -0.5, 0.25, -1.0): (-0.289, -0.490, -0.577),
    (1.0, 0.8, 0.9, -0.1): (0.537, 0.333, 0.147),
    (-0.8, -0.9, -1.0, 0.1): (-0.738, -0.753, -0.769),
}
_SLIP = "a slip in print: it weighs +0.1 by 0.450, where its formula gives 1/(1 + exp(0.1 - 0.3)) = 0.550"


def figures(folder: Path | None) -> Iterator[Figure]:
    """folder : may hold a table of the authors with the scores of each case beside relations and severities."""
    for place, words, reference, printed in _SCORES:
        ours = semantic_score(words) if reference is None else severity_score(reference, words)
        yield Figure(PAPER, place, ", ".join(words), printed, float(ours), 0.005)
    for cases, of_settings in _AGGREGATES.items():
        for setting, printed in zip(SETTINGS, of_settings, strict=True):
            why = _SLIP if printed == -0.738 else ""
            ours = float(aggregated(list(cases), setting))
            # the source cuts some digits and rounds others
            yield Figure(PAPER, "Table 4", f"{setting}: {cases}", printed, ours, 0.001, why)
    if folder is not None:
        yield from _of_authors(folder)


def _of_authors(folder: Path) -> Iterator[Figure]:
    """Of each case, model and prompt: the scores of the table with the columns semantic_score and severity_score."""
    tables = [
        path for path in sorted(folder.rglob("*.csv")) if (found := recognised(path)) and found.name == "kernel29"
    ]
    printed = [table for path in sorted(folder.rglob("*.csv")) if (table := _scores(path)) is not None]
    if not tables or not printed:
        return
    answers = [answer for path in tables for answer in read_answers(path, "kernel29")]
    ours = {(answer.case_id, answer.model): answer for answer in answers}
    pairs: dict[str, list[tuple[float, float]]] = {"semantic_score": [], "severity_score": []}
    for table in printed:
        for row in table.to_pylist():
            case, model = str(row["patient_id"]), str(row.get("model_name", ""))
            answer = ours.get((case, f"{model} [{row.get('prompt_name')}]")) or ours.get((case, model))
            if answer is None:
                continue
            ranks = [int(rank) for rank in answer.each["rank"]]
            semantic = semantic_score([word or _NONE for word in answer.each["relation"]], ranks)
            severity = severity_score(answer.more.get("reference_severity"), answer.each["severity"], ranks)
            for name, value in (("semantic_score", semantic), ("severity_score", severity)):
                pairs[name].append((float(row[name]), float(value)))
    for name, found in pairs.items():
        if found:
            yield many(PAPER, "authors' file", f"{name} of each case", found, 0.005)


def _scores(path: Path) -> Any:
    data = read_table(path).data
    return data if {"patient_id", "semantic_score", "severity_score"} <= {*data.column_names} else None
