"""One folder of predictions beside the annotations: what corresponds in each note, the counts, and every metric of each note."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row, known
from ..score.declare import REGISTRY
from ..score.reasoning import same_name, shares
from .correspondence import OBSERVATION, RATIONALE, Likeness, M, correspond
from .graph import KnowledgeGraph, Reached
from .notes import Annotation, Deduction, Prediction

COMMON, ONLY_NOTE, ONLY_PREDICTED = "common", "only in the note", "only predicted"
_SHARES = {
    "observation_precision": ("paired", "predicted"),
    "observation_recall": ("paired", "annotated"),
    "observation_completeness": ("paired", "either"),
    "explanation_of_common": ("explained", "paired"),
    "explanation_of_all": ("explained", "either"),
}
"""Metric -> what is divided by what, in each note."""
METRICS = ("category_accuracy", "diagnosis_accuracy", *_SHARES)
_OF_SIDE = ("observation", "rationale", "diagnosis", "section")


@dataclass
class Run:
    """A run of n notes. All lists have one entry for each note.

    predicted : None for a note without a prediction. categories : of the annotations. reached : where each prediction leads. sides : the
    annotated and the predicted deductions. deductions : who says what is alike -> the rows of `compare`.
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
    deductions: dict[str, list[list[Row]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        said = [Prediction() if one is None else one for one in self.predicted]
        self.sides = [(note.deductions, one.deductions) for note, one in zip(self.annotated, said, strict=True)]
        self.reached = [self.graph.reached(one.chain) for one in said]

    def compare(self, likeness: Likeness, pairing: str) -> None:
        """Finds what corresponds by M or by the judge: of each note what both have, then what stands on one side alone.

        A row has run, note, judged_by, kind; of either side observation, rationale, diagnosis, section; and of what both have
        same_diagnosis, rationales_alike and explained, that is both. Diagnoses are compared by their names in the graph, not by M:
        "Suspected Stroke" and "Stroke" are two steps of a path.
        """
        texts = [(a.observation, b.observation) for one, other in self.sides for a in one for b in other]
        said = iter(likeness.probabilities(OBSERVATION, texts))
        lines: list[list[tuple[str, Deduction | None, Deduction | None]]] = []
        for one, other in self.sides:
            table = np.array([[next(said) or 0.0 for _ in other] for _ in one]).reshape(len(one), len(other))
            pairs = correspond(table, likeness.threshold, pairing)
            taken = [{pair[side] for pair in pairs} for side in (0, 1)]
            lines.append([
                *((COMMON, one[i], other[j]) for i, j in pairs),
                *((ONLY_NOTE, a, None) for i, a in enumerate(one) if i not in taken[0]),
                *((ONLY_PREDICTED, None, b) for j, b in enumerate(other) if j not in taken[1]),
            ])  # fmt: skip
        texts = [(a.rationale or "", b.rationale or "") for of in lines for _, a, b in of if a and b]
        alike = iter(likeness.verdicts(RATIONALE, texts))
        self.deductions[likeness.by] = [
            [{"run": self.name, "note": note, "judged_by": likeness.by, "kind": kind, **_compared(a, b, alike)} for kind, a, b in of]
            for note, of in zip(self.notes, lines, strict=True)
        ]  # fmt: skip

    def counts(self, by: str) -> dict[str, NDArray[np.int64]]:
        """Counts in each note: annotated, predicted, paired, explained; int [n] each."""
        lists = {
            "annotated": [len(one) for one, _ in self.sides],
            "predicted": [len(other) for _, other in self.sides],
            "paired": [sum(row["kind"] == COMMON for row in rows) for rows in self.deductions[by]],
            "explained": [sum(bool(row["explained"]) for row in rows) for rows in self.deductions[by]],
        }
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
            values[metric] = shares(counts[above], counts[below], None if own else 0.0)
        absent = np.array([own and one is None for one in self.predicted])
        return {metric: np.where(absent, np.nan, of) for metric, of in values.items()}

    def note_rows(self, domains: list[str | None]) -> Iterator[Row]:
        """Yields run, note, domain, category, predicted_category, diagnosis, predicted_diagnosis, has_prediction, path_in_graph, and by M
        and the judge the counts and metrics of each note."""
        columns: dict[str, NDArray[Any]] = {}
        for by in self.deductions:
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


def _compared(one: Deduction | None, other: Deduction | None, alike: Iterator[int]) -> Row:
    sides = {
        f"{name}{part}": side and getattr(side, part)
        for name, side in (("", one), ("predicted_", other))
        for part in _OF_SIDE
    }
    same, like = (is_same(other.diagnosis, one.diagnosis), next(alike) == 1) if one and other else (None, None)
    return {**sides, "same_diagnosis": same, "rationales_alike": like, "explained": same and like}


def is_same(name: str | None, other: str | None) -> bool:
    """Tells whether two names are those of one diagnosis; None is none."""
    return name is not None and other is not None and same_name(name) == same_name(other)
