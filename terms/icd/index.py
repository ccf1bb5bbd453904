"""Diagnosis -> ICD-10: by name, by code, or by the nearest name under an encoder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import DxmatchError, OptionError
from ..encoders import Encoder, probe
from ..text.normalizer import Normalizer
from .cache import Cache, text_array, texts_of
from .search import CANDIDATES, Candidates, Search, trained_index
from .sources import open_tree
from .tree import CATEGORY, CODE_FORM, EXTENSION, IcdTree

_ROUND = re.compile(r"\([^()]*\)")
_SQUARE_AT_THE_END = re.compile(r"([^\[\]()]+?) \[([^\[\]]+)\]")
_NO_SYNONYM = ("any ", "including ", "from ")
_STRINGS_AT_ONCE = 4096
HOW = ("none", "direct", "code", "nearest")
NONE, DIRECT, CODE, NEAREST = range(4)


class Assignment(NamedTuple):
    """The code of each of u strings.

    Attributes
    ----------
    nodes : int32[u], -1 for none.
    how : uint8[u], how it was found: a position in `HOW`.
    scores : float64[u], the cosine, 1 for a direct match or a code, NaN for none.
    """

    nodes: NDArray[np.int32]
    how: NDArray[np.uint8]
    scores: NDArray[np.float64]


class IcdIndex:
    """The names of a tree's categories and subcategories, searchable.

    An *entry* is a name: a title or an inclusion term, normalised. Chapters, blocks and 7-character extensions have no
    entry (they are found by their code alone). Titles stand before inclusion terms, and these before the other readings of
    both (`other_readings`), in tree order; a name that several codes share belongs to the first of them, so a category wins
    over its own "unspecified" subcategory.

    All methods take *normalised* strings, and give a string the same answer alone as in a batch, bit for bit, as long
    as the encoder does.

    Parameters
    ----------
    tree : whose codes are found.
    encoder : of the names, and of the strings that are looked up.
    names, nodes : n entries, and int32[n], the node of each.
    vectors : float32[n, d], those of the names.
    trained : what `trained_index` makes of the vectors; made here where there is none.
    """

    def __init__(
        self,
        tree: IcdTree,
        encoder: Encoder,
        names: Sequence[str],
        nodes: NDArray[np.int32],
        vectors: NDArray[np.float32],
        trained: NDArray[np.uint8] | None = None,
    ) -> None:
        self.tree, self.encoder = tree, encoder
        self.names, self.nodes, self.vectors = names, nodes, vectors
        self._entries = dict(zip(names, range(len(names)), strict=True))
        self._trained = trained

    @classmethod
    def open(
        cls,
        tree_source: str | Path,
        encoder: Encoder,
        normalizer: Normalizer,
        cache: Path | str | bool | None = None,
    ) -> IcdIndex:
        """Read the index from the cache, or build it (seconds) and store it there.

        Parameters
        ----------
        tree_source : "icd10cm", "icd10" (WHO), or the path of a user's CSV.
        normalizer : the one that the strings asked for have gone through.
        cache : folder; None for DXMATCH_CACHE or the platform's cache folder; False for none.
        """
        store = Cache(cache)
        tree = open_tree(tree_source, store)
        key = {"source": tree.source, "encoder": encoder.identity, "normalizer": normalizer.identity}
        kept = store.load("names", key)
        if kept is not None and kept["vectors"].shape[1:] == (probe(encoder),):
            return cls(tree, encoder, texts_of(kept["names"]), kept["nodes"], kept["vectors"], kept["trained"])
        names, nodes = entries(tree, normalizer)
        vectors = _encode(encoder, names)
        trained = trained_index(vectors)
        arrays = {"names": text_array(names), "nodes": nodes, "vectors": vectors, "trained": trained}
        store.save("names", key, arrays)
        return cls(tree, encoder, names, nodes, vectors, trained)

    @cached_property
    def _search(self) -> Search:
        trained = trained_index(self.vectors) if self._trained is None else self._trained
        return Search(self.vectors, self.nodes, trained)

    def direct(self, strings: Sequence[str]) -> Assignment:
        """The node whose name a string equals, or whose code it is; -1 where neither holds."""
        nodes, how = np.full(len(strings), -1, np.int32), np.full(len(strings), NONE, np.uint8)
        for i, text in enumerate(strings):
            if (entry := self._entries.get(text, -1)) >= 0:
                nodes[i], how[i] = self.nodes[entry], DIRECT
            elif CODE_FORM.fullmatch(text) and (node := self.tree.find(text)) >= 0:
                nodes[i], how[i] = node, CODE
        return Assignment(nodes, how, np.where(nodes >= 0, 1.0, np.nan))

    def candidates(
        self, strings: Sequence[str], k: int = CANDIDATES, vectors: NDArray[np.float32] | None = None
    ) -> Candidates:
        """Per string the k nearest *codes*, each by the nearest of its names, whether or not a name equals the string.

        Codes that appear through several names count once, so that a language model chooses among k different ones.
        None where the encoder finds nothing in the string (a zero vector).

        Parameters
        ----------
        vectors : float32[u, d], the encoder's of `strings`, where they are at hand.
        """
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise OptionError("k", "a whole number from 1", k)
        out = Candidates.none(len(strings), k)
        for start in range(0, len(strings), _STRINGS_AT_ONCE):
            some = slice(start, start + _STRINGS_AT_ONCE)
            queries = _encode(self.encoder, strings[some]) if vectors is None else vectors[some]
            out.nodes[some], out.cosines[some] = self._search(queries, k)
        return out

    def find(
        self, strings: Sequence[str], k: int = CANDIDATES, vectors: NDArray[np.float32] | None = None
    ) -> Candidates:
        """`candidates`, but a direct match stands alone, with a cosine of 1."""
        direct = self.direct(strings).nodes
        rows = np.flatnonzero(direct < 0)
        out = Candidates.none(len(strings), k)
        out.nodes[:, 0], out.cosines[:, 0] = direct, np.where(direct < 0, np.nan, 1)
        found = self.candidates([strings[i] for i in rows.tolist()], k, None if vectors is None else vectors[rows])
        out.nodes[rows], out.cosines[rows] = found
        return out

    def assign(self, strings: Sequence[str]) -> Assignment:
        """Direct where there is a direct match, else the nearest: the source's ICD step without its language model."""
        nodes, how, scores = self.direct(strings)
        rows = np.flatnonzero(nodes < 0)
        nearest, cosines = (column[:, 0] for column in self.candidates([strings[i] for i in rows.tolist()], 1))
        nodes[rows], how[rows] = nearest, np.where(nearest >= 0, NEAREST, NONE)
        scores[rows] = np.minimum(cosines, 1.0)
        return Assignment(nodes, how, scores)

    def category_of(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """int32, of the shape of `nodes`: each one's three-character category; a block is its own; -1 stays."""
        categories = np.where(nodes >= 0, self.tree.categories[nodes], -1)
        return np.where(categories >= 0, categories, nodes).astype(np.int32)


def entries(tree: IcdTree, normalizer: Normalizer) -> tuple[list[str], NDArray[np.int32]]:
    """The names of the index and, int32[n], the node of each: titles, then terms, then what else each says.

    The first of equal names stays.
    """
    node_of: dict[str, int] = {}
    indexed = (tree.kinds >= CATEGORY) & (tree.kinds < EXTENSION)
    titles = [(node, name) for node, name in enumerate(tree.names) if indexed[node]]
    terms = [(int(node), term) for node, term in zip(tree.term_nodes, tree.terms, strict=True) if indexed[node]]
    others = ((node, other) for node, name in (*titles, *terms) for other in other_readings(name))
    for source in (titles, terms, others):
        for node, name in source:
            node_of.setdefault(normalizer(name), node)
    node_of.pop("", None)
    return list(node_of), np.fromiter(node_of.values(), np.int32, len(node_of))


def other_readings(name: str) -> list[str]:
    """What else an ICD-10 name says by the classification's own conventions for brackets (ICD-10-CM guidelines, I.A.7).

    Round brackets hold words that may be absent without a change of the code; square brackets, a synonym of what precedes.

    >>> other_readings("Myocardial infarction (acute) NOS")
    ['Myocardial infarction NOS']
    >>> other_readings("Zoster [herpes zoster]")
    ['Zoster', 'herpes zoster']
    """
    readings = []
    if "(" in name:
        readings.append(_ROUND.sub(" ", name))
    if found := _SQUARE_AT_THE_END.fullmatch(name):
        readings.append(found[1])
        # "[HIV]" after seven words is a synonym of the last three; one of no fewer words, of all that precedes it
        if len(found[2].split()) >= len(found[1].split()) and not found[2].startswith(_NO_SYNONYM):
            readings.append(found[2])
    return [" ".join(reading.split()) for reading in readings if reading.strip()]


def _encode(encoder: Encoder, texts: Sequence[str]) -> NDArray[np.float32]:
    vectors = np.ascontiguousarray(encoder.encode(texts), np.float32)
    if vectors.shape != (len(texts), encoder.dimensions) or not np.isfinite(vectors).all():
        raise DxmatchError(f"The encoder {encoder.identity} gave vectors of shape {vectors.shape}, or not finite ones.")
    return vectors
