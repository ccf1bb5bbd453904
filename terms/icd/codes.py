"""Codes as people write them in a table -> nodes of one ICD-10 tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...features.levenshtein import normalized_levenshtein
from .sources import open_tree
from .tree import IcdTree, code_key

_BETWEEN_CODES = re.compile(r"[;|]")
_TITLES = {"icd10cm": "ICD-10-CM", "icd10": "WHO's ICD-10"}
_OTHER = {"icd10cm": "icd10", "icd10": "icd10cm"}


class Place(NamedTuple):
    """Where a cell stands, for errors."""

    row: int
    column: str


class _Code(NamedTuple):
    code: str
    place: Place


def codes_of_cell(cell: str) -> list[str]:
    """The codes of a cell, apart by ; or |, each once.

    >>> codes_of_cell("J40; C34.9|J40")
    ['J40', 'C34.9']
    """
    return list(dict.fromkeys(code for part in _BETWEEN_CODES.split(cell) if (code := part.strip())))


def nodes_of_cells(
    cells: Mapping[str, Place], tree: IcdTree, icd_source: str, table: str | None = None
) -> dict[str, tuple[int, ...]]:
    """The nodes of each cell.

    cells : each text once, with the first place that holds it. tree : of `icd_source`. table : for errors.
    Errors: `InputError` for a code that the tree lacks, with the nearest that it has; and where some codes are of
    ICD-10-CM alone and others of WHO's ICD-10 alone.
    """
    nodes: dict[str, tuple[int, ...]] = {}
    known: list[_Code] = []
    unknown: list[_Code] = []
    for cell, place in cells.items():
        codes = codes_of_cell(cell)
        nodes[cell] = tuple(tree.find(code) for code in codes)
        for code, node in zip(codes, nodes[cell], strict=True):
            (known if node >= 0 else unknown).append(_Code(code, place))
    if unknown:
        raise _refused(known, unknown, tree, icd_source, table)
    return nodes


def _refused(
    known: Iterable[_Code], unknown: Iterable[_Code], tree: IcdTree, icd_source: str, table: str | None
) -> InputError:
    def first(codes: Iterable[_Code]) -> _Code | None:
        return min(codes, key=lambda one: one.place, default=None)

    if icd_source in _OTHER:
        other = open_tree(_OTHER[icd_source])
        theirs = first(one for one in unknown if other.find(one.code) >= 0)
        ours = first(one for one in known if other.find(one.code) < 0)
        mine, its = _TITLES[icd_source], _TITLES[_OTHER[icd_source]]
        if theirs is not None and ours is not None:
            return InputError(
                f"codes of two revisions: {theirs.code!r} is in {its} only, "
                f"{ours.code!r} (row {ours.place.row}, column {ours.place.column!r}) in {mine} only",
                source=table, row=theirs.place.row, column=theirs.place.column, allowed="codes of one revision",
            )  # fmt: skip
        if theirs is not None:
            return InputError(
                f"the code is in {its} only",
                source=table, row=theirs.place.row, column=theirs.place.column, got=theirs.code,
                allowed=f"codes of {mine}, or icd_source={_OTHER[icd_source]!r}",
            )  # fmt: skip
    code, place = first(unknown) or next(iter(unknown))
    return InputError(
        "an unknown ICD-10 code", source=table, row=place.row, column=place.column, got=code,
        allowed=f"a code of {tree.source}, such as {', '.join(nearest_codes(tree, code))}; several apart by ; or |",
    )  # fmt: skip


def nearest_codes(tree: IcdTree, code: str, n: int = 3) -> list[str]:
    """The `n` codes of the fewest edits; of equals, those that begin alike for longest."""
    key = code_key(code)
    keys = [code_key(known) for known in tree.codes]
    share = np.empty(len(keys), np.float32)
    normalized_levenshtein([key, *keys], np.zeros(len(keys), np.int32), np.arange(1, len(keys) + 1, dtype=np.int32), share)
    edits = np.rint(share * np.maximum([len(known) for known in keys], len(key)))
    enough = min(2 * n, len(keys)) - 1  # a block and its category may share a code
    few = np.flatnonzero(edits <= np.partition(edits, enough)[enough])
    few = sorted(few.tolist(), key=lambda i: (edits[i], -_shared_beginning(key, keys[i]), i))
    return list(dict.fromkeys(tree.codes[i] for i in few))[:n]


def _shared_beginning(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (x, y) in pairs if x != y), min(len(one), len(other)))


def padded(rows: Iterable[tuple[int, ...]]) -> NDArray[np.int32]:
    """int32 [rows, longest], at least one wide: the nodes of each row, then -1."""
    listed = list(rows)
    out = np.full((len(listed), max(map(len, listed), default=0) or 1), -1, np.int32)
    lengths = np.fromiter(map(len, listed), np.int64, len(listed))
    out[np.arange(out.shape[1]) < lengths[:, None]] = [node for row in listed for node in row]
    return out
