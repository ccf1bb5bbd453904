"""What an audit says and shows: its sentences, and its page, part by part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ..evaluation.report.document import Block, Document, Folded, Part, Table, Value, rows_table
from ..files.counted import counted, shown_threshold
from ..pages.encodings import with_interval
from ..pages.rows import Row
from ..pages.words import listed
from ..training.correlated import dropped_words
from ..training.statistics.correlation import REDUNDANT
from .mistakes import ERRORS, FALSE, MISSED

if TYPE_CHECKING:
    from .audit import Audit

_DECIDED = {"precision": "precision", "recall": "recall", "f1": "F1", "accuracy": "accuracy"}
_PAIRS = {"all": "all pairs", "not identical": "pairs that differ after normalisation"}
_UNDEFINED = "it cannot be computed on these pairs"


def measured(row: Row, name: str) -> Row:
    """Gives a measure of a row as the row of a value with its interval."""
    reason = row.get("reason") or _UNDEFINED
    return {"value": row[name], "low": row[f"{name}_low"], "high": row[f"{name}_high"], "reason": reason}


def answer(audit: Audit) -> list[list[str]]:
    """Says in cards how good M is, what it relies on, what decides alone, what is redundant, where it errs."""
    cards = ([*card(audit)] for card in (_quality, _reliance, _deciders, _redundant, _errors))
    return [card for card in cards if card]


def _quality(audit: Audit) -> Iterator[str]:
    made = audit.made_with
    said = f"On {made['pairs']:,} pairs M finds a match from a probability of {shown_threshold(made['threshold'])} up"
    of = {(row["pairs"], row["measure"]): with_interval(row) for row in audit.rows("measures")}
    if not of:
        yield f"{said}. The pairs have no labels, so this page says what M relies on, and not how good it is."
        return
    names = {"f1": "F1", "precision": "precision", "recall": "recall", "average_precision": "average precision"}
    found = ", ".join(f"{name} {of['all', key]}" for key, name in names.items())
    yield f"{said}: {found}."
    yield (
        f"{counted(made['identical'], 'pair is', 'pairs are')} equal after normalisation, and so a match without the trees. "
        f"Without these: F1 {of['not identical', 'f1']}, average precision {of['not identical', 'average_precision']}."
    )


def _reliance(audit: Audit) -> Iterator[str]:
    most, share = [], 0.0
    for row in audit.rows("features"):
        if row["share"] is not None and share < 0.75 and len(most) < 4:
            most.append(row["feature"])
            share += row["share"]
    if not most:
        yield "No feature moves any score: M says the same of every pair."
        return
    yield f"Most of what moves its scores comes from {listed(most)}: {share:.0%} of all contributions."
    rows = audit.rows("permutation")
    top = max(rows, key=lambda row: row.get("ap_lost", row["flipped"]))
    if "ap_lost" not in top:
        yield f"Shuffling {top['name']} changes most decisions, {top['flipped']:.1%} of them."
        return
    idle = sum((row["ap_lost_low"] or 0) <= 0 for row in rows)
    yield (
        f"Shuffling {top['name']} costs most, {with_interval(measured(top, 'ap_lost'))} of average precision. Of {len(rows)} features {idle} "
        "can be shuffled, one at a time, without a loss that is surely above 0."
    )


def _deciders(audit: Audit) -> Iterator[str]:
    """The best feature alone, who has no answer, and the best voters."""
    alone = audit.rows("alone")
    if alone and alone[1]["f1"] is not None:
        of_m, best = (with_interval(measured(row, "f1")) for row in alone[:2])
        yield f"Alone, {alone[1]['feature']} decides best: F1 {best} on the pairs that differ, where M has {of_m}."
    if silent := [row["feature"] for row in alone if row["reason"]]:
        yield f"No answer for any pair: {listed(silent)}."
    for row in audit.rows("voters")[:1]:
        yield (
            f"Of {row['of']} voters these {row['n']} decide best together: {row['voters']}; with {row['yes']} of them saying yes, F1 "
            f"{with_interval(measured(row, 'f1'))} on references that did not choose them."
        )


def _redundant(audit: Audit) -> Iterator[str]:
    groups = dict.fromkeys(row["same_as"] for row in audit.rows("features") if row["same_as"])
    said = "; ".join(listed(group.split(", ")) for group in groups)
    yield (
        f"These say nearly the same (|rho| of {REDUNDANT:g} or more): {said}. They share what each would contribute alone, so "
        "one of them may look idle that is not."
        if groups
        else f"No two features say nearly the same (all |rho| are below {REDUNDANT:g})."
    )


def _errors(audit: Audit) -> Iterator[str]:
    for error, said in ((MISSED, "It misses {} of {} matches"), (FALSE, "It takes {} of {} non-matches for matches")):
        own = [row for row in audit.rows("kinds") if row["error"] == error]
        most = sorted((row for row in own if row["wrong"]), key=lambda row: -row["wrong"])[:3]
        told = listed([f"{row['kind']} ({row['wrong']:,} of {row['pairs']:,})" for row in most]) if most else ""
        if own:
            counts = (f"{sum(row[key] for row in own):,}" for key in ("wrong", "pairs"))
            yield said.format(*counts) + (f", most of the kinds {told}." if told else ".")


def document_of(audit: Audit, *, drawn: bool) -> Document:
    """Makes the document of an audit. drawn : with its charts, which take their time."""
    made = audit.made_with
    charts: dict[str, list[Block]] = {}
    if drawn:
        from .charts import figures

        for figure in figures(audit):
            charts.setdefault(figure.section, []).append(figure)
    again = (
        "Contributions say what M uses, not what it needs: features that say the same share the work. So each feature is shuffled over the "
        f"pairs that differ after normalisation, and M is asked again ({counted(made['repeats'], 'time')})."
    )
    parts: list[tuple[str, str, list[Block]]] = [
        ("measures", "How good it is", list(_measures(audit))),
        ("contributions", "What moves the score", [_contributions(audit)]),
        ("permutation", "What it cannot do without", [again]),
        ("families", "Families of features", []),
        ("alone", "Each feature alone", list(_alone(audit))),
        ("voters", "Which voters to ask", list(_voters(audit))),
        ("correlation", "Which features say the same", list(_dropped(audit))),
        ("errors", "Where it errs", list(_worst(audit))),
        ("references", "References with most errors", _plain(audit, "references")),
        ("features", "The features", _plain(audit, "features")),
    ]
    in_brief = ("contributions", "alone", "voters", "correlation")
    matches = "" if made["matches"] is None else f" · {made['matches']:,} matches"
    return Document(
        "What does the match function rely on?", f"{made['source']} · {made['pairs']:,} pairs{matches} · {made['model']}", audit.words,
        [
            Part(name, title, [*blocks, *charts.get(name, [])], brief=blocks if name in in_brief else ())
            for name, title, blocks in parts
            if blocks or name in charts
        ],
        audit.findings, list(_settings(audit)), list(audit.left_out.items()), footer=f"Made by dxmatch {made['versions']['dxmatch']}.",
    )  # fmt: skip


def _measures(audit: Audit) -> Iterator[Table]:
    rows = audit.rows("measures")
    cells = {(row["measure"], row["pairs"]): Value(row | {"reason": _UNDEFINED}) for row in rows}
    lines = [
        [name.replace("_", " "), *(cells[name, part] for part in _PAIRS)]
        for name in dict.fromkeys(row["measure"] for row in rows)
    ]
    if lines:
        yield Table(["", *_PAIRS.values()], [("", lines)], "Measures")


def _contributions(audit: Audit) -> Table:
    """A line for each feature: what it moves, and what shuffling it costs."""
    made, lost = audit.made_with, {row["name"]: row for row in audit.rows("permutation")}
    labelled = made["quality"] is not None
    lines = [
        [
            row["feature"], f"{row['known']:.1%}", f"{row['strength']:.3f}",
            Value(measured(lost[row["feature"]], "ap_lost")) if labelled else f"{lost[row['feature']]['flipped']:.1%}",
        ]
        for row in audit.rows("features")
    ]  # fmt: skip
    sampled = made["sample"] < made["sampled_of"]
    part = (
        f"{made['sample']:,} pairs, drawn from {made['sampled_of']:,}"
        if sampled
        else f"all {made['sampled_of']:,} pairs"
    )
    note = (
        "Each score is a start that is the same for all pairs and one contribution for each feature (SHAP values, in log-odds before "
        f"calibration); they add up to the score of every pair. Computed for {part} that differ after normalisation"
        f"{', so that matches keep their share' if sampled else ''}."
    )
    cost = "average precision lost" if labelled else "decisions changed"
    return Table(
        ["feature", "known", "mean |contribution|", f"{cost} when shuffled"], [("", lines)], "Contributions", note=note
    )


def _alone(audit: Audit) -> Iterator[Table]:
    """M and each feature: its rule, how many pairs know it, and its measures."""
    rows = audit.rows("alone")
    lines = [
        [
            row["feature"], row["rule"] if row["threshold"] is None else f"{row['rule']} {row['threshold']:.3g}", f"{row['known']:.1%}",
            *_values(row),
        ]
        for row in rows
    ]  # fmt: skip
    if lines:
        note = (
            f"Each feature as a match function by itself, on the {rows[0]['pairs']:,} labelled pairs that differ after normalisation "
            f"({rows[0]['matches']:,} matches). A value of 0 or 1 is taken as it is; any other is a match from a threshold on, which is "
            f"chosen by F1 in the other folds ({audit.made_with['folds']} folds of references; the threshold shown is that of all pairs). "
            "Where a feature is unknown it says no match."
        )
        yield Table(["", "a match", "known", *_DECIDED.values()], [("", lines)], "Each feature alone", note=note)


def _values(row: Row) -> list[Value]:
    return [Value(measured(row, name)) for name in _DECIDED]


def _voters(audit: Audit) -> Iterator[Table]:
    """What the best voters reach, by each way to choose them."""
    rows = audit.rows("voters")
    lines = [
        [
            row["way"],
            row["voters"],
            f"{row['yes']} of {row['n']}",
            f"{row['folds']}",
            *_values(row),
            f"{row['f1_same_pairs']:.3f}",
        ]
        for row in rows
    ]
    if lines:
        note = (
            f"{rows[0]['n']} of the {rows[0]['of']} voters that have an answer; a match where so many of them say yes. Voters and number are "
            "chosen by F1 on the other folds of references, so no pair both chooses and measures. The last column is what the source "
            "reports: F1 on the very pairs that chose, which is too good."
        )
        head = [
            "chosen by",
            "voters",
            "yes needed",
            "folds that choose them",
            *_DECIDED.values(),
            "F1 on the pairs that chose",
        ]
        yield Table(head, [("", lines)], "Which voters to ask", note=note)


def _dropped(audit: Audit) -> Iterator[str]:
    if "dropped" in audit.tables:
        yield dropped_words(audit.made_with["drop_correlated"], audit.rows("dropped"))


def _worst(audit: Audit) -> Iterator[Folded]:
    """The surest errors of each kind."""
    for error, title in ERRORS.items():
        groups: dict[str, list[list[str]]] = {}
        for row in audit.rows("worst"):
            if row["error"] == error:
                groups.setdefault(row["kind"], []).append([row["a"], row["b"], f"{row['probability']:.3f}"])
        if groups:
            shown = Table(["", "", "probability"], list(groups.items()), title, sentences=True)
            yield Folded(f"{title}: the surest of each kind", [shown])


def _plain(audit: Audit, name: str) -> list[Block]:
    """A table as it is, under the headings of those columns that are shown."""
    columns = {
        "references": {"reference": "reference", "pairs": "pairs", "matches": "matches", "missed": "missed", "false": "false matches",
                       "share": "share wrong"},
        "features": {"feature": "", "family": "family", "label": "says", "same_as": "says nearly the same as"},
    }[name]  # fmt: skip
    rows = audit.rows(name)
    return (
        [replace(rows_table(name.capitalize(), rows, columns), title="", sentences=name == "features")] if rows else []
    )


def _settings(audit: Audit) -> Iterator[tuple[str, str]]:
    made = audit.made_with
    trees = f"{counted(made['members'], 'set')} of trees, a match from {made['threshold']:.4g} up"
    yield "Match function", f"{made['model']}, {trees}"
    pairs = f"{made['pairs']:,} pairs under {made['references']:,} references"
    yield "Pairs", f"{made['source']}: {pairs}; {made['identical']:,} are equal after normalisation"
    yield (
        "Intervals",
        f"{made['level']:.0%} percentile, {made['bootstrap']:,} resamples of the references, seed {made['seed']}",
    )
    yield "Shuffles", f"{made['repeats']} of each feature and family"
    if again := made["retrained"]:
        reached = f"average precision {again['average_precision']:.3f}, F1 {again['f1']:.3f}"
        yield "Trained anew", f"with all features, out of fold: {reached}"
    if made["rejected"]:
        yield "Set aside", f"{made['rejected']:,} rows"
    yield "Made with", ", ".join(f"{name} {version}" for name, version in made["versions"].items())
