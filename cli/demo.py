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
    """Train, score, evaluate and map to ICD-10 on the bundled example, in under a minute."""
    from ..files.atomic import make_folder

    make_folder(output)
    example = Path(__file__).parents[1] / "example"
    pairs, lists = example / "pairs.csv", example / "lists.csv"
    model, held_out, scored = output / "model", output / "held_out.csv", output / "scored.csv"
    report, numbers = output / "report.html", output / "report.json"

    _step(
        "1. Train a match function on pairs that three experts labelled.",
        f"train {pairs} -o {model} --held-out {held_out}",
    )
    train(pairs, model, held_out=held_out, overwrite=True)
    _step("2. Score the pairs it has not seen.", f"score {held_out} -o {scored} --model {model} --features")
    score(held_out, scored, model=model, features=True)
    _step("3. Map free text to ICD-10.", 'icd "heart attack" "acute MI" I21 "sugar diabetes, type II"')
    icd(["heart attack", "acute MI", "I21", "sugar diabetes, type II"])
    _step(
        "4. Compare an algorithm with the experts, with the match function that ships.",
        f"evaluate {lists} --no-diagnosis none -o {report} --json {numbers}",
    )
    evaluate(lists, report, json=numbers, no_diagnosis=["none"])
    typer.echo(f"\nOpen the report: {report.resolve()}")


def _step(what: str, command: str) -> None:
    typer.echo(f"\n{what}\n$ dxmatch {command}")
