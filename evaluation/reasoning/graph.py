"""The diagnostic knowledge graph: for each disease category the tree of its diagnoses, and what each is known by.

One JSON file for each category, named after it: `diagnostic` is the tree, from "Suspected …" to the leaves, which hold `[]`;
`knowledge` maps a diagnosis to its premises, one text or several under headings ("Risk Factors", "Symptoms", "Signs").
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..metrics.reasoning import same_name
from .json_file import Keys, at, items, json_files, read_object, text

_PARTS = ("diagnostic", "knowledge")
_BETWEEN = re.compile(r"[;\n]")
_WORD = re.compile(r"[^\W_]")
Names = tuple[str, ...]


@dataclass(frozen=True)
class Category:
    """One disease category.

    paths : from the root to each diagnosis of the tree, as they are compared (`same_name`).
    diagnoses : the names of the tree as they are written, from the root on.
    knowledge : diagnosis, as it is compared -> heading -> premises; the heading of a single text is "".
    """

    name: str
    paths: frozenset[Names]
    diagnoses: tuple[str, ...]
    knowledge: Mapping[str, Mapping[str, str]]

    @property
    def root(self) -> str:
        """The suspected disease, as it is compared."""
        return min(self.paths, key=len)[0]

    @property
    def leaves(self) -> tuple[str, ...]:
        """The discharge diagnoses, from which no way leads on, as they are compared."""
        inner = {path[:-1] for path in self.paths}
        return tuple(sorted(path[-1] for path in self.paths if path not in inner))

    @property
    def depth(self) -> int:
        """Diagnoses on the longest path."""
        return max(map(len, self.paths))

    def premises(self, diagnosis: str | None) -> Mapping[str, str]:
        """Heading -> what the graph says for a diagnosis; nothing for one that it does not know."""
        return {} if diagnosis is None else self.knowledge.get(same_name(diagnosis), {})

    def statements(self, diagnosis: str | None) -> tuple[str, ...]:
        """The premises of a diagnosis one by one: what stands between semicolons and on lines."""
        parts = (part.strip(" .") for text in self.premises(diagnosis).values() for part in _BETWEEN.split(text))
        return tuple(dict.fromkeys(part for part in parts if _WORD.search(part) and part.casefold() != "etc"))


@dataclass(frozen=True)
class KnowledgeGraph:
    """Every category, by its name as it is compared."""

    categories: Mapping[str, Category]

    @classmethod
    def read(cls, folder: str | os.PathLike[str]) -> KnowledgeGraph:
        """Errors: `InputError` with the file and the keys; also where two categories begin with one diagnosis."""
        categories: dict[str, Category] = {}
        roots: dict[str, Path] = {}
        for file in json_files(Path(folder)):
            one = _category(file)
            if same_name(one.name) in categories:
                raise InputError("a second category of this name", source=str(file), got=one.name)
            if one.root in roots:
                raise InputError(
                    f"a tree that begins as that of {roots[one.root]}", source=str(file), got=one.diagnoses[0]
                )
            categories[same_name(one.name)], roots[one.root] = one, file
        return cls(categories)

    @cached_property
    def _by_root(self) -> dict[str, Category]:
        return {one.root: one for one in self.categories.values()}

    def category(self, name: str) -> Category | None:
        return self.categories.get(same_name(name))

    def category_of(self, path: Sequence[str]) -> Category | None:
        """The category whose tree begins as the path does."""
        return self._by_root.get(same_name(path[0])) if path else None

    def is_path(self, path: Sequence[str]) -> bool:
        """Whether the diagnoses lead from the root of a tree down, each one a child of the one before."""
        category = self.category_of(path)
        return category is not None and tuple(map(same_name, path)) in category.paths

    def path_of(self, diagnoses: Sequence[str]) -> tuple[Category | None, Names]:
        """From diagnoses in any order: the category that holds all of them, and the shortest path that does.

        None where no category holds them all, or several do; an empty path where they lie on different branches.
        """
        wanted = {same_name(name) for name in diagnoses}
        holding = [one for one in self.categories.values() if wanted <= {path[-1] for path in one.paths}]
        if not wanted or len(holding) != 1:
            return None, ()
        through = sorted((path for path in holding[0].paths if wanted <= set(path)), key=lambda path: (len(path), path))
        return holding[0], through[0] if through else ()


def _category(file: Path) -> Category:
    parts = read_object(file)
    for key in parts:
        if key not in _PARTS:
            raise InputError("an unknown key", source=at(file, key), allowed=" and ".join(_PARTS))
    for key in _PARTS:
        if key not in parts:
            raise InputError(f"no {key!r}", source=str(file), allowed=" and ".join(_PARTS))
    found = list(_paths(parts["diagnostic"], file, ()))
    roots = [path for path in found if len(path) == 1]
    if len(roots) != 1:
        got = [path[0] for path in roots]
        raise InputError("no single root", source=at(file, "diagnostic"), allowed="one suspected disease", got=got)
    names = [tuple(map(same_name, path)) for path in found]
    knowledge = {
        same_name(diagnosis): _premises(value, file, ("knowledge", diagnosis))
        for diagnosis, value in items(parts["knowledge"], file, ("knowledge",), "diagnoses with their premises")
    }
    return Category(file.stem, frozenset(names), tuple(path[-1] for path in found), knowledge)


def _paths(tree: Any, file: Path, above: Names) -> Iterator[Names]:
    """From the root to each diagnosis below, its parent first."""
    for name, below in items(tree, file, ("diagnostic", *above), "an object of diagnoses, or [] for a leaf"):
        path = (*above, name)
        if not name.strip():
            raise InputError("a diagnosis without a name", source=at(file, "diagnostic", *path))
        yield path
        if below != []:
            yield from _paths(below, file, path)


def _premises(value: Any, file: Path, keys: Keys) -> dict[str, str]:
    allowed = "a text, or an object of texts"
    if isinstance(value, str):
        return {"": value}
    return {heading: text(one, file, (*keys, heading)) for heading, one in items(value, file, keys, allowed)}
