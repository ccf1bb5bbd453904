"""A user's own codes: a tree of ICD-10's with the columns code, name and parent (blank for a root), or a list of terms of one's own."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...errors import InputError
from ...files.limits import MAX_CHARACTERS
from .tree import BLOCK, CATEGORY, CHAPTER, DASHES, EXTENSION, SUBCATEGORY, IcdTree, code_key, nearest_codes

if TYPE_CHECKING:
    from ...files.tables import Table

COLUMNS = ("code", "name", "parent")
_CATEGORY = re.compile(r"[A-Z]\d[0-9A-Z]")
_BELOW = re.compile(r"[A-Z]\d[0-9A-Z][0-9A-Z]{1,4}")


class _Entry(NamedTuple):
    """names : the title, then synonyms. parent : as it is written in `row`, "" for a root."""

    code: str
    names: list[str]
    parent: str
    row: int


def read_csv_tree(path: Path, source: str) -> IcdTree:
    """Read and check a user's own codes, in any order of rows. source : the name of the tree.

    With the columns code, name and parent it is a tree of ICD-10's: the kind of a node follows from its code: "I21" is a category,
    "I21.0" a subcategory, seven characters an extension, anything else a block, or a chapter where it has no parent. Columns beyond
    the three are not looked at.

    Else it is a list of terms, with a column of terms and perhaps `code` and `parent`. Without codes each different term is its own.
    Several rows of one code are synonyms: the first is its title. A parent is a code of the list; the first row of a code that has one
    says it. Rows without a term and a code are left out.

    Raises
    ------
    InputError
        As `read_table`; with the row (the header is row 1), for an unknown parent and a cycle. In a tree, for a blank code or name, a
        code given twice, a subcategory that does not lie under its own category, and a file without any category. In a list,
        where no column holds terms, a code has no term, or no term is there.
    """
    from ...files.tables import read_table

    table = read_table(path)
    is_tree = set(COLUMNS) <= set(table.names)
    if is_tree:
        order, parents = _in_order(table, _of_tree(table), "parent", code_key)
        kinds = [_kind(one.code, parent) for one, parent in zip(order, parents, strict=True)]
        _check_categories(table, order, kinds, parents)
    else:
        given = {name.casefold(): name for name in reversed(table.names)}
        order, parents = _in_order(table, _of_list(table, given), given.get("parent", ""), str)
        kinds = [CATEGORY] * len(order)
    synonyms = [(node, name) for node, one in enumerate(order) for name in one.names[1:]]
    return IcdTree(
        [one.code for one in order], [one.names[0] for one in order], np.array(kinds, np.uint8), np.array(parents, np.int32),
        [name for _, name in synonyms], np.array([node for node, _ in synonyms], np.int32), source,
    )  # fmt: skip


def _of_tree(table: Table) -> dict[str, _Entry]:
    """The entry of each code's key."""
    entries: dict[str, _Entry] = {}
    columns = (table.text(column).to_pylist() for column in COLUMNS)
    for row, (code, name, parent) in enumerate(zip(*columns, strict=True)):
        for column, value in (("code", code and code_key(code)), ("name", name)):
            if not value:
                raise table.error(f"a blank {column}", row, column, allowed=f"a {column}")
        if "\0" in f"{code}{name}{parent}":
            raise table.error("a NUL character", row, "name", allowed="text")
        if len(name) > MAX_CHARACTERS:
            limit = f"at most {MAX_CHARACTERS:,} characters"
            raise table.error(f"a name of {len(name):,} characters", row, "name", allowed=limit)
        if (first := entries.setdefault(code_key(code), _Entry(code, [name], parent or "", row)).row) != row:
            problem = f"a code given twice, first in row {table.row_number(first)}"
            raise table.error(problem, row, "code", allowed="each code once", got=code)
    return entries


def _of_list(table: Table, given: dict[str, str]) -> dict[str, _Entry]:
    """The entry of each code. given : the columns by their names in small letters."""
    from ...files.table import TERMS, term_column

    others = [name for key, name in given.items() if key not in ("code", "parent")]
    column = others[0] if len(others) == 1 and others[0].casefold() not in TERMS else term_column(table)
    terms = table.text(column).to_pylist()
    codes = table.text(given["code"]).to_pylist() if "code" in given else terms
    parents = table.text(given["parent"]).to_pylist() if "parent" in given else [None] * len(terms)
    entries: dict[str, _Entry] = {}
    for row, (term, code, parent) in enumerate(zip(terms, codes, parents, strict=True)):
        if not term:
            if code:
                raise table.error("the diagnosis is blank", row, column, allowed="a diagnosis in words")
            continue
        one = entries.setdefault(code or term, _Entry(code or term, [], "", row))
        if term not in one.names:
            one.names.append(term)
        if parent and parent != code and not one.parent:
            entries[one.code] = one._replace(parent=parent, row=row)
    if not entries:
        raise InputError("no terms", source=table.source, column=column, allowed="at least one")
    return entries


def _in_order(
    table: Table, entries: dict[str, _Entry], column: str, key_of: Callable[[str], str]
) -> tuple[list[_Entry], list[int]]:
    """The entries, each with what lies below it behind it, and per node the number of its parent. column : the parents'."""
    children: dict[str, list[_Entry]] = {}
    for one in entries.values():
        if one.parent and key_of(one.parent) not in entries:
            near = ", ".join(nearest_codes(one.parent, [other.code for other in entries.values()]))
            raise table.error(
                "an unknown parent", one.row, column, allowed=f"a code of this file, such as {near}", got=one.parent
            )
        children.setdefault(key_of(one.parent), []).append(one)
    order: list[_Entry] = []
    parents: list[int] = []
    waiting = [(one, -1) for one in reversed(children.get("", []))]
    while waiting:
        one, parent = waiting.pop()
        waiting += [(child, len(order)) for child in reversed(children.get(key_of(one.code), []))]
        order.append(one)
        parents.append(parent)
    if len(order) < len(entries):
        there = {one.code for one in order}
        first = here = next(one for one in entries.values() if one.code not in there)
        way: dict[str, None] = {}
        while here.code not in way:
            way[here.code] = None
            here = entries[key_of(here.parent)]
        got = " -> ".join([*way, here.code])
        raise table.error("a parent that leads to no root, but in a cycle", first.row, column, got=got)
    return order, parents


def _kind(code: str, parent: int) -> int:
    key = code_key(code)
    if _CATEGORY.fullmatch(key):
        return CATEGORY
    if _BELOW.fullmatch(key) and not set(code) & set(DASHES):
        return EXTENSION if len(key) == 7 else SUBCATEGORY
    return CHAPTER if parent < 0 else BLOCK


def _check_categories(table: Table, order: list[_Entry], kinds: list[int], parents: list[int]) -> None:
    if CATEGORY not in kinds:
        allowed = "codes such as I21 and I21.0"
        raise InputError("a tree without categories", source=table.source, column="code", allowed=allowed)
    category: list[str] = []
    for one, kind, parent in zip(order, kinds, parents, strict=True):
        key = code_key(one.code)
        if kind in (SUBCATEGORY, EXTENSION):
            category.append(category[parent] if parent >= 0 else "")
            if category[-1] != key[:3]:
                problem = "a subcategory that does not lie under its category"
                raise table.error(problem, one.row, "parent", allowed=f"a parent under {key[:3]}", got=one.code)
        else:
            category.append(key if kind == CATEGORY else "")
