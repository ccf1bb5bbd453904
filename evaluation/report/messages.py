"""The answer in words, and numbers as text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...files.counted import counted, shown_threshold
from ...pages.encodings import with_interval
from ...pages.words import listed
from ..matches.policy import policy_words
from ..statistics.by_model import by_model, spread_note
from ..statistics.leaderboard import Leaderboard, leaderboard
from ..statistics.list_lengths import told_ks
from ..statistics.results import Results

JUDGE, HUMAN = "judge", "human"
"""The sections of a judge, and of its agreement with people."""


def summary(report: Results) -> list[str]:
    """What goes before the figures; the answer; what each family found."""
    return [*report.warnings, *answer(report), *(line for section in report.sections for line in section.words)]


def answer(report: Results) -> list[str]:
    """Of the algorithms against their panel where there is one, else against the right answers."""
    models = by_model(report)
    return panel_words(models) or _reference_words(models)


def judge_lines(report: Results) -> list[str]:
    """Recall by the judge, of every model from best to last, and how far the judges agree with humans; none without either."""
    out: list[str] = []
    for section in by_model(report).sections:
        if section.name == JUDGE:
            rows = [row for row in section.rows if row["metric"] == "R_disease" and row["value"] is not None]
            rows.sort(key=lambda row: -row["value"])
            said = [f"{row['algorithm']} {f'{with_interval(row)} {spread_note(row)}'.rstrip()}" for row in rows]
            out += [f"{section.title}: {rows[0]['name']} {', '.join(said)}."] if rows else []
        if section.name == HUMAN and section.words:
            out.append(" ".join(section.words))
    return out


def _reference_words(report: Results) -> list[str]:
    """Who is best by the first metric, how good that is, and who is not shown to be less."""
    board = leaderboard(report)
    if not board.columns or not board.algorithms:
        return []
    column, best = board.columns[0], board.algorithms[0]
    row = column.of_rater.get(best)
    if row is None or row["value"] is None:
        return []
    cases = counted(row["n_cases"], "case")
    over = f" and {counted(row['n_prompts'], 'prompt')}, on average" if row.get("n_prompts") else ""
    if column.metric.symbol == "Acc":
        shown = [f"the first diagnosis of {best} is right in {_percent(row)}"]
        widest = next((c for c in board.columns[1:] if c.metric.symbol == "Acc"), None)
        if widest is not None and (wide := widest.of_rater.get(best)) is not None and wide["value"] is not None:
            shown.append(f"one of its first {wide['k']} in {_percent(wide)}")
        told = f"Over {cases}{over}, {' and '.join(shown)}"
    else:
        told = f"Over {cases}{over}, {best} reaches {column.name} {with_interval(row)}"
    beside, others = _beside(board, bool(report.made_with.get("compared"))), _other_leaders(board)
    return [f"{told}{beside}{f' by {column.label}' if beside and others else ''}{others}."]


_OF_RIGHT_ANSWERS = {"Acc", "MRR", "R_disease"}
"""Metrics of one question, how often a list is right: who leads by one is taken to lead by the others, unless it is said."""


def _other_leaders(board: Leaderboard) -> str:
    """`; by top-3 and MRR birch leads`: who is before the best of the first metric by another."""
    if board.columns[0].metric.symbol not in _OF_RIGHT_ANSWERS:
        return ""
    by: dict[tuple[str, ...], list[str]] = {}
    for column in board.columns[1:]:
        if column.metric.symbol in _OF_RIGHT_ANSWERS and column.best and board.algorithms[0] not in column.best:
            by.setdefault(column.best, []).append(column.label)
    return "".join(
        f"; by {listed(labels)} {listed(list(best))} {'leads' if len(best) == 1 else 'lead'}"
        for best, labels in by.items()
    )


def _beside(board: Leaderboard, pairs_named: bool) -> str:
    """What is known of the others beside the best. pairs_named : only some pairs were tested."""
    column, others = board.columns[0], len(board.algorithms) - 1
    if not others or not column.best:
        return ""
    if len(column.best) > 1:
        return f"; {column.best[1]} is level" if len(column.best) == 2 else f"; {len(column.best)} are level"
    if not board.compared or pairs_named:
        return ", the highest of " + counted(others + 1, "model")
    if not column.level_with_best:
        return ", more than the other model" if others == 1 else f", more than each of the other {others} models"
    are = "is" if len(column.level_with_best) == 1 else "are"
    return f"; {listed(list(column.level_with_best))} {are} not shown to be worse"


def _percent(row: dict[str, Any]) -> str:
    """`61.3 % [58.8, 63.9]`."""
    ends = "" if row["low"] is None else f" [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"
    return f"{100 * row['value']:.1f} %{ends}"


def panel_words(report: Results) -> list[str]:
    """What RPAD and RRAD say: of one algorithm in sentences; of several, who stands where."""
    made = report.made_with
    found = {row["metric"] for row in report.rows}
    metrics = [metric for metric in ("RPAD", "RRAD") if metric in found]
    if not made["panels"] or not metrics:
        return []
    experts = len(next(iter(made["panels"].values())))
    cases = counted(made["n_cases"], "case")
    judges = counted(experts, "other rater" if made["in_turn"] else "expert")
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
    """The match function and its policy by name; for the head of a report."""
    made = report.made_with
    policy = "" if made["policy"] is None else f", policy {made['policy']}"
    return f"Match function {made['matcher']}{policy}."


def opening(report: Results) -> str:
    """The file, its size, and in short what it was read as, for the head of a report; `made_with_lines` has the whole."""
    made = report.made_with
    judges = counted(len(made["raters"]), "rater" if made["panels"] else "model")
    read_as = f" · read as {made['recognised'].partition(' (')[0].partition(';')[0]}" if made["recognised"] else ""
    return f"{Path(made['source']).name} · {counted(made['n_cases'], 'case')} · {judges}{read_as}"


def threshold_words(report: Results) -> str:
    """From where on a probability is a match, and why it is no half where M says how it was made."""
    says = f"a match from {shown_threshold(report.made_with['threshold'])} up"
    if report.made_with["policy"] is None:
        return says
    return f"{says} (not a half: training chose the threshold that best balances missed and false matches, by F1 unless asked otherwise)"


def _codes(made: dict[str, Any]) -> str:
    """The tree, where the codes come from, and how many strings became how many codes."""
    by = f"; codes of texts by {made['icd_codes_by']}" if made.get("icd_codes_by") else ""
    count = made["icd_counts"]
    return (
        f"the tree {made['icd_source']}{by}; {counted(count['diagnoses'], 'diagnosis', 'diagnoses')} of the lists "
        f"({counted(count['strings'], 'different string')}) have {counted(count['codes'], 'different code')}, the references "
        f"{count['reference_codes']:,}"
    )


def counted_of_lists(report: Results) -> str:
    """How many diagnoses of each list count for the families that were computed, in words."""
    return told_ks(report.made_with["k"], {section.name for section in report.sections}) or "all"


def made_with_lines(report: Results) -> list[tuple[str, str]]:
    """How the report was made: (what, value)."""
    made = report.made_with
    known = made["min_coverage"]
    covered = "" if known is None else f"; each of its votes and picks is known for at least {known:.0%} of the pairs"
    asked = f"; asked {counted(made['pairs_asked'], 'pair')} for the panel" if "pairs_asked" in made else ""
    lines = [
        (
            "Lists",
            f"{made['source']}: {counted(made['n_cases'], 'case')}, {counted(len(made['raters']), 'rater')} "
            f"({', '.join(made['raters'])}), {counted(made['unique_diagnoses'], 'different diagnosis', 'different diagnoses')}; "
            f"counted of each list: {counted_of_lists(report)}",
        ),
        *([("Read as", made["recognised"])] if made["recognised"] else []),
        ("References", f"{made['references']:,} of {counted(made['n_cases'], 'case')} have one"),
        ("Match function", f"{made['matcher']}, {threshold_words(report)}{asked}{covered}"),
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
        lines.append(("ICD-10", _codes(made)))
    if made["rejected_rows"]:
        lines.append(
            (
                "Left out",
                f"{counted(made['rejected_rows'], 'row')}, {counted(made['rejected_cases'], 'case')}; see {made['rejects']}",
            )
        )
    lines.append(("Made with", ", ".join(f"{name} {version}" for name, version in made["versions"].items())))
    return lines
