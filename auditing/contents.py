"""What an audit says and shows: its sentences, and its page, part by part."""

from __future__ import annotations

from collections.abc import Mapping

from ..evaluation.report.document import Block, Folded, Part, Table, Value, rows_table, shown
from ..files.wording import counted, shown_threshold
from ..pages.encodings import with_interval
from ..pages.rows import Row
from ..pages.words import listed
from .permutation import Found, Made, measured
from .scored_pairs import ERRORS

_DECIDED = {"precision": "precision", "recall": "recall", "f1": "F1", "accuracy": "accuracy"}
_IN_BRIEF = ("measures", "contributions", "alone", "voters")
"""Parts that a terminal shows unasked."""


def answer(of: Found, made: Made) -> list[str]:
    """Says what was audited, and what M relies on most."""
    said = [
        f"On {made['pairs']:,} pairs M finds a match from a probability of {shown_threshold(made['threshold'])} up."
    ]
    if made["trained_on"]:
        said.append(
            "It was trained on these very pairs, so it errs less on them than on others: its card says how it does there."
        )
    shown_of = {row["measure"]: with_interval(row) for row in of("measures") if row["pairs"] == "all"}
    said.append(f"How good it is: {', '.join(f'{name} {shown_of[key]}' for key, name in _DECIDED.items())}.")
    most = [f"{row['feature']} ({row['share']:.0%} of all contributions)" for row in of("features")[:3] if row["share"]]
    if not most:
        return [*said, "No feature moves any score: M says the same of every pair."]
    top = max(of("permutation"), key=lambda row: row["ap_lost"])
    lost = f"costs {with_interval(measured(top, 'ap_lost'))} of average precision"
    shuffled = f"Shuffling {top['name']} changes {top['flipped']:.1%} of the decisions and {lost}."
    return [*said, f"Its scores are moved most by {listed(most)}.", shuffled]


def parts_of(of: Found, made: Made, *, drawn: bool) -> list[Part]:
    """Gives the parts of the page. drawn : with their charts, which take their time."""
    charts: dict[str, list[Block]] = {}
    if drawn:
        from .charts import figures

        for figure in figures(of):
            charts.setdefault(figure.section, []).append(figure)
    measures = _table_of("Measures", of("measures"), _MEASURES)
    measures += _table_of("Are the probabilities right?", of("reliability"), _RELIABILITY)
    families = _measured("Families of features", of("families"), _FAMILIES, _LOST, _OF_FAMILIES)
    alone = _measured("Each feature alone", of("alone"), _ALONE, _DECIDED, _OF_ALONE.format(**made))
    voters = _measured("Which voters to ask", of("voters"), _VOTERS, _DECIDED, _OF_VOTERS)
    parts: list[tuple[str, str, list[Block]]] = [
        ("measures", "How good it is", measures),
        ("contributions", "What moves the score", _contributions(of, made)),
        ("permutation", "What it cannot do without", families),
        ("alone", "Each feature alone", alone),
        ("voters", "Which voters to ask", voters),
        ("correlation", "Which features say the same", _table_of("Features", of("features"), _FEATURES)),
        ("errors", "Where it errs", _mistakes(of)),
    ]
    return [
        Part(name, title, [*blocks, *charts.get(name, [])], brief=name in _IN_BRIEF)
        for name, title, blocks in parts
        if blocks or name in charts
    ]


_MEASURES = {"pairs": "pairs", "measure": "measure", "value": "value", "low": "from", "high": "to"}
_FEATURES = {
    "feature": "feature", "family": "family", "label": "says", "same_as": "says nearly the same as (|rho| ≥ 0.9)",
}  # fmt: skip
_RELIABILITY = {
    "from": "probability from", "to": "to", "pairs": "pairs", "mean_probability": "M says", "matches": "are matches",
}  # fmt: skip
_LOST = {"ap_lost": "average precision lost", "f1_lost": "F1 lost"}
_OF_FAMILIES = "Shuffled: over the pairs, together. Trained without: new trees, measured out of fold against new trees with all features."
_FAMILIES = {"name": "family", "way": "way", "flipped": "decisions changed"}
_ALONE = {"feature": "", "rule": "a match", "threshold": "threshold", "known": "known"}
_OF_ALONE = (
    "Each feature as a match function by itself, on the labelled pairs that differ after normalisation. "
    "A value of 0 or 1 is taken as it is; any other is a match from a threshold on, which is chosen by F1 in the other folds "
    "({folds} folds of references; the threshold shown is that of all pairs). Unknown is no match."
)
_VOTERS = {
    "way": "chosen by",
    "voters": "voters",
    "n": "voters asked",
    "yes": "yes needed",
    "folds": "folds that choose them",
    "f1_same_pairs": "F1 on the pairs that chose",
}
_OF_VOTERS = (
    "A match where so many of them say yes. Voters and number are chosen by F1 on the other folds of references, so no pair both "
    "chooses and measures. F1 on the very pairs that chose is what the source reports, and too good."
)
_KINDS = {"error": "", "kind": "M takes the first for", "pairs": "pairs", "wrong": "wrong", "share": "share"}
_WORST = {
    "a": "first", "b": "second", "probability": "probability", "kind": "M takes the first for", "why": "what is known of the two",
}  # fmt: skip


def _table_of(title: str, rows: list[Row], columns: Mapping[str, str]) -> list[Block]:
    return [rows_table(title, rows, columns)] if rows else []


def _measured(
    title: str, rows: list[Row], columns: Mapping[str, str], measures: Mapping[str, str], note: str
) -> list[Block]:
    """A table of rows as they are, and of measures with their intervals."""
    lines = [
        [*(shown(row.get(key)) for key in columns), *(Value(measured(row, key)) for key in measures)] for row in rows
    ]
    return [Table([*columns.values(), *measures.values()], [("", lines)], title, note=note)] if rows else []


def _contributions(of: Found, made: Made) -> list[Block]:
    lost = {row["name"]: row for row in of("permutation")}
    columns = {
        "feature": "feature",
        "known": "known",
        "strength": "mean |contribution|",
        "flipped": "decisions changed",
    }
    note = (
        "Each score is a start that is the same for all pairs and one contribution for each feature (SHAP values, in log-odds before "
        f"calibration); they add up to the score of every pair. Computed for {made['pairs_with_contributions']:,} pairs that differ after normalisation. That is what M "
        "uses. What it needs is in the last columns, since features that say the same share the work: each feature is shuffled over "
        f"these pairs, and M is asked again ({counted(made['shuffles'], 'time')})."
    )
    return _measured("Contributions", [row | lost[row["feature"]] for row in of("features")], columns, _LOST, note)


def _mistakes(of: Found) -> list[Block]:
    """How often M errs on pairs of each relation, and the surest errors of each."""
    kinds = [row | {"error": ERRORS[row["error"]]} for row in of("kinds")]
    blocks = _table_of("Errors by kind", kinds, _KINDS)
    for error, title in ERRORS.items():
        if worst := [row for row in of("worst") if row["error"] == error]:
            blocks.append(Folded(f"{title}: the surest", _table_of(title, worst, _WORST)))
    return blocks
