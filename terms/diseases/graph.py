"""The graph of diseases: names, what is a kind of what, and the diseases that a string is nearest to by name or under an encoder."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError
from ...progress import Progress
from ..encoders import Encoder
from ..icd.cache import made_once, text_array, texts_of
from ..icd.index import encoded
from ..icd.ranking import NO_MORE_NAMES, MoreNames
from ..icd.search import Candidates, Search, trained_index
from ..text.vocabulary import Vocabulary

MOST_KINDS = 2_050
"""A class with more kinds than this is too broad to name a disease ("cancer")."""
LINKS = 3
"""Diseases that a string is linked to, at most."""
_TEXTS = ("ids", "labels", "names", "words", "coded_names", "codes")
_NUMBERS = {
    "name_disease": np.int32, "parent_starts": np.int32, "parents": np.int32, "vague": np.bool_, "signs": np.bool_,
    "word_counts": np.int32, "code_costs": np.float32,
}  # fmt: skip
SOURCES = {
    "DOID": "Disease Ontology",
    "MONDO": "MONDO",
    "NCIT": "NCI Thesaurus",
    "Orphanet": "Orphanet",
    "ORPHA": "Orphanet",
    "dxmatch": "dxmatch's own table",
}


@dataclass(frozen=True)
class Above:
    """The classes above each of d diseases, itself included.

    Attributes
    ----------
    starts : int64[d + 1]; those of disease i are at `starts[i]` to `starts[i + 1]`.
    diseases : int32[c], rising within a disease.
    steps : uint8[c], the fewest steps up to each; 0 for the disease itself.
    """

    starts: NDArray[np.int64]
    diseases: NDArray[np.int32]
    steps: NDArray[np.uint8]


@dataclass(eq=False)
class DiseaseGraph:
    """d diseases with n normalised names.

    Attributes
    ----------
    ids, labels : of each disease, its id ("MONDO:0005068") and its main name as written.
    names, name_disease : the n names, each once, and int32[n], the disease of each.
    words, word_counts : the words of diagnoses that are known, of which the names are a part, and int32, how many names hold each.
    parents : the diseases that disease i is a kind of are `parents[parent_starts[i] : parent_starts[i + 1]]` (int32).
    vague : bool[d], classes that name no disease whatever their size ("lung disorder").
    signs : bool[len(parents)], true where disease i is a sign of the parent ("Auer rods in blasts"), no kind of it.
    more_names : names of ICD-10-CM's codes from outside ICD-10.
    """

    ids: Sequence[str]
    labels: Sequence[str]
    names: Sequence[str]
    words: Sequence[str]
    _: KW_ONLY
    name_disease: NDArray[np.int32]
    parent_starts: NDArray[np.int32]
    parents: NDArray[np.int32]
    vague: NDArray[np.bool_]
    signs: NDArray[np.bool_]
    word_counts: NDArray[np.int32]
    more_names: MoreNames = NO_MORE_NAMES

    def __len__(self) -> int:
        return len(self.ids)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a model folder keeps; the same graph gives the same bytes."""
        more = self.more_names
        held = {**vars(self), "coded_names": more.names, "codes": more.codes, "code_costs": more.costs}
        texts = {name: text_array(held[name]) for name in _TEXTS}
        return texts | {name: np.ascontiguousarray(held[name]) for name in _NUMBERS}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], place: str = "diseases") -> DiseaseGraph:
        """Checks that every number in what `arrays` gave points to something.

        Raises
        ------
        ModelError
        """
        try:
            held: dict[str, Any] = {name: texts_of(arrays[name]) for name in _TEXTS}
            held |= {name: arrays[name] for name in _NUMBERS}
        except (KeyError, UnicodeDecodeError, ValueError) as error:
            raise ModelError(f"{place}: not a graph of diseases ({error}).") from error
        for name, kind in _NUMBERS.items():
            if held[name].dtype != kind or held[name].ndim != 1:
                raise ModelError(f"{place}: a damaged graph of diseases ({name} of another type).")
        more = MoreNames(held.pop("coded_names"), held.pop("codes"), held.pop("code_costs"))
        graph = cls(**held, more_names=more)
        if not graph._fits():
            raise ModelError(f"{place}: a damaged graph of diseases (arrays that do not fit each other).")
        return graph

    def _fits(self) -> bool:
        """Whether every number points to something, and no name stands twice."""
        d, starts, more = len(self), self.parent_starts, self.more_names
        places = np.append(self.name_disease, self.parents)
        return (
            len(more.names) == len(more.codes) == len(more.costs)
            and len(self.labels) == len(self.vague) == d == len(starts) - 1
            and len(self.words) == len(self.word_counts)
            and starts[0] == 0 <= np.diff(starts).min(initial=0)
            and starts[-1] == len(self.parents) == len(self.signs)
            and 0 <= places.min(initial=0) <= places.max(initial=-1) < d
            and len(self.name_disease) == len(self.names) == len(set(self.names))
        )

    @cached_property
    def identity(self) -> str:
        """Twelve hexadecimal digits of the graph's content."""
        digest = hashlib.sha256()
        for name, array in self.arrays().items():
            digest.update(f"{name} {array.shape}".encode() + array.tobytes())
        return digest.hexdigest()[:12]

    @cached_property
    def disease_of(self) -> dict[str, int]:
        """The disease of each name."""
        return dict(zip(self.names, self.name_disease.tolist(), strict=True))

    @cached_property
    def above(self) -> Above:
        """Every class above each disease, in the fewest steps; computed once and kept."""
        kept = made_once("above", {"graph": self.identity}, lambda _: self._above(), "the classes of the diseases")
        return Above(**kept)

    def _above(self) -> dict[str, NDArray[Any]]:
        """A step further at a time; a loop gives a class once."""
        from scipy.sparse import csr_array, eye_array

        d = len(self)
        up = csr_array((np.ones(len(self.parents), np.bool_), self.parents, self.parent_starts), shape=(d, d))
        reached: Any = eye_array(d, format="csr").astype(np.bool_)
        known, steps = reached * np.int32(1), 0  # one more than the steps: nought is what is not above
        while reached.nnz:
            reached, steps = (reached @ up) > known, steps + 1
            known = known + reached * np.int32(steps + 1)
        known.sort_indices()
        fewest = np.minimum(known.data - 1, np.iinfo(np.uint8).max).astype(np.uint8)
        return {"starts": known.indptr.astype(np.int64), "diseases": known.indices, "steps": fewest}

    @cached_property
    def kinds(self) -> NDArray[np.int32]:
        """int32[d]: the diseases below each, itself included; a sign counts for itself alone."""
        above = self.above
        counted = np.repeat(~self.only_signs, np.diff(above.starts)) | (above.steps == 0)
        return np.bincount(above.diseases[counted], minlength=len(self)).astype(np.int32)

    @cached_property
    def only_signs(self) -> NDArray[np.bool_]:
        """bool[d]: the entries that are signs of diseases and themselves a kind of none."""
        edges = np.repeat(np.arange(len(self)), np.diff(self.parent_starts))
        each, of_signs = (np.bincount(some, minlength=len(self)) for some in (edges, edges[self.signs]))
        return (of_signs > 0) & (each == of_signs)

    @cached_property
    def information(self) -> NDArray[np.float32]:
        """float32[d]: the intrinsic information content, 1 - log(kinds) / log(d), from 0 for a class of all to 1 (Seco et al. 2004, eq. 4)."""
        return (1 - np.log(self.kinds) / np.log(max(len(self), 2))).astype(np.float32)

    @cached_property
    def too_broad(self) -> NDArray[np.bool_]:
        """bool[d]: classes that name no disease, so that to be a kind of one is to be merely related to it."""
        return self.vague | (self.kinds > MOST_KINDS)

    def source(self, disease: int) -> str:
        """Where a disease's entry comes from."""
        before = self.ids[disease].partition(":")[0]
        return SOURCES.get(before, before)

    def in_line(self, disease: int, other: int) -> bool:
        """Whether both are one disease, or one is a kind of the other, and the broader is not too broad to name a disease."""
        if disease == other:
            return True
        up = self.steps_up(disease, other) >= 0
        return (up or self.steps_up(other, disease) >= 0) and not self.too_broad[other if up else disease]

    def is_sign_of(self, disease: int, other: int) -> bool:
        """Whether an edge says that `disease` is a sign of `other`."""
        some = slice(self.parent_starts[disease], self.parent_starts[disease + 1])
        return bool((self.signs[some] & (self.parents[some] == other)).any())

    def steps_up(self, disease: int, other: int) -> int:
        """Steps from a disease up to a class above it; -1 where `other` is not above it."""
        above = self.above
        some = slice(above.starts[disease], above.starts[disease + 1])
        at = int(np.searchsorted(above.diseases[some], other))
        there = at < some.stop - some.start and above.diseases[some][at] == other
        return int(above.steps[some][at]) if there else -1


class DiseaseIndex:
    """The names of a graph, searchable.

    Parameters
    ----------
    graph : whose diseases are found.
    encoder : of the names, and of the strings that are looked up.
    """

    def __init__(self, graph: DiseaseGraph, encoder: Encoder) -> None:
        self.graph, self.encoder = graph, encoder
        key = {"graph": graph.identity, "encoder": encoder.identity}

        def made(report: Progress) -> dict[str, NDArray[Any]]:
            vectors = encoded(encoder, graph.names, report)
            return {"vectors": vectors, "trained": trained_index(vectors)}

        kept = made_once("diseases", key, made, "the index of the diseases")
        self._search = Search(kept["vectors"], graph.name_disease, kept["trained"])

    def find(self, names: Sequence[str], vectors: NDArray[np.float32]) -> Candidates:
        """The `LINKS` nearest diseases of each normalised name, each by the nearest of its names; one that has the name stands alone.

        Parameters
        ----------
        vectors : float32[u, d], the encoder's of `names`.

        Returns
        -------
        nodes int32[u, LINKS] (-1 for none) and scores float32[u, LINKS], cosines (NaN for none), best first.
        """
        exact = np.fromiter((self.graph.disease_of.get(name, -1) for name in names), np.int32, len(names))
        rows = np.flatnonzero(exact < 0)
        out = Candidates.alone(exact, LINKS)
        out.put(rows, self._search(vectors[rows], LINKS))
        return out


def vocabulary_of(graph: DiseaseGraph, language: str) -> Vocabulary:
    """What tells a slip or another language from a rare disease."""
    words = dict(zip(graph.words, graph.word_counts.tolist(), strict=True))
    return Vocabulary(words, lambda name: [graph.disease_of[name]] if name in graph.disease_of else (), language)


@lru_cache
def shipped_graph() -> DiseaseGraph:
    """That of the model that ships, verified."""
    from ...models.folder import shipped_parts

    arrays = shipped_parts().diseases
    assert arrays is not None
    return DiseaseGraph.from_arrays(arrays)
