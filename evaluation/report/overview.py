"""The tables of a report's values: every rater by every metric; and what the relative metrics are made of."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from ...pages.blocks import Reasons, table, value_cell
from ...pages.rows import Row
from ...pages.templates import macros
from ..statistics.results import Results
from ..statistics.section import Section
from .charts.cascade import BY_LEVEL, LEVELS
from .charts.marks import marks_of
from .messages import place_of

_HTML = macros("report.html.j2", Path(__file__).parent)
HEADLINES = ("RPAD", "RRAD")
_SHOWN_OF_RELATIVE = (*HEADLINES, "E[RPAD]", "E[RRAD]")
_COLUMNS = {"P": "precision P", "R": "recall R", "kappa": "kappa"}
_PARTS = {
    "the algorithm with each expert, mean": (("P", "AE mean"), ("R", "AE mean"), ("kappa", "AE mean")),
    "experts with each other, mean": (("P", "EE mean"), ("R", "EE mean"), ("kappa", "EE mean")),
    "mean over mean (P_avg, R_avg)": (("P_avg", ""), ("R_avg", ""), None),
    "best over worst (P_opt, R_opt)": (("P_opt", ""), ("R_opt", ""), None),
    "sigma of the algorithm": (("sigma_A", "P"), ("sigma_A", "R"), ("sigma_A", "kappa")),
    "sigma of the experts": (("sigma_E", "P"), ("sigma_E", "R"), ("sigma_E", "kappa")),
}
_MAX_OPEN = 2
_BESIDE_1 = {None: "", -1: "▼", 0: "", 1: "▲"}


def overview(report: Results) -> str:
    """Raters by metrics, with intervals, at k: of the relative metrics the headline; levels of ICD-10 have their chart."""
    reasons = Reasons()
    raters = marks_of(report).ordered([row["algorithm"] for row in report.rows])
    groups = []
    for section in report.sections:
        cells = [
            [name, *(value_cell(of.get(rater), reasons, _mark(of.get(rater))) for rater in raters)]
            for name, of in headline_rows(report, section).items()
        ]
        if cells:
            groups.append((section.title, cells))
    if not groups:
        return ""
    level = f"{report.made_with['level']:.0%}"
    told = f"Each value with its {level} interval over resampled cases, at k = {report.k}."
    if any(row["metric"] in HEADLINES for row in report.rows):
        told += " ▲ and ▼: the interval lies above or below 1, the panel's own level."
    made = table("Every rater by every metric", ["metric", *raters], groups)
    return _HTML.titled("", told, Markup(made + reasons.html()))


def headline_rows(report: Results, section: Section) -> dict[str, dict[str, Row]]:
    """Printed name of a metric -> rater -> row: what the overview shows of a section."""
    lines: dict[str, dict[str, Row]] = {}
    for row in section.rows:
        by_level = row["of"] in LEVELS and row["metric"] in BY_LEVEL
        apart = section.name == "relative" and row["metric"] not in _SHOWN_OF_RELATIVE
        apart |= section.name == "agreement" and row["of"] != "with the algorithm"
        if row["k"] in (report.k, None) and not by_level and not apart:
            lines.setdefault(row["name"], {})[row["algorithm"]] = row
    return lines


def _mark(row: Row | None) -> str:
    return _BESIDE_1[place_of(row)] if row is not None and row["metric"] in HEADLINES else ""


def panel_tables(report: Results) -> str:
    """RPAD and RRAD by k; what they are made of, at k; differences of algorithms."""
    blocks = [block for block in (_by_k(report), _comparisons(report), _parts(report)) if block]
    return _HTML.beside(blocks) if blocks else ""


def _by_k(report: Results) -> str:
    of = {(r["algorithm"], r["metric"], r["k"]): r for r in report.rows if r["metric"] in HEADLINES and not r["of"]}
    ks = sorted({k for _, _, k in of})
    if len(ks) < 2:
        return ""
    reasons = Reasons()
    groups = [
        (
            metric,
            [
                [algorithm, *(value_cell(row := of.get((algorithm, metric, k)), reasons, _mark(row)) for k in ks)]
                for algorithm in report.algorithms
            ],
        )
        for metric in HEADLINES
    ]
    made = table("RPAD and RRAD by k", ["", *(f"k = {k}" for k in ks)], groups) + reasons.html()
    return _HTML.titled(f"By the number of diagnoses k (hardness {report.hardness:g})", "", Markup(made))


def _parts(report: Results) -> str:
    reasons = Reasons()
    of = {(r["algorithm"], r["metric"], r["of"]): r for r in report.rows if r["k"] in (report.k, None)}
    groups = []
    for algorithm in report.algorithms:
        lines = []
        for says, parts in _PARTS.items():
            rows = [None if part is None else of.get((algorithm, *part)) for part in parts]
            if any(rows):
                lines.append([says, *(value_cell(row, reasons) for row in rows)])
        groups.append((algorithm if len(report.algorithms) > 1 else "", lines))
    if not any(lines for _, lines in groups):
        return ""
    told = (
        "Best over worst: the expert who agrees most with the algorithm, over the two experts who agree least. sigma: the "
        "unbiased standard deviation over experts."
    )
    made = Markup(table("Rates and their spread", ["", *_COLUMNS.values()], groups) + reasons.html())
    heading = f"What they are made of, at k = {report.k}"
    if len(groups) <= _MAX_OPEN:
        return _HTML.titled(heading, told, made)
    closed = _HTML.closed(f"Rates and sigmas of {len(groups)} algorithms", _HTML.titled("", told, made))
    return _HTML.titled(heading, "", closed)


def _comparisons(report: Results) -> str:
    rows = report.comparison_rows
    if not rows:
        return ""
    reasons = Reasons()
    names = list(dict.fromkeys(row["name"] for row in rows))
    of = {(row["first"], row["second"], row["name"]): row for row in rows}
    lines = []
    for one, other in dict.fromkeys((row["first"], row["second"]) for row in rows):
        found = [of.get((one, other, name)) for name in names]
        cells = (cell for row in found for cell in (value_cell(row, reasons), _p(row["p_holm"] if row else None)))
        lines.append([f"{one} − {other}", *cells])
    header = ["", *(text for name in names for text in (name, "p"))]
    told = (
        "On the same resamples of the cases. p: two-sided, corrected by Holm for the "
        f"{rows[0]['n_comparisons']} comparisons of this table."
    )
    made = Markup(table("Differences", header, [("", lines)]) + reasons.html())
    return _HTML.titled("Differences between algorithms", told, made)


def _p(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}" if value >= 0.001 else "&lt; 0.001"
