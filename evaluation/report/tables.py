"""The tables that page and terminal show of a report, before they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...pages.rows import Row
from ...terms.icd.ancestor_sets import LEVELS
from ..statistics.bootstrap import ALIKE, NOT_ASKED
from ..statistics.by_model import by_model, spread_note
from ..statistics.leaderboard import leaderboard
from ..statistics.results import Results
from ..statistics.section import NO_INTERVAL, Section
from .charts.marks import marks_of
from .messages import place_of

HEADLINES = ("RPAD", "RRAD")
_SHOWN_OF_RELATIVE = (*HEADLINES, "E[RPAD]", "E[RRAD]")
_BY_LEVEL = ("HDP", "HDR", "HDF1")
_COLUMNS = {"P": "precision P", "R": "recall R", "kappa": "kappa"}
_PARTS = {
    "the algorithm with each expert, mean": (("P", "AE mean"), ("R", "AE mean"), ("kappa", "AE mean")),
    "experts with each other, mean": (("P", "EE mean"), ("R", "EE mean"), ("kappa", "EE mean")),
    "mean over mean (P_avg, R_avg)": (("P_avg", ""), ("R_avg", ""), None),
    "best over worst (P_opt, R_opt)": (("P_opt", ""), ("R_opt", ""), None),
    "sigma of the algorithm": (("sigma_A", "P"), ("sigma_A", "R"), ("sigma_A", "kappa")),
    "sigma of the experts": (("sigma_E", "P"), ("sigma_E", "R"), ("sigma_E", "kappa")),
}
_PRINTED = ("P_avg", "P_opt", "R_avg", "R_opt")
PARTS = "Rates and their spread"
_SHOWN = 3
_OVER_PROMPTS = {"mean": "mean", "sd_prompts": "SD over prompts", "sd_repeats": "SD over repeats"}
_BESIDE_1 = {None: "", -1: "▼", 0: "", 1: "▲"}


@dataclass(frozen=True)
class Value:
    """A cell that shows the value of a row with its interval; without a row, a dash.

    mark : a sign behind the value. strong : whether the value stands out. note : words below it.
    """

    row: Row | None
    mark: str = ""
    strong: bool = False
    note: str = ""


@dataclass(frozen=True)
class Table:
    """A table of texts and values.

    title : above it, "" for none. told : what its reader should know. caption : its name, for those who hear it.
    warns : what its reader must know before its figures.

    groups : (heading or "", lines) each; the first cell of a line is its name.
    """

    title: str
    told: str
    caption: str
    header: Sequence[str]
    groups: Sequence[tuple[str, Sequence[Sequence[str | Value]]]]
    warns: str = ""

    @property
    def below(self) -> str:
        """`told`, and why values have no interval."""
        cells = (cell for _, lines in self.groups for line in lines for cell in line if isinstance(cell, Value))
        rows = [cell.row for cell in cells if cell.row is not None and NO_INTERVAL in (cell.row.get("reason") or "")]
        whys: dict[str, list[str]] = {}
        for row in rows:
            whys.setdefault(row["reason"].partition(NO_INTERVAL)[2], []).append(
                f"{row.get('name') or row.get('metric')} of {row.get('algorithm')}"
            )
        others = [(why, dict.fromkeys(of)) for why, of in whys.items() if why not in (ALIKE, NOT_ASKED)]
        said = [ALIKE] if ALIKE in whys else []
        said += [f"{why} ({', '.join(of)})" if len(of) <= _SHOWN else why for why, of in others[:_SHOWN]]
        said += ["…"] if len(others) > _SHOWN else []
        return f"{self.told} Without an interval: {'; '.join(said)}.".lstrip() if said else self.told


def every_metric(report: Results) -> list[Table]:
    """Raters by metrics, at k: of the relative metrics the headline; levels of ICD-10 have their chart.

    Metrics that are the same for everyone are one line with all their names; one that is the same number for all
    raters stands in a table of its own. A model that came under several prompts is one column, its mean over prompts.
    """
    report = by_model(report)
    raters = marks_of(report).ordered([row["algorithm"] for row in report.rows])
    lines = [
        (section.title, name, of)
        for section in report.sections
        for name, of in _headlines(report, section).items()
    ]  # fmt: skip
    merged: dict[tuple[Any, ...], tuple[str, list[str], dict[str, Row]]] = {}
    for title, name, of in lines:
        known = any(row["value"] is not None for row in of.values())
        key = tuple(_figures(of.get(rater)) for rater in raters) if known else (title, name)
        merged.setdefault(key, (title, [], of))[1].append(name)
    alike = [entry for entry in merged.values() if _is_one(entry[2])]
    groups = []
    for title in dict.fromkeys(title for title, _, _ in lines):
        shown = [
            [" = ".join(names), *(_beside_1(of.get(rater)) for rater in raters)]
            for heading, names, of in merged.values()
            if heading == title and not any(of is other for _, _, other in alike)
        ]
        if shown:
            groups.append((title, shown))
    told = f"Each value with its {report.made_with['level']:.0%} interval over resampled cases, at the k that its name says; recall and HDF1 without one are over whole lists."
    if any(row["metric"] in HEADLINES for row in report.rows):
        told += " ▲ and ▼: the interval lies above or below 1, the panel's own level."
    made = [Table("", told, "Every metric of every rater", ["metric", *raters], groups)] if groups else []
    if alike:
        same = [[" = ".join(names), Value(next(iter(of.values())))] for _, names, of in alike]
        made.append(
            Table("The same for all of them", "", "Metrics that are the same for all", ["metric", "all"], [("", same)])
        )
    return made


def _figures(row: Row | None) -> tuple[Any, ...]:
    """What two rows must share to be shown as one."""
    return () if row is None else tuple(
        None if row[part] is None else round(row[part], 12) for part in ("value", "low", "high")
    )  # fmt: skip


def _is_one(of: dict[str, Row]) -> bool:
    """Whether several raters have it, and all of them the same."""
    rows = list(of.values())
    return len(rows) > 1 and len(set(map(_figures, rows))) == 1 and rows[0]["value"] is not None


def _headlines(report: Results, section: Section) -> dict[str, dict[str, Row]]:
    """Printed name of a metric -> rater -> row: what the overview shows of a section."""
    lines: dict[str, dict[str, Row]] = {}
    board = leaderboard(report).names
    for row in section.rows:
        by_level = row["of"] in LEVELS and row["metric"] in _BY_LEVEL
        apart = section.name == "relative" and row["metric"] not in _SHOWN_OF_RELATIVE
        apart |= section.name == "agreement" and row["of"] != "with the algorithm"
        if (
            (row["k"] in (report.k_of(section.name) or report.k, None) and not by_level and not apart)
            or row["name"] in board
            or _is_ranking(row)
        ):
            lines.setdefault(row["name"], {})[row["algorithm"]] = row
    return lines


def _is_ranking(row: Row) -> bool:
    """Top-1, 3, 5 and 10 are looked at beside each other, and so is what has a depth of its own."""
    return (row["metric"] == "Acc" and row["of"] == "M") or row["metric"] in ("MRR", "nDCG")


def _beside_1(row: Row | None) -> Value:
    mark = _BESIDE_1[place_of(row)] if row is not None and row["metric"] in HEADLINES else ""
    return Value(row, mark, note=spread_note(row))


def panel_tables(report: Results) -> list[Table]:
    """P_avg, P_opt, R_avg and R_opt as their source prints them; RPAD and RRAD by k; what they are made of, at k."""
    return [made for made in (as_printed(report), _by_k(report), _parts(report)) if made is not None]


def as_printed(report: Results) -> Table | None:
    """Table 3 of "How to Evaluate Medical AI": P_avg and P_opt at 1, R_avg and R_opt at k, a line for each algorithm.

    The optimistic ones are told as + (above 1) or - (not above 1). None without a panel.
    """
    of = {(r["algorithm"], r["metric"], r["k"]): r for r in report.rows if r["metric"] in _PRINTED}
    algorithms = [name for name in marks_of(report).algorithms if (name, "P_avg", 1) in of]
    if not algorithms:
        return None
    columns = [(metric, 1 if metric.startswith("P") else report.k) for metric in _PRINTED]
    lines = [[name, *(_signed(of.get((name, *column))) for column in columns)] for name in algorithms]
    told = "+: above 1, so the algorithm differs from its nearest expert less than the two experts furthest apart from each other; -: not above 1."
    title = "Relative quality, as the source prints it"
    return Table(title, told, title, ["", *(f"{metric}@{k}" for metric, k in columns)], [("", lines)])


def _signed(row: Row | None) -> Value:
    if row is None or row["value"] is None or not row["metric"].endswith("opt"):
        return Value(row)
    return Value(row, "+" if row["value"] > 1 else "-")


def _by_k(report: Results) -> Table | None:
    of = {(r["algorithm"], r["metric"], r["k"]): r for r in report.rows if r["metric"] in HEADLINES and not r["of"]}
    ks = sorted({k for _, _, k in of})
    if len(ks) < 2:
        return None
    groups = [
        (metric, [[name, *(_beside_1(of.get((name, metric, k))) for k in ks)] for name in marks_of(report).algorithms])
        for metric in HEADLINES
    ]
    title = f"By the number of diagnoses k (hardness {report.hardness:g})"
    return Table(title, "", "RPAD and RRAD by k", ["", *(f"k = {k}" for k in ks)], groups)


def _parts(report: Results) -> Table | None:
    of = {(r["algorithm"], r["metric"], r["of"]): r for r in report.rows if r["k"] in (report.k, None)}
    groups = []
    for algorithm in marks_of(report).algorithms:
        lines = []
        for name, parts in _PARTS.items():
            rows = [None if part is None else of.get((algorithm, *part)) for part in parts]
            if any(rows):
                lines.append([name, *map(Value, rows)])
        groups.append((algorithm if len(report.algorithms) > 1 else "", lines))
    if not any(lines for _, lines in groups):
        return None
    told = (
        "Best over worst: the expert who agrees most with the algorithm, over the two experts who agree least. sigma: the "
        "unbiased standard deviation over experts."
    )
    title = f"What they are made of, at k = {report.k}"
    return Table(title, told, PARTS, ["", *_COLUMNS.values()], groups)


def family_tables(section: Section, order: Sequence[str]) -> list[Table]:
    """The tables of a family that have a form of their own, its raters in the order of the report."""

    def sorted_rows(rows: list[Row]) -> list[Row]:
        place = {rater: at for at, rater in enumerate(order)}
        return sorted(rows, key=lambda row: place.get(row["algorithm"], len(place)))

    made = [_agreement(sorted_rows(section.rows))] if section.name == "agreement" and section.rows else []
    return made + [FORMS[name](sorted_rows(rows)) for name, rows in section.tables.items() if rows and name in FORMS]


def _crossed(rows: Sequence[Row], line: str, column: str) -> dict[str, dict[str, Row]]:
    """Rows by the values of two columns."""
    lines: dict[str, dict[str, Row]] = {}
    for row in rows:
        lines.setdefault(row[line], {})[row[column]] = row
    return lines


def _agreement(rows: list[Row]) -> Table:
    """For each algorithm: a line for each metric, a column for each group of raters."""
    headings = list(dict.fromkeys(row["of"] for row in rows))
    groups = []
    for algorithm in dict.fromkeys(row["algorithm"] for row in rows):
        lines = _crossed([row for row in rows if row["algorithm"] == algorithm], "metric", "of")
        groups.append(
            (algorithm, [[metric, *(Value(of.get(of_)) for of_ in headings)] for metric, of in lines.items()])
        )
    return Table("", "", "Agreement in the first diagnosis, without and with each algorithm", ["", *headings], groups)


def _chapters(rows: list[Row]) -> Table:
    """A line for each chapter, a column for each rater."""
    raters = list(dict.fromkeys(row["algorithm"] for row in rows))
    lines = [
        [
            chapter, f"{max(row['n_cases'] for row in of.values()):,}",
            f"{max(row['n_diagnoses'] for row in of.values()):,}",
            *(Value(row and row | {"value": row["HDF1"], "reason": ""}) for row in map(of.get, raters)),
        ]
        for chapter, of in _crossed(rows, "chapter_name", "algorithm").items()
    ]  # fmt: skip
    title = "HDF1 within each chapter of the reference"
    told = "Over the nodes of the chapter alone, in the cases whose reference has a code in it; diagnoses: of the references, in it."
    return Table(title, told, title, ["chapter", "cases", "diagnoses", *raters], [("", lines)])


def _quadrants(rows: list[Row]) -> Table:
    """A line for each rater, a column for each quadrant."""
    quadrants = list(dict.fromkeys(row["right_by"] for row in rows))
    lines = [
        [rater, *(f"{of[quadrant]['n_cases'] if quadrant in of else 0:,}" for quadrant in quadrants)]
        for rater, of in _crossed(rows, "algorithm", "right_by").items()
    ]
    title = "Cases in the quadrants of the severity–semantic plane"
    return Table(title, "", title, ["cases right by", *quadrants], [("", lines)])


def _prompts(rows: list[Row]) -> Table:
    """A line for each metric of each model, over all cases and in each subset: the mean over prompts, and what differs between them."""
    of: dict[str, list[Sequence[str | Value]]] = {}
    for row in rows:
        subset = "" if row["by"] is None else f", {row['by']}: {'not given' if row['group'] is None else row['group']}"
        line = [row["name"], *("–" if row[part] is None else f"{row[part]:.3f}" for part in _OVER_PROMPTS)]
        of.setdefault(f"{row['algorithm']}{subset} ({row['prompts']})", []).append(line)
    told = "SD: population standard deviations, over the prompts (each the mean of its repeats) and over the repeats of a prompt."
    return Table("Over prompts", told, "Over prompts", ["", *_OVER_PROMPTS.values()], list(of.items()))


def prompts_tables(report: Results) -> list[Table]:
    """The table "prompts" of each family that has one, under the family's title."""
    return [
        replace(_prompts(rows), title=f"{section.title}: over prompts")
        for section in report.sections
        if (rows := section.tables.get("prompts"))
    ]


FORMS: dict[str, Callable[[list[Row]], Table]] = {"chapters": _chapters, "quadrants": _quadrants, "prompts": _prompts}
"""Table of a family -> its form."""
