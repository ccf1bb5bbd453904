"""A user's own tree: a CSV with the columns code, name and parent (blank for a root), in any order of rows."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from functools import partial
from pathlib import Path

import numpy as np

from ...errors import InputError
from ...files.limits import MAX_CHARACTERS
from .tree import BLOCK, CATEGORY, CHAPTER, DASHES, EXTENSION, SUBCATEGORY, IcdTree, code_key, nearest_codes

COLUMNS = ("code", "name", "parent")
_CATEGORY = re.compile(r"[A-Z]\d[0-9A-Z]")
_BELOW = re.compile(r"[A-Z]\d[0-9A-Z][0-9A-Z]{1,4}")


def read_csv_tree(path: Path) -> IcdTree:
    """Read and check a user's tree.

    The kind of a node follows from its code: "I21" is a category, "I21.0" a subcategory, seven characters an extension,
    anything else a block, or a chapter where it has no parent. Columns beyond the three are not looked at.

    Raises
    ------
    InputError
        With the row (the header is row 1), for text that is not UTF-8, a missing column, a row with too few or too many
        cells, a blank code or name, a code given twice, an unknown parent, a cycle, a subcategory that does not lie under
        its own category, and a file without any category.
    """
    data = path.read_bytes()
    wrong = partial(InputError, source=str(path))
    rows = _rows(path, data)
    first_row: dict[str, int] = {}
    for row, (code, _, _) in enumerate(rows, 2):
        key = code_key(code)
        if key in first_row:
            problem = f"a code given twice, first in row {first_row[key]}"
            raise wrong(problem, row=row, column="code", allowed="each code once", got=code)
        first_row[key] = row
    order, parents = _tree_order(path, rows, first_row)
    codes = [rows[i][0] for i in order]
    kinds = [_kind(code, parent) for code, parent in zip(codes, parents, strict=True)]
    _check_categories(path, codes, kinds, parents, order)
    return IcdTree(
        codes,
        [rows[i][1] for i in order],
        np.array(kinds, np.uint8),
        np.array(parents, np.int32),
        [],
        np.zeros(0, np.int32),
        f"{path.name} sha256:{hashlib.sha256(data).hexdigest()}",
    )


def _rows(path: Path, data: bytes) -> list[tuple[str, str, str]]:
    wrong = partial(InputError, source=str(path))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise wrong("text that is not UTF-8", row=row, got=data[error.start : error.start + 8]) from error
    if "\0" in text:
        row = text.count("\n", 0, text.index("\0")) + 1
        raise wrong("a NUL character", row=row, allowed="text")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[tuple[str, str, str]] = []
    row = 0
    try:
        header = [name.strip() for name in next(reader, [])]
        if not header:
            raise wrong("an empty file", allowed="a header and at least one row")
        row = 1
        for column in COLUMNS:
            if header.count(column) != 1:
                problem = "a column given twice" if column in header else "a missing column"
                raise wrong(problem, column=column, allowed=", ".join(COLUMNS), got=", ".join(header))
        where = [header.index(column) for column in COLUMNS]
        for row, cells in enumerate(reader, 2):
            if not cells:
                raise wrong("a blank row", row=row, allowed="one code per row")
            if len(cells) != len(header):
                raise wrong("a row of another length", row=row, allowed=f"{len(header)} cells", got=len(cells))
            code, name, parent = (cells[i].strip() for i in where)
            for column, value in (("code", code_key(code)), ("name", name)):
                if not value:
                    raise wrong(f"a blank {column}", row=row, column=column, allowed=f"a {column}")
            if len(name) > MAX_CHARACTERS:
                limit = f"at most {MAX_CHARACTERS:,} characters"
                raise wrong(f"a name of {len(name):,} characters", row=row, column="name", allowed=limit)
            rows.append((code, name, parent))
    except csv.Error as error:
        raise wrong(f"not a CSV ({error})", row=row + 1) from error
    if not rows:
        raise wrong("an empty file", allowed="a header and at least one row")
    return rows


def _tree_order(path: Path, rows: list[tuple[str, str, str]], first_row: dict[str, int]) -> tuple[list[int], list[int]]:
    """The rows with parents first, and per node the number of its parent."""
    wrong = partial(InputError, source=str(path))
    children: dict[str, list[int]] = {}
    for i, (_, _, parent) in enumerate(rows):
        key = code_key(parent)
        if parent and key not in first_row:
            allowed = f"a code of this file, such as {', '.join(nearest_codes(parent, [code for code, _, _ in rows]))}"
            raise wrong("an unknown parent", row=i + 2, column="parent", allowed=allowed, got=parent)
        children.setdefault(key, []).append(i)
    order: list[int] = []
    parents: list[int] = []
    waiting = [(i, -1) for i in reversed(children.get("", []))]
    while waiting:
        i, parent = waiting.pop()
        waiting += [(child, len(order)) for child in reversed(children.get(code_key(rows[i][0]), []))]
        order.append(i)
        parents.append(parent)
    if len(order) < len(rows):
        i = min(set(range(len(rows))) - set(order))
        path_up = [rows[i][0]]
        seen = {code_key(rows[i][0])}
        while code_key(up := rows[first_row[code_key(path_up[-1])] - 2][2]) not in seen:
            path_up.append(up)
            seen.add(code_key(up))
        chain = " -> ".join([*path_up, up])
        raise wrong("a parent that leads to no root, but in a cycle", row=i + 2, column="parent", got=chain)
    return order, parents


def _kind(code: str, parent: int) -> int:
    key = code_key(code)
    if _CATEGORY.fullmatch(key):
        return CATEGORY
    if _BELOW.fullmatch(key) and not set(code) & set(DASHES):
        return EXTENSION if len(key) == 7 else SUBCATEGORY
    return CHAPTER if parent < 0 else BLOCK


def _check_categories(path: Path, codes: list[str], kinds: list[int], parents: list[int], order: list[int]) -> None:
    wrong = partial(InputError, source=str(path))
    if CATEGORY not in kinds:
        raise wrong("a tree without categories", column="code", allowed="codes such as I21 and I21.0")
    category = [""] * len(codes)
    for node, (code, kind, parent) in enumerate(zip(codes, kinds, parents, strict=True)):
        if kind == CATEGORY:
            category[node] = code_key(code)
        elif kind in (SUBCATEGORY, EXTENSION):
            category[node] = category[parent] if parent >= 0 else ""
            if category[node] != code_key(code)[:3]:
                problem = "a subcategory that does not lie under its category"
                allowed = f"a parent under {code_key(code)[:3]}"
                raise wrong(problem, row=order[node] + 2, column="parent", allowed=allowed, got=code)
