"""Diagnosis -> ICD-10: by name, by code, or by the best of the nearest names under an encoder; or not at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import DxmatchError
from ...progress import Progress
from ..encoders import Encoder
from ..text.normalizer import Normalizer
from .cache import made_once, text_array, texts_of
from .ranking import FLOOR, MISSING, UNKNOWN, VERSION, MoreNames, Wording
from .readings import other_readings, plain_readings, written_names
from .search import CANDIDATES, Candidates, Search, trained_index
from .sources import WRITTEN, open_tree
from .tree import BLOCK, CATEGORY, CODE_FORM, EXTENSION, IcdTree

MORE_NAMES_OF = "icd10cm"
"""The source whose codes more names have."""
_STRINGS_AT_ONCE = 4096
NONE, DIRECT, CODE, NEAREST, UNMAPPED = "none", "direct", "code", "nearest", "unmapped"
_FLOORED = "static-"
"""The encoders, by the beginning of their identity, whose scores the floor was chosen on; other encoders have no floor."""


Fits = Callable[[int, str], bool]


class Assignment(NamedTuple):
    """nodes : int32[u], the node of each of u strings, -1 for none. how : how each was found: `DIRECT`, `CODE` or `NONE`."""

    nodes: NDArray[np.int32]
    how: list[str]


class Candidate(NamedTuple):
    """found : the name that the code was found by, as ICD-10 writes it; the title itself for a code."""

    code: str
    name: str
    score: float
    found: str


class IcdAnswer(NamedTuple):
    """What one string is mapped to.

    Attributes
    ----------
    icd10, name : the code and its title; None where nothing was found, or nothing near enough.
    how : "direct" (the string is a name of the code), "code" (the string is the code itself), "nearest" (the code of the best of the nearest
        names under the index's encoder), "unmapped" (the best candidate lies below the index's floor), or "none" (the encoder finds
        nothing in the string).
    score : 1.0 for direct and code; else of the best candidate, see `ranking`: a cosine less what that name says beyond the diagnosis, at most 1.
    candidates : the k best codes, or names, best first, the chosen one in the first place, also for "unmapped"; for "code" that one alone,
        since the letters of a code say nothing to an encoder.
    reason : why a language model's answer names no code.
    """

    icd10: str | None = None
    name: str | None = None
    how: str = NONE
    score: float | None = None
    candidates: Sequence[Candidate] = ()
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class IcdIndex:
    """The names of a tree's categories and subcategories, searchable.

    An *entry* is a name: a title or an inclusion term, normalised. Chapters, blocks and 7-character extensions have no
    entry (they are found by their code alone). Titles stand before inclusion terms, and these before the other readings of
    both (`readings`), and these before names from elsewhere (`MoreNames`), in tree order; a name that several codes share belongs to the
    first of them, so a category wins over its own "unspecified" subcategory.

    All methods take *normalised* strings, and give a string the same answer alone as in a batch, bit for bit, as long
    as the encoder does.

    Attributes
    ----------
    tree : whose codes are found.
    encoder : of the names, and of the strings that are looked up.
    normalizer : what made the names.
    names, nodes : n entries, and int32[n], the node of each.
    vectors : float32[n, d], those of the names.
    trained : what `trained_index` makes of the vectors.
    wording : what the names say.
    costs : float32[n], taken off each name's score.
    known : further names and their nodes, found where a string equals one; they go before entries of the same name.
    euclidean : the distance, of vectors that keep their length, in place of the cosine: scores are then distances with a minus sign.
    by_name : the k nearest are k names, of which several may belong to one code; else they are k different codes.

    What names say beyond the diagnosis (`ranking`), and the floor, count only for codes by the cosine, which they were made for.
    """

    tree: IcdTree
    encoder: Encoder
    normalizer: Normalizer
    names: Sequence[str]
    nodes: NDArray[np.int32]
    vectors: NDArray[np.float32]
    trained: NDArray[np.uint8]
    wording: Wording
    costs: NDArray[np.float32]
    known: Mapping[str, int]
    euclidean: bool = False
    by_name: bool = False

    @classmethod
    def open(
        cls,
        tree_source: str | Path,
        encoder: Encoder,
        normalizer: Normalizer,
        more_names: MoreNames | None = None,
        euclidean: bool = False,
        by_name: bool = False,
    ) -> IcdIndex:
        """Read the index from the cache, or build it (seconds) and store it there.

        Parameters
        ----------
        tree_source : "icd10cm", "icd10" (WHO), or the path of a user's CSV.
        normalizer : the one that the strings asked for have gone through.
        more_names : further names of ICD-10-CM's codes; not looked at for another source.
        euclidean, by_name : as of the index. By name the entries are titles and inclusion terms alone, as H-DDx (A.1) has
            them: no other reading of them, and no more names.
        """
        tree = open_tree(tree_source)
        more = more_names if tree_source == MORE_NAMES_OF and not by_name else None
        key = {
            "source": tree.source, "encoder": encoder.identity, "normalizer": normalizer.identity, "wording": VERSION,
            "more": "" if more is None else more.identity, "by name": by_name, "euclidean": euclidean,
        }  # fmt: skip

        def made(report: Progress) -> dict[str, NDArray[Any]]:
            names, nodes, costs = entries(tree, normalizer, more, readings=not by_name)
            searched = np.isfinite(costs)
            known = names[int(searched.sum()) :]
            made = {"known": text_array(known), "known_nodes": nodes[~searched], "costs": costs[searched]}
            names, nodes = names[: len(names) - len(known)], nodes[searched]
            vectors = encoded(encoder, names, report)
            made |= {"names": text_array(names), "nodes": nodes, "vectors": vectors}
            made["trained"] = np.zeros(0, np.uint8) if euclidean else trained_index(vectors)
            return made | Wording.of(names, nodes, tree).arrays()

        what = f"the index of {WRITTEN.get(str(tree_source), Path(tree_source).name)}"
        kept = made_once("names", key, made, what)
        known = dict(zip(texts_of(kept["known"]), kept["known_nodes"].tolist(), strict=True))
        return cls(
            tree=tree, encoder=encoder, normalizer=normalizer, names=texts_of(kept["names"]), nodes=kept["nodes"], vectors=kept["vectors"],
            trained=kept["trained"], wording=Wording.from_arrays(kept), costs=kept["costs"], known=known, euclidean=euclidean, by_name=by_name,
        )  # fmt: skip

    def with_sections(self) -> IcdIndex:
        """The same index in which "Tuberculosis" is A15-A19, as in H-DDx (A.1: the knowledge base holds chapters, sections and codes).

        A name that is a section's or chapter's own means it, unless it is the title of a category or subcategory ("Malnutrition …"):
        then it means that, which says more. An inclusion term, another reading of a title, and a name from elsewhere give way.
        A chapter says too little to be the nearest of anything ("pulmonary neoplasm" is not chapter 2): it is what its own names mean, and
        no more. Where the index counts names, chapters are among them as in H-DDx.
        The index that was is not changed: M's features rest on codes alone.
        """
        tree, own = self.tree, dict[str, int]()
        for node in np.flatnonzero(tree.kinds < CATEGORY).tolist():
            for name in map(self.normalizer, written_names(tree, node)):
                if name and not self._is_title(name):
                    own.setdefault(name, node)
        alone = {} if self.by_name else {name: node for name, node in own.items() if tree.kinds[node] != BLOCK}
        searched = {name: node for name, node in own.items() if name not in alone}
        nodes, known = self.nodes.copy(), {**self.known, **alone}
        place = {name: at for at, name in enumerate(self.names)}
        for name in searched.keys() & place.keys():
            nodes[place[name]] = searched[name]
        if not (new := [name for name in searched if name not in place]):
            return replace(self, nodes=nodes, known=known)
        of_new = np.array([searched[name] for name in new], np.int32)
        # the codes of a section lie in one chapter, whose letters all that follows is judged by
        below = np.append(np.flatnonzero(tree.kinds == CATEGORY), -1)
        first = below[np.searchsorted(below[:-1], of_new)].tolist()
        return replace(
            self,
            names=[*self.names, *new],
            nodes=np.append(nodes, of_new),
            vectors=np.concatenate([self.vectors, encoded(self.encoder, new)]),
            costs=np.append(self.costs, np.full(len(new), MISSING, np.float32)),
            wording=self.wording.with_names(new, ["" if node < 0 else tree.codes[node] for node in first]),
            known=known,
        )

    def _is_title(self, name: str) -> bool:
        node = self._nodes_by_name.get(name, -1)
        return node >= 0 and self.tree.kinds[node] >= CATEGORY and self.normalizer(self.tree.names[node]) == name

    @property
    def counts_wording(self) -> bool:
        return not self.euclidean and not self.by_name

    @cached_property
    def _search(self) -> Search:
        return Search(self.vectors, self.nodes, self.trained, self.euclidean)

    @cached_property
    def _categories(self) -> NDArray[np.int32]:
        return self.category_of(self.nodes)

    @cached_property
    def _nodes_by_name(self) -> dict[str, int]:
        return {**dict(zip(self.names, self.nodes.tolist(), strict=True)), **self.known}

    @cached_property
    def _written(self) -> Callable[[int], dict[str, str]]:
        # The first of equal names stays, so it is put last.
        return cache(lambda node: {self.normalizer(one): one for one in reversed([*written_names(self.tree, node)])})

    def direct(self, strings: Sequence[str], by_name: bool = True) -> Assignment:
        """The node whose name a string equals, or whose code it is; -1 where neither holds. by_name : else by its code alone."""
        nodes, how = np.full(len(strings), -1, np.int32), [NONE] * len(strings)
        for i, text in enumerate(strings):
            if (node := self._nodes_by_name.get(text, -1)) >= 0:
                nodes[i], how[i] = (node, DIRECT) if by_name else (-1, NONE)
            elif CODE_FORM.fullmatch(text) and (node := self.tree.find(text)) >= 0:
                nodes[i], how[i] = node, CODE
        return Assignment(nodes, how)

    def candidates(
        self,
        strings: Sequence[str],
        k: int = CANDIDATES,
        vectors: NDArray[np.float32] | None = None,
        *,
        by_wording: bool = False,
    ) -> Candidates:
        """Per string the k nearest codes, each by the nearest of its names, or the k nearest names, as the index counts them.

        Whether or not a name equals the string, and also below the floor: `mapped` tells which are not. Codes that appear through several
        names count once, so that a language model chooses among k different ones; of names, one code may come twice. None where the
        encoder finds nothing in the string (a zero vector). The scores are cosines, or distances with a minus sign.

        Parameters
        ----------
        vectors : float32[u, d], the encoder's of `strings`, where they are at hand.
        by_wording : those of the best scores (see `ranking`) among the nearest, where wording counts.
        """
        out, by_wording = Candidates.none(len(strings), k), by_wording and self.counts_wording
        for start in range(0, len(strings), _STRINGS_AT_ONCE):
            some = slice(start, start + _STRINGS_AT_ONCE)
            queries = encoded(self.encoder, strings[some]) if vectors is None else vectors[some]
            rescore = None
            if by_wording:
                rescore = self.wording.rescored(self.wording.said(strings[some]), self.costs, self._categories)
            out.put(some, self._search(queries, k, names=self.by_name, rescore=rescore))
        return out

    def shown(self, node: int, name: str, otherwise: str | None = None) -> str:
        """A name of a node as ICD-10 writes it: a title, an inclusion term or what else one says.

        One from elsewhere is shown as it is, or as `otherwise`.
        """
        return self._written(node).get(name, name if otherwise is None else otherwise)

    def mapped(self, strings: Sequence[str], found: Candidates) -> NDArray[np.bool_]:
        """bool[n]: whether the best candidate of each string in `candidates` by wording reaches the floor; False where there is none."""
        some = found.nodes[:, 0] >= 0
        if not self.counts_wording or not self.encoder.identity.startswith(_FLOORED):
            return some
        return some & (found.scores[:, 0] >= FLOOR + UNKNOWN * self.wording.said(strings).unknown)

    def shown_candidates(
        self, nodes: NDArray[np.int32], scores: NDArray[np.float32], entries: NDArray[np.int32]
    ) -> list[Candidate]:
        """One row of `Candidates` as it is shown."""
        return [
            Candidate(
                self.tree.codes[node], self.tree.names[node], min(score, 1.0), self.shown(node, self.names[int(entry)])
            )
            for node, score, entry in zip(nodes.tolist(), scores.tolist(), entries.tolist(), strict=True)
            if node >= 0
        ]

    def direct_answer(self, node: int, how: str, name: str, candidates: Sequence[Candidate], k: int) -> IcdAnswer:
        """Of a string that is a name of the code, or the code itself: its code goes before the candidates, and stands there once."""
        code, title = self.tree.codes[node], self.tree.names[node]
        chosen = Candidate(code, title, 1.0, self.shown(node, name, title))
        others = [one for one in candidates if one.code != code or (self.by_name and one.found != chosen.found)]
        return IcdAnswer(code, title, how, 1.0, [chosen, *others][:k])

    def answers(self, names: Sequence[str], k: int, fits: Fits | None = None) -> list[IcdAnswer]:
        """Maps normalised names: by name, by code, or by the best of the nearest names, where it reaches the floor.

        fits : (place among the names, a name of the index) -> whether that is a candidate at all.
        """
        direct = self.direct(names)
        places = [at for at, how in enumerate(direct.how) if how != CODE]
        asked = [names[at] for at in places]
        found = self.candidates(asked, k, by_wording=True)
        if fits is not None:
            entries = zip(places, found.entries.tolist(), strict=True)
            fit = [[entry >= 0 and fits(at, self.names[int(entry)]) for entry in row] for at, row in entries]
            found = found.kept(np.array(fit, np.bool_).reshape(-1, k))
        rows = zip(self.mapped(asked, found).tolist(), *found, strict=True)
        out = []
        for name, node, how in zip(names, direct.nodes.tolist(), direct.how, strict=True):
            near, *row = (False,) if how == CODE else next(rows)
            candidates = self.shown_candidates(*row) if row else []
            if node >= 0:
                out.append(self.direct_answer(node, how, name, candidates, k))
            elif near:
                out.append(IcdAnswer(*candidates[0][:2], NEAREST, candidates[0].score, candidates))
            elif candidates:
                out.append(IcdAnswer(how=UNMAPPED, score=candidates[0].score, candidates=candidates))
            else:
                out.append(IcdAnswer())
        return out

    def find(
        self, strings: Sequence[str], k: int = CANDIDATES, vectors: NDArray[np.float32] | None = None
    ) -> Candidates:
        """`candidates` by wording, but a direct match stands alone, with a score of 1; an unmapped string has no candidates."""
        direct = self.direct(strings).nodes
        rows = np.flatnonzero(direct < 0)
        open_ = [strings[i] for i in rows.tolist()]
        found = self.candidates(open_, k, None if vectors is None else vectors[rows], by_wording=True)
        kept = self.mapped(open_, found)
        out = Candidates.alone(direct, k)
        out.put(rows[kept], found.at(kept))
        return out

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
            if text := normalizer(name):
                node_of.setdefault(text, node)
    costs = [0.0] * len(node_of)
    # those that take no part in the search stand last
    further = [] if more is None else sorted(zip(*more, strict=True), key=lambda one: not np.isfinite(one[2]))
    for name, code, cost in further:
        node = tree.find(code)
        if node >= 0 and indexed[node] and name and name not in node_of:
            node_of[name] = node
            costs.append(float(cost))
    return list(node_of), np.fromiter(node_of.values(), np.int32, len(node_of)), np.array(costs, np.float32)


def encoded(encoder: Encoder, texts: Sequence[str], report: Progress = lambda done, total: None) -> NDArray[np.float32]:
    """The vectors of texts, a part at a time. Raises `DxmatchError` for what are none. report : called with what is done and the total."""
    parts = []
    for start in range(0, len(texts), _STRINGS_AT_ONCE):
        some = texts[start : start + _STRINGS_AT_ONCE]
        parts.append(np.ascontiguousarray(encoder.encode(some), np.float32))
        if parts[-1].ndim != 2 or len(parts[-1]) != len(some) or not np.isfinite(parts[-1]).all():
            shape = parts[-1].shape
            raise DxmatchError(f"The encoder {encoder.identity} gave vectors of shape {shape}, or not finite ones.")
        report(start + len(some), len(texts))
    return np.concatenate(parts) if parts else encoder.encode([])
