"""The graph of diseases as it ships: the cleaned tables, common names and classes of our own, as numbers."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ...terms.diseases.graph import DiseaseGraph
from ..encoder.data import Synonyms
from ..word_lists.reading import KINDS, SIGNS, rows, rows_like, word_set
from .tables import all_above, read_diseases

OWN = "dxmatch"
SIGN = f"{OWN}:sign-"
"""With this the ids of signs begin."""
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
_TOO_WIDE = word_set(
    "cancer neoplasm tumor infection inflammation disease malignancy infectious inflammatory autoimmune immune benign malignant"
)


def is_vague(name: str) -> bool:
    """Whether a normalised class name says no more than a place, or no more than that something is inflamed, infected, a tumour.

    >>> [is_vague(name) for name in ("lung disorder", "movement disorder", "infectious disease", "lung cancer")]
    [True, False, True, False]
    """
    words = set(name.split())
    return words <= _TOO_WIDE | _DISEASE or (bool(words & _DISEASE) and words <= _PLACES | _DISEASE)


def compiled_graph(
    data: str | os.PathLike[str],
    normalizer: Callable[[str], str],
    *,
    more: Sequence[Synonyms] = (),
    codes: Mapping[str, Sequence[str]] | None = None,
) -> DiseaseGraph:
    """The graph of the tables in the folder `data`.

    Parameters
    ----------
    more : other names: where one of a pair is a name of the graph and the other is not, it becomes a name of the same disease.
    codes : ICD-10-CM codes by disease.
    """
    diseases = {each.id: each for each in read_diseases(data, normalizer)}
    names = {name: each.id for each in diseases.values() for name in each.names}
    _add_names(names, more, normalizer)
    parents = {each.id: set(each.parents) for each in diseases.values()}
    labels = {each.id: each.label for each in diseases.values()}
    own = _OwnTables(names, parents, labels, more, normalizer)
    own.add_classes()
    _add_names(names, more, normalizer)  # names of a name that the first time has added
    signs = own.add_signs()
    ids = sorted(parents)
    number = {each: i for i, each in enumerate(ids)}
    order = sorted(names, key=lambda name: (number[names[name]], name))
    above = [sorted(number[parent] for parent in parents[each]) for each in ids]
    starts = np.zeros(len(ids) + 1, np.int32)
    np.cumsum([len(each) for each in above], out=starts[1:])
    return DiseaseGraph(
        ids,
        [labels[each] for each in ids],
        order,
        [" ".join((codes or {}).get(each, ())) for each in ids],
        name_disease=np.array([number[names[name]] for name in order], np.int32),
        parent_starts=starts,
        parents=np.array([parent for each in above for parent in each], np.int32),
        vague=np.array([is_vague(normalizer(labels[each])) for each in ids], np.bool_),
        signs=np.array([(ids[i], ids[parent]) in signs for i, each in enumerate(above) for parent in each], np.bool_),
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
        name_disease=graph.name_disease[kept],
        parent_starts=graph.parent_starts,
        parents=graph.parents,
        vague=graph.vague,
        signs=graph.signs,
    )


def _add_names(names: dict[str, str], more: Sequence[Synonyms], normalizer: Callable[[str], str]) -> None:
    for source in more:
        said: dict[str, set[str]] = {}
        for first, second in zip(source.first, source.second, strict=True):
            a, b = normalizer(first), normalizer(second)
            for known, new in ((a, b), (b, a)):
                if known in names and new and new not in names:
                    said.setdefault(new, set()).add(names[known])
        names.update({name: next(iter(of)) for name, of in said.items() if len(of) == 1})


class _OwnTables:
    """The rows of our own tables, put into the names and parents of the sources.

    A disease that no source knows takes the names that `more` gives it with it, so that two rows that name it differently mean one.
    """

    def __init__(
        self,
        names: dict[str, str],
        parents: dict[str, set[str]],
        labels: dict[str, str],
        more: Sequence[Synonyms],
        normalizer: Callable[[str], str],
    ) -> None:
        self.names, self.parents, self.labels, self.normalizer = names, parents, labels, normalizer
        self._synonyms: dict[str, set[str]] = {}
        for source in more:
            for first, second in zip(source.first, source.second, strict=True):
                a, b = normalizer(first), normalizer(second)
                self._synonyms.setdefault(a, set()).add(b)
                self._synonyms.setdefault(b, set()).add(a)

    def add_classes(self) -> None:
        """Classes and kinds; one that would close a loop is left out."""
        for row in rows_like(KINDS):
            wide, narrow = (self._known(row[side]) for side in ("a", "b"))
            if wide != narrow and narrow not in all_above(wide, self.parents):
                self.parents[narrow].add(wide)

    def add_signs(self) -> set[tuple[str, str]]:
        """Signs below the diseases they show: the edges that say so. Where one is a kind already, or would close a loop, none.

        A sign that is a name of the graph keeps its entry.
        """
        edges: set[tuple[str, str]] = set()
        for row in rows(SIGNS):
            sign, disease = self._known(row["sign"], SIGN), self._known(row["disease"])
            if sign != disease and disease not in self.parents[sign] and sign not in all_above(disease, self.parents):
                self.parents[sign].add(disease)
                edges.add((sign, disease))
        return edges

    def _known(self, text: str, prefix: str = f"{OWN}:") -> str:
        name = self.normalizer(text)
        if name not in self.names:
            each = prefix + name.replace(" ", "-")
            self.parents[each], self.labels[each] = set(), text
            left = [name]
            while left:
                if (found := left.pop()) and found not in self.names:
                    self.names[found] = each
                    left += sorted(self._synonyms.get(found, ()))
        return self.names[name]
