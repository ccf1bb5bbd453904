"""Every note in the browser of cases: its path, where each run leads, and what both say of its observations."""

from __future__ import annotations

from collections.abc import Sequence

from ...pages.rows import Row
from ..report.cases import browser_of, group_of
from ..report.document import Browser
from .correspondence import Likeness
from .run import COMMON, Run, is_same

MOST = 600
"""Notes times runs."""
_ABOUT = (
    "Each note with its annotated path, and the path of each run: ✓ where it ends in the right diagnosis. Below it: which observations both sides have, by "
    "{by}, and whether they are explained alike (for one diagnosis, with rationales that are alike); what stands in the note alone; what was predicted alone. "
    "{shown:,} of {total:,} notes are here, the first where these are not all; the table of deductions has all."
)


def browser(runs: Sequence[Run], judge: Likeness, domains: Sequence[str | None]) -> Browser:
    """Makes the notes for the page; where they are too many, the first."""
    first = runs[0]
    notes = range(min(len(first.notes), max(1, MOST // len(runs))))
    lists = [(at, run, run.predicted[at], run.reached[at].diagnosis) for at in notes for run in runs]
    paths = [" → ".join(said.chain if said else ()) for _, _, said, _ in lists]
    data = {
        "k": 1, "ranks": 1, "total": len(first.notes), "models": [run.name for run in runs], "cases": [first.notes[at] for at in notes],
        "groups": [group_of(name, [of[at] for at in notes]) for name, of in (("domain", domains), ("category", first.categories))],
        "strings": [*(" → ".join(first.annotated[at].path) for at in notes), *paths],
        "right": [[place] for place in range(len(notes))],
        "final": [""] * len(notes),
        "lengths": [-1 if said is None else 1 for _, _, said, _ in lists],
        "unread": [],
        "judged": [[place, list(map(_said, run.deductions[judge.by][at]))] for place, (at, run, _, _) in enumerate(lists)],
        "entries": [place if paths[place] else -1 for place, (_, _, said, _) in enumerate(lists) if said is not None],
        "pairs": {
            "diagnosis": [len(notes) + place for place in range(len(lists))],
            "right": [place // len(runs) for place in range(len(lists))],
            "match": [int(is_same(reached, first.annotated[at].path[-1])) for at, _, _, reached in lists],
            "why": [0] * len(lists), **{name: [-1] * len(lists) for name in ("probability", "relation", "doubt")},
        },
        "reasons": [""], "relations": [], "doubts": [],
    }  # fmt: skip
    return browser_of(data, about=_ABOUT.format(by=judge.name, shown=len(notes), total=len(first.notes)))


def _said(row: Row) -> str:
    """What stands on one side alone, or what both have and whether they explain it alike."""
    alike = (
        "explained alike" if row["explained"] else "another rationale" if row["same_diagnosis"] else "another diagnosis"
    )
    lines = [f"{row['kind'].capitalize()}{f', {alike}' if row['kind'] == COMMON else ''}"]
    for name, of in (("In the note", ""), ("Predicted", "predicted_")):
        if row[f"{of}observation"]:
            why, diagnosis = row[f"{of}rationale"] or "no rationale", row[f"{of}diagnosis"] or "no diagnosis"
            lines.append(f"{name}: {row[f'{of}observation']}; {why} → {diagnosis}")
    return "\n".join(lines)
