"""Which features say the same: the matrix of correlations (the source's figure 1)."""

from __future__ import annotations

from typing import Any

from ...pages.encodings import named, tooltip
from ...pages.figure import Figure, Row
from ...pages.style import Style
from ..results.audit_tables import AuditTables

_ROW, _MAX_NUMBERED = 26, 14


def figures(audit: AuditTables) -> list[Figure]:
    """One, where there are two features or more."""
    rows = audit.correlations.to_pylist()
    names = list(dict.fromkeys(row["first"] for row in rows))
    if len(names) < 2:
        return []
    cells = [_cell(row) for row in rows if row["first"] != row["second"]]

    def draw(style: Style) -> Any:
        import altair as alt

        axis = {"ticks": False, "domain": False, "labelLimit": 190}
        base = alt.Chart(named("cells")).encode(
            x=alt.X("first:N", sort=None, scale=alt.Scale(domain=names[:-1], padding=0.04), title=None, axis=alt.Axis(**axis, labelAngle=-45)),
            y=alt.Y("second:N", scale=alt.Scale(domain=names[1:], padding=0.04), title=None, axis=alt.Axis(**axis)),
        )  # fmt: skip
        signs = alt.Scale(domain=["alike", "opposite"], range=list(style.series[:2]))
        squares = base.mark_rect(cornerRadius=2).encode(
            color=alt.Color("sign:N", scale=signs, legend=alt.Legend(symbolType="square")),
            opacity=alt.Opacity("strength:Q", scale=alt.Scale(domain=[0, 1], range=[0.04, 0.55]), legend=None),
            tooltip=tooltip(first="feature", second="with", told="Spearman", pearson="Pearson", pairs="pairs"),
        )
        numbers = base.mark_text(fontSize=11, color=style.ink).encode(text="told:N")
        layers = [squares, numbers] if len(names) <= _MAX_NUMBERED else [squares]
        return alt.layer(*layers).properties(width=style.width, height=_ROW * (len(names) - 1))

    strongest = sorted(cells, key=lambda cell: -cell["strength"])
    told = "; ".join(f"{cell['first']} with {cell['second']} {cell['told']}" for cell in strongest[:5])
    heads = {"first": "feature", "second": "with", "told": "Spearman", "pearson": "Pearson"}
    return [
        Figure(
            name="correlation",
            section="correlation",
            title="How the features go together (Spearman's rho)",
            finding=f"The strongest correlations of two features: {told}.",
            columns=heads | {"pairs": "pairs that know both"},
            rows=strongest,
            data={"cells": cells},
            draw=draw,
            note="The fuller the colour, the closer to 1 or -1; each over the pairs that know both features.",
        )
    ]


def _cell(row: Row) -> Row:
    rho = row["spearman"] or 0.0
    told, pearson = ("undefined" if row[key] is None else f"{row[key]:.2f}" for key in ("spearman", "pearson"))
    known = {"first": row["first"], "second": row["second"], "rho": rho, "told": told, "pearson": pearson}
    return known | {"strength": abs(rho), "sign": "alike" if rho >= 0 else "opposite", "pairs": row["pairs"]}
