"""Diagnosis -> ICD-10: by name, by code, or by the best of the nearest names under an encoder; or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import DxmatchError, OptionError
from ...progress import Progress
from ..encoders import Encoder, probe
from ..text.normalizer import Normalizer
from .cache import Cache, text_array, texts_of
from .ranking import FLOOR, UNKNOWN, VERSION, MoreNames, Wording
from .readings import other_readings, plain_readings
from .search import CANDIDATES, DISTANCES, ENTRIES, Candidates, Found, Search, trained_index
from .sources import WRITTEN, open_tree
from .tree import CATEGORY, CODE_FORM, EXTENSION, IcdTree
from .written import written_names

MORE_NAMES_OF = "icd10cm"
"""The source whose codes more names have."""
_STRINGS_AT_ONCE = 4096
HOW = ("none", "direct", "code", "nearest", "unmapped")
NONE, DIRECT, CODE, NEAREST, UNMAPPED = range(5)
_FLOORED = "static-"
"""The encoders, by the beginning of their identity, whose scores the floor was chosen on; other encoders have no floor."""


class Assignment(NamedTuple):
    """The code of each of u strings.

    Attributes
    ----------
    nodes : int32[u], -1 for none.
    how : uint8[u], how it was found: a position in `HOW`.
    scores : float64[u], see `ranking`; 1 for a direct match or a code, NaN for none, and what the best candidate has for unmapped.
    """

    nodes: NDArray[np.int32]
    how: NDArray[np.uint8]
    scores: NDArray[np.float64]

    def without(self, how: int) -> Assignment:
        """The same without the codes that were found so."""
        these = self.how == how
        none = np.where(these, NONE, self.how).astype(np.uint8)
        return Assignment(np.where(these, np.int32(-1), self.nodes), none, np.where(these, np.nan, self.scores))


class IcdIndex:
    """The names of a tree's categories and subcategories, searchable.

    An *entry* is a name: a title or an inclusion term, normalised. Chapters, blocks and 7-character extensions have no
    entry (they are found by their code alone). Titles stand before inclusion terms, and these before the other readings of
    both (`readings`), and these before names from elsewhere (`MoreNames`), in tree order; a name that several codes share belongs to the
    first of them, so a category wins over its own "unspecified" subcategory.

    All methods take *normalised* strings, and give a string the same answer alone as in a batch, bit for bit, as long
    as the encoder does.

    Parameters
    ----------
    tree : whose codes are found.
    encoder : of the names, and of the strings that are looked up.
    names, nodes : n entries, and int32[n], the node of each.
    vectors : float32[n, d], those of the names.
    trained : what `trained_index` makes of the vectors; made here where there is none.
    wording : of the names; made here where there is none.
    costs : float32[n], taken off each name's score; none where not given.
    known : further names and their nodes, found where a string equals one; they go before entries of the same name.
    floor : whether a text whose best name scores too little (see `ranking`) is unmapped. Not given: with the encoders whose
        scores that limit was chosen on.
    distance : "cosine", or "euclidean" of vectors that keep their length: scores are then distances with a minus sign.
    counted : "codes": the k nearest are k different codes. "names": they are k names, of which several may belong to one code.
    normalizer : what made the names; without it a name is shown as it was made.

    What names say beyond the diagnosis (`ranking`), and the floor, count only with "cosine" and "codes", which they were made for.
    """

    def __init__(
        self,
        tree: IcdTree,
        encoder: Encoder,
        names: Sequence[str],
        nodes: NDArray[np.int32],
        vectors: NDArray[np.float32],
        trained: NDArray[np.uint8] | None = None,
        wording: Wording | None = None,
        costs: NDArray[np.float32] | None = None,
        known: Mapping[str, int] | None = None,
        floor: bool | None = None,
        distance: str = DISTANCES[0],
        counted: str = ENTRIES[0],
        normalizer: Normalizer | None = None,
    ) -> None:
        self.tree, self.encoder = tree, encoder
        self.names, self.nodes, self.vectors = names, nodes, vectors
        self._nodes_by_name = {**dict(zip(names, nodes.tolist(), strict=True)), **(known or {})}
        self._trained, self._wording = trained, wording
        self.costs = np.zeros(len(names), np.float32) if costs is None else costs
        self.distance, self.counted = _one_of("distance", distance, DISTANCES), _one_of("entries", counted, ENTRIES)
        self._by_wording = distance == DISTANCES[0] and counted == ENTRIES[0]
        self.known, self.normalizer = known or {}, normalizer
        self._written_of: dict[int, dict[str, str]] = {}
        self.floor = self._by_wording and (encoder.identity.startswith(_FLOORED) if floor is None else floor)

    @classmethod
    def open(
        cls,
        tree_source: str | Path,
        encoder: Encoder,
        normalizer: Normalizer,
        cache: Path | str | bool | None = None,
        more_names: MoreNames | None = None,
        distance: str = DISTANCES[0],
        counted: str = ENTRIES[0],
    ) -> IcdIndex:
        """Read the index from the cache, or build it (seconds) and store it there.

        Parameters
        ----------
        tree_source : "icd10cm", "icd10" (WHO), or the path of a user's CSV.
        normalizer : the one that the strings asked for have gone through.
        cache : folder; None for DXMATCH_CACHE or the platform's cache folder; False for none.
        more_names : further names of ICD-10-CM's codes; not looked at for another source.
        distance, counted : as of the index. With "names" the entries are titles and inclusion terms alone, as H-DDx (A.1) has
            them: no other reading of them, and no more names.
        """
        by_name = _one_of("entries", counted, ENTRIES) == ENTRIES[1]
        store = Cache(cache)
        tree = open_tree(tree_source, store)
        more = more_names if tree_source == MORE_NAMES_OF and not by_name else None
        key = {
            "source": tree.source,
            "encoder": encoder.identity,
            "normalizer": normalizer.identity,
            "wording": VERSION,
        }
        key["more"] = "" if more is None else more.identity
        if by_name:
            key["counted"] = counted
        if distance != DISTANCES[0]:
            key["distance"] = distance

        def made(report: Progress) -> dict[str, NDArray[Any]]:
            names, nodes, costs = entries(tree, normalizer, more, readings=not by_name)
            searched = np.isfinite(costs)
            known = [name for name, seen in zip(names, searched.tolist(), strict=True) if not seen]
            made = {"known": text_array(known), "known_nodes": nodes[~searched], "costs": costs[searched]}
            names, nodes = names[: len(names) - len(known)], nodes[searched]
            vectors = encoded(encoder, names, report)
            made |= {"names": text_array(names), "nodes": nodes, "vectors": vectors}
            # Without quantisation an index is its vectors, and made in a moment.
            trained = trained_index(vectors) if distance == DISTANCES[0] else np.zeros(0, np.uint8)
            return made | {"trained": trained, **Wording.of(names, nodes, tree).arrays()}

        def fits(kept: Mapping[str, NDArray[Any]]) -> bool:
            return kept["vectors"].shape[1:] == (probe(encoder),)

        what = f"the index of {WRITTEN.get(str(tree_source), Path(tree_source).name)}"
        kept = store.made_once("names", key, made, what, fits)
        names, wording = texts_of(kept["names"]), Wording.from_arrays(kept)
        known = dict(zip(texts_of(kept["known"]), kept["known_nodes"].tolist(), strict=True))
        trained = kept["trained"] if distance == DISTANCES[0] else None
        held = (kept["vectors"], trained, wording, kept["costs"], known)
        ways = {"distance": distance, "counted": counted, "normalizer": normalizer}
        return cls(tree, encoder, names, kept["nodes"], *held, **ways)

    def changed(
        self,
        names: Sequence[str],
        nodes: NDArray[np.int32],
        vectors: NDArray[np.float32],
        costs: NDArray[np.float32],
        trained: NDArray[np.uint8],
        wording: Wording,
        known: Mapping[str, int],
    ) -> IcdIndex:
        """The same with other entries."""
        ways = {"distance": self.distance, "counted": self.counted, "normalizer": self.normalizer}
        held = (trained, wording, costs, known, self.floor)
        return IcdIndex(self.tree, self.encoder, names, nodes, vectors, *held, **ways)

    @cached_property
    def _search(self) -> Search:
        euclidean = self.distance != DISTANCES[0]
        return Search(self.vectors, self.nodes, self.trained, euclidean)

    @cached_property
    def trained(self) -> NDArray[np.uint8]:
        """The FAISS index of the vectors, serialised."""
        given = self._trained
        return trained_index(self.vectors, self.distance != DISTANCES[0]) if given is None else given

    @cached_property
    def wording(self) -> Wording:
        """What the entries say."""
        return Wording.of(self.names, self.nodes, self.tree) if self._wording is None else self._wording

    @cached_property
    def _categories(self) -> NDArray[np.int32]:
        return self.category_of(self.nodes)

    def direct(self, strings: Sequence[str]) -> Assignment:
        """The node whose name a string equals, or whose code it is; -1 where neither holds."""
        nodes, how = np.full(len(strings), -1, np.int32), np.full(len(strings), NONE, np.uint8)
        for i, text in enumerate(strings):
            if (node := self._nodes_by_name.get(text, -1)) >= 0:
                nodes[i], how[i] = node, DIRECT
            elif CODE_FORM.fullmatch(text) and (node := self.tree.find(text)) >= 0:
                nodes[i], how[i] = node, CODE
        return Assignment(nodes, how, np.where(nodes >= 0, 1.0, np.nan))

    def candidates(
        self, strings: Sequence[str], k: int = CANDIDATES, vectors: NDArray[np.float32] | None = None
    ) -> Found:
        """Per string the k nearest codes, each by the nearest of its names, or the k nearest names, as the index counts them.

        Whether or not a name equals the string. Codes that appear through several names count once, so that a language model
        chooses among k different ones; of names, one code may come twice. None where the encoder finds nothing in the string
        (a zero vector). The scores are cosines, or distances with a minus sign.

        Parameters
        ----------
        vectors : float32[u, d], the encoder's of `strings`, where they are at hand.
        """
        out = Found.none(len(strings), _checked(k))
        for some, queries in self._batches(strings, vectors):
            out.put(some, self._search.nearest(queries, k, self.counted == ENTRIES[1]))
        return out

    def ranked(self, strings: Sequence[str], k: int = CANDIDATES, vectors: NDArray[np.float32] | None = None) -> Found:
        """Per string the k codes of the best scores (see `ranking`) among the nearest, whether or not a name equals it.

        Also for a string below the floor: `mapped` tells which are not. `candidates` where wording does not count.
        """
        if not self._by_wording:
            return self.candidates(strings, k, vectors)
        out = Found.none(len(strings), _checked(k))
        for some, queries in self._batches(strings, vectors):
            said = self.wording.said(strings[some])
            out.put(some, self._search.ranked(queries, said, k, self.wording, self.costs, self._categories))
        return out

    def shown(self, node: int, name: str, otherwise: str | None = None) -> str:
        """A name of a node as ICD-10 writes it: a title, an inclusion term or what else one says.

        One from elsewhere is shown as it is, or as `otherwise`.
        """
        if self.normalizer is None:
            return name if otherwise is None else otherwise
        if node not in self._written_of:
            # The first of equal names stays, so it is put last.
            written = reversed(list(written_names(self.tree, node)))
            self._written_of[node] = {self.normalizer(one): one for one in written}
        return self._written_of[node].get(name, name if otherwise is None else otherwise)

    def mapped(self, strings: Sequence[str], found: Candidates | Found) -> NDArray[np.bool_]:
        """bool[n]: whether the best candidate of each string in `ranked` reaches the floor; False where there is none."""
        some = found.nodes[:, 0] >= 0
        if not self.floor:
            return some
        return some & (found.scores[:, 0] >= FLOOR + UNKNOWN * self.wording.said(strings).unknown)

    def _batches(
        self, strings: Sequence[str], vectors: NDArray[np.float32] | None
    ) -> Iterator[tuple[slice, NDArray[np.float32]]]:
        for start in range(0, len(strings), _STRINGS_AT_ONCE):
            some = slice(start, start + _STRINGS_AT_ONCE)
            yield some, encoded(self.encoder, strings[some]) if vectors is None else vectors[some]

    def find(
        self, strings: Sequence[str], k: int = CANDIDATES, vectors: NDArray[np.float32] | None = None
    ) -> Candidates:
        """`ranked`, but a direct match stands alone, with a score of 1; an unmapped string has no candidates."""
        direct = self.direct(strings).nodes
        rows = np.flatnonzero(direct < 0)
        out = Candidates.none(len(strings), k)
        out.nodes[:, 0], out.scores[:, 0] = direct, np.where(direct < 0, np.nan, 1)
        open_ = [strings[i] for i in rows.tolist()]
        found = self.ranked(open_, k, None if vectors is None else vectors[rows])
        kept = self.mapped(open_, found)
        out.nodes[rows[kept]], out.scores[rows[kept]] = found.nodes[kept], found.scores[kept]
        return out

    def assign(self, strings: Sequence[str]) -> Assignment:
        """Direct where there is a direct match, else the best of the nearest, or unmapped below the floor."""
        nodes, how, scores = self.direct(strings)
        rows = np.flatnonzero(nodes < 0)
        open_ = [strings[i] for i in rows.tolist()]
        found = self.ranked(open_, 1)
        mapped = self.mapped(open_, found)
        nodes[rows] = np.where(mapped, found.nodes[:, 0], -1)
        how[rows] = np.where(mapped, NEAREST, np.where(found.nodes[:, 0] >= 0, UNMAPPED, NONE))
        scores[rows] = np.minimum(found.scores[:, 0], 1.0)
        return Assignment(nodes, how, scores)

    def category_of(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """int32, of the shape of `nodes`: each one's three-character category; a block is its own; -1 stays."""
        categories = np.where(nodes >= 0, self.tree.categories[nodes], -1)
        return np.where(categories >= 0, categories, nodes).astype(np.int32)


def entries(
    tree: IcdTree, normalizer: Normalizer, more: MoreNames | None = None, readings: bool = True
) -> tuple[list[str], NDArray[np.int32], NDArray[np.float32]]:
    """The names of the index, int32[n], the node of each, and float32[n], what its source costs.

    Titles, then terms, then what else each says (`readings`), if it is wanted, then more names. The first of equal names stays.
    """
    node_of: dict[str, int] = {}
    indexed = (tree.kinds >= CATEGORY) & (tree.kinds < EXTENSION)
    titles = [(node, name) for node, name in enumerate(tree.names) if indexed[node]]
    terms = [(int(node), term) for node, term in zip(tree.term_nodes, tree.terms, strict=True) if indexed[node]]
    others = ((node, other) for node, name in (*titles, *terms) for other in other_readings(name))
    plain = ((node, other) for node, name in titles for other in plain_readings(name))
    for source in (titles, terms, others, plain) if readings else (titles, terms):
        for node, name in source:
            node_of.setdefault(normalizer(name), node)
    costs = [0.0] * len(node_of)
    # those that take no part in the search stand last
    further = [] if more is None else sorted(zip(*more[:3], strict=True), key=lambda one: not np.isfinite(one[2]))
    for name, code, cost in further:
        node = tree.find(code)
        if node >= 0 and indexed[node] and name not in node_of:
            node_of[name] = node
            costs.append(float(cost))
    at = next((i for i, name in enumerate(node_of) if not name), -1)
    if at >= 0:
        del node_of[""], costs[at]
    return list(node_of), np.fromiter(node_of.values(), np.int32, len(node_of)), np.array(costs, np.float32)


def _checked(k: int) -> int:
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise OptionError("k", "a whole number from 1", k)
    return k


def _one_of(option: str, given: str, allowed: tuple[str, ...]) -> str:
    if given not in allowed:
        raise OptionError(option, " or ".join(map(repr, allowed)), given)
    return given


def encoded(encoder: Encoder, texts: Sequence[str], report: Progress | None = None) -> NDArray[np.float32]:
    """The vectors of texts. Raises `DxmatchError` for what are none.

    report : called with what is done and the total; many texts are then encoded a part at a time.
    """
    if report is not None and len(texts) > _STRINGS_AT_ONCE:
        out = np.empty((len(texts), probe(encoder)), np.float32)
        for start in range(0, len(texts), _STRINGS_AT_ONCE):
            some = slice(start, start + _STRINGS_AT_ONCE)
            out[some] = encoded(encoder, texts[some])
            report(min(start + _STRINGS_AT_ONCE, len(texts)), len(texts))
        return out
    vectors = np.ascontiguousarray(encoder.encode(texts), np.float32)
    if vectors.shape != (len(texts), encoder.dimensions) or not np.isfinite(vectors).all():
        raise DxmatchError(f"The encoder {encoder.identity} gave vectors of shape {vectors.shape}, or not finite ones.")
    return vectors
