"""What an audit says and shows: its sentences, and its page, part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..evaluation.report.document import Block, Folded, Line, Part, Table, Value
from ..files.counted import counted, shown_threshold
from ..pages.encodings import with_interval
from ..pages.rows import Row
from ..pages.words import listed
from ..training.correlated import dropped_words
from ..training.statistics.correlation import REDUNDANT
from .mistakes import ERRORS, FALSE, MISSED
from .permutation import UNDEFINED, Found, Made, measured

_DECIDED = {"precision": "precision", "recall": "recall", "f1": "F1", "accuracy": "accuracy"}
_IN_BRIEF = ("contributions", "alone", "voters", "correlation")
"""Parts of which a terminal shows the tables unasked."""


def answer(rows: Found, made: Made) -> list[list[str]]:
    """Says in cards how good M is, what it relies on, what decides alone, what is redundant, where it errs."""
    cards = ([*card(rows, made)] for card in (_quality, _reliance, _deciders, _redundant, _errors))
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
    if "ap_lost" not in top:
        yield f"Shuffling {top['name']} changes most decisions, {top['flipped']:.1%} of them."
        return
    idle, lost = sum((row["ap_lost_low"] or 0) <= 0 for row in rows), with_interval(measured(top, "ap_lost"))
    yield (
        f"Shuffling {top['name']} costs most, {lost} of average precision. Of {len(rows)} features {idle} can be shuffled, one at a time, "
        "without a loss that is surely above 0."
    )


def _deciders(of: Found, made: Made) -> Iterator[str]:
    alone = of("alone")
    if alone and alone[1]["f1"] is not None:
        of_m, best = (with_interval(measured(row, "f1")) for row in alone[:2])
        yield f"Alone, {alone[1]['feature']} decides best: F1 {best} on the pairs that differ, where M has {of_m}."
    if silent := [row["feature"] for row in alone if row["reason"]]:
        yield f"No answer for any pair: {listed(silent)}."
    for row in of("voters")[:1]:
        yield (
            f"Of {row['of']} voters these {row['n']} decide best together: {row['voters']}; with {row['yes']} of them saying yes, F1 "
            f"{with_interval(measured(row, 'f1'))} on references that did not choose them."
        )


def _redundant(of: Found, made: Made) -> Iterator[str]:
    groups = dict.fromkeys(row["same_as"] for row in of("features") if row["same_as"])
    said = "; ".join(listed(group.split(", ")) for group in groups)
    share = "They share what each would contribute alone, so one of them may look idle that is not."
    several = f"These say nearly the same (|rho| of {REDUNDANT:g} or more): {said}. {share}"
    yield several if groups else f"No two features say nearly the same (all |rho| are below {REDUNDANT:g})."


def _errors(of: Found, made: Made) -> Iterator[str]:
    for error, said in ((MISSED, "It misses {} of {} matches"), (FALSE, "It takes {} of {} non-matches for matches")):
        own = [row for row in of("kinds") if row["error"] == error]
        most = sorted((row for row in own if row["wrong"]), key=lambda row: -row["wrong"])[:3]
        told = [f"{row['kind']} ({row['wrong']:,} of {row['pairs']:,})" for row in most]
        if own:
            counts = (f"{sum(row[key] for row in own):,}" for key in ("wrong", "pairs"))
            yield said.format(*counts) + (f", most of the kinds {listed(told)}." if told else ".")


def parts_of(rows: Found, made: Made, *, drawn: bool) -> list[Part]:
    """Gives the parts of the page. drawn : with their charts, which take their time."""
    charts: dict[str, list[Block]] = {}
    if drawn:
        from .charts import figures

        for figure in figures(rows, made):
            charts.setdefault(figure.section, []).append(figure)
    parts: list[tuple[str, str, list[Block]]] = [
        ("measures", "How good it is", _measures(rows, made)),
        ("contributions", "What moves the score", _contributions(rows, made)),
        ("permutation", "What it cannot do without", []),
        ("alone", "Each feature alone", _alone(rows, made)),
        ("voters", "Which voters to ask", _voters(rows, made)),
        ("correlation", "Which features say the same", _dropped(rows, made)),
        ("errors", "Where it errs", _mistakes(rows, made)),
        ("references", "References with most errors", _references(rows, made)),
        ("features", "The features", _features(rows, made)),
    ]
    return [
        Part(name, title, [*blocks, *charts.get(name, [])], brief=blocks if name in _IN_BRIEF else ())
        for name, title, blocks in parts
        if blocks or name in charts
    ]


def _table(
    title: str, header: Sequence[str], rows: Sequence[Row], line: Callable[[Row], Line], note: str = "", *,
    by: Callable[[Row], str] = lambda row: "", sentences: bool = False,
) -> list[Block]:  # fmt: skip
    """A line for each row, under the headings that `by` gives; nothing without rows."""
    groups: dict[str, list[Line]] = {}
    for row in rows:
        groups.setdefault(by(row), []).append(line(row))
    return [Table(header, list(groups.items()), title, note=note, sentences=sentences)] if groups else []


def _measures(of: Found, made: Made) -> list[Block]:
    rows = {(row["pairs"], row["measure"]): Value(row | {"reason": UNDEFINED}) for row in of("measures")}
    of_all = [row for row in of("measures") if row["pairs"] == "all"]
    header = ["", "all pairs", "pairs that differ after normalisation"]

    def line(row: Row) -> Line:
        name = row["measure"]
        return [name.replace("_", " "), rows["all", name], rows["not identical", name]]

    return _table("Measures", header, of_all, line)


def _contributions(of: Found, made: Made) -> list[Block]:
    lost = {row["name"]: row for row in of("permutation")}
    labelled = made["quality"] is not None

    def line(row: Row) -> Line:
        own = lost[row["feature"]]
        cost = Value(measured(own, "ap_lost")) if labelled else f"{own['flipped']:.1%}"
        return [row["feature"], f"{row['known']:.1%}", f"{row['strength']:.3f}", cost]

    sampled = made["sample"] < made["sampled_of"]
    part = f"a sample of {made['sample']:,} of {made['sampled_of']:,}" if sampled else f"all {made['sampled_of']:,}"
    header = ["feature", "known", "mean |contribution|", "average precision lost" if labelled else "decisions changed"]
    return _table(
        "Contributions", header, of("features"), line,
        "Each score is a start that is the same for all pairs and one contribution for each feature (SHAP values, in log-odds before "
        f"calibration); they add up to the score of every pair. Computed for {part} pairs that differ after normalisation. That is what M "
        "uses. What it needs is in the last column, since features that say the same share the work: each feature is shuffled over "
        f"these pairs, and M is asked again ({counted(made['repeats'], 'time')}).",
    )  # fmt: skip


def _alone(of: Found, made: Made) -> list[Block]:
    rows = of("alone")

    def line(row: Row) -> Line:
        rule = row["rule"] if row["threshold"] is None else f"{row['rule']} {row['threshold']:.3g}"
        return [row["feature"], rule, f"{row['known']:.1%}", *(Value(measured(row, name)) for name in _DECIDED)]

    pairs, matches = (rows[0]["pairs"], rows[0]["matches"]) if rows else (0, 0)
    return _table(
        "Each feature alone", ["", "a match", "known", *_DECIDED.values()], rows, line,
        f"Each feature as a match function by itself, on the {pairs:,} labelled pairs that differ after normalisation ({matches:,} matches). "
        "A value of 0 or 1 is taken as it is; any other is a match from a threshold on, which is chosen by F1 in the other folds "
        f"({made['folds']} folds of references; the threshold shown is that of all pairs). Unknown is no match.",
    )  # fmt: skip


def _voters(of: Found, made: Made) -> list[Block]:
    def line(row: Row) -> Line:
        values = (Value(measured(row, name)) for name in _DECIDED)
        return [
            row["way"],
            row["voters"],
            f"{row['yes']} of {row['n']}",
            f"{row['folds']}",
            *values,
            f"{row['f1_same_pairs']:.3f}",
        ]

    return _table(
        "Which voters to ask", ["chosen by", "voters", "yes needed", "folds that choose them", *_DECIDED.values(), "F1 on the pairs that chose"],
        of("voters"), line,
        "A match where so many of them say yes. Voters and number are chosen by F1 on the other folds of references, so no pair both "
        "chooses and measures. The last column is what the source reports: F1 on the very pairs that chose, which is too good.",
    )  # fmt: skip


def _dropped(of: Found, made: Made) -> list[Block]:
    limit = made["drop_correlated"]
    return [] if limit is None or made["quality"] is None else [dropped_words(limit, of("dropped"))]


def _mistakes(of: Found, made: Made) -> list[Block]:
    """How often M errs on each kind of pair, and the surest errors of each."""
    blocks = _table(
        "Errors by kind", ["", "wrong", "of", "share", "is"], of("kinds"),
        lambda row: [row["kind"], f"{row['wrong']:,}", f"{row['pairs']:,}", f"{row['share']:.1%}", row["says"]],
        by=lambda row: ERRORS[row["error"]], sentences=True,
    )  # fmt: skip
    for error, title in ERRORS.items():
        worst = [row for row in of("worst") if row["error"] == error]
        if shown := _table(
            title, ["", "", "probability"], worst, lambda row: [row["a"], row["b"], f"{row['probability']:.3f}"],
            by=lambda row: row["kind"], sentences=True,
        ):  # fmt: skip
            blocks.append(Folded(f"{title}: the surest of each kind", shown))
    return blocks


def _references(of: Found, made: Made) -> list[Block]:
    counts = ("pairs", "matches", "missed", "false")
    return _table(
        "References with most errors", ["reference", *counts[:3], "false matches", "share wrong"], of("references"),
        lambda row: [row["reference"], *(f"{row[name]:,}" for name in counts), f"{row['share']:.1%}"],
    )  # fmt: skip


def _features(of: Found, made: Made) -> list[Block]:
    return _table(
        "Features", ["", "family", "says", "says nearly the same as"], of("features"),
        lambda row: [row["feature"], row["family"], row["label"], row["same_as"] or "–"], sentences=True,
    )  # fmt: skip


def settings_of(made: Made) -> Iterator[tuple[str, str]]:
    """Says how the audit was made, (what, value) each."""
    yield (
        "Match function",
        f"{made['model']}, {counted(made['members'], 'set')} of trees, a match from {made['threshold']:.4g} up",
    )
    identical = f"{made['identical']:,} are equal after normalisation"
    yield "Pairs", f"{made['source']}: {made['pairs']:,} pairs under {made['references']:,} references; {identical}"
    yield (
        "Intervals",
        f"{made['level']:.0%} percentile, {made['bootstrap']:,} resamples of the references, seed {made['seed']}",
    )
    if again := made["retrained"]:
        reached = f"average precision {again['average_precision']:.3f}, F1 {again['f1']:.3f}"
        yield "Trained anew", f"with all features, out of fold: {reached}"
    if made["rejected"]:
        yield "Set aside", f"{made['rejected']:,} rows"
    yield "Made with", ", ".join(f"{name} {version}" for name, version in made["versions"].items())
