"""How much agreement differs from expert to expert: sigma, of the algorithm and of the experts."""

from __future__ import annotations

from typing import Any

from ....pages.encodings import named, tooltip, with_interval
from ....pages.figure import Figure
from ....pages.rows import Row
from ....pages.style import Style
from ...statistics.results import Results
from .marks import marks_of

_SIDES = {"sigma_A": "algorithm", "sigma_E": "experts"}
_PARTS = ("P", "R", "kappa")
_MAX_ALGORITHMS = 12


def figures(report: Results) -> list[Figure]:
    """Bars of sigma_A and sigma_E for P, R and kappa."""
    algorithms = report.algorithms[:_MAX_ALGORITHMS]
    rows: list[Row] = []
    for part in _PARTS:
        for algorithm in algorithms:
            for row in report.rows:
                at = (row["algorithm"], row["of"], row["metric"] in _SIDES)
                if at == (algorithm, part, True) and row["k"] in (report.k, None) and row["value"] is not None:
                    band = part if len(algorithms) == 1 else f"{part} · {algorithm}"
                    rows.append(
                        {"band": band, "algorithm": algorithm, "of": part, "side": _SIDES[row["metric"]],
                         "value": row["value"], "low": row["low"], "high": row["high"], "told": with_interval(row)}
                    )  # fmt: skip
    if not rows:
        return []
    marks = marks_of(report)
    bands = list(dict.fromkeys(row["band"] for row in rows))
    sides = list(_SIDES.values())

    def draw(style: Style) -> Any:
        import altair as alt

        base = alt.Chart(named("sigmas")).encode(
            y=alt.Y(
                "band", type="nominal", title=None, axis=alt.Axis(domain=False, ticks=False),
                scale=alt.Scale(domain=bands, paddingInner=0.3),
            ),
            yOffset=alt.YOffset("side", type="nominal", scale=alt.Scale(domain=sides)),
        )  # fmt: skip
        colour = alt.Color(
            "side", type="nominal", legend=alt.Legend(),
            scale=alt.Scale(domain=sides, range=[style.series[0], style.panel]),
        )  # fmt: skip
        return alt.layer(
            base.mark_bar(opacity=0.85).encode(
                x=alt.X("value", type="quantitative", title="standard deviation over experts"),
                color=colour,
                tooltip=tooltip(algorithm="algorithm", of="of", side="side", told="sigma"),
            ),
            base.mark_rule(strokeWidth=1.5, color=style.ink).encode(x=alt.X("low", type="quantitative"), x2="high"),
        ).properties(width=style.width, height=36 * len(bands))

    return [
        Figure(
            name="sigma",
            section="relative",
            title=f"sigma@{report.k}: how agreement differs between experts",
            finding="Standard deviation over experts. "
            + "; ".join(f"{row['of']}, {row['algorithm']}, {row['side']}: {row['told']}" for row in rows)
            + ".",
            columns={"algorithm": "algorithm", "of": "of", "side": "side", "told": "sigma"},
            rows=rows,
            data={"sigmas": rows},
            draw=draw,
            series=marks.ordered(algorithms) if len(algorithms) == 1 else (),
            note="An algorithm whose bar is no longer than the experts' treats them alike as much as they do each other.",
        )
    ]
