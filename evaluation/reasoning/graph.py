"""The diagnostic knowledge graph: for each disease category the tree of its diagnoses; its domains, and what the notes hold of each.

One JSON file for each category, named after it: `diagnostic` is the tree, from "Suspected …" to the leaves, which hold `[]`;
`knowledge`, the premises of each diagnosis, is not read: no metric needs it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from msgspec import ValidationError, convert

from ...errors import InputError, quoted
from ...files.tables import required_columns
from ...pages.rows import Row
from ..score.reasoning import same_name
from .notes import Annotation, converted, read_folder

Names = tuple[str, ...]


class Reached(NamedTuple):
    """Where a prediction leads. None where it says nothing; `path_in_graph` too where it has no path."""

    category: str | None = None
    diagnosis: str | None = None
    path_in_graph: bool | None = None


@dataclass(frozen=True)
class Category:
    """One disease category.

    root : the suspected disease, as it is written. paths : from it to each diagnosis of the tree, as they are compared (`same_name`).
    """

    name: str
    root: str
    paths: frozenset[Names]

    @property
    def leaves(self) -> set[str]:
        """Finds the discharge diagnoses, from which no way leads on, as they are compared."""
        inner = {path[:-1] for path in self.paths}
        return {path[-1] for path in self.paths if path not in inner}


@dataclass(frozen=True)
class KnowledgeGraph:
    """Every category. by_name, by_root : by its name, and by the suspected disease of its tree, as they are compared."""

    by_name: Mapping[str, Category]
    by_root: Mapping[str, Category]

    @classmethod
    def read(cls, folder: str | os.PathLike[str]) -> KnowledgeGraph:
        """Reads a folder. Errors: as of `read_folder`; also where two categories begin with one diagnosis."""
        allowed = '"diagnostic", a tree of diagnoses with [] for its leaves'
        by_root: dict[str, Category] = {}
        for place, found in read_folder(Path(folder), _tree, allowed).items():
            one = Category(Path(place).stem, found[0][0], frozenset(tuple(map(same_name, path)) for path in found))
            if (other := by_root.setdefault(same_name(one.root), one)) is not one:
                raise InputError(f"a tree that begins as that of {other.name}", source=place, got=one.root)
        return cls({same_name(one.name): one for one in by_root.values()}, by_root)

    def category_of(self, path: Sequence[str]) -> Category | None:
        """Finds the category whose tree begins as the path does."""
        return self.by_root.get(same_name(path[0])) if path else None

    def reached(self, chain: Sequence[str]) -> Reached:
        """Finds where the chain of a prediction leads."""
        head = self.by_name.get(same_name(chain[0])) if chain else None
        path = chain[1:] if head else chain
        category = head or self.category_of(path)
        name = category and category.name
        in_graph = category is not None and tuple(map(same_name, path)) in category.paths
        return Reached(name, path[-1], in_graph) if path else Reached(name)


def _tree(value: Any) -> list[Names]:
    tree = converted("diagnostic", convert(value, dict[str, Any]).get("diagnostic"), dict[str, Any])
    if len(tree) != 1:
        raise ValidationError(f"no single root, the suspected disease: {quoted(list(tree))}")
    return list(_paths(tree, ()))


def _paths(tree: dict[str, Any], above: Names) -> Iterator[Names]:
    """From the root to each diagnosis below, its parent first."""
    for name, below in tree.items():
        yield (*above, name)
        if below != []:
            yield from _paths(converted(name, below, dict[str, Any]), (*above, name))


DOMAINS = {
    "Cardiology": (
        "Acute Coronary Syndrome", "Aortic Dissection", "Atrial Fibrillation", "Cardiomyopathy", "Heart Failure",
        "Hyperlipidemia", "Hypertension",
    ),
    "Gastroenterology": (
        "Gastritis", "Gastro-oesophageal Reflux Disease", "Peptic Ulcer Disease", "Upper Gastrointestinal Bleeding",
    ),
    "Neurology": ("Alzheimer", "Epilepsy", "Migraine", "Multiple Sclerosis", "Stroke"),
    "Pulmonology": ("Asthma", "COPD", "Pneumonia", "Pulmonary Embolism", "Tuberculosis"),
    "Endocrinology": ("Adrenal Insufficiency", "Diabetes", "Pituitary Disease", "Thyroid Disease"),
}  # fmt: skip
"""The five domains of DiReCT's 25 categories (Table 2, Fig 5), by the names of its graphs."""


def domains_of(categories: Iterable[str], given: Any = None) -> dict[str, str | None]:
    """Finds the domain of each category; None where none is given.

    given : category -> domain, or the file of a table with the columns category and domain; DiReCT's own if None.
    """
    pairs = [(name, domain) for domain, own in DOMAINS.items() for name in own]
    if given is not None:
        pairs = given.items() if isinstance(given, Mapping) else required_columns(given, "category", "domain")
    by_name = {same_name(str(category)): str(domain) for category, domain in pairs}
    return {category: by_name.get(same_name(category)) for category in categories}


def data_rows(
    notes: Sequence[Annotation],
    categories: Sequence[str],
    domains: Mapping[str, str | None],
    graph: KnowledgeGraph,
) -> list[Row]:
    """Makes by, group, categories, notes, diagnoses, discharge_diagnoses, observations (mean), length (mean, in words): of all, domains, categories.

    Diagnoses are those of the graphs, |D| and |D*| of the source; a category without a note counts with its graph.
    """
    every = {one.name: one for one in graph.by_name.values()}
    groups = [("all", "all", list(every))]
    for domain in sorted({domain for domain in domains.values() if domain is not None}):
        groups.append(("domain", domain, [name for name in every if domains[name] == domain]))
    groups += [("category", name, [name]) for name in sorted(set(categories))]
    rows: list[Row] = []
    for by, group, names in groups:
        own = [note for note, category in zip(notes, categories, strict=True) if category in names]
        rows.append({
            "by": by, "group": group, "categories": len(names), "notes": len(own),
            "diagnoses": sum(len(every[name].paths) for name in names),
            "discharge_diagnoses": sum(len(every[name].leaves) for name in names),
            "observations": float(np.mean([len(note.deductions) for note in own])) if own else None,
            "length": float(np.mean([len(note.text.split()) for note in own])) if own else None,
        })  # fmt: skip
    return rows
