"""What an evaluation was asked, in words and for the JSON: the question, and how the report was made."""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any

from ..files.table import frame_like
from ..files.wording import counted, shown_threshold
from ..pages.words import at_most, listed
from .match.matches import Matches
from .report.raters import Raters
from .report.results import Setup
from .score.scores import Settings


def setup_of(matches: Matches, raters: Raters, settings: Settings, given: Any) -> Setup:
    """What was asked, in words and for the JSON."""
    answers, m, codes, resampling = matches.answers, matches.m, matches.codes, settings.resampling
    origin, n, right = answers.origin, counted(len(answers.cases), "case"), sum(map(bool, answers.reference))
    judges = counted(len(answers.raters), "rater" if raters.panels else "model")
    read_as = origin.recognised.rpartition(" (")[0]  # its size stands beside it
    from_up = f"a match from {shown_threshold(m.threshold)} up"
    policy = f", policy {m.policy}" if m.policy else ""
    votes = f"; each of its votes is known for at least {m.min_coverage:.0%} of the pairs" if m.min_coverage else ""
    ks = "; ".join(f"{family} {'all' if k is None else k}" for family, k in settings.k.items())
    libraries = ("dxmatch", "numpy", "scikit-learn", "lightgbm")
    versions = {"python": python_version()} | {name: version(name) for name in libraries}
    lines = {
        "Answers": f"{answers.source}: {n}, {judges} ({', '.join(answers.raters)}); {counted(len(answers.strings), 'different diagnosis', 'different diagnoses')}; counted of each list: {ks}",
        "Read as": origin.recognised,
        "Right answers": f"{right:,} of {n} have one",
        "Match function": f"{m.identity}, {from_up}{policy}{votes}",
        "Intervals": f"{resampling.level:.0%} percentile, {resampling.resamples:,} resamples of {resampling.drawn or 'the cases'}, seed {resampling.seed}" if resampling.resamples else "none asked for",
        "Denominator": {"nk2": "n k²", "observed": "the lists' own lengths, cut to k"}[settings.panel.denominator] if raters.panels else "",
        "Hardness": f"{settings.panel.hardness:g} (1 compares averages, 0 the best of the algorithm with the worst of the panel)" if raters.panels else "",
        "ICD-10": f"the tree {codes.tree}" + (f"; codes of texts by {codes.by}" if codes.by else "") if codes else "",
        "Made with": ", ".join(f"{name} {number}" for name, number in versions.items()),
    }  # fmt: skip
    return Setup(
        question=_question(raters),
        opening=" · ".join(filter(None, (
            Path(answers.source).name, n, judges, f"read as {read_as}" if read_as else "", f"match function {m.identity}{policy}, {from_up}",
        ))),
        resampling=resampling,
        ks=settings.k,
        hardness=settings.panel.hardness,
        settings={
            "source": answers.source, "recognised": origin.recognised, "n_cases": len(answers.cases), "raters": answers.raters,
            "roles": answers.roles and list(answers.roles), "panels": dict(raters.panels), "in_turn": raters.in_turn,
            "groups": dict(raters.groups), "compared": raters.compared, **asdict(resampling), "matcher": m.identity, "policy": m.policy,
            "threshold": m.threshold, "min_coverage": m.min_coverage, "icd_source": codes and codes.tree, "icd_codes_by": codes and codes.by,
            "difficulty": settings.graded.difficulty, "semantic_best": settings.graded.best, "denominator": settings.panel.denominator,
            "references": right, "unique_diagnoses": len(answers.strings), "lists": int(answers.lengths.size),
            "pairs_asked": matches.peers and len(matches.peers.codes), "cut_lists": int((answers.lengths > settings.relative_k).sum()),
            "short_lists": {
                str(k): int((answers.lengths < k).sum()) for k in range(1, settings.max_k(answers.lengths) + 1) if raters.panels
            },
            "rejected_rows": origin.rejected_rows, "rejected_cases": origin.rejected_cases, "rejects": origin.rejects,
            "versions": versions,
        },
        lines=[(what, told) for what, told in lines.items() if told],
        match=f"matches by {m.identity}{policy}",
        frame=frame_like(given),
    )  # fmt: skip


def _question(raters: Raters) -> str:
    if not raters.panels:
        return "Which model names the right diagnoses?" if len(raters.names) > 1 else "Are the right diagnoses named?"
    if raters.in_turn:
        return "Does each rater agree with the others as they agree among themselves?"
    who = f"{'Do' if len(raters.panels) > 1 else 'Does'} {listed(at_most([*raters.panels]))}"
    return f"{who} agree with the experts as they agree among themselves?"
