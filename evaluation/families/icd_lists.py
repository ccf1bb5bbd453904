"""Lists and references as ICD-10 nodes: by their codes, or else by the ICD mapping of their text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...features.providers import SHIPPED, Providers
from ...pages.rows import Row
from ...terms.icd.ancestor_sets import Nodes
from ...terms.icd.codes import Place, nodes_of_cells, padded
from ...terms.icd.index import CODE, DIRECT, NEAREST, NONE, UNMAPPED, IcdIndex
from ...terms.icd.naming import Naming
from ...terms.icd.tree import IcdTree
from ..lists.lists import Cell, Lists
from ..matches.reference_matches import depth_of
from ..metrics.hierarchical import opened
from ..statistics.section import Context

_COLUMN = max(NONE, DIRECT, CODE, NEAREST, UNMAPPED) + 1
_BY = {
    _COLUMN: "by the codes given", DIRECT: "by name", CODE: "as a code", NEAREST: "by the nearest name",
    UNMAPPED: "unmapped (denied, not understood, or no name is near enough)", NONE: "not at all",
}  # fmt: skip
_MOST_CELLS = 10_000_000
REFERENCE = "reference"
"""Stands for the rater where the rows of `IcdLists.coded` speak of the reference."""
How = NDArray[np.integer]


@dataclass(frozen=True)
class IcdLists:
    """predicted : int32 [n, r, k, c], the nodes of each diagnosis, at most c; -1 fills.

    reference : int32 [n, D], likewise.
    how : int [n, r, k], by which way a diagnosis came to its codes; -1 where none is said. reference_how : of each reference diagnosis.
    """

    raters: list[str]
    predicted: Nodes
    reference: Nodes
    how: How
    reference_how: How

    def top(self, k: int | None) -> IcdLists:
        """Of lists cut to k; whole with None."""
        return replace(self, predicted=self.predicted[:, :, :k], how=self.how[:, :, :k])

    @property
    def notes(self) -> list[str]:
        """By which way how many came to their codes."""
        return [
            _told("diagnoses of the lists", self.how[self.how >= 0]),
            _told("reference diagnoses", self.reference_how),
        ]

    @property
    def coded(self) -> list[Row]:
        """For each rater, then for the reference: how many diagnoses there are, how many of them have no code, and the share."""
        of_raters = [_coded(rater, self.how[:, i][self.how[:, i] >= 0]) for i, rater in enumerate(self.raters)]
        return [*of_raters, _coded(REFERENCE, self.reference_how)]

    @property
    def without(self) -> str:
        """How many diagnoses have no code, in words; "" where each has one."""
        *raters, reference = self.coded
        parts = []
        for what, rows in (("the lists' diagnoses", raters), ("the references", [reference])):
            of, none = (sum(row[column] for row in rows) for column in ("diagnoses", "without_code"))
            if none:
                parts.append(f"{none / of:.1%} of {what} ({none:,} of {of:,})")
        return " and ".join(parts)


def providers_of(matcher: object) -> Providers | None:
    """What maps text to ICD-10 behind M; None where M has no such thing."""
    providers = getattr(matcher, "providers", None)
    return providers if isinstance(providers, Providers) and SHIPPED in providers.encoders else None


def why_no_codes(lists: Lists, matcher: object) -> str | None:
    """What is missing to know codes of lists and references; None where nothing is."""
    coded_reference = any(cell.value for cells in lists.reference_more.get("icd10", []) for cell in cells)
    if not coded_reference and not any(lists.reference):
        return "a reference: rows with the role reference, or a column reference or reference_icd10"
    if providers_of(matcher) is None:
        instead = "or a match function that maps text to ICD-10"
        if not lists.cells("icd10")[1]:
            return f"the column icd10 ({instead})"
        if not coded_reference:
            return f"codes of the reference: icd10 in its rows, or the column reference_icd10 ({instead})"
    return None


def icd_lists(lists: Lists, k: int, matcher: object, tree: IcdTree, icd_source: str) -> IcdLists:
    """The first k of each list, and the references.

    A diagnosis has the codes of its cell; where that is blank, the one that its text maps to, if M brings a mapping.
    A word for no diagnosis has none, nor has a text that lies too far from any name of ICD-10.

    Raises
    ------
    InputError
        For codes of the first k that the tree lacks, or of two revisions.
    """
    codes, texts = lists.cells("icd10", k)
    reference_cells = lists.reference_more.get("icd10", [()] * len(lists.cases))
    places = _places(lists, codes, texts, reference_cells)
    nodes_of = nodes_of_cells(places, tree, icd_source, lists.source)
    providers = providers_of(matcher)

    def mapped(wanted: Sequence[str]) -> tuple[Nodes, How]:
        if providers is None or not wanted:
            return np.full(len(wanted), -1, np.int32), np.full(len(wanted), NONE)
        return _nodes_of_texts(wanted, providers.icd_index(icd_source, SHIPPED), providers.naming)

    top, at = lists.top(k), lists.places(k)
    table = padded([*(nodes_of[text] for text in texts), ()])
    predicted = np.where(top[..., None] >= 0, table[codes[at]], np.int32(-1))
    how = np.where(predicted[..., 0] >= 0, _COLUMN, NONE)
    open_ = (top >= 0) & (how == NONE)
    used = np.unique(top[open_])
    nodes, ways = mapped([lists.strings[i] for i in used.tolist()])
    where = np.searchsorted(used, top[open_])
    predicted[open_, 0], how[open_] = nodes[where], ways[where]

    reference, reference_how = _references(lists.reference, reference_cells, nodes_of, mapped)
    return IcdLists(lists.raters, predicted, reference, np.where(top >= 0, how, -1), reference_how)


def shared_icd_lists(lists: Lists, context: Context) -> IcdLists:
    """`icd_lists` of the context's M and tree, as far down as `icd_depth`; computed by the first family that needs it."""
    if "icd_lists" not in context.made:
        tree, _ = opened(context.icd_source)
        depth = icd_depth(lists, context)
        context.made["icd_lists"] = icd_lists(lists, depth, context.matcher, tree, context.icd_source)
    return context.made["icd_lists"]


def icd_depth(lists: Lists, context: Context) -> int:
    """How many ranks have their codes looked up: `depth_of`, and whole lists for HDF1 as far as memory is bounded."""
    depth = depth_of(lists, context)
    if context.k_of("hierarchical") is not None:
        return depth
    return max(depth, min(int(lists.lengths.max(initial=0)), _MOST_CELLS // max(1, lists.lengths.size)))


def _places(
    lists: Lists, codes: NDArray[np.int64], texts: list[str], reference_cells: Iterable[tuple[Cell, ...]]
) -> dict[str, Place]:
    """Each text of a cell, with the first row that holds it."""
    first = np.full(len(texts) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, codes, lists.rows)
    places = {text: Place(int(row), "icd10") for text, row in zip(texts, first[:-1].tolist(), strict=True)}
    for cells in reference_cells:
        for text, row in cells:
            if text and text not in places:
                places[text] = Place(row, "icd10 of the reference")
    return places


def _nodes_of_texts(texts: Sequence[str], index: IcdIndex, naming: Naming) -> tuple[Nodes, How]:
    """What is denied or not understood has no code."""
    looked_up = naming.to_code(texts)
    unique = list(dict.fromkeys(one.name for one in looked_up))
    found = index.assign(unique)
    place = {name: i for i, name in enumerate(unique)}
    order = np.array([place[one.name] for one in looked_up])
    none = np.array([one.no_code is not None for one in looked_up])
    return np.where(none, -1, found.nodes[order]).astype(np.int32), np.where(none, UNMAPPED, found.how[order])


def _references(
    references: Sequence[tuple[str, ...]],
    cells: Sequence[tuple[Cell, ...]],
    nodes_of: Mapping[str, tuple[int, ...]],
    mapped: Callable[[Sequence[str]], tuple[Nodes, How]],
) -> tuple[Nodes, How]:
    """The nodes of each case's reference, and how each reference diagnosis came to its own."""
    wanted: dict[str, int] = {}
    given: list[list[tuple[int, ...]]] = []
    open_: list[list[str]] = []
    for texts, said in zip(references, cells, strict=True):
        values = [nodes_of[cell.value] if cell.value else () for cell in said]
        given.append([nodes for nodes in values if nodes])
        # without a cell for each diagnosis, the codes are of the case as a whole
        paired = len(values) == len(texts)
        blank = [text for text, nodes in zip(texts, values, strict=True) if not nodes] if paired else list(texts)
        open_.append(blank if paired or not given[-1] else [])
        for text in open_[-1]:
            wanted.setdefault(text, len(wanted))
    nodes, ways = mapped(list(wanted))
    rows, how = [], []
    for codes, texts in zip(given, open_, strict=True):
        at = [wanted[text] for text in texts]
        found = [int(nodes[i]) for i in at if nodes[i] >= 0]
        rows.append((*(node for some in codes for node in some), *found))
        how += [_COLUMN] * len(codes) + [int(ways[i]) for i in at]
    return padded(rows), np.array(how, np.int64)


def _coded(who: str, how: How) -> Row:
    none = int(np.isin(how, (NONE, UNMAPPED)).sum())
    share = none / len(how) if len(how) else None
    return {"algorithm": who, "diagnoses": len(how), "without_code": none, "share_without_code": share}


def _told(what: str, how: How) -> str:
    ways = [f"{count:,} {words}" for way, words in _BY.items() if (count := int((how == way).sum()))]
    return f"ICD-10 codes of {len(how):,} {what}: {', '.join(ways) or 'none'}."
