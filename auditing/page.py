"""The audit as one page to read."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from ..files.counted import counted
from ..pages.blocks import Reasons, figure, how_made, rows_table, script_chart, table, value_cell
from ..pages.document import document
from ..pages.figure import spec_of
from ..pages.renderer import Renderer
from ..pages.rows import Row
from ..pages.style import PAGE
from ..pages.templates import macros
from ..training.correlated import dropped_words
from .charts import all_figures
from .results.audit_tables import DECIDED, MISSED, AuditTables

if TYPE_CHECKING:
    import pyarrow as pa

_TITLE = "What does the match function rely on?"
_UNDEFINED = "it cannot be computed on these pairs"
_HTML = macros("audit.html.j2", Path(__file__).parent)


def page(audit: AuditTables) -> str:
    """A whole HTML document. Every text from the data is escaped."""
    made = audit.made_with
    charts = {
        section: _HTML.figures([Markup(figure(each, script_chart(each, spec_of(each, PAGE)))) for each in own])
        for section, own in groupby(all_figures(audit), lambda each: each.section)
    }
    matches = "" if made["matches"] is None else f" · {made['matches']:,} matches"
    times = counted(made["repeats"], "time", "times")
    left_out = [f"{what}: {why}" for what, why in audit.left_out.items()]
    return document(
        _TITLE,
        f"{made['source']} · {made['pairs']:,} pairs{matches} · {made['model']}",
        audit.words,
        [
            ("measures", "How good it is" if audit.measures else "What it says", _measures(audit.measures) + charts["measures"]),
            ("contributions", "What moves the score", _HTML.sampled(made) + charts["contributions"]),
            ("permutation", "What it cannot do without", _HTML.permutation(times) + charts["permutation"]),
            ("families", "Families of features", charts.get("families", "")),
            ("alone", "Each feature alone", _alone(audit, charts.get("alone", ""))),
            ("voters", "Which voters to ask", _voters(audit.voters)),
            ("correlation", "Which features say the same", charts.get("correlation", "") + _dropped(audit)),
            ("errors", "Where it errs", charts.get("errors", "") + _worst(audit.worst)),
            ("references", "References with most errors", _references(audit.references)),
            ("features", "The features", _features(audit.features)),
            ("made", "How it was made", how_made(_lines(audit), left_out, audit.notes)),
        ],
        f"Made by dxmatch {made['versions']['dxmatch']}.",
        Renderer().script(),
        skip="Skip to the audit",
    )  # fmt: skip


def _measures(measures: pa.Table | None) -> Markup:
    if measures is None:
        return Markup()
    rows = measures.to_pylist()
    cells = {(row["measure"], row["pairs"]): row | {"reason": _UNDEFINED} for row in rows}
    heads = {"all": "all pairs", "not identical": "pairs that differ after normalisation"}
    reasons = Reasons()
    lines = [
        [name.replace("_", " "), *(value_cell(cells[name, part], reasons) for part in heads)]
        for name in dict.fromkeys(row["measure"] for row in rows)
    ]
    return Markup(table("Measures", ["", *heads.values()], [("", lines)]) + reasons.html())


def _alone(audit: AuditTables, chart: str) -> str:
    """M and each feature: its rule, how many pairs know it, and its measures."""
    if audit.alone is None:
        return ""
    lines = []
    reasons = Reasons()
    for row in audit.alone.to_pylist():
        rule = row["rule"] if row["threshold"] is None else f"{row['rule']} {row['threshold']:.3g}"
        cells = (
            value_cell(_measure_of(row, name) | {"reason": row["reason"] or _UNDEFINED}, reasons) for name in DECIDED
        )
        lines.append([row["feature"], escape(rule), f"{row['known']:.1%}", *cells])
    made = table("Each feature alone", ["", "a match", "known", *DECIDED.values()], [("", lines)])
    return _HTML.alone(audit.alone.to_pylist()[0], audit.made_with) + Markup(made + reasons.html()) + Markup(chart)


def _voters(voters: pa.Table | None) -> str:
    """What the best voters reach, by each way to choose them."""
    if voters is None:
        return ""
    rows, reasons = voters.to_pylist(), Reasons()
    lines = [
        [
            row["way"], escape(row["voters"]), f"{row['yes']} of {row['n']}", f"{row['folds']}",
            *(value_cell(_measure_of(row, name) | {"reason": _UNDEFINED}, reasons) for name in DECIDED), f"{row['f1_same_pairs']:.3f}",
        ]
        for row in rows
    ]  # fmt: skip
    heads = [
        "chosen by",
        "voters",
        "yes needed",
        "folds that choose them",
        *DECIDED.values(),
        "F1 on the pairs that chose",
    ]
    return _HTML.voters(rows[0]) + Markup(table("Which voters to ask", heads, [("", lines)]) + reasons.html())


def _measure_of(row: Row, name: str) -> Row:
    return {"value": row[name], "low": row[f"{name}_low"], "high": row[f"{name}_high"]}


def _dropped(audit: AuditTables) -> Markup:
    limit = audit.made_with["drop_correlated"]
    if limit is None or audit.dropped is None:
        return Markup()
    return _HTML.quiet(dropped_words(limit, audit.dropped.to_pylist()))


def _worst(worst: pa.Table | None) -> Markup:
    """The surest errors of each kind, behind a line that opens."""
    if worst is None or not worst.num_rows:
        return Markup()
    groups = []
    for (error, kind), own in groupby(worst.to_pylist(), lambda row: (row["error"], row["kind"])):
        said = "missed match" if error == MISSED else "false match"
        lines = [[row["a"], escape(row["b"]), f"{row['probability']:.3f}"] for row in own]
        groups.append((said, kind, Markup(table(f"{said}, {kind}", ["", "", "probability"], [("", lines)], text=True))))
    return _HTML.worst(groups)


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
