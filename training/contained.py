"""Pairs in which one side's words contain the other's ("leukemia", "acute leukemia"), and labels that call some of them wrong.

Under the six criteria of a match one diagnosis may specify the other, in either direction. Some sources label otherwise:
CRAFT-MD's rule takes an answer that is broader than the reference for right, and one that is narrower for wrong. Labels
with such a rule teach M that order matters, which it cannot learn; so the rule is told, and can be set aside.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files.pairs import Pairs
from ..matcher.batch import Batch
from ..terms.diseases.graph import DiseaseGraph

MIN_PAIRS = 20
MAX_STEPS = 3
"""From a kind to its class in the graph: a class further up says too little to contradict a label."""
MIN_SHARE, MAX_SHARE = 0.1, 0.9


def contained(batch: Batch, graph: DiseaseGraph | None = None) -> NDArray[np.bool_]:
    """bool[n]: all words of one side stand in the other, or the graph calls one a kind of the other; so for equal sides, too."""
    names = batch.names.names
    sides = [(names[i], names[j]) for i, j in zip(batch.first.tolist(), batch.second.tolist(), strict=True)]
    inside = [_words_within(a, b) or (graph is not None and _in_line(a, b, graph)) for a, b in sides]
    return np.array(inside, bool)[batch.pair_of_row]


def _words_within(a: str, b: str) -> bool:
    first, second = set(a.split()), set(b.split())
    return first <= second or second <= first


def _in_line(a: str, b: str, graph: DiseaseGraph) -> bool:
    first, second = graph.disease_of.get(a), graph.disease_of.get(b)
    if first is None or second is None or not graph.in_line(first, second):
        return False
    return max(graph.steps_up(first, second), graph.steps_up(second, first)) <= MAX_STEPS


def treat_contained(
    pairs: Pairs, batch: Batch, how: str, graph: DiseaseGraph | None = None
) -> tuple[Pairs, Batch, dict[str, Any]]:
    """The pairs under the rule `how`, `LabelRules.contained`, and what was found, for the card.

    {"rule", "pairs", "matches"}: such pairs that came, and how many of them were labelled 1.
    """
    assert pairs.label is not None
    inside = contained(batch, graph)
    found = {"rule": how, "pairs": int(inside.sum()), "matches": int(pairs.label[inside].sum())}
    if how == "set-aside":
        kept = ~inside | (pairs.label == 1)
        return pairs.take(kept), batch.take(kept), found
    if how == "match":
        soft = None if pairs.soft is None else np.where(inside & (pairs.label == 0), 1.0, pairs.soft)
        return replace(pairs, label=np.where(inside, 1, pairs.label).astype(np.int8), soft=soft), batch, found
    return pairs, batch, found


def contained_warning(found: dict[str, Any]) -> list[str]:
    """Where labels are kept and such pairs are neither nearly all matches nor nearly all not."""
    pairs, other = found["pairs"], found["pairs"] - found["matches"]
    if found["rule"] != "keep" or pairs < MIN_PAIRS or not MIN_SHARE <= other / pairs <= MAX_SHARE:
        return []
    return [
        f"Of {pairs:,} pairs in which one side's words contain the other's, {other:,} are labelled 0 and {pairs - other:,} 1. If one"
        " diagnosis may specify the other, choose 'set-aside' or 'match' in the option 'contained'."
    ]
