"""How good M is, and each feature by itself."""

from __future__ import annotations

from typing import Any

from ...pages.encodings import tooltip
from ...pages.figure import Figure
from ...pages.style import Style
from ..results.audit_tables import AuditTables
from ..results.messages import spanned
from .marks import ROW, ZERO, intervals, names


def figures(audit: AuditTables) -> list[Figure]:
    """One, where there are labels."""
    if audit.alone is None:
        return []
    rows = [
        {
            "name": row["feature"],
            "value": row["f1"],
            "low": row["f1_low"],
            "high": row["f1_high"],
            **{
                name: spanned(row[name], row[f"{name}_low"], row[f"{name}_high"])
                for name in ("precision", "recall", "f1")
            },
        }
        for row in audit.alone.to_pylist()
        if row["f1"] is not None
    ]

    def draw(style: Style) -> Any:
        tips = {"tooltip": tooltip(name="feature", f1="F1", precision="precision", recall="recall")}
        drawn = intervals("F1 alone", style, {"y": names("name")}, tips, color=style.series[0])
        return drawn.properties(width=style.width, height=ROW * len(rows))

    told = "; ".join(f"{row['name']} {row['f1']}" for row in rows[:8])
    return [
        Figure(
            name="alone",
            section="alone",
            title="F1 of each feature alone",
            finding=f"F1 of M and of each feature as a match function by itself: {told}.",
            columns={"name": "feature", "f1": "F1", "precision": "precision", "recall": "recall"},
            rows=rows,
            data={"losses": rows, "zero": ZERO},
            draw=draw,
            note="Each at the threshold that is best in the other folds of references; bars are intervals over references.",
        )
    ]
