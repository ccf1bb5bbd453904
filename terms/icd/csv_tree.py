"""A user's own tree: a CSV with the columns code, name and parent (blank for a root), in any order of rows."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InputError
from ...files.limits import MAX_CHARACTERS
from .term_list import list_tree
from .tree import BLOCK, CATEGORY, CHAPTER, DASHES, EXTENSION, SUBCATEGORY, IcdTree, code_key, nearest_codes

if TYPE_CHECKING:
    from ...files.tables import Table

COLUMNS = ("code", "name", "parent")
_CATEGORY = re.compile(r"[A-Z]\d[0-9A-Z]")
_BELOW = re.compile(r"[A-Z]\d[0-9A-Z][0-9A-Z]{1,4}")


def read_csv_tree(path: Path) -> IcdTree:
    """Read and check a user's tree, or a list of terms (`term_list`): what has not all three columns.

    The kind of a node follows from its code: "I21" is a category, "I21.0" a subcategory, seven characters an extension,
    anything else a block, or a chapter where it has no parent. Columns beyond the three are not looked at.

    Raises
    ------
    InputError
        As `read_table`; with the row (the header is row 1), for a blank code or name, a code given twice,
        an unknown parent, a cycle, a subcategory that does not lie under its own category, and a file without any category.
    """
    from ...files.tables import read_table

    table = read_table(path)
    source = f"{path.name} sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    if not set(COLUMNS) <= set(table.names):
        return list_tree(table, source)
    rows, row_of = _rows(table)
    order, parents = _tree_order(table, rows, row_of)
    codes = [rows[i][0] for i in order]
    kinds = [_kind(code, parent) for code, parent in zip(codes, parents, strict=True)]
    _check_categories(table, codes, kinds, parents, order)
    return IcdTree(
        codes,
        [rows[i][1] for i in order],
        np.array(kinds, np.uint8),
        np.array(parents, np.int32),
        [],
        np.zeros(0, np.int32),
        source,
    )


def _rows(table: Table) -> tuple[list[tuple[str, str, str]], dict[str, int]]:
    """Code, name and parent ("" for a root) of each row, and the row of each code's key."""
    rows: list[tuple[str, str, str]] = []
    row_of: dict[str, int] = {}
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
        if (first := row_of.setdefault(code_key(code), row)) != row:
            problem = f"a code given twice, first in row {table.row_number(first)}"
            raise table.error(problem, row, "code", allowed="each code once", got=code)
        rows.append((code, name, parent or ""))
    return rows, row_of


def _tree_order(table: Table, rows: list[tuple[str, str, str]], row_of: dict[str, int]) -> tuple[list[int], list[int]]:
    """The rows with parents first, and per node the number of its parent."""
    children: dict[str, list[int]] = {}
    for row, (_, _, parent) in enumerate(rows):
        key = code_key(parent)
        if parent and key not in row_of:
            allowed = f"a code of this file, such as {', '.join(nearest_codes(parent, [code for code, _, _ in rows]))}"
            raise table.error("an unknown parent", row, "parent", allowed=allowed, got=parent)
        children.setdefault(key, []).append(row)
    order: list[int] = []
    parents: list[int] = []
    waiting = [(row, -1) for row in reversed(children.get("", []))]
    while waiting:
        row, parent = waiting.pop()
        waiting += [(child, len(order)) for child in reversed(children.get(code_key(rows[row][0]), []))]
        order.append(row)
        parents.append(parent)
    if len(order) < len(rows):
        row = min(set(range(len(rows))) - set(order))
        way = {code_key(rows[row][0]): rows[row][0]}
        while (key := code_key(up := rows[row_of[[*way][-1]]][2])) not in way:
            way[key] = up
        got = " -> ".join([*way.values(), up])
        raise table.error("a parent that leads to no root, but in a cycle", row, "parent", got=got)
    return order, parents


def _kind(code: str, parent: int) -> int:
    key = code_key(code)
    if _CATEGORY.fullmatch(key):
        return CATEGORY
    if _BELOW.fullmatch(key) and not set(code) & set(DASHES):
        return EXTENSION if len(key) == 7 else SUBCATEGORY
    return CHAPTER if parent < 0 else BLOCK


def _check_categories(table: Table, codes: list[str], kinds: list[int], parents: list[int], order: list[int]) -> None:
    if CATEGORY not in kinds:
        allowed = "codes such as I21 and I21.0"
        raise InputError("a tree without categories", source=table.source, column="code", allowed=allowed)
    category = [""] * len(codes)
    for node, (code, kind, parent) in enumerate(zip(codes, kinds, parents, strict=True)):
        if kind == CATEGORY:
            category[node] = code_key(code)
        elif kind in (SUBCATEGORY, EXTENSION):
            category[node] = category[parent] if parent >= 0 else ""
            if category[node] != code_key(code)[:3]:
                problem = "a subcategory that does not lie under its category"
                allowed = f"a parent under {code_key(code)[:3]}"
                raise table.error(problem, order[node], "parent", allowed=allowed, got=code)
