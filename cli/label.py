"""`dxmatch label`: labels from the console, one pair at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import ColumnA, ColumnB, Encoding, Rejects, say_rejected


def label(
    pairs: Annotated[
        Path, typer.Argument(help="A table of pairs; or the folder that dxmatch suggest made, or a sheet in it.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The labelled pairs, which dxmatch train takes. If it is there, answers are added to it.",
        ),
    ],
    expert: Annotated[
        str | None,
        typer.Option(
            help="Who answers, by a name that becomes a column. Of a suggestion: one of those it was made for."
        ),
    ] = None,
    a: ColumnA = "a",
    b: ColumnB = "b",
    rejects: Rejects = None,
    encoding: Encoding = None,
) -> None:
    """Label pairs here, one at a time: y, n, u (unsure), s (skip), b (back), ? (the criteria), q (quit), each with Enter.

    No model says anything. Every answer is kept at once; the same command goes on where you stopped.
    """
    import sys

    from ..labelling.console import label as run

    done = run(
        pairs, output, expert, a=a, b=b, rejects=rejects, encoding=encoding, ask_again=sys.stdin.isatty()
    )  # fmt: skip
    typer.echo(f"\n{done.words()}")
    if done.open:
        typer.echo("The same command goes on with what is open.")
    if done.matches + done.others:
        typer.echo(f"To train on them: dxmatch train {output} -o my-model")
    say_rejected(done.rejected, rejects)
