"""What several commands say: of rows set aside, of pairs not scored, of what asking cost; and of a file's name in the place of a diagnosis."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..files.counted import counted
from ..files.file_names import is_file_name

if TYPE_CHECKING:
    from ..votes.ask_summary import AskSummary


def say_unscored(count: int, of: int) -> None:
    if count:
        print(
            f"{count:,} of {counted(of, 'pair')} {'was' if count == 1 else 'were'} not scored, since a diagnosis is not understood; "
            "the column not_understood says why."
        )


def say_rejected(count: int, rejects: Any) -> None:
    if rejects is not None:
        where = f"{'it is' if count == 1 else 'they are'} in {rejects}"
        print(f"{counted(count, 'row')} rejected; {where}." if count else "No row was rejected.")


def diagnosis(text: str, table_command: str) -> None:
    """Errors: `InputError` where a diagnosis is the name of a file, be it there or not. table_command : what reads tables."""
    from ..errors import InputError

    if text.strip() == "-" or is_file_name(text) or Path(text).is_file():
        there = "" if Path(text).exists() or text.strip() == "-" else ", and no such file is there"
        raise InputError(
            f"the name of a file, not a diagnosis{there}",
            allowed=f"a diagnosis in words; a table goes to: dxmatch {table_command} FILE",
            got=text,
        )


def quiet_retries() -> None:
    """Retries are counted in the summary; where structlog is installed, stamina would print each of them."""
    try:
        from stamina.instrumentation import set_on_retry_hooks
    except ImportError:
        return  # what needs it says so itself
    set_on_retry_hooks(())


def say_asked(*summaries: AskSummary, more: str = "") -> None:
    """Says what came of asking, and `more`; leaves as `leave` does."""
    for summary in summaries:
        print("\n".join(summary.lines()))
    if more:
        print(more)
    leave(*summaries)


def leave(*summaries: AskSummary, lacking: bool = False) -> None:
    """Leaves with 130 where Ctrl-C ended the asking, with 1 where questions failed or answers are lacking."""
    if any("interrupted" in summary.stopped_because for summary in summaries):
        raise SystemExit(130)
    if lacking or any(summary.failed for summary in summaries):
        raise SystemExit(1)
