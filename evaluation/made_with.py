"""What an evaluation was asked, and how it was made: its question in words, its settings and counts, what its reader should know."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..files.counted import counted
from ..pages.words import listed
from .lists.lists import Lists, Panel
from .matches.policy import policy_of
from .statistics.list_lengths import ks_of, told_ks
from .statistics.section import RELATIVE, Context


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
        "difficulty": context.difficulty,
        "semantic_best": context.semantic_best,
        "references": sum(map(bool, read.reference)),
        "unique_diagnoses": len(read.strings),
        "lists": int(read.lengths.size),
        "k": ks_of(context.k),
        "cut_lists": int((read.lengths > context.relative_k).sum()),
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


def notes_on_lengths(lists: Lists, context: Context, families: Collection[str]) -> list[str]:
    """Sentences on how many diagnoses of each list count for the families that were computed, and on rows that do not."""
    ks, k = ks_of(context.k), context.relative_k
    notes = []
    short = int((lists.lengths < k).sum()) if RELATIVE in families else 0
    if short:
        how = {"nk2": "; the denominator is still n k²", "observed": "; the denominator is their own lengths"}
        notes.append(f"{short:,} of {lists.lengths.size:,} lists are shorter than k = {k}{how[context.denominator]}.")
    cutting = {family: at for family, at in ks.items() if family in families and family != "ranking" and at is not None}
    cut = int((lists.lengths > min(cutting.values())).sum()) if cutting else 0
    if cut:
        notes.append(
            f"{cut:,} of {lists.lengths.size:,} lists are longer than what counts of them ({told_ks(ks, families)}) and were cut."
        )
    if lists.rejected.rows:
        notes.append(
            f"{lists.rejected.rows:,} rows were refused, and {counted(lists.rejected.cases, 'case')} left out with them; "
            f"see {lists.rejected.path}."
        )
    return notes
