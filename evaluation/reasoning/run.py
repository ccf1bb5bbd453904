"""One folder of predictions beside the annotations: what corresponds in each note, the counts, and every metric of each note."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row, known
from ..score.declare import REGISTRY
from ..score.reasoning import same_name, shares
from .correspondence import OBSERVATION, RATIONALE, Likeness, M, TextPair, correspond
from .graph import KnowledgeGraph, Reached, statements
from .notes import Annotation, Deduction, Prediction

COMMON, ONLY_NOTE, ONLY_PREDICTED = "common", "only in the note", "only predicted"
_SHARES = {
    "observation_precision": ("paired", "predicted"),
    "observation_recall": ("paired", "annotated"),
    "observation_completeness": ("paired", "either"),
    "explanation_of_common": ("explained", "paired"),
    "explanation_of_all": ("explained", "either"),
    "premise_share": ("premised", "predicted"),
}
"""Metric -> what is divided by what, in each note."""
METRICS = ("category_accuracy", "diagnosis_accuracy", *_SHARES)


class Correspondence(NamedTuple):
    """Two observations of a note that correspond, by their places; and whether they speak for one diagnosis, for like reasons.

    Diagnoses are compared by their names in the graph, not by M: "Suspected Stroke" and "Stroke" are two steps of a path.
    """

    annotated: int
    predicted: int
    same_diagnosis: bool
    rationales_alike: bool

    @property
    def explained(self) -> bool:
        """Tells whether both match."""
        return self.same_diagnosis and self.rationales_alike


@dataclass
class Run:
    """A run of n notes. All lists have one entry for each note.

    predicted : None for a note without a prediction. categories : of the annotations. reached : where each prediction leads. sides : the
    annotated and the predicted deductions. pairs : who says what is alike -> what corresponds.
    premised : of each annotated, and of each predicted deduction, whether its rationale matches a premise of its diagnosis by M; empty
    where it was not asked.
    """

    name: str
    graph: KnowledgeGraph
    notes: list[str]
    annotated: list[Annotation]
    predicted: list[Prediction | None]
    categories: list[str]
    missing: str
    reached: list[Reached] = field(init=False)
    sides: list[tuple[tuple[Deduction, ...], tuple[Deduction, ...]]] = field(init=False)
    pairs: dict[str, list[list[Correspondence]]] = field(default_factory=dict)
    premised: list[tuple[list[bool], list[bool]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        said = [Prediction() if one is None else one for one in self.predicted]
        self.sides = [(note.deductions, one.deductions) for note, one in zip(self.annotated, said, strict=True)]
        self.reached = [self.graph.reached(one.chain, one.diagnoses) for one in said]

    def compare(self, likeness: Likeness, pairing: str) -> None:
        """Finds what corresponds by M or by the judge."""
        texts = ((a.observation, b.observation) for one, other in self.sides for a in one for b in other)
        likeness.learn(OBSERVATION, texts)
        found: list[list[tuple[int, int, TextPair]]] = []
        for one, other in self.sides:
            said = [likeness.probability(OBSERVATION, a.observation, b.observation) or 0.0 for a in one for b in other]
            pairs = correspond(np.reshape(said, (len(one), len(other))), likeness.threshold, pairing)
            found.append([(i, j, (one[i].rationale or "", other[j].rationale or "")) for i, j in pairs])
        likeness.learn(RATIONALE, (rationales for pairs in found for _, _, rationales in pairs))
        self.pairs[likeness.by] = [
            [
                Correspondence(
                    i, j, is_same(other[j].diagnosis, one[i].diagnosis), likeness.alike(RATIONALE, *rationales)
                )
                for i, j, rationales in pairs
            ]
            for (one, other), pairs in zip(self.sides, found, strict=True)
        ]

    def find_premises(self, likeness: Likeness) -> None:
        """Fills `premised`."""
        wanted = [
            [[[(text, one.rationale or "") for text in self._premises(at, one)] for one in side] for side in sides]
            for at, sides in enumerate(self.sides)
        ]
        likeness.learn(RATIONALE, (pair for note in wanted for side in note for one in side for pair in one))
        for note in wanted:
            first, second = ([any(likeness.alike(RATIONALE, *pair) for pair in one) for one in side] for side in note)
            self.premised.append((first, second))

    def _premises(self, at: int, one: Deduction) -> tuple[str, ...]:
        return statements(self.graph.premises(self.categories[at], one.diagnosis))

    def counts(self, by: str) -> dict[str, NDArray[np.int64]]:
        """Counts in each note: annotated, predicted, paired, explained; premised where it was asked for; int [n] each."""
        lists = {
            "annotated": [len(one) for one, _ in self.sides],
            "predicted": [len(other) for _, other in self.sides],
            "paired": [len(pairs) for pairs in self.pairs[by]],
            "explained": [sum(pair.explained for pair in pairs) for pairs in self.pairs[by]],
        }
        if by == M and self.premised:
            lists["premised"] = [sum(own) for _, own in self.premised]
        return {name: np.array(of) for name, of in lists.items()}

    def values(self, by: str) -> dict[str, NDArray[np.float64]]:
        """Computes every metric of each note, float64 [n]: of diagnoses where `by` is M, too.

        Where there is nothing to divide by: 0, as the source's program has it; NaN with `missing` "own", which has NaN everywhere for a
        note without a prediction.
        """
        counts, own = self.counts(by), self.missing == "own"
        counts["either"] = counts["annotated"] + counts["predicted"] - counts["paired"]
        among = list(zip(self.reached, self.categories, self.annotated, strict=True))
        right = (
            [is_same(one.category, category) for one, category, _ in among],
            [is_same(one.diagnosis, note.path[-1]) for one, _, note in among],
        )
        values = {metric: np.array(of, float) for metric, of in zip(METRICS, right, strict=False) if by == M}
        for metric, (above, below) in _SHARES.items():
            if above in counts:
                values[metric] = shares(counts[above], counts[below], None if own else 0.0)
        absent = np.array([own and one is None for one in self.predicted])
        return {metric: np.where(absent, np.nan, of) for metric, of in values.items()}

    def note_rows(self, domains: list[str | None]) -> Iterator[Row]:
        """Yields run, note, domain, category, predicted_category, diagnosis, predicted_diagnosis, has_prediction, path_in_graph, and by M
        and the judge the counts and metrics of each note."""
        columns: dict[str, NDArray[Any]] = {}
        for by in self.pairs:
            end = "" if by == M else f"({by})"
            counts = self.counts(by)
            columns |= {f"{name}{end}": counts[name] for name in counts if not end or name in ("paired", "explained")}
            columns |= {f"{REGISTRY[metric].symbol}{end}": of for metric, of in self.values(by).items()}
        for i, (note, reached) in enumerate(zip(self.notes, self.reached, strict=True)):
            yield {
                "run": self.name, "note": note, "domain": domains[i], "category": self.categories[i],
                "predicted_category": reached.category, "diagnosis": self.annotated[i].path[-1],
                "predicted_diagnosis": reached.diagnosis, "has_prediction": self.predicted[i] is not None,
                "path_in_graph": reached.path_in_graph, **{name: known(of[i].item()) for name, of in columns.items()},
            }  # fmt: skip

    def deduction_rows(self, by: str, at: int) -> Iterator[Row]:
        """Yields what corresponds in a note by M or the judge, then what stands on one side alone.

        run, note, judged_by, kind; of either side observation, rationale, diagnosis, section, premises (what the graph says for the
        diagnosis) and on_premise (whether the rationale matches one of these by M; None where that was not asked); then same_diagnosis,
        rationales_alike and explained.
        """
        pairs = self.pairs[by][at]
        taken = [{pair[side] for pair in pairs} for side in (0, 1)]
        lines: list[tuple[str, int | None, int | None, Correspondence | None]]
        lines = [(COMMON, pair.annotated, pair.predicted, pair) for pair in pairs]
        one, other = self.sides[at]
        lines += [(ONLY_NOTE, i, None, None) for i in range(len(one)) if i not in taken[0]]
        lines += [(ONLY_PREDICTED, None, j, None) for j in range(len(other)) if j not in taken[1]]
        for kind, i, j, pair in lines:
            yield {
                "run": self.name, "note": self.notes[at], "judged_by": by, "kind": kind, **self._side(at, 0, i), **self._side(at, 1, j),
                **{name: pair and getattr(pair, name) for name in ("same_diagnosis", "rationales_alike", "explained")},
            }  # fmt: skip

    def _side(self, at: int, side: int, place: int | None) -> Row:
        row: Row = dict.fromkeys(("observation", "rationale", "diagnosis", "section", "premises", "on_premise"))
        if place is not None:
            one = self.sides[at][side][place]
            row |= vars(one) | {"premises": premises_text(self.graph, self.categories[at], one.diagnosis)}
            row["on_premise"] = self.premised[at][side][place] if self.premised else None
        return {f"{'predicted_' if side else ''}{name}": value for name, value in row.items()}


def is_same(name: str | None, other: str | None) -> bool:
    """Tells whether two names are those of one diagnosis; None is none."""
    return name is not None and other is not None and same_name(name) == same_name(other)


def premises_text(graph: KnowledgeGraph, category: str, diagnosis: str | None) -> str | None:
    """Writes what the graph says for a diagnosis, a line for each heading; None where it says nothing."""
    premises = graph.premises(category, diagnosis).items()
    return "\n".join(f"{heading}: {text.strip()}" if heading else text.strip() for heading, text in premises) or None
