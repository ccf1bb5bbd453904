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
from .cache import Cache
from .lookup import Lookup
from .search import Nearest, nearest_distinct
from .sketch import Sketch
from .sources import open_tree
from .texts import Texts
from .tree import CATEGORY, CODE_FORM, EXTENSION, IcdTree

_ROUND = re.compile(r"\([^()]*\)")
_SQUARE_AT_THE_END = re.compile(r"([^\[\]()]+?) \[([^\[\]]+)\]")
_NO_SYNONYM = ("any ", "including ", "from ")
_STRINGS_AT_ONCE = 4096
HOW = ("none", "direct", "code", "nearest")
NONE, DIRECT, CODE, NEAREST = range(4)


class Assignment(NamedTuple):
    """Per string: the node (int32, -1 for none), how it was found (uint8, position in `HOW`), the cosine (float64)."""

    nodes: NDArray[np.int32]
    how: NDArray[np.uint8]
    scores: NDArray[np.float64]


class Found(NamedTuple):
    """Per string what its code is chosen from.

    direct : int32[u], the node of the direct match, or -1. nearest : for each row without one, its nearest codes.
    """

    direct: NDArray[np.int32]
    nearest: dict[int, Nearest]


class IcdIndex:
    """The names of a tree's categories and subcategories, searchable.

    An *entry* is a name: a title or an inclusion term, normalised. Chapters, blocks and 7-character extensions have no
    entry (they are found by their code alone). Titles stand before inclusion terms, and these before the other readings of both (`other_readings`), in tree order; a name that
    several codes share belongs to the first of them, so a category wins over its own "unspecified" subcategory.

    All methods take *normalised* strings, and give a string the same answer alone as in a batch, bit for bit, as long
    as the encoder does.
    """

    def __init__(
        self,
        tree: IcdTree,
        encoder: Encoder,
        texts: Texts,
        nodes: NDArray[np.int32],
        vectors: NDArray[np.float32],
        sketch: Sketch | None = None,
        lookup: Lookup | None = None,
    ) -> None:
        self.tree, self.encoder = tree, encoder
        self.texts, self.nodes, self.vectors = texts, nodes, vectors
        self._sketch = Sketch.of(vectors) if sketch is None else sketch
        self._lookup = Lookup.of(texts) if lookup is None else lookup

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
            texts = Texts(kept["blob"], kept["offsets"])
            sketch = Sketch(*(kept[name] for name in Sketch._fields))
            lookup = Lookup(*(kept[name] for name in Lookup._fields))
            return cls(tree, encoder, texts, kept["nodes"], kept["vectors"], sketch, lookup)
        names, nodes = entries(tree, normalizer)
        vectors = _encode(encoder, names)
        texts = Texts.of(names)
        made = cls(tree, encoder, texts, nodes, vectors)
        arrays = {"blob": texts.blob, "offsets": texts.offsets, "nodes": nodes, "vectors": vectors}
        store.save("names", key, arrays | made._sketch._asdict() | made._lookup._asdict())
        return made

    @cached_property
    def _entry_categories(self) -> NDArray[np.int32]:
        return self._categories(self.nodes)

    def direct(self, strings: Sequence[str]) -> Assignment:
        """The node whose name a string equals, or whose code it is; -1 where neither holds."""
        found = self._lookup.find(strings, self.texts)
        nodes = np.where(found >= 0, self.nodes[found], -1).astype(np.int32) if len(self.nodes) else found
        how = np.where(found >= 0, DIRECT, NONE).astype(np.uint8)
        for i, text in enumerate(strings):
            if how[i] == NONE and (node := self._of_code(text)) >= 0:
                nodes[i], how[i] = node, CODE
        return Assignment(nodes, how, np.where(nodes >= 0, 1.0, np.nan))

    def direct_node(self, string: str) -> int:
        """The node of `direct` for one string."""
        found = self._lookup.find_one(string, self.texts)
        return int(self.nodes[found]) if found >= 0 else self._of_code(string)

    def _of_code(self, string: str) -> int:
        return self.tree.find(string) if CODE_FORM.fullmatch(string) else -1

    def candidates(self, strings: Sequence[str], k: int = 15) -> list[Nearest]:
        """Per string the k nearest *codes*, best first, each by the nearest of its names (`.entries`, `.cosines`).

        Codes that appear through several names count once, so that a language model chooses among k different ones.
        Empty where the encoder finds nothing in the string (a zero vector).
        """
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise OptionError("k", "a whole number from 1", k)
        out: list[Nearest] = []
        for start in range(0, len(strings), _STRINGS_AT_ONCE):
            out += self.nearest_of(_encode(self.encoder, strings[start : start + _STRINGS_AT_ONCE]), k)
        return out

    def nearest_of(self, queries: NDArray[np.float32], k: int) -> list[Nearest]:
        """`candidates` of strings by their vectors, float32[n, d]."""
        known: NDArray[np.bool_] = (queries != 0).any(axis=1)
        found = iter(nearest_distinct(queries[known], self.vectors, self.nodes, k, self._sketch))
        return [next(found) if row else _NOTHING for row in known.tolist()]

    def find(self, strings: Sequence[str], k: int = 15, vectors: NDArray[np.float32] | None = None) -> Found:
        """The direct match of each string, or its candidates. `vectors`: the encoder's, float32[n, d], where they are at hand."""
        direct = self.direct(strings).nodes
        rows = np.flatnonzero(direct < 0)
        if vectors is None:
            nearest = self.candidates([strings[i] for i in rows.tolist()], k)
        else:
            nearest = self.nearest_of(vectors[rows], k)
        return Found(direct, dict(zip(rows.tolist(), nearest, strict=True)))

    def nearest(self, strings: Sequence[str]) -> Assignment:
        """The code of the nearest name, whether or not it equals the string."""
        found = self.candidates(strings, 1)
        nodes = np.array([self.nodes[one.entries[0]] if len(one.entries) else -1 for one in found], np.int32)
        scores = np.array([one.cosines[0] if len(one.entries) else np.nan for one in found], np.float64)
        return Assignment(nodes, np.where(nodes >= 0, NEAREST, NONE).astype(np.uint8), np.minimum(scores, 1.0))

    def assign(self, strings: Sequence[str]) -> Assignment:
        """Direct where there is a direct match, else the nearest: the source's ICD step without its language model."""
        nodes, how, scores = self.direct(strings)
        missing = np.flatnonzero(nodes < 0)
        if len(missing):
            nearest = self.nearest([strings[i] for i in missing.tolist()])
            nodes[missing], how[missing], scores[missing] = nearest
        return Assignment(nodes, how, scores)

    def category_of(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """int32[u]: the three-character category's node for each node; a block is its own; -1 stays."""
        return self._entry_categories if nodes is self.nodes else self._categories(nodes)

    def _categories(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        categories = np.where(nodes >= 0, self.tree.categories[nodes], -1)
        return np.where(categories >= 0, categories, nodes).astype(np.int32)


_NOTHING = Nearest(np.zeros(0, np.int64), np.zeros(0, np.float32))


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
    return _checked(encoder, encoder.encode(texts), len(texts))


def _checked(encoder: Encoder, vectors: NDArray[np.float32], rows: int) -> NDArray[np.float32]:
    vectors = np.ascontiguousarray(vectors, np.float32)
    if vectors.shape != (rows, encoder.dimensions) or not np.isfinite(vectors).all():
        raise DxmatchError(f"The encoder {encoder.identity} gave vectors of shape {vectors.shape}, or not finite ones.")
    return vectors
