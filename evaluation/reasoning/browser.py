"""Every note on the page: what is common, only in the note, only predicted; with a search and filters that need no network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...pages.templates import template
from ..report.document import Browser
from .correspondence import Likeness
from .run import COMMON, ONLY_NOTE, ONLY_PREDICTED, Run, is_same, premises_text

_HERE = Path(__file__).parent
MOST = 600
"""Notes times runs: some ten megabytes."""


def browser(runs: Sequence[Run], judge: Likeness) -> Browser:
    """Makes the notes for the page; where they are too many, those that the runs explain least (Exp_all) by the judge."""
    first, most = runs[0], max(1, MOST // len(runs))
    explained = np.nan_to_num([run.values(judge.by)["explanation_of_all"] for run in runs]).mean(0)
    places = sorted(np.argsort(explained, kind="stable")[:most].tolist())
    html = template("notes.html.j2", _HERE).render(
        notes=[_note(runs, at, judge.by) for at in places], total=len(first.notes), runs=[run.name for run in runs],
        categories=sorted(set(first.categories)), by=judge.name, common=COMMON, only_note=ONLY_NOTE, only_predicted=ONLY_PREDICTED,
    )  # fmt: skip
    script, style = ((_HERE / f"notes.{kind}").read_text("utf-8") for kind in ("js", "css"))
    return Browser(html, script, style)


def _note(runs: Sequence[Run], at: int, by: str) -> dict[str, Any]:
    first, shown = runs[0], [_of_run(run, at, by) for run in runs]
    named = [
        *first.annotated[at].path,
        *(row[f"{side}diagnosis"] for one in shown for row in one["rows"] for side in ("", "predicted_")),
    ]
    texts = {name: premises_text(first.graph, first.categories[at], name) for name in dict.fromkeys(named) if name}
    return {
        "name": first.notes[at],
        "category": first.categories[at],
        "path": first.annotated[at].path,
        "runs": shown,
        "premises": {name: text for name, text in texts.items() if text},
    }


def _of_run(run: Run, at: int, by: str) -> dict[str, Any]:
    reached, predicted, rows = run.reached[at], run.predicted[at], list(run.deduction_rows(by, at))
    right = is_same(reached.diagnosis, run.annotated[at].path[-1])
    kinds, explained = Counter(row["kind"] for row in rows), sum(bool(row["explained"]) for row in rows)
    shows = {
        "wrong": not right, "missed": kinds[ONLY_NOTE], "invented": kinds[ONLY_PREDICTED], "differs": kinds[COMMON] > explained,
        "none": predicted is None,
    }  # fmt: skip
    return {
        "name": run.name,
        "predicted": predicted is not None,
        "chain": " → ".join((predicted and predicted.chain) or ()) or reached.diagnosis or "none predicted",
        "right": right,
        "in_graph": reached.path_in_graph,
        "rows": rows,
        "counts": kinds,
        "explained": explained,
        "shows": " ".join(name for name, held in shows.items() if held),
    }
