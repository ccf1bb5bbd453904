"""ICD-10-CM codes of the graph's diseases, and their names as names of these codes: what `IcdIndex` takes as `more_names`.

>>> coded = coded_names(folder, tree, normalizer, encoder)                                            # doctest: +SKIP
>>> index = IcdIndex.open("icd10cm", encoder, normalizer, more_names(coded))                   # doctest: +SKIP
>>> more = more_names([*coded, *agreed_names(folder, index, normalizer, coded)])                      # doctest: +SKIP
"""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..files.tables import required_columns
from ..terms.encoders import Encoder
from ..terms.icd import IcdIndex, IcdTree
from ..terms.icd.index import entries
from ..terms.icd.ranking import MoreNames
from ..terms.text.normalizer import Normalizer
from .diseases.tables import NAMES, PARENTS, is_short_form, without_mark
from .encoder.data import ORPHADATA_CODES, ORPHADATA_SYNONYMS
from .word_lists.reading import rows as word_list

CODES = "disease_icd10.csv"
OWN_NAMES = "icd_codes_en.csv"
"""In `word_lists`: everyday and classic names, each with the code that a coder chooses for the bare words."""
OWN_COST = 0.0
"""Taken off the score of a name of `OWN_NAMES`: nothing, as its code was chosen for that name, as with an inclusion term."""
GRAPH_COST, RARE_COST = 0.04, 0.08
"""Taken off the score of a name: the graph's codes were fitted with the other weights of `terms.icd.ranking`; Orphadata's are of
WHO's ICD-10 and mostly of the class that holds the disease, so they cost twice as much."""
MIN_LETTERS = 4
MAX_STEPS = 2


class CodedName(NamedTuple):
    """disease : whose name it is. name : normalised. code : in ICD-10-CM. cost : see `MoreNames`."""

    disease: str
    name: str
    code: str
    cost: float


def coded_names(
    folder: str | os.PathLike[str], tree: IcdTree, normalizer: Normalizer, encoder: Encoder
) -> list[CodedName]:
    """The names of `OWN_NAMES`, and of the diseases in `folder` that have a code, sorted.

    - `OWN_NAMES`: the disease is "dxmatch:" and the name; its code goes before the others'.
    - `disease_names.csv` and `disease_icd10.csv`: of several codes, the one whose title is nearest to the disease's main name.
    - `orphadata_icd10.csv` (relations E and NTBT: exact, and narrower than the code) and its synonyms: the category.

    Left out: codes that `tree` lacks; names that ICD-10 has itself; names of under four letters; short forms ("RP43", "AAA syndrome"),
    which the normaliser may read as another's; names that stand at diseases of different categories.

    Errors: `InputError` for a missing file or column.
    """
    own = set(entries(tree, normalizer)[0])
    found = [
        *_of_table(normalizer),
        *_of_graph(Path(folder), tree, normalizer, encoder),
        *_rare(Path(folder), tree, normalizer),
    ]
    # where they differ, the table's code goes before the graph's, and this before Orphadata's
    categories: dict[tuple[str, float], set[int]] = defaultdict(set)
    for one in found:
        categories[one.name, one.cost].add(int(tree.categories[tree.find(one.code)]))
    best: dict[str, CodedName] = {}
    for one in sorted(found, key=lambda one: (one.cost, one.name, len(one.code), one.code, one.disease)):
        if one.name not in own and sum(map(str.isalpha, one.name)) >= MIN_LETTERS:
            best.setdefault(one.name, one)
    return [one for name, one in sorted(best.items()) if len(categories[name, one.cost]) == 1]


def agreed_names(
    folder: str | os.PathLike[str], index: IcdIndex, normalizer: Normalizer, coded: Sequence[CodedName]
) -> list[CodedName]:
    """The names of diseases without a code, where the graph and the encoder agree on the category, sorted.

    The graph: the category of a class with a code, at most two steps above the disease. The encoder: what `index`, which has the names
    in `coded`, finds for the disease's main name. Where the two differ, the encoder is right more often, and nothing is said here;
    where they agree, the category is right for 95 % of main names, and of synonyms for 92 %, which the encoder alone finds
    for 84 %. Such names are known where a text equals one, and take no part in the search (an infinite cost).
    """
    tree = index.tree
    codes = graph_codes(folder, tree, normalizer, index.encoder)
    at = {disease: tree.categories[tree.find(code)] for disease, code in codes.items()}
    categories = {disease: tree.codes[category] for disease, category in at.items() if category >= 0}
    parents: dict[str, list[str]] = defaultdict(list)
    for disease, parent in required_columns(Path(folder) / PARENTS, "disease", "parent"):
        parents[disease].append(parent)
    names: dict[str, list[str]] = defaultdict(list)
    main: dict[str, str] = {}
    for disease, name, kind in required_columns(Path(folder) / NAMES, "disease", "name", "kind"):
        if disease not in categories:
            names[disease] += [] if is_short_form(name) else [normalizer(without_mark(name))]
            if kind == "label":
                main[disease] = normalizer(without_mark(name))
    above = {disease: _above(disease, parents, categories) for disease in main}
    asked = [disease for disease in main if above[disease] and main[disease]]
    nodes = index.category_of(index.find([main[disease] for disease in asked], 1).nodes[:, 0]).tolist()
    agreed = {
        disease: tree.codes[node]
        for disease, node in zip(asked, nodes, strict=True)
        if node >= 0 and tree.codes[node] in above[disease]
    }
    taken = {*index.names, *(one.name for one in coded)}
    found = {(name, agreed[disease]): disease for disease in agreed for name in names[disease]}
    several: dict[str, int] = defaultdict(int)
    for name, _ in found:
        several[name] += 1
    return sorted(
        CodedName(disease, name, code, math.inf)
        for (name, code), disease in found.items()
        if name not in taken and several[name] == 1 and sum(map(str.isalpha, name)) >= MIN_LETTERS
    )


def _above(disease: str, parents: Mapping[str, list[str]], categories: Mapping[str, str]) -> set[str]:
    """The categories of the nearest classes above that have one, if they are near."""
    level = [disease]
    for _ in range(MAX_STEPS):
        level = [parent for below in level for parent in parents.get(below, [])]
        if found := {categories[one] for one in level if one in categories}:
            return found
    return set()


def more_names(coded: Sequence[CodedName]) -> MoreNames:
    """For `IcdIndex.open`."""
    costs = np.array([one.cost for one in coded], np.float32)
    return MoreNames([one.name for one in coded], [one.code for one in coded], costs)


def graph_codes(
    folder: str | os.PathLike[str], tree: IcdTree, normalizer: Normalizer, encoder: Encoder
) -> dict[str, str]:
    """Disease -> its code in ICD-10-CM, of those that `disease_icd10.csv` gives one."""
    codes: dict[str, list[int]] = defaultdict(list)
    for disease, code in required_columns(Path(folder) / CODES, "disease", "icd10cm"):
        if (node := tree.find(code)) >= 0:
            codes[disease].append(node)
    main = {
        disease: name
        for disease, name, kind in required_columns(Path(folder) / NAMES, "disease", "name", "kind")
        if kind == "label" and disease in codes
    }
    return {
        disease: tree.codes[_nearest(nodes, main.get(disease), tree, normalizer, encoder)]
        for disease, nodes in codes.items()
    }


def _nearest(nodes: list[int], name: str | None, tree: IcdTree, normalizer: Normalizer, encoder: Encoder) -> int:
    """Of equals, the most general: the one with the shortest code."""
    nodes = sorted(nodes, key=lambda node: (len(tree.codes[node]), node))
    if len(nodes) == 1 or name is None:
        return nodes[0]
    vectors = encoder.encode([normalizer(name), *(normalizer(tree.names[node]) for node in nodes)])
    return nodes[int(np.argmax(vectors[1:] @ vectors[0]))]


def _of_table(normalizer: Normalizer) -> list[CodedName]:
    return [
        CodedName(f"dxmatch:{row['name']}", normalizer(row["name"]), row["code"], OWN_COST)
        for row in word_list(OWN_NAMES)
    ]


def _of_graph(folder: Path, tree: IcdTree, normalizer: Normalizer, encoder: Encoder) -> list[CodedName]:
    codes = graph_codes(folder, tree, normalizer, encoder)
    rows = required_columns(folder / NAMES, "disease", "name")
    return [
        CodedName(disease, normalizer(without_mark(name)), codes[disease], GRAPH_COST)
        for disease, name in rows
        if disease in codes and not is_short_form(name)
    ]


def _rare(folder: Path, tree: IcdTree, normalizer: Normalizer) -> list[CodedName]:
    others: dict[str, list[str]] = defaultdict(list)
    for orpha, synonym in required_columns(folder / ORPHADATA_SYNONYMS, "orpha", "synonym"):
        others[orpha].append(synonym)
    out = []
    for orpha, name, code, kind in required_columns(folder / ORPHADATA_CODES, "orpha", "name", "icd10", "relation"):
        category = (code or "")[:3]
        if kind in ("E", "NTBT") and tree.find(category) >= 0:
            names = [one for one in (name, *others[orpha]) if not is_short_form(one)]
            out += [CodedName(f"Orphanet:{orpha}", normalizer(without_mark(one)), category, RARE_COST) for one in names]
    return out
