"""The findings of an audit, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..files.counted import counted, shown_threshold
from ..pages.figure import Row
from ..pages.words import listed
from ..training.statistics.correlation import REDUNDANT
from .results.audit_tables import FALSE, MISSED
from .results.messages import spanned

Tables = Mapping[str, list[Row]]


def findings(tables: Tables, made: Mapping[str, Any]) -> list[list[str]]:
    """Cards of sentences: how good M is, what it relies on, what is redundant, where it errs."""
    return [
        part
        for part in (
            _quality(tables, made), _reliance(tables), _alone(tables), _redundant(tables["features"]), _errors(tables.get("kinds")),
        )
        if part
    ]  # fmt: skip


def _quality(tables: Tables, made: Mapping[str, Any]) -> list[str]:
    said = f"On {made['pairs']:,} pairs M finds a match from a probability of {shown_threshold(made['threshold'])} up"
    if (measures := tables.get("measures")) is None:
        return [f"{said}. The pairs have no labels, so this page says what M relies on, and not how good it is."]
    of = {(row["pairs"], row["measure"]): spanned(row["value"], row["low"], row["high"]) for row in measures}
    return [
        f"{said}: F1 {of['all', 'f1']}, precision {of['all', 'precision']}, recall {of['all', 'recall']}, average "
        f"precision {of['all', 'average_precision']}.",
        f"{counted(made['identical'], 'pair is', 'pairs are')} equal after normalisation, and so a match without the trees. "
        f"Without these: F1 {of['not identical', 'f1']}, average precision {of['not identical', 'average_precision']}.",
    ]


def _reliance(tables: Tables) -> list[str]:
    features = [row for row in tables["features"] if row["share"] == row["share"]]
    if not features:
        return ["No feature moves any score: M says the same of every pair."]
    most, share = [], 0.0
    for row in features:
        most.append(row["feature"])
        share += row["share"]
        if share >= 0.75 or len(most) == 4:
            break
    lines = [f"Most of what moves its scores comes from {listed(most)}: {share:.0%} of all contributions."]
    permutation = tables["permutation"]
    if any("ap_lost" in row for row in permutation):
        top = max(permutation, key=lambda row: row["ap_lost"])
        idle = sum(not (row["ap_lost_low"] or 0) > 0 for row in permutation)
        told = spanned(top["ap_lost"], top["ap_lost_low"], top["ap_lost_high"])
        lines.append(
            f"Shuffling {top['name']} costs most, {told} of average precision. Of {len(permutation)} features {idle} can be "
            "shuffled, one at a time, without a loss that is surely above 0."
        )
    else:
        top = max(permutation, key=lambda row: row["flipped"])
        lines.append(f"Shuffling {top['name']} changes most decisions, {top['flipped']:.1%} of them.")
    return lines


def _alone(tables: Tables) -> list[str]:
    """The best feature alone, who has no answer, and the best voters."""
    lines = []
    if rows := tables.get("alone"):
        m, best = rows[0], rows[1]
        if best["f1"] == best["f1"]:
            told = spanned(best["f1"], best["f1_low"], best["f1_high"])
            of_m = spanned(m["f1"], m["f1_low"], m["f1_high"])
            lines.append(
                f"Alone, {best['feature']} decides best: F1 {told} on the pairs that differ, where M has {of_m}."
            )
        if silent := [row["feature"] for row in rows if row["reason"]]:
            lines.append(f"No answer for any pair: {listed(silent)}.")
    for row in tables.get("voters", ())[:1]:
        lines.append(
            f"Of {row['of']} voters these {row['n']} decide best together: {row['voters']}; with {row['yes']} of them saying yes, F1 "
            f"{spanned(row['f1'], row['f1_low'], row['f1_high'])} on references that did not choose them."
        )
    return lines


def _redundant(rows: list[Row]) -> list[str]:
    groups = list(dict.fromkeys(tuple(row["same_as"].split(", ")) for row in rows if row["same_as"]))
    if not groups:
        return [f"No two features say nearly the same (all |rho| are below {REDUNDANT:g})."]
    said = "; ".join(listed(list(group)) for group in groups)
    return [
        f"These say nearly the same (|rho| of {REDUNDANT:g} or more): {said}. They share what each would contribute alone, so "
        "one of them may look idle that is not."
    ]


def _errors(kinds: list[Row] | None) -> list[str]:
    if kinds is None:
        return []
    lines = []
    for error, said in ((MISSED, "It misses {wrong} of {pairs} matches"), (FALSE, "It takes {wrong} of {pairs} non-matches for matches")):  # fmt: skip
        own = [row for row in kinds if row["error"] == error]
        wrong, pairs = sum(row["wrong"] for row in own), sum(row["pairs"] for row in own)
        most = sorted((row for row in own if row["wrong"]), key=lambda row: -row["wrong"])[:3]
        told = listed([f"{row['kind']} ({row['wrong']:,} of {row['pairs']:,})" for row in most]) if most else ""
        lines.append(
            said.format(wrong=f"{wrong:,}", pairs=f"{pairs:,}") + (f", most of the kinds {told}." if told else ".")
        )
    return lines
