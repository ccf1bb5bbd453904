"""An index with the names of chapters and sections besides those of categories and subcategories."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..text.normalizer import Normalizer
from .index import IcdIndex, encoded
from .ranking import MISSING, Said, bits_of_codes
from .readings import written_names
from .tree import BLOCK, CATEGORY, IcdTree


def with_sections(index: IcdIndex, normalizer: Normalizer) -> IcdIndex:
    """The same index in which "Tuberculosis" is A15-A19, as in H-DDx (A.1: the knowledge base holds chapters, sections and codes).

    A name that is a section's or chapter's own means it, unless it is the title of a category or subcategory ("Malnutrition …"):
    then it means that, which says more. An inclusion term, another reading of a title, and a name from elsewhere give way.
    A chapter says too little to be the nearest of anything ("pulmonary neoplasm" is not chapter 2): it is what its own names mean, and
    no more. Where the index counts names, chapters are among them as in H-DDx.
    The index that comes is not changed: M's features rest on codes alone.

    Parameters
    ----------
    normalizer : the one that the index was opened with.
    """
    own = {
        name: node
        for name, node in section_names(index.tree, normalizer).items()
        if not _is_title(name, index, normalizer)
    }
    known = index.known
    if not index.by_name:
        known = {**known, **{name: node for name, node in own.items() if not _is_section(index.tree, node)}}
        own = {name: node for name, node in own.items() if _is_section(index.tree, node)}
    place = {name: at for at, name in enumerate(index.names)}
    nodes = index.nodes.copy()
    for name in own.keys() & place.keys():
        nodes[place[name]] = own[name]
    new = [name for name in own if name not in place]
    if not new:
        return replace(index, nodes=nodes, known=known)
    vectors = encoded(index.encoder, new)
    said = index.wording.said(new)
    said = said._replace(bits=said.bits | bits_of_codes([_first_category(index.tree, own[name]) for name in new]))
    return replace(
        index,
        names=[*index.names, *new],
        nodes=np.append(nodes, np.array([own[name] for name in new], np.int32)),
        vectors=np.concatenate([index.vectors, vectors]),
        costs=np.append(index.costs, np.full(len(new), MISSING, np.float32)),
        trained=_added(index.trained, vectors),
        wording=replace(index.wording, entries=_joined(index.wording.entries, said)),
        known=known,
    )


def section_names(tree: IcdTree, normalizer: Normalizer) -> dict[str, int]:
    """Normalised name -> chapter or section; of equal names, the first in the tree."""
    found: dict[str, int] = {}
    for node in np.flatnonzero(tree.kinds < CATEGORY).tolist():
        for name in written_names(tree, node):
            if normal := normalizer(name):
                found.setdefault(normal, node)
    return found


def _is_section(tree: IcdTree, node: int) -> bool:
    return bool(tree.kinds[node] == BLOCK)


def _is_title(name: str, index: IcdIndex, normalizer: Normalizer) -> bool:
    node = int(index.direct([name]).nodes[0])
    return node >= 0 and index.tree.kinds[node] >= CATEGORY and normalizer(index.tree.name(node)) == name


def _first_category(tree: IcdTree, node: int) -> str:
    """Of a chapter or section: its codes lie in one chapter, whose letters all that follows is judged by."""
    below = np.flatnonzero(tree.kinds[node:] == CATEGORY)
    return tree.code(node + int(below[0])) if len(below) else ""


def _joined(first: Said, second: Said) -> Said:
    offsets = np.append(first.offsets, second.offsets[1:] + first.offsets[-1])
    ids, bits = np.append(first.ids, second.ids), np.append(first.bits, second.bits)
    return Said(offsets, ids, bits, np.append(first.unknown, second.unknown))


def _added(trained: NDArray[np.uint8], vectors: NDArray[np.float32]) -> NDArray[np.uint8]:
    import faiss

    index = faiss.deserialize_index(trained)
    index.add(vectors)
    return faiss.serialize_index(index)
