"""Lists and references as ICD-10 nodes: by their codes, or else by the ICD mapping of their text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ...terms.icd.ancestor_sets import Nodes
from ...terms.icd.codes import Place, nodes_of_cells, padded
from ...terms.icd.index import NONE
from ...terms.icd.tree import IcdTree
from ..lists.lists import Cell, Lists, looked_up
from ..lists.text_codes import TextCodes
from ..matches.reference_matches import depth_of
from ..metrics.hierarchical import opened
from ..statistics.section import Context
from .text_nodes import BY, COLUMN, WITHOUT, How, nodes_of_texts, providers_of

_MOST_CELLS = 10_000_000
REFERENCE = "reference"
"""Stands for the rater where the rows of `IcdLists.coded` speak of the reference."""
OfCase = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class IcdLists:
    """predicted : int32 [n, r, k, c], the nodes of each diagnosis, at most c; -1 fills.

    reference : int32 [n, D], likewise.
    how : int [n, r, k], by which way a diagnosis came to its codes; -1 where none is said. reference_how : of each reference diagnosis.
    reference_nodes : for each case the nodes of each of its reference diagnoses; where codes are of the case as a whole, of these cells.
    n_strings : how many different texts the diagnoses of the lists are. warnings : sentences that belong above the figures.
    """

    raters: list[str]
    predicted: Nodes
    reference: Nodes
    how: How
    reference_how: How
    reference_nodes: Sequence[OfCase] = ()
    n_strings: int = 0
    warnings: tuple[str, ...] = field(default=(), repr=False)

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
    def counts(self) -> Row:
        """diagnoses, different strings and different codes of the lists (H-DDx, 4.3), and different codes of the references."""
        of_lists, of_references = (np.unique(nodes[nodes >= 0]) for nodes in (self.predicted, self.reference))
        return {
            "diagnoses": int((self.how >= 0).sum()),
            "strings": self.n_strings,
            "codes": len(of_lists),
            "reference_codes": len(of_references),
        }

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


def why_no_codes(lists: Lists, context: Context) -> str | None:
    """What is missing to know codes of lists and references; None where nothing is."""
    coded_reference = any(cell.value for cells in lists.reference_more.get("icd10", []) for cell in cells)
    if not coded_reference and not any(lists.reference):
        return "a reference: rows with the role reference, or a column reference or reference_icd10"
    if providers_of(context.matcher) is None and context.codes == TextCodes():
        instead = "or a match function that maps text to ICD-10, or a table of codes"
        if not lists.cells("icd10")[1]:
            return f"the column icd10 ({instead})"
        if not coded_reference:
            return f"codes of the reference: icd10 in its rows, or the column reference_icd10 ({instead})"
    return None


def icd_lists(
    lists: Lists, k: int, matcher: object, tree: IcdTree, icd_source: str, codes: TextCodes | None = None
) -> IcdLists:
    """The first k of each list, and the references.

    A diagnosis has the codes of its cell; where that is blank, those of its text: by the table of `codes`, by its mapping, or by M's
    own, if M brings one. A word for no diagnosis has none, nor has a text that lies too far from any name of ICD-10.

    Raises
    ------
    InputError
        For codes of the first k that the tree lacks, or of two revisions; and of the table.
    """
    cells, texts = lists.cells("icd10", k)
    reference_cells = lists.reference_more.get("icd10", [()] * len(lists.cases))
    nodes_of = nodes_of_cells(_places(lists, cells, texts, reference_cells), tree, icd_source, lists.source)
    top, at = lists.top(k), lists.places(k)
    table = padded([*(nodes_of[text] for text in texts), ()])
    predicted = np.where(top[..., None] >= 0, table[looked_up(cells, at)], np.int32(-1))
    how = np.where(predicted[..., 0] >= 0, COLUMN, NONE)
    open_ = (top >= 0) & (how == NONE)
    used = np.unique(top[open_])
    of_references = _references(lists.reference, reference_cells, nodes_of)
    # all texts at once: what a language model is asked, it is asked in one go
    wanted = {lists.strings[i]: place for place, i in enumerate(used.tolist())}
    for text in (one for of_case in of_references for one in of_case if isinstance(one, str)):
        wanted.setdefault(text, len(wanted))
    found = nodes_of_texts(list(wanted), codes or TextCodes(), matcher, tree, icd_source)
    width = max(predicted.shape[-1], found.nodes.shape[-1])
    predicted, nodes = (_widened(part, width) for part in (predicted, found.nodes))
    where = np.searchsorted(used, top[open_])
    predicted[open_], how[open_] = nodes[where], found.how[where]

    of_text = {text: tuple(n for n in row if n >= 0) for text, row in zip(wanted, nodes.tolist(), strict=True)}
    reference_nodes = [tuple(of_text[one] if isinstance(one, str) else one for one in of) for of in of_references]
    ways = [int(found.how[wanted[one]]) if isinstance(one, str) else COLUMN for of in of_references for one in of]
    return IcdLists(
        lists.raters,
        predicted,
        padded(tuple(node for one in of_case for node in one) for of_case in reference_nodes),
        np.where(top >= 0, how, -1),
        np.array(ways, np.int64),
        reference_nodes,
        len(np.unique(top[top >= 0])),
        found.warnings,
    )


def _widened(nodes: Nodes, width: int) -> Nodes:
    more = [(0, 0)] * (nodes.ndim - 1) + [(0, width - nodes.shape[-1])]
    return np.pad(nodes, more, constant_values=-1)


def shared_icd_lists(lists: Lists, context: Context) -> IcdLists:
    """`icd_lists` of the context's M and tree, as far down as `icd_depth`; computed by the first family that needs it."""
    if "icd_lists" not in context.made:
        tree, _ = opened(context.icd_source)
        depth = icd_depth(lists, context)
        context.made["icd_lists"] = icd_lists(lists, depth, context.matcher, tree, context.icd_source, context.codes)
    return context.made["icd_lists"]


def codes_warnings(context: Context) -> tuple[str, ...]:
    """Of the codes that an evaluation used; none where it used none."""
    found: IcdLists | None = context.made.get("icd_lists")
    return () if found is None else found.warnings


def codes_made_with(context: Context) -> dict[str, Any]:
    """`icd_counts` and `icd_codes_by`; nothing where no codes were used."""
    found: IcdLists | None = context.made.get("icd_lists")
    return {} if found is None else {"icd_counts": found.counts, "icd_codes_by": context.codes.told}


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


def _references(
    references: Sequence[tuple[str, ...]],
    cells: Sequence[tuple[Cell, ...]],
    nodes_of: Mapping[str, tuple[int, ...]],
) -> list[list[tuple[int, ...] | str]]:
    """Of each case, for each reference diagnosis the nodes of its cell, or where that is blank its text."""
    found: list[list[tuple[int, ...] | str]] = []
    for texts, said in zip(references, cells, strict=True):
        values = [nodes_of[cell.value] if cell.value else () for cell in said]
        if len(values) == len(texts):
            found.append([nodes or text for text, nodes in zip(texts, values, strict=True)])
        else:  # the codes are of the case as a whole
            found.append([nodes for nodes in values if nodes] or list(texts))
    return found


def _coded(who: str, how: How) -> Row:
    none = int(np.isin(how, WITHOUT).sum())
    share = none / len(how) if len(how) else None
    return {"algorithm": who, "diagnoses": len(how), "without_code": none, "share_without_code": share}


def _told(what: str, how: How) -> str:
    ways = [f"{count:,} {words}" for way, words in BY.items() if (count := int((how == way).sum()))]
    return f"ICD-10 codes of {len(how):,} {what}: {', '.join(ways) or 'none'}."
