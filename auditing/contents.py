"""What an audit says and shows: its sentences, and its page, part by part."""

from __future__ import annotations

from collections.abc import Iterator

from ..evaluation.report.document import Block, Folded, Part, Table, Value, rows_table
from ..files.counted import counted, shown_threshold
from ..pages.encodings import with_interval
from ..pages.rows import Row
from ..pages.words import listed
from .mistakes import ERRORS, FALSE, MISSED
from .permutation import UNDEFINED, Found, Made, measured

_DECIDED = {"precision": "precision", "recall": "recall", "f1": "F1", "accuracy": "accuracy"}
_IN_BRIEF = ("contributions", "alone", "voters")
"""Parts of which a terminal shows the tables unasked."""


def answer(of: Found, made: Made) -> list[list[str]]:
    """Says in cards how good M is and where it errs, what it relies on, what decides alone."""
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
    equal = counted(made["identical"], "pair is", "pairs are")
    f1, ranked = shown["not identical", "f1"], shown["not identical", "average_precision"]
    yield f"{equal} equal after normalisation, and so a match without the trees. Without these: F1 {f1}, average precision {ranked}."
    missed, false = (sum(row["wrong"] for row in of("kinds") if row["error"] == error) for error in (MISSED, FALSE))
    if of("kinds"):
        others = made["pairs"] - made["matches"]
        yield f"It misses {missed:,} of {made['matches']:,} matches, and takes {false:,} of {others:,} non-matches for matches."


def _reliance(of: Found, made: Made) -> Iterator[str]:
    most, share = [], 0.0
    for row in of("features"):
        if row["share"] is not None and share < 0.75 and len(most) < 4:
            most.append(row["feature"])
            share += row["share"]
    if not most:
        yield "No feature moves any score: M says the same of every pair."
        return
    yield f"Most of what moves its scores comes from {listed(most)}: {share:.0%} of all contributions."
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
    alone = of("alone")
    if alone:
        of_m, best = (with_interval(measured(row, "f1")) for row in alone[:2])
        yield f"Alone, {alone[1]['feature']} decides best: F1 {best} on the pairs that differ, where M has {of_m}."
    if silent := [row["feature"] for row in alone if not row["known"]]:
        yield f"No answer for any pair: {listed(silent)}."
    for row in of("voters")[:1]:
        yield (
            f"Of {row['of']} voters these {row['n']} decide best together: {row['voters']}; with {row['yes']} of them saying yes, F1 "
            f"{with_interval(measured(row, 'f1'))} on references that did not choose them."
        )


def parts_of(of: Found, made: Made, *, drawn: bool) -> list[Part]:
    """Gives the parts of the page. drawn : with their charts, which take their time."""
    charts: dict[str, list[Block]] = {}
    if drawn:
        from .charts import figures

        for figure in figures(of, made):
            charts.setdefault(figure.section, []).append(figure)
    parts: list[tuple[str, str, list[Block]]] = [
        ("measures", "How good it is", _measures(of)),
        ("contributions", "What moves the score", _contributions(of, made)),
        ("permutation", "What it cannot do without", []),
        ("alone", "Each feature alone", _alone(of, made)),
        ("voters", "Which voters to ask", _voters(of)),
        ("correlation", "Which features say the same", _table_of("Features", of("features"), **_FEATURES)),
        ("errors", "Where it errs", _mistakes(of)),
        ("references", "References with most errors", _table_of("References", of("references"), **_REFERENCES)),
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
_REFERENCES = {
    "reference": "reference", "pairs": "pairs", "matches": "matches", "missed": "missed", "false": "false matches", "share": "share wrong",
}  # fmt: skip
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


def _measures(of: Found) -> list[Block]:
    rows = {(row["pairs"], row["measure"]): Value(row | {"reason": UNDEFINED}) for row in of("measures")}
    names = list(dict.fromkeys(name for _, name in rows))
    lines = [[name.replace("_", " "), rows["all", name], rows["not identical", name]] for name in names]
    header = ["", "all pairs", "pairs that differ after normalisation"]
    return [Table(header, [("", lines)], "Measures")] if lines else []


def _contributions(of: Found, made: Made) -> list[Block]:
    lost, labelled = {row["name"]: row for row in of("permutation")}, made["matches"] is not None
    lines = [
        [row["feature"], f"{row['known']:.1%}", f"{row['strength']:.3f}",
         Value(measured(lost[row["feature"]], "ap_lost")) if labelled else f"{lost[row['feature']]['flipped']:.1%}"]
        for row in of("features")
    ]  # fmt: skip
    sampled = made["sample"] < made["sampled_of"]
    part = f"a sample of {made['sample']:,} of {made['sampled_of']:,}" if sampled else f"all {made['sampled_of']:,}"
    header = ["feature", "known", "mean |contribution|", "average precision lost" if labelled else "decisions changed"]
    note = (
        "Each score is a start that is the same for all pairs and one contribution for each feature (SHAP values, in log-odds before "
        f"calibration); they add up to the score of every pair. Computed for {part} pairs that differ after normalisation. That is what M "
        "uses. What it needs is in the last column, since features that say the same share the work: each feature is shuffled over "
        f"these pairs, and M is asked again ({counted(made['repeats'], 'time')})."
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


def settings_of(made: Made) -> Iterator[tuple[str, str]]:
    """Says how the audit was made, (what, value) each."""
    members = counted(made["members"], "set")
    yield "Match function", f"{made['model']}, {members} of trees, a match from {made['threshold']:.4g} up"
    identical = f"{made['identical']:,} are equal after normalisation"
    yield "Pairs", f"{made['source']}: {made['pairs']:,} pairs under {made['references']:,} references; {identical}"
    resamples = f"{made['bootstrap']:,} resamples of the references, seed {made['seed']}"
    yield "Intervals", f"{made['level']:.0%} percentile, {resamples}"
    if again := made["retrained"]:
        yield (
            "Trained anew",
            f"with all features, out of fold: average precision {again['ap']:.3f}, F1 {again['f1']:.3f}",
        )
    if made["rejected"]:
        yield "Set aside", f"{made['rejected']:,} rows"
    yield "Made with", ", ".join(f"{name} {version}" for name, version in made["versions"].items())
