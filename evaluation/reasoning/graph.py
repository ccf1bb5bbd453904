"""The diagnostic knowledge graph: for each disease category the tree of its diagnoses, and what each is known by.

One JSON file for each category, named after it: `diagnostic` is the tree, from "Suspected …" to the leaves, which hold `[]`;
`knowledge` maps a diagnosis to its premises, one text or several under headings ("Risk Factors", "Symptoms", "Signs").
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError
from ..score.reasoning import same_name
from .json_tree import Branch, json_files
from .notes import WORD

_PARTS = {"diagnostic", "knowledge"}
_BETWEEN = re.compile(r"[;\n]")
Names = tuple[str, ...]


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
    knowledge : diagnosis, as it is compared -> heading -> premises; the heading of a single text is "".
    """

    name: str
    paths: frozenset[Names]
    diagnoses: Names
    knowledge: Mapping[str, Mapping[str, str]]

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
        """Reads a folder. Errors: `InputError` with the file and the keys; also where two categories begin with one diagnosis."""
        by_root: dict[str, Category] = {}
        for file in json_files(Path(folder)):
            one = _category(file)
            if (other := by_root.setdefault(same_name(one.diagnoses[0]), one)) is not one:
                raise InputError(f"a tree that begins as that of {other.name}", source=str(file), got=one.diagnoses[0])
        return cls({same_name(one.name): one for one in by_root.values()}, by_root)

    def category_of(self, path: Sequence[str]) -> Category | None:
        """Finds the category whose tree begins as the path does."""
        return self.by_root.get(same_name(path[0])) if path else None

    def is_path(self, path: Sequence[str]) -> bool:
        """Tells whether the diagnoses lead from the root of a tree down, each one a child of the one before."""
        category = self.category_of(path)
        return category is not None and tuple(map(same_name, path)) in category.paths

    def premises(self, category: str, diagnosis: str | None) -> Mapping[str, str]:
        """Finds heading -> what is said for a diagnosis: by its category, where that knows it, else by whichever does."""
        name = same_name(diagnosis or "")
        among = (self.by_name[same_name(category)], *self.by_name.values())
        return next((one.knowledge[name] for one in among if one.knowledge.get(name)), {})

    def reached(self, chain: Sequence[str] | None, diagnoses: Sequence[str]) -> Reached:
        """Finds where a prediction leads: by its chain, where there is one; else by the diagnoses of its observations, on one path."""
        if chain is None:
            return self._reached_by(diagnoses)
        head = self.by_name.get(same_name(chain[0])) if chain else None
        path = chain[1:] if head else chain
        category = head or self.category_of(path)
        name = category and category.name
        in_graph = self.is_path(path) and self.category_of(path) is category
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


def statements(premises: Mapping[str, str]) -> Names:
    """Parts premises one by one: what stands between semicolons and on lines."""
    parts = (part.strip(" .") for text in premises.values() for part in _BETWEEN.split(text))
    return tuple(dict.fromkeys(part for part in parts if WORD.search(part) and part.casefold() != "etc"))


def _category(file: Path) -> Category:
    whole = Branch.read(file)
    parts = dict(whole.items("{…}"))
    if parts.keys() != _PARTS:
        raise whole.error("other keys than those of a graph", " and ".join(sorted(_PARTS)), list(parts))
    tree, knowledge = parts["diagnostic"], parts["knowledge"].items("diagnoses with their premises")
    found = list(_paths(tree, ()))
    roots = [path[0] for path in found if len(path) == 1]
    if len(roots) != 1:
        raise tree.error("no single root", "one suspected disease", roots)
    paths = frozenset(tuple(map(same_name, path)) for path in found)
    known = {same_name(name): _premises(of) for name, of in knowledge}
    return Category(file.stem, paths, tuple(path[-1] for path in found), known)


def _paths(tree: Branch, above: Names) -> Iterator[Names]:
    """From the root to each diagnosis below, its parent first."""
    for name, below in tree.items("an object of diagnoses, or [] for a leaf"):
        if not name.strip():
            raise below.error("a diagnosis without a name", "a name")
        yield (*above, name)
        if below.value != []:
            yield from _paths(below, (*above, name))


def _premises(of: Branch) -> dict[str, str]:
    if isinstance(of.value, str):
        return {"": of.value}
    return {heading: one.text for heading, one in of.items("a text, or an object of texts")}
