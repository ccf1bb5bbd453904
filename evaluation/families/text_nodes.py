"""Texts of diagnoses -> nodes of ICD-10: by the table of codes, by a language model's picks, or by M's own mapping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import quoted
from ...features.providers import SHIPPED, Providers
from ...files.counted import counted
from ...terms.icd.ancestor_sets import Nodes
from ...terms.icd.codes import nodes_of_cells, padded
from ...terms.icd.index import CODE, DIRECT, HOW, NEAREST, NONE, UNMAPPED, IcdIndex
from ...terms.icd.naming import Naming
from ...terms.icd.tree import IcdTree
from ..lists.text_codes import CodeTable, TextCodes

How = NDArray[np.integer]
_FIRST = len(HOW)
COLUMN, IN_TABLE, NO_CODE_IN_TABLE, PICKED, UNSCORED = range(_FIRST, _FIRST + 5)
WITHOUT = (NONE, UNMAPPED, NO_CODE_IN_TABLE, UNSCORED)
"""The ways that end without a code."""
BY = {
    COLUMN: "by the codes given", IN_TABLE: "by the table of codes", DIRECT: "by name", CODE: "as a code",
    PICKED: "by a language model's pick", NEAREST: "by the nearest name",
    UNMAPPED: "unmapped (denied, not understood, or no name is near enough)",
    NO_CODE_IN_TABLE: "without a code in the table of codes", UNSCORED: "without a usable pick", NONE: "not at all",
}  # fmt: skip
"""Way -> its words, in the order in which they are told."""
_WAYS = {**{name: way for way, name in enumerate(HOW)}, "picked": PICKED, "unscored": UNSCORED}
_SHOWN = 3


@dataclass(frozen=True)
class TextNodes:
    """nodes : int32 [m, c], of each text; -1 fills. how : int [m], one of `BY`. warnings : what stands above the figures."""

    nodes: Nodes
    how: How
    warnings: tuple[str, ...] = ()


def providers_of(matcher: object) -> Providers | None:
    """What maps text to ICD-10 behind M; None where M has no such thing."""
    providers = getattr(matcher, "providers", None)
    return providers if isinstance(providers, Providers) and SHIPPED in providers.encoders else None


def nodes_of_texts(
    texts: Sequence[str], codes: TextCodes, matcher: object, tree: IcdTree, icd_source: str
) -> TextNodes:
    """First by the table; what is not in it by `codes.mapping`, else by M's own mapping; without either it has none.

    Raises
    ------
    InputError
        For codes of the table that the tree lacks.
    """
    rows: list[tuple[int, ...]] = [()] * len(texts)
    how = np.full(len(texts), NONE)
    cells = [None if codes.table is None else codes.table.cell(text) for text in texts]
    if codes.table is not None:
        of_cell = nodes_of_cells(
            {cell: codes.table.places[text] for text, cell in reversed(list(codes.table.cells.items())) if cell},
            tree, icd_source, codes.table.source,
        )  # fmt: skip
        for i, cell in enumerate(cells):
            if cell is not None:
                rows[i], how[i] = of_cell.get(cell, ()), IN_TABLE if cell else NO_CODE_IN_TABLE
    open_ = [i for i, cell in enumerate(cells) if cell is None]
    providers = providers_of(matcher)
    others = [texts[i] for i in open_]
    by = ""
    if others and codes.mapping is not None:
        by = codes.by
        for i, one in zip(open_, codes.mapping(others), strict=True):
            rows[i] = () if one.icd10 is None else (tree.node(one.icd10),)
            how[i] = _WAYS[one.how]
    elif others and providers is not None:
        by = "the mapping of the match function"
        index = providers.icd_index(icd_source, SHIPPED, sections=True)
        nodes, how[open_] = _mapped(others, index, providers.naming)
        for i, node in zip(open_, nodes.tolist(), strict=True):
            rows[i] = (node,) if node >= 0 else ()
    return TextNodes(padded(rows), how, _warnings(codes.table, others, len(texts), by))


def _mapped(texts: Sequence[str], index: IcdIndex, naming: Naming) -> tuple[Nodes, How]:
    """What is denied or not understood has no code."""
    looked_up = naming.to_code(texts)
    unique = list(dict.fromkeys(one.name for one in looked_up))
    found = index.assign(unique)
    place = {name: i for i, name in enumerate(unique)}
    order = np.array([place[one.name] for one in looked_up])
    none = np.array([one.no_code is not None for one in looked_up])
    return np.where(none, -1, found.nodes[order]).astype(np.int32), np.where(none, UNMAPPED, found.how[order])


def _warnings(table: CodeTable | None, others: Sequence[str], n: int, by: str) -> tuple[str, ...]:
    if table is None or not others:
        return ()
    shown = ", ".join(map(quoted, others[:_SHOWN])) + (" …" if len(others) > _SHOWN else "")
    what = f"have their codes by {by}" if by else "have no code"
    return (
        f"{len(others):,} of {counted(n, 'different diagnosis', 'different diagnoses')} are not in the table of codes "
        f"({table.source}) and {what}: {shown}.",
    )
