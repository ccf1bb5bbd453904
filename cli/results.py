"""What several commands say of a result: the first rows of a table, rows set aside, and what comes of every evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DxmatchError, InputError
from ..files.counted import counted
from ..files.file_names import is_file_name
from ..settings import quiet

if TYPE_CHECKING:
    import pyarrow as pa

    from ..evaluation.report.report import Report

_SHOWN = 20


def print_first(table: pa.Table, nothing: str = "Nothing was written") -> None:
    """The first rows, where no file takes them all. nothing : what is said of that where these are all."""
    from ..terminal import print_table

    print_table(table.column_names, (map(_cell, row.values()) for row in table.slice(0, _SHOWN).to_pylist()))
    first = f"The first {_SHOWN} of {table.num_rows:,} rows" if table.num_rows > _SHOWN else nothing
    if first and not quiet():
        print(f"{first}; -o FILE writes all rows with all columns, and -o - prints them as CSV.")


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def say_rejected(count: int, rejects: Any) -> None:
    if rejects is not None:
        where = f"{'it is' if count == 1 else 'they are'} in {rejects}"
        print(f"{counted(count, 'row')} rejected; {where}." if count else "No row was rejected.")


def diagnosis(text: str, table_command: str) -> None:
    """Errors: `InputError` where a diagnosis is the name of a file, be it there or not. table_command : what reads tables."""
    if text.strip() == "-" or is_file_name(text) or Path(text).is_file():
        there = "" if Path(text).exists() or text.strip() == "-" else ", and no such file is there"
        raise InputError(
            f"the name of a file, not a diagnosis{there}",
            allowed=f"a diagnosis in words; a table goes to: dxmatch {table_command} FILE",
            got=text,
        )


def check_outputs(reports: Sequence[Path] = (), *tables: Path | None) -> None:
    """Errors: what cannot be written, before anything is read."""
    from ..evaluation.report.report import check_report_path
    from ..files.tables import check_output

    for path in reports:
        check_report_path(path)
    for table in filter(None, tables):
        check_output(table)


def deliver(
    report: Report,
    output: Sequence[Path] = (),
    *,
    charts: Path | None = None,
    tables: Sequence[Callable[[], Any]] = (),
    full: bool = False,
    cases: Sequence[str] = (),
) -> dict[str, Any]:
    """Writes all, then shows it, since the reader of a pipe may leave; gives the report's JSON. tables : what writes further ones."""
    for one in cases:
        report.case(one)  # a case that is not there is told of before anything is written
    written: list[Any] = [report.save(path) for path in output]
    if charts is not None:
        written.append(f"{len(report.save_charts(charts))} files in {charts}")
    lacking: DxmatchError | None = None
    for write in tables:
        try:
            written.append(write())
        except DxmatchError as error:  # no right answers: what was computed is still shown
            lacking = error
    report.print(full=full)
    for one in cases:
        report.print_case(one)
    for path in written:
        print(f"Written: {path}")
    if lacking is not None:
        raise lacking
    return report.to_dict()
