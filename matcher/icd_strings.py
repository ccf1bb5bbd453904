"""The diagnoses that are mapped to ICD-10: one, a list, a series, or the column of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import narwhals as nw
import pyarrow as pa

from ..errors import InputError
from ..files.tables import Table, read_table
from ..files.wording import is_file_name
from ..files.workbook import split_sheet

_STRINGS = "strings"


@dataclass(frozen=True)
class Diagnoses:
    """The texts of a column of `table`. rows : int[n], the row of the table, from 0, that each of the n `texts` is of."""

    table: Table
    column: str
    texts: Sequence[str]
    rows: Sequence[int]

    @classmethod
    def of(
        cls, given: Any, column: str = "diagnosis", encoding: str | None = None, keep_blank: bool = False
    ) -> Diagnoses:
        """One diagnosis, a list, a series, or all of a column of a table.

        keep_blank : rows of what came as a table that are blank or hold no letter or digit ("?") are left out.

        Raises
        ------
        InputError
            For a table without the column or without a diagnosis in it, and for a blank row that is not left out.
        """
        table = _table(given, column, encoding)
        table.require(column, "a diagnosis", option="column")
        leaves_out = keep_blank and (table.source != _STRINGS or table.frame is not None)
        texts = (table.text(column) if leaves_out else table.required_text(column)).to_pylist()
        rows = [
            row
            for row, text in enumerate(texts)
            if text is not None and (not leaves_out or any(map(str.isalnum, text)))
        ]
        if not rows:
            raise table.error("the diagnosis is blank", 0, column, allowed="a diagnosis in words")
        return cls(table, column, [texts[row] for row in rows], rows)

    def unique(self) -> Diagnoses:
        """Each text once, with the row where it stands first."""
        first: dict[str, int] = {}
        for text, row in zip(self.texts, self.rows, strict=True):
            first.setdefault(text, row)
        return replace(self, texts=list(first), rows=list(first.values()))

    @property
    def place(self) -> dict[str, Any]:
        """Where text i stands, as `map_to_icd` tells it in errors."""
        number = self.table.row_number
        return {"source": self.table.source, "column": self.column, "row_number": lambda i: number(self.rows[i])}


def _table(strings: Any, column: str, encoding: str | None) -> Table:
    frame = None
    if isinstance(strings, str) and not is_path(strings):
        strings = [strings]
    elif nw.dependencies.is_into_series(strings):
        series = nw.from_native(strings, series_only=True)
        frame = series.to_frame()
        strings = [None if null else text for text, null in zip(series.to_list(), series.is_null(), strict=True)]
    if not isinstance(strings, list | tuple) or (strings and isinstance(strings[0], Mapping)):
        return read_table(strings, encoding)
    if not strings:
        raise InputError("an empty list", source=_STRINGS, allowed="at least one diagnosis")
    for row, text in enumerate(strings):
        if text is None and frame is not None:
            continue
        if not isinstance(text, str):
            raise InputError("not a text", source=_STRINGS, row=row, allowed="a diagnosis in words", got=text)
        if is_file_name(text):
            problem, allowed = "the name of a file, not a diagnosis", "a diagnosis in words; a file alone is a table"
            raise InputError(problem, source=_STRINGS, row=row, allowed=allowed, got=text)
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise InputError("half a surrogate pair", source=_STRINGS, row=row, allowed="Unicode text", got=text)
    data = pa.table({column: pa.array(strings, pa.string())})
    return Table(data, _STRINGS, 0, frame)


def is_path(text: str) -> bool:
    """Whether a text is a file rather than a diagnosis."""
    try:
        path, _ = split_sheet(Path(text))
        return is_file_name(text) or path.is_file() or ("/" in text and path.is_dir())
    except (OSError, ValueError):  # too long for a path, or with a character that none has
        return False
