"""Lists in the long form: one row for each case, rater and rank."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ....files.tables import Table

REQUIRED = ("case_id", "rater", "rank", "diagnosis")
MORE = ("icd10", "severity", "relation", "category")
OF_THE_REFERENCE = ("reference", "reference_icd10", "reference_severity")
COLUMNS = (*REQUIRED, "role", *OF_THE_REFERENCE, *MORE)


@dataclass(frozen=True)
class Long:
    """table : the rows. names : our name of a column -> the table's.

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
