"""Every note on the page: what is common, only in the note, only predicted; with a search and filters that need no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...pages.templates import template
from .compared import JUDGE, M, Run
from .note_table import COMMON, ONLY_NOTE, ONLY_PREDICTED, deduction_rows, premises_text
from .results import ReasoningResults

_HERE = Path(__file__).parent
_MOST = 600
"""Notes times runs: some ten megabytes."""


class NoteBrowser(NamedTuple):
    """html : the section. script, style : to be joined to those of the page."""

    html: str
    script: str
    style: str


def note_browser(result: ReasoningResults) -> NoteBrowser:
    """Of all notes; where they are too many, of those that the runs explain least (Exp_all)."""
    runs = result.runs
    by = JUDGE if JUDGE in runs[0].by else M
    places = _chosen(runs, by, max(1, _MOST // len(runs)), result.made_with["missing"])
    html = template("notes.html.j2", _HERE).render(
        notes=[_note(result, place, by) for place in places],
        total=len(runs[0].notes),
        runs=[run for run, _ in result.board.lines],
        categories=sorted(set(runs[0].categories)),
        by=result.made_with["judge"] if by == JUDGE else "M",
        common=COMMON, only_note=ONLY_NOTE, only_predicted=ONLY_PREDICTED,
        premises=result.made_with["premises"],
    )  # fmt: skip
    return NoteBrowser(html, (_HERE / "notes.js").read_text("utf-8"), (_HERE / "notes.css").read_text("utf-8"))


def _chosen(runs: list[Run], by: str, most: int, missing: str) -> list[int]:
    if len(runs[0].notes) <= most:
        return list(range(len(runs[0].notes)))
    values = np.stack([run.values(by, missing)["explanation_of_all"] for run in runs])
    worst = np.argsort(np.nan_to_num(values).mean(0), kind="stable")[:most]
    return sorted(worst.tolist())


def _note(result: ReasoningResults, place: int, by: str) -> dict[str, Any]:
    first = result.runs[0]
    of_name = {run.name: run for run in result.runs}
    runs = [_of_run(result, of_name[name], place, by) for name, _ in result.board.lines]
    said = [one.diagnosis for one in first.annotated[place].deductions]
    said += [row["predicted_diagnosis"] for run in runs for row in run["rows"]]
    named = dict.fromkeys(name for name in (*first.annotated[place].path, *said) if name)
    premises = {name: premises_text(result.graph, first.categories[place], name) for name in named}
    return {
        "name": first.notes[place],
        "category": first.categories[place],
        "path": first.annotated[place].path,
        "runs": runs,
        "premises": {name: text for name, text in premises.items() if text},
    }


def _of_run(result: ReasoningResults, run: Run, place: int, by: str) -> dict[str, Any]:
    reached, prediction = run.reached[place], run.predicted[place]
    rows = list(deduction_rows(run, place, result.graph, by))
    right = run.right()["diagnosis_accuracy"][place]
    kinds = [row["kind"] for row in rows]
    differs = any(row["kind"] == COMMON and not row["explained"] for row in rows)
    shows = {
        "wrong": not right, "missed": ONLY_NOTE in kinds, "invented": ONLY_PREDICTED in kinds, "differs": differs,
        "none": prediction is None,
    }  # fmt: skip
    return {
        "name": run.name,
        "predicted": prediction is not None,
        "chain": [] if prediction is None else list(prediction.chain or ()),
        "diagnosis": reached.diagnosis,
        "right": right,
        "in_graph": reached.path_in_graph,
        "rows": rows,
        "counts": {kind: kinds.count(kind) for kind in (COMMON, ONLY_NOTE, ONLY_PREDICTED)},
        "explained": sum(bool(row["explained"]) for row in rows),
        "shows": " ".join(name for name, held in shows.items() if held),
    }
