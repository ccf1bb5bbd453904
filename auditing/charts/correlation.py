"""Which features say the same: the matrix of correlations (the source's figure 3)."""

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
    cells: list[Row] = []
    for row in rows:
        if row["first"] != row["second"]:
            told = "undefined" if row["spearman"] is None else f"{row['spearman']:.2f}"
            known = {"rho": row["spearman"] or 0.0, "told": told, "pearson": "undefined" if row["pearson"] is None else f"{row['pearson']:.2f}"}  # fmt: skip
            known |= {"strength": abs(known["rho"]), "sign": "alike" if known["rho"] >= 0 else "opposite", "pairs": row["pairs"]}  # fmt: skip
            cells.append({"first": row["first"], "second": row["second"], **known})
    numbered = len(names) <= _MAX_NUMBERED

    def draw(style: Style) -> Any:
        import altair as alt

        axis = alt.Axis(ticks=False, domain=False, labelLimit=190)
        x = alt.X("first", type="nominal", sort=None, scale=alt.Scale(domain=names[:-1], padding=0.04), title=None,
                  axis=alt.Axis(ticks=False, domain=False, labelLimit=190, labelAngle=-45))  # fmt: skip
        y = alt.Y("second", type="nominal", scale=alt.Scale(domain=names[1:], padding=0.04), title=None, axis=axis)
        base = alt.Chart(named("cells")).encode(x=x, y=y)
        signs = alt.Scale(domain=["alike", "opposite"], range=[style.series[0], style.series[1]])
        tips = tooltip(first="feature", second="with", told="Spearman", pearson="Pearson", pairs="pairs")
        squares = base.mark_rect(cornerRadius=2).encode(
            color=alt.Color("sign", type="nominal", scale=signs, legend=alt.Legend(symbolType="square")),
            opacity=alt.Opacity("strength", type="quantitative", scale=alt.Scale(domain=[0, 1], range=[0.04, 0.55]), legend=None),
            tooltip=tips,
        )  # fmt: skip
        numbers = base.mark_text(fontSize=11, color=style.ink).encode(text=alt.Text("told", type="nominal"))
        layers = [squares, numbers] if numbered else [squares]
        return alt.layer(*layers).properties(width=style.width, height=_ROW * (len(names) - 1))

    strongest = sorted(cells, key=lambda cell: -cell["strength"])[:5]
    return [
        Figure(
            name="correlation",
            section="correlation",
            title="How the features go together (Spearman's rho)",
            finding="The strongest correlations of two features: "
            + "; ".join(f"{cell['first']} with {cell['second']} {cell['told']}" for cell in strongest)
            + ".",
            columns={"first": "feature", "second": "with", "told": "Spearman", "pearson": "Pearson", "pairs": "pairs that know both"},
            rows=sorted(cells, key=lambda cell: -cell["strength"]),
            data={"cells": cells},
            draw=draw,
            note="The fuller the colour, the closer to 1 or -1; each over the pairs that know both features.",
        )
    ]  # fmt: skip
