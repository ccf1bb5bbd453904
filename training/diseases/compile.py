"""The graph of diseases as it ships: the cleaned tables, common names and classes of our own, as numbers."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from ...terms.diseases.graph import DiseaseGraph
from ..word_lists.reading import KINDS, rows, word_set
from .tables import all_above, read_diseases

OWN = "dxmatch"
_DISEASE = word_set("disease diseases disorder disorders condition conditions problem problems illness abnormality")
_PLACES = word_set(
    "heart cardiac lung pulmonary kidney renal liver hepatic skin cutaneous brain cerebral eye ocular ear nose throat bone joint muscle nerve "
    "blood vascular vessel artery arterial vein venous stomach gastric bowel intestinal intestine digestive gastrointestinal tract bladder urinary "
    "genital genitourinary reproductive breast bile biliary pancreatic pancreas spleen thyroid adrenal pituitary endocrine metabolic nervous "
    "neurologic neurological system central peripheral respiratory cardiovascular hematologic musculoskeletal connective tissue soft mental "
    "psychiatric oral mouth dental tooth lymphatic thoracic chest head neck pelvic abdominal spinal spine cord upper lower airway retinal retina "
    "corneal esophageal esophagus colon colonic rectal anal prostate testicular uterine ovarian cervical vaginal vulvar penile scrotal "
    "sensory male female integumentary hepatobiliary otorhinolaryngologic body organ of the and or"
)
"""With "disease" these name where something is wrong, not what."""
_SAYS_LITTLE = word_set("rare genetic hereditary inherited acquired non neoplastic other")
_TOO_WIDE = word_set(
    "cancer neoplasm tumor infection inflammation disease malignancy infectious inflammatory autoimmune immune benign malignant"
)


class NamePairs(Protocol):
    """Pairs of names of one disease: `first[i]` and `second[i]`."""

    @property
    def first(self) -> Sequence[str]: ...

    @property
    def second(self) -> Sequence[str]: ...


def is_vague(name: str) -> bool:
    """Whether a normalised class name says no more than a place, or no more than that something is inflamed, infected, a tumour.

    >>> [is_vague(name) for name in ("lung disorder", "movement disorder", "infectious disease", "lung cancer")]
    [True, False, True, False]
    """
    words = set(name.split()) - _SAYS_LITTLE
    return words <= _TOO_WIDE | _DISEASE or (bool(words & _DISEASE) and words <= _PLACES | _DISEASE)


def compiled_graph(
    data: str | os.PathLike[str],
    normalizer: Callable[[str], str],
    *,
    more: Sequence[NamePairs] = (),
    codes: Mapping[str, Sequence[str]] | None = None,
    other_names: Iterable[str] = (),
) -> DiseaseGraph:
    """The graph of the tables in the folder `data`.

    Parameters
    ----------
    more : other names: where one of a pair is a name of the graph and the other is not, it becomes a name of the same disease.
    codes : ICD-10-CM codes by disease.
    other_names : normalised names whose words are known words, too.
    """
    diseases = {each.id: each for each in read_diseases(data, normalizer)}
    names = {name: each.id for each in diseases.values() for name in each.names}
    _add_names(names, more, normalizer)
    parents = {each.id: set(each.parents) for each in diseases.values()}
    labels = {each.id: each.label for each in diseases.values()}
    _add_classes(names, parents, labels, normalizer)
    ids = sorted(parents)
    number = {each: i for i, each in enumerate(ids)}
    order = sorted(names, key=lambda name: (number[names[name]], name))
    above = [sorted(number[parent] for parent in parents[each]) for each in ids]
    starts = np.zeros(len(ids) + 1, np.int32)
    np.cumsum([len(each) for each in above], out=starts[1:])
    counts = Counter(word for name in {*names, *other_names} for word in set(name.split()))
    words = sorted(counts)
    return DiseaseGraph(
        ids,
        [labels[each] for each in ids],
        order,
        [" ".join((codes or {}).get(each, ())) for each in ids],
        words,
        name_disease=np.array([number[names[name]] for name in order], np.int32),
        parent_starts=starts,
        parents=np.array([parent for each in above for parent in each], np.int32),
        vague=np.array([is_vague(normalizer(labels[each])) for each in ids], np.bool_),
        word_counts=np.array([counts[word] for word in words], np.int32),
    )


def half_hidden(graph: DiseaseGraph) -> DiseaseGraph:
    """The graph without half of its names, by their hashes: the nearest name that is left is what a name outside the graph would find.

    A name of a pair that is made from the graph is always in the graph; that of a diagnosis as it is written is there once in three times.
    """
    kept = np.array([hashlib.sha256(name.encode()).digest()[0] & 1 for name in graph.names], np.bool_)
    return DiseaseGraph(
        graph.ids,
        graph.labels,
        [name for name, stays in zip(graph.names, kept.tolist(), strict=True) if stays],
        graph.codes,
        graph.words,
        name_disease=graph.name_disease[kept],
        parent_starts=graph.parent_starts,
        parents=graph.parents,
        vague=graph.vague,
        word_counts=graph.word_counts,
    )


def _add_names(names: dict[str, str], more: Sequence[NamePairs], normalizer: Callable[[str], str]) -> None:
    for source in more:
        said: dict[str, set[str]] = {}
        for first, second in zip(source.first, source.second, strict=True):
            a, b = normalizer(first), normalizer(second)
            for known, new in ((a, b), (b, a)):
                if known in names and new and new not in names:
                    said.setdefault(new, set()).add(names[known])
        names.update({name: next(iter(of)) for name, of in said.items() if len(of) == 1})


def _add_classes(
    names: dict[str, str], parents: dict[str, set[str]], labels: dict[str, str], normalizer: Callable[[str], str]
) -> None:
    """Classes and kinds of our own table; one that would close a loop is left out."""
    for row in rows(KINDS):
        wide, narrow = (_known(row[side], names, parents, labels, normalizer) for side in ("a", "b"))
        if wide != narrow and narrow not in all_above(wide, parents):
            parents[narrow].add(wide)
    _place_own_classes(parents)


def _place_own_classes(parents: dict[str, set[str]]) -> None:
    """A class of our own without a class above it stands where all its kinds meet: below the narrowest class that holds them all."""
    kinds: dict[str, set[str]] = {}
    for each, above in parents.items():
        for wide in above:
            kinds.setdefault(wide, set()).add(each)
    size = Counter(wide for each in parents for wide in all_above(each, parents))
    for own in sorted(each for each in kinds if each.startswith(f"{OWN}:") and not parents[each]):
        of_all = [all_above(each, parents) - {own} for each in kinds[own]]
        if len(of_all) > 1 and (meet := set.intersection(*of_all) - kinds[own]):
            parents[own].add(min(meet, key=lambda each: (size[each], each)))


def _known(
    text: str,
    names: dict[str, str],
    parents: dict[str, set[str]],
    labels: dict[str, str],
    normalizer: Callable[[str], str],
) -> str:
    name = normalizer(text)
    if name not in names:
        names[name] = f"{OWN}:{name.replace(' ', '-')}"
        parents[names[name]] = set()
        labels[names[name]] = text
    return names[name]
