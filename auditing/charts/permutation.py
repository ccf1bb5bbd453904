"""What M loses when a feature, or a family of features, is permuted (the source's figure 2)."""

from __future__ import annotations

from typing import Any

from ...pages.encodings import tooltip
from ...pages.figure import Figure, Row
from ...pages.style import Style
from ..results.audit_tables import AuditTables
from ..results.messages import spanned
from .marks import ROW, ZERO, bar_figure, intervals, names

_LOSSES = (("ap", "average precision"), ("f1", "F1 at the threshold"))
_WAYS = ("shuffled", "unknown", "trained without")


def figures(audit: AuditTables) -> list[Figure]:
    """Points with intervals where there are labels; bars of changed decisions where there are none."""
    permutation, families = audit.permutation.to_pylist(), audit.families.to_pylist()
    if "ap_lost" not in audit.permutation.column_names:
        return [_flipped(permutation)]
    made = audit.made_with["quality"]
    of = {"ap": made["average_precision"], "f1": made["f1"]}
    return [*(_points(permutation, loss, says, of[loss]) for loss, says in _LOSSES), _families(families, of["ap"])]


def _told(row: Row, loss: str) -> str:
    return spanned(*(row[f"{loss}_lost{end}"] for end in ("", "_low", "_high")))


def _lost(row: Row, loss: str, **more: Any) -> Row:
    value = {"value": row[f"{loss}_lost"], "low": row[f"{loss}_lost_low"], "high": row[f"{loss}_lost_high"]}
    return {"name": row["name"], **value, "told": _told(row, loss), "flipped": row["flipped"], **more}


def _points(permutation: list[Row], loss: str, says: str, whole: float) -> Figure:
    rows = [_lost(row, loss) for row in sorted(permutation, key=lambda row: -row[f"{loss}_lost"])]

    def draw(style: Style) -> Any:
        point = {"tooltip": tooltip(name="feature", told="lost")}
        drawn = intervals(f"{says} lost, of {whole:.3f}", style, {"y": names("name")}, point, color=style.series[0])
        return drawn.properties(width=style.width, height=ROW * len(rows))

    told = "; ".join(f"{row['name']} {row['told']}" for row in rows[:8])
    return Figure(
        name=f"permutation_{loss}",
        section="permutation",
        title=f"What shuffling one feature costs: {says}",
        finding=f"{says} lost of {whole:.3f} when one feature is shuffled: {told}.",
        columns={"name": "feature", "told": f"{says} lost", "flipped": "decisions changed"},
        rows=rows,
        data={"losses": rows, "zero": ZERO},
        draw=draw,
        note="Bars: intervals over references and shuffles. At 0 nothing is lost.",
    )


def _families(families: list[Row], whole: float) -> Figure:
    order = list(dict.fromkeys(row["name"] for row in families))
    ways = [way for way in _WAYS if any(row["way"] == way for row in families)]
    rows = [_lost(row, "ap", way=row["way"], f1=_told(row, "f1")) for row in families]

    def draw(style: Style) -> Any:
        import altair as alt

        def by_way(kind: Any, of: Any, **more: Any) -> Any:
            return kind("way:N", scale=alt.Scale(domain=ways, range=list(of[: len(ways)])), **more)

        encodings = {
            "y": names("name", sort=order, scale=alt.Scale(paddingInner=0.3)),
            "yOffset": alt.YOffset("way:N", sort=ways, scale=alt.Scale(domain=ways)),
            "color": by_way(alt.Color, style.series, legend=alt.Legend()),
        }
        point = {
            "shape": by_way(alt.Shape, ["circle", "square", "diamond"], legend=alt.Legend()),
            "tooltip": tooltip(name="family", way="way", told="average precision lost", f1="F1 lost"),
        }
        drawn = intervals(f"average precision lost, of {whole:.3f}", style, encodings, point)
        return drawn.properties(width=style.width, height=(18 * len(ways) + 14) * len(order))

    told = "; ".join(f"{row['name']} {row['way']} {row['told']}" for row in rows)
    note = (
        "Shuffled: over the pairs, together. Unknown: taken away from every pair; the trees were not trained for that."
    )
    if len(ways) == 3:
        note += " Trained without: new trees, measured out of fold against new trees with all features."
    heads = {"name": "family", "way": "way", "told": "average precision lost", "f1": "F1 lost"}
    return Figure(
        name="families",
        section="families",
        title="What a family of features is worth",
        finding=f"Average precision lost of {whole:.3f} without a family of features: {told}.",
        columns=heads | {"flipped": "decisions changed"},
        rows=rows,
        data={"losses": rows, "zero": ZERO},
        draw=draw,
        note=note,
    )


def _flipped(permutation: list[Row]) -> Figure:
    rows = sorted(permutation, key=lambda row: -row["flipped"])
    told = "; ".join(f"{row['name']} {row['flipped']:.1%}" for row in rows[:8])
    return bar_figure(
        "flipped",
        rows,
        {"field": "name"},
        {"shorthand": "flipped:Q", "title": "decisions changed", "axis": {"format": "%"}},
        {"name": "feature", "flipped": "share"},
        told=False,
        name="permutation_flipped",
        section="permutation",
        title="Decisions that change when one feature is shuffled",
        finding=f"Share of decisions that change: {told}.",
        columns={"name": "feature", "flipped": "decisions changed"},
        rows=rows,
    )
