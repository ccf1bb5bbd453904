"""What an evaluation was asked, and how it was made: its question in words, its settings and counts, what its reader should know."""

from __future__ import annotations

from typing import Any

from ..pages.words import listed
from .lists.lists import Lists, Panel
from .matches.policy import policy_of
from .statistics.section import Context


def made_with(read: Lists, context: Context, judged: list[Panel], in_turn: bool) -> dict[str, Any]:
    profile = context.profile
    return {
        "source": read.source,
        "recognised": read.recognised,
        "n_cases": len(read.cases),
        "raters": read.raters,
        "roles": None if read.roles is None else list(read.roles),
        "panels": {read.raters[p.algorithm]: [read.raters[e] for e in p.experts] for p in judged},
        "in_turn": in_turn,
        "bootstrap": context.repeats,
        "seed": context.seed,
        "level": context.level,
        "matcher": profile.identity,
        "policy": policy_of(context.matcher),
        "threshold": float(context.matcher.threshold),
        "min_coverage": profile.min_coverage,
        "icd_source": context.icd_source,
        "references": sum(map(bool, read.reference)),
        "unique_diagnoses": len(read.strings),
        "lists": int(read.lengths.size),
        "cut_lists": int((read.lengths > context.k).sum()),
        "rejected_rows": read.rejected.rows,
        "rejected_cases": read.rejected.cases,
        "rejects": read.rejected.path,
        "versions": _versions(),
    }


def _versions() -> dict[str, str]:
    """Of dxmatch, Python and the libraries whose numbers stand in the report."""
    from importlib.metadata import version
    from platform import python_version

    libraries = ("dxmatch", "numpy", "scikit-learn", "lightgbm")
    return {"python": python_version()} | {name: version(name) for name in libraries}


def question(lists: Lists, judged: list[Panel], in_turn: bool) -> str:
    if not judged:
        return "Which model names the right diagnoses?" if len(lists.raters) > 1 else "Are the right diagnoses named?"
    if in_turn:
        return "Does each rater agree with the others as they agree among themselves?"
    names = [lists.raters[panel.algorithm] for panel in judged]
    return (
        f"{'Do' if len(names) > 1 else 'Does'} {listed(names)} agree with the experts as they agree among themselves?"
    )


def notes_on_lengths(lists: Lists, k: int, denominator: str | None) -> list[str]:
    notes = []
    short = int((lists.lengths < k).sum())
    if short:
        how = {"nk2": "; the denominator is still n k²", "observed": "; the denominator is their own lengths"}
        tail = "" if denominator is None else how[denominator]
        notes.append(f"{short:,} of {lists.lengths.size:,} lists are shorter than k = {k}{tail}.")
    cut = int((lists.lengths > k).sum())
    if cut:
        notes.append(f"{cut:,} of {lists.lengths.size:,} lists are longer than k = {k} and were cut for it.")
    if lists.rejected.rows:
        notes.append(
            f"{lists.rejected.rows:,} rows were refused, and {lists.rejected.cases:,} cases left out with them; "
            f"see {lists.rejected.path}."
        )
    return notes
