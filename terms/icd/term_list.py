"""A list of one's own terms as a code system: a table with a column of terms, and perhaps `code` and `parent`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import InputError
from .tree import CATEGORY, IcdTree

if TYPE_CHECKING:
    from ...files.table import Table

CODE, PARENT = "code", "parent"


def list_tree(table: Table, source: str) -> IcdTree:
    """The tree of a list of terms.

    Without codes each different term is its own. Several rows of one code are synonyms: the first is its title. A parent is a code of the list;
    the first row of a code that has one says it. Rows without a term and a code are left out.

    Raises
    ------
    InputError
        Where no column holds terms, a code has no term, a parent is no code of the list or leads round in a circle, or no term is there.
    """
    from ...files.table import TERMS, term_column

    given = {name.casefold(): name for name in reversed(table.names)}
    others = [name for name in table.names if name.casefold() not in (CODE, PARENT)]
    column = others[0] if len(others) == 1 and others[0].casefold() not in TERMS else term_column(table)
    terms = table.text(column).to_pylist()
    codes = table.text(given[CODE]).to_pylist() if CODE in given else terms
    parents = table.text(given[PARENT]).to_pylist() if PARENT in given else [None] * len(terms)
    names: dict[str, list[str]] = {}
    parent_of: dict[str, tuple[str, int]] = {}
    for row, (term, code, parent) in enumerate(zip(terms, codes, parents, strict=True)):
        if not term:
            if code:
                raise table.error("the diagnosis is blank", row, column, allowed="a diagnosis in words")
            continue
        known = names.setdefault(code or term, [])
        if term not in known:
            known.append(term)
        if parent and parent != code:
            parent_of.setdefault(code or term, (parent, row))
    if not names:
        raise InputError("no terms", source=table.source, column=column, allowed="at least one")
    for parent, row in parent_of.values():
        if parent not in names:
            raise table.error("an unknown parent", row, given[PARENT], allowed="a code of this list", got=parent)
    order = _parents_first(table, list(names), parent_of, given.get(PARENT, PARENT))
    number = {code: node for node, code in enumerate(order)}
    synonyms = [(node, term) for node, code in enumerate(order) for term in names[code][1:]]
    return IcdTree(
        order,
        [names[code][0] for code in order],
        np.full(len(order), CATEGORY, np.uint8),
        np.array([number[parent_of[code][0]] if code in parent_of else -1 for code in order], np.int32),
        [term for _, term in synonyms],
        np.array([node for node, _ in synonyms], np.int32),
        source,
    )


def _parents_first(table: Table, codes: list[str], parent_of: dict[str, tuple[str, int]], column: str) -> list[str]:
    order: dict[str, None] = {}
    for code in codes:
        way: dict[str, None] = {}
        while code not in order:
            if code in way:
                got = " -> ".join([*way, code])
                raise table.error("a parent that leads round in a circle", parent_of[code][1], column, got=got)
            way[code] = None
            if code not in parent_of:
                break
            code = parent_of[code][0]
        order.update(dict.fromkeys(reversed(way)))
    return list(order)
