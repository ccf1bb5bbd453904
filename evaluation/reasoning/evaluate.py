"""DiReCT's metrics over folders of graphs, annotations and predictions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...matcher.protocol import Matcher, loaded
from ...pages.rows import Row, known
from ..metrics import REGISTRY
from ..metrics.reasoning import same_name, shares
from ..statistics.bootstrap import check_bootstrap, resampled_means
from ..statistics.section import measured
from .correspondence import Similarity, explained_pairs, observation_pairs
from .graph import Category, KnowledgeGraph
from .json_file import at
from .notes import Annotation, Prediction, read_annotations, read_predictions

if TYPE_CHECKING:
    import pyarrow as pa

ALL = "all"
_METRICS = (
    "category_accuracy", "diagnosis_accuracy", "observation_precision", "observation_recall", "observation_completeness",
    "explanation_of_common", "explanation_of_all",
)  # fmt: skip
_NOTHING = Prediction((), None)


@dataclass(frozen=True)
class Reasoning:
    """What `reasoning` returns.

    rows : metric, category ("all", then each), value, low, high, undefined_repeats, reason, n_notes (those that have
        a value), for each metric and category.
    per_note_columns : note, category, predicted_category, diagnosis, predicted_diagnosis, path_in_graph (None where no path
        is predicted), the counts annotated, predicted, paired, explained, and each metric of the note.
    notes : what its reader should know.
    """

    rows: list[Row]
    per_note_columns: dict[str, list[Any]]
    notes: list[str]

    @property
    def table(self) -> pa.Table:
        import pyarrow as pa

        return pa.Table.from_pylist(self.rows)

    @property
    def per_note(self) -> pa.Table:
        import pyarrow as pa

        return pa.table(self.per_note_columns)


def reasoning(
    graphs: str | os.PathLike[str],
    annotations: str | os.PathLike[str],
    predictions: str | os.PathLike[str],
    matcher: Matcher | str | os.PathLike[str] | None = None,
    *,
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Reasoning:
    """Compares predicted with annotated diagnostic reasoning.

    Parameters
    ----------
    graphs : a folder of knowledge graphs, one file a category; see `graph`.
    annotations, predictions : folders of notes; see `notes`. A prediction has the place and name of its note's file.
    matcher : M, for observations and rationales; the shipped match function if not given.
    bootstrap : resamples of the notes for the intervals; 0 for none. level : of the intervals.

    A note without a prediction counts as one for which nothing was predicted, as in the source.

    Raises
    ------
    InputError
        With the file and the keys, also for a prediction without a note.
    OptionError
    ModelError
    """
    check_bootstrap(bootstrap, seed, level)
    graph = KnowledgeGraph.read(graphs)
    annotated, predicted = read_annotations(Path(annotations)), read_predictions(Path(predictions))
    if strangers := sorted(predicted.keys() - annotated.keys()):
        raise InputError(
            f"no note for {len(strangers):,} of {len(predicted):,} predictions", source=str(Path(predictions)),
            allowed=f"files of the places and names of those in {Path(annotations)}", got=strangers[0],
        )  # fmt: skip
    names = list(annotated)
    true = {name: _annotated_category(graph, annotated[name], Path(annotations) / name) for name in names}
    said = {name: _reached(graph, predicted.get(name, _NOTHING)) for name in names}
    both = [(annotated[name].deductions, predicted.get(name, _NOTHING).deductions) for name in names]
    similar = Similarity(loaded(matcher))
    pairs = observation_pairs(both, similar)
    explained = explained_pairs(both, pairs, similar)
    counts = {
        "annotated": [len(one) for one, _ in both],
        "predicted": [len(other) for _, other in both],
        "paired": [len(one) for one in pairs],
        "explained": [len(one) for one in explained],
    }
    categories = [true[name].name for name in names]
    right = {
        "category_accuracy": [_same(said[name].category, true[name].name) for name in names],
        "diagnosis_accuracy": [_same(said[name].diagnosis, annotated[name].path[-1]) for name in names],
    }
    values = _values(counts, right)
    return Reasoning(
        rows=_rows(values, categories, bootstrap, seed, level),
        per_note_columns={
            "note": names,
            "category": categories,
            "predicted_category": [said[name].category for name in names],
            "diagnosis": [annotated[name].path[-1] for name in names],
            "predicted_diagnosis": [said[name].diagnosis for name in names],
            "path_in_graph": [said[name].path_in_graph for name in names],
            **counts,
            **{REGISTRY[metric].symbol: [known(value) for value in values[metric].tolist()] for metric in _METRICS},
        },
        notes=_notes(graph, annotated, predicted, said),
    )


@dataclass(frozen=True)
class _Reached:
    """Where a prediction leads; None where it says nothing, or (`path_in_graph`) has no path."""

    category: str | None = None
    diagnosis: str | None = None
    path_in_graph: bool | None = None


def _annotated_category(graph: KnowledgeGraph, annotation: Annotation, file: Path) -> Category:
    category = graph.category_of(annotation.path)
    if category is None:
        roots = ", ".join(sorted(one.diagnoses[0] for one in graph.categories.values()))
        raise InputError(
            "a path that begins in no graph",
            source=at(file, annotation.path[-1]),
            allowed=roots,
            got=annotation.path[0],
        )
    return category


def _reached(graph: KnowledgeGraph, prediction: Prediction) -> _Reached:
    """By the chain, where there is one; else by the diagnoses of the observations, which must lie on one path."""
    if prediction.chain is None:
        diagnoses = [one.diagnosis for one in prediction.deductions if one.diagnosis]
        category, path = graph.path_of(diagnoses)
        if not diagnoses:
            return _Reached()
        return _Reached(category and category.name, _written(category, path), bool(path))
    if not prediction.chain:
        return _Reached()
    head = graph.category(prediction.chain[0])
    path = prediction.chain[1:] if head else prediction.chain
    category = head or graph.category_of(path)
    if not path:
        return _Reached(category and category.name)
    in_graph = graph.is_path(path) and graph.category_of(path) is category
    return _Reached(category and category.name, path[-1], in_graph)


def _written(category: Category | None, path: Sequence[str]) -> str | None:
    """The last diagnosis of a path, as the graph writes it."""
    if category is None or not path:
        return None
    return next(name for name in category.diagnoses if same_name(name) == path[-1])


def _same(said: str | None, true: str) -> bool:
    return said is not None and same_name(said) == same_name(true)


def _values(counts: Mapping[str, list[int]], right: Mapping[str, list[bool]]) -> dict[str, NDArray[np.float64]]:
    """Metric -> float64 [n], note by note; NaN where it has no value."""
    annotated, predicted, paired, explained = (np.array(counts[name]) for name in counts)
    either = annotated + predicted - paired
    return {name: np.array(values, float) for name, values in right.items()} | {
        "observation_precision": shares(paired, predicted),
        "observation_recall": shares(paired, annotated),
        "observation_completeness": shares(paired, either),
        "explanation_of_common": shares(explained, paired),
        "explanation_of_all": shares(explained, either),
    }


def _rows(
    values: Mapping[str, NDArray[np.float64]], categories: Sequence[str], repeats: int, seed: int, level: float
) -> list[Row]:
    """Of all notes, then of each category; the same resamples of the notes for all."""
    groups = [ALL, *sorted(set(categories))]
    of = np.array(categories)
    columns = [(metric, group) for group in groups for metric in _METRICS]
    flat = np.stack([np.where((of == g) | (g == ALL), values[metric], np.nan) for metric, g in columns], 1)
    again = resampled_means(flat, repeats, seed)
    rows = []
    for column, (metric, group) in enumerate(columns):
        there = flat[~np.isnan(flat[:, column]), column]
        value = float(there.mean()) if len(there) else float("nan")
        reason = "no note has anything to divide by"
        rows.append(
            {
                "metric": REGISTRY[metric].symbol,
                "category": group,
                **measured(value, again[:, column], level, len(there), reason),
                "n_notes": len(there),
            }
        )
    return rows


def _notes(
    graph: KnowledgeGraph,
    annotated: Mapping[str, Annotation],
    predicted: Mapping[str, Prediction],
    said: Mapping[str, _Reached],
) -> list[str]:
    notes = []
    if without := len(annotated) - len(predicted):
        notes.append(f"{without:,} of {len(annotated):,} notes have no prediction: nothing was predicted for them.")
    paths = [one.path_in_graph for one in said.values() if one.path_in_graph is not None]
    if wrong := paths.count(False):
        notes.append(f"{wrong:,} of {len(paths):,} predicted paths are no path of a graph.")
    if strange := [name for name, one in annotated.items() if not graph.is_path(one.path)]:
        notes.append(f"{len(strange):,} annotated paths are no path of a graph, such as that of {strange[0]}.")
    return notes
