"""`dxmatch demo`: the main commands, one after another, on the bundled example."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer


def demo(
    context: typer.Context,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder for what it makes.")] = Path(
        "dxmatch-demo"
    ),
) -> None:
    """Models' answers against the right ones, an algorithm against experts, ICD-10, and a training, in under a minute."""
    from ..files.atomic import make_folder

    make_folder(output)
    example = Path(__file__).parents[1] / "example"
    models, right = example / "models", example / "right_answers.csv"
    pairs, lists = example / "pairs.csv", example / "lists.csv"
    report, matches, panel = output / "report.html", output / "matches.csv", output / "panel.html"
    model, held_out, scored = output / "model", output / "held_out.csv", output / "scored.csv"

    _run(
        context, "1. Which of three language models names the right diagnoses?",
        "evaluate {} --references {} --by specialty -o {} --matches {}", models, right, report, matches,
    )  # fmt: skip
    _run(
        context,
        "2. Does an algorithm agree with the experts as they agree among themselves?",
        "evaluate {} -o {}",
        lists,
        panel,
    )
    _run(context, "3. Map free text to ICD-10.", 'icd "heart attack" "acute MI" I21 "sugar diabetes, type II"')
    _run(
        context, "4. Train a match function on pairs that three experts labelled.",
        "train {} -o {} --held-out {} --overwrite", pairs, model, held_out,
    )  # fmt: skip
    _run(
        context, "5. Score the pairs it has not seen.", "score {} -o {} --model {} --features", held_out, scored, model
    )
    typer.echo(f"\nOpen the reports: {report.resolve()}\n                  {panel.resolve()}")


def _run(context: typer.Context, what: str, command: str, *paths: Path) -> None:
    """Runs a command, with `paths` in the place of {}, as it is shown."""
    line = command.format(*(shlex.quote(str(path)) for path in paths))
    typer.echo(f"\n{what}\n$ dxmatch {line}")
    code = context.find_root().command.main(
        shlex.split(line), prog_name="dxmatch", standalone_mode=False, obj=context.obj
    )
    if code:
        raise typer.Exit(code)
