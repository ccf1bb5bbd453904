"""Codes as people write them in a table -> nodes of one ICD-10 tree, and its chapters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, quoted
from .sources import WRITTEN, open_tree
from .tree import IcdTree, nearest_codes

_BETWEEN_CODES = re.compile(r"[;|]")
_OTHER = {"icd10cm": "icd10", "icd10": "icd10cm"}
Nodes = NDArray[np.int32]


class Place(NamedTuple):
    """Where a cell stands, for errors."""

    row: int
    column: str
    source: str = ""


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

    Parameters
    ----------
    cells : each text once, with the first place that holds it.
    tree : of `icd_source`.
    table : for errors.

    Raises
    ------
    InputError
        For a code that the tree lacks, with the nearest that it has; and where some codes are of ICD-10-CM alone and
        others of WHO's ICD-10 alone.
    """
    # By their places: where there are several, the first is reported.
    by_place = sorted(cells.items(), key=lambda one: one[1])
    written = [(place, code) for cell, place in by_place for code in codes_of_cell(cell)]
    if unknown := [one for one in written if tree.find(one[1]) < 0]:
        raise _refused(written, unknown, tree, icd_source, table)
    return {cell: tuple(tree.find(code) for code in codes_of_cell(cell)) for cell in cells}


_Written = list[tuple[Place, str]]


def _refused(written: _Written, unknown: _Written, tree: IcdTree, icd_source: str, table: str | None) -> InputError:
    def error(problem: str, one: tuple[Place, str], **details: Any) -> InputError:
        return InputError(problem, source=one[0].source or table, row=one[0].row, column=one[0].column, **details)

    if icd_source in _OTHER:
        other, mine, its = open_tree(_OTHER[icd_source]), WRITTEN[icd_source], WRITTEN[_OTHER[icd_source]]
        theirs = next((one for one in unknown if other.find(one[1]) >= 0), None)
        ours = next((one for one in written if tree.find(one[1]) >= 0 > other.find(one[1])), None)
        if theirs is not None and ours is not None:
            (row, column, _), code = ours
            problem = (
                f"{quoted(theirs[1])} is in {its} only, {quoted(code)} (row {row}, column {column!r}) in {mine} only"
            )
            return error(f"codes of two revisions: {problem}", theirs, allowed="codes of one revision")
        if theirs is not None:
            reads = f"the option 'tree' ({_OTHER[icd_source]}) reads it"
            return error(f"the code is in {its} only", theirs, got=theirs[1], allowed=f"codes of {mine}", remedy=reads)
    near = ", ".join(nearest_codes(unknown[0][1], tree.codes))
    allowed = f"a code of {tree.source}, such as {near}; several apart by ; or |"
    more = "" if len(unknown) == 1 else f", the first of {len(unknown):,}"
    return error(f"an unknown ICD-10 code{more}", unknown[0], got=unknown[0][1], allowed=allowed)


def padded(rows: Iterable[tuple[int, ...]]) -> NDArray[np.int32]:
    """int32 [rows, longest], at least one wide: the nodes of each row, then -1."""
    listed = list(rows)
    out = np.full((len(listed), max(map(len, listed), default=0) or 1), -1, np.int32)
    lengths = np.fromiter(map(len, listed), np.int64, len(listed))
    out[np.arange(out.shape[1]) < lengths[:, None]] = [node for row in listed for node in row]
    return out


def hierarchy(source: str) -> IcdTree:
    """The tree of `source`. Errors: `InputError` for a list of terms."""
    tree = open_tree(source)
    if (tree.parents < 0).all():
        raise InputError("a list of terms, and no tree", source=source, allowed="codes with a column 'parent'")
    return tree
