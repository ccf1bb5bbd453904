"""Options that several commands share: one wording, one default."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..files.counted import counted
from ..files.file_names import is_file_name
from .origin import MATCHER
from .origin import Origin as Origin

if TYPE_CHECKING:
    from ..matcher.match_function import MatchFunction

Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        rich_help_panel=MATCHER,
        help="A model folder; or OWNER/NAME@COMMIT of the Hugging Face hub, from its cache on this machine or, with --allow-download, "
        "fetched. The shipped model if not given.",
    ),
]
Policy = Annotated[
    str | None,
    typer.Option(
        "--policy",
        rich_help_panel=MATCHER,
        help="What counts as a match: specification (either side may say more; the default), strict, narrower-counts or "
        "broader-counts (than the first side, the reference).",
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        rich_help_panel=MATCHER,
        help="The probability from which two diagnoses are a match, 0 to 1; the model's own if not given.",
    ),
]
Store = Annotated[
    Path | None,
    typer.Option(
        "--store", rich_help_panel=MATCHER, help="The vote store, where features are votes or picks; it is only read."
    ),
]
Endpoints = Annotated[
    Path | None,
    typer.Option(
        "--endpoints",
        rich_help_panel=MATCHER,
        help="A TOML file with \\[endpoint.NAME] tables, where encoders are served.",
    ),
]
MinCoverage = Annotated[
    float,
    typer.Option(
        "--min-coverage",
        rich_help_panel=MATCHER,
        help="Each vote and pick must be known for at least this share of the pairs.",
    ),
]
Bootstrap = Annotated[int, typer.Option(help="Resamples behind the intervals; 0 for none.")]
Seed = Annotated[int, typer.Option(help="Random seed of the resampling.")]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", help="The encoding of a text file that is not UTF-8: cp1252 (Windows), gb18030, …"),
]
ColumnA = Annotated[str, typer.Option("--a", help="The column of the first diagnosis.")]
ColumnB = Annotated[str, typer.Option("--b", help="The column of the second diagnosis.")]
JudgeAll = Annotated[
    bool,
    typer.Option(
        "--judge-all",
        rich_help_panel=MATCHER,
        help="Score pairs with a diagnosis that is not understood, too: another language, a sentence, several in one.",
    ),
]
Rejects = Annotated[
    Path | None,
    typer.Option(
        "--rejects",
        help="Write rejected rows, and lines that are no JSON, to this file, with the reason, and go on; without it the first one ends the command.",
    ),
]


def under(heading: str) -> Callable[..., Any]:
    """`typer.Option` under a heading of a command's help."""
    return partial(typer.Option, rich_help_panel=heading)


def say_unscored(count: int, of: int) -> None:
    if count:
        typer.echo(
            f"{count:,} of {counted(of, 'pair')} {'was' if count == 1 else 'were'} not scored, since a diagnosis is not understood; "
            "the column not_understood says why."
        )


def say_rejected(count: int, rejects: Path | None) -> None:
    if rejects is not None:
        where = f"{'it is' if count == 1 else 'they are'} in {rejects}"
        typer.echo(f"{counted(count, 'row')} rejected; {where}." if count else "No row was rejected.")


def say_read(note: str) -> None:
    """What was read of a file, where there was a choice."""
    if note:
        typer.echo(note)


def loaded(
    model: str | None, *, policy: str | None, threshold: float | None, origin: Origin | None, **options: Any
) -> MatchFunction:
    """The match function that a command's options name. Errors: `OptionError` for a threshold outside 0 to 1."""
    from ..matcher.match_function import load

    m = load(model, **({} if policy is None else {"policy": policy}), **options, **(origin or {}))
    m.threshold = m.threshold_or(threshold)
    return m


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
