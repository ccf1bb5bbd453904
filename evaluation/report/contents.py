"""What the page of a report shows, part by part, and its tables."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

from ...files.wording import counted
from ...pages.rows import Row
from ...pages.words import p_value
from .board import SIGNIFICANT, Leaderboard
from .cases import case_browser
from .document import Block, Document, Folded, Line, Part, Table, Value, rows_table
from .results import Family, Results, settings_in_words
from .words import answer

ASKED_FOR = ("judge", "human")
"""Families that are there because the user brought a judge or labels: their sentences stand with the answer."""
LEVEL = "≈"
_MEANS = "A model under several prompts is its mean over the prompts, each the mean over its repeats; ±: the population standard deviation over the prompts (of one: over its repeats)."
_OVER_PROMPTS = ("sd_prompts", "sd_repeats")
_NOT_AS_TABLES = ("prompt_values", "curves", "pairs", "plane", "notes", "deductions", "answers")


def document_of(report: Results, *, drawn: bool) -> Document:
    """Makes the document of a report. drawn : with its charts and all its cases, which take their time."""
    charts: dict[str, list[Block]] = {}
    browser = None
    if drawn:
        from .charts import figures

        browser = case_browser(report)
        for figure in figures(report):
            charts.setdefault(figure.section, []).append(figure)
    shown = headline_table(report)
    board: list[Block] = [] if shown is None else [shown, Folded("What the metrics tell", [definitions(report.board)])]
    families = [
        Part(
            family.name, family.title, [*family.sentences, *charts.get(family.name, []), *tables_of(family)],
            folded=not (family.name == "relative" and report.raters.panels),
        )
        for family in report.families
    ]  # fmt: skip
    parts = [
        Part(
            "leaderboard", "Leaderboard" if len(report.board.algorithms) > 1 else "In short",
            [*board, *charts.get("leaderboard", [])], brief=True,
        ),
        Part("differences", "Differences", differences(report), brief=True),
        Part("subgroups", "Subgroups", subgroups(report), brief=True),
        *report.parts,
        Part("every-case", "Case by case", [] if browser is None else [browser]),
        *families,
        Part("metrics", "Every metric", [*charts.get("metrics", []), every_metric(report)] if report.rows else [], True),
    ]  # fmt: skip
    asked_for = [line for family in report.families if family.name in ASKED_FOR for line in family.sentences]
    return Document(
        report.setup.question, report.setup.opening, [answer(report), asked_for], [part for part in parts if part.blocks],
        report.findings, report.setup.lines or settings_in_words(report.setup.settings), list(report.left_out.items()), f"Made by dxmatch {version('dxmatch')}.",
    )  # fmt: skip


def headline_table(report: Results) -> Table | None:
    """Makes a line for each algorithm, the best first, and for each expert who is judged by the same metrics.

    A model that came under several prompts is one line, its mean over prompts.
    """
    board = report.board
    if not board.columns:
        return None
    groups: list[tuple[str, list[Line]]] = [("", [_line(report, rater) for rater in board.algorithms])]
    if board.others:
        groups.append(("the experts, for orientation", [_line(report, rater) for rater in board.others]))
    header = ["", *(["group"] if report.raters.groups else []), *(column.label for column in board.columns)]
    return Table(header, groups, "Leaderboard", note=_headline_note(report))


def _line(report: Results, rater: str) -> Line:
    cells: list[str | Value] = [rater, *([report.raters.groups.get(rater, "")] if report.raters.groups else [])]
    for column in report.board.columns:
        row = column.of_rater.get(rater)
        note = _spread(row, ("sd",) if report.setup.deviations else _OVER_PROMPTS)
        if column.uneven and row is not None and row["value"] is not None:
            note = f"{note} n = {row['n_cases']:,}".lstrip()
        cells.append(Value(row, LEVEL if rater in column.level_with_best else "", rater in column.best, note))
    return cells


def _spread(row: Row | None, of: Sequence[str] = _OVER_PROMPTS) -> str:
    """`± 0.019`, the first of these deviations that is there; "" where none is."""
    found = [] if row is None or row["value"] is None else [row[key] for key in of if row.get(key) is not None]
    return f"± {found[0]:.3f}" if found else ""


def _headline_note(report: Results) -> str:
    board, resampling, cases = report.board, report.setup.resampling, report.setup.cases
    rows = [row for column in board.columns for row in column.of_rater.values()]
    interval = f"{resampling.level:.0%} intervals over {counted(resampling.resamples, 'resample')} of {resampling.drawn or f'the {cases}s'}."
    uneven = f"n: of how many {cases}s; where it differs, values rest on other {cases}s, and differences say more."
    level = f"{LEVEL}: not shown to be worse than the best (paired permutation test, p ≥ {SIGNIFICANT:g} after Holm's correction), or not tested."
    told = {
        _MEANS: any(row.get("n_prompts") for row in rows),
        f"±: the population standard deviation of the {cases}s.": report.setup.deviations,
        interval: any(row["low"] is not None for row in rows),
        uneven: any(column.uneven for column in board.columns),
        "Bold: the best value.": any(column.best for column in board.columns),
        level: any(column.level_with_best for column in board.columns),
    }
    return " ".join(words for words, holds in told.items() if holds)


def definitions(board: Leaderboard) -> Table:
    """Makes a line for each metric of the leaderboard: its names, what it means, what a good value is."""
    told: dict[tuple[str, str], list[str]] = {}
    for column in board.columns:
        same = column.label in (column.name, column.metric.symbol)
        label = column.label if same else f"{column.label} ({column.name})"
        told.setdefault((column.metric.description.meaning, column.metric.description.good), []).append(label)
    lines = [[", ".join(labels), *words] for words, labels in told.items()]
    return Table(["", "what it tells", "what is good"], [("", lines)], "What the metrics tell", sentences=True)


def crossed(title: str, rows: Sequence[Row], keys: tuple[str, str, str], columns: Sequence[str], note: str) -> Table:
    """Sets rows out by the values of three keys: headings, lines and columns."""
    heading, line, column = keys
    of = {(row[heading], row[line], row[column]): row for row in rows}
    lines: dict[str, dict[str, Line]] = {}
    for above, name in dict.fromkeys((above, name) for above, name, _ in of):
        lines.setdefault(above, {})[name] = [name, *(_cell(of.get((above, name, other))) for other in columns)]
    groups = [(above, list(own.values())) for above, own in lines.items()]
    return Table([line, *columns], groups, title, title, note)


def _cell(row: Row | None) -> Value:
    if row is not None and "p_holm" in row:
        p = row["p_holm"]
        return Value(row, strong=p is not None and p < SIGNIFICANT, note=p_value(p))
    return Value(row, note=_spread(row))


def differences(report: Results) -> list[Block]:
    """Makes the table of differences in the leaderboard's first metric, and, to be opened, of those in all others."""
    rows: list[Row] = [row | {"models": _pair(row), "what": "difference"} for row in report.difference_rows]
    most = max((row["n_comparisons"] for row in rows), default=0)
    among = f" for the {counted(most, 'comparison')} of each metric" if most > 1 else ""
    test = report.setup.resampling.drawn or "McNemar's, exact, for top-k accuracy"
    note = f"On the same {report.setup.cases}s, with the interval and the two-sided p of a paired permutation test ({test}), corrected{among} by Holm."
    return _first_open(report, "Differences", rows, "models", "what", ["difference"], note)


def subgroups(report: Results) -> list[Block]:
    """Makes for each column of groups the tables of the leaderboard's first metric, and, to be opened, of those of its others."""
    names = [column.name for column in report.board.columns]
    pairs: list[Row] = [row | {"algorithm": _pair(row)} for row in report.groups.differences]
    blocks: list[Block] = []
    for by in dict.fromkeys(row["by"] for row in report.groups.model_rows):
        for what, rows in (("values", report.groups.model_rows), ("differences", pairs)):
            own = [row for row in rows if row["by"] == by and row["name"] in names]
            sizes: dict[str, int] = {}
            for row in own:
                sizes[row["group"]] = max(sizes.get(row["group"], 0), row["n_cases"])
            told = {group: f"{'not given' if group is None else group} (n = {size:,})" for group, size in sizes.items()}
            raters = list(dict.fromkeys(row["algorithm"] for row in own))
            columns = report.in_order(raters) or raters
            named: list[Row] = [row | {"group": told[row["group"]]} for row in own]
            blocks += _first_open(report, f"By {by.replace('_', ' ')}: {what}", named, "group", "algorithm", columns)
    return blocks


def _pair(row: Row) -> str:
    return f"{row['first']} − {row['second']}"


def _first_open(
    report: Results, title: str, rows: Sequence[Row], line: str, column: str, columns: Sequence[str], note: str = ""
) -> list[Block]:
    """A table of the first metric of the leaderboard that has rows, and one of all others behind a line that opens."""
    labels = {one.name: one.label for one in report.board.columns}
    place = {name: at for at, name in enumerate(dict.fromkeys([*labels, *(row["name"] for row in rows)]))}
    named = [row | {"label": labels.get(row["name"], row["name"])} for row in rows]
    named.sort(key=lambda row: place[row["name"]])
    first = [row for row in named if row["name"] == named[0]["name"]]
    rest = named[len(first) :]
    keys = ("label", line, column)
    blocks: list[Block] = [crossed(title, first, keys, columns, note)] if first else []
    return [*blocks, Folded(f"{title}: other metrics", [crossed(title, rest, keys, columns, note)])] if rest else blocks


def every_metric(report: Results) -> Table:
    """Makes a line for each metric, at every k, and a column for each rater, models as their means over prompts."""
    rows = [row | {"family": family.title} for family in report.families for row in family.model_rows]
    raters = report.in_order(row["algorithm"] for row in rows)
    told = f"Each value with its {report.setup.resampling.level:.0%} interval."
    if any(row["k"] is not None for row in rows):
        told += " @k: over the first k of each list; recall and HDF1 without it are over whole lists."
    return crossed("Every metric of every rater", rows, ("family", "name", "algorithm"), raters, told)


def tables_of(family: Family) -> list[Folded]:
    """Makes the further tables of a family, as they are, to be opened; but for those that charts and other parts show."""
    tables = [
        rows_table(name.replace("_", " ").capitalize(), rows)
        for name, rows in family.tables.items()
        if rows and name not in _NOT_AS_TABLES
    ]
    return [Folded(", ".join(table.title for table in tables), tables)] if tables else []
