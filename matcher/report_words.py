"""The answer in words, and numbers as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .report import Report


def number(value: float | None) -> str:
    """Three decimals; "undefined" for None."""
    return "undefined" if value is None else f"{value:.3f}"


def with_interval(row: dict[str, Any]) -> str:
    """`0.931 [0.842, 1.020]`, `0.931` without an interval, or `undefined`."""
    if row["value"] is None or row["low"] is None:
        return number(row["value"])
    return f"{row['value']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"


def interval_of(row: dict[str, Any]) -> str:
    """`[0.842, 1.020]`, or a dash without one."""
    return "–" if row["low"] is None else f"[{row['low']:.3f}, {row['high']:.3f}]"


def summary(report: Report) -> list[str]:
    """One sentence or two for each algorithm; then, for several, how they compare."""
    cases = report.made_with["n_cases"]
    lines = []
    for algorithm, experts in report.made_with["panels"].items():
        rpad = report.row("RPAD", algorithm=algorithm)
        rrad = report.row("RRAD", algorithm=algorithm)
        judges = f"{len(experts)} {'other raters' if report.made_with['in_turn'] else 'experts'}"
        precision, recall = verdict(rpad), verdict(rrad)
        lines.append(
            f"Over {cases:,} {'case' if cases == 1 else 'cases'} and {judges}, {algorithm} reaches "
            f"{rpad['name']} {with_interval(rpad)}: {precision}. {rrad['name']} is {with_interval(rrad)}: {recall}."
        )
    return lines


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


def made_with_lines(report: Report) -> list[tuple[str, str]]:
    """How the report was made: (what, value)."""
    made = report.made_with
    asked = f"{made['pairs_asked']:,} pairs of {made['unique_diagnoses']:,} different diagnoses"
    lines = [
        (
            "Lists",
            f"{made['source']}: {made['n_cases']:,} cases, {len(made['raters'])} raters ({', '.join(made['raters'])})",
        ),
        ("Match function", f"{made['matcher']}, a match from {made['threshold']:.4g} up; asked {asked}"),
        ("Denominator", "n k²" if made["denominator"] == "nk2" else "the lists' own lengths, cut to k"),
        (
            "Hardness",
            f"{report.hardness:g} (1 compares averages, 0 the best of the algorithm with the worst of the panel)",
        ),
        (
            "Intervals",
            f"{made['level']:.0%} percentile, {made['bootstrap']:,} resamples of the cases, seed {made['seed']}"
            if made["bootstrap"]
            else "none asked for",
        ),
        (
            "Kappa",
            f"first diagnoses in {made['kappa_categories']:,} categories, joined by matches; "
            f"{made['kappa_agreements_by_chain']:,} of {made['kappa_agreements']:,} agreements rest on a chain of them",
        ),
    ]
    if made["rejected_rows"]:
        lines.append(
            ("Left out", f"{made['rejected_rows']:,} rows, {made['rejected_cases']:,} cases; see {made['rejects']}")
        )
    return lines
