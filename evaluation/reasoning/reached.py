"""Where a prediction leads: the category and the diagnosis, and whether its path is one of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import InputError, plain, quoted
from ...files.did_you_mean import hint
from ..metrics.reasoning import same_name
from .graph import Category, KnowledgeGraph
from .json_file import at
from .notes import Annotation, Prediction


@dataclass(frozen=True)
class Reached:
    """None where a prediction says nothing, or (`path_in_graph`) has no path."""

    category: str | None = None
    diagnosis: str | None = None
    path_in_graph: bool | None = None


def annotated_category(graph: KnowledgeGraph, annotation: Annotation, file: Path) -> Category:
    """Errors: `InputError` where the path begins in no graph."""
    category = graph.category_of(annotation.path)
    if category is None:
        if graph.is_path(annotation.path[::-1]):
            raise InputError(
                "a tree that reads in reverse: the suspected disease stands outermost", source=at(file, annotation.path[-1]),
                allowed=f"the primary discharge diagnosis outermost ({plain(annotation.path[0])}), around the one before it",
                got=" around ".join(reversed(annotation.path)),
            )  # fmt: skip
        roots = ", ".join(sorted(one.diagnoses[0] for one in graph.categories.values()))
        raise InputError(
            "a path that begins in no graph: one is missing for its category, or names it otherwise",
            source=at(file, annotation.path[-1]), allowed=roots, got=annotation.path[0],
        )  # fmt: skip
    return category


def reached(graph: KnowledgeGraph, prediction: Prediction) -> Reached:
    """By the chain, where there is one; else by the diagnoses of the observations, which must lie on one path."""
    if prediction.chain is None:
        diagnoses = [one.diagnosis for one in prediction.deductions if one.diagnosis]
        category, path = graph.path_of(diagnoses)
        if not diagnoses:
            return Reached()
        return Reached(category and category.name, _written(category, path), bool(path))
    if not prediction.chain:
        return Reached()
    head = graph.category(prediction.chain[0])
    path = prediction.chain[1:] if head else prediction.chain
    category = head or graph.category_of(path)
    if not path:
        return Reached(category and category.name)
    in_graph = graph.is_path(path) and graph.category_of(path) is category
    return Reached(category and category.name, path[-1], in_graph)


def first_astray(graph: KnowledgeGraph, prediction: Prediction, where: Reached) -> str:
    """Of a predicted path that is none of a graph: the path, and what is wrong with its first step that is."""
    names = list(prediction.chain or dict.fromkeys(one.diagnosis for one in prediction.deductions if one.diagnosis))
    path = names[1:] if prediction.chain and graph.category(names[0]) else names
    known = [name for one in graph.categories.values() for name in one.diagnoses]
    told = (" → " if prediction.chain else ", ").join(map(plain, names))
    if strange := next((name for name in path if same_name(name) not in map(same_name, known)), None):
        own = graph.category(where.category) if where.category else None
        near = hint(strange, own.diagnoses if own else known) or hint(strange, known)
        return f"{told} (no graph has {quoted(strange)}{near})"
    if prediction.chain and graph.is_path(path[::-1]):
        return f"{told} (it reads in reverse)"
    return f"{told} (its diagnoses do not follow one another in a graph)"


def is_same(said: str | None, true: str) -> bool:
    return said is not None and same_name(said) == same_name(true)


def _written(category: Category | None, path: Sequence[str]) -> str | None:
    """The last diagnosis of a path, as the graph writes it."""
    if category is None or not path:
        return None
    return next(name for name in category.diagnoses if same_name(name) == path[-1])
