"""What several commands say of a result: the first rows of a table, rows set aside, and what comes of every evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ..errors import InputError
from ..files.counted import counted
from ..files.file_names import is_file_name
from ..files.tables import check_output
from ..options import WRITTEN
from ..settings import quiet

if TYPE_CHECKING:
    import pyarrow as pa

    from ..evaluation.report.report import Report

_SHOWN = 20


def check_report(path: Path) -> None:
    """Errors: `InputError` for what no report can be written to."""
    from ..evaluation.report.report import check_report_path

    check_report_path(path)


TableFile = Annotated[Path, WRITTEN, check_output]
ReportFile = Annotated[Path, WRITTEN, check_report]
"""What a command writes; what cannot be written ends it before anything is read."""


def print_first(table: pa.Table) -> None:
    """The first rows, where no file takes them all."""
    from ..terminal import print_table

    print_table(table.column_names, (map(_cell, row.values()) for row in table.slice(0, _SHOWN).to_pylist()))
    if not quiet():
        print(
            f"{min(_SHOWN, len(table))} of {counted(len(table), 'row')}; -o FILE writes all with all columns, -o - prints them as CSV."
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
        there = "" if Path(text).exists() else ", and no such file is there"
        raise InputError(
            f"the name of a file, not a diagnosis{there}",
            allowed=f"a diagnosis in words; a table goes to: dxmatch {table_command} FILE", got=text,
        )  # fmt: skip


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
    written: list[Any] = []
    try:
        written += [report.save(path) for path in output]
        if charts is not None:
            written.append(f"{len(report.save_charts(charts))} files in {charts}")
        for write in tables:  # one that cannot be made is an error after what was computed is shown
            written.append(write())
    finally:
        report.print(full=full)
        for one in cases:
            report.print_case(one)
        for path in written:
            print(f"Written: {path}")
    return report.to_dict()
