"""The graph of diseases as it ships: the cleaned tables, common names and classes of our own, as numbers."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...terms.diseases.graph import DiseaseGraph
from ...terms.icd.ranking import NO_MORE_NAMES, MoreNames
from ..word_lists.reading import KINDS, SIGNS, WRONG_KINDS, rows, rows_like, word_set
from .tables import Disease, Synonyms, all_above, read_diseases

OWN = "dxmatch"
_APART = "NCIT:"
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
_SAYS_LITTLE = word_set("rare genetic hereditary inherited acquired non neoplastic other")
_TOO_WIDE = word_set(
    "cancer neoplasm tumor infection inflammation disease malignancy infectious inflammatory autoimmune immune benign malignant"
)


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
    more: Sequence[Synonyms] = (),
    more_names: MoreNames = NO_MORE_NAMES,
    other_names: Iterable[str] = (),
) -> DiseaseGraph:
    """The graph of the tables in the folder `data`.

    Parameters
    ----------
    more : other names: where one of a pair is a name of the graph and the other is not, it becomes a name of the same disease.
    more_names : names of ICD-10-CM's codes.
    other_names : normalised names whose words are known words, too.
    """
    read = read_diseases(data, normalizer)
    diseases = {each.id: each for each in _connected(read)}
    names = {name: each.id for each in diseases.values() for name in each.names}
    _cut_wrong_names(names, normalizer)
    _add_names(names, more, normalizer)
    parents = {each.id: set(each.parents) & diseases.keys() for each in diseases.values()}
    labels = {each.id: each.label for each in diseases.values()}
    own = _OwnTables(names, parents, labels, more, normalizer)
    own.add_classes()
    _place_own_classes(parents)
    _cut_wrong_kinds(names, parents, normalizer)
    _add_names(names, more, normalizer)  # names of a name that the first time has added
    signs = own.add_signs()
    ids = sorted(parents)
    number = {each: i for i, each in enumerate(ids)}
    order = sorted(names, key=lambda name: (number[names[name]], name))
    above = [sorted(number[parent] for parent in parents[each]) for each in ids]
    starts = np.zeros(len(ids) + 1, np.int32)
    np.cumsum([len(each) for each in above], out=starts[1:])
    counts = Counter(
        word
        for name in {*names, *other_names, *(name for each in read for name in each.names)}
        for word in set(name.split())
    )
    words = sorted(counts)
    return DiseaseGraph(
        ids,
        [labels[each] for each in ids],
        order,
        words,
        name_disease=np.array([number[names[name]] for name in order], np.int32),
        parent_starts=starts,
        parents=np.array([parent for each in above for parent in each], np.int32),
        vague=np.array([is_vague(normalizer(labels[each])) for each in ids], np.bool_),
        word_counts=np.array([counts[word] for word in words], np.int32),
        more_names=more_names,
        signs=np.array([(ids[i], ids[parent]) in signs for i, each in enumerate(above) for parent in each], np.bool_),
    )


def half_hidden(graph: DiseaseGraph) -> DiseaseGraph:
    """The graph without half of its names, by their hashes: the nearest name that is left is what a name outside the graph would find.

    A name of a pair that is made from the graph is always in the graph; that of a diagnosis as it is written is there once in three times.
    """
    kept = np.array([_stays(name) for name in graph.names], np.bool_)
    more = graph.more_names
    coded = [i for i, name in enumerate(more.names) if _stays(name)]
    return replace(
        graph,
        names=[name for name, stays in zip(graph.names, kept.tolist(), strict=True) if stays],
        name_disease=graph.name_disease[kept],
        more_names=MoreNames([more.names[i] for i in coded], [more.codes[i] for i in coded], more.costs[coded]),
    )


def _stays(name: str) -> bool:
    return hashlib.sha256(name.encode()).digest()[0] & 1 == 1


def _add_names(names: dict[str, str], more: Sequence[Synonyms], normalizer: Callable[[str], str]) -> None:
    for source in more:
        said: dict[str, set[str]] = {}
        for first, second in zip(source.first, source.second, strict=True):
            a, b = normalizer(first), normalizer(second)
            for known, new in ((a, b), (b, a)):
                if known in names and new and new not in names:
                    said.setdefault(new, set()).add(names[known])
        names.update({name: next(iter(of)) for name, of in said.items() if len(of) == 1})


def _connected(diseases: Sequence[Disease]) -> list[Disease]:
    """Those that are of MONDO, the Disease Ontology or Orphanet, or below one that is.

    What is left of the NCI Thesaurus has classes of its own ("Sign or Symptom"), so that a finding ("hepatic steatosis") would be far from the
    disease that it is ("fatty liver").
    """
    above = {each.id: each.parents for each in diseases}
    return [
        each for each in diseases if any(not one.startswith(_APART) for one in (each.id, *all_above(each.id, above)))
    ]


def _cut_wrong_names(names: dict[str, str], normalizer: Callable[[str], str]) -> None:
    """What our own table says is no kind of a class is no name of it either: a source has "chest infection" as one of bronchitis."""
    for row in rows(WRONG_KINDS):
        said, of = (normalizer(row[side]) for side in ("kind", "class"))
        if said in names and names[said] == names.get(of):
            del names[said]


def _cut_wrong_kinds(names: Mapping[str, str], parents: dict[str, set[str]], normalizer: Callable[[str], str]) -> None:
    """No disease stays below a class that our own table says it is no kind of: the last step up to the class goes."""
    for row in rows(WRONG_KINDS):
        narrow, wide = (names.get(normalizer(row[side])) for side in ("kind", "class"))
        if narrow is not None and wide is not None:
            for each in (narrow, *all_above(narrow, parents)):
                parents[each].discard(wide)


def _place_own_classes(parents: dict[str, set[str]]) -> None:
    """A class of our own without a class above it stands where all its kinds meet: below the narrowest class that holds them all."""
    kinds: dict[str, set[str]] = {}
    for each, above in parents.items():
        for wide in above:
            kinds.setdefault(wide, set()).add(each)
    size = Counter(wide for each in parents for wide in all_above(each, parents))
    for own in sorted(each for each in kinds if each.startswith(f"{OWN}:") and not parents[each]):
        of_all = [all_above(each, parents) - {own} for each in kinds[own]]
        meet = set.intersection(*of_all) - kinds[own] if len(of_all) > 1 else set[str]()
        if open_ := [each for each in meet if own not in all_above(each, parents)]:
            parents[own].add(min(open_, key=lambda each: (size[each], each)))


_DIRECTIONS = (("raised", "elevated", "high", "increased"), ("low", "decreased", "reduced", "lowered"), ("positive",))
_FOUND = {each: (each,) for each in ("mutation", "antigen", "IgM", "DNA", "RNA")} | {
    "antibodies": ("antibodies", "antibody", ""),
    "fusion": ("fusion", ""),
}
"""A sign that ends in one of these is positive without the word. With it, it may end in each of these, or be left bare: "anti-Jo-1 positive".

Not a gene: "MLH1 positive" says of a tumour that the gene is not lost.
"""
_ASIDE = word_set("with without that while during after before")
"""What follows one of these is no part of the measure, so that the direction cannot stand behind it."""
_SERUM = re.compile(r"(?<!\bin )\bserum ")


def in_other_words(sign: str) -> list[str]:
    """A sign with the other words for its direction, before and behind, and without "serum"; antibodies with and without "anti-" and "positive".

    >>> in_other_words("low serum ceruloplasmin")[:4]
    ['low ceruloplasmin', 'decreased serum ceruloplasmin', 'decreased ceruloplasmin', 'reduced serum ceruloplasmin']
    >>> in_other_words("positive Widal test")
    ['Widal test positive']
    >>> in_other_words("NS1 antigen")
    ['positive NS1 antigen', 'NS1 antigen positive']
    >>> in_other_words("BRCA1 mutation")
    ['positive BRCA1 mutation', 'BRCA1 mutation positive']
    >>> in_other_words("raised ACTH with low cortisol")
    ['elevated ACTH with low cortisol', 'high ACTH with low cortisol', 'increased ACTH with low cortisol']
    >>> {"TSH high", "TSH elevated"} <= {*in_other_words("raised TSH")}
    True
    >>> [each for each in in_other_words("anti-Jo-1 antibodies") if each.endswith("body") or each.endswith("1 positive")]
    ['Jo-1 antibody', 'anti-Jo-1 antibody', 'positive Jo-1 antibody', 'positive anti-Jo-1 antibody', 'Jo-1 positive', 'anti-Jo-1 positive']
    """
    first, _, rest = sign.partition(" ")
    words = next((words for words in _DIRECTIONS if first in words), ())
    measures, alone = [rest, _SERUM.sub("", rest)], [_SERUM.sub("", sign)]
    what, _, kind = sign.rpartition(" ")
    if not words and kind in _FOUND:
        bare = what.removeprefix("anti-")
        with_anti = kind == "antibodies" and (what != bare or not what.startswith("anti"))
        stems = (bare, f"anti-{bare}") if with_anti else (what,)
        measures = [f"{stem} {end}".strip() for stem in stems for end in _FOUND[kind]]
        words, alone = ("positive",), [f"{stem} {end}" for stem in stems for end in _FOUND[kind] if end]
    said = [*alone, *(f"{word} {measure}" for word in words for measure in measures)]
    if _ASIDE.isdisjoint(sign.split()):
        said += [f"{measure} {word}" for word in words for measure in measures]
    return [each for each in dict.fromkeys(said) if each != sign]


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
            for other in map(self.normalizer, in_other_words(row["sign"])):
                self.names.setdefault(other, sign)
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
