"""The further tables of a family, as HTML: some with a form of their own, the others as they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from markupsafe import Markup

from ...pages.blocks import Reasons, rows_table, table, value_cell
from ...pages.rows import Row
from ...pages.templates import macros
from ..statistics.section import Section

_HTML = macros("report.html.j2", Path(__file__).parent)
_CHARTED = {"hierarchical.rank_shifts"}
"""These stand behind a chart."""


def family_tables(section: Section) -> str:
    """Every table of the section that is not behind a chart."""
    parts = [_agreement(section.rows)] if section.name == "agreement" and section.rows else []
    for name, rows in section.tables.items():
        key = f"{section.name}.{name}"
        if rows and key not in _CHARTED:
            title, form = _FORMS.get(key, (spoken(name), _as_it_is))
            parts.append(_HTML.titled(title, "", Markup(form(title, rows))))
    return "".join(parts)


def spoken(name: str) -> str:
    """`by_chapter` as `By chapter`."""
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def _as_it_is(title: str, rows: list[Row]) -> str:
    return rows_table(title, {key: key.replace("_", " ") for key in rows[0]}, rows)


def _agreement(rows: list[Row]) -> str:
    """For each algorithm: a line for each metric, a column for each group of raters."""
    groups = list(dict.fromkeys(row["of"] for row in rows))
    lines: dict[str, dict[str, dict[str, Row]]] = {}
    for row in rows:
        lines.setdefault(row["algorithm"], {}).setdefault(row["metric"], {})[row["of"]] = row
    reasons = Reasons()
    cells = [
        (
            algorithm,
            [[metric, *(value_cell(of.get(group), reasons) for group in groups)] for metric, of in each.items()],
        )
        for algorithm, each in lines.items()
    ]
    return table("Agreement of the experts, without and with each algorithm", ["", *groups], cells) + reasons.html()


def _chapters(title: str, rows: list[Row]) -> str:
    """A line for each chapter, a column for each rater."""
    raters = list(dict.fromkeys(row["algorithm"] for row in rows))
    lines: dict[str, dict[str, Row]] = {}
    for row in rows:
        lines.setdefault(row["chapter_name"], {})[row["algorithm"]] = row
    reasons = Reasons()
    cells = [
        [
            chapter, f"{max(row['n_cases'] for row in of.values()):,}",
            *(value_cell(row and row | {"value": row["HDF1"]}, reasons) for row in map(of.get, raters)),
        ]
        for chapter, of in lines.items()
    ]  # fmt: skip
    return table(title, ["chapter", "cases", *raters], [("", cells)]) + reasons.html()


def _quadrants(title: str, rows: list[Row]) -> str:
    """A line for each rater, a column for each quadrant."""
    quadrants = list(dict.fromkeys(row["right_by"] for row in rows))
    lines: dict[str, dict[str, int]] = {}
    for row in rows:
        lines.setdefault(row["algorithm"], {})[row["right_by"]] = row["n_cases"]
    cells = [[rater, *(f"{of.get(quadrant, 0):,}" for quadrant in quadrants)] for rater, of in lines.items()]
    return table(title, ["cases right by", *quadrants], [("", cells)])


_FORMS: dict[str, tuple[str, Callable[[str, list[Row]], str]]] = {
    "hierarchical.chapters": ("HDF1 by chapter of the reference", _chapters),
    "weighted.quadrants": ("Cases in the quadrants of the severity–semantic plane", _quadrants),
}
"""Table -> (title, HTML of its rows)."""
