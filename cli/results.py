"""What several commands say: the first rows of a table, rows set aside, a file's name in the place of a diagnosis."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ..errors import InputError
from ..files.counted import counted
from ..files.file_names import is_file_name
from ..files.tables import check_output
from ..options import WRITTEN
from ..settings import quiet
from ..terminal import print_table

if TYPE_CHECKING:
    import pyarrow as pa

_SHOWN = 20
TableFile = Annotated[Path, WRITTEN, check_output]
"""A table that a command writes; what cannot be written ends it before anything is read."""


def print_first(table: pa.Table) -> None:
    """The first rows, where no file takes them all."""
    print_table(table.column_names, (map(_cell, row.values()) for row in table.slice(0, _SHOWN).to_pylist()))
    if not quiet():
        print(
            f"{min(_SHOWN, len(table))} of {counted(len(table), 'row')}; -o FILE writes all, -o - prints them as CSV."
        )


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def say_rejected(count: int, rejects: Any) -> None:
    if rejects is not None:
        print(f"{counted(count, 'row')} rejected{f'; they are in {rejects}' if count else ''}.")


def diagnosis(text: str, table_command: str) -> None:
    """Errors: `InputError` where a diagnosis is the name of a file, be it there or not. table_command : what reads tables."""
    if text.strip() == "-" or is_file_name(text) or Path(text).is_file():
        allowed = f"a diagnosis in words; a table that is there goes to: dxmatch {table_command} FILE"
        raise InputError("the name of a file, not a diagnosis", allowed=allowed, got=text)
