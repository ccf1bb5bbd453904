"""`dxmatch demo`: the main commands, one after another, on the bundled example."""

from __future__ import annotations

import shlex
from pathlib import Path

from ..files.atomic import make_folder
from .command import Output, command


@command(stdout=None)
def demo(output: Output = Path("dxmatch-demo")) -> None:
    """Compare models' answers with the right ones and an algorithm with experts, map to ICD-10, train and score, in under a minute.

    Parameters
    ----------
    output : path
        The folder for what it makes.

    Examples
    --------
    dxmatch demo --output demo
    """
    folder = output
    make_folder(folder)
    example = Path(__file__).parents[1] / "example"
    models, right = example / "models", example / "right_answers.csv"
    pairs, lists = example / "pairs.csv", example / "lists.csv"
    report, matches, panel = folder / "report.html", folder / "matches.csv", folder / "panel.html"
    model, held_out, scored = folder / "model", folder / "held_out.csv", folder / "scored.csv"

    _run(
        "1. Which of three language models names the right diagnoses?",
        "evaluate {} --references {} --by specialty -o {} --matches {}", models, right, report, matches,
    )  # fmt: skip
    _run(
        "2. Does an algorithm agree with the experts as they agree among themselves?", "evaluate {} -o {}", lists, panel
    )
    _run("3. Map free text to ICD-10.", 'icd "heart attack" "acute MI" I21 "sugar diabetes, type II"')
    _run(
        "4. Train a match function on pairs that three experts labelled.",
        "train {} -o {} --held-out {} --overwrite", pairs, model, held_out,
    )  # fmt: skip
    _run("5. Score the pairs it has not seen.", "score {} -o {} --matcher {} --add features", held_out, scored, model)
    print(f"\nOpen the reports: {report.resolve()}\n                  {panel.resolve()}")


def _run(what: str, words: str, *paths: Path) -> None:
    """Runs a command, with `paths` in the place of {}, as it is shown."""
    from .main import run

    line = words.format(*(shlex.quote(str(path)) for path in paths))
    print(f"\n{what}\n$ dxmatch {line}")
    run(shlex.split(line))
