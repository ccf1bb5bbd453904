"""The answer in words, and numbers as text."""

from __future__ import annotations

from typing import Any

from ...pages.encodings import with_interval
from ..matches.policy import policy_words
from ..statistics.results import Results


def summary(report: Results) -> list[str]:
    """What goes before the figures; one sentence or two for each algorithm and its panel; what the other families found."""
    return [*report.warnings, *panel_words(report), *(line for section in report.sections for line in section.words)]


def panel_words(report: Results) -> list[str]:
    """What RPAD and RRAD say: of one algorithm in sentences; of several, who stands where."""
    made = report.made_with
    found = {row["metric"] for row in report.rows}
    metrics = [metric for metric in ("RPAD", "RRAD") if metric in found]
    if not made["panels"] or not metrics:
        return []
    experts = len(next(iter(made["panels"].values())))
    cases = f"{made['n_cases']:,} {'case' if made['n_cases'] == 1 else 'cases'}"
    judges = f"{experts} {'other raters' if made['in_turn'] else 'experts'}"
    if len(made["panels"]) > 1:
        return [
            f"Over {cases}, each algorithm against {judges}; 1 is what they reach among themselves.",
            *(_standing(report, metric) for metric in metrics),
        ]
    (algorithm,) = made["panels"]
    says = []
    for metric in metrics:
        row = report.row(metric, algorithm=algorithm)
        opening = f"{row['name']} is" if says else f"Over {cases} and {judges}, {algorithm} reaches {row['name']}"
        says.append(f"{opening} {with_interval(row)}: {verdict(row)}.")
    return [" ".join(says)]


_SIDES = {1: "above 1 for", 0: "around 1 (the interval includes it) for", -1: "below 1 for"}


def _standing(report: Results, metric: str) -> str:
    """Who lies above, about and below 1, the highest first; and who cannot be placed."""
    rows = [report.row(metric, algorithm=algorithm) for algorithm in report.made_with["panels"]]
    rows.sort(key=lambda row: -(row["value"] or 0))
    parts = [
        f"{says} {listed(there)}"
        for place, says in _SIDES.items()
        if (there := [f"{row['algorithm']} {with_interval(row)}" for row in rows if place_of(row) == place])
    ]
    parts += [f"{row['algorithm']} {with_interval(row)}: {row['reason']}" for row in rows if place_of(row) is None]
    what = {"RPAD": "how much they agree", "RRAD": "how often lists meet"}[metric]
    return f"{rows[0]['name']}, {what}: {'; '.join(parts)}."


def listed(names: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


_AGREEMENT = (
    "it agrees with them",
    {-1: "less than", 0: "about as much as", 1: "more than"},
    "they agree among themselves",
)
_MEETING = (
    "its list meets theirs",
    {-1: "less often than", 0: "about as often as", 1: "more often than"},
    "their lists meet each other",
)


def place_of(row: dict[str, Any]) -> int | None:
    """Where the interval lies: below 1 (-1), around it (0), above it (1); None without one."""
    if row["low"] is None:
        return None
    rounding = 1e-9
    return -1 if row["high"] < 1 - rounding else 1 if row["low"] > 1 + rounding else 0


def verdict(row: dict[str, Any]) -> str:
    """What a relative metric says, as far as its interval allows."""
    if row["value"] is None:
        return row["reason"]
    place = place_of(row)
    if place is None:
        return row["reason"] or "without an interval, this says nothing sure"
    if row["hardness"] != 1:
        side = {-1: "below", 0: "around", 1: "above"}[place]
        return f"the interval lies {side} 1, the panel's own level at hardness {row['hardness']:g}"
    lies = {-1: "lies below", 0: "includes", 1: "lies above"}[place]
    says, compared, than = _AGREEMENT if row["metric"] == "RPAD" else _MEETING
    return f"{says} {compared[place]} {than} (the interval {lies} 1)"


def match_line(report: Results) -> str:
    """The match function and its policy, with what counts as a match in words; for the head of a report."""
    made = report.made_with
    if made["policy"] is None:
        return f"Match function {made['matcher']}."
    return f"Match function {made['matcher']}, policy {policy_words(made['policy'])}."


def made_with_lines(report: Results) -> list[tuple[str, str]]:
    """How the report was made: (what, value)."""
    made = report.made_with
    known = made["min_coverage"]
    covered = "" if known is None else f"; each of its votes and picks is known for at least {known:.0%} of the pairs"
    asked = f"; asked {made['pairs_asked']:,} pairs for the panel" if "pairs_asked" in made else ""
    lines = [
        (
            "Lists",
            f"{made['source']}: {made['n_cases']:,} cases, {len(made['raters'])} raters ({', '.join(made['raters'])}), "
            f"{made['unique_diagnoses']:,} different diagnoses; the first {report.k} of each list count",
        ),
        ("References", f"{made['references']:,} of {made['n_cases']:,} cases have one"),
        ("Match function", f"{made['matcher']}, a match from {made['threshold']:.4g} up{asked}{covered}"),
        *([] if made["policy"] is None else [("What counts as a match", policy_words(made["policy"]))]),
        (
            "Intervals",
            f"{made['level']:.0%} percentile, {made['bootstrap']:,} resamples of the cases, seed {made['seed']}"
            if made["bootstrap"]
            else "none asked for",
        ),
    ]
    if "denominator" in made:
        lines += [
            ("Denominator", "n k²" if made["denominator"] == "nk2" else "the lists' own lengths, cut to k"),
            (
                "Hardness",
                f"{report.hardness:g} (1 compares averages, 0 the best of the algorithm with the worst of the panel)",
            ),
            (
                "Kappa",
                f"first diagnoses in {made['kappa_categories']:,} categories, joined by matches; "
                f"{made['kappa_agreements_by_chain']:,} of {made['kappa_agreements']:,} agreements rest on a chain of them",
            ),
        ]
    if any(section.name == "hierarchical" for section in report.sections):
        lines.append(("ICD-10", f"the tree {made['icd_source']}"))
    if made["rejected_rows"]:
        lines.append(
            ("Left out", f"{made['rejected_rows']:,} rows, {made['rejected_cases']:,} cases; see {made['rejects']}")
        )
    lines.append(("Made with", ", ".join(f"{name} {version}" for name, version in made["versions"].items())))
    return lines
