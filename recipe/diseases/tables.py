"""The tables of the graph of diseases, read and cleaned: names that mean one disease, classes that mean something, no loops."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...files.tables import required_columns
from ..word_lists.reading import word_set

NAMES, PARENTS = "disease_names.csv", "disease_parents.csv"
LABEL = "label"
MESH = "MESH:"
"""With this the ids begin that no other source has a disease for: MeSH's headings, whose edges are a thesaurus' ("broader heading")."""
_MARK = re.compile(r"^\s*(?:obsolete\b[:\s]*|NON RARE IN EUROPE:\s*)+", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_SHORT_FORM = re.compile(r"[A-Z0-9][A-Za-z0-9/-]{0,5}\b")
_GRAMMAR = word_set("of the and or with by in due to a an other non special category")
_EMPTY_CLASS = word_set(
    "disease disorder disorders diseases syndrome syndromes syndromic condition finding findings entity clinical group rare genetic "
    "hereditary inherited acquired morphological anomaly anomalies anatomical system systems site special category neoplastic "
    "neoplasm non abnormality subtype form primary secondary human vertebrate"
)
"""Of these words alone no disease is named."""


@dataclass(frozen=True)
class Disease:
    """One disease: its id, its main name as written, its names normalised (the main one first), and what it is a kind of."""

    id: str
    label: str
    names: tuple[str, ...]
    parents: tuple[str, ...]


@dataclass(frozen=True)
class Synonyms:
    """Rows of one source: two names of one disease, and the id they share (or None).

    Attributes
    ----------
    times : how often an epoch shows each pair.
    """

    source: str
    first: list[str]
    second: list[str]
    ids: list[str | None]
    times: int = 1


def read_diseases(data: str | os.PathLike[str], normalizer: Callable[[str], str]) -> list[Disease]:
    """All diseases of the tables in the folder `data`, sorted by id.

    A name that stands at several diseases belongs to the one whose main name it is; else to the one that is above all the
    others; else to none. Marks ("obsolete", "NON RARE IN EUROPE") are taken off. A class whose name says nothing ("Syndromic
    disease") is left out and what is under it moves to the classes above. Loops are cut where they close.

    Of MeSH the names of diseases that another source has, too, and no more: with its own headings and their edges average
    precision fell by cross-validation, with the names alone it rose (docs/figures.md).
    """
    folder = Path(data)
    label: dict[str, str] = {}
    said: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    for disease, name, kind in required_columns(folder / NAMES, "disease", "name", "kind"):
        text = without_mark(name)
        normal = normalizer(text)
        if not normal or disease.startswith(MESH) or (kind != LABEL and is_read_as_another(text, normalizer)):
            continue
        if kind == LABEL:
            label[disease] = text
        said[disease].append((normal, kind == LABEL))
    parents = {disease: set[str]() for disease in said}
    for disease, parent in required_columns(folder / PARENTS, "disease", "parent"):
        if disease in said and parent in said and disease != parent:
            parents[disease].add(parent)
    above = without_loops(parents)
    holder = _holders(said, above)
    names = {
        disease: tuple(dict.fromkeys(name for name, main in sorted(of, key=lambda each: not each[1]) if holder[name] == disease))
        for disease, of in said.items()
    }  # fmt: skip
    empty = {disease for disease in said if not names[disease] or says_nothing(normalizer(label.get(disease, "")))}
    kept = sorted(said.keys() - empty)
    return [
        Disease(each, label.get(each, names[each][0]), names[each], tuple(sorted(_meaningful(above[each], above, empty))))
        for each in kept
    ]  # fmt: skip


def without_mark(name: str) -> str:
    """A name without the mark of a retired or a common entry.

    >>> without_mark("obsolete predominantly large-vessel vasculitis")
    'predominantly large-vessel vasculitis'
    """
    return _MARK.sub("", name).strip()


def is_short_form(name: str) -> bool:
    """Whether a name is letters that stand for words, alone or before "syndrome" or "disease"."""
    words = [
        word
        for word in name.replace("-", " ").split()
        if word.lower() not in ("syndrome", "disease", "disorder", "type")
    ]
    return all(word.isdigit() or (_SHORT_FORM.fullmatch(word) and sum(map(str.isupper, word)) > 1) for word in words)


def is_read_as_another(text: str, normalizer: Callable[[str], str]) -> bool:
    """Whether a name is a short form that the normaliser writes out: "CAP syndrome" is no community acquired pneumonia."""
    return is_short_form(text) and len(normalizer(text).split()) > len(_WORD.findall(text))


def says_nothing(name: str) -> bool:
    """Whether a normalised class name consists of words that name no disease.

    >>> says_nothing("non neoplastic disorder by special category"), says_nothing("movement disorder")
    (True, False)
    """
    words = set(name.split()) - _GRAMMAR
    return words <= _EMPTY_CLASS or "by" in name.split()


def without_loops(parents: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """The parents of each disease, sorted, less those that would close a loop when walked in the order of the ids."""
    done: dict[str, list[str]] = {}
    for start in sorted(parents):
        if start in done:
            continue
        walk = [(start, iter(sorted(parents[start])))]
        kept: dict[str, list[str]] = {start: []}
        while walk:
            here, left = walk[-1]
            parent = next(left, None)
            if parent is None:
                done[here] = kept.pop(here)
                walk.pop()
            elif parent not in kept:  # one that is being walked would close a loop
                kept[here].append(parent)
                if parent not in done:
                    kept[parent] = []
                    walk.append((parent, iter(sorted(parents[parent]))))
    return done


def all_above(disease: str, above: Mapping[str, Iterable[str]]) -> set[str]:
    """Every class above a disease."""
    found: set[str] = set()
    left = list(above[disease])
    while left:
        if (each := left.pop()) not in found:
            found.add(each)
            left += above[each]
    return found


def _holders(said: Mapping[str, list[tuple[str, bool]]], above: Mapping[str, list[str]]) -> dict[str, str | None]:
    """The disease that each name belongs to; None where it cannot be told."""
    of_name: dict[str, dict[str, bool]] = defaultdict(dict)
    for disease, names in said.items():
        for name, main in names:
            of_name[name][disease] = of_name[name].get(disease, False) or main
    return {name: next(iter(of)) if len(of) == 1 else _holder(of, above) for name, of in of_name.items()}


def _holder(diseases: Mapping[str, bool], above: Mapping[str, list[str]]) -> str | None:
    for among in ([each for each, main in diseases.items() if main], list(diseases)):
        tops = [each for each in among if all(each == other or each in all_above(other, above) for other in among)]
        if len(tops) == 1:
            return tops[0]
    return None


def _meaningful(parents: Iterable[str], above: Mapping[str, list[str]], empty: set[str]) -> set[str]:
    """The nearest classes above that say something."""
    found: set[str] = set()
    left, seen = list(parents), set[str]()
    while left:
        each = left.pop()
        if each in seen:
            continue
        seen.add(each)
        if each in empty:
            left += above[each]
        else:
            found.add(each)
    return found
