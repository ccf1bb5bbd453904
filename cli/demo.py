"""`dxmatch demo`: the main commands, one after another, on the bundled example."""

from __future__ import annotations

import shlex
from pathlib import Path

from ..files.atomic import make_folder
from .command import Output, command

_STEPS = {
    "1. Which of three language models names the right diagnoses?": 'evaluate "{from}/models" --references "{from}/right_answers.csv" --by specialty -o "{to}/report.html" --matches "{to}/matches.csv"',
    "2. Does an algorithm agree with the experts as they agree among themselves?": 'evaluate "{from}/lists.csv" -o "{to}/panel.html"',
    "3. Map free text to ICD-10.": 'icd "heart attack" "acute MI" I21 "sugar diabetes, type II"',
    "4. Train a match function on pairs that three experts labelled.": 'train "{from}/pairs.csv" -o "{to}/model" --held-out "{to}/held_out.csv" --overwrite',
    "5. Score the pairs it has not seen.": 'score "{to}/held_out.csv" -o "{to}/scored.csv" --matcher "{to}/model" --add features',
}  # fmt: skip


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
    from .main import run

    make_folder(output)
    places = {"from": Path(__file__).parents[1] / "example", "to": output}
    for what, step in _STEPS.items():
        line = step.format(**places)
        print(f"\n{what}\n$ dxmatch {line}")
        run(shlex.split(line))
    print(
        f"\nOpen the reports: {(output / 'report.html').resolve()}\n                  {(output / 'panel.html').resolve()}"
    )
