"""What M loses when a feature, or a family of features, is permuted (the source's figure 2)."""

from __future__ import annotations

from typing import Any

from ...pages.encodings import tooltip
from ...pages.figure import Figure, Row
from ...pages.style import Style
from ..results.audit_tables import AuditTables
from ..results.messages import spanned
from .marks import ROW, bars, intervals, names

_LOSSES = (("ap_lost", "average precision"), ("f1_lost", "F1 at the threshold"))
_WAYS = ("shuffled", "unknown", "trained without")


def figures(audit: AuditTables) -> list[Figure]:
    """Points with intervals where there are labels; bars of changed decisions where there are none."""
    permutation, families = audit.permutation.to_pylist(), audit.families.to_pylist()
    if "ap_lost" not in audit.permutation.column_names:
        return [_flipped(permutation)]
    made = audit.made_with["quality"]
    of = {"ap_lost": made["average_precision"], "f1_lost": made["f1"]}
    return [
        *(_points(permutation, loss, says, of[loss]) for loss, says in _LOSSES),
        _families(families, of["ap_lost"]),
    ]


def _points(permutation: list[Row], loss: str, says: str, whole: float) -> Figure:
    rows = [
        {"name": row["name"], "value": row[loss], "low": row[f"{loss}_low"], "high": row[f"{loss}_high"],
         "told": spanned(row[loss], row[f"{loss}_low"], row[f"{loss}_high"]), "flipped": row["flipped"]}
        for row in sorted(permutation, key=lambda row: -row[loss])
    ]  # fmt: skip

    def draw(style: Style) -> Any:
        point = {"tooltip": tooltip(name="feature", told="lost")}
        drawn = intervals(f"{says} lost, of {whole:.3f}", style, {"y": names("name")}, point, color=style.series[0])
        return drawn.properties(width=style.width, height=ROW * len(rows))

    return Figure(
        name=f"permutation_{loss.removesuffix('_lost')}",
        section="permutation",
        title=f"What shuffling one feature costs: {says}",
        finding=f"{says} lost of {whole:.3f} when one feature is shuffled: "
        + "; ".join(f"{row['name']} {row['told']}" for row in rows[:8])
        + ".",
        columns={"name": "feature", "told": f"{says} lost", "flipped": "decisions changed"},
        rows=rows,
        data={"losses": rows, "zero": [{"x": 0}]},
        draw=draw,
        note="Bars: intervals over references and shuffles. At 0 nothing is lost.",
    )


def _families(families: list[Row], whole: float) -> Figure:
    order = list(dict.fromkeys(row["name"] for row in families))
    ways = [way for way in _WAYS if any(row["way"] == way for row in families)]
    rows = [
        {"name": row["name"], "way": row["way"], "value": row["ap_lost"], "low": row["ap_lost_low"],
         "high": row["ap_lost_high"], "told": spanned(row["ap_lost"], row["ap_lost_low"], row["ap_lost_high"]),
         "f1": spanned(row["f1_lost"], row["f1_lost_low"], row["f1_lost_high"]), "flipped": row["flipped"]}
        for row in families
    ]  # fmt: skip

    def draw(style: Style) -> Any:
        import altair as alt

        y = names("name", sort=order, scale=alt.Scale(paddingInner=0.3))
        offset = alt.YOffset("way", type="nominal", sort=ways, scale=alt.Scale(domain=ways))
        colours = alt.Scale(domain=ways, range=list(style.series[: len(ways)]))
        shapes = alt.Scale(domain=ways, range=["circle", "square", "diamond"][: len(ways)])
        colour = alt.Color("way", type="nominal", scale=colours, legend=alt.Legend())
        point = {
            "shape": alt.Shape("way", type="nominal", scale=shapes, legend=alt.Legend()),
            "tooltip": tooltip(name="family", way="way", told="average precision lost", f1="F1 lost"),
        }
        encodings = {"y": y, "yOffset": offset, "color": colour}
        drawn = intervals(f"average precision lost, of {whole:.3f}", style, encodings, point)
        return drawn.properties(width=style.width, height=(18 * len(ways) + 14) * len(order))

    return Figure(
        name="families",
        section="families",
        title="What a family of features is worth",
        finding=f"Average precision lost of {whole:.3f} without a family of features: "
        + "; ".join(f"{row['name']} {row['way']} {row['told']}" for row in rows)
        + ".",
        columns={"name": "family", "way": "way", "told": "average precision lost", "f1": "F1 lost", "flipped": "decisions changed"},
        rows=rows,
        data={"losses": rows, "zero": [{"x": 0}]},
        draw=draw,
        note="Shuffled: over the pairs, together. Unknown: taken away from every pair; the trees were not trained for that."
        + (" Trained without: new trees, measured out of fold against new trees with all features." if len(ways) == 3 else ""),
    )  # fmt: skip


def _flipped(permutation: list[Row]) -> Figure:
    rows = sorted(permutation, key=lambda row: -row["flipped"])

    def draw(style: Style) -> Any:
        import altair as alt

        x = alt.X("flipped", type="quantitative", title="decisions changed", axis=alt.Axis(format="%"))
        tips = {"name": "feature", "flipped": "share"}
        drawn = bars("flipped", names("name"), x, style.series[0], tips, told=False)
        return drawn.properties(width=style.width, height=ROW * len(rows))

    return Figure(
        name="permutation_flipped",
        section="permutation",
        title="Decisions that change when one feature is shuffled",
        finding="Share of decisions that change: "
        + "; ".join(f"{r['name']} {r['flipped']:.1%}" for r in rows[:8])
        + ".",
        columns={"name": "feature", "flipped": "decisions changed"},
        rows=rows,
        data={"flipped": rows},
        draw=draw,
    )
