"""The right ICD-10 codes of diagnoses: a column of their table, or a table of its own."""

from __future__ import annotations

import os
from typing import Any

from ..errors import InputError, plain
from ..files.pair_labels import conflicts
from ..files.tables import Table, read_table
from ..files.wording import hint
from ..terms.icd.codes import Place, nodes_of_cells
from ..terms.icd.tree import IcdTree
from .icd_strings import is_path

CODE = "icd10"
"""The column of the codes in a table of its own."""

Gold = list[tuple[int, ...]]
"""Of each row, the nodes that are right; empty where none is given."""


def gold_of(table: Table, gold: Any, column: str, tree: IcdTree, icd_source: str, encoding: str | None) -> Gold:
    """The right nodes of each row of `table`.

    Parameters
    ----------
    gold : a column of `table`, or a table (file, frame, list of dicts or dict of columns) with the diagnoses in `column` and their
        codes in "icd10". Several codes stand apart by ; or |: each of them is right.

    Raises
    ------
    InputError
        For a code that the tree lacks, with its row; for a diagnosis with two different codes in a table of its own; where no
        diagnosis has a code; for neither a column nor a table.
    """
    if isinstance(gold, str) and gold in table.names:
        right = _cells(table, gold, tree, icd_source)
    elif isinstance(gold, str) and not is_path(gold):
        problem = f"no such column of right codes{hint(gold, table.names)}"
        raise InputError(
            problem, source=table.source, allowed=f"one of {', '.join(map(plain, table.names))}, or a table", got=gold
        )
    else:
        by_text = _by_text(read_table(gold, encoding), column, tree, icd_source)
        right = [by_text.get(text, ()) for text in table.required_text(column).to_pylist()]
    if not any(right):
        source = table.source if isinstance(gold, str) and gold in table.names else _named(gold)
        raise InputError("no diagnosis has a right code", source=source, allowed="codes such as I21.9")
    return right


def _cells(table: Table, column: str, tree: IcdTree, icd_source: str) -> Gold:
    cells = table.text(column).to_pylist()
    places: dict[str, Place] = {}
    for row, cell in enumerate(cells):
        if cell is not None:
            places.setdefault(cell, Place(table.row_number(row), column))
    nodes = nodes_of_cells(places, tree, icd_source, table.source)
    return [() if cell is None else nodes[cell] for cell in cells]


def _by_text(table: Table, column: str, tree: IcdTree, icd_source: str) -> dict[str, tuple[int, ...]]:
    table.require(column, "a diagnosis", option="column")
    table.require(CODE, "its right code")
    texts, right = table.required_text(column).to_pylist(), _cells(table, CODE, tree, icd_source)
    said = {row: (text, nodes) for row, (text, nodes) in enumerate(zip(texts, right, strict=True)) if nodes}
    for text, rows in conflicts(said):
        first = table.row_number(rows[0])
        other = next(row for row in rows if said[row][1] != said[rows[0]][1])
        raise table.error(
            f"a diagnosis with two right codes, the first in row {first}", other, CODE,
            allowed="one cell for each diagnosis; several codes in it apart by ; or |", got=text,
        )  # fmt: skip
    return dict(said.values())


def _named(gold: Any) -> str:
    return os.fspath(gold) if isinstance(gold, str | os.PathLike) else "gold"
