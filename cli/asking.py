"""What commands that ask language models share: their options, and what is said of the asking."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import under

if TYPE_CHECKING:
    from ..votes.ask_summary import AskSummary

asking_option = under("Language models")
ENDPOINTS = asking_option(
    "--endpoints",
    help="A TOML file with \\[endpoint.NAME] tables, which go before a feature set's own, and \\[price.MODEL] tables where the cost shall be told.",
)
Endpoints = Annotated[Path | None, ENDPOINTS]
Store = Annotated[Path, asking_option("--store", help="The vote store, an SQLite file, which keeps every answer.")]
DryRun = Annotated[bool, asking_option("--dry-run", help="Say what would be asked and what it costs, and stop.")]
Again = Annotated[bool, asking_option("--again", help="Ask anew where nothing can be read from an answer.")]
MaxCalls = Annotated[int | None, asking_option("--max-calls", help="Stop after so many calls, retries included.")]
MaxCost = Annotated[
    float | None, asking_option("--max-cost", help="Stop before this cost, by the \\[price.MODEL] tables.")
]


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
        typer.echo("\n".join(summary.lines()))
    if more:
        typer.echo(more)
    leave(*summaries)


def leave(*summaries: AskSummary, lacking: bool = False) -> None:
    """Leaves with 130 where Ctrl-C ended the asking, with 1 where questions failed or answers are lacking."""
    if any("interrupted" in summary.stopped_because for summary in summaries):
        raise typer.Exit(130)
    if lacking or any(summary.failed for summary in summaries):
        raise typer.Exit(1)
