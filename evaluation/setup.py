"""What an evaluation was asked, in words and for the JSON: the question, and how the report was made."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any

from ..files.columns import frame_like
from ..files.counted import counted, shown_threshold
from ..pages.words import listed
from .match.matches import Matches
from .report.raters import Raters
from .report.results import Setup
from .score.scores import Settings


def setup_of(matches: Matches, raters: Raters, settings: Settings, given: Any) -> Setup:
    """What was asked, in words and for the JSON."""
    answers, m, resampling = matches.answers, matches.m, settings.resampling
    n = counted(len(answers.cases), "case")
    judges = counted(len(answers.raters), "rater" if raters.panels else "model")
    read_as = f" · read as {answers.recognised.partition(' (')[0].partition(';')[0]}" if answers.recognised else ""
    from_up = f"a match from {shown_threshold(m.threshold)} up"
    policy = f", policy {m.policy}" if m.policy else ""
    ks = "; ".join(f"{family} {'all' if k is None else k}" for family, k in settings.k.items())
    lines = [
        ("Answers", f"{answers.source}: {n}, {judges} ({', '.join(answers.raters)}); {counted(len(answers.strings), 'different diagnosis', 'different diagnoses')}; counted of each list: {ks}"),
        ("Read as", answers.recognised),
        ("Right answers", f"{sum(map(bool, answers.reference)):,} of {n} have one"),
        ("Match function", f"{m.identity}, {from_up}{policy}" + (f"; each of its votes is known for at least {m.min_coverage:.0%} of the pairs" if m.min_coverage else "")),
        ("Intervals", f"{resampling.level:.0%} percentile, {resampling.resamples:,} resamples of the cases, seed {resampling.seed}" if resampling.resamples else "none asked for"),
    ]  # fmt: skip
    if raters.panels:
        own = "n k²" if settings.panel.denominator == "nk2" else "the lists' own lengths, cut to k"
        lines += [("Denominator", own), ("Hardness", f"{settings.panel.hardness:g} (1 compares averages, 0 the best of the algorithm with the worst of the panel)")]  # fmt: skip
    if matches.codes is not None:
        by = f"; codes of texts by {matches.codes.by}" if matches.codes.by else ""
        lines.append(("ICD-10", f"the tree {matches.codes.tree}{by}"))
    versions = {"python": python_version()} | {
        name: version(name) for name in ("dxmatch", "numpy", "scikit-learn", "lightgbm")
    }
    lines.append(("Made with", ", ".join(f"{name} {number}" for name, number in versions.items())))
    return Setup(
        question=_question(raters),
        opening=f"{Path(answers.source).name} · {n} · {judges}{read_as} · match function {m.identity}{policy}, {from_up}",
        resampling=resampling,
        ks=settings.k,
        hardness=settings.panel.hardness,
        settings={
            "source": answers.source, "recognised": answers.recognised, "n_cases": len(answers.cases), "raters": answers.raters,
            "roles": answers.roles and list(answers.roles), "panels": dict(raters.panels), "in_turn": raters.in_turn,
            "groups": dict(raters.groups), "compared": raters.compared, "bootstrap": resampling.resamples, "seed": resampling.seed,
            "level": resampling.level, "matcher": m.identity, "policy": m.policy, "threshold": m.threshold,
            "min_coverage": m.min_coverage, "icd_source": None if matches.codes is None else matches.codes.tree, "difficulty": settings.graded.difficulty,
            "semantic_best": settings.graded.best, "denominator": settings.panel.denominator, "k": dict(settings.k),
            "references": sum(map(bool, answers.reference)), "unique_diagnoses": len(answers.strings), "lists": int(answers.lengths.size),
            "pairs_asked": None if matches.peers is None else len(matches.peers.codes),
            "cut_lists": int((answers.lengths > settings.relative_k).sum()),
            "short_lists": {str(k): int((answers.lengths < k).sum()) for k in range(1, settings.max_k + 1)} if raters.panels else {},
            "icd_codes_by": None if matches.codes is None else matches.codes.by, "rejected_rows": answers.rejected.rows,
            "rejected_cases": answers.rejected.cases, "rejects": answers.rejected.path, "versions": versions,
        },
        lines=[line for line in lines if line[1]],
        match=f"matches by {m.identity}{policy}",
        frame=frame_like(given),
    )  # fmt: skip


def _question(raters: Raters) -> str:
    if not raters.panels:
        return "Which model names the right diagnoses?" if len(raters.names) > 1 else "Are the right diagnoses named?"
    if raters.in_turn:
        return "Does each rater agree with the others as they agree among themselves?"
    who = f"{'Do' if len(raters.panels) > 1 else 'Does'} {listed(list(raters.panels))}"
    return f"{who} agree with the experts as they agree among themselves?"
