"""What an audit says and shows: its sentences, and its page, part by part."""

from __future__ import annotations

from collections.abc import Iterator

from ..evaluation.report.document import Block, Folded, Part, Table, Value, rows_table
from ..files.counted import counted, shown_threshold
from ..pages.encodings import with_interval
from ..pages.rows import Row
from ..pages.words import listed
from .mistakes import ERRORS
from .permutation import Found, Made, measured

_DECIDED = {"precision": "precision", "recall": "recall", "f1": "F1", "accuracy": "accuracy"}
_IN_BRIEF = ("contributions", "alone", "voters")
"""Parts of which a terminal shows the tables unasked."""


def answer(of: Found, made: Made) -> list[list[str]]:
    """Says in cards how good M is, what it relies on, what decides alone."""
    cards = ([*card(of, made)] for card in (_quality, _reliance, _deciders))
    return [card for card in cards if card]


def _quality(of: Found, made: Made) -> Iterator[str]:
    said = f"On {made['pairs']:,} pairs M finds a match from a probability of {shown_threshold(made['threshold'])} up"
    shown = {(row["pairs"], row["measure"]): with_interval(row) for row in of("measures")}
    if not shown:
        yield f"{said}. The pairs have no labels, so this page says what M relies on, and not how good it is."
        return
    names = {"f1": "F1", "precision": "precision", "recall": "recall", "average_precision": "average precision"}
    found = ", ".join(f"{name} {shown['all', key]}" for key, name in names.items())
    yield f"{said}: {found}."
    equal = counted(made["equal_after_normalisation"], "pair is", "pairs are")
    f1, ranked = shown["not identical", "f1"], shown["not identical", "average_precision"]
    yield f"{equal} equal after normalisation, and so a match without the trees. Without these: F1 {f1}, average precision {ranked}."


def _reliance(of: Found, made: Made) -> Iterator[str]:
    most = [f"{row['feature']} ({row['share']:.0%} of all contributions)" for row in of("features")[:3] if row["share"]]
    if not most:
        yield "No feature moves any score: M says the same of every pair."
        return
    yield f"Its scores are moved most by {listed(most)}."
    rows = of("permutation")
    top = max(rows, key=lambda row: row.get("ap_lost", row["flipped"]))
    if made["matches"] is None:
        yield f"Shuffling {top['name']} changes most decisions, {top['flipped']:.1%} of them."
        return
    idle, lost = sum((row["ap_lost_low"] or 0) <= 0 for row in rows), with_interval(measured(top, "ap_lost"))
    yield (
        f"Shuffling {top['name']} costs most, {lost} of average precision. Of {len(rows)} features {idle} can be shuffled, one at a time, "
        "without a loss that is surely above 0."
    )


def _deciders(of: Found, made: Made) -> Iterator[str]:
    for row in of("alone")[1:2]:
        of_m, best = (with_interval(measured(one, "f1")) for one in (of("alone")[0], row))
        yield f"Alone, {row['feature']} decides best: F1 {best} on the pairs that differ, where M has {of_m}."


def parts_of(of: Found, made: Made, *, drawn: bool) -> list[Part]:
    """Gives the parts of the page. drawn : with their charts, which take their time."""
    charts: dict[str, list[Block]] = {}
    if drawn:
        from .charts import figures

        for figure in figures(of, made):
            charts.setdefault(figure.section, []).append(figure)
    parts: list[tuple[str, str, list[Block]]] = [
        ("measures", "How good it is", _table_of("Measures", of("measures"), **_MEASURES)),
        ("contributions", "What moves the score", _contributions(of, made)),
        ("permutation", "What it cannot do without", []),
        ("alone", "Each feature alone", _alone(of, made)),
        ("voters", "Which voters to ask", _voters(of)),
        ("correlation", "Which features say the same", _table_of("Features", of("features"), **_FEATURES)),
        ("errors", "Where it errs", _mistakes(of)),
    ]
    return [
        Part(name, title, [*blocks, *charts.get(name, [])], brief=blocks if name in _IN_BRIEF else ())
        for name, title, blocks in parts
        if blocks or name in charts
    ]


_FEATURES = {
    "feature": "feature",
    "family": "family",
    "label": "says",
    "same_as": "says nearly the same as (|rho| ≥ 0.9)",
}
_MEASURES = {"pairs": "pairs", "measure": "measure", "value": "value", "low": "from", "high": "to"}
_KINDS = {"error": "", "kind": "M takes the first for", "pairs": "pairs", "wrong": "wrong", "share": "share"}
_WORST = {
    "a": "first",
    "b": "second",
    "probability": "probability",
    "kind": "M takes the first for",
    "why": "what is known of the two",
}


def _table_of(title: str, rows: list[Row], **columns: str) -> list[Block]:
    return [rows_table(title, rows, columns)] if rows else []


def _contributions(of: Found, made: Made) -> list[Block]:
    lost, labelled = {row["name"]: row for row in of("permutation")}, made["matches"] is not None
    lines = [
        [row["feature"], f"{row['known']:.1%}", f"{row['strength']:.3f}",
         Value(measured(lost[row["feature"]], "ap_lost")) if labelled else f"{lost[row['feature']]['flipped']:.1%}"]
        for row in of("features")
    ]  # fmt: skip
    header = ["feature", "known", "mean |contribution|", "average precision lost" if labelled else "decisions changed"]
    note = (
        "Each score is a start that is the same for all pairs and one contribution for each feature (SHAP values, in log-odds before "
        f"calibration); they add up to the score of every pair. Computed for {made['pairs_with_contributions']:,} pairs that differ after normalisation. That is what M "
        "uses. What it needs is in the last column, since features that say the same share the work: each feature is shuffled over "
        f"these pairs, and M is asked again ({counted(made['shuffles'], 'time')})."
    )
    return [Table(header, [("", lines)], "Contributions", note=note)]


def _alone(of: Found, made: Made) -> list[Block]:
    lines = [
        [row["feature"], row["rule"] if row["threshold"] is None else f"{row['rule']} {row['threshold']:.3g}", f"{row['known']:.1%}",
         *(Value(measured(row, name)) for name in _DECIDED)]
        for row in of("alone")
    ]  # fmt: skip
    note = (
        "Each feature as a match function by itself, on the labelled pairs that differ after normalisation. "
        "A value of 0 or 1 is taken as it is; any other is a match from a threshold on, which is chosen by F1 in the other folds "
        f"({made['folds']} folds of references; the threshold shown is that of all pairs). Unknown is no match."
    )
    header = ["", "a match", "known", *_DECIDED.values()]
    return [Table(header, [("", lines)], "Each feature alone", note=note)] if lines else []


def _voters(of: Found) -> list[Block]:
    lines = [
        [row["way"], row["voters"], f"{row['yes']} of {row['n']}", f"{row['folds']}",
         *(Value(measured(row, name)) for name in _DECIDED), f"{row['f1_same_pairs']:.3f}"]
        for row in of("voters")
    ]  # fmt: skip
    note = (
        "A match where so many of them say yes. Voters and number are chosen by F1 on the other folds of references, so no pair both "
        "chooses and measures. The last column is what the source reports: F1 on the very pairs that chose, which is too good."
    )
    header = [
        "chosen by",
        "voters",
        "yes needed",
        "folds that choose them",
        *_DECIDED.values(),
        "F1 on the pairs that chose",
    ]
    return [Table(header, [("", lines)], "Which voters to ask", note=note)] if lines else []


def _mistakes(of: Found) -> list[Block]:
    """How often M errs on pairs of each relation, and the surest errors of each."""
    kinds = [row | {"error": ERRORS[row["error"]]} for row in of("kinds")]
    blocks = _table_of("Errors by kind", kinds, **_KINDS)
    for error, title in ERRORS.items():
        if worst := [row for row in of("worst") if row["error"] == error]:
            blocks.append(Folded(f"{title}: the surest", _table_of(title, worst, **_WORST)))
    return blocks
