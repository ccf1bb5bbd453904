"""The diagnostic knowledge graph: for each disease category the tree of its diagnoses, and what each is known by.

One JSON file for each category, named after it: `diagnostic` is the tree, from "Suspected …" to the leaves, which hold `[]`;
`knowledge` maps a diagnosis to its premises, one text or several under headings ("Risk Factors", "Symptoms", "Signs").
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct, ValidationError, convert

from ...errors import InputError, quoted
from ..score.reasoning import same_name
from .notes import converted, read_folder

Names = tuple[str, ...]


class _File(Struct, forbid_unknown_fields=True):
    diagnostic: dict[str, Any]
    knowledge: dict[str, str | dict[str, str]]


class Reached(NamedTuple):
    """Where a prediction leads. None where it says nothing; `path_in_graph` too where it has no path."""

    category: str | None = None
    diagnosis: str | None = None
    path_in_graph: bool | None = None


@dataclass(frozen=True)
class Category:
    """One disease category.

    paths : from the root to each diagnosis of the tree, as they are compared (`same_name`).
    diagnoses : the names of the tree as they are written, from the root on.
    """

    name: str
    paths: frozenset[Names]
    diagnoses: Names

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
        allowed = '"diagnostic", a tree of diagnoses with [] for its leaves, and "knowledge", their premises'
        by_root: dict[str, Category] = {}
        for place, found in read_folder(Path(folder), _tree, allowed).items():
            paths = frozenset(tuple(map(same_name, path)) for path in found)
            one = Category(Path(place).stem, paths, tuple(path[-1] for path in found))
            if (other := by_root.setdefault(same_name(found[0][0]), one)) is not one:
                raise InputError(f"a tree that begins as that of {other.name}", source=place, got=found[0][0])
        return cls({same_name(one.name): one for one in by_root.values()}, by_root)

    def category_of(self, path: Sequence[str]) -> Category | None:
        """Finds the category whose tree begins as the path does."""
        return self.by_root.get(same_name(path[0])) if path else None

    def reached(self, chain: Sequence[str] | None, diagnoses: Sequence[str]) -> Reached:
        """Finds where a prediction leads: by its chain, where there is one; else by the diagnoses of its observations, on one path."""
        if chain is None:
            return self._reached_by(diagnoses)
        head = self.by_name.get(same_name(chain[0])) if chain else None
        path = chain[1:] if head else chain
        category = head or self.category_of(path)
        name = category and category.name
        in_graph = category is not None and tuple(map(same_name, path)) in category.paths
        return Reached(name, path[-1], in_graph) if path else Reached(name)

    def _reached_by(self, diagnoses: Sequence[str]) -> Reached:
        """By the one category that holds them all, and the shortest of its paths that does."""
        wanted = {same_name(name) for name in diagnoses}
        holding = [one for one in self.by_name.values() if wanted <= {path[-1] for path in one.paths}]
        if not wanted or len(holding) != 1:
            return Reached(path_in_graph=False if wanted else None)
        paths = sorted((path for path in holding[0].paths if wanted <= set(path)), key=lambda path: (len(path), path))
        last = next((name for name in holding[0].diagnoses if paths and same_name(name) == paths[0][-1]), None)
        return Reached(holding[0].name, last, bool(paths))


def _tree(value: Any) -> list[Names]:
    tree = convert(value, _File).diagnostic
    if len(tree) != 1:
        raise ValidationError(f"no single root, the suspected disease: {quoted(list(tree))}")
    return list(_paths(tree, ()))


def _paths(tree: dict[str, Any], above: Names) -> Iterator[Names]:
    """From the root to each diagnosis below, its parent first."""
    for name, below in tree.items():
        if not name.strip():
            raise ValidationError(f"a diagnosis without a name below {quoted(above[-1])}")
        yield (*above, name)
        if below != []:
            yield from _paths(converted(name, below, dict[str, Any]), (*above, name))
