"""What comes of every evaluation: the report in files, its charts and tables, and what the terminal shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DxmatchError
from ..evaluation.report.report import check_report_path
from ..files.tables import check_output

if TYPE_CHECKING:
    from ..evaluation.report.report import Report


def check_outputs(reports: Sequence[Path] = (), *tables: Path | None) -> None:
    """Errors: what cannot be written, before anything is read."""
    for path in reports:
        check_report_path(path)
    for table in tables:
        if table is not None:
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
