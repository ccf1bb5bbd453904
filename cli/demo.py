"""`dxmatch demo`: the main commands, one after another, on the bundled example."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .evaluate import evaluate
from .icd import icd
from .score import score
from .train import train


def demo(
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

    _step(
        "1. Which of three language models names the right diagnoses?",
        f"evaluate {models} --references {right} --by specialty -o {report} --matches {matches}",
    )
    evaluate([models], right, [report], matches=matches, by=["specialty"])
    _step("2. Does an algorithm agree with the experts as they agree among themselves?", f"evaluate {lists} -o {panel}")
    evaluate([lists], output=[panel])
    _step("3. Map free text to ICD-10.", 'icd "heart attack" "acute MI" I21 "sugar diabetes, type II"')
    icd(["heart attack", "acute MI", "I21", "sugar diabetes, type II"])
    _step(
        "4. Train a match function on pairs that three experts labelled.",
        f"train {pairs} -o {model} --held-out {held_out}",
    )
    train([pairs], model, held_out=held_out, overwrite=True)
    _step("5. Score the pairs it has not seen.", f"score {held_out} -o {scored} --model {model} --features")
    score(held_out, scored, model=str(model), features=True)
    typer.echo(f"\nOpen the reports: {report.resolve()}\n                  {panel.resolve()}")


def _step(what: str, command: str) -> None:
    typer.echo(f"\n{what}\n$ dxmatch {command}")
