"""Lists in the long form: one row for each case, rater and rank."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...files.tables import Table

REQUIRED = ("case_id", "rater", "rank", "diagnosis")
MORE = ("icd10", "severity", "relation", "category")
FINAL, FINAL_ICD10 = "final", "final_icd10"
OF_THE_REFERENCE = ("reference", "reference_icd10", "reference_severity", FINAL, FINAL_ICD10)
MODEL_GROUP = "model_group"
"""The group that a model belongs to, the same in all of its rows: proprietary, open."""
COLUMNS = (*REQUIRED, "role", *OF_THE_REFERENCE, *MORE, MODEL_GROUP)


@dataclass(frozen=True)
class Long:
    """table : the rows. names : our name of a column -> the table's.

    cells : where lists stood in cells, int32 [rows] and names: the column of the user's table that a row is of (-1 for none).
    guessed : the shape was told from names and cells alone.
    columns : all of the user's own, those of right answers that are kept apart too; () where there was no table.
    own : our name of a column -> the user's, where the rows are not those of his table.
    sheets : which sheet of a workbook was read, where there are others, in a sentence.
    twice : the first row of a list whose case stands a second time -> the error.

    recognised : in one line, what the input was read as; "" where nothing is worth a word.
    warnings : what belongs above the figures.
    unread : rows that stand for no list at all -> the answer that none could be read from, or None where there was no answer.
        Such a row, and one that stands for an empty list, has neither rank nor diagnosis.
    unread_is_empty : whether such an answer is an empty list even where missing lists are out of a rater's figures.
    in_words : the first row of a list that was read from an answer in words -> that answer, and all of `unread`.
    """

    table: Table
    names: Mapping[str, str]
    recognised: str = ""
    warnings: tuple[str, ...] = ()
    unread: Mapping[int, str | None] = field(default_factory=dict)
    unread_is_empty: bool = False
    cells: tuple[NDArray[np.int32], list[str]] | None = None
    guessed: bool = False
    columns: tuple[str, ...] = ()
    own: Mapping[str, str] = field(default_factory=dict)
    sheets: str = ""
    twice: Mapping[int, InputError] = field(default_factory=dict)
    in_words: Mapping[int, str] = field(default_factory=dict)

    def column_of(self, column: str, row: int) -> str:
        """What the column of a cell is called in the user's own table."""
        ours = next((ours for ours, name in self.names.items() if name == column), column)
        if ours in self.own:
            return self.own[ours]
        if self.cells is None or ours not in ("rater", "rank", "diagnosis"):
            return column
        codes, names = self.cells
        return names[codes[row]] if codes[row] >= 0 else column
