"""The tables that page and terminal show of a report, before they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...pages.rows import Row
from ...terms.icd.ancestor_sets import LEVELS
from ..statistics.results import Results
from ..statistics.section import Section
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
PARTS = "Rates and their spread"
_BESIDE_1 = {None: "", -1: "▼", 0: "", 1: "▲"}


@dataclass(frozen=True)
class Value:
    """A cell that shows the value of a row with its interval; `mark` stands behind it. Without a row, a dash."""

    row: Row | None
    mark: str = ""


@dataclass(frozen=True)
class Table:
    """A table of texts and values.

    title : above it, "" for none. told : what its reader should know. caption : its name, for those who hear it.

    groups : (heading or "", lines) each; the first cell of a line is its name.
    """

    title: str
    told: str
    caption: str
    header: Sequence[str]
    groups: Sequence[tuple[str, Sequence[Sequence[str | Value]]]]


def overview(report: Results) -> Table | None:
    """Raters by metrics, at k: of the relative metrics the headline; levels of ICD-10 have their chart."""
    raters = marks_of(report).ordered([row["algorithm"] for row in report.rows])
    groups = []
    for section in report.sections:
        lines = [
            [name, *(_beside_1(of.get(rater)) for rater in raters)] for name, of in _headlines(report, section).items()
        ]
        if lines:
            groups.append((section.title, lines))
    if not groups:
        return None
    told = f"Each value with its {report.made_with['level']:.0%} interval over resampled cases, at k = {report.k}."
    if any(row["metric"] in HEADLINES for row in report.rows):
        told += " ▲ and ▼: the interval lies above or below 1, the panel's own level."
    return Table("", told, "Every rater by every metric", ["metric", *raters], groups)


def _headlines(report: Results, section: Section) -> dict[str, dict[str, Row]]:
    """Printed name of a metric -> rater -> row: what the overview shows of a section."""
    lines: dict[str, dict[str, Row]] = {}
    for row in section.rows:
        by_level = row["of"] in LEVELS and row["metric"] in _BY_LEVEL
        apart = section.name == "relative" and row["metric"] not in _SHOWN_OF_RELATIVE
        apart |= section.name == "agreement" and row["of"] != "with the algorithm"
        if row["k"] in (report.k, None) and not by_level and not apart:
            lines.setdefault(row["name"], {})[row["algorithm"]] = row
    return lines


def _beside_1(row: Row | None) -> Value:
    return Value(row, _BESIDE_1[place_of(row)] if row is not None and row["metric"] in HEADLINES else "")


def panel_tables(report: Results) -> list[Table]:
    """RPAD and RRAD by k; differences of algorithms; what they are made of, at k."""
    return [made for made in (_by_k(report), _comparisons(report), _parts(report)) if made is not None]


def _by_k(report: Results) -> Table | None:
    of = {(r["algorithm"], r["metric"], r["k"]): r for r in report.rows if r["metric"] in HEADLINES and not r["of"]}
    ks = sorted({k for _, _, k in of})
    if len(ks) < 2:
        return None
    groups = [
        (metric, [[name, *(_beside_1(of.get((name, metric, k))) for k in ks)] for name in report.algorithms])
        for metric in HEADLINES
    ]
    title = f"By the number of diagnoses k (hardness {report.hardness:g})"
    return Table(title, "", "RPAD and RRAD by k", ["", *(f"k = {k}" for k in ks)], groups)


def _comparisons(report: Results) -> Table | None:
    rows = report.rows_of("relative.comparisons")
    if not rows:
        return None
    names = list(dict.fromkeys(row["name"] for row in rows))
    of = {(row["first"], row["second"], row["name"]): row for row in rows}
    lines: list[list[str | Value]] = []
    for one, other in dict.fromkeys((row["first"], row["second"]) for row in rows):
        found = [of.get((one, other, name)) for name in names]
        cells = (cell for row in found for cell in (Value(row), _p(row["p_holm"] if row else None)))
        lines.append([f"{one} − {other}", *cells])
    header = ["", *(text for name in names for text in (name, "p"))]
    told = (
        "On the same resamples of the cases. p: two-sided, corrected by Holm for the "
        f"{rows[0]['n_comparisons']} comparisons of this table."
    )
    return Table("Differences between algorithms", told, "Differences", header, [("", lines)])


def _p(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}" if value >= 0.001 else "< 0.001"


def _parts(report: Results) -> Table | None:
    of = {(r["algorithm"], r["metric"], r["of"]): r for r in report.rows if r["k"] in (report.k, None)}
    groups = []
    for algorithm in report.algorithms:
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


def family_tables(section: Section) -> list[Table]:
    """The tables of a family that have a form of their own."""
    made = [_agreement(section.rows)] if section.name == "agreement" and section.rows else []
    return made + [FORMS[name](rows) for name, rows in section.tables.items() if rows and name in FORMS]


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
    return Table("", "", "Agreement of the experts, without and with each algorithm", ["", *headings], groups)


def _chapters(rows: list[Row]) -> Table:
    """A line for each chapter, a column for each rater."""
    raters = list(dict.fromkeys(row["algorithm"] for row in rows))
    lines = [
        [
            chapter, f"{max(row['n_cases'] for row in of.values()):,}",
            *(Value(row and row | {"value": row["HDF1"]}) for row in map(of.get, raters)),
        ]
        for chapter, of in _crossed(rows, "chapter_name", "algorithm").items()
    ]  # fmt: skip
    title = "HDF1 by chapter of the reference"
    return Table(title, "", title, ["chapter", "cases", *raters], [("", lines)])


def _quadrants(rows: list[Row]) -> Table:
    """A line for each rater, a column for each quadrant."""
    quadrants = list(dict.fromkeys(row["right_by"] for row in rows))
    lines = [
        [rater, *(f"{of[quadrant]['n_cases'] if quadrant in of else 0:,}" for quadrant in quadrants)]
        for rater, of in _crossed(rows, "algorithm", "right_by").items()
    ]
    title = "Cases in the quadrants of the severity–semantic plane"
    return Table(title, "", title, ["cases right by", *quadrants], [("", lines)])


FORMS: dict[str, Callable[[list[Row]], Table]] = {"chapters": _chapters, "quadrants": _quadrants}
"""Table of a family -> its form."""
