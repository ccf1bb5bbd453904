"""One run beside the annotations: note by note what corresponds, and the counts that every metric is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..metrics.reasoning import shares
from .correspondence import RATIONALE, Pairs, Similar, observation_pairs, rationales_alike, same_diagnosis
from .graph import KnowledgeGraph
from .notes import Annotation, Deduction, Prediction
from .reached import Reached, is_same, reached

MISSING = ("zero", "own", "refuse")
OF_DIAGNOSES = ("category_accuracy", "diagnosis_accuracy")
OF_TEXTS = (
    "observation_precision", "observation_recall", "observation_completeness", "explanation_of_common",
    "explanation_of_all",
)  # fmt: skip
OF_PREMISES = ("premise_share",)

M, JUDGE = "M", "judge"
"""By whom texts are compared."""


@dataclass(frozen=True)
class Compared:
    """What corresponds in each of n notes, by M or by the judge.

    pairs : places of (annotated, predicted) observations. alike : of each pair, whether the rationales are alike.
    explained : of each pair, whether diagnosis and rationale match.
    """

    pairs: list[Pairs]
    alike: list[list[bool]]
    explained: list[list[bool]]


@dataclass(frozen=True)
class Run:
    """One folder of predictions, against its annotations. All lists have one entry for each of n notes.

    predicted : None for a note without a prediction. by : M, and JUDGE where there is one.
    premised, annotated_premised : of each deduction, whether its rationale matches a premise of its diagnosis by M; empty where
        it was not asked for.
    """

    name: str
    notes: list[str]
    annotated: list[Annotation]
    predicted: list[Prediction | None]
    reached: list[Reached]
    categories: list[str]
    by: dict[str, Compared] = field(default_factory=dict)
    premised: list[list[bool]] = field(default_factory=list)
    annotated_premised: list[list[bool]] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        name: str,
        annotated: Mapping[str, Annotation],
        predicted: Mapping[str, Prediction],
        graph: KnowledgeGraph,
        categories: list[str],
    ) -> Run:
        said = [predicted.get(note) for note in annotated]
        where = [Reached() if one is None else reached(graph, one) for one in said]
        return cls(name, list(annotated), list(annotated.values()), said, where, categories)

    @property
    def deductions(self) -> list[tuple[tuple[Deduction, ...], tuple[Deduction, ...]]]:
        """(annotated, predicted) of each note."""
        return [
            (true.deductions, () if said is None else said.deductions)
            for true, said in zip(self.annotated, self.predicted, strict=True)
        ]

    def compare(self, by: str, similar: Similar, pairing: str) -> None:
        both = self.deductions
        pairs = observation_pairs(both, similar, pairing)
        alike = rationales_alike(both, pairs, similar)
        explained = [
            [same and same_diagnosis(true[i], said[j]) for (i, j), same in zip(of_note, of_pairs, strict=True)]
            for (true, said), of_note, of_pairs in zip(both, pairs, alike, strict=True)
        ]
        self.by[by] = Compared(pairs, alike, explained)

    def find_premises(self, graph: KnowledgeGraph, similar: Similar) -> None:
        """Fills `premised` and `annotated_premised`."""
        both = self.deductions
        wanted = [
            [[(one, statements(graph, category, one.diagnosis)) for one in side] for side in sides]
            for sides, category in zip(both, self.categories, strict=True)
        ]
        similar.learn(
            RATIONALE,
            [
                (premise, one.rationale or "")
                for sides in wanted for side in sides for one, premises in side for premise in premises
            ],
        )  # fmt: skip
        for sides in wanted:
            for held, side in zip((self.annotated_premised, self.premised), sides, strict=True):
                held.append([
                    any(similar(RATIONALE, premise, one.rationale or "") >= similar.threshold for premise in premises)
                    for one, premises in side
                ])  # fmt: skip

    def counts(self, by: str) -> dict[str, list[int]]:
        """annotated, predicted, paired, explained; premised where it was asked for."""
        compared = self.by[by]
        out = {
            "annotated": [len(one) for one, _ in self.deductions],
            "predicted": [len(other) for _, other in self.deductions],
            "paired": [len(one) for one in compared.pairs],
            "explained": [sum(one) for one in compared.explained],
        }
        if by == M and self.premised:
            out["premised"] = [sum(one) for one in self.premised]
        return out

    def values(self, by: str, missing: str) -> dict[str, NDArray[np.float64]]:
        """Metric -> float64 [n], of OF_TEXTS and OF_PREMISES by M or the judge; see `note_values`."""
        return self._of_predicted(note_values(self.counts(by), missing), missing)

    def accuracies(self, missing: str) -> dict[str, NDArray[np.float64]]:
        """Metric -> float64 [n], of OF_DIAGNOSES: 1 or 0."""
        return self._of_predicted({name: np.array(one, float) for name, one in self.right().items()}, missing)

    def _of_predicted(self, values: dict[str, NDArray[np.float64]], missing: str) -> dict[str, NDArray[np.float64]]:
        """NaN for a note without a prediction with the option "own", which leaves it out of every metric."""
        if missing == "own":
            without = np.array([one is None for one in self.predicted])
            return {name: np.where(without, np.nan, one) for name, one in values.items()}
        return values

    def right(self) -> dict[str, list[bool]]:
        """Of OF_DIAGNOSES."""
        return {
            "category_accuracy": [
                is_same(one.category, true) for one, true in zip(self.reached, self.categories, strict=True)
            ],
            "diagnosis_accuracy": [
                is_same(one.diagnosis, true.path[-1]) for one, true in zip(self.reached, self.annotated, strict=True)
            ],
        }


def statements(graph: KnowledgeGraph, category: str, diagnosis: str | None) -> tuple[str, ...]:
    """What the graph says for a diagnosis: that of the category, where it knows the diagnosis, else of whichever does."""
    own = graph.category(category)
    found = () if own is None else own.statements(diagnosis)
    others = () if found else graph.categories.values()
    return found or next((said for one in others if (said := one.statements(diagnosis))), ())


def note_values(counts: Mapping[str, Sequence[int]], missing: str) -> dict[str, NDArray[np.float64]]:
    """Metric -> float64 [n], of OF_TEXTS and OF_PREMISES.

    Where there is nothing to divide by: 0, as the source's program has it; NaN with the option "own".
    """
    nothing = None if missing == "own" else 0.0
    annotated, predicted, paired, explained = (
        np.array(counts[name]) for name in ("annotated", "predicted", "paired", "explained")
    )
    either = annotated + predicted - paired
    values = {
        "observation_precision": shares(paired, predicted, nothing),
        "observation_recall": shares(paired, annotated, nothing),
        "observation_completeness": shares(paired, either, nothing),
        "explanation_of_common": shares(explained, paired, nothing),
        "explanation_of_all": shares(explained, either, nothing),
    }
    if "premised" in counts:
        values["premise_share"] = shares(np.array(counts["premised"]), predicted, nothing)
    return values
