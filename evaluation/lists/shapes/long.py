"""Lists in the long form: one row for each case, rater and rank."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ....files.tables import Table

REQUIRED = ("case_id", "rater", "rank", "diagnosis")
MORE = ("icd10", "severity", "relation", "category")
OF_THE_REFERENCE = ("reference", "reference_icd10", "reference_severity")
COLUMNS = (*REQUIRED, "role", *OF_THE_REFERENCE, *MORE)


@dataclass(frozen=True)
class Long:
    """table : the rows. names : our name of a column -> the table's.

    cells : where lists stood in cells, int32 [rows] and names: the column of the user's table that a row is of (-1 for none).
    guessed : the shape was told from names and cells alone.

    recognised : in one line, what the input was read as; "" where nothing is worth a word.
    warnings : what belongs above the figures.
    unread : rows that stand for no list at all -> the answer that none could be read from, or None where there was no answer.
        Such a row, and one that stands for an empty list, has neither rank nor diagnosis.
    """

    table: Table
    names: Mapping[str, str]
    recognised: str = ""
    warnings: tuple[str, ...] = ()
    unread: Mapping[int, str | None] = field(default_factory=dict)
    cells: tuple[NDArray[np.int32], list[str]] | None = None
    guessed: bool = False

    def column_of(self, column: str, row: int) -> str:
        """What the column of a cell is called in the user's own table."""
        if self.cells is None or column not in (self.names["rank"], self.names["diagnosis"]):
            return column
        codes, names = self.cells
        return names[codes[row]] if codes[row] >= 0 else column
