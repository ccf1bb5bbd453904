"""The audit as one page to read."""

from __future__ import annotations

from html import escape
from itertools import groupby
from typing import TYPE_CHECKING

from ..pages.blocks import Reasons, figure, how_made, rows_table, script_chart, table, value_cell
from ..pages.document import document
from ..pages.figure import Row, spec_of
from ..pages.renderer import Renderer
from ..pages.style import PAGE
from .charts import all_figures
from .results.audit_tables import MISSED, AuditTables
from .results.messages import counted

if TYPE_CHECKING:
    import pyarrow as pa

_TITLE = "What does the match function rely on?"
_UNDEFINED = "it cannot be computed on these pairs"


def page(audit: AuditTables) -> str:
    """A whole HTML document. Every text from the data is escaped."""
    made = audit.made_with
    drawn = all_figures(audit)
    charts = {
        section: f'<div class="figures">{"".join(figure(f, script_chart(f, spec_of(f, PAGE))) for f in own)}</div>'
        for section, own in groupby(drawn, lambda each: each.section)
    }
    matches = "" if made["matches"] is None else f" · {made['matches']:,} matches"
    return document(
        _TITLE,
        f"{made['source']} · {made['pairs']:,} pairs{matches} · {made['model']}",
        audit.words,
        [
            ("measures", "How good it is" if audit.measures else "What it says", _measures(audit.measures) + charts["measures"]),
            ("contributions", "What moves the score", _sampled(audit) + charts["contributions"]),
            ("permutation", "What it cannot do without", _permutation(audit) + charts["permutation"]),
            ("families", "Families of features", charts.get("families", "")),
            ("correlation", "Which features say the same", charts.get("correlation", "")),
            ("errors", "Where it errs", charts.get("errors", "") + _worst(audit.worst)),
            ("references", "References with most errors", _references(audit.references)),
            ("features", "The features", _features(audit.features)),
            ("made", "How it was made", how_made(_lines(audit), [f"{what}: {why}" for what, why in audit.left_out.items()], audit.notes)),
        ],
        f"Made by dxmatch {made['versions']['dxmatch']}.",
        Renderer().script(),
        skip="Skip to the audit",
    )  # fmt: skip


def _measures(measures: pa.Table | None) -> str:
    if measures is None:
        return ""
    lines: dict[str, dict[str, Row]] = {}
    for row in measures.to_pylist():
        lines.setdefault(row["measure"], {})[row["pairs"]] = row | {"reason": _UNDEFINED}
    parts = list(dict.fromkeys(row["pairs"] for row in measures.to_pylist()))
    reasons = Reasons()
    cells = [[name.replace("_", " "), *(value_cell(of[part], reasons) for part in parts)] for name, of in lines.items()]
    heads = {"all": "all pairs", "not identical": "pairs that differ after normalisation"}
    return table("Measures", ["", *(heads[part] for part in parts)], [("", cells)]) + reasons.html()


def _sampled(audit: AuditTables) -> str:
    made = audit.made_with
    of = f"{made['sampled_of']:,} pairs that differ after normalisation"
    whole = made["sample"] == made["sampled_of"]
    drawn = f"all {of}" if whole else f"{made['sample']:,} pairs, drawn from {of} so that matches keep their share"
    return (
        '<p class="quiet">Each score is a start that is the same for all pairs and one contribution for each feature (SHAP '
        f"values, in log-odds before calibration); they add up to the score of every pair. Computed for {escape(drawn)}.</p>"
    )


def _permutation(audit: AuditTables) -> str:
    return (
        '<p class="quiet">Contributions say what M uses, not what it needs: features that say the same share the work. So '
        "each feature is shuffled over the pairs that differ after normalisation, and M is asked again "
        f"({counted(audit.made_with['repeats'], 'time', 'times')}).</p>"
    )


def _worst(worst: pa.Table | None) -> str:
    """The surest errors of each kind, behind a line that opens."""
    if worst is None or not worst.num_rows:
        return ""
    parts = ["<h3>The surest errors of each kind</h3>"]
    for (error, kind), own in groupby(worst.to_pylist(), lambda row: (row["error"], row["kind"])):
        rows = list(own)
        said = "missed match" if error == MISSED else "false match"
        lines = [[row["a"], escape(row["b"]), f"{row['probability']:.3f}"] for row in rows]
        parts.append(
            f'<details class="case"><summary><strong>{escape(said)}</strong> · {escape(kind)}</summary>'
            + table(f"{said}, {kind}", ["", "", "probability"], [("", lines)], text=True)
            + "</details>"
        )
    return "".join(parts)


def _references(references: pa.Table | None) -> str:
    if references is None or not references.num_rows:
        return ""
    columns = {"reference": "reference", "pairs": "pairs", "matches": "matches", "missed": "missed", "false": "false matches", "share": "share wrong"}  # fmt: skip
    return rows_table("References with most errors", columns, references.to_pylist())


def _features(features: pa.Table) -> str:
    lines = [
        [row["feature"], escape(row["family"]), escape(row["label"]), f"{row['known']:.1%}", escape(row["same_as"] or "–")]
        for row in features.to_pylist()
    ]  # fmt: skip
    return table("Features", ["", "family", "says", "known", "says nearly the same as"], [("", lines)], text=True)


def _lines(audit: AuditTables) -> list[tuple[str, str]]:
    made = audit.made_with
    lines = [
        ("Match function", f"{made['model']}, {counted(made['members'], 'set', 'sets')} of trees, a match from {made['threshold']:.4g} up"),
        ("Pairs", f"{made['source']}: {made['pairs']:,} pairs under {made['references']:,} references; {made['identical']:,} are equal after normalisation"),
        ("Intervals", f"{made['level']:.0%} percentile, {made['bootstrap']:,} resamples of the references, seed {made['seed']}"),
        ("Shuffles", f"{made['repeats']} of each feature and family"),
    ]  # fmt: skip
    if made["retrained"] is not None:
        lines.append(("Trained anew", f"with all features, out of fold: average precision {made['retrained']['average_precision']:.3f}, F1 {made['retrained']['f1']:.3f}"))  # fmt: skip
    if made["rejected"]:
        lines.append(("Set aside", f"{made['rejected']:,} rows"))
    lines.append(("Made with", ", ".join(f"{name} {version}" for name, version in made["versions"].items())))
    return lines
