"""The names that the static encoder is trained on: ICD-10-CM with its inclusion terms, and files of synonyms."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...files.tables import required_columns
from ...terms.text.normalizer import Normalizer
from ..diseases.tables import NAMES, Synonyms, is_read_as_another, read_diseases, without_mark
from ..word_lists.reading import rows_like

COMMON_FILES = "common_synonyms_en"
ORPHADATA, MONDO, ICD, COMMON, GRAPH = "Orphadata", "MONDO", "ICD-10-CM", "common synonyms", "graph of diseases"
ORPHADATA_SYNONYMS, ORPHADATA_CODES, MONDO_EXACT = "orphadata_synonyms.csv", "orphadata_icd10.csv", "mondo_exact.csv"
SYNONYM_FILES = {ORPHADATA_SYNONYMS: ("name", "synonym", "orpha"), MONDO_EXACT: ("mondo", "other", "other_id")}
"""By file the columns of two names of a disease and of its id."""
ORPHANET = "Orphanet:"
"""Goes before a number of Orphanet's, so that the ids of all files can be compared."""
JUDGED_PAIRS = "craft_md_pairs.csv"
FOLDS = 5
KEPT_BACK_FOLD = 0
MAX_NOTE = 100
_COLLECTS = re.compile(r"\bother\b", re.IGNORECASE)


@dataclass(frozen=True)
class Names:
    """Unique normalised names, the positive pairs among them, and the disease of each.

    Attributes
    ----------
    texts : the names, sorted.
    pairs : [n, 2] indices of two different names of one disease, the smaller first; as often as an epoch shows them.
    disease : [len(texts)] its number; a chain of pairs, equal names or shared ids makes two names one disease.
    """

    texts: list[str]
    pairs: NDArray[np.int64]
    disease: NDArray[np.int64]

    def take(self, kept: NDArray[np.bool_]) -> Names:
        """The names where `kept` (bool[len(texts)]) is true, and the pairs that stay whole."""
        new = np.cumsum(kept) - 1
        texts = [text for text, stays in zip(self.texts, kept.tolist(), strict=True) if stays]
        return Names(texts, new[self.pairs[kept[self.pairs].all(axis=1)]], self.disease[kept])


def read_synonyms(path: Path) -> Synonyms:
    """One of `SYNONYM_FILES`.

    Marks before a name ("OBSOLETE: ") are taken off. A row with a short form that the normaliser writes out ("CAP syndrome") is
    left out: it may be another's. Errors: `InputError` for a missing column.
    """
    normalizer, (*names, identity) = Normalizer(), SYNONYM_FILES[path.name]
    before = ORPHANET if identity == "orpha" else ""
    out = Synonyms(str(path), [], [], [])
    for *pair, number in required_columns(path, *names, identity):
        a, b = (without_mark(name or "") for name in pair)
        if not (is_read_as_another(a, normalizer) or is_read_as_another(b, normalizer)):
            out.first.append(a)
            out.second.append(b)
            out.ids.append(before + number if number else None)
    return out


def common_synonyms() -> Synonyms:
    """Everyday names of common diseases ("heart attack"), which the large vocabularies lack; shown three times."""
    first, second = zip(*((row["name"], row["synonym"]) for row in rows_like(COMMON_FILES)), strict=True)
    return Synonyms(COMMON, [*first], [*second], [None] * len(first), times=3)


def disease_synonyms(folder: str | os.PathLike[str], normalizer: Callable[[str], str]) -> Synonyms:
    """The graph of diseases in `folder`: each main name with each other name of the same disease."""
    first, second, ids = [], [], []
    for disease in read_diseases(folder, normalizer):
        main, *others = disease.names
        for name in others or [main]:
            first.append(main)
            second.append(name)
            ids.append(disease.id)
    return Synonyms(NAMES, first, second, ids)


def icd_synonyms() -> Synonyms:
    """ICD-10-CM: each code's title with its inclusion terms and "includes" notes.

    A title such as "Other malabsorption" collects different diseases: its terms are no names of one, so each stands alone.
    Left out: codes with an extension (initial encounter, sequela …), whose names say nothing new, and notes of more than
    100 characters, which are remarks and no names.
    """
    import simple_icd_10_cm as icd

    first, second, ids = [], [], []
    for code in icd.get_all_codes(True):
        if icd.is_chapter_or_block(code) or icd.is_extended_subcategory(code):
            continue
        title = icd.get_description(code)
        notes = [note for note in icd.get_includes(code) if len(note) <= MAX_NOTE]
        collects = _COLLECTS.search(title) is not None
        for name in (title, *icd.get_inclusion_term(code), *notes):
            first.append(name if collects else title)
            second.append(name)
            ids.append(None if collects and name != title else f"ICD10CM:{code}")
    return Synonyms(ICD, first, second, ids)


def all_sources(data: Path, normalizer: Callable[[str], str]) -> dict[str, Synonyms]:
    """By name, the sources of all names: the encoder's training joins them, and so do the silver pairs, so that a fold is the same fold in both.

    Parameters
    ----------
    data : the folder with the files of Orphadata, MONDO and the graph of diseases.
    """
    return {
        ORPHADATA: read_synonyms(data / ORPHADATA_SYNONYMS),
        MONDO: read_synonyms(data / MONDO_EXACT),
        COMMON: common_synonyms(),
        GRAPH: disease_synonyms(data, normalizer),
        ICD: icd_synonyms(),
    }


def join(sources: Sequence[Synonyms], normalizer: Callable[[str], str]) -> Names:
    """All sources as one set of names; pairs that are equal after normalisation train nothing and are no pairs."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    number: dict[str, int] = {}
    of_id: dict[str, int] = {}
    times: dict[tuple[int, int], int] = {}
    same: list[tuple[int, int]] = []
    for source in sources:
        for first, second, identity in zip(source.first, source.second, source.ids, strict=True):
            a, b = normalizer(first), normalizer(second)
            if not a or not b:
                raise InputError(
                    "a name without a letter or digit", source=source.source, allowed="the name of a disease",
                    got=first if not a else second,
                )  # fmt: skip
            i, j = number.setdefault(a, len(number)), number.setdefault(b, len(number))
            same += [(i, j), (i, of_id.setdefault(identity, i) if identity else i)]
            if i != j:
                edge = min(i, j), max(i, j)
                times[edge] = max(times.get(edge, 0), source.times)
    texts = sorted(number)
    order = np.array([number[text] for text in texts], np.int64)
    edges = np.argsort(order)[np.array(list(times), np.int64).reshape(-1, 2)]
    pairs = np.sort(np.repeat(edges, list(times.values()), axis=0), axis=1)
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    graph = coo_array((np.ones(len(same), bool), np.array(same, np.int64).reshape(-1, 2).T), (len(texts), len(texts)))
    _, first_name, disease = np.unique(
        connected_components(graph, directed=False)[1][order], return_index=True, return_inverse=True
    )
    return Names(texts, pairs, np.argsort(np.argsort(first_name))[disease])


def folds_of(names: Names) -> NDArray[np.int64]:
    """[len(texts)] 0 to 4: the fold that a name's disease belongs to, by the SHA-256 of the disease's first name.

    Names of one disease are in one fold, and a disease stays in its fold when others come or go.
    """
    first: dict[int, str] = {}
    for text, disease in zip(names.texts, names.disease.tolist(), strict=True):
        first.setdefault(disease, text)
    fold = {disease: hashlib.sha256(text.encode()).digest()[0] % FOLDS for disease, text in first.items()}
    return np.array([fold[disease] for disease in names.disease.tolist()], np.int64)
